"""`tasc.eurlex-size`: TASC, 6.1 and B.3."""

from __future__ import annotations

from simspec.claims.authoring import OWN_FIGURES, at_most, identity
from simspec.claims.claim import Printed
from simspec.claims.tasc.parts import unit_of, value

SIZE = identity(
    name="tasc.eurlex-size",
    statement="The number of texts of EUR-LEX is the same in 6.1 (19.6K) and in B.3 (57K), within rounding",
    reference="TASC, 6.1 and B.3",
    instances=lambda draw: {"first": "19.6K", "second": "57K"},
    lhs=lambda first, second: abs(value(first) - value(second)),
    rhs=lambda first, second: (unit_of(first) + unit_of(second)) / 2,
    relation=at_most,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("tasc.eurlex-size-corrected",),
    note="The paper does not say which texts were left out.",
    printed=Printed(
        place="TASC 6.1",
        text="It contains 19.6K policy texts, each labeled with up to 26 labels",
        read="The same number as in B.3, which prints 57K.",
    ),
)

SIZE_CORRECTED = identity(
    name="tasc.eurlex-size-corrected",
    statement="The two printed sizes of EUR-LEX differ by a factor between 2.8 and 3",
    reference="correction of TASC, 6.1 and B.3",
    instances=lambda draw: {"first": "19.6K", "second": "57K"},
    lhs=lambda first, second: abs(value(second) / value(first) - value("2.9")),
    rhs=lambda: value("0.1"),
    relation=at_most,
    sources=("exact",),
    note="57/19.6 = 2.908.",
)
