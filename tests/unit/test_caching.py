"""Kept kernels are found again, never stale, never trusted when damaged, never in the way."""

import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import llvmlite
import numba
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.caching import NullCache, UserProvidedCacheLocator
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target

import perfkit
from perfkit.des import caching
from perfkit.des.caching import KernelCache
from perfkit.des.compiling import COMPILED, kernel
from perfkit.des.draws import stream, whole
from perfkit.des.parts import AVAILABLE

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")


def triple(number):
    return 3 * number


def two(s):
    return whole(s, 100), whole(s, 100)


def hits(compiled):
    return sum(compiled.stats.cache_hits.values())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of this module's kernels in a cache of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numba.config, "CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield Path(kernel(triple)._cache.cache_path)


@pytest.mark.skipif(not AVAILABLE, reason="parts are compiled as Numba does")
def test_no_kernel_offers_others_what_it_calls(folder):
    """Kernels of two processes may call it the same though it takes other arguments."""
    compiled = kernel(two)
    assert compiled(stream(0, "think", 3)) == (52, 83)
    (form,) = compiled.overloads.values()
    code = form.library.get_llvm_str()
    assert re.search(r"define internal .*draws5whole", code)
    assert "define linkonce_odr" not in code and "define weak" not in code


@given(st.sampled_from(["nbi", "nbc"]), st.floats(0, 1, exclude_max=True), st.integers(0, 255))
def test_whatever_becomes_of_a_kept_file_it_is_told_and_compiled_anew(folder, kind, at, change):
    assert kernel(triple)(7) == 21
    (path,) = folder.glob(f"*.triple-*.{kind}")
    content = bytearray(path.read_bytes())
    place = int(at * len(content))
    if change:
        content[place] ^= change
    else:
        del content[place:]
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=rf"The kept kernel .*\.{kind} was damaged; it is comp"):
        assert kernel(triple)(7) == 21
    again = kernel(triple)
    assert (again(7), hits(again)) == (21, 1)


def test_a_folder_that_goes_away_after_the_import_stops_no_run(folder):
    said = r"^triple can't be kept in .*; each process compiles it anew\.$"
    compiled = kernel(triple)
    shutil.rmtree(folder)
    folder.touch()
    try:
        with pytest.warns(UserWarning, match=said):
            assert compiled(7) == 21
        with pytest.warns(UserWarning, match=said):
            late = kernel(triple)
        assert late(7) == 21
    finally:
        folder.unlink()


@pytest.fixture
def shipped(folder, tmp_path, monkeypatch):
    """The folder of a kernel that a package brought with it, beside an empty cache folder."""
    assert kernel(triple)(7) == 21
    monkeypatch.setattr(caching, "PACKAGE", tmp_path)
    _, *processor = cpu_target.target_context.codegen().magic_tuple()
    monkeypatch.setattr(caching, "GENERIC", tuple(processor))
    room = caching.shipped_folder() / caching.room_of(folder)
    shutil.copytree(folder, room)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    return room


def found():
    """Return how many kernels a new function found."""
    compiled = kernel(triple)
    assert compiled(7) == 21
    return hits(compiled)


def test_a_kernel_that_came_with_the_package_is_used_and_not_kept_again(shipped, tmp_path):
    assert found() == 1
    assert not list((tmp_path / "cache").rglob("*.nb?"))


@pytest.mark.parametrize(
    ("owner", "name", "value"),
    [
        (caching, "SOURCES", "123456789abc"),
        (caching, "EXTENSION_SUFFIXES", [".cpython-399-x86_64-linux-gnu.so"]),
        (caching, "numpy_version", (9, 9)),
        (caching, "GENERIC", ("i386", "")),
        (llvmlite, "__version__", "9.9"),
        (numba, "__version__", "9.9"),
        *((numba.config, *one) for one in [("BOUNDSCHECK", 1), ("OPT", 2), ("CPU_NAME", "any")]),
        (UserProvidedCacheLocator, "get_source_stamp", lambda self: b"edited"),
    ],
)
def test_a_kernel_that_came_for_anything_else_is_not_used(shipped, monkeypatch, owner, name, value):
    monkeypatch.setattr(owner, name, value)
    assert found() == 0


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_damaged_kernel_that_came_is_told_once_compiled_and_left(shipped, kind):
    (path,) = shipped.glob(f"*.{kind}")
    content = path.read_bytes()[:-1]
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=rf"The kept kernel .*\.{kind} was damaged; it is comp"):
        assert found() == 0
    assert path.read_bytes() == content
    assert found() == 1  # without a warning: the one compiled in its place


