"""tasc.directional-rate: the share of rises that a shorter runtime follows is the conditional frequency, not its complement."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, gt, total, x
from simspec.claims.claim import Instance
from simspec.claims.tasc.directional_rate import DIRECTIONAL, DIRECTIONAL_CORRECTED
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Sequences of every length in which the entropy rises at least once."""
    V = sp.Symbol("V", integer=True, positive=True)  # number of steps from one budget to the next
    # one where the entropy rises, where the runtime falls; else zero
    up = d.weights("up")
    down = d.weights("down")
    some = d.domain("the entropy rises at least once", gt(total(up[x], x), 0))
    joint_count = total(up[x] * down[x], x)
    not_down = total(up[x] * (1 - sign * down[x]), x)
    share = sp.Symbol("share", real=True)
    count = d.domain(
        "the share times the rises is the number that a shorter runtime follows",
        eq(share * total(up[x], x), joint_count),
    )
    quotient = d.smt(
        "the number of steps cancels", eq(share, constant * (joint_count / V) / (total(up[x], x) / V)), some, count
    )
    complement = d.smt(
        "every rise is followed by a shorter runtime or by one that is not",
        eq(share, 1 - (not_down / V) / (total(up[x], x) / V)),
        *(some, count),
    )
    d.qed(quotient, complement)


def _steps(h2: Array, runtime: Array) -> dict[str, Any]:
    rises = (np.diff(h2) > 0).astype(int)
    falls = (np.diff(runtime) < 0).astype(int)
    share = DIRECTIONAL_CORRECTED.sides({"h2": h2, "runtime": runtime})[0][0]
    return {"up": rises, "down": falls, "V": len(rises), "share": share}


def sequences(longest: int = 3) -> Iterator[Instance]:
    """Entropies and runtimes from 0 to 1 along one budget after another, the entropy rising at first."""
    for steps in range(1, longest + 1):
        for later in product((0, 1), repeat=steps - 1):
            for runtime in product((0, 1), repeat=steps + 1):
                yield {"h2": np.array([0, 1, *later]), "runtime": np.array(runtime)}


def corrected() -> Iterator[Instance]:
    """Sequences that contradict the corrected statement: there is none."""
    for i in sequences():
        left, right = DIRECTIONAL_CORRECTED.sides(i)
        if (np.asarray(left) != right).any():
            yield i


PROOFS = (
    Refutation(
        DIRECTIONAL,
        sequences,
        scope="the first of all sequences of entropies and runtimes in {0, 1}, in order of length: one step",
        repaired={"the share in place of its complement": corrected},
    ),
    Proof(DIRECTIONAL_CORRECTED, prove, drop="the entropy rises at least once", bind=_steps),
)
