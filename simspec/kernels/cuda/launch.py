"""Loading the CUDA sources through CuPy and launching their kernels; what arrays they take."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.kernels import cuda

__all__ = [
    "THREADS", "as_array", "as_floats", "as_rows", "cupy", "host", "kind", "launch", "on_device", "properties",
    "together",
]  # fmt: skip

THREADS = 256
"""Threads of a block, one a lane; fewer give the same bits more slowly."""
SHARED = 48 * 1024
"""Bytes of shared memory that the launch may give to a block without having set the kernel's attribute."""
MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
"""The number of that attribute (`CUfunction_attribute` of the driver)."""
PREFERRED_SHARED_MEMORY_CARVEOUT = 9
"""The attribute that says how many per cent of a multiprocessor's cache shall be shared memory."""


def on_device(x: Any) -> bool:
    """Whether an array lies on a CUDA device."""
    return hasattr(x, "__cuda_array_interface__")


def together(**arrays: Any) -> bool:
    """Whether arrays lie on a device: all of them or none.

    Raises ValueError, with a name, where some do and some do not.

    >>> together(a=np.zeros(1), b=[0.0])
    False
    """
    there = [name for name, x in arrays.items() if on_device(x)]
    if there and (others := sorted(arrays.keys() - set(there))):
        raise ValueError(f"{others[0]}: not on a device; expected to find it where {there[0]} is")
    return bool(there)


def as_array(x: Any) -> Any:
    """`x` as an array where it is: on a device or in NumPy."""
    return x if on_device(x) else np.asarray(x)


def as_floats(x: Any, name: str) -> Any:
    """`x` as float32 or float64 (half precision widens to float32, all else, fractions too, to float64)."""
    z = as_array(x)
    if z.ndim == 0 or z.shape[-1] == 0:
        raise ValueError(f"{name}: shape {z.shape}; expected a last axis of at least one token")
    if z.dtype == np.float16:
        return z.astype(np.float32)
    return z if z.dtype in (np.float32, np.float64) else z.astype(np.float64)


def host(x: Any) -> NDArray[Any]:
    """`x` as a NumPy array, copied if it lies on a device."""
    return cupy().asnumpy(x) if on_device(x) else np.asarray(x)


@cache
def cupy() -> Any:
    """CuPy, once it is certain that it can compute."""
    try:
        import cupy as cp
    except ImportError as error:
        raise ImportError(f"GPU kernels need CuPy ({error}): install the extra `gpu`, or pass NumPy arrays") from error
    try:
        devices = cp.cuda.runtime.getDeviceCount()
    except Exception as error:  # CUDARuntimeError: no driver, or one that is too old
        raise RuntimeError(f"GPU kernels need a CUDA driver and device ({error}): pass NumPy arrays instead") from error
    if devices < 1:
        raise RuntimeError("GPU kernels need a CUDA device and found none: pass NumPy arrays instead")
    return cp


@cache
def _module(name: str, device: int) -> Any:
    """A source compiled and loaded for a device.

    Not by `cupy.RawModule`, which adds ``-ftz=true``: float32 numbers below the smallest normal would count as zero.
    """
    compiled = cupy().cuda.compiler.compile_using_nvrtc(cuda.source(name), cuda.OPTIONS)[0]
    module = cupy().cuda.function.Module()
    module.load(compiled)
    return module


@cache
def _properties(device: int) -> Any:
    return cupy().cuda.runtime.getDeviceProperties(device)


def properties() -> Any:
    """The properties of the device in use, by the names of `cudaDeviceProp`."""
    return _properties(cupy().cuda.runtime.getDevice())


def launch(module: str, kernel: str, blocks: int, threads: int | None, *arguments: Any, shared: int = 0) -> None:
    """Run a kernel with so many bytes of shared memory a block; Python integers are passed as 64 bits."""
    threads = THREADS if threads is None else threads
    if not isinstance(threads, int) or not 1 <= threads <= 1024:
        raise ValueError(f"threads: {threads}; expected from 1 to 1024 threads a block")
    if blocks >= 2**31:
        raise ValueError(f"rows: {blocks} blocks; expected fewer than 2^31 (split the batch)")
    if blocks > 0:
        values = tuple(np.int64(x) if isinstance(x, int) else x for x in arguments)
        function = _module(module, cupy().cuda.runtime.getDevice()).get_function(kernel)
        if shared > SHARED:
            driver = cupy().cuda.driver
            driver.funcSetAttribute(function.ptr, MAX_DYNAMIC_SHARED_SIZE_BYTES, shared)
            driver.funcSetAttribute(function.ptr, PREFERRED_SHARED_MEMORY_CARVEOUT, 100)  # room for two blocks
        function((blocks,), (threads,), values, shared_mem=shared)


def as_rows(x: Any, name: str, dtypes: tuple[str, ...] = ("float32", "float64")) -> Any:
    """A contiguous (rows, V) array on the device, of one of some types."""
    cp = cupy()
    if not isinstance(x, cp.ndarray):
        raise ValueError(f"{name}: a {type(x).__name__}; expected a CuPy array")
    if x.dtype.name not in dtypes:
        raise ValueError(f"{name}: dtype {x.dtype}; expected {' or '.join(dtypes)}")
    return cp.ascontiguousarray(x).reshape(math.prod(x.shape[:-1]), x.shape[-1])


def kind(x: Any) -> str:
    """The ending of the kernels for the type of an array."""
    return "f32" if x.dtype == np.float32 else "f64"
