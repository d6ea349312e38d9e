// What scrolls sideways can be reached with the keyboard.
"use strict";
function reachable() {
  const boxes = ".scroll, .math-scroll, .table-wrapper, .content pre, .sidebar-scroll, .toc-scroll";
  for (const box of document.querySelectorAll(boxes)) {
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1;
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
addEventListener("load", reachable);
addEventListener("resize", reachable);
