"""Levers: what is said in a word is taken like a parameter, and the same everywhere."""

import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit import __main__ as line
from perfkit.commands.arguments import names
from perfkit.core import levers
from perfkit.runs import designs, what_if
from perfkit.runs.experiment import summarize, sweep
from perfkit.show.explore import sliders
from perfkit.systems import SYSTEMS, unix_v6
from studies import STUDIES
from studies.show.opening import opening
from tools import readme

RECORDS = [system.module().Parameters for system in SYSTEMS.values()]
LEVERS = [(record, name) for record in RECORDS for name in record.levers]
SMALL = unix_v6.Parameters(processes=2, interactions=5)


@pytest.mark.parametrize(("record", "name"), LEVERS, ids=lambda value: getattr(value, "name", None))
@given(data=st.data())
def test_a_lever_sets_its_parameters_alike_however_it_is_given(record, name, data):
    spec = record.spec_of(name)
    low, high = spec.metadata["low"], spec.metadata["high"]
    numbers = st.integers if isinstance(spec.default, int) else st.floats
    value = round(data.draw(numbers(low, high)), 6)
    own = record()
    assert getattr(own, name) == spec.default and own.replace(**{name: spec.default}) == own
    try:
        turned = record(**{name: value})
    except ValueError as refusal:
        assert str(refusal).endswith(".") and "\n" not in str(refusal)
        with pytest.raises(ValueError, match=f"^{re.escape(str(refusal))}$"):
            list(own.variants([name], [(value,)]))
        return
    beside = next(one for one in record.names() if one not in record.sets(name))
    rows = [(value, getattr(own, beside))] * 2
    assert list(own.variants([name, beside], rows)) == [turned] * 2
    changed = {n for n, v in turned.as_dict().items() if v != getattr(own, n)}
    assert changed <= set(record.sets(name)) and name not in turned.as_dict()
    assert turned.replace(**{name: value}) == own.replace(**{name: value}) == turned
    assert turned.replace(**{name: spec.default}) == own
    assert record(**{name: record.parse(name, repr(value))}) == turned
    again = record(**{name: getattr(turned, name)})
    assert all(levers._alike(getattr(again, one), v) for one, v in turned.as_dict().items())
    for one in record.sets(name):
        with pytest.raises(ValueError, match=f"^{name} also sets {one}; give one or the other"):
            own.replace(**{one: getattr(own, one), name: value})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ("algorithm=1", "The experiment itself sets algorithm; give other parameters."),
        ("days=2", "The experiment itself sets days; give other parameters."),
        ("replications=1", "replications must be a whole number of 2 or more; 1 is not."),
    ],
)
def test_an_experiment_that_can_not_be_made_is_refused_in_a_sentence(changes, said, capsys):
    assert line.main(["headline", "cp67", changes]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"perfkit: {said}"


@pytest.mark.parametrize("value", [4.01, 0.0, True, "fast", float("nan")])
def test_a_bad_value_or_name_is_refused_as_a_parameters_is(value, capsys):
    with pytest.raises(ValueError, match=r"^disc_speed must be a number from 0\.25 to 4\.0 \("):
        SMALL.replace(disc_speed=value)
    for command in ("run", "sweep"):
        assert line.main([command, "unix_v6", f"disc_speed={value}", "disc_heads=2"]) == 2
        assert line.main([command, "unix_v6", "disc_sped=2"]) == 2
        assert "did you mean disc_speed" in capsys.readouterr().err


def test_a_lever_is_a_column_a_variant_a_control_and_an_argument(capsys):
    design = designs.factorial({"disc_speed": [1.0, 2.0]})
    runs = sweep(unix_v6.simulate, SMALL, design, 2, progress=False)
    slow, fast = summarize(runs, "disc_speed", "elapsed_s")["elapsed_s"]
    variants = {"as it is": {}, "faster": {"disc_speed": 2.0}}
    tried = what_if.run(unix_v6.simulate, SMALL, variants, 2, progress=False)
    assert tried.groupby("variant")["elapsed_s"].mean().tolist() == [slow, fast] and fast < slow
    panel = sliders(unix_v6.simulate, SMALL, {"disc_speed": (0.5, 2.0)}, "elapsed_s")
    panel.controls["disc_speed"].value = 2.0
    assert panel.changes == {"disc_speed": 2.0}
    assert panel.runs()["elapsed_s"].iloc[:2].mean() == fast
    with pytest.raises(ValueError, match="can't be turned where disc_revolution_ms, head_sw"):
        own = SMALL.replace(disc_revolution_ms=20.0)
        sliders(unix_v6.simulate, own, {"disc_speed": (0.5, 2.0)}, "elapsed_s")
    few = ["processes=2", "interactions=5", "replications=2"]
    assert line.main(["run", "unix_v6", "disc_speed=2", *few]) == 0
    head = " ".join(capsys.readouterr().out.split("\n2 rep")[0].split())
    assert "disc_speed sets disc_revolution_ms to 12.5 (from 25.0), head_switch_ms" in head
    assert line.main(["show", "unix_v6"]) == 0
    assert "LEVERS" in (told := capsys.readouterr().out) and "sets disc_revolution_ms, head" in told
    assert "disc_speed=" in names(line.parser().parse_args(["run", "unix_v6"]))
    assert line.main(["sweep", "unix_v6", "disc_revolution_ms=9", "disc_speed=1,2"]) == 2


@pytest.mark.parametrize("key", STUDIES)
def test_the_commands_below_a_finding_run_and_stand_in_readme(key, capsys):
    found = opening(key)
    assert found.commands()
    for command in found.commands():
        few = re.sub(r"(replications[= ])\d+", r"\g<1>2", command)
        few = few.replace("headline emas", "headline emas measured_s=600 replications=2")
        assert line.main(shlex.split(few, comments=True)[1:]) == 0 and capsys.readouterr().out
    if key in readme.FIRST:
        text = (readme.ROOT / "README.md").read_text()
        assert "\n".join(f"  {command}" for command in found.commands()) in text
