"""The command quiz: small cases of a system's mechanisms, to be solved by hand."""

import json
from dataclasses import asdict

from tabulate import tabulate

from perfkit.commands.words import count
from perfkit.core.wording import nearest
from studies import study
from studies.quiz import KINDS, draw


def quiz(given):
    """Print quizzes of a study, with answers or as data; without a study, the kinds there are."""
    if given.key is None:
        if given.kind:
            raise ValueError(f"--kind needs a study: perfkit quiz KEY --kind {given.kind}.")
        print(_kinds(given.json))
        return
    kinds = _chosen(study(given.key).key, given.kind)
    seed, many = count("seed", given.seed), count("count", given.count or "1")
    drawn = [draw(kind, seed + n) for kind in kinds for n in range(many)]
    if given.json:
        rows = [asdict(one) for one in drawn]
        several = len(kinds) > 1 or given.count
        print(json.dumps(rows if several else rows[0], indent=1, ensure_ascii=False))
        return
    texts = [f"{one.text()}\n\n{one.solution()}" if given.answer else one.text() for one in drawn]
    print("\n\n\n".join(texts))


def _chosen(key, name):
    kinds = [kind for kind, words in KINDS.items() if words["study"] == key]
    if name is not None and name not in kinds:
        hint = nearest(name, kinds) or f"; there are {', '.join(kinds)}."
        raise ValueError(f"{key} has no kind of quiz '{name}'{hint}")
    return kinds if name is None else [name]


def _kinds(as_json):
    rows = [{"study": w["study"], "kind": k, "title": w["title"]} for k, w in KINDS.items()]
    return json.dumps(rows, indent=1) if as_json else tabulate(rows, headers="keys")
