"""Results are frozen: the same bits on every processor, with one thread and with two."""

import json
import os
import subprocess
import sys

import pytest
from joblib import Parallel, delayed

from tests.systems import golden

FROZEN = json.loads(golden.FILE.read_text())
SETTINGS = {
    "NumPy without AVX-512": {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"},
    "NumPy's baseline": {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"},
    "glibc without AVX2 and FMA": {
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F,-FMA4,-AVX"
    },
}


@pytest.mark.parametrize("key", golden.RUNS)
def test_results_are_as_they_were_frozen(key):
    found, frozen = golden.of_system(key), FROZEN[key]
    assert found.keys() == frozen.keys()
    moved = {
        f"{run}: {name}": (value, found[run].get(name))
        for run, values in frozen.items()
        for name, value in values.items()
        if str(value) != str(found[run].get(name))
    }
    others = {f"{run}: {name}" for run in frozen for name in found[run].keys() ^ frozen[run].keys()}
    assert not moved, "Numbers moved (frozen, found); see the docstring of tests/systems/golden.py."
    assert not others, "New or lost measures: python -m tests.systems.golden --write freezes anew."


@pytest.mark.parametrize("key", golden.RUNS)
def test_another_seed_parameter_or_policy_is_another_run(key):
    assert len({json.dumps(run) for run in FROZEN[key].values()}) == len(FROZEN[key])


@pytest.mark.parametrize("setting", SETTINGS)
def test_results_are_the_same_on_another_processor(setting):
    """On a processor that lacks what is switched off the setting changes nothing."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.systems.golden"],
        env=os.environ | SETTINGS[setting], capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == golden.hashes(FROZEN)


def test_results_are_the_same_with_two_threads():
    keys = [*golden.RUNS, *golden.RUNS]
    found = Parallel(n_jobs=2, backend="threading")(delayed(golden.of_system)(k) for k in keys)
    assert golden.hashes(dict(zip(keys, found, strict=True))) == golden.hashes(FROZEN)
