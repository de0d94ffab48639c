"""Rows that are held on the chip: every plan of every type has the bits of NumPy in the same order, on any cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simspec import kernels
from simspec.kernels.tv import cuda_tv, reference
from simspec.kernels.tv.held import ordered
from simspec.kernels.tv.held.plans import Plan
from tests.kernels.cases import BROKEN, EXTREME, broken, logits

KINDS = ["f32", "f16", "bf16"]


def stored(z: np.ndarray, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Logits as the kernels of a kind read them, and the numbers that these are."""
    with np.errstate(over="ignore"):  # 1e6 in float16 is infinite
        if kind == "f32":
            return z.astype(np.float32), z.astype(np.float32)
        if kind == "f16":
            return z.astype(np.float16).view(np.uint16), z.astype(np.float16)
    bits = np.ascontiguousarray(z, np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
    return (bits >> 16).astype(np.uint16), bits.view(np.float32)


def check_all_plans(cp: Any, a: np.ndarray, b: np.ndarray, kind: str, chosen: list[Plan] | None = None) -> None:
    """The bits of NumPy from each of some plans, by default from all that the device has."""
    (x, p), (y, q) = stored(a, kind), stored(b, kind)
    expected = ordered.tv_from_logits(p, q)
    for plan in chosen or cuda_tv.available(a.shape[1], kind):
        if plan.source == "tv":  # starting threads on the host takes the time
            plan = plan._replace(threads=32)
        got = cp.asnumpy(cuda_tv.tv_rows(cp.asarray(x), cp.asarray(y), plan))
        np.testing.assert_array_equal(got, expected, err_msg=plan.kernel)


@pytest.mark.parametrize("kind", KINDS)
def test_by_hand(cp, kind):
    """Half of the tokens masked, and one row of certain tokens: distances 1/2 and 1."""
    a = np.array([[0, 0], [0, -np.inf]], np.float32)
    b = np.array([[0, -np.inf], [-np.inf, 0]], np.float32)
    (x, _), (y, _) = stored(a, kind), stored(b, kind)
    for plan in cuda_tv.available(2, kind)[:-1]:
        assert cp.asnumpy(cuda_tv.tv_rows(cp.asarray(x), cp.asarray(y), plan)).tolist() == [0.5, 1.0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("vocab", [1, 2, 7, 255, 257, 2047, 2048, 2052, 4097])
def test_every_length_has_the_bits_of_the_order(cp, vocab, kind):
    """One token, part of 16 bytes, part of a step and of a block; rows that do and do not begin at a multiple of 16 bytes."""
    check_all_plans(cp, logits(2, vocab, masked=0.1), logits(2, vocab, seed=1), kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", [name for name in EXTREME if name != "peak over a flat tail"])
def test_extreme_rows_have_the_bits_of_the_order(cp, case, kind):
    a, b = EXTREME[case](900, np.float32)
    check_all_plans(cp, a, b, kind, list(cuda_tv.available(a.shape[1], kind)[:2]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", BROKEN)
def test_a_row_without_a_softmax_is_nan_and_no_other(cp, bad, kind):
    a, b = logits(3, 2100), logits(3, 2100, seed=1)
    plan = cuda_tv.available(2100, kind)[1]
    for at in (0, 2060, 2099):
        x, y = (cp.asarray(stored(z, kind)[0]) for z in (broken(a, 1, at, bad), b))
        for got in (cuda_tv.tv_rows(x, y, plan), cuda_tv.tv_rows(y, x, plan)):
            assert np.isnan(cp.asnumpy(got)).tolist() == [False, True, False]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=15)
@given(
    seed=st.integers(0, 2**32 - 1),
    vocab=st.integers(1, 6000),
    scale=st.floats(0.01, 40),
    masked=st.floats(0, 1),
    kind=st.sampled_from(KINDS),
    choice=st.integers(0, 3),
)
def test_random_rows_have_the_bits_of_the_order(cp, seed, vocab, scale, masked, kind, choice):
    offered = cuda_tv.available(vocab, kind)
    a, b = logits(1, vocab, np.float32, seed, scale, 0, masked), logits(1, vocab, seed=seed + 1)
    check_all_plans(cp, a, b, kind, [offered[choice % len(offered)]])


def test_a_real_vocabulary_has_the_bits_of_the_order(cp):
    """On the stand-in's device a cluster of two blocks of 512 threads."""
    plan = cuda_tv.available(32_000, "f32")[0]
    check_all_plans(cp, logits(1, 32_000), logits(1, 32_000, seed=1), "f32", [plan])


def test_a_large_vocabulary_has_the_bits_of_the_order(cp):
    """On the stand-in's device a cluster of eight blocks of 256 threads."""
    plan = cuda_tv.available(128_256, "bf16")[0]
    check_all_plans(cp, logits(1, 128_256), logits(1, 128_256, seed=1), "bf16", [plan])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("vocab", [1, 600, 5000])
def test_two_reads_have_the_bits_of_the_order(cp, vocab, dtype):
    a, b = logits(2, vocab, dtype, masked=0.2), logits(2, vocab, dtype, seed=1)
    got = cuda_tv.tv_from_logits(cp.asarray(a), cp.asarray(b), 32)
    np.testing.assert_array_equal(cp.asnumpy(got), ordered.tv_from_logits(a, b))


def test_halves_are_read_as_they_are(cp, monkeypatch):
    """Every number of float16 that is finite, and the bits of float32 logits of the same numbers."""
    patterns = np.arange(2**16, dtype=np.uint16).view(np.float16)
    a = patterns[np.isfinite(patterns)][None]
    b = a[:, ::-1].copy()
    launched = []
    run = cuda_tv.launch
    monkeypatch.setattr(cuda_tv, "launch", lambda *given, **more: launched.append(given[1]) or run(*given, **more))
    got = kernels.tv_from_logits(cp.asarray(a), cp.asarray(b))
    wide = kernels.tv_from_logits(cp.asarray(a.astype(np.float32)), cp.asarray(b.astype(np.float32)))
    np.testing.assert_array_equal(cp.asnumpy(got), cp.asnumpy(wide))
    assert launched == [cuda_tv.available(a.shape[1], kind)[0].kernel for kind in ("f16", "f32")]
    np.testing.assert_allclose(cp.asnumpy(got), reference.tv_from_logits(a, b), rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_lane_alone_shows_the_order_of_its_steps(cp, kind):
    """256 lanes hide the last bits of each; here all others are masked.  The control: the same steps in another order."""
    a, b = (logits(3, 10 * 2048, seed=seed) for seed in (0, 1))
    lane = np.arange(a.shape[1]) % 256 == 3
    a[:, ~lane] = -np.inf
    b[:, ~lane] = -np.inf
    check_all_plans(cp, a, b, kind)
    turned = [z.reshape(3, 10, 2048)[:, ::-1].reshape(3, -1) for z in (a, b)]
    expected, other = (ordered.tv_from_logits(*(stored(z, kind)[1] for z in pair)) for pair in ((a, b), turned))
    assert (expected != other).any()
