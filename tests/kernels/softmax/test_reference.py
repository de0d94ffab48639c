"""The reference kernels by hand, and the dispatcher: which implementation, which input is refused."""

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from simspec import kernels
from simspec.kernels.softmax import reference

INF = float("inf")


def test_row_stats_of_four_equal_logits():
    stats = reference.row_stats([3.0, 3.0, 3.0, 3.0])
    assert stats.maximum == 3
    assert stats.logsumexp == pytest.approx(3 + math.log(4), abs=1e-15)
    assert stats.entropy == pytest.approx(math.log(4), abs=1e-15)


def test_row_stats_of_one_quarter_and_three_quarters():
    stats = reference.row_stats(np.log([1.0, 3.0]))
    assert stats.logsumexp == pytest.approx(math.log(4), abs=1e-15)
    assert stats.entropy == pytest.approx(math.log(4) - 0.75 * math.log(3), abs=1e-15)


def test_masked_tokens_do_not_count():
    stats = reference.row_stats([[0.0, -INF, 0.0], [-INF, 5.0, -INF]])
    np.testing.assert_allclose(stats.entropy, [math.log(2), 0], atol=1e-15)
    np.testing.assert_allclose(stats.logsumexp, [math.log(2), 5], atol=1e-15)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (np.log([1, 1]), np.log([1, 3]), 0.25),
        (np.log([1, 2, 1]), np.log([2, 1, 1]), 0.25),
        ([0.0, -INF], [-INF, 0.0], 1.0),
        ([0.0, 0.0], [0.0, -INF], 0.5),
        ([7.0], [-7.0], 0.0),
        ([1e30, 0.0], [0.0, 1e30], 1.0),
    ],
)
def test_tv_by_hand(a, b, expected):
    assert reference.tv_from_logits(a, b) == pytest.approx(expected, abs=1e-15)


def test_affinity_by_hand():
    # Omega = [[0, log 3], [log 3, 0]] + diag(0, log 9): rows (1/4, 3/4) and (3, 9)/12
    U, lam = np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([math.log(3) / 2, -math.log(3) / 2])
    diag = np.array([0.0, math.log(9)])
    np.testing.assert_allclose(reference.affinity_apply([1.0, 0.0], U, lam, diag, 1.0), [0.25, 0.75], atol=1e-15)
    np.testing.assert_allclose(reference.affinity_apply([0.0, 1.0], U, lam, diag, 1.0), [0.25, 0.75], atol=1e-15)
    half = reference.affinity_apply([1.0, 0.0], U, lam, diag, 0.5)
    np.testing.assert_allclose(half, [0.1, 0.9], atol=1e-15)


@pytest.mark.parametrize("bad", [[0.0, math.nan], [0.0, INF], [-INF, -INF]])
def test_a_row_without_a_softmax_is_nan(bad):
    good = [0.0, 1.0]
    stats = kernels.row_stats([bad, good])
    assert np.isnan(stats.logsumexp).tolist() == np.isnan(stats.entropy).tolist() == [True, False]
    assert np.isnan(kernels.tv_from_logits([bad, good, good], [good, bad, good])).tolist() == [True, True, False]


def test_shapes_and_types():
    z = np.zeros((2, 3, 4), dtype=np.float16)
    assert [s.shape for s in kernels.row_stats(z)] == [(2, 3)] * 3
    assert kernels.tv_from_logits(z, np.zeros(4)).shape == (2, 3)
    assert kernels.tv_from_logits(z, z).dtype == np.float64
    assert kernels.tv_from_logits(np.zeros((0, 4)), np.zeros((0, 4))).shape == (0,)
    assert kernels.tv_from_logits(np.array([Fraction(1, 3)] * 2), [0, 0]) == 0
    half = np.float32(0.5)
    arrays = np.array([half, half]), np.zeros((2, 1), np.float32), np.zeros(1, np.float32), np.zeros(2, np.float32)
    assert kernels.affinity_apply(*arrays, 1.0).dtype == np.float32
    assert kernels.affinity_apply(arrays[0].astype(float), *arrays[1:], 1.0).dtype == np.float64


def test_the_array_chooses():
    from simspec.kernels.softmax import compiled as cpu

    assert kernels._implementation(kernels.SMALL - 1) is reference
    assert kernels._implementation(kernels.SMALL) is cpu


def test_importing_kernels_loads_no_compiler():
    code = "import sys, simspec.kernels as k; k.tv_from_logits([0., 1.], [1., 0.]); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kernels.row_stats(1.0), r"logits: shape \(\)"),
        (lambda: kernels.row_stats(np.zeros((2, 0))), r"logits: shape \(2, 0\)"),
        (lambda: kernels.tv_from_logits([0.0, 1.0], [0.0]), "b: 1 tokens; expected as many as a has, 2"),
        (lambda: kernels.tv_from_logits(np.zeros((2, 4)), np.zeros((3, 4))), r"b: shape \(3, 4\)"),
        (lambda: kernels.affinity_apply(np.ones(2), np.ones(2), np.ones(1), np.ones(2), 1.0), r"U: shape \(2,\)"),
        (
            lambda: kernels.affinity_apply(np.ones(3), np.ones((2, 1)), np.ones(1), np.ones(2), 1.0),
            r"U: shape \(2, 1\)",
        ),
        (
            lambda: kernels.affinity_apply(np.ones(2), np.ones((2, 1)), np.ones(2), np.ones(2), 1.0),
            r"lam: shape \(2,\)",
        ),
        (
            lambda: kernels.affinity_apply(np.ones(2), np.ones((2, 1)), np.ones(1), np.ones(3), 1.0),
            r"diag: shape \(3,\)",
        ),
        (lambda: kernels.affinity_apply(np.ones(2), np.ones((2, 1)), np.ones(1), np.ones(2), 0.0), "temperature: 0.0"),
        (
            lambda: kernels.affinity_apply(np.ones(2), np.ones((2, 1)), np.ones(1), np.ones(2), math.nan),
            "temperature: nan",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
