"""Total variation by hand, which implementation does the work, and which input is refused."""

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from simspec import kernels
from simspec.kernels.tv import reference

INF = float("inf")


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


@pytest.mark.parametrize("bad", [[0.0, math.nan], [0.0, INF], [-INF, -INF]])
def test_a_row_without_a_softmax_is_nan(bad):
    good = [0.0, 1.0]
    assert np.isnan(kernels.tv_from_logits([bad, good, good], [good, bad, good])).tolist() == [True, True, False]


def test_shapes_and_types():
    z = np.zeros((2, 3, 4), dtype=np.float16)
    assert kernels.tv_from_logits(z, np.zeros(4)).shape == (2, 3)
    assert kernels.tv_from_logits(z, z).dtype == np.float64
    assert kernels.tv_from_logits(np.zeros((0, 4)), np.zeros((0, 4))).shape == (0,)
    assert kernels.tv_from_logits(np.array([Fraction(1, 3)] * 2), [0, 0]) == 0


def test_importing_kernels_loads_no_compiler():
    code = "import sys, simspec.kernels as k; k.tv_from_logits([0., 1.], [1., 0.]); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kernels.tv_from_logits(1.0, [0.0]), r"a: shape \(\)"),
        (lambda: kernels.tv_from_logits([0.0], np.zeros((2, 0))), r"b: shape \(2, 0\)"),
        (lambda: kernels.tv_from_logits([0.0, 1.0], [0.0]), "b: 1 tokens; expected as many as a has, 2"),
        (lambda: kernels.tv_from_logits(np.zeros((2, 4)), np.zeros((3, 4))), r"b: shape \(3, 4\)"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
