"""In Table 5 the time that an added token saves falls from interval to interval.

`tasc.table5-diminishing`, with its correction: TASC, 6.1 and Table 5.
"""

from __future__ import annotations

from fractions import Fraction as F

from simspec.claims.authoring import OWN_FIGURES, at_most, identity, shifted
from simspec.claims.claim import Printed
from simspec.claims.tasc.tables import gains_per_token, runtimes

TABLE5 = identity(
    name="tasc.table5-diminishing",
    statement="Marginal gains diminish in Table 5: the time that an added token saves falls from interval to interval",
    reference="TASC, 6.1 and Table 5",
    instances=lambda draw: runtimes("Table 5"),
    lhs=lambda added, times: gains_per_token(added, times)[1:],
    rhs=lambda added, times: gains_per_token(added, times)[:-1],
    relation=at_most,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("tasc.table5-diminishing-corrected",),
    note="Milliseconds of the paper's runs; in tokens, on our tasks, gains do diminish (tasc.diminishing). 0.168, 0.0044 "
    "and 0.0058 ms a token, as printed. Two of the four times are printed without tenths: times that round to "
    "them allow a fall as well, so that the last two intervals cannot be told apart.",
    printed=Printed(
        place="TASC 6.1",
        text="the marginal gains diminish as the budget grows",
        read="Milliseconds saved by each added token of Table 5 fall from interval to interval.",
    ),
)

TABLE5_CORRECTED = identity(
    name="tasc.table5-diminishing-corrected",
    statement="In Table 5 each of the first 250 tokens saves more than 25 times what any later token saves",
    reference="correction of TASC, 6.1, read on Table 5",
    instances=lambda draw: runtimes("Table 5"),
    lhs=lambda added, times: 25 * gains_per_token(added, times)[1:],
    rhs=lambda added, times: gains_per_token(added, times)[0],
    relation=at_most,
    sources=("exact",),
    note="21/125 ms against 11/2500 and 29/5000.",
    broken=[shifted(F(1, 20))],
)
