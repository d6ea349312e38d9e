"""Typical wrong answers of lab2_sim61: what is answered, and which test hints what."""

HEAD = "def even_curve(page, working_set, compute_ms, alpha):\n"
RULE = "def my_rule(people_wait, batch_waits, batch_active, people_since, n):\n"
IN_MS = """
throughput_per_s = answers / watched_s
pages_per_answer = pages_moved / answers
demand_s = pages_per_answer * turn_ms
utilization = 1.0
think_s = people / throughput_per_s - response_s
"""
ONE_PAGE = IN_MS.replace("pages_per_answer * turn_ms", "turn_ms / 1000")
WHOLE_ROUND = IN_MS.replace("* turn_ms", "* turn_ms / 1000").replace(" - response_s", "")
FORGOT_THINKING = """
most_per_s = 1 / demand_s
response_2_s = people * demand_s / 2
response_lam_s = people * pages_per_answer / 195 - think_s
waiting_from = (demand_s + think_s) / demand_s
"""
ONE_RUN = """
variants = {"baseline": {}, "two drums": {"paging_devices": ("drum", "drum")}}
variants |= {"LAM": {"paging_devices": ("LAM",)}, "core": {"memory_pages": 2 * core_pages}}
variants = {name: differs | {"devices": stores} for name, differs in variants.items()}
runs = what_if.run(sim61.simulate, machine, variants, 1, seed=my_seed, progress=False)
"""
FIRST_SEED = """
mean = runs[runs["seed"] == my_seed].set_index("variant")
wait_factor = mean.loc["core", "paging_queue_ms"] / mean.loc["baseline", "paging_queue_ms"]
response_factor, faults_before_per_s, faults_after_per_s = 0.7, 33, 33
"""
UNWEIGHTED = """
fed = baseline.drop(index="compute bound")
starving, starving_percent = "compute bound", 100 * 5 / 64
mean_of_answers_s = fed["response_s"].mean()
mean_of_people_s = paging_bound_s = None
"""
WRONG = {
    "ms for s": ({"by_hand": IN_MS}, {"test_by_hand": "a factor of 1000"}),
    "one page per answer": ({"by_hand": ONE_PAGE}, {"test_by_hand": "more than one page"}),
    "the whole round": ({"by_hand": WHOLE_ROUND}, {"test_by_hand": "the whole round"}),
    "nobody thinks": ({"bounds": FORGOT_THINKING}, {"test_bounds": "people think, too"}),
    "one replication": ({"runs": ONE_RUN}, {"test_runs": "10 runs a variant, not 1"}),
    "ratio of one replication": ({"core": FIRST_SEED}, {"test_core": "that of one replication"}),
    "off by one": (
        {"even_curve": f"{HEAD}    return compute_ms * (page - 1) / working_set\n"},
        {"test_even_curve": "one page off"},
    ),
    "seconds": (
        {"even_curve": f"{HEAD}    return compute_ms * page / working_set / 1000\n"},
        {"test_even_curve": "a factor of 1000"},
    ),
    "it raises": (
        {"even_curve": f"{HEAD}    return compute_ms / (page - page)\n"},
        {"test_even_curve": "division by zero"},
    ),
    "not weighted": ({"starving": UNWEIGHTED}, {"test_starving": "weight the mean"}),
    "batch first": ({"my_rule": f"{RULE}    return 1\n"}, {"test_my_rule": "People pay too much"}),
    "batch never": ({"my_rule": f"{RULE}    return 0\n"}, {"test_my_rule": "Batch starves"}),
    "no such answer": ({"my_rule": f"{RULE}    return 2\n"}, {"test_my_rule": "must say -1, 0"}),
}
