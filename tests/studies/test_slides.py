"""Slides: the plans name what is drawn; a picture and a player are whole and need no network."""

import ast
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from tools import slides

PLANS = Path(slides.__file__).parents[1] / "docs/teaching.md"


def test_the_plans_for_teaching_and_the_list_name_the_same_pictures():
    text = PLANS.read_text(encoding="utf-8").partition("## Plans")[2].partition("**For your")[0]
    cells = re.findall(r"\|([^|\n]+)", text)
    told = [tuple(re.findall(r"`(\w+/\w+)`", cell)) for cell in cells]
    listed = [names for plan in slides.PLANS.values() for names in plan.values()]
    assert [names for names in told if names] == listed


def test_a_cell_is_run_with_those_that_it_needs_alone():
    cells = "import a.b as x, c.d", "y = [n for n in x]", "n = 3", "def f(y): z = n", "f(y)", "z, c"
    trees = [ast.parse(text) for text in cells]
    assert slides.needed(trees, 4) == [0, 1, 2, 3, 4] and slides.needed(trees, 5) == [0, 5]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("slides")
    slides.write(place, ["cp67/clock", "cp67/player", "across/ranges"])
    return place


@pytest.mark.parametrize("name", ["cp67-clock", "across-ranges"])
def test_a_picture_has_a_slides_shape_and_its_words_beside_it(folder, name):
    assert ElementTree.parse(folder / f"{name}.svg").getroot().tag.endswith("svg")
    assert Image.open(folder / f"{name}.png").size == (1920, 1080)
    caption, alt = (folder / f"{name}.txt").read_text().strip().split("\n\n")
    assert slides.escape(caption) in (index := (folder / "index.html").read_text())
    assert f'<img src="{name}.png" alt="{slides.escape(alt)}">' in index


def test_a_player_and_the_index_ask_for_nothing_but_their_own_files(folder):
    player, index = ((folder / f"{n}.html").read_text() for n in ("cp67-player", "index"))
    assert "play(document.getElementById(" in player
    assert "http" not in (player + index).replace("http://www.w3.org/2000/svg", "")
    assert all((folder / to).exists() for to in re.findall(r'(?:src|href)="([^"#]+)"', index))
