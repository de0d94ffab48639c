"""Claims about labels made from rollouts and about the printed table: hand cases, verdicts, all N, mutations."""

import itertools
from fractions import Fraction as F

from simspec.methods import label_error
from tests.claims.pad.cases import plain_label


def test_label_is_monotone_in_both_values() -> None:
    """What lets the corners of a box stand for all of it."""
    grid = [F(n, 8) for n in range(9)]
    labels = [[label_error(b, c, 5, F(9, 10)) for c in grid] for b in grid]
    assert all(x <= y for low, high in itertools.pairwise(labels) for x, y in zip(low, high, strict=True))
    assert all(x >= y for row in labels for x, y in itertools.pairwise(row))


def test_twenty_rollouts_fail_at_the_lowest_utility_by_a_wide_margin() -> None:
    assert 0.42 < plain_label(F(3, 10), F(3, 10), 20) < 0.43
    assert 0.40 < 1 - plain_label(F(3, 10), F(6, 25), 20) < 0.41
