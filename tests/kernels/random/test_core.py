"""The arithmetic of the random numbers: against 50 digits, by hand, and at the ends of the grid of uniforms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simspec.kernels import random as philox
from simspec.kernels.random import core as philox_core

LOW = 2**32 - 1


def test_uniform_grid_by_hand() -> None:
    ends = philox_core.unit(np.array([0, 1, 2**31, LOW], dtype=np.uint32))
    assert ends.tolist() == [2.0**-33, 3 * 2.0**-33, 0.5 + 2.0**-33, 1 - 2.0**-33]


def _edge_words() -> tuple[np.ndarray, np.ndarray]:
    """Words at both ends, around the joints of the polynomials, and spread over all magnitudes."""
    joints = [0, 1, 2, 2**30 - 1, 2**30, 2**31 - 1, 2**31, LOW - 1, LOW, int(2**32 * math.sqrt(0.5))]
    spread = (2.0 ** (32 * philox.uniform(1, [0], range(400))[0])).astype(np.uint64).tolist()
    radius = np.array(joints + spread + [LOW - w for w in spread], dtype=np.uint32)
    return radius, radius[np.argsort(philox.uniform(2, [0], range(radius.size))[0])]


def _ulps(got: np.ndarray, exact: list) -> float:
    import flint

    return max(
        abs(float((flint.arb(float(g)) - e).mid())) / np.spacing(abs(float(g))) for g, e in zip(got, exact, strict=True)
    )


@pytest.mark.parametrize("df", [0.065, 0.26, 0.5, 1, 2, 3.5, 30, 1e4, 2.0**59, math.inf])
def test_floats_are_within_the_stated_ulps_of_exact_arithmetic(df: float) -> None:
    import flint

    radius, angle = _edge_words()
    saved, flint.ctx.prec = flint.ctx.prec, 200
    try:
        minus_log = [-(flint.arb(2 * int(n) + 1) / 2**33).log() * 2 for n in radius]
        turns = [flint.arb.pi() * (flint.arb(2 * int(n) + 1) / 2**33 - flint.arb(1) / 2) for n in angle]
        sine, cosine = (
            [x.sin() for x in turns],
            [x.cos() * (-1) ** int(n & 1) for x, n in zip(turns, angle, strict=True)],
        )
        if df == math.inf:
            got, square = philox_core.box_muller(radius, angle), minus_log
        else:
            got = philox_core.bailey(radius, angle, np.float64(df))
            square = [flint.arb(df) * (x / flint.arb(df)).expm1() for x in minus_log]
        assert _ulps(got, [s.sqrt() * y for s, y in zip(square, sine, strict=True)]) <= 4 + 40 / df
        if df == math.inf:
            got = philox_core.normal_radius(radius) * philox_core.cosine(angle)
            assert _ulps(got, [s.sqrt() * y for s, y in zip(square, cosine, strict=True)]) <= 4
    finally:
        flint.ctx.prec = saved


def test_waves_by_hand() -> None:
    """V just off 0, 1/4, 1/2, 3/4 and 1; the last bit is the sign of the cosine."""
    words = np.array([0, 2**30 - 1, 2**30, 2**31 - 1, 2**31, 3 * 2**30, LOW], dtype=np.uint32)
    half = math.sqrt(0.5)
    np.testing.assert_allclose(philox_core.sine(words), [-1, -half, -half, 0, 0, half, 1], atol=1e-9)
    np.testing.assert_allclose(philox_core.cosine(words), [0, -half, half, -1, 1, half, 0], atol=1e-9)
    assert (philox_core.sine(words) ** 2 + philox_core.cosine(words) ** 2).tolist() == pytest.approx(
        [1.0] * 7, abs=1e-15
    )


def test_log_and_expm1_outside_the_unit_interval() -> None:
    x = np.concatenate([np.exp(np.linspace(-700, 700, 4001)), [1.0, np.nextafter(1, 2), np.nextafter(1, 0)]])
    np.testing.assert_allclose(philox_core.log(x), np.log(x), rtol=1e-15, atol=0)
    assert philox_core.log(np.array([1.0]))[0] == 0
    y = np.concatenate([np.linspace(0, 708.9, 4001), 2.0 ** np.arange(-60, 0)])
    np.testing.assert_allclose(philox_core.expm1(y), np.expm1(y), rtol=1e-15, atol=0)


@given(st.lists(st.integers(-(2**20), 2**20), min_size=1, max_size=40))
def test_tree_mean_of_integers_is_exact(values: list[int]) -> None:
    x = np.array([values, values[::-1]], dtype=np.float64)
    assert philox_core.tree_mean(x).tolist() == [[sum(values) / len(values)]] * 2


def test_largest_draws() -> None:
    radius, angle = np.array([0, 0], dtype=np.uint32), np.array([0, LOW], dtype=np.uint32)
    cut = math.sqrt(66 * math.log(2))
    np.testing.assert_allclose(philox_core.box_muller(radius, angle), [-cut, cut], rtol=1e-15)
    assert 2 * stats.norm.sf(cut) < 1.4e-11
    for df in (0.5, 1.0, 4.0):
        cut = math.sqrt(df * (2 ** (66 / df) - 1))
        np.testing.assert_allclose(philox_core.bailey(radius, angle, np.float64(df)), [-cut, cut], rtol=1e-13)
        assert 2 * stats.t.sf(cut, df) < 2.0**-33


def test_loops_compile_without_a_place_for_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    made: list[dict] = []

    def njit(**options):
        made.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(numba, "njit", njit)
    assert philox_core.jit(len) is len
    assert [options.get("cache", False) for options in made] == [True, False]


def test_numbers_of_each_token_are_checked_in_one_place() -> None:
    for value, shape in ((2, ()), (np.float32(2), ()), ([2, 2, 2], (3,)), (np.full(6, 2.0)[::2], (3,))):
        made = philox_core.per_token("scale", value, 3, minimum=0)
        assert made.dtype == np.float64 and made.shape == shape and (made == 2).all()
    own = np.ones(3)
    philox_core.per_token("scale", own, 3)[:] = 5
    assert own.tolist() == [1, 1, 1]
    bad = [
        ([1, 2], "has shape"),
        (True, "has shape"),
        (np.nan, ": nan"),
        ([1, -3, -np.inf], ": -3"),
        (-1, "at least 0"),
    ]
    for value, message in bad:
        with pytest.raises(ValueError, match=f"scale.*{message}"):
            philox_core.per_token("scale", value, 3, minimum=0)
