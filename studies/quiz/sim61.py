"""SIM/61: a processor and a paging drum as a closed network."""

from perfkit.analytic.mva import mva_curve

USERS = 3


def mva(rng):
    """Draw two demands and a think time that sum to a round number, and solve the network."""
    think = 0
    while think <= 0:
        total, tenths = rng.choice([20, 40, 50]), rng.sample(range(2, 18, 2), 2)
        think = total - sum(tenths)
    demands_s, think_s = [d / 10 for d in tenths], think / 10
    curve = mva_curve(demands_s, USERS, think_time_s=think_s)
    residence_s, steps, seen = curve.queue / curve.throughput[:, None], [], [0.0, 0.0]
    for n, (times, rate) in enumerate(zip(residence_s, curve.throughput, strict=True), 1):
        parts = zip(demands_s, seen, times, strict=True)
        stays = ", ".join(f"{d} (1 + {q:.6g}) = {r:.6g} s" for d, q, r in parts)
        steps.append(f"R({n}): {stays}")
        steps.append(f"X({n}) = {n} / ({think_s} + {times.sum():.6g}) = {rate:.6g} per s")
        seen = curve.queue[n - 1]
    stations = zip(("processor", "drum"), demands_s, strict=True)
    stations = [{"station": name, "D_s": demand} for name, demand in stations]
    answer = {"processor_s": residence_s[:, 0], "drum_s": residence_s[:, 1]}
    answer |= {"throughput_per_s": curve.throughput}
    answer = {name: values.round(3).tolist() for name, values in answer.items()}
    return {"think_s": think_s, "stations": stations}, answer, steps
