"""tree.rrs-lossless: what a refusal leaves of the target is the same for all refused tokens; by induction on the tree."""

from __future__ import annotations

from typing import Any

from proofs_check.language import Proof
from proofs_check.tree._drawn import drawn_tree
from proofs_check.tree._machine import REFUSED
from proofs_check.tree._top_down import prove
from simspec.claims.tree.rrs_lossless import RRS_LOSSLESS


def _values(shape: Any, replace: int, target: Any, draft: Any) -> dict[str, Any]:
    return drawn_tree(shape, target, draft, bool(replace), traverse=False).values()


PROOF = Proof(RRS_LOSSLESS, prove, drop=REFUSED, bind=_values)
