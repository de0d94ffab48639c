"""rdk.perturbations-harmless: the bound of Theorem 5.2 grows with the vocabulary; that of errors everywhere small does not."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, ge, j, le
from proofs_check.rdk._tilted_laws import at_least_one, between, ends, far, moved, tanh, tilt
from simspec.claims.balls import enclose, log
from simspec.claims.claim import Instance
from simspec.claims.rdk.perturbations_harmless import (
    EVERYWHERE,
    PERTURBATIONS,
    PERTURBATIONS_CORRECTED,
    VOCABULARIES,
)
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, fraction: sp.Expr | int = 1) -> None:
    """Every vocabulary, all logits and perturbations.

    Attained for every ε: rdk.perturbed-target-sharp.attained.
    """
    t = tilt(d)
    epsilon = sp.Symbol("epsilon", real=True)
    delta = t.delta
    bound = fraction * epsilon
    small = d.assume(EVERYWHERE, le(sp.Abs(delta[j]), epsilon))
    h, exponential_bound = at_least_one(d)
    high = d.derive("no logit rises more", ge(bound - delta[j], 0), small)
    low = d.derive("none falls more", ge(delta[j] + bound, 0), small)
    range_ = d.derive("ε is not negative", ge((bound + bound) / 2, 0), high, low)
    e = ends(d, bound, bound)
    within = between(d, t, e, (h, exponential_bound), high, low)
    g_at_least_one = d.instantiate("at ε", exponential_bound, {h: (bound + bound) / 2}, range_)
    g_at_least_one = d.derive("so G ≥ 1", ge(e.G, 1), g_at_least_one, e.g_is)
    tilted = far(d, t, e, within, g_at_least_one)
    goal = le(moved(t), sign * 2 * tanh(epsilon))
    d.qed(d.derive("in terms of ε", goal, tilted, e.g_is))


def _values(w: Array, ratio: Array, spare: Fraction) -> dict[str, Any]:
    delta = log(ratio)
    epsilon = log(max(max(r, 1 / r) for r in ratio)) + enclose(spare)
    return {"w": w, "delta": delta, "epsilon": epsilon, "h": 0, "V": len(w)}


def by_size() -> Iterator[Instance]:
    """The three vocabularies, the smallest errors first."""
    for vocabulary in VOCABULARIES:
        for power in (4, 3, 2, 1):
            yield {"vocabulary": vocabulary, "error": F(1, 10**power)}


PROOFS = (
    Refutation(
        PERTURBATIONS,
        by_size,
        scope="three vocabularies and four errors, the smallest first: all fail",
        repaired={
            "an error of 4/V": lambda: ({**c, "error": F(4, VOCABULARIES[c["vocabulary"]])} for c in by_size()),
            "small at every token": (PERTURBATIONS_CORRECTED, lambda: iter(PERTURBATIONS_CORRECTED.tight)),
        },
    ),
    Proof(PERTURBATIONS_CORRECTED, prove, drop=EVERYWHERE, change={"fraction": sp.S.Half}, bind=_values),
)
