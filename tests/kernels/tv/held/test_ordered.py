"""The order of the CUDA kernels in NumPy: its arithmetic by exact fractions, and its distances by the obvious formula."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simspec.kernels.tv import cuda_tv, reference
from simspec.kernels.tv.held import ordered
from tests.kernels.cases import EXTREME, logits


def test_fused_rounds_once():
    """Against fractions, also on sums that cancel: no neighbour is nearer."""
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(3000).astype(np.float32) for _ in range(2))
    z = np.where(rng.random(3000) < 0.5, -x * y, rng.standard_normal(3000) * 2.0 ** rng.integers(-40, 20, 3000))
    z = z.astype(np.float32)
    got = ordered.fused(x, y, z)
    for a, b, c, result in zip(x, y, z, got, strict=True):
        exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        error = abs(Fraction(float(result)) - exact)
        for neighbour in np.nextafter(result, np.float32([-np.inf, np.inf])):
            assert error <= abs(Fraction(float(neighbour)) - exact)


def test_rounding_twice_would_be_seen():
    """1 + 2^-23 + 2^-24 - 2^-70 lies below a tie, by less than float64 holds beside 1."""
    x, y, z = np.float32([1 + 2**-23, 2**-24 - 2**-47, 1 + 2**-23])
    assert ordered.fused(x, y, z) == 1 + 2**-23
    assert np.float32(float(x) * float(y) + float(z)) == 1 + 2**-22


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", EXTREME)
def test_extreme_rows_are_within_the_bound(case, dtype):
    a, b = EXTREME[case](900, dtype)
    got = ordered.tv_from_logits(a, b)
    bound = cuda_tv.tv_bound(a.shape[1], dtype)
    np.testing.assert_allclose(got, reference.tv_from_logits(a, b), rtol=0, atol=bound)


def test_halves_are_those_of_float32():
    a, b = (logits(3, 5000, np.float16, seed, masked=0.1) for seed in (0, 1))
    wide = ordered.tv_from_logits(a.astype(np.float32), b.astype(np.float32))
    np.testing.assert_array_equal(ordered.tv_from_logits(a, b), wide)
