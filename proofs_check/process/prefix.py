"""process.prefix: the processed target is a model like any other, and every state of a block emits its law."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Proof
from proofs_check.sd._block_texts import along
from proofs_check.stop._calls import BLIND, prove
from simspec.claims.process.parts import drafter, target
from simspec.claims.process.prefix import PREFIX
from simspec.laws import Array, Scalar


def _values(p: Array, q: Array, factor: Scalar, gamma: int, length: int, same: int) -> dict[str, Any]:
    """State s has s − 1 drafts; after γ of them the target emits."""
    texts = list(np.ndindex(*[p.shape[-1]] * length))

    def stop(at: int, position: int, state: int) -> int:
        return int(state > gamma)

    values = along(texts, gamma, p=target(p, factor), q=drafter(q, factor, same), stop=stop)
    return values | {"drop": lambda at, position, state, token: stop(at, position, state)}


PROOF = Proof(PREFIX, prove, drop=BLIND, change={"share": sp.S.Half}, bind=_values)
