"""The host build of the CUDA sources, made once for all workers, and the device kernels on top of it or of a real device."""

from __future__ import annotations

import ctypes
import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simspec.kernels.cuda import launch
from tests.kernels.cuda import host
from tests.requirements import found, require


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    require("cxx")
    workers = "PYTEST_XDIST_WORKER" in os.environ
    # the folder of all workers
    folder = tmp_path_factory.getbasetemp().parent if workers else tmp_path_factory.mktemp("cuda")
    return ctypes.CDLL(str(built(folder)))


def built(folder: Path) -> Path:
    """The library in a folder; of the processes that ask for it at one time the first makes it, the others wait."""
    out = folder / "kernels.so"
    with (folder / "kernels.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not out.exists():
            host.compile(host.source(), folder / "unfinished.so", "-O2", "-shared", "-fPIC").rename(out)
    return out


def forget() -> None:
    """Let the loader look for CuPy again."""
    launch.cupy.cache_clear()
    launch._module.cache_clear()


@pytest.fixture(scope="module", params=["host", "device"] if found("device") else ["host"])
def cp(request: pytest.FixtureRequest) -> Iterator[Any]:
    """CuPy: once a stand-in that runs the host build, and once, where there is a device, CuPy itself."""
    forget()
    if request.param == "device":
        import cupy

        yield cupy
    else:
        if found("device"):  # read now: whoever looks at all modules later would read it while the stand-in is there
            import cupyx.scipy.sparse  # noqa: F401
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, "cupy", host.fake_cupy(request.getfixturevalue("library")))
            yield sys.modules["cupy"]
    forget()
