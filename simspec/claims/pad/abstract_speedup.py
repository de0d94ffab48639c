"""The abstract's speed-up of 2.5 is the largest that Table 1 prints.

`pad.abstract-speedup`, with its correction: PAD, abstract, beside Table 1.
"""

from __future__ import annotations

from simspec.claims.authoring import OWN_FIGURES, Draw, F, Instance, at_least, identity, shifted
from simspec.claims.claim import Printed
from simspec.claims.pad.table1 import PRINTED

__all__ = ["FACTOR"]

FACTOR = F("2.5")
"""The abstract's “up to”."""


def _table(draw: Draw) -> Instance:
    return {"speeds": PRINTED[:, 1]}


ABSTRACT = identity(
    name="pad.abstract-speedup",
    statement="The largest printed speed-up is the abstract's: Table 1 has one of 2.5 at least",
    reference="PAD, abstract and Table 1 (restored)",
    instances=_table,
    lhs=lambda speeds: max(speeds),
    rhs=lambda: FACTOR,
    relation=at_least,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("pad.abstract-speedup-corrected",),
    note="No row is faster than 2.33, with or without loss of accuracy; 2.5 stands nowhere in the tables.",
    printed=Printed(
        place="PAD, abstract",
        text="we can achieve up to … speedup with comparable utility",
        read="The largest speed-up of Table 1, with or without loss of accuracy.",
        restored="the factor, 2.5, from the public abstract; the table, from the paper",
    ),
)

ABSTRACT_CORRECTED = identity(
    name="pad.abstract-speedup-corrected",
    statement="The largest speed-up that Table 1 of PAD prints is 2.33, to two digits 2.3",
    reference="correction of PAD, abstract",
    instances=_table,
    lhs=lambda speeds: max(speeds),
    rhs=lambda: F("2.33"),
    sources=("exact",),
    note="At acceptance ratios of 70.8 and 71.6 %.",
    broken=[shifted(F(1, 1000))],
)
