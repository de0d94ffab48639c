"""greedy.multiplicative: exchanging a rejected mode with the likeliest rejected token brings the draft law no further away."""

from __future__ import annotations

from proofs_check.greedy._exchange import proof
from simspec.claims.greedy.least import MULTIPLICATIVE, refused_by_factor

PROOF = proof(MULTIPLICATIVE, refused_by_factor)
