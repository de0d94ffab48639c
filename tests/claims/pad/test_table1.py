"""`pad.table1`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.pad.table1 import COST, LENGTHS, PRINTED
from tests.claims.cases import assert_broken, get


def test_which_lengths_the_table_allows() -> None:
    """Recomputed in floating point: γ = 11 comes closest, 9 to 13 are within 0.1, none is within rounding."""
    eta, speed = PRINTED.astype(float).T
    off = {g: np.abs((eta * g + 1) / (g / 3.94 + 1) - speed).max() for g in LENGTHS}
    assert [g for g in LENGTHS if off[g] <= 0.1] == [9, 10, 11, 12, 13]
    assert min(off, key=off.__getitem__) == 11 and round(off[11], 3) == 0.057
    assert len(PRINTED) == 9 and F(100, 394) == COST


@pytest.mark.parametrize("cost", [F(1, 2), F(1, 3), F(1, 8)])
def test_the_table_refutes_another_cost(cost) -> None:
    """Negative control: the agreement depends on the printed cost."""
    assert_broken(get("pad.table1"), instances=lambda draw: {"rows": PRINTED, "cost": cost})
