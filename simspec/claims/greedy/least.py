"""A greedy draft is accepted for sure below the least divergence of a law whose mode is refused, which has a closed form.

`greedy.any-set` for every set of refused tokens; `greedy.level-set`, `greedy.additive`, `greedy.multiplicative`, `greedy.top-m`
and `greedy.entropy` for the criteria of practice: Sharma 2026 (arXiv 2606.30265), abstract.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lcm
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Claim, Draw, F, Instance, at_least, identity, law
from simspec.claims.balls import ball, log, plogp
from simspec.claims.greedy.parts import nearest, nonuniform, radius, with_mode
from simspec.claims.relaxed.parts import divergence, lower_bound_scaled

__all__ = [
    "below",
    "least",
    "refused_by_entropy",
    "refused_by_factor",
    "refused_by_level",
    "refused_by_margin",
    "refused_by_rank",
    "refused_set",
]

LARGEST_POWER = 1000
"""Largest common denominator for which masses are raised to it: a tie has a small one."""
Refused = Callable[..., Array]
SHARMA = "Sharma 2026 (arXiv 2606.30265), abstract at hand, formula restored"
MODE = r"over laws $q$ that are largest at a rejected token"
POOL = r"$\sum_{x \in S \cup \{b\}} p(x) \log(p(x)/c)$, $b$ the likeliest rejected token, $c$ the mean of $p$ over $S \cup \{b\}$"


def refused_set(p: Array, rejected: Array) -> Array:
    """Any set of tokens."""
    return rejected


def refused_by_level(p: Array, threshold: F) -> Array:
    """Tokens of less mass than a threshold."""
    return p < threshold


def refused_by_margin(p: Array, margin: F) -> Array:
    """Tokens further than a margin below the largest mass."""
    return p < p.max() - margin


def refused_by_factor(p: Array, factor: F) -> Array:
    """Tokens of less than a share of the largest mass."""
    return p < factor * p.max()


def refused_by_rank(p: Array, m: int) -> Array:
    """Tokens beyond the m likeliest, the first of equals first."""
    ranked = sorted(range(len(p)), key=lambda x: (-p[x], x))
    return np.isin(np.arange(len(p)), ranked[m:])


def refused_by_entropy(p: Array, epsilon: F, delta: F) -> Array:
    """Tokens of less mass than min(ε, δ exp(−H(p))), decided on integers where the common denominator N allows it.

    exp(−N H) is the product of p(y)^(N p(y)), a fraction; with a large N logarithms decide, as balls.

    >>> refused_by_entropy(law("1/2", "1/2"), F(1), F(1)).tolist()
    [False, False]
    """
    common = lcm(*(F(mass).denominator for mass in p))
    if common > LARGEST_POWER:
        level = log(ball(delta)) + plogp(p).sum()
        return np.array([bool(mass < epsilon and (mass == 0 or log(ball(mass)) < level)) for mass in p])
    surprisal = F(1)
    for mass in p:
        surprisal *= F(mass) ** int(mass * common) if mass else 1
    return np.array([mass < epsilon and mass**common < delta**common * surprisal for mass in p])


def below(draw: Draw, p: Array, token: int) -> Any:
    """A number above the mass of a token, at most the largest mass, that the token is below."""
    return p[token] + (p.max() - p[token]) * draw.number(F(1, 16), 1)


def _lower_token(draw: Draw, p: Array) -> int:
    """A token that is less likely than another."""
    tokens = np.flatnonzero(p < p.max())
    return int(tokens[draw.integer(0, len(tokens) - 1)])


def _vocab(draw: Draw) -> int:
    return 2 + draw.integer(0, 2)


def _any(draw: Draw) -> Instance:
    vocab = _vocab(draw)
    p = draw.law(vocab)
    rejected = draw.mask(vocab)
    return {"p": p, "rejected": rejected, "q": with_mode(draw, rejected)}


def _with_rule(draw: Draw, rule: Callable[[Draw, Array], dict[str, Any]], refused: Refused) -> Instance:
    p = nonuniform(draw, _vocab(draw))
    numbers = rule(draw, p)
    return {"p": p, **numbers, "q": with_mode(draw, refused(p, **numbers))}


def _threshold(draw: Draw, p: Array) -> dict[str, Any]:
    return {"threshold": below(draw, p, _lower_token(draw, p))}


def _margin(draw: Draw, p: Array) -> dict[str, Any]:
    return {"margin": p.max() - below(draw, p, _lower_token(draw, p))}


def _factor(draw: Draw, p: Array) -> dict[str, Any]:
    return {"factor": below(draw, p, _lower_token(draw, p)) / p.max()}


def _rank(draw: Draw, p: Array) -> dict[str, Any]:
    return {"m": draw.integer(1, len(p) - 1)}


def _typical(draw: Draw, p: Array) -> dict[str, Any]:
    """ε above the mass of a token, δ at most 1: unless all are equal, the least likely token is below exp(−H)."""
    epsilon = below(draw, p, int(np.argmin(p)))
    return {"epsilon": epsilon, "delta": draw.number(F(1, 2), 1) if p.min() == 0 else F(1)}


def least(
    name: str, statement: str, reference: str, draw: Any, refused: Refused, example: Instance, note: str
) -> Claim:
    """The claim of one criterion: no law with a refused mode is nearer than the closed form, and the law cut down is as near."""

    def lhs(p: Array, q: Array, **rule: Any) -> Array:
        near = nearest(p, refused(p, **rule))
        return np.array([divergence(p, q), near, -near], dtype=object)

    def rhs(p: Array, q: Array, **rule: Any) -> Array:
        bound = radius(p, refused(p, **rule))
        return np.array([bound, bound, -bound], dtype=object)

    return identity(
        name=name,
        statement=statement,
        reference=reference,
        instances=draw,
        relation=at_least,
        lhs=lhs,
        rhs=rhs,
        tight=(example,),
        sources=("exact",),
        note=note,
        broken=[Broken("twice the lower bound", lambda claim: lower_bound_scaled(claim, 2))],
    )


FAR_APART = {"p": law("3/4", "1/4"), "q": law("1/2", "1/2")}

ANY_SET = least(
    "greedy.any-set",
    rf"For any non-empty set of rejected tokens the least $\mathrm{{KL}}(p \Vert q)$ {MODE} is {POOL}, $S$ the "
    rf"tokens whose mass "
    r"is above $c$; it is attained",
    "own statement, on Sharma 2026 (arXiv 2606.30265)",
    _any,
    refused_set,
    {**FAR_APART, "rejected": np.array([False, True])},
    "Level sets are not needed: exchanging a rejected mode with b brings q no further from p. It is 0 where R holds "
    "a token of mass "
    "p₁; where R is empty nothing is rejected, and the certificate is infinite.",
)

LEVEL_SET = least(
    "greedy.level-set",
    rf"For a criterion that rejects the tokens below a level, the least $\mathrm{{KL}}(p \Vert q)$ {MODE} is "
    rf"{POOL}, $S$ the accepted "
    r"tokens whose mass is above $c$, found from the likeliest down; it is attained",
    SHARMA,
    lambda draw: _with_rule(draw, _threshold, refused_by_level),
    refused_by_level,
    {**FAR_APART, "threshold": F(1, 2)},
    "A case of greedy.any-set: no rejected token but b can be above c, since c is above the mass of b.",
)

ADDITIVE = least(
    "greedy.additive",
    rf"Where tokens with $p(x) \ge p_1 - \tau$ are accepted, the least $\mathrm{{KL}}(p \Vert q)$ {MODE} is {POOL}, "
    rf"$S$ the tokens "
    r"above $c$; it is attained",
    SHARMA,
    lambda draw: _with_rule(draw, _margin, refused_by_margin),
    refused_by_margin,
    {**FAR_APART, "margin": F(1, 4)},
    "Of every single mode it is relaxed.certificate-additive.",
)

MULTIPLICATIVE = least(
    "greedy.multiplicative",
    rf"Where tokens with $p(x) \ge \rho p_1$ are accepted, the least $\mathrm{{KL}}(p \Vert q)$ {MODE} is {POOL}, "
    rf"$S$ the tokens "
    r"above $c$; it is attained",
    SHARMA,
    lambda draw: _with_rule(draw, _factor, refused_by_factor),
    refused_by_factor,
    {**FAR_APART, "factor": F(1, 2)},
    "For ρ = 0 nothing is rejected.",
)

TOP_M = least(
    "greedy.top-m",
    rf"Where the $m$ likeliest tokens are accepted, $m < V$, the least $\mathrm{{KL}}(p \Vert q)$ {MODE} is {POOL}: "
    rf"$b$ has mass "
    r"$p_{m+1}$, $S$ the tokens above $c$; it is attained",
    SHARMA,
    lambda draw: _with_rule(draw, _rank, refused_by_rank),
    refused_by_rank,
    {**FAR_APART, "m": 1},
    "For m = 1 it is relaxed.certificate-strict. Where p₁ = p_{m+1} it is 0; where p_{m+1} = 0 it is finite.",
)

ENTROPY = least(
    "greedy.entropy",
    rf"Where tokens with $p(x) \ge \min(\varepsilon, \delta e^{{-H(p)}})$ are accepted (typical acceptance), the "
    rf"least "
    rf"$\mathrm{{KL}}(p \Vert q)$ {MODE} is {POOL}, $S$ the tokens above $c$; it is attained",
    SHARMA,
    lambda draw: _with_rule(draw, _typical, refused_by_entropy),
    refused_by_entropy,
    {"p": law("3/4", "1/4"), "q": law("1/2", "1/2"), "epsilon": F(1), "delta": F(1)},
    "Whether p(x) ≥ δ exp(−H(p)) is decided on integers. With δ ≤ 1 some token is always accepted, the likeliest: "
    "p₁ ≥ exp(−H).",
)
