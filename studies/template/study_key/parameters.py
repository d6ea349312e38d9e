"""The parameters of the machine: each with its unit, its source and its bounds."""

from dataclasses import dataclass

from perfkit.core.record import ParameterRecord, assumed, stated


@dataclass(frozen=True, init=False)
class Parameters(ParameterRecord):
    """The users, the server, and the length of one run."""

    # fmt: off
    users: int = stated(20, "users", "Table 1, the middle row", 1, 1000)
    think_s: float = stated(10.0, "s", "section 2: mean, exponential", 0.001, 3600.0)
    service_s: float = stated(0.5, "s", "section 2: mean, exponential", 0.001, 3600.0)
    settle_s: float = assumed(200.0, "s", "20 think times, after which all is forgotten", 0.0, 1e6)
    measured_s: float = assumed(2000.0, "s", "some 4000 requests of a busy server", 1.0, 1e6)
    # fmt: on
