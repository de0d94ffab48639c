"""`ears.drop-unit`, with its correction: EARS, Key Results."""

from __future__ import annotations

from simspec.claims.authoring import OWN_FIGURES, F, at_most, identity
from simspec.claims.claim import Printed

PRINTED = {"before": "96.44", "after": "95.60", "drop": "0.84"}
"""Accuracies on GSM8K in percent, and the printed drop."""

UNIT = identity(
    name="ears.drop-unit",
    statement=r"The “0.84 % accuracy drop” is the relative drop of the printed accuracies, $(96.44 - 95.60)/96.44$, "
    "within rounding",
    reference="EARS, Key Results",
    instances=lambda draw: PRINTED,
    lhs=lambda before, after, drop: abs(100 * (F(before) - F(after)) / F(before) - F(drop)),
    rhs=lambda: F(1, 200),
    relation=at_most,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("ears.drop-unit-corrected",),
    note="21/2411, 0.871 %.",
    printed=Printed(
        place="EARS, Key Results",
        text="0.84% accuracy drop on GSM8K reasoning benchmark (96.44% → 95.60%)",
        read="As a share of the first accuracy.",
    ),
)

UNIT_CORRECTED = identity(
    name="ears.drop-unit-corrected",
    statement=r"The “0.84 % accuracy drop” is the difference of the printed accuracies in percentage points: $96.44 - "
    r"95.60 = 0.84$",
    reference="correction of EARS, Key Results",
    instances=lambda draw: PRINTED,
    lhs=lambda before, after: F(before) - F(after),
    rhs=lambda drop: F(drop),
    sources=("exact",),
    note="Whether the difference is more than chance is another question: ears.gsm8k-drop.",
)
