"""parallel.lossless: given the kept tokens the next draft has its position's law, so every step of a call is lossless."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Proof
from proofs_check.parallel._calls import KEEP, bound, prove
from simspec.claims.parallel.lossless import LOSSLESS

PROOF = Proof(LOSSLESS, prove, drop=KEEP, change={"share": sp.S.Half}, bind=bound)
