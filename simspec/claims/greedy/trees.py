"""A greedy tree misses the target's token only if the draft law is far: more branches certify more, without limit.

`greedy.tree` and `greedy.tree-margin` (with its growth and its limit): Sharma 2026 (arXiv 2606.30265), abstract.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, at_least, bound, broken, exact, identity, law
from simspec.claims.balls import ball, log
from simspec.claims.greedy.least import SHARMA
from simspec.claims.greedy.parts import positive_law
from simspec.claims.relaxed.certificate_margin import margin
from simspec.claims.relaxed.parts import HALF, divergence, lower_bound_scaled, xlogx

__all__ = ["drafted", "growth", "limit", "pool", "ranked", "tree_margin"]


def ranked(p: Array) -> list[int]:
    """Tokens from the likeliest down, the first of equals first."""
    return sorted(range(len(p)), key=lambda x: (-p[x], x))


def drafted(p: Array, q: Array, m: int) -> list[int]:
    """The m likeliest tokens of q, ties against the target's first token."""
    first = ranked(p)[0]
    return sorted(range(len(q)), key=lambda x: (-q[x], x == first, x))[:m]


def pool(p: Array, m: int) -> tuple[Any, Array]:
    """Level c and members: the first token, and those of the next m that are below c, the mean over all members.

    >>> height, members = pool(law("1/2", "3/8", "1/8"), 2)
    >>> str(height), members.tolist()
    ('5/16', [True, False, True])
    """
    first, *others = ranked(p)
    members = [first]
    for x in reversed(others[:m]):
        if p[x] * len(members) < sum(p[y] for y in members):
            members.append(x)
    return sum(p[y] for y in members) / len(members), np.isin(np.arange(len(p)), members)


def limit(p: Array, m: int) -> Any:
    """Σ p log(p/c) over the pool."""
    height, members = pool(p, m)
    return sum((xlogx(mass, height) for mass in p[members]), ball(0))


def _nearest(p: Array, m: int) -> Any:
    """KL(p‖u) of u, which is p with c on the pool."""
    height, members = pool(p, m)
    return divergence(p, np.where(members, height, p))


def _missed(draw: Draw) -> Instance:
    """A target and a law whose m likeliest tokens are others than the target's first."""
    vocab = 2 + draw.integer(0, 2)
    m = draw.integer(1, vocab - 1)
    p = draw.law(vocab)
    q = positive_law(draw, vocab)
    first = ranked(p)[0]
    order = sorted(range(vocab), key=lambda x: (-q[x], x))
    if order.index(first) < m:
        last = order[m]
        q[[first, last]] = q[[last, first]]
    return {"p": p, "q": q, "m": m}


TREE = identity(
    name="greedy.tree",
    statement=r"Where the target's first token is not among the drafter's $m < V$ likeliest, $\mathrm{KL}(p \Vert "
    r"q) \ge \sum_{x \in A} p(x) "
    r"\log(p(x)/c)$: $A$ holds the first token and those of the next $m$ of $p$ that are below $c$, the mean of $p$ "
    r"over $A$; it is "
    r"attained",
    reference=SHARMA,
    instances=_missed,
    relation=at_least,
    lhs=lambda p, q, m: np.array([divergence(p, q), _nearest(p, m), -_nearest(p, m)], dtype=object),
    rhs=lambda p, m: np.array([limit(p, m), limit(p, m), -limit(p, m)], dtype=object),
    tight=({"p": law("3/4", "1/4"), "q": HALF, "m": 1},),
    sources=("exact",),
    note="For m = 1 it is relaxed.certificate-strict; it is 0 where p₁ = p_{m+1}. The pool is found from the least "
    "likely of the next m up.",
    broken=[Broken("twice the lower bound", lambda claim: lower_bound_scaled(claim, 2))],
)


def tree_margin(delta: F, m: int) -> Any:
    """[(1 + mδ) log(1 + mδ) + m (1 − δ) log(1 − δ)]/(m + 1)."""
    high = 1 + m * delta
    return (xlogx(F(high), F(1)) + m * xlogx(F(1 - delta), F(1))) / (m + 1)


def _extreme(p: Array, m: int) -> Any:
    """KL from the uniform law of m + 1 tokens of the one with the margin of p whose others are equal."""
    delta = margin(p)
    return divergence(exact([(1 + m * delta) / (m + 1), *[(1 - delta) / (m + 1)] * m]), exact([F(1, m + 1)] * (m + 1)))


