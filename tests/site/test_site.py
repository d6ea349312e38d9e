"""The site in a browser: nothing dead, nothing fetched, nothing cut, nothing out of reach."""

import json
import re
import shlex
from urllib.parse import unquote

import pytest

from perfkit.__main__ import main
from studies import BOOKS, STUDIES
from tests.site.conftest import ROOT

WIDTHS = (390, 600, 820, 1024, 1280, 1920)
NOTEBOOKS = [f"notebooks/{key}.html" for key in STUDIES]
EVERY = [f"notebooks/{key}.html" for key in BOOKS]
PAGES = ["index.html", "README.html", "notebooks/index.html", *EVERY]
PAGES += ["docs/api/unix_v6.html", "docs/api/analytic.html", "data/emas/ERRATA.html"]
AXE = ROOT / "build/axe/package/axe.min.js"
BLAMED = "axe.run().then(r => JSON.stringify(r.violations.filter(v => /serious|critical/.test(v.impact)).map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))])))"  # noqa: E501
MOST_BYTES = 400_000
RIGHT, HOME = ("ArrowRight", 39), ("Home", 36)


def address(site, page):
    return (site / page).as_uri()


def texts(site):
    return {path: path.read_text() for path in site.rglob("*.html")}


def test_no_internal_link_is_dead(site):
    found = texts(site)
    names = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in found.items()}
    dead = set()
    for path, text in found.items():
        for link in re.findall(r'<[^>]*? (?:href|src)="([^"]*)"', text):
            if re.match(r"[a-z]+:", link):
                continue
            file, _, place = unquote(link.split("?")[0]).partition("#")
            target = (path.parent / file).resolve() if file else path
            whole = target.exists() and (not place or place in names.get(target, {place}))
            if not whole:
                dead.add((str(path.relative_to(site)), link))
    assert not dead


def test_pictures_say_what_they_show_and_tables_have_heads(site):
    for page in NOTEBOOKS:
        text = (site / page).read_text()
        alts = re.findall(r'<img [^>]*?alt="([^"]*)"', text)
        assert len(alts) > 10 and all(len(alt) >= 40 for alt in alts)
        assert text.count('<figure class="table"') > 10
        assert not re.search(r"<th[^>]*>\s*(&nbsp;)?</th>", text)
        assert 'id="claim-' in text


def test_a_page_of_a_study_is_light(site):
    sizes = {page: (site / page).stat().st_size for page in NOTEBOOKS}
    assert max(sizes.values()) <= MOST_BYTES, sizes


def test_each_parameter_has_an_anchor(site):
    for key, study in STUDIES.items():
        text = (site / f"docs/api/{key}.html").read_text()
        for name in study.module().Parameters().names():
            assert f'id="perfkit.systems.{key}.Parameters.{name}"' in text


@pytest.mark.parametrize("page", PAGES)
def test_a_page_asks_no_network_complains_of_nothing_and_fits(site, browser, page):
    browser.open(address(site, page))
    for width in WIDTHS:
        browser.resize(width)
        wide = browser.run("document.documentElement.scrollWidth")
        assert wide <= width, f"{page} at {width} pixels is {wide} wide"
    assert not browser.complaints
    assert all(url.startswith(("file:", "data:", "about:")) for url in browser.requests)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_serious(site, browser, page, dark):
    if not AXE.exists():
        pytest.skip("axe-core is not in build/axe; make test-site puts it there.")
    browser.open(address(site, page), width=390 if dark else 1280, dark=dark)
    browser.run("void document.querySelectorAll('details').forEach(d => { d.open = true; })")
    browser.run("reachable()")
    browser.run(AXE.read_text() + ";1")
    assert json.loads(browser.run(BLAMED)) == []


@pytest.mark.parametrize("page", ["index.html", *NOTEBOOKS])
def test_a_turned_control_moves_the_curves(site, browser, page):
    browser.open(address(site, page), width=390)
    drawn = "document.querySelector('.whatif-panels').innerHTML"
    line = "document.querySelector('.whatif-line code').textContent"
    controls = "document.querySelectorAll('.whatif-controls input,.whatif-controls select')"
    names = browser.run(f"[...{controls}].map(i => i.dataset.name)")
    assert len(names) >= 4
    for name in names:
        before = browser.run(drawn), browser.run(line)
        browser.run(f"document.querySelector('[data-name={name}]').focus()")
        moved = browser.run("document.activeElement.type == 'range'")
        browser.press(*(HOME if moved else ("ArrowDown", 40)))
        if (browser.run(drawn), browser.run(line)) == before:  # it stood at that end
            browser.press(*(RIGHT if moved else ("ArrowUp", 38)))
        assert (browser.run(drawn), browser.run(line)) != before, name
    browser.run("document.querySelector('.whatif-controls button').click()")
    assert browser.run("document.querySelectorAll('.whatif-panels .curve.turned').length") == len(
        browser.run("[...document.querySelectorAll('.whatif-panels svg')].map(String)")
    )


def test_from_the_landing_page_to_a_turned_control_are_three_clicks(site, browser):
    browser.open(address(site, "index.html"))
    browser.run("document.querySelector('.cards a').click()")
    link = "document.querySelector('a[href=\"#turn-it\"]')"
    browser.wait(f"{link} && document.readyState == 'complete'")
    browser.run(f"{link}.click()")
    seen = "(b => b.top > -50 && b.top < innerHeight)(document.querySelector('.whatif-controls').getBoundingClientRect())"  # noqa: E501
    browser.wait(seen)
    drawn = "document.querySelector('.whatif-panels').innerHTML"
    before = browser.run(drawn)
    browser.run("document.querySelector('.whatif-controls button').click()")
    assert browser.run(drawn) != before


def test_above_the_controls_a_page_promises_what_a_page_can_do(site):
    for page in NOTEBOOKS:
        above = (site / page).read_text().split('id="turn-it"', 1)[1].split('class="whatif"', 1)[0]
        told = re.sub(r"<pre.*?</pre>|<[^>]+>", "", above, flags=re.DOTALL)
        assert "made beforehand" in told and "make lab" in told
        assert not re.search(r"\b(kernel|anew|run all cells|slider)", told), page


def test_the_line_to_copy_gives_the_numbers_on_the_page(site, browser, capsys):
    browser.open(address(site, "notebooks/unix_v6.html"))
    line = browser.run("document.querySelector('.whatif-line code').textContent")
    told = browser.run("document.querySelector('.whatif-table tbody tr').cells[2].textContent")
    program, *words = shlex.split(line)
    assert program == "perfkit" and main([*words, "--json"]) in (0, None)
    rows = {row["measure"]: row for row in json.loads(capsys.readouterr().out)}
    mean, half = map(float, told.split(" ± "))
    assert rows["elapsed_s"]["mean"] == pytest.approx(mean, abs=0.51)
    assert rows["elapsed_s"]["half_width"] == pytest.approx(half, rel=0.05)


def test_without_scripts_the_picture_stands(site, browser):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(address(site, "notebooks/unix_v6.html"))
    wide = browser.run("document.querySelector('.whatif img').width")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert wide > 300


def test_the_search_finds_a_word_without_a_server(site, browser):
    browser.open(address(site, "search.html") + "?q=swapping")
    browser.wait("document.querySelectorAll('.search li').length > 3")
    assert not browser.complaints
