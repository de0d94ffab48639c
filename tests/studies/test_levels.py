"""Whole rows corrected by many draws of large tokens: the mean that whole rows have, fewer rows for it, and broken levels."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from simspec.engine import run as engine
from simspec.engine.study import Rows as Numbers
from simspec.kernels import random
from simspec.kernels.large import cut_at
from simspec.laws import overlap, softmax
from simspec.methods import acceptance_rate, ears
from simspec.studies import Mean, Study, levels
from simspec.studies.pairs import synthetic_logits

CELLS = ({"vocab": 100, "scale": 2.0, "rho": 0.9, "tolerance": 0.1}, {"vocab": 100, "scale": 0.5, "rho": 0.9, "df": 5})
TOKENS, COPIES = (4, 20), (128, 16)
FEW, MANY = 150, 8000


@lru_cache
def _whole(at: int) -> tuple[Any, Any]:
    """Acceptance and EARS' gain of whole rows of other numbers."""
    p, q = map(softmax, synthetic_logits(CELLS[at], Numbers(3, range(MANY))))
    return overlap(p, q), acceptance_rate(ears(0.1), p, q) - overlap(p, q)


def _gap(made, exact) -> float:
    """Distance of two means, in standard errors."""
    return float((made.mean() - exact.mean()) / math.hypot(*(x.std() / math.sqrt(len(x)) for x in (made, exact))))


@pytest.mark.parametrize("at", [0, 1])
def test_the_mean_is_that_of_whole_rows(at) -> None:
    """Five standard errors: false alarm 6e-7 each; and so many times fewer rows."""
    alpha, gain = levels.levelled(CELLS[at], Numbers(1, range(FEW)), TOKENS, COPIES)
    exact = _whole(at)
    assert abs(_gap(alpha, exact[0])) < 5 and alpha.var() < exact[0].var() / 5
    assert abs(_gap(gain, exact[1])) < 5 if at == 0 else not gain.any()


