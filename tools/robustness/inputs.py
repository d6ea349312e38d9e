"""Generated bad inputs: each is refused in a sentence, or is no bad input after all."""

import contextlib
import importlib
import inspect
import io
import math
import signal
import sys
import warnings
from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from perfkit.__main__ import main
from perfkit.runs import what_if
from perfkit.runs.experiment import sweep
from perfkit.systems import SYSTEMS, unix_v6
from tools.robustness.runs import ROOT

LIMIT_S = 60
SMALL = unix_v6.Parameters(processes=3, interactions=2)
NUMBERS = st.sampled_from(
    [math.nan, math.inf, -math.inf, -1, 0, -0.0, 1e-320, 1e308, 10**400, 2**63, 0.5, True, 3]
)
ODD = st.sampled_from(
    [
        None, "", "nan", "1e999", "İ", b"1", 2j, {}, [], (), set(), object(), len, pd.NA, pd.NaT,
        Decimal("NaN"), np.float32("inf"), np.array([]), np.ones((2, 2, 2)), np.array("x"),
        np.ma.masked, pd.Timestamp("2026-01-01", tz="Europe/Berlin"), pd.DataFrame(), range(3),
        pd.Series(["a", "b"], dtype="category"), pd.Series([1, None], dtype="int64[pyarrow]"),
        pd.Series([1.0, 2.0], index=["a", "a"]), np.array(["2026"], "datetime64[ns]"), type,
    ]
)  # fmt: skip
JUNK = st.one_of(
    NUMBERS, ODD, st.text(max_size=8), st.lists(NUMBERS, max_size=4), st.floats(), st.integers()
)
WORDS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
    st.sampled_from(["nan", "-inf", "1e999", "-1", "0x10", "1_000", ",,", "..", "1..2", "="]),
)


def _arrow(frame):
    return frame.convert_dtypes(dtype_backend="pyarrow")


def _first(frame, value):
    return frame.assign(**{str(name): value for name in frame.columns[:1]})


SPOILT = [
    _arrow,
    lambda f: f.astype("category"),
    lambda f: f.astype(object),
    lambda f: f.astype(str),
    lambda f: f.iloc[:0],
    lambda f: f.iloc[:1],
    lambda f: f.iloc[:, :0],
    lambda f: f.iloc[:, 1:],
    lambda f: pd.concat([f, f.iloc[:, :1]], axis=1),
    lambda f: pd.concat([f, f]),
    lambda f: f.set_axis([0] * len(f)),
    lambda f: f.set_axis([None, *f.columns[1:]], axis=1),
    lambda f: f.set_axis(range(f.shape[1]), axis=1),
    lambda f: pd.concat({"a": f}, axis=1),
    lambda f: f.mask(np.eye(*f.shape) > 0),
    lambda f: _first(f, math.inf),
    lambda f: _first(f, 1e308),
    lambda f: _first(f, pd.Timestamp("2026-01-01", tz="Europe/Istanbul")),
    lambda f: _first(f, pd.Timedelta("1s")),
    lambda f: _first(f, pd.NA),
    lambda f: _first(f, 1j),
    lambda f: f.T,
    lambda f: f.to_numpy(),
    lambda f: f.reset_index(drop=True).iloc[::-1],
]


class TooLong(BaseException):
    """An input that was neither refused nor answered in time."""


def lines(draw):
    """Return a call of the command line with a word that is hardly ever right."""
    key = draw(st.sampled_from([*SYSTEMS, "unix", ""]))
    name = draw(st.sampled_from([*unix_v6.Parameters().as_dict(), "seed", "replications", "no"]))
    odd = draw(WORDS)
    words = draw(st.sampled_from([
        ["run", key, f"{name}={odd}"], ["show", key, odd], ["show", odd], [odd], ["list", odd],
        ["sweep", key, f"{name}={odd}", "replications=1"], ["sweep", "--status", odd or "x"],
        ["sweep", key, "--design", odd, f"{name}=1..2"], ["watch", key, f"no_{name}={odd}"],
        ["run", key, "--seed", odd, "--plot", "/no/x.png"], ["quiz", key, "--seed", odd],
        ["score", odd], ["headline", key, f"{name}={odd}"], ["calibrate", odd],
        ["sensitivity", key, "--replications", odd], ["reproduce", key, f"no_{name}={odd}"],
    ]))  # fmt: skip
    return lambda: _line(words), words


def _line(words):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as ended:  # argparse's own refusal
            code, usage = ended.code, err.getvalue().strip().splitlines()[-1:]
            err = io.StringIO(usage[0] + "." if usage else "")
    if code:
        raise ValueError(err.getvalue().strip().splitlines()[-1])


