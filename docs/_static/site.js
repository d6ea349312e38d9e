// What scrolls sideways can be reached with the keyboard.
"use strict";
function reachable() {
  for (const box of document.querySelectorAll(".scroll, .content pre, .math-scroll, .sidebar-scroll, .toc-scroll")) {
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1;
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
addEventListener("load", reachable);
addEventListener("resize", reachable);
