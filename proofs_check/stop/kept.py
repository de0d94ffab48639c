"""stop.kept: the rule has seen nothing of the next draft, so in every state the emitted token has the target's law."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Proof
from proofs_check.stop._calls import BLIND, bound, prove
from simspec.claims.stop.kept import KEPT
from simspec.claims.stop.parts import after


def _values(p: Any, q: Any, gamma: int, length: int, ends: Any) -> dict[str, Any]:
    return bound(p, q, gamma, length, lambda text, drafts: bool(drafts) and bool(after(ends[len(drafts)], drafts)))


PROOF = Proof(KEPT, prove, drop=BLIND, change={"share": sp.S.Half}, bind=_values)
