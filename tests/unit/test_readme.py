"""README tells what the committed scorecards say, and names commands that exist."""

import re

from perfkit.__main__ import COMMANDS
from tools import readme


def test_the_table_is_that_of_the_committed_scorecards():
    text = (readme.ROOT / "README.md").read_text()
    assert readme.with_table(text, readme.committed()) == text


def test_every_command_and_path_named_exists():
    text = (readme.ROOT / "README.md").read_text()
    assert set(re.findall(r"^perfkit (\w+)", text, re.M)) == set(COMMANDS)
    paths = re.findall(r"\]\(([\w/.]+)\)", text) + re.findall(r"`((?:\w+/)+)`", text)
    assert paths and all((readme.ROOT / path).exists() for path in paths)
