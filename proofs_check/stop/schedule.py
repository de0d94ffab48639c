"""stop.schedule: a draft that is dropped unseen leaves its position to the target; one that was seen leaves it biased."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Proof, Refutation, laws
from proofs_check.stop._calls import BLIND, bound, prove
from simspec.claims.claim import Instance
from simspec.claims.stop.parts import after
from simspec.claims.stop.schedule import AFTER, BEFORE


def _values(p: Any, q: Any, gamma: int, length: int, ends: Any) -> dict[str, Any]:
    return bound(p, q, gamma, length, lambda text, drafts: bool(after(ends[len(drafts)], text)))


def _rules() -> Iterator[Instance]:
    """One draft, one token, laws of one denominator that do not depend on the text, and every rule on the token."""
    for size in (1, 2):
        for first, second in product(laws(2, size), laws(2, size)):
            for flags in product((False, True), repeat=3):
                tables = {"p": np.stack([first] * 3), "q": np.stack([second] * 3)}
                yield {**tables, "gamma": 1, "length": 1, "ends": np.array([flags] * 3)}


PROOFS = (
    Proof(BEFORE, prove, drop=BLIND, change={"share": sp.S.Half}, bind=_values),
    Refutation(
        AFTER,
        _rules,
        scope="the first by a common denominator, with two tokens, one draft and one token of text",
        repaired={"confidences of the drafts before it": BEFORE},
    ),
)
