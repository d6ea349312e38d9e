"""Players in a browser: a film at any moment, what is drawn of it, the keyboard, a page."""

import json

import numpy as np
import pytest

from perfkit.show.players import Player, film, page
from perfkit.systems import SYSTEMS, unix_v6

LIVE = "document.querySelector('.player.live')"
CLOCK = "document.querySelector('.player input[type=range]')"


@pytest.fixture(scope="module")
def swapping():
    return film("unix_v6", unix_v6.Parameters(memory_clicks=650), seconds=10.0)


@pytest.fixture(scope="module")
def file(swapping, tmp_path_factory):
    path = tmp_path_factory.mktemp("film") / "swap.html"
    path.write_text(Player({"A": swapping, "B": swapping}).page())
    return path.as_uri()


def state(one, moment):
    """Return what a film shows once so many moments have passed."""
    row = one.first.copy()
    for slot, value in one.changes[: one.ends[moment - 1] if moment else 0]:
        row[slot] = value
    return row


def float_of(told):
    return float(told.split()[0])


def turn(browser, ms):
    set_it = f"(() => {{ const clock = {CLOCK}; clock.value = {ms};"
    browser.run(f"{set_it} clock.dispatchEvent(new Event('input')); }})()")


@pytest.mark.parametrize("key", SYSTEMS)
def test_a_film_in_the_browser_shows_any_moment_in_any_order(browser, key):
    one = film(key, seconds=3.0)
    moments = np.random.default_rng(1).integers(0, one.times_ms.size + 1, 100).tolist()
    go = "moments.map((moment) => (film.go(moment), [...film.state]))"
    read = f"Film.of({json.dumps(page.described(one, ''))}).then((film) => {go})"
    rows = browser.run(
        f"(() => {{ {page.script()}\nconst moments = {moments}; return {read}; }})()"
    )
    assert all((state(one, at) == row).all() for at, row in zip(moments, rows, strict=True))


def test_pieces_of_core_are_drawn_where_they_are(browser, file, swapping):
    browser.open(file)
    browser.wait(LIVE)
    at_ms = 1000.0 * swapping.begin_s + 7000
    turn(browser, at_ms)
    row = state(swapping, int((swapping.times_ms <= at_ms).sum()))
    begin, count = swapping.slots["processes.loaded"]
    shown = "[...document.querySelectorAll('.player-machine:first-child .piece')]"
    drawn = browser.run(
        f"{shown}.map((one) => [one.getAttribute('display'), +one.getAttribute('x')])"
    )
    moving = row[swapping.slots["kernel.swap_process"][0]]
    for process, (display, x) in enumerate(drawn, 1):
        assert (display == "inline") == (row[begin + process] == 1 or moving == process)
        if display == "inline":
            address = row[swapping.slots["processes.core_address"][0] + process]
            assert x == pytest.approx(8 + 324 * address / 650)
    assert count == len(drawn) + 1
    assert not browser.complaints and browser.requests == [file]


def test_the_next_event_and_the_one_before_are_a_key_away_and_are_told(browser, file, swapping):
    browser.open(file, width=390)
    browser.wait(LIVE)
    browser.run("[...document.querySelectorAll('.player button')].at(2).focus()")
    time, times = "document.querySelector('.player-time').textContent", []
    for _ in range(40):
        browser.press(".", 190)
        times.append(browser.run(time))
        assert browser.run("document.querySelector('.player-told li:last-child').textContent")
    told = browser.run(
        "[...document.querySelectorAll('.player-told')].map((one) => one.textContent)"
    )
    assert told[0] == told[1] and f"{times[-1]}: " in told[0]
    assert times == sorted(set(times), key=float_of) and len(times) == 40
    at = swapping.times_ms / 1000.0
    assert all(abs(at - float_of(one)).min() < 6e-4 for one in times)
    assert "swapped out" in browser.run("document.querySelector('.player svg').ariaLabel")
    browser.press(",", 188)
    assert browser.run(time) == times[-2]
    wide = browser.run("document.documentElement.scrollWidth")
    assert wide <= 390


def test_one_process_is_followed_alone(browser, file):
    browser.open(file)
    browser.wait(LIVE)
    set_it = "const one = document.querySelector('.player-controls select:last-of-type');"
    change = "one.value = 'process 7'; one.dispatchEvent(new Event('change'));"
    browser.run(f"(() => {{ {set_it} {change} }})()")
    turn(browser, 29_900)
    lines = browser.run(
        "[...document.querySelectorAll('.player-told li')].map((one) => one.textContent)"
    )
    assert len(lines) == 10 and all(line.split(": ")[1].startswith("process 7 ") for line in lines)
    marked = "[...document.querySelectorAll('.token.followed')].map((one) => one.textContent)"
    assert browser.run(marked) == ["7", "7"]


def test_nothing_turns_for_whoever_asks_for_less_motion(browser, tmp_path):
    path = tmp_path / "drum.html"
    path.write_text(Player({"": film("emas", seconds=3.0)}).page())
    for still in (False, True):
        browser.open(path.as_uri(), still=still)
        browser.wait(LIVE)
        turn(browser, 902_003)
        turned = browser.run("!!document.querySelector('.hand').getAttribute('transform')")
        assert turned != still
        assert "asleep: " in browser.run("document.querySelector('.player svg').ariaLabel")


def test_a_page_plays_both_machines_as_they_are_turned(site, browser):
    browser.open((site / "machines/unix_v6.html").as_uri())
    browser.wait("document.querySelector('.panel-answer')?.dataset.done == 'yes'", 60)
    browser.run("document.querySelector('.panel-watch button').click()")
    browser.wait(LIVE, 60)
    at_ms = 27_000
    turn(browser, at_ms)
    summaries = browser.run(
        "[...document.querySelectorAll('.player svg')].map((one) => one.ariaLabel)"
    )
    titles = browser.run(
        "[...document.querySelectorAll('.player h4')].map((one) => one.textContent)"
    )
    assert titles == ["A: more memory", "B: a faster disc"]
    for changes, summary in zip(
        ({"memory_clicks": 1600}, {"memory_clicks": 650, "disc_speed": 1.25}),
        summaries,
        strict=True,
    ):
        one = film("unix_v6", unix_v6.Parameters(**changes))
        row = state(one, int((one.times_ms <= at_ms).sum()))
        begin, count = one.slots["processes.loaded"]
        moving = row[one.slots["kernel.swap_process"][0]]
        out = [k for k in range(1, count) if not row[begin + k] and k != moving]
        told = summary.replace("swapped out, would run: ", "").replace("swapped out, waits: ", "")
        names = {word for part in told.split("; ") for word in part.split(", ")} - {"nobody"}
        assert names == {"u" if k == 1 else str(k - 1) for k in out}
    assert not browser.complaints
