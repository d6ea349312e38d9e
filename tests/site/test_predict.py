"""Predict first: nothing runs before a seal; what was written is compared, kept, handed in."""

import json
import re

import pytest

from tests.site.test_panel import DONE, told, turn

FIELDS = {"direction": "", "size": "12,5", "sure": "70", "why": "a <faster> disc"}
SEAL = "document.querySelector('.predict form').requestSubmit()"
CELLS = "[...document.querySelectorAll('{} tbody td')].map((one) => one.textContent)"
COMPARED = "document.querySelector('.predict-status').ariaBusy == 'false'"
SAVE = """URL.createObjectURL = (blob) => { globalThis.kept = blob.text(); return 'data:,'; };
document.querySelector('section:last-of-type button').click(); kept"""


def write(browser, **fields):
    for name, text in fields.items():
        box = f"document.querySelector('[name={name}]')"  # of the directions the first: smaller
        put = "click()" if name == "direction" else f"value = {json.dumps(text)}"
        browser.run(f"{box}.{put}; {box}.dispatchEvent(new Event('input', {{bubbles: true}}))")


@pytest.fixture
def page(site, browser):
    """Open the page of unix_v6 as wide as a telephone, with nothing kept from before."""
    address = (site / "predict/unix_v6.html").as_uri()
    browser.open(address, width=360)
    browser.run("localStorage.clear()")
    browser.open(address, width=360)
    return address


def seal(browser):
    write(browser, **FIELDS)
    browser.run(SEAL)
    browser.wait(f"{DONE} && {COMPARED}", 120)


def test_nothing_of_the_machine_is_there_before_a_prediction_is_sealed(page, browser):
    there = "document.querySelectorAll('.panel, .panel-watch, .predict-sealed table').length"
    for name in ("direction", "size", "sure", "why"):  # what lacks is asked for, one by one
        browser.run(SEAL)
        assert told(browser, "form .predict-refused") and not browser.run(there)
        assert browser.run("document.activeElement.name") == name
        write(browser, **{name: FIELDS[name]})
    assert not any("panel-" in url for url in browser.requests)
    seal(browser)
    assert browser.run(there) == 3
    assert browser.run("document.documentElement.scrollWidth") <= 360
    assert not browser.run("!!document.querySelector('.predict-sealed :is(input, textarea)')")
    assert not browser.complaints
    assert all(url.startswith(("file:", "data:", "about:", "blob:")) for url in browser.requests)


def test_a_reload_and_the_file_keep_what_was_predicted_run_and_written(page, browser):
    seal(browser)
    cells = browser.run(CELLS.format(".predict-sealed"))
    assert cells[1:6:2] == browser.run(CELLS.format(".panel-measures"))[:3]
    a, _, difference, share = (float(one.split()[0].replace("−", "-")) for one in cells[1:8:2])
    assert share == pytest.approx(100 * difference / a, abs=0.02) and cells[6] == "−12.5 %"
    off = float(re.search(r"off by ([0-9.]+)", told(browser, ".predict-status"))[1])
    assert off == pytest.approx(12.5 + share, abs=0.06)
    write(browser, explanation="one controller")
    browser.open(page)
    browser.wait(DONE, 120)
    assert browser.run(CELLS.format(".predict-sealed")) == cells
    text = browser.run(SAVE)
    kept = json.loads(re.search(r'<script type="application/json".*?>(.*)</script>', text, re.S)[1])
    (one,) = kept["sealed"]
    assert (one["why"], one["percent"], one["sure"], one["seen"]) == (FIELDS["why"], -12.5, 70, 0)
    assert kept["explanation"] == "one controller" and all(cell in text for cell in cells)
    assert one["sealed"] < kept["ran"][one["address"]]["at"] < kept["saved"]


def test_a_further_prediction_covers_the_machines_and_both_are_kept(page, browser):
    seal(browser)
    browser.run("document.querySelector('.predict-sealed + p button').click()")
    turn(browser, "b.disc_speed", "1.1")
    browser.wait(DONE, 120)
    assert not browser.run("document.querySelector('.panel-answer').checkVisibility()")
    seal(browser)
    verdicts = "[...document.querySelectorAll('.predict-verdict')].map((one) => one.innerText)"
    assert [one.split(".")[0][-5:] for one in browser.run(verdicts)] == ["right", "wrong"]


def test_a_show_of_hands_is_drawn_and_a_browser_that_keeps_nothing_says_so(site, browser):
    source = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }})"
    name = browser.call("Page.addScriptToEvaluateOnNewDocument", source=source)["identifier"]
    browser.open((site / "predict/unix_v6.html").as_uri() + "#class", width=360)
    browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=name)
    assert "keeps nothing" in told(browser, ".predict-refused")
    write(browser, guesses="12 3x-15, 20")
    bars = "[...document.querySelectorAll('.guess')].map((one) => one.nextSibling.textContent)"
    assert browser.run(bars) == ["3", "1", "1"]
    browser.run(SEAL)
    browser.wait(COMPARED, 120)
    assert told(browser, ".predict-status").startswith("3 of 5 guesses")
    assert browser.run(bars) == ["3", "1", "1"] and "machine" in told(
        browser, ".predict-sealed svg"
    )
