"""relaxed.allocation: k − (k − p)₊ is at most min(p, q), and is it where k lies between min(p, q) and q; runs from their end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, index, le, total, x
from simspec.claims.authoring import F, law
from simspec.claims.claim import Instance
from simspec.claims.relaxed.allocation import ALLOCATION, ALLOCATION_ANY, EARLY, EARLY_CORRECTED, run

RANGE = "what is kept is a part of the draft, and at least min(p, q)"
PART = "what is kept is a part of the draft"
RUNS = "a run is accepted at its first position and goes on"
c = index("c")
C = sp.Symbol("C", integer=True, positive=True)
n, J = sp.symbols("n J", integer=True, nonnegative=True)


def _mean(w: Any, mass: Any) -> Any:
    return total(w[c] * total(mass, x), c, upto=C)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of contexts, every vocabulary, all laws, weights and kept masses in the range."""
    w = d.weights("w", c)
    p, q, k, rival = (d.weights(name, c, x) for name in ("p", "q", "k", "other"))
    facts = d.domain(
        RANGE,
        *(le(accepted[c, x], q[c, x]) for accepted in (k, rival)),
        *(ge(accepted[c, x], sp.Min(p[c, x], q[c, x])) for accepted in (k, rival)),
    )
    means = []
    for accepted in (k, rival):
        over = sp.Max(accepted[c, x] - p[c, x], 0)
        shared = sp.Min(p[c, x], q[c, x])
        per_context = d.summed("shared, and beyond p", eq(accepted[c, x], shared + over), *facts, by="smt")
        per_context = d.derive(
            "by weight", eq(w[c] * total(accepted[c, x], x), w[c] * per_context.relation.rhs), per_context, by="algebra"
        )
        means.append(d.sum("over the contexts", per_context, c, upto=C))
    paid = [_mean(w, sp.Max(accepted[c, x] - p[c, x], 0)) for accepted in (k, rival)]
    rates = eq(_mean(w, k[c, x]) - sign * _mean(w, rival[c, x]), constant * paid[0] - paid[1])
    d.qed(d.derive("the difference", rates, *means, by="algebra"))


def prove_any(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of contexts, every vocabulary, all laws, weights and rules.

    With equality for every rule of relaxed.allocation.
    """
    w = d.weights("w", c)
    p, q, k = (d.weights(name, c, x) for name in ("p", "q", "k"))
    within_draft = d.domain(PART, le(k[c, x], q[c, x]))
    over = sp.Max(k[c, x] - p[c, x], 0)
    shared = sp.Min(p[c, x], q[c, x])
    per_context = d.summed("shared, or beyond p", le(k[c, x], sign * shared + over), within_draft, by="smt")
    per_context = d.derive(
        "by weight", le(w[c] * total(k[c, x], x), w[c] * (total(shared, x) + total(over, x))), per_context, by="smt"
    )
    per_context = d.sum("over the contexts", per_context, c, upto=C)
    d.qed(d.derive("in all", le(constant * _mean(w, k[c, x]), _mean(w, shared) + _mean(w, over)), per_context))


def prove_early(d: Derivation, sign: int = 1, constant: int = 1, further: int = 1) -> None:
    """Every number of drafts, all rates, from the position that is raised back to the first."""
    a = d.number("a", 0)
    b = d.weights("b", n)
    t = sp.Symbol("t", real=True)
    after = d.number("N", 0)
    run_, raised, reached = (sp.IndexedBase(name, real=True) for name in ("run", "raised", "reached"))
    first, on = d.recursion(RUNS, eq(run_[0], a * (1 + after)), eq(run_[n + 1], b[n + 1] * (1 + run_[n])))
    first_, on_ = d.recursion(
        f"{RUNS}, raised", eq(raised[0], (a + sign * t) * (1 + after)), eq(raised[n + 1], b[n + 1] * (1 + raised[n]))
    )
    reach_start, back = d.recursion(
        "what is reached", eq(reached[0], constant), eq(reached[n + 1], reached[n] * b[n + 1])
    )
    goal = eq(raised[n] - run_[n], reached[n] * t * (1 + further * after))
    so_far = d.suppose("from here", goal)
    step = d.derive("one position before", eq(b[n + 1] * (raised[n] - run_[n]), b[n + 1] * goal.rhs), so_far)
    for_every_n = d.inductive("back to the first", goal, n, [first, first_, reach_start], [step, on, on_, back])
    d.qed(d.instantiate("from the first position", for_every_n, {n: J}))


def by_size(counts: tuple[int, ...] = (2, 3), most: int = 2) -> Iterator[Instance]:
    """Rates by number and denominator, two positions that are reached, and all that both have room for."""
    for number, denominator in product(counts, range(1, most + 1)):
        for shares in product(range(denominator + 1), repeat=number):
            rates = law(*(F(s, denominator) for s in shares))
            for first, second in combinations(range(number), 2):
                reach = [run(rates[:at]) - run(rates[: at - 1]) if at else 1 for at in (first, second)]
                if all(reach):
                    common_slack = min(r * (1 - rates[at]) for r, at in zip(reach, (first, second), strict=True))
                    yield {"rates": rates, "first": first, "second": second, "paid": common_slack}


def _bind(w: Any, p: Any, q: Any, k: Any, other: Any = None) -> dict[str, Any]:
    bindings = {"w": w, "p": p, "q": q, "k": k, "other": other, "V": p.shape[1], "C": len(w)}
    return {
        **{name: value for name, value in bindings.items() if value is not None},
        "ranges": {"c": range(1, len(w) + 1)},
    }


def _bind_early(rates: Any, at: int, more: Any) -> dict[str, Any]:
    return {
        **{"a": rates[at], "t": more, "N": run(rates[at + 1 :]), "J": at},
        "b": lambda place: rates[at - place] if place else F(0),
        "ranges": {"n": range(at + 1)},
    }


PROOFS = (
    Proof(ALLOCATION, prove, drop=RANGE, change={"constant": 2}, bind=_bind),
    Proof(ALLOCATION_ANY, prove_any, drop=PART, change={"constant": 2}, bind=_bind),
    Refutation(
        EARLY,
        by_size,
        scope="the first by number of drafts and denominator: three drafts",
        repaired={"two drafts": lambda: by_size((2,), 6)},
    ),
    Proof(EARLY_CORRECTED, prove_early, drop={"further": 0}, change={"constant": 2}, bind=_bind_early),
)
