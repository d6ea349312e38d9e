"""What a run measured, from when the machine had settled to its end."""

from perfkit.core import result
from perfkit.des.counters import mean_level, ratio

from study_key.machine import Event, Level

MEASURES = {
    "response_s": "s of mean response, from request to answer",
    "throughput_per_s": "responses per s",
    "utilization_percent": "% of time the server is busy",
    "queue": "mean requests that wait or are served",
    "responses": "responses given",
    "events": "events that the simulator handled",
    "trace_full": "1 if the trace's space was used up",
}


class Result(result.Result):
    """What one run measured; each measure is an attribute, too."""

    MEASURES = MEASURES
    EVENTS = Event
    SHOWN = ("response_s", "throughput_per_s", "utilization_percent", "queue")


def read_out(machine, parameters, seed):
    """Return the Result of a machine that has run to its end."""
    k, levels = machine.kernel, machine.levels
    queue, busy = (mean_level(levels[one], k.started_ms, k.now_ms) for one in Level)
    values = {
        "response_s": ratio(k.response_ms, k.responses) / 1000.0,
        "throughput_per_s": 1000.0 * k.responses / (k.now_ms - k.started_ms),
        "utilization_percent": 100.0 * busy,
        "queue": queue,
        **{name: int(k[name]) for name in ("responses", "events", "trace_full")},
    }
    values = {name: values[name] for name in MEASURES}
    return Result(parameters, seed, values, {}, machine.trace[: k.traced])
