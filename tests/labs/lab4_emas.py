"""Typical wrong answers of lab4_emas: what is answered, and which test hints what."""

BY_HAND = """
core_queue_ms = preload
preload_page_ms = (end - preload) / 14
page_wait_ms = 41
run_queue_ms = 18 - n
processor_ms = 60 + 2 * n
"""
WAITS = "def drum_waits(records):\n"
ANYBODYS = f"""{WAITS}
    asked, waits = None, []
    for time_ms, process, event in records:
        if event == "demand_drum":
            asked = time_ms
        elif event == "demanded_page_arrives" and asked is not None:
            waits.append(time_ms - asked)
            asked = None
    return waits
"""
IN_SECONDS = f"""{WAITS}
    asked, waits = {{}}, []
    for time_ms, process, event in records:
        if event == "demand_drum":
            asked[process] = time_ms
        elif event == "demanded_page_arrives" and process in asked:
            waits.append((time_ms - asked.pop(process)) / 1000)
    return waits
"""
BY_PROCESS = f"""{WAITS}
    found = []
    for one in sorted({{process for _, process, _ in records}}):
        begun = None
        for time_ms, process, event in records:
            if process == one and event.startswith("demand_"):
                begun = time_ms if event == "demand_drum" else None
            elif process == one and event == "demanded_page_arrives" and begun is not None:
                found.append(time_ms - begun)
    return found
"""
DISC_TOO = IN_SECONDS.replace(" / 1000", "").replace(
    'event == "demand_drum"', 'event.startswith("demand_d")'
)
RAISES = f"{WAITS}\n    return [records[k + 1][0] - records[k][0] for k in range(len(records))]\n"
ONE_SESSION = """
stages = tracing.residence_stages(sessions[0].trace)
core_queue_mean_ms = stages["core_queue"]
core_queue_half_width_ms = 0
"""
ONE_SEED = """
variants = {"baseline": {}, "on demand": {"prepaging": False},
            "one loader": {"prepaging": False, "preloads_at_once": 1}}
runs = what_if.run(study.observe_trace, session, variants, 1, seed=my_seed, progress=False)
"""
NOT_PAIRED = """
w = runs.assign(pages=runs["preload"] + runs["page_wait"])
w = w.pivot(index="seed", columns="variant", values="pages")
saving_ms = (w["on demand"] - w["baseline"]).mean()
saving_half_width_ms = np.hypot(interval(w["on demand"])[1], interval(w["baseline"])[1])
verdict = "can't tell"
hours_needed = 5 * 300 / 3600 * interval(w["on demand"] - w["baseline"])[1] / 20
"""
WASTED_TOO = """
v = pd.DataFrame([one.values for one in sessions])
paper_forecast_ms = (v["page_wait"] + v["preload_transfers"] * v["time_demand_drum"]).mean()
"""
SCALED = """
def forecast(page_wait_ms, used, demanded, waits):
    return 0.73 * paper_forecast(page_wait_ms, used, demanded, waits)
"""

WRONG = {
    "another process's page": (
        {"by_hand": BY_HAND.replace("/ 14", "/ 10")},
        {"test_by_hand": "another process's"},
    ),
    "pages that needed no transfer": ({"by_hand": BY_HAND}, {"test_by_hand": "no transfer"}),
    "the next page, whosever": ({"drum_waits": ANYBODYS}, {"test_drum_waits": "whosever it is"}),
    "seconds": ({"drum_waits": IN_SECONDS}, {"test_drum_waits": "a factor of 1000"}),
    "disc too": ({"drum_waits": DISC_TOO}, {"test_drum_waits": "from disc, too"}),
    "process after process": (
        {"drum_waits": BY_PROCESS},
        {"test_drum_waits": "in the order in which the pages arrive"},
    ),
    "off by one": ({"drum_waits": RAISES}, {"test_drum_waits": "index out of range"}),
    "one session": ({"stages": ONE_SESSION}, {"test_stages": "that of one session"}),
    "one run of each": ({"runs": ONE_SEED}, {"test_runs": "5 runs a variant, not 1"}),
    "not paired": (
        {"saving": NOT_PAIRED},
        {"test_saving": "pair first, seed by seed", "test_hours": "four times the time"},
    ),
    "waste is demanded": ({"paper_sum": WASTED_TOO}, {"test_paper_sum": "nobody used"}),
    "a constant factor": ({"forecast": SCALED}, {"test_forecast": "The forecast is too small"}),
}
