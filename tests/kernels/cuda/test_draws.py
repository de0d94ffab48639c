"""Synthetic rows on the device: logits with the bits of NumPy, and sums that no split can change."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.kernels import random as philox
from simspec.kernels import synthetic as cpu
from simspec.kernels.synthetic import Model, reference
from simspec.kernels.synthetic import device as gpu
from simspec.logits import synthetic
from tests.kernels.cases import drawn

KEY = 0xFEDCBA9876543210
INF = float("inf")


@pytest.mark.parametrize("df", [0.065, 0.5, 1, 2, 3.5, 30, 1e4, 2.0**59, 2.0**60, INF])
@pytest.mark.parametrize("first_row", [5, 2**32 - 1, 2**64 - 3])
def test_synthetic_logits_are_those_of_the_library(cp, df, first_row):
    """To the last bit, and so is every draw: of 1,050 tokens, which have both bits that the counters lack."""
    location, scale = synthetic.zipf(1050), np.linspace(0, 3, 1050)
    draws, model = drawn(3, KEY, first_row, (4, 2**32 - 1)), {"df": df, "location": location, "scale": scale}
    target, draft = gpu.logits(draws, 1050, Model(**model, rho=0.7), threads=32)
    own = synthetic.student_t(draws, 1050, **model)
    np.testing.assert_array_equal(cp.asnumpy(target), own)
    np.testing.assert_array_equal(cp.asnumpy(draft), synthetic.correlated(own, 0.7, draws, **model))


@pytest.mark.parametrize("vocab", [1, 2, 255, 256, 257, 3000])
@pytest.mark.parametrize("rho", [-1, 0.0, 0.9, 1])
@pytest.mark.parametrize("df", [2.0, INF])
def test_synthetic_overlaps_equal_the_reference(cp, vocab, rho, df):
    draws, model = drawn(2, KEY, 3), Model(df, synthetic.zipf(vocab), np.asarray(2.0), rho)
    got = cp.asnumpy(gpu.overlap(draws, vocab, model, threads=16))
    expected = reference.overlap(draws, vocab, model)
    np.testing.assert_allclose(got, expected, rtol=0, atol=gpu.overlap_bound(vocab))


def test_the_cpu_function_gives_the_same_overlap(cp):
    draws, model = drawn(2, KEY), Model(4, scale=2, rho=0.8)
    got = cp.asnumpy(gpu.overlap(draws, 1000, model, threads=16))
    expected = cpu.synthetic_overlap(draws, 1000, model)
    bound = gpu.overlap_bound(1000) + cpu.law_bound(1000, np.float64)
    np.testing.assert_allclose(got, expected, rtol=0, atol=bound)


def test_neither_block_nor_split_changes_an_overlap(cp):
    draws, model = drawn(6, KEY), Model(4, rho=0.8)
    whole = cp.asnumpy(gpu.overlap(draws, 500, model, threads=64))
    for threads in (1, 32, 256):
        np.testing.assert_array_equal(cp.asnumpy(gpu.overlap(draws, 500, model, threads=threads)), whole)
    parts = [gpu.overlap(drawn(n, KEY, first), 500, model, threads=8) for n, first in ((4, 0), (2, 4), (0, 6))]
    np.testing.assert_array_equal(np.concatenate([cp.asnumpy(p) for p in parts]), whole)


def test_a_row_with_an_overflow_is_refused(cp):
    """One logit of scale 1e308 overflows upwards (the law would be NaN), downwards (it would look sound), or not."""
    scale = np.ones(300)
    scale[7] = 1e308
    with np.errstate(over="ignore"):
        logits = philox.normal(KEY, range(40), [7])[:, 0] * scale[7]
    model = Model(scale=scale)
    for kind in (np.inf, -np.inf):
        row = int(np.flatnonzero(logits == kind)[0])
        with pytest.raises(ValueError, match="a logit of 1 rows overflows: expected a smaller location or scale"):
            gpu.overlap(drawn(1, KEY, row), 300, model, threads=4)
    with pytest.raises(ValueError, match=f"a logit of {(~np.isfinite(logits)).sum()} rows overflows"):
        gpu.overlap(drawn(40, KEY), 300, model, threads=4)
    sound = int(np.flatnonzero(np.isfinite(logits))[0])
    assert gpu.overlap(drawn(1, KEY, sound), 300, model, threads=4).tolist() == pytest.approx([1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gpu.overlap(drawn(2), 3, Model(0.01)), "df: 0.01"),
        (lambda: gpu.overlap(drawn(2), 0, Model()), "vocab: 0"),
        (lambda: gpu.overlap(drawn(2, 2**64), 3, Model()), "key: 18446744073709551616"),
        (lambda: gpu.overlap(drawn(2), 3, Model(rho=1.5)), "rho: 1.5"),
        (lambda: gpu.overlap(drawn(2), 3, Model(float("nan"))), "df: nan"),
        (lambda: gpu.overlap(drawn(2, first=2**64 - 1), 3, Model()), "rows: 18446744073709551616"),
        (lambda: gpu.overlap(drawn(2), 3, Model(scale=-1)), r"scale: shape \(\); expected .* at least 0"),
        (lambda: gpu.overlap(drawn(2, purposes=(1, 1)), 3, Model()), "purposes: .*; expected two that differ"),
        (lambda: gpu.logits(drawn(2, purposes=(0, -1)), 3, Model()), "purposes: -1"),
        (lambda: gpu.logits(drawn(2), 3, Model(location=[0, 1])), r"location: shape \(2,\)"),
    ],
)
def test_bad_input_is_named(cp, call, message):
    with pytest.raises(ValueError, match=message):
        call()
