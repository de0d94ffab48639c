"""Sequences compared: the asymptotic one by hand and by simulation, rows that widths need, and the table of the tour."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, norm

from simspec.engine.estimates import compared
from simspec.engine.estimates.compared import half_widths, rows_of_coins, rows_of_t, rows_until, table
from simspec.engine.estimates.limits import asymptotic
from simspec.engine.estimates.sequences import beta_binomial, empirical_bernstein
from simspec.engine.estimates.statistics import SCALE

PAGE = Path(__file__).parents[3] / "docs" / "tours" / "studies.md"


def columns(x):
    units = np.rint(x * SCALE)
    squares = np.rint(units * (units / SCALE)).sum(axis=-1).astype(np.int64)
    return np.full(x.shape[:-1], x.shape[-1]), units.astype(np.int64).sum(axis=-1), squares


def test_the_asymptotic_sequence_by_hand() -> None:
    """100 rows with mean 1/2 and variance 1/16, narrowest at 100 rows."""
    n, sums, squares = columns(np.tile([0.25, 0.75], 50)[None])
    a, log = 0.05, math.log(20)
    rho = (2 * log + math.log(1 + 2 * log)) / 100
    radius = 0.25 * math.sqrt(2 * (100 * rho + 1) / (100**2 * rho) * math.log(math.sqrt(100 * rho + 1) / a))
    low, high = asymptotic(n, sums, squares, 0.95, best=100)
    assert (low[0], high[0]) == pytest.approx((0.5 - radius, 0.5 + radius), abs=1e-9)
    with pytest.raises(ValueError, match="level: 1"):
        asymptotic(n, sums, squares, 1.0)


def test_the_asymptotic_sequence_covers_at_every_stop_and_a_normal_interval_does_not() -> None:
    """4,000 sequences of 64 blocks: more misses than 5 % allows with probability 1e-6 are a false alarm."""
    count = 4000
    x = np.random.default_rng(5).random((count, 64, 16))
    n, sums, squares = columns(x)
    allowed = binom.isf(1e-6, count, 0.05)
    low, high = asymptotic(n, sums, squares, 0.95, best=500)
    assert ((low > 0.5) | (high < 0.5)).any(axis=1).sum() <= allowed
    total = np.cumsum(x.sum(axis=-1), axis=-1)
    rows = 16 * np.arange(1, 65)
    once = norm.isf(0.025) * math.sqrt(1 / 12) / np.sqrt(rows)
    assert (abs(total / rows - 0.5) > once).any(axis=1).sum() > allowed


def test_rows_are_those_at_which_the_width_is_reached() -> None:
    rows = rows_until(0.02, 0.4, 0.2)
    for count, narrow in ((rows // 16, True), (rows // 16 - 1, False)):
        n, s = np.full(count, 16), 16 * np.array([0.4, 0.4**2 + 0.2**2])
        low, high = empirical_bernstein(n, *(np.full(count, round(v * SCALE)) for v in s))
        assert (high[-1] - low[-1] <= 0.04) == narrow
    assert rows_until(0.2, 4, 2, bounds=(0, 10)) == rows  # another unit
    coins = rows_of_coins(0.05, 0.3)
    for count, narrow in ((coins, True), (coins - 1, False)):
        low, high = beta_binomial([count], [round(0.3 * count)])
        assert (high[0] - low[0] <= 0.1) == narrow
    assert rows_of_t(0.5, 0.01) == pytest.approx((1.96 * 0.5 / 0.01) ** 2, rel=1e-3)
    assert rows_of_t(0, 0.01) == 2


def test_widths_are_those_of_other_draws() -> None:
    law = compared.LAWS["coins, 0.3"]
    one = half_widths(law, 4000)
    drawn = law(np.random.default_rng(2).random(4000)).astype(float)
    low, high = empirical_bernstein(*columns(drawn[:, None]))
    assert one["empirical Bernstein"] == pytest.approx((high[-1] - low[-1]) / 2, rel=0.05)
    assert one["Student t"] == pytest.approx(1.96 * math.sqrt(0.21 / 4000), rel=0.02)
    assert all(one["Student t"] < width for name, width in one.items() if name != "Student t")


def test_the_table_of_the_tour_is_the_one_that_is_made(tmp_path) -> None:
    """Its first two sizes, which are quick; all are made by the command that the page names."""
    text = PAGE.read_text(encoding="utf-8")
    assert set(table(compared.SIZES[:2]).splitlines()) <= set(text.splitlines())
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- widths:begin -->\n<!-- widths:end -->\nb\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compared, "table", lambda: "| t |")
        assert compared.main([str(page)]) == 0
    assert "| t |" in page.read_text(encoding="utf-8")
