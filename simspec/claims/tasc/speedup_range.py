"""Added tokens make the model up to 2.1 times faster.

`tasc.speedup-range`, with its readings: TASC, 1, 7 and App. C.
"""

from __future__ import annotations

from simspec.claims.authoring import OWN_FIGURES, Draw, F, Instance, at_least, at_most, identity, shifted
from simspec.claims.claim import Printed
from simspec.claims.tasc.parts import value

PRINTED = {"Table 6": "2.1", "C.4, Qwen2.5-0.5B": "2.31", "C.4, Mistral-7B": "1.19"}
"""Every speed-up by added tokens that the paper prints as a factor."""


def _place(draw: Draw) -> Instance:
    place = sorted(PRINTED)[draw.integer(0, len(PRINTED) - 1)]
    return {"place": place, "printed": PRINTED[place]}


SENTENCE = Printed(
    place="TASC 1",
    text="achieving up to ×2.1 reductions in model runtime while preserving generation quality",
    read="Beside every factor that the paper prints.",
)

MOST = identity(
    name="tasc.speedup-range.most",
    statement=r"Added tokens make the model up to $\times 2.1$ faster: no printed factor is larger",
    reference="TASC, 1, 7, Table 6 and App. C.4",
    instances=_place,
    lhs=lambda printed: value(printed),
    rhs=lambda: value("2.1"),
    relation=at_most,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("tasc.speedup-range.most-corrected",),
    note="C.4 prints × 2.31 for the smaller model.",
    printed=SENTENCE,
)

MOST_CORRECTED = identity(
    name="tasc.speedup-range.most-corrected",
    statement=r"No speed-up factor that TASC prints for added tokens is larger than $\times 2.31$",
    reference="correction of TASC, 1 and 7",
    instances=_place,
    lhs=lambda printed: value(printed),
    rhs=lambda: value("2.31"),
    relation=at_most,
    sources=("exact",),
    tight=({"place": "C.4, Qwen2.5-0.5B", "printed": "2.31"},),
    broken=[shifted(F(1, 100))],
)


def _two_models(draw: Draw) -> Instance:
    return {"small": PRINTED["C.4, Qwen2.5-0.5B"], "large": PRINTED["C.4, Mistral-7B"]}


SLIGHTLY = identity(
    name="tasc.speedup-range.slightly",
    statement=r"The larger model gains slightly less ($\times 1.19$) than the smaller ($\times 2.31$): at least half as "
    r"much "
    "beyond 1, a generous reading of “slightly”",
    reference="TASC, App. C.4",
    instances=_two_models,
    lhs=lambda large: value(large) - 1,
    rhs=lambda small: (value(small) - 1) / 2,
    relation=at_least,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("tasc.speedup-range.slightly-corrected",),
    note="A gain of 0.19 is a seventh of 1.31: no reading of “slightly” that asks for a fifth holds either.",
    printed=SENTENCE,
)

SLIGHTLY_CORRECTED = identity(
    name="tasc.speedup-range.slightly-corrected",
    statement="By the printed factors the larger model gains between a seventh and a sixth of what the smaller gains",
    reference="correction of TASC, App. C.4",
    instances=_two_models,
    lhs=lambda small, large: abs((value(large) - 1) / (value(small) - 1) - F(13, 84)),
    rhs=lambda: F(1, 84),
    relation=at_most,
    sources=("exact",),
    note="19/131 = 0.145; by Table 8 the factor is 1.13 (tasc.table8-speedup), and the share a tenth.",
    broken=[shifted(F(1, 50))],
)
