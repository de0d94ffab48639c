"""The host build of the CUDA sources, made once for all workers, and the device kernels on top of it or of a real device."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from simspec.kernels.cuda import launch
from tests.kernels.cuda import host
from tests.requirements import found, require

NAME = "kernels.so"


@pytest.fixture(scope="session")
def library(filled) -> ctypes.CDLL:
    require("cxx")
    options = "-O2", "-shared", "-fPIC"
    folder = filled("cuda", lambda place: host.compile(host.source(), place / NAME, *options))
    return ctypes.CDLL(str(folder / NAME))


def forget() -> None:
    """Let the loader look for CuPy again."""
    launch.cupy.cache_clear()
    launch._module.cache_clear()
    launch._properties.cache_clear()


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
