"""The least distance from a budget, beside the rule that attains it."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import pytest

from simspec.claims.csqs.budget_minimax import MINIMAX, half_odd


@pytest.mark.parametrize(("tokens", "whole"), [(1, 0), (2, 0), (3, 1), (4, 3)])
def test_every_rule_on_certain_tokens(tokens, whole) -> None:
    """All that a rule can do, and the best of it is 1/(2T) exactly."""
    runs = [MINIMAX.sides({"dropped": list(d), "whole": whole}) for d in product((0, 1), repeat=tokens)]
    assert min(miss for miss, _ in runs) == F(1, 2 * tokens) == runs[0][1]


def test_half_of_an_odd_number_of_tokens() -> None:
    assert half_odd(1, 3) == F(1, 2)
