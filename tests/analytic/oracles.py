"""Answers got another way: every state summed in fractions, or balance equations solved."""

from fractions import Fraction
from itertools import product
from math import factorial

import numpy as np


def spreads(customers, places):
    """Yield every way to spread customers over places."""
    if places == 1:
        yield (customers,)
        return
    for here in range(customers + 1):
        for rest in spreads(customers - here, places - 1):
            yield (here, *rest)


def station_weight(counts, demands, rates):
    """Return the weight of one station's counts by class; rates None means a delay."""
    weight = Fraction(factorial(sum(counts)))
    for count, demand in zip(counts, demands, strict=True):
        weight *= Fraction(demand) ** count / factorial(count)
    for j in range(1, sum(counts) + 1):
        weight /= j if rates is None else Fraction(rates[min(j, len(rates)) - 1])
    return weight


def product_form(demands, population, think, rates):
    """Return throughput by class, and queue by class and station.

    ``demands`` has one row per class, ``rates`` an entry per station: speeds, or None for a delay.
    """
    classes, stations = len(demands), len(demands[0])
    columns = [[row[k] for row in demands] for k in range(stations)] + [think]
    speeds = [*rates, None]

    def total(population):
        ways = [list(spreads(count, stations + 1)) for count in population]
        weights, queue = Fraction(0), [[Fraction(0)] * stations for _ in ways]
        for state in product(*ways):
            weight = Fraction(1)
            for k in range(stations + 1):
                counts = [state[c][k] for c in range(classes)]
                weight *= station_weight(counts, columns[k], speeds[k])
            weights += weight
            for k in range(stations):
                for c in range(classes):
                    queue[c][k] += weight * state[c][k]
        return weights, queue

    constant, queue = total(population)
    less = [[n - (c == d) for d, n in enumerate(population)] for c in range(classes)]
    throughput = [total(fewer)[0] / constant for fewer in less]
    return throughput, [[number / constant for number in row] for row in queue]


def constants(demands, think, rates, population):
    """Return G(0) to G(N) of one class as fractions, by multiplying polynomials."""
    whole = [Fraction(think) ** n / factorial(n) for n in range(population + 1)]
    for demand, speeds in zip(demands, rates, strict=True):
        weights = [station_weight([n], [demand], speeds) for n in range(population + 1)]
        whole = [
            sum(weights[j] * whole[n - j] for j in range(n + 1)) for n in range(population + 1)
        ]
    return whole


def steady_state(states, moves):
    """Return the chances of a Markov process; ``moves(state)`` yields (rate, next state)."""
    number = {state: i for i, state in enumerate(states)}
    rates = np.zeros((len(states), len(states)))
    for state in states:
        for rate, after in moves(state):
            rates[number[state], number[after]] += rate
    balance = rates.T - np.diag(rates.sum(axis=1))
    balance[0] = 1.0
    return np.linalg.solve(balance, np.eye(len(rates))[0])


def one_sentence(error):
    """Tell whether a message is one line and one sentence."""
    text = str(error.value)
    return "\n" not in text and text.endswith(".") and ". " not in text and len(text) < 200
