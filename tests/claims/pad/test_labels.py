"""Claims about labels made from rollouts and about the printed table: hand cases, all N."""

import itertools
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.balls import ball
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.search import EFFORTS, check_exact
from simspec.claims.pad.label_noise import ENOUGH, _measured, binomial, ends, pivot_label
from simspec.claims.pad.table1 import COST, LENGTHS, PRINTED
from simspec.methods import label_error
from tests.claims.cases import counterexample, get
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


def test_two_rollouts_by_hand() -> None:
    """Fair coins, two tosses each: fewer successes than the base in (1, 0), (2, 0) and (2, 1)."""
    assert plain_label(F(1, 2), F(1, 2), 2) == F(2 * 1 + 1 * 1 + 1 * 2, 16)
    assert abs(float(pivot_label(F(1, 2), F(1, 2), 2)) - 5 / 16) < 1e-15


@pytest.mark.parametrize("base", [F(0), F(3, 10), F(1)])
@pytest.mark.parametrize("candidate", [F(0), F(6, 25), F(1)])
def test_certified_label_contains_the_exact_one(base, candidate) -> None:
    for rollouts in (1, 2, 7, 20):
        label = plain_label(base, candidate, rollouts)
        assert pivot_label(base, candidate, rollouts).overlaps(ball(label))
        assert label_error(base, candidate, rollouts, F(9, 10)) == label
        assert abs(float(sum(binomial(base, rollouts), start=ball(0))) - 1) < 1e-15


def test_counterexample_to_twenty_rollouts() -> None:
    case = counterexample("pad.label-noise")
    value = case["value"]
    assert max(plain_label(value, value, 20), 1 - plain_label(value, value * F(4, 5), 20)) > F(1, 20)


def test_no_smaller_number_of_rollouts_will_do() -> None:
    """Every N below, in floating point, with a margin far above its error."""
    alarms = np.array([label_error(0.3, 0.3, n, F(9, 10)) for n in range(1, ENOUGH + 1)])
    assert (alarms[:-1] > 0.05 + 1e-6).all() and alarms[-1] < 0.05 - 1e-6


def test_cover_is_a_cover_and_its_corners_bound_the_middle() -> None:
    cover = ends()
    assert (cover[0], cover[-1]) == (F(3, 10), 1) and (np.diff(cover) > 0).all()
    corners = get("pad.label-noise-corrected").sides({"rollouts": 40, "cover": ends(12, 3)})[0]
    for (alarm, miss), low, high in zip(corners, ends(12, 3)[:-1], ends(12, 3)[1:], strict=True):
        middle = float(low + high) / 2
        assert label_error(middle, middle, 40) <= float(alarm)
        assert 1 - label_error(middle, 0.8 * middle, 40) <= float(miss)


@pytest.mark.parametrize("value", np.linspace(0.3, 1, 15))
def test_errors_with_enough_rollouts(value) -> None:
    lower = 0.8 * value
    assert label_error(value, value, ENOUGH) <= 0.05
    assert 1 - label_error(value, lower, ENOUGH) <= 0.05
    assert 1 - label_error(value, value - 0.2, ENOUGH) <= 0.05


def test_twenty_rollouts_would_do_at_a_lower_standard() -> None:
    """The claim is not refuted by construction: with errors up to one half it holds."""
    claim = replace(get("pad.label-noise"), rhs=lambda: F(1, 2))
    assert check_exact(claim, EFFORTS["quick"], seed=0).counterexample is None


def test_simulated_labels_follow_the_closed_form() -> None:
    """Ten shares of 100 labels: five standard errors, false alarm below 1e-5; the judge's shares refute the law without him."""
    evidence = _measured(Data(effort="quick"))
    assert len(evidence) == 10
    for e in evidence:
        control = dict(e.control or {})
        assert abs(e.estimate - control["closed form"]) <= 5 * 0.5 / e.n**0.5
        assert (
            abs(control["miss of a 20 % drop, simulated"] - control["miss of a 20 % drop, closed form"])
            <= 5 * 0.5 / e.n**0.5
        )
    plain, judged = ({e.data.split("U = ")[1]: e for e in evidence if ("judge" in e.data) == j} for j in (False, True))
    alone = dict(plain["0.9: false alarm, simulated"].control or {})["closed form"]
    assert (
        abs(judged["0.9: false alarm, simulated"].estimate - alone)
        > 5 * 0.5 / judged["0.9: false alarm, simulated"].n ** 0.5
    )


def test_which_lengths_the_table_allows() -> None:
    """Recomputed in floating point: γ = 11 comes closest, 9 to 13 are within 0.1, none is within rounding."""
    eta, speed = PRINTED.astype(float).T
    off = {g: np.abs((eta * g + 1) / (g / 3.94 + 1) - speed).max() for g in LENGTHS}
    assert [g for g in LENGTHS if off[g] <= 0.1] == [9, 10, 11, 12, 13]
    assert min(off, key=off.__getitem__) == 11 and round(off[11], 3) == 0.057
    assert len(PRINTED) == 9 and F(100, 394) == COST
