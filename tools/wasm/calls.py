"""Run a system's module in Node or in a page: what either is told, and what it answers."""

import base64
import json
import subprocess
import tempfile
from pathlib import Path

from tools.wasm import whole

FOLDER = Path(__file__).parent


def calls(key, runs, trace=0):
    """Return as JSON what machine.mjs calls a module with: each run is parameters, a seed, more."""
    measures = whole.measures(key)
    return json.dumps([
        {"given": whole.as_json(whole.arguments(key, p, seed, trace, **more)), "measures": measures}
        for p, seed, more in runs
    ])  # fmt: skip


def answers(text):
    """Return what runs came to: ``stop``, ``measures``, ``trace`` (its bytes), ``ms`` it took."""
    return [one | {"trace": bytes.fromhex(one["trace"])} for one in json.loads(text)]


def run_in_node(module, key, runs, trace=0):
    """Return what runs of a system's module came to in Node, as ``answers``."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(calls(key, runs, trace))
        file.flush()
        command = ["node", FOLDER / "run.mjs", module, file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return answers(done.stdout)


def page_script(module, key, runs, trace=0):
    """Return a script that does the same in a page; its value is a promise of what to answer."""
    machine = (FOLDER / "machine.mjs").read_text().replace("export ", "")
    code = base64.b64encode(Path(module).read_bytes()).decode()
    run = f'Machine.load(decoded("{code}")).then((one) => results(one, {calls(key, runs, trace)}))'
    return f"(() => {{ {machine}\nreturn {run}; }})()"
