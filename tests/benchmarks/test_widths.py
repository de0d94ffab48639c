"""Sequences compared: coins that a width needs, widths of other draws, and the table of the tour."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks import widths
from benchmarks.widths import half_widths, rows_of_coins, table
from simspec.engine.estimates.sequences import beta_binomial, empirical_bernstein
from simspec.engine.estimates.statistics import SCALE

PAGE = Path(__file__).parents[2] / "docs" / "tours" / "studies.md"


def columns(x):
    units = np.rint(x * SCALE)
    squares = np.rint(units * (units / SCALE)).sum(axis=-1).astype(np.int64)
    return np.full(x.shape[:-1], x.shape[-1]), units.astype(np.int64).sum(axis=-1), squares


def test_coins_are_those_at_which_the_width_is_reached() -> None:
    coins = rows_of_coins(0.05, 0.3)
    for count, narrow in ((coins, True), (coins - 1, False)):
        low, high = beta_binomial([count], [round(0.3 * count)])
        assert (high[0] - low[0] <= 0.1) == narrow


def test_widths_are_those_of_other_draws() -> None:
    law = widths.LAWS["coins, 0.3"]
    one = half_widths(law, 4000)
    drawn = law(np.random.default_rng(2).random(4000)).astype(float)
    low, high = empirical_bernstein(*columns(drawn[:, None]))
    assert one["empirical Bernstein"] == pytest.approx((high[-1] - low[-1]) / 2, rel=0.05)
    assert one["Student t"] == pytest.approx(1.96 * math.sqrt(0.21 / 4000), rel=0.02)
    assert all(one["Student t"] < width for name, width in one.items() if name != "Student t")


def test_the_table_of_the_tour_is_the_one_that_is_made(tmp_path) -> None:
    """Its first two sizes, which are quick; all are made by the command that the page names."""
    text = PAGE.read_text(encoding="utf-8")
    assert set(table(widths.SIZES[:2]).splitlines()) <= set(text.splitlines())
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- widths:begin -->\n<!-- widths:end -->\nb\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(widths, "table", lambda: "| t |")
        assert widths.main([str(page)]) == 0
    assert "| t |" in page.read_text(encoding="utf-8")
