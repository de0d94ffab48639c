"""Functions that make arrays from nothing reach the device when CuPy is asked for; what these tests import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from simspec.engine.study import Rows
from simspec.kernels.cuda import launch
from simspec.kernels.random import make_key
from simspec.kernels.synthetic import Draws, Model, synthetic_overlap
from simspec.kernels.synthetic import cuda_synthetic as gpu
from simspec.studies.catalogue import acceptance

DRAWS, MODEL = Draws(7, range(3, 5), (2, 5)), Model(4, rho=0.8)


def test_synthetic_overlap_runs_where_its_result_is_wanted(cp):
    scale = np.linspace(0.5, 2, 600)
    model = MODEL._replace(location=0.25, scale=scale)
    got = synthetic_overlap(DRAWS, 600, model, threads=8, xp=cp)
    assert isinstance(got, cp.ndarray) and got.dtype == np.float64
    direct = gpu.overlap(DRAWS, 600, model._replace(scale=cp.asarray(scale)), threads=32)
    np.testing.assert_array_equal(cp.asnumpy(got), cp.asnumpy(direct))
    expected = synthetic_overlap(DRAWS, 600, model, xp=np)
    np.testing.assert_allclose(cp.asnumpy(got), expected, rtol=0, atol=2 * gpu.overlap_bound(600, np.float64))
    assert isinstance(expected, np.ndarray) and not isinstance(expected, cp.ndarray)


def test_every_argument_reaches_the_device(cp):
    """The control of the test above: no argument can be left out unnoticed."""
    whole = cp.asnumpy(synthetic_overlap(DRAWS, 50, MODEL, threads=4, xp=cp))
    changed = [{"dtype": np.float32}, {"key": 8}, {"rows": range(4, 6)}, {"purposes": (3, 5)}, {"purposes": (2, 6)}]
    others = [(DRAWS._replace(**change), MODEL) for change in changed]
    models = [{"rho": 0.7}, {"df": 5}, {"location": np.arange(50.0)}, {"scale": 2}]
    for draws, model in others + [(DRAWS, MODEL._replace(**change)) for change in models]:
        found = cp.asnumpy(synthetic_overlap(draws, 50, model, threads=4, xp=cp))
        assert (found != whole).all(), (draws, model)
    with pytest.raises(ValueError, match="threads: 2000"):
        synthetic_overlap(DRAWS, 50, MODEL, threads=2000, xp=cp)


def test_cells_of_the_study_share_launches(cp, monkeypatch):
    """`acceptance` on a device: every sixth cell of small vocabulary, a block of each, to the last bit."""
    study = acceptance()
    chosen = [cell for cell in study.grid if cell["vocab"] == 1000][::6]
    requests = [(cell, Rows(make_key(5, study.name, cell), range(3, 5))) for cell in chosen]
    monkeypatch.setattr("simspec.studies.catalogue.arrays", lambda device: cp)
    launches = []
    monkeypatch.setattr(
        gpu, "launch", lambda *given, **options: launches.append(given[1]) or launch.launch(*given, **options)
    )
    together = study.together(requests, "gpu")
    assert launches == ["overlap_f64"]
    for values, (cell, rows) in zip(together, requests, strict=True):
        np.testing.assert_array_equal(values["alpha"], cp.asnumpy(study.simulate(cell, rows, "gpu")["alpha"]))
        assert isinstance(values["alpha"], np.ndarray) and values["alpha"].shape == (2,)
    assert len(launches) == 1 + len(chosen) == 4


def test_another_module_is_refused(cp):
    with pytest.raises(ValueError, match="xp: .*math.*; expected the module numpy or cupy"):
        import math

        synthetic_overlap(DRAWS, 50, MODEL, xp=math)


def test_the_tests_for_a_device_need_little():
    """NumPy, Numba, SciPy, pytest, hypothesis and what these bring along, and CuPy in its place."""
    code = f"""
import importlib, pkgutil, sys
for name in {sorted(p.stem for p in Path(__file__).parent.glob("*.py"))!r}:
    importlib.import_module("tests.kernels.cuda." + name)
for name in ('rounds.cuda_rounds', 'lattice.cuda_lattice', 'affinity.numba_affinity', 'rounds.numba_rounds',
             'lattice.numba_lattice'):
    importlib.import_module('simspec.kernels.' + name)
foreign = ("torch", "jax", "transformers", "tokenizers", "safetensors", "rich", "sympy", "z3", "cvc5", "flint", "jinja2",
           "latex2mathml", "matplotlib", "distributed", "dask", "sinter", "nbformat", "nbclient")
print([name for name in foreign if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr
