"""`tasc.best-budget`: TASC, App. C.1, Figure 5 and Table 5."""

from __future__ import annotations

from simspec.claims.authoring import Draw, Instance, at_most, exact, identity
from simspec.claims.claim import Printed
from simspec.claims.tasc.parts import value
from simspec.claims.tasc.table5_gain import TABLE_5

METRICS = ("intent accuracy", "slot F1", "joint accuracy")


def _metric(draw: Draw) -> Instance:
    metric = METRICS[draw.integer(0, 2)]
    return {"metric": metric, "scores": tuple(row[metric] for row in TABLE_5.values())}


BEST = identity(
    name="tasc.best-budget",
    statement="250 added tokens score highest: in Table 5, which the sentence calls aligned with Figure 5, no other number of "
    "tokens scores higher in any of the three metrics",
    reference="TASC, App. C.1, Figure 5 and Table 5",
    instances=_metric,
    lhs=lambda scores: exact([value(s) for s in scores]),
    rhs=lambda scores: value(scores[list(TABLE_5).index(250)]),
    relation=at_most,
    sources=("exact",),
    note="Slot F1 is the same at 500 tokens. The figure itself has no numbers to check; the table has no intervals.",
    printed=Printed(
        place="TASC, App. C.1",
        text="with the best performance at M=250 new tokens",
        read="By the scores of Table 5.",
    ),
)
