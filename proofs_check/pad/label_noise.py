"""pad.label-noise: errors rise towards the corners of a box of utilities, so that certified corners bound all between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from functools import cache
from itertools import pairwise, product
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, Relation, eq, ge, index, le, lt
from simspec.claims.balls import ball
from simspec.claims.claim import Instance
from simspec.claims.pad.label_noise import (
    DROP,
    ENOUGH,
    LABEL_NOISE,
    LABEL_NOISE_CORRECTED,
    LABEL_NOISE_SHARP,
    LEVEL,
    LOWEST,
    RATIO,
    ends,
    pivot_label,
)

(COVER,) = LABEL_NOISE_CORRECTED.assumes
(FEWER,) = LABEL_NOISE_SHARP.assumes
FALLS = "a success more of the candidate makes none"
n = sp.Symbol("n", integer=True, nonnegative=True)
k = index("k")
m = index("m")
"""Rollouts, and successes of the base and of the candidate (members of any set, that `more` maps into itself)."""


class Label(NamedTuple):
    """The label after k successes of the base and m of the candidate, 1 for "pivot"; and one success more."""

    value: Any
    more: Any
    rises: Fact
    falls: Fact


def label_of(d: Derivation) -> Label:
    """“Pivot” where the candidate has fewer than nine tenths of the base's successes."""
    label = sp.IndexedBase("label", real=True)
    successor = d.map("more")
    rises = d.domain("a success more of the base keeps a pivot", ge(label[successor[k], m] - label[k, m], 0))
    return Label(label, successor, rises, d.domain(FALLS, ge(label[k, m] - label[k, successor[m]], 0)))


def coupling(
    d: Derivation,
    label: Label,
    names: Sequence[str],
    base: Sequence[sp.Symbol],
    candidate: Sequence[sp.Expr],
    order: Sequence[Fact],
    sign: int = 1,
) -> Fact:
    """The chance of "pivot" does not fall where the base's value rises and the candidate's falls.

    Both of a pair are values in [0, 1], the second of `base` the higher and the second of `candidate` the lower, by `order`.
    """
    before, after = (sp.IndexedBase(name, real=True) for name in names)
    successor = label.more

    def mean(J: sp.IndexedBase, b: sp.Symbol, c: sp.Expr) -> Any:
        """One rollout more of each."""
        hit, miss = (c * J[n, at, successor[m]] + (1 - c) * J[n, at, m] for at in (successor[k], k))
        return b * hit + sign * (1 - b) * miss

    def chance(text: str, J: sp.IndexedBase, b: sp.Symbol, c: sp.Expr) -> tuple[Fact, Fact]:
        return d.recursion(text, eq(J[0, k, m], label.value[k, m]), eq(J[n + 1, k, m], mean(J, b, c)))

    def everywhere(fact: Fact) -> list[Fact]:
        """A fact of k and m with a success more, or none, of each."""
        raised_facts = [fact, *(d.instantiate("with a success more", fact, {s: successor[s]}) for s in (k, m))]
        return [*raised_facts, d.instantiate("with one more of each", raised_facts[1], {m: successor[m]})]

    (b, higher) = base
    (c, lower) = candidate
    start, step = chance("the chance of “pivot” from k and m successes and n rollouts more of each", before, b, c)
    start_2, step_2 = chance("and with the base's value higher, the candidate's lower", after, higher, lower)

    def rising(direction: str, statement: Relation, at: sp.Symbol, premise: Fact) -> Fact:
        beyond = d.instantiate("one success more", start, {at: successor[at]})
        first_ = d.smt("before the first", statement.replace({n: 0}), start, beyond, premise)
        hypothesis = d.suppose(f"{names[0]}: {direction}, after n rollouts", statement)
        beyond = d.instantiate("one success more", step, {at: successor[at]})
        facts = step, beyond, *everywhere(hypothesis), *order
        next_ = d.smt("after one more", statement.replace({n: n + 1}), *facts)
        return d.induction(direction, statement, n, first_, next_)

    up = ge(before[n, successor[k], m] - before[n, k, m], 0)
    up = rising("a success more of the base does not lower it", up, k, label.rises)
    down = ge(before[n, k, m] - before[n, k, successor[m]], 0)
    down = rising("a success more of the candidate does not raise it", down, m, label.falls)
    statement = ge(after[n, k, m] - before[n, k, m], 0)
    hypothesis = d.suppose(f"{names[1]} is no lower than {names[0]} after n rollouts", statement)
    alike = ge(mean(after, higher, lower) - mean(before, higher, lower), 0)
    alike = d.smt("one more with the same values", alike, *everywhere(hypothesis), *order)
    gain = ge(mean(before, higher, lower) - mean(before, b, lower), 0)
    up_2 = d.instantiate("with a success more", up, {m: successor[m]})
    gain = d.smt("a higher value of the base", gain, up, up_2, *order)
    loss = ge(mean(before, b, lower) - mean(before, b, c), 0)
    down_2 = d.instantiate("with a success more", down, {k: successor[k]})
    loss = d.smt("a lower value of the candidate", loss, down, down_2, *order)
    return d.inductive(
        "the chance is no lower", statement, n, [start, start_2], [step, step_2, alike, gain, loss], by="smt"
    )


