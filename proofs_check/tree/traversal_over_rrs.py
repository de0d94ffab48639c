"""tree.traversal-over-rrs: at the root both rules do the same, and on a chain a weight that is carried on is never worth less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, laws, le, total, x, y
from proofs_check.tree._drawn import drawn_tree
from proofs_check.tree._machine import N, n, s, start
from simspec.claims.authoring import law
from simspec.claims.claim import Instance
from simspec.claims.tree.traversal_over_rrs import OVER_RRS, OVER_RRS_CORRECTED, UNEVEN
from simspec.methods.tree.shapes import Shape

WEIGHT = "traversal accepts a child with min(1, aM/S), recursive rejection with min(1, M/S)"
ALONE = "below the root a node has one child; at the root the weight is one"


def _nothing(d: Derivation, maps: tuple[Any, Any], of_y: Sequence[Fact], last: Fact) -> Fact:
    """After an only child nothing is accepted by recursive rejection."""
    keep, S, alone, Y = (sp.IndexedBase(name, real=True) for name in ("keep", "S", "alone", "Y"))
    acc, ref = maps
    back = ref[s, x]
    child = eq(alone[s] * S[s, x] * Y[n, back], 0)
    at_back = [d.instantiate("after the only child", f, {s: back}) for f in of_y]
    inner = S[back, y] * (keep[back, y] * (1 + Y[n, acc[back, y]]) + (1 - keep[back, y]) * Y[n, ref[back, y]])
    empty = d.summed("there is no other", eq(alone[s] * S[s, x] * inner, 0), last, over=y)
    first = d.derive("nothing at first", child.replace({n: 0}), at_back[0])
    then = d.smt("nothing then", child.replace({n: n + 1}), at_back[1], empty)
    return d.induction("after an only child nothing is accepted", child, n, first, then)


def _with_child(
    d: Derivation, go: Any, weights: Sequence[Fact], below: Fact, never: Fact, sizes: Sequence[Fact]
) -> Fact:
    """What the child and all below it bring is no less than the weight times what they bring under recursive rejection."""
    a, keep, S, X, Y = (sp.IndexedBase(name, real=True) for name in ("a", "keep", "S", "X", "Y"))
    take = d.smt("the child takes no less", ge(S[s, x] * a[go], a[s] * S[s, x] * keep[s, x]), *weights, *sizes)
    inside = ge(S[s, x] * (a[go] + X[n, go]), a[s] * S[s, x] * keep[s, x] * (1 + Y[n, go]))
    worth = d.smt("what is below it", ge(S[s, x] * X[n, go], S[s, x] * a[go] * Y[n, go]), below, *sizes)
    worth_bound = d.smt(
        "and is worth as much", ge(S[s, x] * a[go] * Y[n, go], a[s] * S[s, x] * keep[s, x] * Y[n, go]), take, never
    )
    return d.smt("with the child", inside, take, worth, worth_bound)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, any number of chains below the root, all laws by context; by induction on the tree.

    Sharp: equality where the root's children are leaves.
    """
    a, keep, M, S, alone = (sp.IndexedBase(name, real=True) for name in ("a", "keep", "M", "S", "alone"))
    X, Y = (sp.IndexedBase(name, real=True) for name in ("X", "Y"))
    acc = d.map("acc")
    ref = d.map("ref")
    go = acc[s, x]
    back = ref[s, x]
    bounds = d.domain("weights are probabilities", ge(a[s], 0), le(a[s], 1), ge(keep[s, x], 0), le(keep[s, x], 1))
    positive = d.domain("laws are not negative", ge(S[s, x], 0), ge(M[s, x], 0))
    carried, keep_rule = d.domain(
        WEIGHT,
        eq(S[s, x] * a[go], sp.Min(S[s, x], constant * a[s] * M[s, x])),
        eq(S[s, x] * keep[s, x], sp.Min(S[s, x], M[s, x])),
    )
    mark, root, stays, last = d.domain(
        ALONE,
        eq(alone[s] * (1 - alone[s]), 0),
        eq((1 - alone[s]) * (1 - a[s]), 0),
        eq((1 - alone[s]) * S[s, x] * (1 - a[back]), 0),
        eq(alone[s] * S[s, x] * S[back, y], 0),
    )
    none_x, more_x = d.recursion(
        "accepted by traversal below a node, in so many steps",
        eq(X[0, s], 0),
        eq(X[n + 1, s], total(S[s, x] * (a[go] + X[n, go] + sign * (1 - a[go]) * X[n, back]), x)),
    )
    none_y, more_y = d.recursion(
        "accepted by recursive rejection",
        eq(Y[0, s], 0),
        eq(Y[n + 1, s], total(S[s, x] * (keep[s, x] * (1 + Y[n, go]) + (1 - keep[s, x]) * Y[n, back]), x)),
    )
    nothing = _nothing(d, (acc, ref), (none_y, more_y), last)
    some_y = ge(Y[n, s], 0)
    before = d.suppose("not negative so far", some_y)
    parts = [d.instantiate("there", before, {s: to}) for to in (go, back)]
    term = ge(S[s, x] * (keep[s, x] * (1 + Y[n, go]) + (1 - keep[s, x]) * Y[n, back]), 0)
    term = d.summed("no term is negative", term, *parts, *bounds, *positive, by="smt")
    some_y = d.inductive("what is accepted is not negative", some_y, n, [none_y], [more_y, term])
    law_ = ge(X[n, s], a[s] * Y[n, s])
    hypothesis = d.suppose("with less of the tree", law_)
    below = [d.instantiate("there", hypothesis, {s: to}) for to in (go, back)]
    never = [d.instantiate("there", some_y, {s: to}) for to in (go, back)]
    sizes = [*(d.instantiate("of the child", f, {s: go}) for f in bounds[:2]), *bounds, *positive]
    inside = _with_child(d, go, (carried, keep_rule), below[0], never[0], sizes)
    refused_weight = S[s, x] * (1 - a[go])
    refused_recursive = S[s, x] * (1 - keep[s, x])
    later = d.smt("after it", ge(refused_weight * X[n, back], refused_weight * a[back] * Y[n, back]), below[1], *sizes)
    sizes.append(d.instantiate("after it", bounds[0], {s: back}))
    some = d.smt("which is not negative", ge(refused_weight * a[back] * Y[n, back], 0), never[1], *sizes)
    gone = d.smt(
        "at the root as much is refused",
        eq((1 - alone[s]) * (refused_weight - refused_recursive), 0),
        root,
        carried,
        keep_rule,
    )
    same = (1 - alone[s]) * (refused_weight * a[back] * Y[n, back] - a[s] * refused_recursive * Y[n, back])
    same = d.smt("at the root the same", eq(same, 0), gone, root, stays)
    empty = d.smt("nothing after an only child", eq(alone[s] * a[s] * refused_recursive * Y[n, back], 0), nothing)
    after = d.smt(
        "after a refusal",
        ge(refused_weight * X[n, back], a[s] * refused_recursive * Y[n, back]),
        later,
        some,
        same,
        empty,
        mark,
    )
    per_child = ge(
        S[s, x] * (a[go] + X[n, go] + (1 - a[go]) * X[n, back]),
        a[s] * S[s, x] * (keep[s, x] * (1 + Y[n, go]) + (1 - keep[s, x]) * Y[n, back]),
    )
    per_child = d.summed("both", per_child, inside, after)
    for_every_n = d.inductive("whatever is left", law_, n, [none_x, none_y], [more_x, more_y, per_child])
    for_every_n = d.instantiate("from the root", for_every_n, {n: N, s: start})
    sure = d.domain("the root is accepted for sure", eq(a[start], 1))
    d.qed(d.derive("for sure", ge(X[N, start], Y[N, start]), for_every_n, sure))