def records(draw):
    """Return a parameter record with a value that may be anything."""
    record = SYSTEMS[draw(st.sampled_from([*SYSTEMS]))].module().Parameters
    name, value = draw(st.sampled_from([*record.accepted(), "no"])), draw(JUNK)
    how = draw(st.sampled_from(["new", "replace", "parse"]))
    told = (record.__module__, how, name, value)
    if how == "parse":
        word = draw(WORDS)
        return lambda: record.parse(name, word), (*told, word)
    made = record if how == "new" else record().replace
    return lambda: made(**{name: value}), told


def designs(draw):
    """Return a sweep or a comparison over a spoilt design."""
    frame = pd.DataFrame({"memory_clicks": [500, 1280], "buffers": [10, 20]})
    if draw(st.booleans()):
        value = draw(st.one_of(JUNK, st.sampled_from(SPOILT).map(lambda spoil: spoil(frame))))
        return lambda: sweep(_simulate, SMALL, value, 2, jobs=1, progress=False), ("sweep", value)
    changed = {draw(st.sampled_from(["memory_clicks", "no", "buffers"])): draw(JUNK)}
    value = draw(st.sampled_from([{"a": {}, "b": changed}, {"b": changed}, changed]))
    return lambda: what_if.run(_simulate, SMALL, value, 2), ("what_if", value)


def _simulate(parameters, seed):
    return unix_v6.simulate(SMALL, seed)


def methods(draw):
    """Return a call of a method with one argument spoilt."""
    told = _tests("methods", "test_method_refusals")
    method, own, _ = draw(st.sampled_from(told.METHODS))
    arguments = inspect.signature(method).parameters
    needed = [n for n, argument in arguments.items() if argument.default is argument.empty]
    sound = {name: told.SOUND[name] for name in needed if name not in own} | own
    frames = [name for name, value in sound.items() if isinstance(value, pd.DataFrame)]
    name = draw(st.sampled_from(frames * 3 + [n for n in arguments if n != "family"]))
    value = draw(st.sampled_from(SPOILT))(sound[name]) if name in frames else draw(JUNK)
    return lambda: method(**sound | {name: value}), (method.__qualname__, name, value)


def networks(draw):
    """Return a call of a model with one argument that may be anything."""
    told = _tests("analytic", "test_refusals")
    model, kinds = draw(st.sampled_from(told.MODELS))
    name, value = draw(st.sampled_from([*kinds])), draw(JUNK)
    return lambda: model(**told.sound(kinds) | {name: value}), (model.__qualname__, name, value)


def _tests(room, name):
    sys.path[:0] = [path for path in [str(ROOT / "tests" / room)] if path not in sys.path]
    return importlib.import_module(name)


KINDS = {one.__name__: one for one in (lines, records, methods, designs, networks)}


def verdict(call):
    """Return what became of an input, and the words of what should not be."""
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(LIMIT_S)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = call()
    except (ValueError, TypeError) as error:
        text = str(error)
        good = text.endswith((".", "?")) and "\n" not in text
        return ("refused", "") if good else ("no sentence", f"{type(error).__name__}: {text}")
    except TooLong:
        return "too long", ""
    except BaseException as error:
        return "another exception", f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    return ("silent nan", repr(found)) if _has_nan(found) else ("answered", "")


def _too_long(*_):
    raise TooLong


def _has_nan(found):
    """Return whether an answer is one number that is none, or numbers that all are none."""
    if found is None:
        return False
    try:
        values = np.asarray(found, float)
    except (TypeError, ValueError):
        return False
    return values.size > 0 and bool(np.isnan(values).all())


def rows(each):
    """Yield of each kind of input how many were refused, answered, or worse, with examples."""
    options = {"database": None, "deadline": None, "suppress_health_check": [*HealthCheck]}
    for name, kind in KINDS.items():
        counts, worse = Counter(), []
        tried = _tried(kind, counts, worse)
        seed(7)(settings(max_examples=each, **options)(given(st.data())(tried)))()
        row = {"input": name, "tried": counts.total(), "refused in a sentence": counts["refused"]}
        yield row | {"answered": counts["answered"], "neither": len(worse)}, worse


def _tried(kind, counts, worse):
    def tried(data):
        call, told = kind(data.draw)
        found, words = verdict(call)
        counts[found] += 1
        if found not in ("refused", "answered"):
            worse.append(f"{found}: {told!r:.300}: {words:.200}")

    return tried
