"""Linear-time RDK over τ: errors within their bounds and of their order, limits of the acceptance, counted operations."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.engine.study import Result, select
from simspec.figures.rdk.linear_time import linear_time
from simspec.logits import open_bank


@cache
def results() -> list[Result]:
    """Run once, by the first test that asks."""
    return gather(linear_time(open_bank("wiki"), vocab=16, contexts=3, kept_tokens=20, rows=2))


@pytest.mark.parametrize("what", ["rank one", "real"])
def test_errors_stay_below_their_bounds_and_fall_with_the_square_of_the_temperature(what) -> None:
    (result,) = select(results(), what=what)
    error, bound = result.values["error"], result.values["bound"]
    assert (error <= bound).all() and (error > 0).all()
    assert error[:, -2] / error[:, -1] == pytest.approx(np.full(error[:, -1].shape, 4.0), rel=0.1)


def test_cold_rdk_is_tli_where_each_token_is_closest_to_itself_and_hot_rdk_is_uniform() -> None:
    (result,) = select(results(), what="acceptance")
    values = result.values
    assert values["exact"][:, 0] == pytest.approx(values["tli"], abs=0.05)
    assert values["exact"][:, -1] == pytest.approx(values["first order"][:, -1], abs=1e-3)
    assert values["exact"][:, -1] == pytest.approx(values["exponential"][:, -1], abs=0.02)
    assert np.isnan(values["first order"][:, 0]).all()


def test_operations_are_those_of_the_claim() -> None:
    (result,) = select(results(), what="operations", vocab=8)
    assert result.values["affine"].tolist() == [64.0]
    assert result.values["dense"].tolist() == [120.0]
