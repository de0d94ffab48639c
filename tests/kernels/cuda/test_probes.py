"""What is measured and sanitized on a device: the kernels behind the limits, and that none is left out."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from simspec.kernels import cuda
from simspec.kernels.cuda import launch, sanitize
from simspec.kernels.synthetic import Model
from simspec.kernels.synthetic import cuda_synthetic as gpu
from tests.kernels.cases import drawn
from tests.kernels.cuda.test_nvrtc import kernels
from tests.requirements import require


def test_sums_of_synthetic_logits(cp):
    draws, model = drawn(3, 5, 2), Model(4, 0.25, 2, 0.6)
    got = cp.asnumpy(gpu.sums(draws, 700, model, threads=16))
    logits = [cp.asnumpy(x) for x in gpu.logits(draws, 700, model, threads=16)]
    for sums, rows in zip(got, logits, strict=True):
        np.testing.assert_allclose(sums, rows.sum(axis=-1), rtol=0, atol=2.0**-53 * 20 * np.abs(rows).sum())
    with pytest.raises(ValueError, match="rho: 2"):
        gpu.sums(draws, 700, Model(rho=2))
    with pytest.raises(ValueError, match="model: location and scale of each token; expected one number each"):
        gpu.sums(draws, 3, Model(scale=np.ones(3)))


def test_chains_multiply_and_add_in_turn(cp):
    out = cp.empty(6)
    launch.launch("rate", "float64_chains", 2, 3, 50, np.float64(0.7), out)
    x = np.arange(8.0) + np.arange(3.0)[:, None]
    for _ in range(50):
        x = x * 0.7 + 1.0
    expected = np.zeros(3)
    for chain in x.T:
        expected = expected + chain
    np.testing.assert_array_equal(cp.asnumpy(out), np.tile(expected, 2))


def test_every_kernel_is_launched(cp, monkeypatch):
    launched = set()
    module = launch._module

    def watched(name, device):
        loaded = module(name, device)

        def get_function(kernel):
            launched.add(kernel)
            return loaded.get_function(kernel)

        return SimpleNamespace(get_function=get_function)

    monkeypatch.setattr(launch, "_module", watched)
    sanitize.every_kernel(threads=8)
    assert launched == set(kernels(cuda.source(*cuda.names())))


def test_each_tool_is_run_and_what_it_finds_is_reported(cp, monkeypatch, capsys):
    runs = []
    monkeypatch.setattr(sanitize, "find", lambda: "compute-sanitizer")
    monkeypatch.setattr(
        sanitize.subprocess,
        "run",
        lambda line: runs.append(line) or SimpleNamespace(returncode=int(failing in line)),
    )
    failing = "nothing"
    assert sanitize.main([]) == 0
    assert [line[2] for line in runs] == list(sanitize.TOOLS)
    assert all(line[-3:] == ["-m", "simspec.kernels.cuda.sanitize", "--launch"] for line in runs)
    assert capsys.readouterr().err.strip() == "compute-sanitizer: nothing found"
    failing = "racecheck"
    assert sanitize.main(["--tool", "memcheck", "--tool", "racecheck"]) == 1
    assert capsys.readouterr().err.strip() == "compute-sanitizer: racecheck found errors"
    monkeypatch.setattr(sanitize, "find", lambda: None)
    assert sanitize.main([]) == 2
    assert "compute-sanitizer: not found; expected on the PATH" in capsys.readouterr().err


def test_it_is_found_on_the_path_and_under_cuda_home(tmp_path, monkeypatch):
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert sanitize.find() is None
    tool = tmp_path / "toolkit" / "bin" / "compute-sanitizer"
    tool.parent.mkdir(parents=True)
    tool.write_text("")
    tool.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "toolkit"))
    assert sanitize.find() == str(tool)
    monkeypatch.delenv("CUDA_HOME")
    monkeypatch.setenv("PATH", str(tool.parent))
    assert sanitize.find() == str(tool)


def test_without_a_device_one_line_says_so(monkeypatch, capsys):
    launch.cupy.cache_clear()
    monkeypatch.setitem(sys.modules, "cupy", None)
    try:
        assert sanitize.main([]) == 2
    finally:
        launch.cupy.cache_clear()
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "GPU kernels need CuPy" in said.err


def test_the_kernels_run_in_a_process_of_their_own():
    """What a sanitizer is given to watch, where there is a device."""
    require("device")
    done = subprocess.run(
        [sys.executable, "-m", "simspec.kernels.cuda.sanitize", "--launch"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
