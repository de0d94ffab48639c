"""Without CuPy, without a driver and without a device: one clear sentence each, and no import until a kernel is called."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from simspec.kernels.cuda import launch
from simspec.kernels.synthetic import Draws, Model
from simspec.kernels.synthetic import cuda_synthetic as synthetic
from simspec.kernels.tv import cuda_tv as gpu
from tests.requirements import require


@pytest.fixture(autouse=True)
def fresh():
    launch.cupy.cache_clear()
    yield
    launch.cupy.cache_clear()


def fake(count):
    return SimpleNamespace(cuda=SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=count)))


def test_without_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ImportError, match="GPU kernels need CuPy .*: install the extra `gpu`, or pass NumPy arrays"):
        gpu.tv_from_logits(np.zeros((2, 3)), np.zeros((2, 3)))


def test_without_a_driver(monkeypatch):
    def fail():
        raise OSError("cudaErrorInsufficientDriver")

    monkeypatch.setitem(sys.modules, "cupy", fake(fail))
    with pytest.raises(RuntimeError, match="need a CUDA driver and device .cudaErrorInsufficientDriver.: pass NumPy"):
        gpu.tv_from_logits(np.zeros((2, 3)), np.zeros((2, 3)))


def test_without_a_device(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", fake(lambda: 0))
    with pytest.raises(RuntimeError, match="found none: pass NumPy arrays instead"):
        synthetic.overlap(Draws(0, range(2)), 3, Model())


def test_importing_the_kernels_does_not_load_cupy():
    code = "import sys, simspec.kernels.cuda, simspec.kernels.tv.cuda_tv, simspec.kernels.synthetic.cuda_synthetic\n"
    code += "print('cupy' in sys.modules, 'numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_on_a_device_the_same_tests_run_twice():
    """`test_gpu` and `test_draws` take a device where one is found; this counts the places without."""
    require("device")
    import cupy

    assert float(gpu.tv_from_logits(cupy.zeros((1, 4)), cupy.zeros((1, 4)))[0]) == 0
