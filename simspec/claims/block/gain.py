"""`block.gain-when`, `block.gain-least`, `block.gain-most` and `block.gain-two`: own; what the block gains over its tokens."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, identity, matrix
from simspec.claims.block.parts import (
    EXAMPLE,
    Path,
    accepted,
    contexts,
    ended,
    expected,
    paths,
    token_ends,
    whether,
)
from simspec.methods.block.verification import block_verifier

__all__ = ["HALVES", "made_up", "room"]

HALVES: Instance = {"p": matrix("1/2 1/2", "1 0", "1/2 1/2"), "q": matrix("1 0", "1/2 1/2", "1/2 1/2"), "gamma": 2}
"""The first draft has ratio 1/2, the second 2 or 0: the block gains 1/4, the most of two drafts."""


def _gain(p: Array, q: Array, gamma: int) -> Any:
    """E[τ] of the block less that of its tokens."""
    return accepted(ended(block_verifier(), p, q, gamma)) - accepted(token_ends(p, q, gamma))


def made_up(path: Path) -> Any:
    """Sum over i of min(1, t_(i−1) p/q) − t_i: how far each draft could lift what is kept token by token."""
    pairs = zip(path.token, path.steps, strict=False)
    lifted = [min(Fraction(1), t * ratio) for t, ratio in pairs]
    return sum((a - t for a, t in zip(lifted, path.token[1:], strict=True)), start=Fraction(0))


def room(path: Path) -> Any:
    """Sum over i < γ of r_i (1 − t_i)."""
    pairs = zip(path.block[1:-1], path.token[1:-1], strict=True)
    return sum((r * (1 - t) for r, t in pairs), start=Fraction(0))


def _lifts(path: Path) -> bool:
    """Whether some draft that the target likes more follows a prefix kept with a probability between 0 and 1."""
    return any(0 < t < 1 < ratio for t, ratio in zip(path.token, path.steps, strict=False))


def _two(draw: Draw) -> Instance:
    return {**contexts(draw), "gamma": 2}


GAIN_WHEN = identity(
    name="block.gain-when",
    statement=r"$E[\tau]$ of block verification exceeds that of token verification if and only if in some possible draft a token "
    r"with $P > Q$ follows a prefix that token verification keeps with a probability strictly between 0 and 1",
    reference="own; correction of SGLang #36516",
    instances=contexts,
    lhs=lambda p, q, gamma: whether(_gain(p, q, gamma) > 0),
    rhs=lambda p, q, gamma: whether(any(_lifts(path) for path in paths(p, q, gamma))),
    sources=("exact",),
    tight=(HALVES, {**EXAMPLE, "q": EXAMPLE["p"]}),
    note="So never with one draft, nor where a certain draft or a certain target leaves no ratio above one after one below.",
)

GAIN_LEAST = bound(
    name="block.gain-least",
    statement=r"The gain is at least $\sum_{i=2}^{\gamma} E_Q[\min(1, t_{i-1} P/Q) - t_i]$, $t_i = \prod_{j \le i} \min(1, P/Q)$",
    reference="own",
    instances=contexts,
    lhs=_gain,
    rhs=lambda p, q, gamma: expected(p, q, gamma, made_up),
    relation=at_least,
    sources=("exact",),
    tight=(HALVES, EXAMPLE),
    note="Equal for two drafts. Each term is what one draft makes up for if nothing was made up for before.",
)

GAIN_MOST = bound(
    name="block.gain-most",
    statement=r"The gain is at most $\sum_{i=1}^{\gamma-1} E_Q[r_i (1 - t_i)]$",
    reference="own",
    instances=contexts,
    lhs=_gain,
    rhs=lambda p, q, gamma: expected(p, q, gamma, room),
    sources=("exact",),
    tight=(HALVES, {**HALVES, "p": matrix("1/2 1/2", "1 0", "1 0"), "q": matrix("1 0", "1/2 1/2", "1 0"), "gamma": 2}),
    note="Attained where after every prefix each draft has ratio 0 or 1/r: it brings the block back to one, or ends it.",
)

GAIN_TWO = bound(
    name="block.gain-two",
    statement=r"For $\gamma = 2$ the gain is at most $\alpha (1 - \alpha) \le 1/4$, $\alpha$ the acceptance of the first draft",
    reference="own",
    instances=_two,
    lhs=_gain,
    rhs=lambda p, q, gamma: (alpha := expected(p, q, gamma, lambda path: path.token[1])) * (1 - alpha),
    sources=("exact",),
    tight=(HALVES,),
    note="Attained for every α where the first drafts have the ratio α and each second one 0 or 1/α; 1/4 at α = 1/2.",
)
