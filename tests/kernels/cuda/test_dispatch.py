"""Functions that make arrays from nothing reach the device when CuPy is asked for; what these tests import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from simspec.kernels.softmax import device as gpu
from simspec.kernels.synthetic import synthetic_overlap

MODEL = {"key": 7, "rho": 0.8, "df": 4, "first_row": 3, "purpose": 2, "draft_purpose": 5}


def test_synthetic_overlap_runs_where_its_result_is_wanted(cp):
    scale = np.linspace(0.5, 2, 600)
    got = synthetic_overlap(2, 600, **MODEL, location=0.25, scale=scale, threads=8, xp=cp)
    assert isinstance(got, cp.ndarray) and got.dtype == np.float64
    direct = gpu.synthetic_overlap(2, 600, **MODEL, location=0.25, scale=cp.asarray(scale), threads=32)
    np.testing.assert_array_equal(cp.asnumpy(got), cp.asnumpy(direct))
    expected = synthetic_overlap(2, 600, **MODEL, location=0.25, scale=scale, dtype=np.float64, xp=np)
    np.testing.assert_allclose(cp.asnumpy(got), expected, rtol=0, atol=2 * gpu.bounds(600, np.float64).overlap)
    assert isinstance(expected, np.ndarray) and not isinstance(expected, cp.ndarray)


def test_every_argument_reaches_the_device(cp):
    """The control of the test above: no argument can be left out unnoticed."""
    whole = cp.asnumpy(synthetic_overlap(2, 50, **MODEL, threads=4, xp=cp))
    changed = [{"key": 8}, {"rho": 0.7}, {"df": 5}, {"first_row": 4}, {"purpose": 3}, {"draft_purpose": 6}]
    for other in [*changed, {"location": np.arange(50.0)}, {"scale": 2}]:
        assert (cp.asnumpy(synthetic_overlap(2, 50, **(MODEL | other), threads=4, xp=cp)) != whole).all(), other
    with pytest.raises(ValueError, match="threads: 2000"):
        synthetic_overlap(2, 50, **MODEL, threads=2000, xp=cp)


def test_another_module_is_refused(cp):
    with pytest.raises(ValueError, match="xp: .*math.*; expected the module numpy or cupy"):
        import math

        synthetic_overlap(2, 50, **MODEL, xp=math)


def test_the_tests_for_a_device_need_little():
    """NumPy, Numba, SciPy, pytest, hypothesis and what these bring along, and CuPy in its place."""
    code = f"""
import importlib, pkgutil, sys
for name in {sorted(p.stem for p in Path(__file__).parent.glob("*.py"))!r}:
    importlib.import_module("tests.kernels.cuda." + name)
for name in ('rounds.device', 'lattice.device', 'affinity.loops', 'rounds.loops', 'lattice.loops'):
    importlib.import_module('simspec.kernels.' + name)
foreign = ("torch", "jax", "transformers", "tokenizers", "safetensors", "rich", "sympy", "z3", "cvc5", "flint", "jinja2",
           "latex2mathml", "matplotlib", "distributed", "dask", "sinter", "nbformat", "nbclient")
print([name for name in foreign if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr
