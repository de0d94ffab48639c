"""process.mask-draft: the masked draft is a draft like any other."""

from __future__ import annotations

from proofs_check.folk._told import proof
from simspec.claims.process.mask_draft import MASK_DRAFT
from simspec.laws import restrict

PROOF = proof(MASK_DRAFT, lambda p, q, mask: restrict(q, mask))
