"""Confidence sequences: hand-computed ends, exact supermartingale checks, coverage at every stop, wealth against interval.

Coverage is judged by Ville's bound: over independent replications the number of sequences that ever exclude the true mean is at
most binomial(replications, 1 − level).  Each statistical test allows the count that is exceeded with probability 1e-6, so
that is its false-alarm rate; the same test applied to invalid procedures must fail.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import betaln
from scipy.stats import binom, norm

from simspec.engine.estimates.sequences import (
    bernstein_wealth,
    beta_binomial,
    beta_binomial_wealth,
    betting,
    betting_wealth,
    empirical_bernstein,
)
from simspec.engine.estimates.statistics import SCALE, bounded

LEVEL = 0.95
REPLICATIONS = 10_000
FALSE_ALARM = 1e-6
ALLOWED = int(binom.isf(FALSE_ALARM, REPLICATIONS, 1 - LEVEL))
LINE = math.log(2 / (1 - LEVEL))  # what each of the two sides may reach


def fixed(values):
    """Columns (..., blocks) from values (..., blocks, rows)."""
    units = np.rint(values * SCALE)
    squares = np.rint(units * (units / SCALE)).astype(np.int64).sum(axis=-1)
    return np.full(units.shape[:-1], units.shape[-1]), units.astype(np.int64).sum(axis=-1), squares


# By hand


def test_two_blocks_of_empirical_bernstein_by_hand() -> None:
    n, sums, squares = fixed(np.array([[0, 1, 1, 1], [1, 0, 0, 1]]))
    first = min(0.5, math.sqrt(2 * LINE / (0.25 * 4 * 3)))
    spread = (0.25 + 3 - 9 / 4) / 5  # one pseudo-row of variance 1/4, and the four rows about their mean
    second = min(0.5, math.sqrt(2 * LINE / (spread * 8 * (3 + math.log(2)))))
    centre = 3.5 / 5

    def psi(bet):
        return -math.log(1 - bet) - bet

    penalty = psi(first) * 4 * 0.25 + psi(second) * (2 * (1 - centre) ** 2 + 2 * centre**2)
    gain = first * (3 - 4 * 0.5) + second * (2 - 4 * 0.5)
    up, down = bernstein_wealth(n, sums, squares, 0.5, LEVEL)
    assert (up[-1], down[-1]) == pytest.approx((gain - penalty, -gain - penalty), abs=1e-8)


def test_one_row_of_the_others_by_hand() -> None:
    low, high = beta_binomial([1], [0], 0.9)  # W = 1 / (2 (1 − p)) < 10 when p < 19/20
    assert (low[0], high[0]) == pytest.approx((0, 0.95), abs=1e-12)
    low, high = betting([16], [0], 0.75)  # y = 0, c/(1 − m): 1 + (1/(1 − m) − 1)/2 = 8 at 1 − m = 1/15
    assert (low[0], high[0]) == pytest.approx((0, 14 / 15), abs=1e-9)


# Exactly: no false alarms


def paths(values, masses, length):
    """All sequences (paths, length) of a law on a few values, with their probabilities."""
    index = np.array(list(itertools.product(range(len(values)), repeat=length)))
    return np.asarray(values)[index], np.asarray(masses)[index].prod(axis=1)


@pytest.mark.parametrize("masses", [(0.2, 0.3, 0.5), (0.9, 0.05, 0.05), (0.0, 0.5, 0.5), (0.5, 0.0, 0.5)])
def test_wealth_at_the_true_mean_does_not_grow_on_average(masses) -> None:
    x, probability = paths((0, 0.5, 1), masses, 8)
    true_mean = float(np.dot((0, 0.5, 1), masses))
    n, sums, squares = fixed(x[..., None])
    for log_wealth in bernstein_wealth(n, sums, squares, true_mean, 0.8):
        assert (probability @ np.exp(log_wealth) <= 1 + 1e-9).all()
    for log_wealth in betting_wealth(n, sums, true_mean, 0.8):
        assert probability @ np.exp(log_wealth) == pytest.approx(np.ones(8), abs=1e-12)
    half_up, _ = bernstein_wealth(n, sums, squares, true_mean - 0.15, 0.8)  # control: at a wrong mean it grows
    assert (probability @ np.exp(half_up)).max() > 1.01


@pytest.mark.parametrize("masses", [(0.2, 0.3, 0.5), (0.9, 0.05, 0.05)])
def test_wealth_in_blocks_of_several_rows_does_not_grow_on_average(masses) -> None:
    x, probability = paths((0, 0.5, 1), masses, 9)
    n, sums, squares = fixed(x.reshape(-1, 3, 3))
    true_mean = float(np.dot((0, 0.5, 1), masses))
    for log_wealth in bernstein_wealth(n, sums, squares, true_mean, 0.8):
        assert (probability @ np.exp(log_wealth) <= 1 + 1e-9).all()
    for log_wealth in betting_wealth(n, sums, true_mean, 0.8):
        assert probability @ np.exp(log_wealth) == pytest.approx(np.ones(3), abs=1e-12)


def crossing_probability(p, level, horizon):
    """Probability that the beta-binomial sequence excludes p within the horizon, row by row (dynamic programme)."""
    mass, lost = np.ones(1), 0.0
    for rows in range(1, horizon + 1):
        mass = np.append(mass * (1 - p), 0) + np.append(0, mass * p)
        hits = np.arange(rows + 1)
        out = beta_binomial_wealth(np.full((rows + 1, 1), rows), hits[:, None], p)[:, 0] >= -math.log(1 - level)
        lost += mass[out].sum()
        mass[out] = 0
    return lost


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5])
def test_beta_binomial_ever_excludes_the_truth_with_at_most_the_stated_probability(p) -> None:
    lost = crossing_probability(p, 0.8, 300)
    assert 0.02 < lost <= 0.2  # valid, and not by being empty of content


def test_beta_binomial_wealth_averages_to_one() -> None:
    for rows, p in ((1, 0.3), (7, 0.9), (40, 0.5)):
        hits = np.arange(rows + 1)
        wealth = np.exp(beta_binomial_wealth(np.full((rows + 1, 1), rows), hits[:, None], p)[:, 0])
        assert binom.pmf(hits, rows, p) @ wealth == pytest.approx(1, rel=1e-11)


# By simulation: coverage at every stop


def samples(kind, blocks, rows):
    rng = np.random.default_rng(20240131)
    shape = (REPLICATIONS, blocks, rows)
    if kind == "coin":
        return (rng.random(shape) < 0.3).astype(float), 0.3
    if kind == "rare":
        return (rng.random(shape) < 0.02).astype(float), 0.02
    return rng.beta(9, 1, shape), 0.9


@pytest.mark.parametrize("kind", ["coin", "rare", "beta"])
@pytest.mark.parametrize("rows", [1, 4])
def test_the_truth_is_ever_excluded_no_more_often_than_stated(kind, rows) -> None:
    x, true_mean = samples(kind, 80, rows)
    n, sums, squares = fixed(x)
    for up, down in (bernstein_wealth(n, sums, squares, true_mean, LEVEL), betting_wealth(n, sums, true_mean, LEVEL)):
        failed = (np.maximum(up, down) >= LINE).any(axis=-1).sum()
        assert failed <= ALLOWED
    if kind != "beta":
        excluded = (beta_binomial_wealth(n, sums // SCALE, true_mean) >= -math.log(1 - LEVEL)).any(axis=-1).sum()
        assert 0 < excluded <= ALLOWED


def clt_excludes(x, true_mean):
    """Whether the fixed-size normal interval after each block (from the twentieth) excludes the mean."""
    rows = np.arange(1, x.shape[1] + 1) * x.shape[2]
    total, squares = np.cumsum(x.sum(axis=-1), axis=-1), np.cumsum((x * x).sum(axis=-1), axis=-1)
    mean = total / rows
    error = np.sqrt(np.maximum(0, squares / rows - mean**2) / rows)
    return (abs(mean - true_mean) > norm.isf((1 - LEVEL) / 2) * error)[:, 20:]


def stops(excluded, rng):
    """Excluded at two stops: one drawn at random, and the first at which it happens to exclude (optional stopping)."""
    at_random = excluded[np.arange(len(excluded)), rng.integers(0, excluded.shape[1], len(excluded))]
    return int(at_random.sum()), int(excluded.any(axis=1).sum())


def test_optional_stops_break_the_fixed_size_interval_and_not_the_sequence() -> None:
    x, true_mean = samples("coin", 80, 4)
    rng = np.random.default_rng(7)
    at_random, optional = stops(clt_excludes(x, true_mean), rng)
    assert at_random <= 1.25 * ALLOWED  # nearly right where the stop ignores the data, so the control is a fair one
    assert optional > ALLOWED  # and the test above catches it where the stop looks
    n, sums, squares = fixed(x)
    for low, high in (empirical_bernstein(n, sums, squares, LEVEL), beta_binomial(n, sums // SCALE, LEVEL)):
        excluded = (low > true_mean) | (high < true_mean)
        assert max(stops(excluded, rng)) <= ALLOWED


def test_wealth_without_its_penalty_fails_the_coverage_test() -> None:
    x, true_mean = samples("coin", 80, 4)
    up, down = bernstein_wealth(*fixed(x), true_mean, LEVEL)
    gain = (up - down) / 2  # negative control: ψ = 0
    assert (abs(gain) >= LINE).any(axis=-1).sum() > ALLOWED


# Interval against wealth


def columns(seed, rows, blocks=40):
    return fixed(np.random.default_rng(seed).beta(3, 2, (blocks, rows)))


KINDS = ("bernstein", "betting", "beta-binomial")


def of_kind(kind, n, sums, squares, level):
    """Interval, wealth at a column of candidates, line, and the prefixes used."""
    every, hits, two_sided = np.arange(len(n)), sums // SCALE, math.log(2 / (1 - level))
    if kind == "bernstein":
        wealth = lambda m: np.maximum(*bernstein_wealth(n, sums, squares, m, level))  # noqa: E731
        return empirical_bernstein(n, sums, squares, level), wealth, two_sided, every
    if kind == "betting":
        roots = sorted({size for k in range(60) if (size := int(2 ** (k / 8))) <= len(n)})
        wealth = lambda m: np.maximum(*betting_wealth(n, sums, m, level))  # noqa: E731
        return betting(n, sums, level), wealth, two_sided, np.array(roots) - 1
    return beta_binomial(n, hits, level), lambda m: beta_binomial_wealth(n, hits, m), -math.log(1 - level), every


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), rows=st.sampled_from([1, 2, 50]), level=st.sampled_from([0.5, 0.9, 0.999]))
def test_the_interval_holds_exactly_the_means_whose_wealth_never_reached_the_line(kind, seed, rows, level) -> None:
    (low, high), wealth, line, used = of_kind(kind, *columns(seed, rows), level)
    assume((np.diff(low) >= 0).all() and (np.diff(high) <= 0).all() and (high - low > 1e-5).all())  # has not failed
    idle = ~np.isin(np.arange(len(low)), used)

    def reached(candidates):
        """Whether the wealth at the i-th candidate has reached the line by block i."""
        log_wealth = np.where(idle, -np.inf, wealth(candidates[:, None]))
        return np.diag(np.maximum.accumulate(log_wealth, axis=-1)) >= line

    for end, inward in ((low, 1e-7), (high, -1e-7)):
        assert not reached(end + inward).any()
        bounded_away = (end > 1e-6) & (end < 1 - 1e-6)
        assert reached(np.clip(end - inward, 1e-9, 1 - 1e-9))[bounded_away].all()


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 39), st.sampled_from([1, 50]))
def test_the_interval_after_a_block_does_not_depend_on_later_blocks(seed, blocks, rows) -> None:
    whole = columns(seed, rows)
    part = [column[:blocks] for column in whole]
    for kind in KINDS:
        for long, short in zip(of_kind(kind, *whole, 0.9)[0], of_kind(kind, *part, 0.9)[0], strict=True):
            assert (long[:blocks] == short).all(), kind


def test_leading_axes_are_independent_sequences() -> None:
    n, sums, squares = fixed(np.random.default_rng(1).random((2, 3, 17, 4)))
    for function, arguments in (
        (empirical_bernstein, (n, sums, squares)),
        (betting, (n, sums)),
        (beta_binomial, (n, sums // SCALE)),
    ):
        for batched, alone in zip(function(*arguments), function(*(a[1, 2] for a in arguments)), strict=True):
            assert batched.shape == (2, 3, 17)
            assert batched[1, 2] == pytest.approx(alone, abs=1e-9)


def test_a_sequence_that_failed_still_gives_an_interval() -> None:
    x = np.repeat([0.0, 1.0], [20, 400])[:, None] * np.ones(20)  # the mean moves, which no theory allows
    n, sums, squares = fixed(x)
    for low, high in (empirical_bernstein(n, sums, squares), betting(n, sums), beta_binomial(n, sums // SCALE)):
        assert (low <= high).all()
        assert high[19] < 0.3 and high[-1] > 0.6  # it follows the data again


def test_a_mirrored_sequence_has_the_mirrored_interval() -> None:
    x = np.random.default_rng(3).beta(2, 5, (30, 8))
    (n, sums, squares), mirrored = fixed(x), fixed(1 - x)
    for function, count in ((empirical_bernstein, 3), (betting, 2)):
        low, high = function(*(n, sums, squares)[:count])
        other_low, other_high = function(*mirrored[:count])
        assert low == pytest.approx(1 - other_high, abs=1e-7) and high == pytest.approx(1 - other_low, abs=1e-7)


# Widths


def test_beta_binomial_is_precise_for_very_many_rows() -> None:
    rows, hits = 10**12, 142857142857  # ends from 60-digit arithmetic
    low, high = beta_binomial([rows], [hits])
    assert low[0] == pytest.approx(0.14285510023570394, abs=1e-15)
    assert high[0] == pytest.approx(0.14285918549452176, abs=1e-15)


@pytest.mark.parametrize(("rows", "hits"), [(900, 100), (1500, 100), (3000, 1200), (3000, 2900)])
def test_beta_binomial_wealth_where_the_series_takes_over(rows, hits) -> None:
    exact = (
        betaln(hits + 0.5, rows - hits + 0.5) - math.log(math.pi) - hits * math.log(0.4) - (rows - hits) * math.log(0.6)
    )
    assert beta_binomial_wealth([rows], [hits], 0.4)[0] == pytest.approx(exact, abs=1e-9)


def test_blocks_of_many_rows_are_used_and_the_stated_widths_are_met() -> None:
    rng = np.random.default_rng(5)
    n, hits = np.full(1000, 4096), rng.binomial(4096, 0.7, 1000)
    fixed_size = 2 * norm.isf(0.025) * math.sqrt(0.7 * 0.3 / 4096 / 100)
    for (low, high), least, most in (
        (beta_binomial(n, hits), 1.5, 2.5),
        (empirical_bernstein(n, hits * SCALE, hits * SCALE), 1.5, 2.5),
        (betting(n, hits * SCALE), 10, 40),
    ):
        assert least < (high - low)[99] / fixed_size < most
        assert low[-1] < 0.7 < high[-1]


def test_a_single_row_in_each_block_is_where_betting_is_narrower() -> None:
    n, sums, squares = fixed(np.random.default_rng(6).beta(63, 27, (30, 1)))
    bernstein, bets = empirical_bernstein(n, sums, squares), betting(n, sums)
    assert (bets[1] - bets[0])[-1] < 0.7 * (bernstein[1] - bernstein[0])[-1]


def test_blocks_from_the_statistics_module_are_understood() -> None:
    block = bounded("x", np.full(20, 0.5))
    low, high = empirical_bernstein([block["x.n"]], [block["x.sum"]], [block["x.squares"]])
    assert (low[0], high[0]) == pytest.approx((0.5 - math.log(40) / 10, 0.5 + math.log(40) / 10), abs=1e-8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: empirical_bernstein([1], [0], [0], 95), "level: 95; expected a confidence between 0 and 1"),
        (lambda: beta_binomial([1], [0], 0), "level: 0; expected a confidence"),
        (lambda: empirical_bernstein([2, 0], [0, 0], [0, 0]), "n: 0; expected an axis of blocks of at least 1 rows"),
        (lambda: betting(3, 1), "n: 3; expected an axis of blocks"),
        (lambda: beta_binomial([-1], [0]), "n: -1; expected an axis of blocks of at least 0 rows"),
        (lambda: beta_binomial([3], [4]), "hits: 4; expected 0 to 3 rows"),
        (lambda: betting([1], [SCALE + 1]), f"sums: {SCALE + 1}; expected 0 to 1 rows"),
        (lambda: empirical_bernstein([1], [0], [-1]), "squares: -1; expected 0 to 1 rows"),
        (lambda: beta_binomial([3, 3], [1]), r"hits: shape \(1,\); expected \(2,\), the shape of n"),
    ],
)
def test_bad_input_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_blocks_without_rows_leave_a_proportion_unknown() -> None:
    low, high = beta_binomial([0, 1], [0, 1])
    assert (low[0], high[0]) == (0, 1) and low[1] == pytest.approx(0.025)


# The bets, and so the widths, by their definition


def definition_of_bernstein(n, sums, squares, error):
    """Bets and penalties of `empirical_bernstein` from its docstring, block by block; one pseudo-row at 1/2, variance 1/4."""
    rows, total, total_squares, centre, spread = 0, 0.0, 0.0, 0.5, 0.25
    bets, penalties = [], []
    for count, s, q in zip(n, sums, squares, strict=True):
        rows += count
        bet = min(1 / 2, math.sqrt(2 * math.log(2 / error) / (spread * rows * (3 + math.log(rows / n[0])))))
        about_centre = q - 2 * centre * s + count * centre**2 + count / SCALE  # what rounding can take of the squares
        bets.append(bet)
        penalties.append((-math.log(1 - bet) - bet) * about_centre)
        total, total_squares = total + s, total_squares + q
        centre = (0.5 + total) / (1 + rows)
        spread = (0.25 + total_squares - total**2 / rows) / (1 + rows)
    return np.array(bets), np.array(penalties)


def definition_of_betting(n, means, error):
    """Bets of `betting`: those of Waudby-Smith and Ramdas with block means for rows, one pseudo-block of variance 1/(4 n_1)."""
    bets, spread = [], 0.25 / n[0]
    for block in range(len(means)):
        count = block + 1
        bets.append(math.sqrt(2 * math.log(2 / error) / (spread * count * (3 + math.log(count)))))
        past = means[:count]
        spread = (0.25 / n[0] + ((past - past.mean()) ** 2).sum()) / (1 + count)
    return np.array(bets)


def uneven_blocks(seed, blocks=10, most=40):
    """Blocks of different numbers of rows in [0, 1], which vary enough that most bets are below their bound."""
    rng = np.random.default_rng(seed)
    n = rng.integers(1, most + 1, blocks)
    values = [np.rint(SCALE * (rng.random(count) < 0.6) * rng.choice([0.5, 1], count)) / SCALE for count in n]
    return n, np.array([x.sum() for x in values]), np.array([(x * x).sum() for x in values])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_width_of_empirical_bernstein_is_the_one_of_its_formula(seed, level) -> None:
    """An interval from other bets holds as well, but is wider or narrower: only the formula shows it."""
    n, sums, squares = uneven_blocks(seed)
    bets, penalties = definition_of_bernstein(n, sums, squares, 1 - level)
    weight = np.cumsum(bets * n)
    centre, radius = np.cumsum(bets * sums) / weight, (math.log(2 / (1 - level)) + np.cumsum(penalties)) / weight
    radius = radius + 0.5 / SCALE  # what rounding can move a mean
    low = np.maximum.accumulate(np.maximum(centre - radius, 0))
    high = np.minimum.accumulate(np.minimum(centre + radius, 1))
    units = [np.rint(SCALE * column).astype(np.int64) for column in (sums, squares)]
    for end, expected in zip(empirical_bernstein(n, *units, level), (low, high), strict=True):
        assert end == pytest.approx(expected, abs=1e-13)
    up, down = bernstein_wealth(n, *units, 0.3, level)
    assert up == pytest.approx(np.cumsum(bets * (sums - 0.3 * n) - penalties), abs=1e-10)
    assert down == pytest.approx(np.cumsum(-bets * (sums - 0.3 * n) - penalties), abs=1e-10)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_capital_of_betting_is_the_one_of_its_bets(seed, level) -> None:
    n, sums, _ = uneven_blocks(seed, blocks=200, most=2)
    means = sums / n
    bets = definition_of_betting(n, means, 1 - level)
    for candidate in (0.3, 0.7):
        up = np.cumsum(np.log(1 + np.minimum(bets, 0.5 / candidate) * (means - candidate)))
        down = np.cumsum(np.log(1 + np.minimum(bets, 0.5 / (1 - candidate)) * (candidate - means)))
        capital = betting_wealth(n, np.rint(SCALE * sums).astype(np.int64), candidate, level)
        assert capital[0] == pytest.approx(up, abs=1e-7) and capital[1] == pytest.approx(down, abs=1e-7)


def test_bets_below_their_bound_are_what_the_formulas_are_tested_on() -> None:
    """Otherwise the definitions above would say nothing: every bet would be the bound."""
    for seed in range(5):
        n, sums, squares = uneven_blocks(seed)
        assert (definition_of_bernstein(n, sums, squares, 0.05)[0] < 0.5).mean() > 0.6
        n, sums, _ = uneven_blocks(seed, blocks=200, most=2)
        assert (definition_of_betting(n, sums / n, 0.05) < 0.5 / 0.7).mean() > 0.6


def test_rounded_squares_never_lower_a_penalty() -> None:
    """20 rows that are all 1/2 have no variance; half a unit for each rounded square is added, so the wealth at 1/2 falls."""
    half = 2**31
    up, down = bernstein_wealth([20], [20 * half], [10 * half], 0.5)
    assert -1e-7 < up[0] < 0 and up[0] == down[0]
