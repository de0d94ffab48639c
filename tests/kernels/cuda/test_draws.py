"""Synthetic rows on the device: logits with the bits of NumPy, and sums that no split can change."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.kernels import random as philox
from simspec.kernels import synthetic as cpu
from simspec.kernels.softmax import device as gpu
from simspec.kernels.synthetic import reference
from simspec.logits import synthetic

KEY = 0xFEDCBA9876543210
INF = float("inf")


@pytest.mark.parametrize("df", [0.065, 0.5, 1, 2, 3.5, 30, 1e4, 2.0**59, 2.0**60, INF])
@pytest.mark.parametrize("first_row", [5, 2**32 - 1, 2**64 - 3])
def test_synthetic_logits_are_those_of_the_library(cp, df, first_row):
    """To the last bit, and so is every draw: of 1,050 tokens, which have both bits that the counters lack."""
    location, scale = synthetic.zipf(1050), np.linspace(0, 3, 1050)
    model = {"key": KEY, "df": df, "location": location, "scale": scale, "first_row": first_row}
    target, draft = gpu.synthetic_logits(3, 1050, rho=0.7, **model, purpose=4, draft_purpose=2**32 - 1, threads=32)
    own = synthetic.student_t(3, 1050, **model, purpose=4)
    np.testing.assert_array_equal(cp.asnumpy(target), own)
    np.testing.assert_array_equal(cp.asnumpy(draft), synthetic.correlated(own, 0.7, **model, purpose=2**32 - 1))


@pytest.mark.parametrize("vocab", [1, 2, 255, 256, 257, 3000])
@pytest.mark.parametrize("rho", [-1, 0.0, 0.9, 1])
@pytest.mark.parametrize("df", [2.0, INF])
def test_synthetic_overlaps_equal_the_reference(cp, vocab, rho, df):
    location = synthetic.zipf(vocab)
    model = {"key": KEY, "rho": rho, "df": df, "location": location, "scale": 2, "first_row": 3}
    got = cp.asnumpy(gpu.synthetic_overlap(2, vocab, **model, threads=16))
    draws = philox.Draws(KEY, range(3, 5), (0, 1), np.float64)
    expected = reference.overlap(draws, vocab, reference.Model(df, location, np.asarray(2.0), rho))
    np.testing.assert_allclose(got, expected, rtol=0, atol=gpu.bounds(vocab, np.float64).overlap)


def test_the_cpu_function_gives_the_same_overlap(cp):
    model = {"key": KEY, "rho": 0.8, "df": 4, "scale": 2}
    got = cp.asnumpy(gpu.synthetic_overlap(2, 1000, **model, threads=16))
    expected = cpu.synthetic_overlap(2, 1000, **model, dtype=np.float64)
    bound = gpu.bounds(1000, np.float64).overlap + cpu.law_bound(1000, np.float64)
    np.testing.assert_allclose(got, expected, rtol=0, atol=bound)


def test_neither_block_nor_split_changes_an_overlap(cp):
    model = {"key": KEY, "rho": 0.8, "df": 4}
    whole = cp.asnumpy(gpu.synthetic_overlap(6, 500, **model, threads=64))
    for threads in (1, 32, 256):
        np.testing.assert_array_equal(cp.asnumpy(gpu.synthetic_overlap(6, 500, **model, threads=threads)), whole)
    parts = [
        gpu.synthetic_overlap(n, 500, **model, first_row=first, threads=8) for n, first in ((4, 0), (2, 4), (0, 6))
    ]
    np.testing.assert_array_equal(np.concatenate([cp.asnumpy(p) for p in parts]), whole)


def test_a_row_with_an_overflow_is_refused(cp):
    """One logit of scale 1e308 overflows upwards (the law would be NaN), downwards (it would look sound), or not."""
    scale = np.ones(300)
    scale[7] = 1e308
    with np.errstate(over="ignore"):
        logits = philox.normal(KEY, range(40), [7])[:, 0] * scale[7]
    model = {"key": KEY, "rho": 1, "scale": scale, "threads": 4}
    for kind in (np.inf, -np.inf):
        row = int(np.flatnonzero(logits == kind)[0])
        with pytest.raises(ValueError, match="a logit of 1 rows overflows: expected a smaller location or scale"):
            gpu.synthetic_overlap(1, 300, **model, first_row=row)
    with pytest.raises(ValueError, match=f"a logit of {(~np.isfinite(logits)).sum()} rows overflows"):
        gpu.synthetic_overlap(40, 300, **model)
    sound = int(np.flatnonzero(np.isfinite(logits))[0])
    assert gpu.synthetic_overlap(1, 300, **model, first_row=sound).tolist() == pytest.approx([1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gpu.synthetic_overlap(2, 3, key=0, rho=0, df=0.01), "df = 0.01"),
        (lambda: gpu.synthetic_overlap(2, 0, key=0, rho=0), "vocab = 0"),
        (lambda: gpu.synthetic_overlap(2, 3, key=2**64, rho=0), "key = 18446744073709551616"),
        (lambda: gpu.synthetic_overlap(2, 3, key=0, rho=1.5), "rho = 1.5"),
        (lambda: gpu.synthetic_overlap(2, 3, key=0, rho=0, df=float("nan")), "df = nan"),
        (lambda: gpu.synthetic_overlap(2, 3, key=0, rho=0, first_row=2**64 - 1), "first_row . rows = "),
        (lambda: gpu.synthetic_overlap(2, 3, key=0, rho=0, scale=-1), r"scale: shape \(\); expected .* at least 0"),
        (lambda: gpu.synthetic_overlap(2, 3, key=0, rho=0, purpose=1), "draft_purpose = 1: expected another"),
        (lambda: gpu.synthetic_logits(2, 3, key=0, rho=0, draft_purpose=-1), "draft_purpose = -1"),
        (lambda: gpu.synthetic_logits(2, 3, key=0, rho=0, location=[0, 1]), r"location: shape \(2,\)"),
    ],
)
def test_bad_input_is_named(cp, call, message):
    with pytest.raises(ValueError, match=message):
        call()
