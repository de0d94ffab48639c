"""For a single draft, token and block verification are the same.

`block.gamma-one`: own.
"""

from __future__ import annotations

from collections.abc import Sequence

from simspec.claims.authoring import Array, Broken, Draw, Instance, exact, identity
from simspec.claims.block.parts import contexts, ended, first, token_ends
from simspec.methods.block import Outcome
from simspec.methods.block.verification import block_verifier


def _one(draw: Draw) -> Instance:
    return {**contexts(draw), "gamma": 1}


def _listed(outcomes: Sequence[Outcome], vocab: int) -> Array:
    """Probability of (x, y) with x kept, then of y in its place."""
    table = first(outcomes)
    accepted_pairs = [table.get(((x, y), 1), 0) for x in range(vocab) for y in range(vocab)]
    return exact(accepted_pairs + [table.get(((y,), 0), 0) for y in range(vocab)])


GAMMA_ONE = identity(
    name="block.gamma-one",
    statement=r"For $\gamma = 1$ token and block verification have the same outcomes with the same probabilities",
    reference="own",
    instances=_one,
    lhs=lambda p, q: _listed(ended(block_verifier(), p, q, 1), p.shape[-1]),
    rhs=lambda p, q: _listed(token_ends(p, q, 1), p.shape[-1]),
    sources=("exact",),
    broken=[Broken("target and draft are exchanged", lambda claim: {"rhs": lambda p, q: claim.lhs(q, p)})],
)
