"""block.off-path: the same argument as on the path, which asks nothing of where decisions look."""

from __future__ import annotations

from proofs_check.block.optimal import DRAFTED, prove, values
from proofs_check.language import Proof
from simspec.claims.block.optimal import OFF_PATH

PROOF = Proof(OFF_PATH, prove, drop=DRAFTED, bind=values(False))
