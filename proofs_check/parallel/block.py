"""parallel.block: a parallel draft is a draft like any other, on the tree of its prefixes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from proofs_check.block._tree import TEST, nodes
from proofs_check.block.gain import ALONE, two
from proofs_check.block.never_worse import prove
from proofs_check.language import Proof, Refutation, laws
from simspec.claims.block.parts import reached, token_ends
from simspec.claims.claim import Instance
from simspec.claims.parallel.block import GAINS_MORE, GAINS_MORE_CORRECTED, NEVER_FEWER, table_of
from simspec.claims.texts import markov
from simspec.laws import Array

__all__ = ["on_tree"]


def on_tree(p: Array, q: Array) -> dict[str, Any]:
    """The tree of all prefixes of a draft whose position i has the law of row i; after the last one it is the target's."""
    gamma = len(q)
    prefixes = nodes(p.shape[-1], gamma)
    number = {prefix: at for at, prefix in enumerate(prefixes, 1)}
    target = markov(p)
    P = [target(prefix) for prefix in prefixes]
    Q = [q[len(prefix)] if len(prefix) < gamma else target(prefix) for prefix in prefixes]
    r: list[Any] = [F(1)]
    alone: list[Any] = [F(1)]
    for prefix in prefixes[1:]:
        at = number[prefix[:-1]] - 1
        y = prefix[-1]
        ratio = P[at][y] / Q[at][y] if Q[at][y] else None
        r.append(F(1) if ratio is None else min(F(1), r[at] * ratio))
        alone.append(alone[at] * (F(1) if ratio is None else min(F(1), ratio)))
    h = []
    for mass, target_law, draft_law in zip(r, P, Q, strict=True):
        missing = sum(max(mass * a - b, 0) for a, b in zip(target_law, draft_law, strict=True))
        h.append(missing / (missing + 1 - mass) if missing + 1 - mass else F(1))
    keep = [
        [min(a, b) / b if b else 1 for a, b in zip(target_law, draft_law, strict=True)]
        for target_law, draft_law in zip(P, Q, strict=True)
    ]
    child = [[number.get((*prefix, y), at) for y in range(len(P[0]))] for at, prefix in enumerate(prefixes, 1)]
    return {
        **{"p": P, "q": Q, "r": r, "h": h, "alone": alone, "keep": keep, "child": child, "V": len(P[0]), "size": gamma},
        "ranges": {"c": range(1, len(prefixes) + 1), "root": [1], "n": range(gamma + 1)},
    }


@cache
def _accepted(p: tuple[tuple[Any, ...], ...], q: tuple[tuple[Any, ...], ...]) -> tuple[Any, Any]:
    """How often token verification accepts one draft, and two."""
    endings = token_ends(np.array(p, dtype=object), np.array(q, dtype=object), 2)
    return reached(endings, 1), reached(endings, 2)


def _key(table: Array) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, table))


def _drafts(same: bool) -> Iterator[Instance]:
    """Two tokens, masses of one denominator, all first drafts possible; only pairs of drafts that are accepted alike."""
    for size in (2, 3):
        all_laws = list(laws(2, size))
        inside = [masses for masses in all_laws if (masses > 0).all()]
        for p in map(np.stack, product(all_laws, repeat=3)):
            rivals = [np.stack(rows) for rows in product(inside, all_laws, all_laws)]
            for q in (np.stack(rows) for rows in product(inside, all_laws)):
                for rival in (table_of(q),) if same else rivals:
                    if _accepted(_key(p), _key(table_of(q))) == _accepted(_key(p), _key(rival)):
                        yield {"p": p, "q": q, "rival": rival}


PROOFS = (
    Proof(NEVER_FEWER, prove, drop=TEST, bind=on_tree),
    Refutation(
        GAINS_MORE,
        lambda: _drafts(False),
        scope="the first by a common denominator, with two tokens, of which every first one can be drafted",
        repaired={"no dependence of the second token": lambda: _drafts(True)},
    ),
    Proof(GAINS_MORE_CORRECTED, two, drop=ALONE, bind=on_tree),
)