def as_defined(case: tuple[F, F, int]) -> bool:
    """Whether the chance by one rollout after the other is the package's."""
    base, candidate, rollouts = case

    @cache
    def chance(remaining: int, k: int, m: int) -> F:
        if not remaining:
            return F(m < RATIO * k)
        hit, miss = (
            candidate * chance(remaining - 1, a, m + 1) + (1 - candidate) * chance(remaining - 1, a, m)
            for a in (k + 1, k)
        )
        return base * hit + (1 - base) * miss

    return bool(pivot_label(base, candidate, rollouts).overlaps(ball(chance(rollouts, 0, 0))))


def prove(d: Derivation, sign: int = 1, rollouts: int = ENOUGH, drop: F = DROP) -> None:
    """Both errors of the label are at most 5 % in each box of utilities, so for every utility from 0.3 to 1."""
    low, high = sp.symbols("first_end last_end", real=True)
    covered = d.assume(COVER, le(low, sp.Rational(LOWEST)), ge(high, 1))
    u = d.number("U", low=sp.Rational(LOWEST), high=1)
    d.smt("no utility is below the first end", ge(u, low), *covered)
    d.smt("nor above the last", le(u, high), *covered)
    cover = ends().tolist()
    d.exhaust(
        "the ends of the boxes rise from 0.3 to 1",
        lambda box: cover[0] <= LOWEST and cover[-1] >= 1 and box[0] < box[1],
        pairwise(cover),
    )
    lower = d.number("lower", low=0, high=1)
    upper = d.number("upper", low=0, high=1)
    box = d.domain("the box that holds U, as the ends rise from first to last", ge(u, lower), le(u, upper))
    label = label_of(d)
    remaining_share = 1 - sp.Rational(drop)
    coupling(d, label, ("alarm", "alarm_corner"), (u, upper), (u, lower), box, sign)
    coupling(d, label, ("found_corner", "found"), (lower, u), (remaining_share * upper, remaining_share * u), box, sign)
    values = [F(3, 10), F(4, 5), F(1)]
    cases = product(values, values, range(1, 6))
    d.exhaust("from no success, that chance is the package's, up to five rollouts", as_defined, cases)

    def small(box: tuple[F, F]) -> bool:
        alarm = pivot_label(box[1], box[0], rollouts)
        miss = 1 - pivot_label(box[0], (1 - drop) * box[1], rollouts)
        return bool(alarm <= ball(LEVEL) and miss <= ball(LEVEL))

    d.exhaust(
        "in each box the false alarm with the base at its upper end and the candidate at its lower one, and the miss with the "
        "base at its lower end and the candidate a drop below its upper one, are at most 5 %",
        small,
        pairwise(cover),
        r"P(X_c < \tfrac9{10} X_b) \le \tfrac1{20}, \quad P(X_c \ge \tfrac9{10} X_b) \le \tfrac1{20}",
    )


def prove_sharp(d: Derivation, sign: int = 1, lowest: F = LOWEST, level: F = LEVEL) -> None:
    rollouts = sp.Symbol("rollouts", integer=True, positive=True)
    fewer = d.assume(FEWER, lt(rollouts, ENOUGH))
    last = int(fewer.relation.rhs) - 1 if fewer.relation.op == "<" else ENOUGH  # without the assumption one more
    d.exhaust(
        "false alarms at U = 0.3 exceed 5 %",
        lambda n: bool(sign * pivot_label(lowest, lowest, n) >= sign * ball(level)),
        range(last, 0, -1),
        r"P(X_c < \tfrac9{10} X_b) \ge \tfrac1{20}",
    )


def utilities(rollouts: int = 20) -> Iterator[Instance]:
    """Utilities from 0.3 to 1 in tenths."""
    for tenths in range(3, 11):
        yield {"value": F(tenths, 10), "rollouts": rollouts, "ratio": RATIO, "drop": DROP}


PROOFS: tuple[Any, ...] = (
    Refutation(
        LABEL_NOISE,
        utilities,
        scope="the lowest of the utilities 0.3, 0.4, …, 1",
        repaired={
            f"{ENOUGH} rollouts, every utility from 0.3 to 1": (
                LABEL_NOISE_CORRECTED,
                lambda: [{"rollouts": ENOUGH, "cover": ends()}],
            )
        },
    ),
    Proof(
        LABEL_NOISE_CORRECTED,
        prove,
        drop=FALLS,
        change={"rollouts": ENOUGH - 40},
        bind=None,
        scope="every utility from 0.3 to 1: neither error is likelier than at the corners of its box, after any number of "
        f"rollouts; at those of the 120 boxes both are at most 5 % after {ENOUGH}, by enumeration. That the chance, defined by "
        "one rollout after the other, is that of the two binomials is compared up to five rollouts",
    ),
    Proof(
        LABEL_NOISE_SHARP,
        prove_sharp,
        drop=FEWER,
        change={"level": F(51, 1000)},
        bind=None,
        scope=f"each of the {ENOUGH - 1:,} numbers of rollouts",
        sharp=f"{ENOUGH} rollouts suffice (pad.label-noise-corrected).",
    ),
)
