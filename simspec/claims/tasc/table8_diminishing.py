"""In Table 8 the time that an added token saves falls from interval to interval.

`tasc.table8-diminishing`, with its correction: TASC, 6.1 and Table 8.
"""

from __future__ import annotations

from fractions import Fraction as F

from simspec.claims.authoring import OWN_FIGURES, at_most, identity, shifted
from simspec.claims.claim import Printed
from simspec.claims.tasc.tables import gains_per_token, runtimes

TABLE8 = identity(
    name="tasc.table8-diminishing",
    statement="Marginal gains diminish in Table 8: the time that an added token saves falls from interval to interval",
    reference="TASC, 6.1 and Table 8",
    instances=lambda draw: runtimes("Table 8"),
    lhs=lambda added, times: gains_per_token(added, times)[1:],
    rhs=lambda added, times: gains_per_token(added, times)[:-1],
    relation=at_most,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("tasc.table8-diminishing-corrected",),
    note="Milliseconds of the paper's runs; in tokens, on our tasks, gains do diminish (tasc.diminishing). 0.40, 0.086 "
    "and 0.12 ms a token: the last 500 tokens save more each than the 350 before them. Each time has "
    "a standard deviation of 70 to 90 ms, so that the table tells neither.",
    printed=Printed(
        place="TASC 6.1",
        text="the marginal gains diminish as the budget grows",
        read="Milliseconds saved by each added token of Table 8 fall from interval to interval.",
    ),
)

TABLE8_CORRECTED = identity(
    name="tasc.table8-diminishing-corrected",
    statement="In Table 8 each of the first 150 tokens saves more than three times what any later token saves",
    reference="correction of TASC, 6.1, read on Table 8",
    instances=lambda draw: runtimes("Table 8"),
    lhs=lambda added, times: 3 * gains_per_token(added, times)[1:],
    rhs=lambda added, times: gains_per_token(added, times)[0],
    relation=at_most,
    sources=("exact",),
    note="2/5 ms against 3/35 and 3/25.",
    broken=[shifted(F(1, 20))],
)