@pytest.mark.parametrize("broken", ["number of tokens", "law beyond the cut", "sign"])
def test_broken_levels_are_found_out(broken, monkeypatch) -> None:
    """The controls: means that do not telescope are off by more than the 5 standard errors that are allowed."""
    drawn = levels.large_tokens

    def wrong(pairs, cut, before, stream, count):
        if broken == "number of tokens":
            return drawn(pairs, cut, before, stream, count // 4)
        if broken == "law beyond the cut" and before is None:
            return drawn(pairs._replace(scale=1.4 * pairs.scale), cut, before, stream, count)
        return drawn(pairs, cut, before, stream, count) * (-1 if broken == "sign" else 1)

    monkeypatch.setattr(levels, "large_tokens", wrong)
    alpha, _ = levels.levelled(CELLS[0], Numbers(1, range(FEW)), TOKENS, COPIES)
    assert abs(_gap(alpha, _whole(0)[0])) > 6


STEADY = {"vocab": 2000, "scale": 1.0, "rho": 0.9, "tolerance": 0.1}


@lru_cache
def _steady() -> tuple[Any, Any]:
    return levels.whole_rows(STEADY, Numbers(3, range(1000)))


def _corrected(rows=range(200)) -> Any:
    """What whole rows add to what their large tokens say, and the mean of that from many draws alone: (rows, 2)."""
    pairs = levels.pairs_of(STEADY)
    cut = cut_at(pairs, 16)
    assert levels.slip(pairs, cut) < levels.SLIP
    coarse = levels._copies(pairs, cut, None, 5, 0, 40_000, 2)
    return np.array([levels._whole(pairs, cut, 1, row, True) for row in rows]), coarse


def test_the_linear_part_leaves_the_mean_and_takes_the_spread() -> None:
    """Five standard errors of the two means: false alarm 6e-7 for each of the two values."""
    left, coarse = _corrected()
    for i, exact in enumerate(_steady()):
        found = left[:, i].mean() + coarse[:, i].mean()
        error = math.sqrt(sum(x.var() / len(x) for x in (left[:, i], coarse[:, i], exact)))
        assert abs(found - exact.mean()) < 5 * error and left[:, i].std() < exact.std() / 4


def test_a_linear_part_with_a_wrong_mean_is_found_out(monkeypatch) -> None:
    """The control: one draws' mean in a hundred is wrong, and what is left no longer corrects."""
    linear = levels.first_order
    wrong = lambda pairs, cut, *rest: linear(  # noqa: E731
        pairs, cut._replace(means=(1.01 * cut.means[0], cut.means[1])), *rest
    )
    monkeypatch.setattr(levels, "first_order", wrong)
    left, coarse = _corrected()
    exact = _steady()[0]
    error = math.sqrt(sum(x.var() / len(x) for x in (left[:, 0], coarse[:, 0], exact)))
    assert abs(left[:, 0].mean() + coarse[:, 0].mean() - exact.mean()) > 6 * error


@pytest.mark.parametrize(("value", "spread"), [("alpha", 0.01), ("gain", 0.001)])
def test_a_chosen_design_varies_as_was_asked(value, spread) -> None:
    """By half as much to a half more: a sample's standard deviation of 100 rows is within a quarter, four deviations."""
    cell = STEADY | {"vocab": 4500, "scale": 2.0}
    tokens, copies = levels.chosen(cell, spread, value)
    rows = levels.levelled(cell, Numbers(7, range(100)), tokens, copies)[value == "gain"]
    assert 0.5 < rows.std(ddof=1) / spread < 1.5
    assert levels.chosen(cell, spread, value) == (tokens, copies)  # a pilot is no chance
    assert levels.chosen(cell, spread / 4, value)[1][0] >= copies[0]


def test_intervals_of_few_rows_hold() -> None:
    """Student's of 16 rows, 80 times, against their common mean, known nine times better.

    Of intervals that hold at 95 % fewer than 80 % do so with probability 2e-6; those of half the width are told apart.
    """
    cell = {"vocab": 200, "scale": 1.0, "rho": 0.9}
    rows = levels.levelled(cell, Numbers(11, range(16 * 80)), (8,), (4,))[0].reshape(80, 16)
    half = 2.1314 * rows.std(axis=1, ddof=1) / math.sqrt(16)  # the quantile of 15 degrees of freedom
    missed = abs(rows.mean(axis=1) - rows.mean())
    assert (missed < half).mean() > 0.8 > (missed < half / 2).mean()


def test_whole_rows_are_those_of_the_laws() -> None:
    alpha, gain = levels.whole_rows(CELLS[0], Numbers(3, range(20)))
    assert alpha == pytest.approx(_whole(0)[0][:20], abs=1e-6) and gain == pytest.approx(_whole(0)[1][:20], abs=1e-6)


def test_bounds_by_hand() -> None:
    """Two cuts: a whole row less what large tokens say, what two cuts say apart, what one says, and the linear part's 10."""
    (low, high), (least, most) = levels.bounds(2, 0.1)
    assert (low, high) == (-12, 13) and (least, most) == pytest.approx((-0.2 - 32 / 3, 0.3 + 32 / 3))


@pytest.mark.parametrize("asked", [(0.0, "alpha"), (0.1, "beta"), (0.1, "gain")])
def test_what_cannot_be_chosen_is_refused(asked) -> None:
    with pytest.raises(ValueError, match="expected a positive number, and 'alpha', or 'gain' with a tolerance"):
        levels.chosen(CELLS[1], *asked)


def test_a_large_row_takes_the_fast_draws_to_the_same_value() -> None:
    """A row of 5,000 tokens in float32 and in float64; no draw is another for another split of the rows."""
    for cell in (cell | {"vocab": 5000} for cell in CELLS):
        pairs = levels.pairs_of(cell)
        cut = cut_at(pairs, 40)
        fast = levels._whole(pairs, cut, 9, 2, True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(levels, "SMALL", 10_000)
            assert levels._draws(pairs, 9, 2, 0).dtype == np.float64
            assert levels._whole(pairs, cut, 9, 2, True) == pytest.approx(fast, abs=1e-6)


def test_rows_are_numbered_bounded_and_resumed(tmp_path) -> None:
    def simulate(cell, rows, device, tokens=TOKENS, copies=COPIES):
        alpha, gain = levels.levelled(cell, rows, tokens, copies)
        return {"alpha": alpha, "gain": gain}

    measures = {"alpha": Mean(-2, 3), "gain": Mean(-0.2, 0.3)}
    study = Study("levels", "?", CELLS[:1], simulate, rows=4, measures=measures)
    (whole,) = engine.run(study, max_rows=24)
    engine.run(study, tmp_path, max_rows=8)
    assert engine.run(study, tmp_path, max_rows=24)[0].totals == whole.totals
    alone = engine.replay(study, study.grid[0], 7)
    together = levels.levelled(
        CELLS[0], Numbers(random.make_key(0, study.name, dict(study.grid[0])), range(4, 8)), TOKENS, COPIES
    )
    assert (alone["alpha"], alone["gain"]) == (together[0][3], together[1][3])


@pytest.mark.parametrize(
    ("tokens", "copies"), [((), ()), ((4,), (1, 1)), ((40, 4), (1, 1)), ((4, 4), (1, 1)), ((4,), (0,))]
)
def test_refusals(tokens, copies) -> None:
    with pytest.raises(ValueError, match="expected increasing numbers, and a positive one for each"):
        levels.levelled(CELLS[0], Numbers(1, range(1)), tokens, copies)
