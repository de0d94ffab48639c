"""Random numbers and synthetic rows on the device: the same bits as NumPy, and sums that no split can change."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.kernels import random as philox
from simspec.kernels import synthetic as cpu
from simspec.kernels.cuda import reference
from simspec.kernels.softmax import device as gpu
from simspec.logits import synthetic

KEY = 0xFEDCBA9876543210
ROWS = [0, 1, 2**32 - 1, 2**32, 2**64 - 1]
TOKENS = [*range(40), 2**31, 2**32 - 1]
INF = float("inf")


@pytest.mark.parametrize("purpose", [0, 7, 2**32 - 1])
def test_words_and_uniforms_have_the_bits_of_numpy(cp, purpose):
    got = cp.asnumpy(gpu.words(KEY, ROWS, TOKENS, purpose, threads=32))
    assert got.dtype == np.uint32
    np.testing.assert_array_equal(got, philox.words(KEY, ROWS, TOKENS, purpose))
    for word in range(4):
        got = cp.asnumpy(gpu.uniform(KEY, ROWS, TOKENS, purpose, word=word, threads=64))
        np.testing.assert_array_equal(got, philox.uniform(KEY, ROWS, TOKENS, purpose, word=word))


def test_published_known_answer(cp):
    got = cp.asnumpy(gpu.words(0, [0], [0]))[0, 0]
    assert [f"{w:08x}" for w in got] == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]


@pytest.mark.parametrize("df", [0.065, 0.5, 1, 2, 3.5, 30, 1e4, 2.0**59, 2.0**60, INF])
def test_draws_have_the_bits_of_numpy(cp, df):
    tokens = [*range(300), *range(500, 800), *range(1000, 1050), *TOKENS]  # both bits that the counters lack
    got = cp.asnumpy(gpu.student_t(KEY, ROWS, tokens, 3, df=df, threads=32))
    np.testing.assert_array_equal(got, philox.student_t(KEY, ROWS, tokens, 3, df=df))
    if df == INF:
        np.testing.assert_array_equal(got, philox.normal(KEY, ROWS, tokens, 3))


@pytest.mark.parametrize("count", [(0, 5), (5, 0), (1, 1), (3, 31), (2, 33)])
def test_any_number_of_draws(cp, count):
    rows, tokens = range(count[0]), range(count[1])
    for threads in (1, 32, 64):
        got = cp.asnumpy(gpu.student_t(1, rows, tokens, threads=threads))
        np.testing.assert_array_equal(got, philox.normal(1, rows, tokens))


@pytest.mark.parametrize("df", [INF, 3.0])
def test_synthetic_logits_are_those_of_the_library(cp, df):
    location, scale = synthetic.zipf(700), np.linspace(0, 3, 700)
    model = {"key": KEY, "df": df, "location": location, "scale": scale, "first_row": 5}
    target, draft = gpu.synthetic_logits(3, 700, rho=0.7, **model, purpose=4, draft_purpose=9, threads=32)
    own = synthetic.student_t(3, 700, **model, purpose=4)
    np.testing.assert_array_equal(cp.asnumpy(target), own)
    np.testing.assert_array_equal(cp.asnumpy(draft), synthetic.correlated(own, 0.7, **model, purpose=9))


@pytest.mark.parametrize("vocab", [1, 2, 255, 256, 257, 3000])
@pytest.mark.parametrize("rho", [-1, 0.0, 0.9, 1])
@pytest.mark.parametrize("df", [2.0, INF])
def test_synthetic_rows_equal_the_reference(cp, vocab, rho, df):
    model = {"key": KEY, "rho": rho, "df": df, "location": synthetic.zipf(vocab), "scale": 2, "first_row": 3}
    got, expected = gpu.synthetic_rows(2, vocab, **model, threads=16), reference.synthetic_rows(2, vocab, **model)
    bound = gpu.bounds(vocab, np.float64)
    for x, y in zip(got[:2], expected[:2], strict=True):
        np.testing.assert_allclose(cp.asnumpy(x), y, rtol=2.0**-52, atol=bound.logsumexp)
    overlap = cp.asnumpy(got.overlap)
    np.testing.assert_allclose(overlap, expected.overlap, rtol=0, atol=bound.overlap)
    assert got.total == np.floor(overlap * 2.0**32 + 0.5).astype(np.uint64).sum()
    assert abs(got.total - expected.total) <= 2


def test_the_cpu_function_gives_the_same_overlap(cp):
    model = {"key": KEY, "rho": 0.8, "df": 4, "scale": 2}
    got = cp.asnumpy(gpu.synthetic_overlap(2, 1000, **model, threads=16))
    expected = cpu.synthetic_overlap(2, 1000, **model, dtype=np.float64)
    bound = gpu.bounds(1000, np.float64).overlap + cpu.law_bound(1000, np.float64)
    np.testing.assert_allclose(got, expected, rtol=0, atol=bound)


def test_neither_block_nor_split_changes_synthetic_sums(cp):
    model = {"key": KEY, "rho": 0.8, "df": 4}
    whole = gpu.synthetic_rows(6, 500, **model, threads=64)
    for threads in (1, 32, 256):
        again = gpu.synthetic_rows(6, 500, **model, threads=threads)
        assert all((cp.asnumpy(x) == cp.asnumpy(y)).all() for x, y in zip(again[:3], whole[:3], strict=True))
        assert again.total == whole.total
    parts = [gpu.synthetic_rows(n, 500, **model, first_row=first, threads=8) for n, first in ((4, 0), (2, 4), (0, 6))]
    np.testing.assert_array_equal(np.concatenate([cp.asnumpy(p.overlap) for p in parts]), cp.asnumpy(whole.overlap))
    assert sum(p.total for p in parts) == whole.total


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
            gpu.synthetic_rows(1, 300, **model, first_row=row)
    with pytest.raises(ValueError, match=f"a logit of {(~np.isfinite(logits)).sum()} rows overflows"):
        gpu.synthetic_rows(40, 300, **model)
    assert gpu.synthetic_rows(1, 300, **model, first_row=int(np.flatnonzero(np.isfinite(logits))[0])).total == 2**32


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gpu.words(-1, [0], [0]), "key = -1"),
        (lambda: gpu.words(0, [0], [2**32]), "tokens = 4294967296"),
        (lambda: gpu.uniform(0, [0], [0], word=4), "word = 4"),
        (lambda: gpu.uniform(0, [0], [0], 2**32), "purpose = 4294967296"),
        (lambda: gpu.student_t(0, [0], [0], df=0.01), "df = 0.01"),
        (lambda: gpu.synthetic_rows(2, 0, key=0, rho=0), "vocab = 0"),
        (lambda: gpu.synthetic_rows(2, 3, key=2**64, rho=0), "key = 18446744073709551616"),
        (lambda: gpu.synthetic_rows(2, 3, key=0, rho=1.5), "rho = 1.5"),
        (lambda: gpu.synthetic_rows(2, 3, key=0, rho=0, df=float("nan")), "df = nan"),
        (lambda: gpu.synthetic_rows(2, 3, key=0, rho=0, first_row=2**64 - 1), "first_row . rows = "),
        (lambda: gpu.synthetic_overlap(2, 3, key=0, rho=0, scale=-1), r"scale: shape \(\); expected .* at least 0"),
        (lambda: gpu.synthetic_overlap(2, 3, key=0, rho=0, purpose=1), "draft_purpose = 1: expected another"),
        (lambda: gpu.synthetic_logits(2, 3, key=0, rho=0, draft_purpose=-1), "draft_purpose = -1"),
        (lambda: gpu.synthetic_logits(2, 3, key=0, rho=0, location=[0, 1]), r"location: shape \(2,\)"),
    ],
)
def test_bad_input_is_named(cp, call, message):
    with pytest.raises(ValueError, match=message):
        call()
