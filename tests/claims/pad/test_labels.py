"""Claims about labels made from rollouts and about the printed table: hand cases, verdicts, all N, mutations."""

import itertools
from fractions import Fraction as F

import pytest

from simspec.methods import label_error
from tests.claims.cases import assert_corrections, claims_of, getter
from tests.claims.pad.cases import assert_floats, plain_label, tried

CLAIMS = claims_of("pad.label-noise", "pad.table1")

get = getter(CLAIMS)
REFUTED = {"pad.label-noise"}


def test_label_is_monotone_in_both_values() -> None:
    """What lets the corners of a box stand for all of it."""
    grid = [F(n, 8) for n in range(9)]
    labels = [[label_error(b, c, 5, F(9, 10)) for c in grid] for b in grid]
    assert all(x <= y for low, high in itertools.pairwise(labels) for x, y in zip(low, high, strict=True))
    assert all(x >= y for row in labels for x, y in itertools.pairwise(row))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_verdict(claim) -> None:
    tried(claim, claim.name in REFUTED)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_floats_agree(claim) -> None:
    assert_floats(claim, claim.name in REFUTED)


def test_corrections() -> None:
    assert_corrections(CLAIMS)


def test_twenty_rollouts_fail_at_the_lowest_utility_by_a_wide_margin() -> None:
    assert 0.42 < plain_label(F(3, 10), F(3, 10), 20) < 0.43
    assert 0.40 < 1 - plain_label(F(3, 10), F(6, 25), 20) < 0.41
