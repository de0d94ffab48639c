"""Block verification keeps no fewer of a parallel draft than token verification, and need not gain more there than elsewhere.

`parallel.block` in two halves, the second with a correction: own statements, on Sun et al. 2024 (2403.10444).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, broken, matrix
from simspec.claims.block.parts import EARLY, accepted, ended, reached, token_ends
from simspec.claims.texts import markov
from simspec.methods.block import Outcome
from simspec.methods.block.verification import block_verifier
from simspec.methods.stop import told_verifier
from simspec.methods.verifier.verifier import Verifier, by_rows, outcomes

__all__ = ["SAME", "table_of"]

SOURCE = "own statement, on Sun et al. 2024 (2403.10444) and Gloeckle et al. 2024"
SAME = "token verification accepts each of the two positions of both drafts equally often"
TOKENS = told_verifier()


def _models(draw: Draw) -> Instance:
    """A target whose laws depend on the last token, and a draft law for each of up to three positions."""
    gamma = draw.integer(1, 3)
    p = np.stack([draw.law(2) for _ in range(3)])
    return {"p": p, "q": np.stack([draw.law(2) for _ in range(gamma)])}


def _ended(verifier: Verifier, p: Array, q: Array) -> list[Outcome]:
    """Every way in which a call ends whose position i is drafted from row i."""
    return outcomes(verifier, markov(p), by_rows(q), len(q))


NEVER_FEWER = bound(
    name="parallel.block.never-fewer",
    statement=r"Block verification keeps on average at least as many tokens of a parallel draft as token verification",
    reference=SOURCE,
    instances=_models,
    lhs=lambda p, q: accepted(_ended(block_verifier(), p, q)),
    relation=at_least,
    rhs=lambda p, q: accepted(_ended(TOKENS, p, q)),
    tight=[{"p": matrix("1/2 1/2", "1/2 1/2", "1/2 1/2"), "q": matrix("1/2 1/2", "1/2 1/2")}],
    sources=("exact",),
    note="It is block.never-worse for a draft that ignores its own tokens.",
    broken=[broken("a verifier that stops at the first refusal", lhs=lambda p, q: accepted(_ended(EARLY, p, q)))],
)


def table_of(q: Array) -> Array:
    """Laws by last token of a draft of two positions: the second is drawn alike after each first token.

    >>> table_of(matrix("1 0", "1/2 1/2"))[2].tolist()
    [Fraction(1, 2), Fraction(1, 2)]
    """
    return np.stack([q[0]] + [q[1]] * q.shape[1])


def _gain(p: Array, q: Array) -> Any:
    """What the block accepts of two drafts beyond its tokens."""
    return accepted(ended(block_verifier(), p, q, 2)) - accepted(token_ends(p, q, 2))


def _positions(p: Array, q: Array) -> list[Any]:
    endings = token_ends(p, q, 2)
    return [reached(endings, at) for at in (1, 2)]


def _is_same(p: Array, q: Array, rival: Array) -> bool:
    return _positions(p, table_of(q)) == _positions(p, rival)


def _drafts(draw: Draw) -> Instance:
    """A target, a parallel draft, and an autoregressive one that is often the same draft."""
    p, rival = (np.stack([draw.law(2) for _ in range(3)]) for _ in range(2))
    q = np.stack([draw.law(2) for _ in range(2)])
    return {"p": p, "q": q, "rival": table_of(q) if draw.integer(0, 2) else rival}


UNEQUAL = {
    "p": matrix("1/2 1/2", "1 0", "1/2 1/2"),
    "q": matrix("1 0", "1 0"),
    "rival": matrix("1 0", "1/2 1/2", "1/2 1/2"),
}
LATER = {
    "p": matrix("1/3 2/3", "1/3 2/3", "0 1"),
    "q": matrix("2/3 1/3", "0 1"),
    "rival": matrix("2/3 1/3", "2/3 1/3", "0 1"),
}
"""Both drafts are accepted with 2/3 and 5/9; after the first token only the autoregressive one has ratios of 2."""
ALIKE = {
    "p": matrix("2/3 1/3", "1/3 2/3", "2/3 1/3"),
    "q": matrix("1/3 2/3", "2/3 1/3"),
    "rival": matrix("1/3 2/3", "1/3 2/3", "1/3 2/3"),
}
"""Every law has both tokens; the autoregressive draft is drawn alike after each first token, and otherwise than q's second."""

GAINS_MORE = bound(
    name="parallel.block.gains-more",
    statement=r"Block verification gains at least as much on a parallel draft as on an autoregressive one that token "
    r"verification accepts as often at each position",
    reference=SOURCE,
    instances=_drafts,
    assumes={SAME: _is_same},
    lhs=lambda p, q: _gain(p, table_of(q)),
    relation=at_least,
    rhs=lambda p, rival: _gain(p, rival),
    outside={SAME: UNEQUAL},
    sources=("exact",),
    corrected_by=("parallel.block.gains-more-corrected",),
    against=(LATER,),
    within=(ALIKE,),
    note="What the block gains is the chance that a draft the target likes more follows one that it likes less; dependence of "
    "the second token on the first can put them in this order or in the other.",
)


def _two(draw: Draw) -> Instance:
    vocab = 2 + draw.integer(0, 1)
    p = np.stack([draw.law(vocab) for _ in range(vocab + 1)])
    return {"p": p, "q": np.stack([draw.law(vocab) for _ in range(2)])}


def _room(p: Array, q: Array) -> Any:
    alpha = np.minimum(p[0], q[0]).sum()
    return alpha * (1 - alpha)


HALVES = {"p": matrix("1/2 1/2", "1 0", "1/2 1/2"), "q": matrix("1 0", "1/2 1/2")}

GAINS_MORE_CORRECTED = bound(
    name="parallel.block.gains-more-corrected",
    statement=r"Of a parallel draft of two positions block verification gains at most $\alpha (1 - \alpha) \le 1/4$, $\alpha$ "
    r"the acceptance of the first: the bound of any draft, which parallel ones attain",
    reference=f"correction of an {SOURCE}",
    instances=_two,
    lhs=lambda p, q: _gain(p, table_of(q)),
    rhs=_room,
    tight=[HALVES],
    sources=("exact",),
    note="It is block.gain-two. Attained for each α by a first draft that is sure of a token of mass α, and a second one with "
    "target masses 0 and 1/α times its own.",
    broken=[broken("a quarter of it", rhs=lambda p, q: _room(p, q) / 4)],
)
