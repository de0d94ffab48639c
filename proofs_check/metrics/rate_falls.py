"""metrics.rate-falls: a later draft survives no more often; along a text a step that begins no earlier ends no earlier."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, index, le, total
from simspec.claims.claim import Instance
from simspec.claims.metrics.rate_falls import CALL, LONG_RUN, LONG_RUN_CORRECTED, next_position
from simspec.laws import Array

FALLS = "the next draft survives no more often than any before it"
LATER = "a mark is 1 where one position is no earlier than the other"
FIRST = "the first wrong draft from a position on is no earlier than from one before it"
STEP = "a step ends after the first wrong draft, or after its drafts and a token, or with the text"
s = index("s")
j = index("j")
k = index("k")
begin = index("begin")
n = sp.Symbol("n", integer=True, nonnegative=True)


def prove_call(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of drafts, all rates.

    Equality where all drafts up to the next one survive alike.
    """
    gamma = sp.Symbol("gamma", integer=True, positive=True)
    survival = d.weights("survival", s)
    following = d.number("following", 0)
    falls = d.domain(FALLS, ge(survival[s], following))
    drafts = total(survival[s], s, upto=gamma)
    times = d.sum("over the drafts", falls, s, upto=gamma)
    shares = le(constant * (drafts + sign * following) / (gamma + 1), sign * drafts / gamma)
    d.qed(d.derive("over their number", shares, times))


def _call(rates: Array, gamma: int) -> dict[str, Any]:
    survival = list(accumulate(rates, lambda a, b: a * b))
    values = {"gamma": gamma, "survival": survival[:gamma], "following": survival[gamma], "V": 1}
    return {**values, "ranges": {"s": range(1, gamma + 1)}}


def _follow(d: Derivation, name: str, gamma: sp.Expr) -> tuple[Any, Fact]:
    """The position to which a step with some drafts leads."""
    follow = d.map(name)
    at = sp.IndexedBase("at", real=True)
    wrong = sp.IndexedBase("wrong", real=True)
    end = sp.Symbol("end", real=True)
    step = sp.Min(sp.Min(wrong[k], at[k] + gamma) + 1, end)
    return follow, d.domain(f"{STEP} ({name})", eq(at[follow[k]], step))


