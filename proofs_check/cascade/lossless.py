"""cascade.lossless: what the middle model emits has its law in every state, and one step of the target mends it to its own."""

from __future__ import annotations

import sympy as sp

from proofs_check.cascade._stages import KEEP, bound, prove
from proofs_check.language import Proof
from simspec.claims.cascade.lossless import LOSSLESS

PROOF = Proof(LOSSLESS, prove, drop=KEEP, change={"share": sp.S.Half}, bind=bound)
