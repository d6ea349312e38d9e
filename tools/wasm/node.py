"""Run a system's module in Node."""

import json
import subprocess
import tempfile
from pathlib import Path

from tools.wasm import whole

SCRIPT = Path(__file__).with_name("run.mjs")


def run_in_node(module, key, runs, trace=0):
    """Return what runs of a system's module came to, each of parameters, a seed, what else it has.

    Each is a dictionary: ``stop``, ``measures``, ``trace`` (its bytes) and the ``ms`` that it took.
    """
    calls = [
        {
            "given": whole.as_json(whole.arguments(key, p, seed, trace, **more)),
            "measures": whole.measures(key),
        }
        for p, seed, more in runs
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(calls, file)
        file.flush()
        command = ["node", SCRIPT, module, file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return [one | {"trace": bytes.fromhex(one["trace"])} for one in found]