def prove_long_run(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every text, every place of its wrong drafts, every two numbers of drafts and every number of steps.

    Equality where no step accepts more than the smaller number of drafts.
    """
    at = sp.IndexedBase("at", real=True)
    wrong = sp.IndexedBase("wrong", real=True)
    later = d.weights("later", j, k)
    gamma = d.number("gamma", 0)
    extra = d.number("extra", 0)
    follow, step = _follow(d, "fol", gamma)
    further, longer_step = _follow(d, "further", gamma + sign * extra)
    bit, no_earlier, earlier = d.domain(
        LATER,
        eq(later[j, k] * (1 - later[j, k]), 0),
        ge(later[j, k] * (at[j] - at[k]), 0),
        ge((1 - later[j, k]) * (at[k] - at[j] - 1), 0),
    )
    first_wrong = d.domain(FIRST, ge(later[j, k] * (wrong[j] - wrong[k]), 0))
    other_step = d.instantiate("from the other position", step, {k: j})
    keeps = d.derive(
        "a step that begins no earlier ends no earlier",
        ge(later[j, k] * (at[follow[j]] - at[follow[k]]), 0),
        *(bit, no_earlier, first_wrong, step, other_step),
        by="smt",
    )
    after = {j: follow[j], k: follow[k]}
    later_after = d.derive(
        "so the order stays",
        ge(later[follow[j], follow[k]], later[j, k]),
        *(keeps, bit, d.instantiate("there", bit, after), d.instantiate("there", earlier, after)),
        by="smt",
    )
    P, Q = (sp.IndexedBase(name, real=True) for name in "PQ")
    starts, goes = d.recursion("with the fewer drafts", eq(P[0, k], at[k]), eq(P[n + 1, k], P[n, follow[k]]))
    begins, runs = d.recursion("with the more drafts", eq(Q[0, k], at[k]), eq(Q[n + 1, k], Q[n, further[k]]))
    ordered = _ordered(d, later, follow, P, (starts, goes), (no_earlier, later_after, bit))
    gains = d.derive("more drafts end no step sooner", ge(at[further[k]], at[follow[k]]), step, longer_step, by="smt")
    there = {j: further[k], k: follow[k]}
    mark = d.derive(
        "so that it is later",
        eq(later[further[k], follow[k]], 1),
        *(gains, d.instantiate("there", bit, there), d.instantiate("there", earlier, there)),
        by="smt",
    )
    statement = ge(Q[n, k], P[n, k])
    before = d.suppose("no less is written", statement)
    base = d.derive("at first", statement.replace({n: 0}), starts, begins)
    same = d.instantiate("from where it leads", before, {k: further[k]})
    ahead = d.instantiate("from there and from the other", ordered, there)
    further_step = d.derive("one step more", statement.replace({n: n + 1}), goes, runs, same, ahead, mark, by="smt")
    every_count = d.induction("after every number of steps", statement, n, base, further_step)
    steps = sp.Symbol("steps", integer=True, nonnegative=True)
    whole_text = d.instantiate("of the whole text", every_count, {n: steps, k: begin})
    d.qed(d.derive("written", le(constant * P[steps, begin], Q[steps, begin]), whole_text))


def _ordered(
    d: Derivation,
    later: sp.IndexedBase,
    follow: sp.IndexedBase,
    P: sp.IndexedBase,
    recursion: tuple[Fact, Fact],
    marks: tuple[Fact, Fact, Fact],
) -> Fact:
    """Steps from a position that is no earlier lead no less far, whatever their number."""
    starts, goes = recursion
    no_earlier, later_after, bit = marks
    statement = ge(later[j, k] * (P[n, j] - P[n, k]), 0)
    before = d.suppose("the order of two positions", statement)
    start_j = d.instantiate("from the other position", starts, {k: j})
    base = d.derive("at first", statement.replace({n: 0}), starts, start_j, no_earlier, by="smt")
    after = {j: follow[j], k: follow[k]}
    there = d.instantiate("where they lead", before, after)
    goes_j = d.instantiate("from the other position", goes, {k: j})
    bit_after = d.instantiate("there", bit, after)
    step = d.derive(
        "one step more",
        statement.replace({n: n + 1}),
        *(goes, goes_j, there, later_after, bit, bit_after),
        by="smt",
    )
    return d.induction("of every number of steps", statement, n, base, step)


def _long_run(right: Array, gamma: int, budget: int, steps: int) -> dict[str, Any]:
    """Position number k is k − 1 tokens into the text; the text ends at the last one."""
    end = len(right)
    closed = np.concatenate([right, np.zeros(1, dtype=bool)])
    wrong = [next_position(closed, at, end) - 1 for at in range(end)] + [end]

    def follow(drafts: int) -> list[int]:
        return [min(min(wrong[at], at + drafts) + 1, end) + 1 for at in range(end + 1)]

    places = range(end + 1)
    return {
        "at": list(places),
        "wrong": wrong,
        "later": [[int(a >= b) for b in places] for a in places],
        "gamma": gamma,
        "extra": budget - gamma,
        "end": end,
        "fol": follow(gamma),
        "further": follow(budget),
        "steps": steps,
        "V": 1,
        "ranges": {
            "j": range(1, end + 2),
            "k": range(1, end + 2),
            "begin": [1],
            "n": range(max(steps, 1)),
        },
    }


def _calls() -> Iterator[Instance]:
    """Texts by period, drafts that are right or wrong at each place, one draft a step and two."""
    for period in range(1, 5):
        for flags in product((False, True), repeat=period):
            yield {"right": np.array(flags), "gamma": 1}


def _runs() -> Iterator[Instance]:
    """Texts of these lengths, and every number of steps that ends within them."""
    for call in _calls():
        yield from (
            {**call, "budget": budget, "steps": steps}
            for budget in (1, 2, 3)
            for steps in range(len(call["right"]) + 1)
        )


PROOFS = (
    Proof(CALL, prove_call, drop=FALLS, bind=_call),
    Refutation(
        LONG_RUN,
        _calls,
        scope="the first by the period of the text, of one draft a step and two",
        repaired={
            "drafts that are right everywhere or nowhere": lambda: (
                i for i in _calls() if len(set(i["right"].tolist())) == 1
            ),
            "what is written, not its share": (LONG_RUN_CORRECTED, _runs),
        },
    ),
    Proof(LONG_RUN_CORRECTED, prove_long_run, drop=FIRST, bind=_long_run),
)