def _values(shape: Shape, replace: int, target: Any, draft: Any) -> dict[str, Any]:
    machine = drawn_tree(shape, target, draft, bool(replace), traverse=True)
    states = machine.states

    def keep(at: int, token: int) -> Any:
        now = states[at - 1]
        return min(1, now.M[token - 1] / now.S[token - 1]) if now.S[token - 1] else 0

    return machine.values() | {"keep": keep, "alone": [int(bool(state.at)) for state in states]}


def _laws() -> Iterator[tuple[Any, Any, Any, Any, int]]:
    """Laws of the second and third token, halves and whole numbers, and how children are drawn."""
    halves = list(laws(2, 2))
    certain_laws = list(laws(2, 1))
    yield from product(halves, halves, certain_laws, certain_laws, (1, 0))


def by_size() -> Iterator[Instance]:
    """The uneven tree: a first token that is drafted for sure and kept with 1/2, then laws by position."""
    for m, q, m_, q_, replace in _laws():
        target = np.stack([law("1/2", "1/2"), m, m_])
        draft = np.stack([law(1, 0), q, q_])
        yield {"shape": UNEVEN, "replace": replace, "target": target, "draft": draft}


def _chains() -> Iterator[Instance]:
    """The same laws on two chains."""
    for m, q, m_, _, replace in _laws():
        target = np.stack([law("1/2", "1/2"), m, m, m_, m_, m_, m_])
        draft = np.stack([law("1/2", "1/2"), q, q])
        yield {"shape": (((),), ()), "replace": replace, "target": target, "draft": draft}


PROOFS = (
    Refutation(
        OVER_RRS,
        by_size,
        scope="the first on the uneven tree of four drafts: the first law fixed, the second in halves, the third certain",
        repaired={"only the root has more than one child": (OVER_RRS_CORRECTED, _chains)},
    ),
    Proof(OVER_RRS_CORRECTED, prove, drop=ALONE, bind=_values),
)
