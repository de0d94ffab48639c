"""`ears.beta-zero`, with its readings and its correction.

EARS, first experiment 1 (β = 0), with step 6 read as a fresh draw.
"""

from __future__ import annotations

from simspec.claims.authoring import F, identity
from simspec.claims.claim import Printed
from simspec.claims.ears.parts import PRINTED, fresh_ears, often_proportional, proportional, some_step, truth
from simspec.methods import bias, ears, output_law

SENTENCE = Printed(
    place="EARS, first experiment 1",
    text="Run speculative decoding with EARS at β ∈ {0.0, 0.05, 0.1, 0.15, 0.2}",
    read=r"At $\beta = 0$ nothing changes: the emitted token has the target’s law, by either reading of a "
    "rejection.",
)

BETA_ZERO_FRESH = identity(
    name="ears.beta-zero.fresh",
    statement=r"At $\beta = 0$ the emitted token has the law $p$ (rejected: a fresh draw from $p$)",
    reference="EARS, first experiment 1 (β = 0), with step 6 read as a fresh draw",
    instances=some_step,
    lhs=lambda p, q: output_law(fresh_ears(0), p, q),
    rhs=lambda p: p,
    within=({**PRINTED, "beta": F(0)},),
    corrected_by=("ears.beta-zero.fresh-corrected", "ears.beta-zero.residual"),
    note="The output is min(p, q) + (1 − α)p: tokens that the draft proposes too often are already served by the "
    "drafts, and the fresh draw serves them again. TV to p is Σ(min(p, q) − αp)₊.",
    printed=SENTENCE,
)

BETA_ZERO_FRESH_CORRECTED = identity(
    name="ears.beta-zero.fresh-corrected",
    statement=r"With a fresh draw after a rejection, $\beta = 0$ gives the law $p$ if and only if $q$ is proportional "
    r"to $p$ on the support of $p$",
    reference="correction of EARS at β = 0, fresh reading",
    instances=often_proportional,
    lhs=lambda p, q: truth(bias(fresh_ears(0), p, q) == 0),
    rhs=lambda p, q: truth(proportional(p, q)),
    sources=("exact",),
    note="min(p, q) + (1 − α)p = p exactly when min(p, q) = αp: for α < 1 that says q = αp wherever p > 0, for α = 1 "
    "that q = p. A draft that only wastes mass outside the support of p is harmless in both readings.",
)

BETA_ZERO_RESIDUAL = identity(
    name="ears.beta-zero.residual",
    statement=r"At $\beta = 0$ the emitted token has the law $p$ (rejected: a draw from the residual)",
    reference="EARS, first experiment 1 (β = 0), with step 6 read as speculative decoding's residual",
    instances=some_step,
    lhs=lambda p, q: output_law(ears(0), p, q),
    rhs=lambda p: p,
    note="At β = 0 the rule is speculative decoding: claim sd.lossless.",
    printed=SENTENCE,
)
