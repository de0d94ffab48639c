"""Devices: a study says which it has, a worker takes its own GPU, arrays come home; with a made-up CuPy, as CI has no GPU."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from simspec.engine import devices
from simspec.engine import run as engine
from simspec.engine.estimates.statistics import Share
from simspec.engine.row_values import gather
from simspec.engine.study import Study


class FakeArray:
    __module__ = "cupy"

    def __init__(self, values) -> None:
        self.values = values

    def get(self):
        return self.values


@pytest.fixture
def cupy(monkeypatch):
    used: list[int] = []
    module = ModuleType("cupy")
    module.cuda = SimpleNamespace(  # type: ignore[attr-defined]
        runtime=SimpleNamespace(getDeviceCount=lambda: 2),
        Device=lambda i: SimpleNamespace(use=lambda: used.append(i)),
    )
    monkeypatch.setitem(sys.modules, "cupy", module)
    return used


def _ones(cell, rows, device):
    values = np.ones(len(rows.numbers))
    return {"y": FakeArray(values) if device == "gpu" else values}


STUDY = Study("ones", "?", ({},), _ones, rows=3, measures={"y": Share()}, devices=("cpu", "gpu"))


def test_a_study_on_the_gpu_by_hand(cupy) -> None:
    (result,) = engine.run(STUDY, max_rows=3, device="gpu")
    assert result.totals == {"y.n": 3, "y.hits": 3}
    assert cupy and set(cupy) == {0}
    assert gather(STUDY, device="gpu")[0].values["y"].tolist() == [1, 1, 1]


@pytest.mark.parametrize(("number", "gpu"), [(0, 0), (1, 1), (2, 0), (5, 1)])
def test_workers_share_the_gpus_out(cupy, monkeypatch, number, gpu) -> None:
    monkeypatch.setattr(devices, "worker_number", lambda: number)
    devices.use("gpu")
    assert cupy == [gpu]


def test_a_study_that_has_no_gpu_version_is_refused() -> None:
    plain = Study("plain", "?", ({},), _ones, rows=3, measures={"y": Share()})
    for start in (lambda: engine.run(plain, device="gpu"), lambda: gather(plain, device="gpu")):
        with pytest.raises(ValueError, match="device: 'gpu'; study 'plain' runs on cpu only"):
            start()


def test_the_arrays_of_a_device(cupy) -> None:
    assert devices.arrays("cpu") is np and cupy == []
    assert devices.arrays("gpu") is sys.modules["cupy"] and cupy == [0]
    with pytest.raises(ValueError, match="device: 'tpu'"):
        devices.arrays("tpu")


def test_no_gpu_says_so(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ValueError, match="no usable GPU"):
        engine.run(STUDY, device="gpu")
    with pytest.raises(ValueError, match="device: 'tpu'; expected 'cpu' or 'gpu'"):
        devices.use("tpu")