SCRIPT = """
import os
from perfkit.des import compiling

if "WITHOUT_PARTS" in os.environ:
    compiling.part_options = dict

@compiling.handler
def leaf(number):
    return number + 1

@compiling.inlined
def branch(number):
    return leaf(number) + leaf(2 * number)

@compiling.kernel
def tree(number):
    return branch(number) * leaf(number)

print(tree(7), sum(tree.stats.cache_hits.values()))
"""


def run_script(tmp_path, **environment):
    """Run a script with a kernel; return what it said, as text and as warnings."""
    (tmp_path / "tree.py").write_text(SCRIPT)
    (tmp_path / "temporary").mkdir(exist_ok=True)
    given = {name: text for name, text in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    run = subprocess.run(
        [sys.executable, "-c", "import tree"],
        cwd=tmp_path,
        env=given | {"TMPDIR": str(tmp_path / "temporary")} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.strip(), run.stderr


@pytest.mark.parametrize(
    ("variable", "place"),
    [
        ("NUMBA_CACHE_DIR", "under a file"),
        ("XDG_CACHE_HOME", "a file"),
        ("XDG_CACHE_HOME", "/proc/none"),
    ],
)
def test_without_a_cache_folder_nothing_is_kept_beside_the_sources(tmp_path, variable, place):
    (tmp_path / "a file").touch()
    root = {"a file": tmp_path / place, "under a file": tmp_path / "a file/deep"}.get(place, place)
    for _ in range(2):
        said, warned = run_script(tmp_path, **{variable: str(root)})
        assert said == "184 0"
        assert warned.count("Warning: ") == 1
        assert f"Compiled kernels can't be kept in {root}" in warned
    assert not list(tmp_path.rglob("*.nb?")) and not list((tmp_path / "temporary").iterdir())


@pytest.mark.parametrize(
    "settings",
    [{}, {"NUMBA_CACHE_LOCATOR_CLASSES": "InTreeCacheLocator"}, {"WITHOUT_PARTS": "yes"}],
)
def test_with_a_cache_folder_a_second_process_finds_the_kernel_there_only(tmp_path, settings):
    settings = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")} | settings
    assert [run_script(tmp_path, **settings) for _ in range(2)] == [("184 0", ""), ("184 1", "")]
    assert not list((tmp_path / "__pycache__").glob("*.nb?"))


LEAF = """
from perfkit.des.compiling import inlined

@inlined
def leaf(number):
    return number + 1
"""
TREE = """
from own.leaf import leaf
from perfkit.des.compiling import kernel

@kernel
def tree(number):
    return leaf(number)

print(tree(7), sum(tree.stats.cache_hits.values()))
"""


def test_a_kernel_of_another_package_is_compiled_anew_after_an_edit_of_what_it_calls(tmp_path):
    package = tmp_path / "own"
    package.mkdir()
    for name, source in {"__init__": "", "leaf": LEAF, "tree": TREE}.items():
        (package / f"{name}.py").write_text(source)
    said = []
    for step in ("1", "1", "2"):
        (package / "leaf.py").write_text(LEAF.replace("+ 1", f"+ {step}"))
        env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        line = [sys.executable, "-c", "import own.tree"]
        done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, check=True)
        said.append(done.stdout.decode().strip())
    assert said == ["8 0", "8 1", "9 0"]


def test_every_kernel_of_the_package_is_kept_with_a_checksum_or_not_at_all():
    names = [m.name for m in pkgutil.walk_packages(perfkit.__path__, "perfkit.")]
    rooms = [name for name in names if name.startswith(("perfkit.des", "perfkit.systems"))]
    values = [value for room in rooms for value in vars(importlib.import_module(room)).values()]
    found = [value for value in values if isinstance(value, Dispatcher)]
    assert len(found) > 100
    assert {type(compiled._cache) for compiled in found} == {KernelCache, NullCache}
