"""Faults that nobody has published: speculative decoding with one or two of its terms changed, all combinations.

Which of them are biased is known from their exact laws, not from the audit.
"""

from __future__ import annotations

from itertools import product

import pytest

from simspec.audit import Verdict, audit, revealing
from simspec.audit.zoo import Member, black_box, exact_facts
from simspec.audit.zoo.member import residual, sampled, small
from simspec.laws import exact

TESTS = {
    "u q < p": lambda p, q, i, t: (p[i][t], q[i][t]),
    "first row of q": lambda p, q, i, t: (p[i][t], q[0][t]),
    "next row of p": lambda p, q, i, t: (p[i + 1][t], q[i][t]),
    "no q": lambda p, q, i, t: (p[i][t], 1),
    "p and q swapped": lambda p, q, i, t: (q[i][t], p[i][t]),
    "half is kept": lambda p, q, i, t: (p[i][t], 2 * q[i][t]),
}
RESIDUALS = {
    "p - q": lambda p, q, i, t: residual(p[i], q[i]),
    "p": lambda p, q, i, t: p[i],
    "p without the draft": lambda p, q, i, t: [0 if y == t else m for y, m in enumerate(p[i])] if p[i][t] < 1 else p[i],
    "first row of q": lambda p, q, i, t: residual(p[i], q[0]),
    "q - p": lambda p, q, i, t: residual(q[i], p[i]),
}
BONUSES = {"last row": -1, "first row": 0, "row before": -2}
CHANGED = [
    names
    for names in product(TESTS, RESIDUALS, BONUSES)
    if sum(name != next(iter(table)) for name, table in zip(names, (TESTS, RESIDUALS, BONUSES), strict=True)) <= 2
]
PAIRS = revealing(2, 2)[:6]


def mutant(test: str, refusal: str, bonus: str) -> Member:
    def program(p, q, x, chance):
        for i, token in enumerate(x):
            if not chance.keep(*TESTS[test](p, q, i, token)):
                return (*x[:i], chance.draw(RESIDUALS[refusal](p, q, i, token))), i
        return (*x, chance.draw(p[BONUSES[bonus]])), len(x)

    return Member(f"{test}; {refusal}; {bonus}", "", "", "", "", program, sampled, small("1", "1"))


@pytest.fixture(scope="module")
def judged():
    """Largest exact TV on the laws tried, and the verdict of the audit, of each."""
    found = {}
    for names in CHANGED:
        one = mutant(*names)
        worst = max(exact_facts(one, exact(pair.p), exact(pair.q)).tv for pair in PAIRS)
        found[names] = worst, audit(black_box(one), pairs=PAIRS, calls=1000, within=0.3).verdict
    return found


def test_those_with_a_large_bias_are_caught(judged) -> None:
    biased = {names: verdict for names, (tv, verdict) in judged.items() if tv >= 1 / 8}
    assert len(biased) > 30
    assert {names for names, verdict in biased.items() if verdict is not Verdict.BIASED} == set()


def test_those_without_bias_pass(judged) -> None:
    """False alarm 1e-6 for each."""
    honest = {names: verdict for names, (tv, verdict) in judged.items() if tv == 0}
    assert ("u q < p", "p - q", "last row") in honest
    assert ("no q", "p without the draft", "last row") in honest
    assert set(honest.values()) == {Verdict.LOSSLESS}
