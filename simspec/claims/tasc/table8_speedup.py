"""From 1,280 ms to 1,130 ms is a speed-up of 1.19.

`tasc.table8-speedup`, with its correction: TASC, App. C.4 and Table 8.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import OWN_FIGURES, F, at_most, broken, identity
from simspec.claims.claim import Printed
from simspec.claims.tasc.parts import unit_of, value


def _mistral(printed: str) -> Any:
    return lambda draw: {"before": "1280", "after": "1130", "printed": printed}


def _spread(before: str, after: str, printed: str) -> F:
    """Distance of the printed speed-up from all that the two times allow, each known to 10 ms."""
    low = (value(before) - 10) / (value(after) + 10)
    high = (value(before) + 10) / (value(after) - 10)
    return max(low - value(printed), value(printed) - high, F(0))


SPEEDUP = identity(
    name="tasc.table8-speedup",
    statement=r"$1{,}280\,\mathrm{ms} \to 1{,}130\,\mathrm{ms}$ is a speed-up of $\times 1.19$, even if each time is "
    r"known to $10\,\mathrm{ms}$ only",
    reference="TASC, App. C.4 and Table 8",
    instances=_mistral("1.19"),
    lhs=_spread,
    rhs=lambda printed: unit_of(printed),
    relation=at_most,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("tasc.table8-speedup-corrected",),
    note="1280/1130 = 1.133, and 1290/1120 is still below 1.16. The ± of the table, 70 to 90 ms, are standard "
    "deviations: two means that far apart would allow 1.19, and 1.0. The same paragraph gives × 2.31 for the smaller "
    "model, where the introduction's largest is × 2.1.",
    printed=Printed(
        place="TASC C.4",
        text="Mistral obtains a speedup of …, while Qwen obtained a speedup of …",
        read="By the first and last row of Table 8, whatever the rounding of its times.",
    ),
)

SPEEDUP_CORRECTED = identity(
    name="tasc.table8-speedup-corrected",
    statement=r"$1{,}280\,\mathrm{ms} \to 1{,}130\,\mathrm{ms}$ is a speed-up of $\times 1.13$",
    reference="correction of TASC, App. C.4",
    instances=_mistral("1.13"),
    lhs=lambda before, after, printed: abs(value(before) / value(after) - value(printed)),
    rhs=lambda printed: unit_of(printed) / 2,
    relation=at_most,
    sources=("exact",),
    note="128/113 = 1.1327…; a saving of 11.7 % of the time.",
    broken=[broken("1/1000", rhs=lambda: F(1, 1000))],
)
