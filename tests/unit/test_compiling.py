"""Stale caches can't be met, handlers can't be called from Python, policies are checked."""

import subprocess
import sys

import numba
import numpy as np
import pytest
from numba import types

from perfkit.core.sources import source_hash
from perfkit.des import compiling
from perfkit.des.compiling import COMPILED, PolicyKind, failures_named, handler, is_compiled, look
from perfkit.des.read_only import read_only, read_only_type
from perfkit.systems import unix_v6


def twice(number):
    """Return twice a number."""
    return 2 * number


doubling = PolicyKind("doubling", types.int64(types.int64), twice)


def test_an_edited_source_anywhere_in_the_package_changes_the_cache_folder(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.py").write_text('__version__ = "1.0.0"\nx = 1\n')
    (tmp_path / "deep" / "b.py").write_text("y = 1\n")
    before = source_hash(tmp_path)
    (tmp_path / "a.py").write_text('__version__ = "1.0.1"\nx = 1\n')
    assert source_hash(tmp_path) == before
    (tmp_path / "deep" / "b.py").write_text("y = 2\n")
    edited = source_hash(tmp_path)
    (tmp_path / "deep" / "b.py").rename(tmp_path / "deep" / "c.py")
    assert len({before, edited, source_hash(tmp_path)}) == 3


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_handler_called_from_python_says_what_to_call_instead():
    @handler
    def twice(x):
        return 2 * x

    for _ in range(2):
        with pytest.raises(TypeError, match=r"from Python call twice\.py_func"):
            twice(3)
    assert twice.py_func(3) == 6


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (3, "made from a plain Python function"),
        (lambda: 1, r"A doubling policy takes 1 argument, \(number\); '<lambda>' takes 0: \(\)\."),
        (lambda *numbers: 1, r"takes 0: \(\*numbers\)\."),
        ((lambda number: (yield number)), "made from a plain Python function"),
    ],
)
def test_what_is_no_policy_is_refused_in_a_sentence(function, message):
    with pytest.raises(TypeError, match=message):
        doubling(function)


PERSON = np.dtype([("age", "i8"), ("size_clicks", "i8")], align=True)
PEOPLE = np.zeros(3, PERSON).view(np.recarray)
oldest_policy = PolicyKind(
    "oldest", types.int64(read_only_type(numba.typeof(PEOPLE))), lambda people: 0
)


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda people: people[0].agge, r": there is no field 'agge'; did you mean age\?$"),
        (lambda people: "first", r": No conversion from .* to int64 \(line \d+\)\.$"),
        (lambda people: people[0].age + "a", r": Numba has no add\(int64, .*\) \(line \d+\)\.$"),
    ],
)
def test_why_a_policy_does_not_compile_is_readable_and_has_the_right_article(function, message):
    begin = "^'<lambda>' can't be compiled as an oldest policy"
    with pytest.raises(TypeError, match=begin + ".*" + message) as refusal:
        oldest_policy(function)
    said = str(refusal.value)
    assert "Record" not in said and "offset" not in said and "\n" not in said


def writes_each(people):
    for person in people:
        person.age += 1
    return 0


def writes_a_column(people):
    people.age[:] = 0
    return 0


def writes_in_another_function(people):
    birthday(people[0])
    return 0


@numba.njit
def birthday(person):
    """Write, for a policy."""
    person.age += 1


WRITERS = [writes_each, writes_a_column]


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
@pytest.mark.parametrize("function", [*WRITERS, writes_in_another_function])
def test_a_policy_may_only_read_what_it_is_given(function):
    with pytest.raises(TypeError, match=r": it writes .* may only read \(line \d+\)\.$"):
        oldest_policy(function)


@pytest.mark.parametrize("function", WRITERS)
def test_what_is_handed_to_an_uncompiled_policy_can_only_be_read(function):
    with pytest.raises(ValueError, match="read-only"):
        function(read_only(PEOPLE))
    assert PEOPLE.flags.writeable and not PEOPLE.age.any()


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_fraction_in_place_of_a_whole_number_is_refused():
    def half(number):
        return number / 2

    with pytest.raises(TypeError, match="A doubling policy returns an int64; 'half' returns a fl"):
        doubling(half)
    assert PolicyKind("halving", types.float64(types.int64), half)(half)(3) == 1.5


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (ValueError("I can't."), "ValueError: I can't"),
        (OSError(), "OSError"),
    ],
)
def test_a_failure_names_the_readers_policies_or_stays_as_it_is(error, said):
    policy = doubling(twice)
    with pytest.raises(RuntimeError) as failure, failures_named(None, policy):
        raise error
    assert str(failure.value) == f"The doubling policy 'twice' failed with {said}."
    both = "policy 'twice' or the doubling policy 'twice' failed"
    with pytest.raises(RuntimeError, match=both), failures_named(policy, policy):
        raise error
    with pytest.raises(type(error)), failures_named(None):
        raise error


def test_what_is_no_policy_of_the_kind_is_refused_where_it_is_used():
    policy = PolicyKind("air_intake", types.int64(types.int64), twice)(twice)
    with pytest.raises(TypeError, match=r"Expected a doubling policy.* is an air intake policy\."):
        doubling.check(policy)
    with pytest.raises(TypeError, match="under the decorator @doubling_policy"):
        doubling.check(twice)
    assert doubling.check(doubling(twice))(21) == 42


def test_the_event_loop_is_kept_where_it_is_looked_for(tmp_path, monkeypatch):
    unix_v6.simulate(unix_v6.Parameters(processes=2, interactions=2))
    assert is_compiled("unix_v6")
    monkeypatch.setattr(compiling, "cache_folder", lambda: tmp_path)
    (tmp_path / "emas_1a2b").mkdir()
    (tmp_path / "emas_1a2b" / "run.run-80.py311.nbi").touch()
    assert is_compiled("unix_v6") is not COMPILED
    monkeypatch.setattr(compiling, "shipped_folder", lambda: tmp_path)
    (tmp_path / "unix_v6").mkdir()
    (tmp_path / "unix_v6" / "run.run-80.py311.nbi").touch()
    assert is_compiled("unix_v6")


def test_importing_a_system_or_the_print_imports_neither_pandas_nor_plotting():
    code = (
        "import sys; from studies.evidence import published; from perfkit.systems import unix_v6;"
        "unix_v6.Parameters();"
        "print([m for m in ('pandas', 'matplotlib', 'seaborn', 'statsmodels') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_machines_look_alike_that_are_of_one_type():
    """As Numba finds it, whatever the sizes; another dtype, dimension or layout is another type."""
    records = np.zeros(3, [("a", "f8"), ("b", "i8")]).view(np.recarray)
    other = np.zeros(3, [("a", "f8"), ("b", "f8")]).view(np.recarray)
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    machines = [
        (np.zeros(4), records[0]),
        (np.zeros(4), other[0]),
        (np.zeros((4, 2)), records[0]),
        (np.zeros(4, np.int64), records[0]),
        (np.zeros((4, 2))[:, 0], records[0]),
        (np.zeros((4, 2)).T, records[0]),
        (frozen, records[0]),
        (records, 1.0),
        (records, 1),
    ]
    found = [look(machine) for machine in machines]
    assert len(set(found)) == len(set(map(numba.typeof, machines))) == len(machines)
    assert look((np.ones(7), records[2])) == found[0]
