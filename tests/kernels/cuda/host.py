"""The CUDA sources built by the host compiler, and a stand-in for CuPy that runs them: what a GPU would run, on threads."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from simspec.kernels import cuda

HERE = Path(__file__).parent
FLAGS = ["-std=c++20", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-pthread"]


def source() -> str:
    """All sources and the kernels for tests; headers come once."""
    own = (HERE / "arithmetic.cu").read_text(encoding="utf-8")
    return cuda.source(*cuda.names()) + "".join(
        line for line in own.splitlines(keepends=True) if not line.startswith("#include")
    )


def compile(code: str, out: Path, *options: str) -> Path:
    """`code` built by g++ or clang++ as `out`."""
    file = out.with_suffix(".cpp")
    file.write_text(code, encoding="utf-8")
    compiler = shutil.which("g++") or shutil.which("clang++")
    assert compiler is not None
    done = subprocess.run([compiler, *FLAGS, *options, str(file), "-o", str(out)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


H200 = {
    "major": 9,
    "sharedMemPerBlockOptin": 232_448,
    "sharedMemPerMultiprocessor": 233_472,
    "regsPerMultiprocessor": 65_536,
    "multiProcessorCount": 132,
}
"""Properties of the stand-in's device, in which what decides is that of an NVIDIA H200."""


def launch(library: ctypes.CDLL, kernel: str, blocks: int, threads: int, *arguments: Any, shared: int = 0) -> None:
    """Run a kernel with so many bytes of shared memory a block.

    Arrays pass their address, NumPy numbers their bytes: all must have the types that the kernel declares.
    """
    types = getattr(library, f"{kernel}_types")
    types.restype = ctypes.c_char_p
    assert [_code(x) for x in arguments] == types().decode().split(), kernel
    kept = [np.array(x.ctypes.data) if isinstance(x, np.ndarray) else np.array(x) for x in arguments]
    pointers = (ctypes.c_void_p * len(kept))(*(x.ctypes.data for x in kept))
    getattr(library, f"{kernel}_launch")(blocks, threads, shared, pointers)


def _code(x: Any) -> str:
    """NumPy's code of a number's type, or of an array's after a star."""
    if isinstance(x, np.generic):
        return f"{x.dtype.kind}{x.dtype.itemsize}"
    assert isinstance(x, np.ndarray) and x.flags.c_contiguous, f"{x!r} is no NumPy number and no contiguous array"
    return f"*{x.dtype.kind}{x.dtype.itemsize}"


class DeviceArray(np.ndarray):
    """A NumPy array that says it is on a device."""

    __cuda_array_interface__: ClassVar[dict[str, Any]] = {}

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        result = super().__array_function__(function, types, args, kwargs)
        return result.view(DeviceArray) if isinstance(result, np.ndarray) else result


def fake_cupy(library: ctypes.CDLL) -> Any:
    """The part of CuPy that `simspec.kernels.tv.cuda_tv` uses."""

    def compile_using_nvrtc(code: str, options: tuple[str, ...]) -> tuple[str, None]:
        assert code in {cuda.source(name) for name in cuda.names()} and options == cuda.OPTIONS
        return code, None

    class Function:
        """A kernel that gets more than 48 KB of shared memory only after its attribute was set, as on a device."""

        def __init__(self, kernel: str) -> None:
            self.kernel = kernel
            self.ptr = self
            self.largest = 48 * 1024

        def __call__(self, grid: Any, block: Any, args: Any, shared_mem: int = 0) -> None:
            assert shared_mem <= self.largest, f"{self.kernel}: {shared_mem} bytes of shared memory"
            launch(library, self.kernel, *grid, *block, *args, shared=shared_mem)

    def set_attribute(function: Function, attribute: int, value: int) -> None:
        if attribute == 9:  # per cent of the cache
            assert value <= 100
            return
        assert attribute == 8 and value <= H200["sharedMemPerBlockOptin"]
        function.largest = value

    class Module:
        def load(self, compiled: str) -> None:
            assert compiled

        def get_function(self, kernel: str) -> Function:
            return Function(kernel)

    def device(function: Any) -> Any:
        return lambda *args, **kwargs: function(*args, **kwargs).view(DeviceArray)

    made = {f.__name__: device(f) for f in (np.empty, np.zeros, np.ones, np.asarray, np.flatnonzero)}
    made |= {f.__name__: device(f) for f in (np.ascontiguousarray, np.broadcast_to)}
    cuda_module = SimpleNamespace(
        runtime=SimpleNamespace(getDeviceCount=lambda: 1, getDevice=lambda: 0, getDeviceProperties=lambda i: H200),
        driver=SimpleNamespace(funcSetAttribute=set_attribute),
        compiler=SimpleNamespace(compile_using_nvrtc=compile_using_nvrtc),
        function=SimpleNamespace(Module=Module),
    )
    made["asnumpy"] = np.array
    return SimpleNamespace(ndarray=DeviceArray, cuda=cuda_module, **made)
