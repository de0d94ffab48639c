"""Truncating the residual after the test instead of the target before it lets every shared token outside the truncation pass.

`process.residual-only`, with its correction: practice.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, broken, law, procedure
from simspec.laws import restrict, top_k, tv
from simspec.methods.block import Prefix
from simspec.methods.processors.rules import residual_only
from simspec.methods.verifier.verifier import outcomes

__all__ = ["first_token", "likeliest"]


def _cut(draw: Draw) -> Instance:
    p, q = draw.pair(draw.integer(1, 3))
    return {"p": p, "q": q, "k": draw.integer(1, len(p))}


def likeliest(p: Array, k: int) -> Array:
    """Which tokens are among the k likeliest of p."""
    return np.isin(np.arange(len(p)), np.argsort(-p, kind="stable")[:k])


def first_token(p: Array, q: Array, k: int) -> Array:
    """Law of the token where drafts are tested against p and the residual is cut to the k likeliest tokens of p.

    Where nothing of the residual is among them, the cut target is drawn from.

    >>> [str(m) for m in first_token(law("3/4", "1/4"), law("1/2", "1/2"), 1)]
    ['3/4', '1/4']
    """
    allowed = likeliest(p, k)

    def cut(text: Prefix, residual: Array) -> Array:
        return restrict(residual if residual[allowed].sum() > 0 else p, allowed)

    emitted = p * 0
    for outcome in outcomes(residual_only(cut), lambda x: p, lambda x: q, 1):
        emitted[outcome.tokens[0]] += outcome.probability
    return emitted


RESIDUAL_ONLY = procedure(
    name="process.residual-only",
    statement=r"Truncation applied to the residual after the test, instead of to $p$ before it, leaves the text to the "
    r"truncated target",
    reference="practice, on Leviathan et al. 2023",
    instances=_cut,
    lhs=first_token,
    rhs=lambda p, k: top_k(p, k),
    sources=("exact",),
    corrected_by=("process.residual-only-corrected",),
    within=({"p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "k": 1},),
    note="The test accepts what the raw target would say, so the truncation acts only on what is rejected.",
)

RESIDUAL_ONLY_CORRECTED = bound(
    name="process.residual-only-corrected",
    statement=r"With $S$ the tokens that truncation leaves, a residual cut to $S$ and a test against the raw $p$: the output "
    r"is at total variation at least $\sum_{x \notin S} \min(p(x), q(x))$ from the truncated target",
    reference="correction of practice, on Leviathan et al. 2023",
    instances=_cut,
    lhs=lambda p, q, k: tv(first_token(p, q, k), top_k(p, k)),
    relation=at_least,
    rhs=lambda p, q, k: np.where(likeliest(p, k), 0, np.minimum(p, q)).sum(),
    tight=({"p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "k": 1},),
    sources=("exact",),
    note="That is the mass that the output has outside S, exactly. It is attained where no token of S has more than the "
    "truncated target gives it.",
    broken=[broken("the draft's mass outside S", rhs=lambda p, q, k: np.where(likeliest(p, k), 0, q).sum())],
)
