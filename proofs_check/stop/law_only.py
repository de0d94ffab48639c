"""stop.law-only: a token that is thrown away unseen, or never drafted, leaves its position to the target."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Proof
from proofs_check.stop._calls import BLIND, bound, prove
from simspec.claims.stop.law_only import LAW_ONLY
from simspec.claims.stop.parts import after


def _values(p: Any, q: Any, gamma: int, length: int, ends: Any) -> dict[str, Any]:
    return bound(p, q, gamma, length, lambda text, drafts: bool(after(ends[len(drafts)], text)))


PROOF = Proof(LAW_ONLY, prove, drop=BLIND, change={"share": sp.S.Half}, bind=_values)
