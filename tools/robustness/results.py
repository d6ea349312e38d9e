"""Frozen results under other processors' settings, threads, no compiler, and in WebAssembly."""

import json
import shutil
import tempfile

from tests.systems import golden
from tools.robustness import runs

FROZEN = golden.hashes(json.loads(golden.FILE.read_text()))
NO_FMA = "-fma,-avx2,-avx,-avx512f,-avx512vl,-avx512dq,-avx512bw,-avx512cd"
SETTINGS = {
    "no setting": {},
    "NUMBA_CPU_NAME=generic": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    f"NUMBA_CPU_FEATURES={NO_FMA}": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": NO_FMA},
    "OMP_NUM_THREADS=1, OPENBLAS_NUM_THREADS=1": {
        "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"
    },
    "OMP_NUM_THREADS=7, NUMBA_NUM_THREADS=2": {"OMP_NUM_THREADS": "7", "NUMBA_NUM_THREADS": "2"},
    "NPY_DISABLE_CPU_FEATURES=X86_V3 X86_V4": {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4"},
}  # fmt: skip
UNCOMPILED = "unix_v6"  # the others take minutes without a compiler


def rows(wasm, keys):
    """Yield of each setting which systems had the frozen bits."""
    wanted = [line for line in FROZEN if line.split()[0] in keys]
    for name, setting in SETTINGS.items():
        with tempfile.TemporaryDirectory() as cache:
            # A kernel for another processor is compiled anew, so it is never one that was kept.
            fresh = {"NUMBA_CACHE_DIR": cache} if "NUMBA_CPU_NAME" in setting else {}
            words = ("-W", "ignore", "-m", "tests.systems.golden", *keys)
            done = runs.command(*words, env=setting | fresh)
        yield {"setting": name, **_held(done, wanted)}
    words = ("-W", "ignore", "-m", "tests.systems.golden", UNCOMPILED)
    done = runs.command(*words, env={"NUMBA_DISABLE_JIT": "1"})
    wanted = [line for line in FROZEN if line.startswith(UNCOMPILED)]
    yield {"setting": "NUMBA_DISABLE_JIT=1 (one system)", **_held(done, wanted)}
    yield {"setting": "WebAssembly in Node", **_in_node(wasm, keys)}


def _held(done, wanted):
    found = done.stdout.split("\n")
    same = [line.split()[0] for line in wanted if line in found]
    failed = "" if done.returncode == 0 else runs.last_line(done.stderr)
    return {"systems": len(wanted), "same bits": len(same), "said": failed}


def _in_node(folder, keys):
    from tests.site.test_wasm import RUNS, is_frozen
    from tools.wasm.calls import run_in_node

    there = [key for key in keys if (folder / f"{key}.wasm").exists()]
    if not there or not shutil.which("node"):
        return {"systems": 0, "same bits": 0, "said": "Not run: Node or the modules are missing."}
    same, said = 0, ""
    for key in there:
        try:
            module = folder / f"{key}.wasm"
            same += is_frozen(key, run_in_node(module, key, RUNS[key].values(), golden.EVENTS))
        except Exception as error:
            said = runs.last_line(f"{key}: {type(error).__name__} {error}")
    return {"systems": len(there), "same bits": same, "said": said}
