"""A page's parameters: what it hands to a machine, and refuses, is what Python does."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from perfkit.core.fields import told
from perfkit.systems import SYSTEMS, find
from tools.wasm import describe, whole

CHANGES = 400
FACTORS = (0.0, 0.4, 0.9, 1.0, 1.3, 2.5, 30.0, 1e4)
SEEKS = "No seek curve"  # the machine itself refuses these
IN_NODE = """
const hexed = (bytes) => Buffer.from(bytes).toString("hex");
const decode = (text) => Buffer.from(text, "base64");
const hex = (part) => (
  Array.isArray(part) ? part.map(hex) : hexed(part.bytes ?? decode(part.base64))
);
const asked = require("fs").readFileSync(0, "utf8").split("\\n").map(JSON.parse);
const results = asked.map(([texts, seed]) => {
  try { return hex(system.given(system.parameters(texts), seed)); } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return refusal.message;
  }
});
console.log(JSON.stringify(results));
"""


def one_value(rng, spec, own):
    """Return a value near a field's or a lever's own, or one that is too large or small."""
    choices = spec.metadata["choices"]
    if choices:
        return choices[rng.integers(len(choices))]
    if isinstance(own, str):
        return ["8567", "8580", "LAM", "8567@90", "8567@12.5"][rng.integers(5)]
    if isinstance(own, bool):
        return bool(rng.integers(2))
    value = (own or 1) * FACTORS[rng.integers(len(FACTORS))]
    return round(value) if isinstance(own, int) and np.isfinite(value) else value


def changes(cls, rng):
    """Return texts by name for a few fields or levers of a record."""
    texts = {}
    for name in rng.choice(cls.accepted(), rng.integers(1, 4), replace=False):
        spec = cls.spec_of(name)
        if isinstance(spec.default, tuple):
            values = [one_value(rng, spec, own) for own in spec.default]
            texts[name] = told(tuple(values[: len(values) - (rng.random() < 0.1)]))
        else:
            value = one_value(rng, spec, spec.default)
            texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return texts


def in_python(key, texts, seed):
    cls = find(key).module().Parameters
    try:
        p = cls(**{name: cls.parse(name, text) for name, text in texts.items()})
        return hexed(whole.arguments(key, p, seed))
    except ValueError as refusal:
        return str(refusal)


def hexed(part):
    return list(map(hexed, part)) if isinstance(part, tuple) else part.tobytes().hex()


@pytest.mark.parametrize("key", SYSTEMS)
def test_a_page_hands_over_and_refuses_what_python_does(key):
    if not shutil.which("node"):
        pytest.skip("Node is not installed.")
    rng, cls = np.random.default_rng(54), find(key).module().Parameters
    asked = [({}, 0), ({}, 2**40 + 7)]
    asked += [(changes(cls, rng), int(seed)) for seed in rng.integers(2**34, size=CHANGES)]
    asked += [({name: "many"}, 0) for name in cls.accepted()]
    code = f"const system = new System({describe.script(key)});{IN_NODE}"
    code = f"{describe.sources('python', 'parameters')}\n{code}"
    told_in, options = "\n".join(map(json.dumps, asked)), {"capture_output": True, "text": True}
    done = subprocess.run(["node", "-e", code], input=told_in, check=False, **options)
    assert not done.returncode, done.stderr[-2000:]
    refused = 0
    for (texts, seed), page in zip(asked, json.loads(done.stdout), strict=True):
        python = in_python(key, texts, seed)
        if isinstance(python, str):
            refused += 1
            if not python.startswith(SEEKS):
                assert page.split(";")[0] == python.split(";")[0], texts
        else:
            assert page == python, texts
    assert len(asked) // 20 < refused < len(asked) * 0.9
