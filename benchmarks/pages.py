"""Time the panels of the built site in Chromium: the first number, a redraw, the script's weight.

Run ``python -m benchmarks.pages build/site`` from the repository's root, after ``make site``.
"""

import gzip
import sys
import time
from pathlib import Path

from studies import STUDIES
from tests.site import browser as chromium

ANSWER = "document.querySelector('.panel-answer')"
NUMBER = f"/ is [0-9.]+/.test({ANSWER}?.textContent)"
TURNED = """new Promise((done) => {
  const reader = document.querySelector('.panel-reader'), start = performance.now();
  const answer = document.querySelector('.panel-answer');
  answer.textContent = "";
  reader.value = Number(reader.min) + 3 * Number(reader.step);
  reader.dispatchEvent(new Event('input'));
  const look = () => / is [0-9.]+/.test(answer.textContent) ? done(performance.now() - start) : requestAnimationFrame(look);
  look();
})"""  # noqa: E501


def main(site):
    """Print a line per study: kB gzipped, seconds to the first number, ms to that of a turn."""
    with chromium.started() as browser:
        for key in STUDIES:
            script = (Path(site) / f"downloads/panel-{key}.js").read_bytes()
            start = time.perf_counter()
            browser.open((Path(site).resolve() / f"machines/{key}.html").as_uri())
            browser.wait(NUMBER, 60)
            first_s = time.perf_counter() - start
            browser.wait(f"{ANSWER}.dataset.done == 'yes'", 300)
            weight, turned_ms = len(gzip.compress(script, 9)) / 1000, browser.run(TURNED)
            print(f"{key:8} {weight:5.1f} kB, first {first_s:5.2f} s, turned {turned_ms:6.0f} ms")


if __name__ == "__main__":
    main(*sys.argv[1:])
