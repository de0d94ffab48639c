"""block.example: four drafts, each with its r and t."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product
from typing import Any

from proofs_check.language import Derivation, Proof
from simspec.claims.block.example import EXAMPLE_CLAIM
from simspec.claims.block.parts import EXAMPLE
from simspec.claims.claim import Instance


def prove(d: Derivation, sign: int = 1, last: F = F(11, 9), drafts: int = 2) -> None:
    """The one pair of laws, from E[τ] = Σ E_Q[t_i] and Σ E_Q[r_i]."""

    def agree(instance: Instance) -> bool:
        """Return whether an instance's sides are the acceptances computed draft by draft, 10/9 and `last`."""
        p = instance["p"][0]
        q = instance["q"][0]
        token = F(0)
        block = F(0)
        for x in product(range(2), repeat=drafts):
            weight = F(1)
            r = [F(1)]
            t = [F(1)]
            for y in x:
                weight *= q[y]
                r.append(min(F(1), r[-1] * p[y] / q[y]))
                t.append(t[-1] * min(F(1), p[y] / q[y]))
            token = token + sign * weight * sum(t[1:])
            block = block + weight * sum(r[1:])
        lhs, right = _sides(instance)
        return lhs == right == [token, block] == [F(10, 9), last]

    d.exhaust("10/9 token by token, 11/9 by the block", agree, [EXAMPLE], r"E[\tau] = \tfrac{10}9,\ \tfrac{11}9")


def _sides(instance: Instance) -> tuple[list[Any], list[Any]]:
    lhs, right = EXAMPLE_CLAIM.sides(instance)
    return lhs.tolist(), right.tolist()


PROOF = Proof(EXAMPLE_CLAIM, prove, drop={"drafts": 1}, change={"last": F(12, 9)}, bind=None)
