"""`tasc.settings`, with its correction: TASC, 6.1 and App. E."""

from __future__ import annotations

import math

from simspec.claims.authoring import OWN_FIGURES, F, exact, identity
from simspec.claims.claim import Printed

__all__ = ["grid"]

FACTORS = {"data sets": 2, "model sizes": 2, "values of the largest n": 3}
"""What the runs of Appendix E vary, but for the seeds, whose number is not printed."""


RUNS = {"settings": 8, "runs": 124}


def grid(seeds: int) -> int:
    """Settings of the full grid.

    >>> grid(1)
    12
    """
    return seeds * math.prod(FACTORS.values())


SETTINGS = identity(
    name="tasc.settings",
    statement="The 8 printed settings are the product of the printed factors: 2 data sets, 2 model sizes, 3 values of the "
    "largest n, and some number of seeds",
    reference="TASC, 6.1 and App. E",
    instances=lambda draw: RUNS,
    lhs=lambda settings: min(abs(grid(seeds) - settings) for seeds in range(1, settings + 1)),
    rhs=lambda: 0,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("tasc.settings-corrected",),
    note="12 settings for each seed. So the runs are no full grid, or some factors were not varied together; which is not said.",
    printed=Printed(
        place="TASC, App. E",
        text="Across all 124 simulations, divided into 8 settings",
        read="The number of settings is the product of what the runs vary.",
    ),
)

SETTINGS_CORRECTED = identity(
    name="tasc.settings-corrected",
    statement="One seed alone makes 12 settings, 4 more than the 8 printed; and 124 runs in 8 settings are 15½ token budgets a "
    "setting on average, so that not all settings have the same number of budgets",
    reference="correction of TASC, App. E",
    instances=lambda draw: RUNS,
    lhs=lambda settings, runs: exact([grid(1) - settings, F(runs, settings)]),
    rhs=lambda: exact([F(4), F(31, 2)]),
    sources=("exact",),
)
