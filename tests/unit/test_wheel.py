"""The wheel in an empty environment: what it holds, how large it is, what it says of the rest."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from email.parser import HeaderParser
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from perfkit import __version__
from perfkit.systems import sim61
from tools import kernels, release

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MOST_MIB = 450


def needed(requirements):
    """Return the installed distributions that requirements come to, without extras."""
    found, rest = {}, [Requirement(text) for text in requirements]
    while rest:
        one = rest.pop()
        wanted = not one.marker or one.marker.evaluate({"extra": ""})
        if wanted and one.name not in found:
            found[one.name] = distribution(one.name)
            rest += map(Requirement, found[one.name].requires or ())
    return found


@pytest.fixture(scope="module")
def light(tmp_path_factory):
    """Return the Python of an environment that has the wheel and its requirements alone.

    They are linked from the environment that runs the test: no network, and the tested versions.
    """
    folder = tmp_path_factory.mktemp("light")
    kernels.build(folder, keys=())
    venv.create(folder / "env", with_pip=False)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder / "env")}))
    for one in needed(PROJECT["dependencies"]).values():
        for file in one.files:
            if ".." not in file.parts and "__pycache__" not in file.parts:
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file.locate(), site / file)
    wheel = next(folder.glob("perfkit-*-py3-none-any.whl"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--target", site, wheel], check=True)
    return folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python", site


@pytest.fixture(scope="module")
def kernels_too(tmp_path_factory):
    """Return the folder of the wheel that brings a system's kernels, unpacked."""
    folder = tmp_path_factory.mktemp("kernels")
    kernels.build(folder, ["sim61"])
    (wheel,) = folder.glob(f"perfkit-*-cp{''.join(map(str, sys.version_info[:2]))}-*.whl")
    shutil.unpack_archive(wheel, folder, "zip")
    return str(folder)


def run(light, *words, folder=None, **more):
    """Run Python in the light environment; return its exit code, its output, its complaint."""
    python, site = light
    own = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PERFKIT"))} | more
    done = subprocess.run(
        [python, *words], cwd=folder or site.parent, env=own, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


def test_the_wheel_is_light_holds_the_library_alone_and_says_what_it_is(light, record_property):
    _, site = light
    there = {path.name for path in site.iterdir()}
    assert "perfkit" in there and not there & {"studies", "data", "IPython", "matplotlib"}
    size = sum(p.stat().st_size for p in site.rglob("*") if "__pycache__" not in p.parts) / 2**20
    record_property("installed_mib", round(size))
    assert size <= MOST_MIB, f"The light install takes {size:.0f} MiB."
    about = HeaderParser().parsestr(
        next(site.glob("perfkit-*.dist-info/METADATA")).read_text(encoding="utf-8")
    )
    assert about["Version"] == __version__
    assert about["Author"] and about["Keywords"] and about["License-Expression"] == "BSD-3-Clause"
    extras = ["cluster", "explore", "labs", "notebooks", "plot", "sweep"]
    assert sorted(set(about.get_all("Provides-Extra"))) == extras
    assert len(about.get_all("Classifier")) > 3


def contents(folder):
    """Return the sums of what the only wheel in a folder holds, by name."""
    with zipfile.ZipFile(next(folder.glob("perfkit-*.whl"))) as packed:
        return {one.filename: one.CRC for one in packed.infolist()}


def test_the_source_archive_says_what_it_is_and_builds_the_same_wheel(light, tmp_path):
    with tarfile.open(release.archive(tmp_path)) as packed:
        packed.extractall(tmp_path, filter="data")
    there = tmp_path / f"perfkit-{__version__}"
    for name in (*kernels.BESIDE, "pyproject.toml"):
        assert (there / name).read_bytes() == (ROOT / name).read_bytes()
    kernels.wheel(there, tmp_path)
    python, _ = light
    assert contents(tmp_path) == contents(python.parents[2])


def test_the_command_that_the_wheel_brings_runs_from_there(light, tmp_path):
    _, site = light
    said = run(light, site / "bin" / "perfkit", "--version", folder=tmp_path)
    assert said == (0, f"perfkit {__version__}\n", "")
    code, where, _ = run(light, "-c", "import perfkit; print(perfkit.__file__)", folder=tmp_path)
    assert code == 0 and Path(where.strip()).is_relative_to(site)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("list", "IBM CP-67 time-sharing system"),
        ("show sim61 memory_pages", "memory_pages = "),
        ("run sim61 replications=2", "means with half-widths of 95 % intervals"),
        ("sweep sim61 user_discs=4,8 replications=2", "2 points, 4 runs"),
    ],
)
def test_each_command_of_the_library_runs(light, kernels_too, words, shown):
    code, out, complaint = run(light, "-m", "perfkit", *words.split(), PYTHONPATH=kernels_too)
    assert code == 0 and shown in " ".join(out.split()), complaint


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run sim61 replications=1 --plot a.png", "needs matplotlib; install it with: pip install"),
        ("sweep sim61 user_discs=4,8 --store s", "needs pyarrow; install it with: pip install"),
        ("sweep sim61 user_discs=4,8 --cluster tcp://h:1", "--cluster needs distributed; install"),
        ("reproduce unix_v6", "perfkit reproduce needs the studies, which are in perfkit's repos"),
        ("calibrate unix_v6", "perfkit calibrate needs the studies, which are in perfkit's repos"),
    ],
)
def test_what_a_light_install_lacks_is_one_sentence_before_anything_is_run(
    light, words, said, tmp_path
):
    code, out, complaint = run(light, "-m", "perfkit", *words.split(), folder=tmp_path)
    assert code in (1, 2) and not out and not list(tmp_path.iterdir())
    assert complaint.startswith("perfkit: ") and said in complaint and complaint.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("from perfkit.show import plots", "needs matplotlib; install it with: pip install"),
        ("from perfkit.show import explore", "install it with: pip install 'perfkit["),
    ],
)
def test_what_an_import_lacks_is_named_at_its_end(light, line, said):
    code, _, complaint = run(light, "-c", line)
    assert code == 1 and said in complaint.splitlines()[-1]


FIRST_RUN = """
from numba.core import event
from perfkit.systems import sim61
with event.install_recorder("numba:compile") as compiled:
    measures = sim61.simulate(seed=5).measures()
print(len(compiled.buffer), {name: float(value).hex() for name, value in measures.items()})
"""


def test_a_wheel_with_kernels_runs_without_compiling_and_comes_to_the_same_bits(
    light, kernels_too, tmp_path
):
    more = {"PYTHONPATH": kernels_too, "NUMBA_CACHE_DIR": str(tmp_path)}
    code, out, complaint = run(light, "-c", FIRST_RUN, **more)
    measures = {name: float(x).hex() for name, x in sim61.simulate(seed=5).measures().items()}
    assert (code, out, complaint) == (0, f"0 {measures}\n", "")
    assert not list(tmp_path.rglob("*.nb?"))
