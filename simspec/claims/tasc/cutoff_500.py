"""`tasc.cutoff-500`, with its correction: TASC, 6.1, Tables 5 and 8."""

from __future__ import annotations

from simspec.claims.authoring import OWN_FIGURES, Draw, F, Instance, at_least, identity
from simspec.claims.claim import Printed
from simspec.claims.tasc.tables import RUNTIMES, runtimes, share_reached


def _table(draw: Draw) -> Instance:
    return runtimes(sorted(RUNTIMES)[draw.integer(0, 1)])


CUTOFF = identity(
    name="tasc.cutoff-500",
    statement="The effective cutoff is no larger than 500 tokens: in each table of run times, Tables 5 and 8, 500 tokens "
    "save at least nine tenths (our reading of “effective”) of what 1,000 save",
    reference="TASC, 6.1, Tables 5 and 8",
    instances=_table,
    lhs=lambda added, times: share_reached(added, times, "500"),
    rhs=lambda: F(9, 10),
    relation=at_least,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("tasc.cutoff-500-corrected",),
    note="431/460 = 0.937 in Table 5, but 3/5 in Table 8: any reading that asks for more than three fifths is refuted there.",
    printed=Printed(
        place="TASC 6.1",
        text="the effective cutoff improvement in our experiments is no larger than 500 tokens",
        read="500 tokens save nine tenths of what 1,000 save, in each table of run times.",
    ),
)

CUTOFF_CORRECTED = identity(
    name="tasc.cutoff-500-corrected",
    statement="Of what 1,000 tokens save, 500 save 431/460 in Table 5 and 3/5 in Table 8",
    reference="correction of TASC, 6.1",
    instances=_table,
    lhs=lambda added, times: share_reached(added, times, "500"),
    rhs=lambda table: {"Table 5": F(431, 460), "Table 8": F(3, 5)}[table],
    sources=("exact",),
)