TREE_MARGIN = identity(
    name="greedy.tree-margin",
    statement=r"With the margin $\delta$ alone and $V > m$: $\mathrm{KL}(p \Vert q) < [(1 + m\delta)\log(1 + "
    r"m\delta) + m(1 - \delta)\log(1 - "
    r"\delta)]/(m + 1)$ certifies that the target's first token is among the drafter's $m$ likeliest; this is the "
    r"best constant in "
    r"$\delta$ and $m$: attained by $m + 1$ tokens",
    reference=SHARMA,
    instances=_missed,
    relation=at_least,
    lhs=lambda p, q, m: np.array([divergence(p, q), _extreme(p, m), -_extreme(p, m)], dtype=object),
    rhs=lambda p, m: np.array(
        [tree_margin(margin(p), m), tree_margin(margin(p), m), -tree_margin(margin(p), m)], dtype=object
    ),
    tight=({"p": law("3/4", "1/4"), "q": HALF, "m": 1},),
    sources=("exact",),
    note="For m = 1 it is relaxed.certificate-margin; at δ = 1 it is log(m + 1).",
    broken=[Broken("twice the lower bound", lambda claim: lower_bound_scaled(claim, 2))],
)


def _branches(draw: Draw) -> Instance:
    return {"delta": draw.number(0, 1), "m": draw.integer(1, 40)}


INCREASING = bound(
    name="greedy.tree-margin.increasing",
    statement=r"$F_m(\delta) = [(1 + m\delta)\log(1 + m\delta) + m(1 - \delta)\log(1 - \delta)]/(m + 1)$ grows with "
    r"$m$ at a fixed margin: each "
    r"further branch certifies more",
    reference=SHARMA,
    instances=_branches,
    lhs=lambda delta, m: tree_margin(delta, m + 1),
    relation=at_least,
    rhs=lambda delta, m: tree_margin(delta, m),
    tight=[{"delta": F(0), "m": 1}],
    sources=("exact",),
    note="Equality at δ = 0 alone, where nothing is certified.",
    broken=[broken("one branch too many", rhs=lambda delta, m: tree_margin(delta, m + 2))],
)

LIMIT = bound(
    name="greedy.tree-margin.limit",
    statement=r"$F_m(\delta)$ grows to $-\log(1 - \delta)$ as the branches grow: it is at most that",
    reference="restoration of Sharma 2026 (arXiv 2606.30265)",
    instances=lambda draw: {"delta": draw.number(0, "9/10"), "m": draw.integer(1, 40)},
    lhs=lambda delta, m: tree_margin(delta, m),
    rhs=lambda delta: -log(ball(1 - delta)),
    sources=("exact",),
    corrected_by=("greedy.tree-margin.limit-corrected",),
    within=({"delta": F(1, 2), "m": 11},),
    note="At δ = ½ eleven branches certify more than log 2; no number of branches is enough to bound what they "
    "certify.",
)


def growth(delta: F, m: int) -> Any:
    """δ log(1 + mδ) + (1 − δ) log(1 − δ)."""
    return ball(delta) * log(ball(1 + m * delta)) + xlogx(F(1 - delta), F(1))


def _gap(delta: F, m: int) -> Any:
    """(1 − δ)/(m + 1) log((1 + mδ)/(1 − δ)), 0 at δ = 1."""
    if delta == 1:
        return ball(0)
    return ball(F(1 - delta) / (m + 1)) * (log(ball(1 + m * delta)) - log(ball(1 - delta)))


LIMIT_CORRECTED = identity(
    name="greedy.tree-margin.limit-corrected",
    statement=r"$F_m(\delta) = \delta \log(1 + m\delta) + (1 - \delta)\log(1 - \delta) + \frac{1 - \delta}{m + 1} "
    r"\log\frac{1 + m\delta}{1 - "
    r"\delta}$: for every positive margin it grows without limit, as $\delta \log m$",
    reference="correction of the restoration of Sharma 2026 (arXiv 2606.30265)",
    instances=_branches,
    lhs=lambda delta, m: tree_margin(delta, m),
    rhs=lambda delta, m: growth(delta, m) + _gap(delta, m),
    tight=[{"delta": F(1), "m": 1}],
    sources=("exact",),
    note="The last term is not negative and tends to 0.",
    broken=[broken("without the last term", rhs=lambda delta, m: growth(delta, m))],
)
