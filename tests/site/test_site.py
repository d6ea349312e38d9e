"""The site in a browser: nothing dead, nothing fetched, nothing cut, nothing out of reach."""

import json
import re
from urllib.parse import unquote

import pytest

from studies import BOOKS, STUDIES
from tests.site.conftest import ROOT

WIDTHS = (390, 600, 820, 1024, 1280, 1920)
NOTEBOOKS = [f"notebooks/{key}.html" for key in STUDIES]
MACHINES = [f"machines/{key}.html" for key in STUDIES]
EVERY = [f"notebooks/{key}.html" for key in BOOKS]
PAGES = ["index.html", "README.html", "notebooks/index.html", *EVERY]
PAGES += [*MACHINES, "docs/api/unix_v6.html", "docs/api/analytic.html", "data/emas/ERRATA.html"]
PAGES += [f"predict/{key}.html" for key in STUDIES]
AXE = ROOT / "build/axe/package/axe.min.js"
BLAMED = "axe.run().then(r => JSON.stringify(r.violations.filter(v => /serious|critical/.test(v.impact)).map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))])))"  # noqa: E501
MOST_BYTES = 400_000


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
    assert all(url.startswith(("file:", "data:", "about:", "blob:")) for url in browser.requests)


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


def test_the_search_finds_a_parameter_and_a_measure(site, browser):
    for word in ("disc_speed", "swaps_in"):
        browser.open(address(site, "search.html") + f"?q={word}")
        browser.wait("document.querySelectorAll('.search li').length > 0")


def test_a_shared_link_tells_what_its_page_finds(site):
    for page in ["index.html", *NOTEBOOKS, *MACHINES]:
        told = dict(
            re.findall(
                r'<meta (?:name|property)="([^"]+)" content="([^"]*)"', texts(site)[site / page]
            )
        )
        assert len(told["og:description"]) > 20 and told["og:title"]
        assert (site / page).parent.joinpath(told["og:image"]).exists()


def test_the_search_finds_a_word_without_a_server(site, browser):
    browser.open(address(site, "search.html") + "?q=swapping")
    browser.wait("document.querySelectorAll('.search li').length > 3")
    assert not browser.complaints
