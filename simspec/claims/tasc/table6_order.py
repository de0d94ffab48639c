"""`tasc.table6-order`, with its correction: TASC, App. C.2 and Table 6."""

from __future__ import annotations

from simspec.claims.authoring import OWN_FIGURES, Draw, Instance, at_least, identity
from simspec.claims.claim import Printed
from simspec.claims.tasc.parts import unit_of, value


def _speedups(draw: Draw) -> Instance:
    return {"tasc_ft": "2.1", "tasc_spec": "2.17"}


ORDER = identity(
    name="tasc.table6-order",
    statement=r"TASC-ft's $\times 2.1$ is a better speed-up than TASC-spec's $\times 2.17$",
    reference="TASC, App. C.2 and Table 6",
    instances=_speedups,
    lhs=lambda tasc_ft: value(tasc_ft),
    rhs=lambda tasc_spec: value(tasc_spec),
    relation=at_least,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("tasc.table6-order-corrected",),
    note="2.1 < 2.17; as rounded figures too, 2.15 < 2.165.",
    printed=Printed(
        place="TASC C.2",
        text="TASC-ft attains a better speedup of the baseline",
        read="By the two figures of Table 6.",
    ),
)

ORDER_CORRECTED = identity(
    name="tasc.table6-order-corrected",
    statement=r"As printed and rounded, TASC-spec's speed-up, at least $2.165$, is above TASC-ft's, at most $2.15$",
    reference="correction of TASC, App. C.2",
    instances=_speedups,
    lhs=lambda tasc_spec: value(tasc_spec) - unit_of(tasc_spec) / 2,
    rhs=lambda tasc_ft: value(tasc_ft) + unit_of(tasc_ft) / 2,
    relation=at_least,
    sources=("exact",),
    note="Both are single measurements of wall-clock time; the order of the two methods is no more than these figures "
    "say.",
)
