"""Play a minute of each system in Chromium: the longest wait between frames, and sizes of files.

Run ``python -m benchmarks.players`` from the repository's root.
"""

import tempfile
from pathlib import Path

from perfkit.show.players import player
from perfkit.systems import SYSTEMS
from tests.site import browser as chromium

SIZED_S, PLAYED_S, SPEED = 20.0, 60.0, 20
LONGEST = """new Promise((done) => {
  const gaps = [], clock = document.querySelector('.player input'), speed = document.querySelector('.player select');
  speed.value = "SPEED"; speed.dispatchEvent(new Event('change'));
  document.querySelector('.player button').click();
  let last = performance.now();
  const look = (now) => {
    gaps.push(now - last);
    last = now;
    if (Number(clock.value) < Number(clock.max)) requestAnimationFrame(look);
    else done([gaps.length, Math.max(...gaps)]);
  };
  requestAnimationFrame(look);
})""".replace("SPEED", str(SPEED))  # noqa: E501


def main():
    """Print a line per system: kB of 20 s of two machines, frames of a minute, the longest."""
    with chromium.started() as browser, tempfile.TemporaryDirectory() as folder:
        for key in SYSTEMS:
            kilobytes = len(player(key, {}, {}, seconds=SIZED_S).page()) / 1000
            path = Path(folder, f"{key}.html")
            path.write_text(player(key, {}, {}, seconds=PLAYED_S).page())
            browser.open(path.as_uri())
            browser.wait("document.querySelector('.player.live')")
            frames, longest_ms = browser.run(LONGEST)
            print(f"{key:8} {kilobytes:4.0f} kB, {frames:4} frames, longest {longest_ms:4.0f} ms")


if __name__ == "__main__":
    main()
