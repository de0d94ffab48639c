"""block.stop: given a prefix it is kept, or more, with probability r whether or not drafts follow; so nothing else changes."""

from __future__ import annotations

from typing import Any

from proofs_check.block._tree import TEST, nodes, tree
from proofs_check.block.lossless import drawn_from, texts, with_texts
from proofs_check.language import Derivation, Proof
from simspec.claims.block.stop import STOP
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws in every context, every number of drafts; the draft may end at any prefix."""
    t = tree(d, constant)
    texts(d, t, *drawn_from(d, t), sign, stops=True)


def _values(p: Array, q: Array, gamma: int, halts: Array) -> dict[str, Any]:
    prefixes = nodes(p.shape[-1], gamma)
    stop = [int(0 < len(prefix) < gamma and bool(halts[len(prefix) - 1, prefix[-1]])) for prefix in prefixes]
    return {**with_texts(p, q, gamma), "stop": stop}


PROOF = Proof(STOP, prove, drop=TEST, bind=_values)
