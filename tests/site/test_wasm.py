"""The simulators as WebAssembly: the bits of the frozen results, in Node and in a browser."""

import hashlib
import json
import shutil
import subprocess
import sys

import pytest

from perfkit.show.players import films
from perfkit.systems import SYSTEMS, cp67, emas, sim61, tss360, unix_v6
from tests.site.conftest import ROOT
from tests.systems import golden
from tools.wasm.calls import answers, page_script, run_in_node

FROZEN = json.loads(golden.FILE.read_text())
DAY, HOUR = {"measured_s": 7200.0}, {"settle_s": 600.0, "measured_s": 1800.0}
SWITCHED = {"versions": [{"algorithm": 1}, {"algorithm": 2}], "order": [0, 1]}
# Of each frozen run that has no policy of the reader's: parameters, seed, what else it is given.
RUNS = {
    "unix_v6": {
        **{f"seed {seed}": (unix_v6.Parameters(), seed, {}) for seed in range(3)},
        "two paths": (unix_v6.Parameters(controllers=2, discipline="SSTF"), 0, {}),
    },
    "sim61": {
        **{f"seed {seed}": (sim61.Parameters(), seed, {}) for seed in range(3)},
        "n to 1": (
            sim61.n_to_1_parameters(), 0, {"load": sim61.load.read_load(sim61.n_to_1_load())}
        ),
    },
    "cp67": {
        **{f"seed {seed}": (cp67.Parameters(**DAY), seed, {}) for seed in range(2)},
        "switched": (cp67.Parameters(**DAY), 0, SWITCHED),
    },
    "emas": {
        **{f"seed {seed}": (emas.Parameters(**HOUR), seed, {}) for seed in range(2)},
        "configuration A": (emas.configuration_a(**HOUR), 0, {}),
    },
    "tss360": {
        **{f"seed {seed}": (tss360.Parameters(), seed, {}) for seed in range(2)},
        "both changes": (tss360.Parameters(schedule="new", replacement="new"), 0, {}),
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def modules():
    """Build the modules; return their folder."""
    pytest.importorskip("ziglang", reason="ziglang is not installed; make test-site installs it.")
    folder = ROOT / "build" / "wasm"
    subprocess.run([sys.executable, "-m", "tools.wasm.build", folder], cwd=ROOT, check=True)
    return folder


def is_frozen(key, answers):
    """Check that runs came to every bit of the frozen results, their traces, too."""
    for name, one in zip(RUNS[key], answers, strict=True):
        values = {name: str(float(value)) for name, value in one["measures"].items()}
        trace = hashlib.sha256(one["trace"]).hexdigest()
        frozen = {name: str(value) for name, value in FROZEN[key][name].items()}
        assert (one["stop"], values | {"trace": trace}) == (0, frozen)
    return True


@pytest.mark.parametrize("key", SYSTEMS)
def test_a_module_measures_every_bit_of_the_frozen_results_in_node(modules, key):
    if not shutil.which("node"):
        pytest.skip("Node is not installed.")
    runs = RUNS[key].values()
    assert is_frozen(key, run_in_node(modules / f"{key}.wasm", key, runs, golden.EVENTS))


@pytest.mark.parametrize("key", SYSTEMS)
def test_a_module_takes_the_film_that_the_library_takes(modules, key):
    own = films.film(key, seconds=10.0)
    window = 1000.0 * own.begin_s, 1000.0 * (own.begin_s + 10.0)
    (one,) = run_in_node(modules / f"{key}.wasm", key, [(own.parameters, 0, {"film": window})])
    taken = one["film"]
    assert [size for _, size in own.slots.values()] == taken["sizes"]
    for name, values in zip(
        ("first", "times", "ends"), (own.first, own.times_ms, own.ends), strict=True
    ):
        assert taken[name] == values.tolist()
    assert taken["changes"] == own.changes.ravel().tolist()


@pytest.mark.parametrize("key", SYSTEMS)
def test_a_module_measures_every_bit_of_the_frozen_results_in_a_browser(modules, browser, key):
    script = page_script(modules / f"{key}.wasm", key, RUNS[key].values(), golden.EVENTS)
    assert is_frozen(key, answers(browser.run(script)))
    assert not browser.complaints
