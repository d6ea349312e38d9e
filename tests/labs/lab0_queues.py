"""Typical wrong answers of lab0_queues: what is answered, and which test hints what."""

ONE_DAY = """
mean_response_s = np.mean(responses(*day(my_seed)))
longer = np.mean(responses(*day(my_seed, 0.9))) / mean_response_s
"""
NO_WAIT = """
def responses(gaps, services):
    return list(services)
"""
ENDLESS = """
def responses(gaps, services):
    while True:
        pass
"""
FROM_ZERO = """
def elevator(cylinders, arm):
    return sorted(cylinders)
"""
OFF_BY_ONE = """
most_users = 1 + max(
    n for n in range(1, 60) if solve_mva([processor_s, disc_s], n, think_s).response_s <= 3
)
one_more_s = [0.3] * 10
"""
SAME_SEED = """
exact_s = 1000 * solve_mva([processor_s, disc_s], 20, think_s).response_s
replications = [measured(20, disc_s, my_seed)] * 10
"""
WARM_UP = """
throughput_per_s = 6 / np.sum(leaves - begins)
response_s = np.mean(leaves - begins)
"""
WRONG = {
    "busy time for watched time, service for response": (
        {"warm_up": WARM_UP},
        {"test_throughput": "not by the time the server was busy", "test_little": "mean service"},
    ),
    "one replication": ({"mean_response": ONE_DAY}, {"test_mean_response": "that of one day"}),
    "nobody waits": ({"responses": NO_WAIT}, {"test_responses": "services alone"}),
    "a loop that never ends": ({"responses": ENDLESS}, {"test_responses": "loop that never ends"}),
    "sorted from zero": ({"elevator": FROM_ZERO}, {"test_elevator": "begin at the arm"}),
    "wrong unit": ({"network": SAME_SEED}, {"test_network": "a factor of 1000"}),
    "off by one": ({"challenge": OFF_BY_ONE}, {"test_challenge": "one too many"}),
    "normal for t": (
        {"interval": "half_width_s = 1.96 * sample_s.std(ddof=1) / 8**0.5\nruns_needed = 30"},
        {"test_half_width": "1.96 is for very many runs"},
    ),
}
