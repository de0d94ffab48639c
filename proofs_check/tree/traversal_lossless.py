"""tree.traversal-lossless: a subtree is accepted with probability a, its text with the target's law, however it is drawn."""

from __future__ import annotations

from typing import Any

from proofs_check.language import Proof
from proofs_check.tree._drawn import drawn_tree
from proofs_check.tree._traversal import WEIGHT, prove
from simspec.claims.tree.traversal_lossless import SWOR, SWR


def _swr(shape: Any, target: Any, draft: Any) -> dict[str, Any]:
    return drawn_tree(shape, target, draft, replace=True, traverse=True).values()


def _swor(shape: Any, target: Any, draft: Any) -> dict[str, Any]:
    return drawn_tree(shape, target, draft, replace=False, traverse=True).values()


PROOFS = (Proof(SWR, prove, drop=WEIGHT, bind=_swr), Proof(SWOR, prove, drop=WEIGHT, bind=_swor))
