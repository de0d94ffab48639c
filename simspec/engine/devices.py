"""Which device a worker computes on: the processor, or one of the machine's GPUs, shared out among its workers."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.checks import install_command

__all__ = ["arrays", "to_host", "use", "worker_number"]


def worker_number() -> int:
    """Number of this Dask worker on its cluster, 0 outside one: what GPUs are shared out by.

    >>> worker_number()
    0
    """
    try:
        from distributed import get_worker

        name = get_worker().name
    except (ImportError, ValueError):  # no Dask, or not on a worker
        return 0
    digits = str(name).rpartition("-")[2]
    return int(digits) if digits.isdigit() else 0


def use(device: str) -> None:
    """Make a device the current one: worker i takes GPU i, modulo the number of GPUs.

    Parameters
    ----------
    device : "cpu" (nothing to do) or "gpu"

    Raises
    ------
    ValueError
        for another name, or where CuPy or a GPU is missing.

    Examples
    --------
    >>> use("cpu")
    """
    if device == "cpu":
        return
    if device != "gpu":
        raise ValueError(f"device: {device!r}; expected 'cpu' or 'gpu'")
    try:
        import cupy

        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        raise ValueError(
            f"device: no usable GPU ({type(error).__name__}: {error}); expected a machine with an NVIDIA driver and "
            f"CuPy: {install_command('gpu')}"
        ) from None
    cupy.cuda.Device(worker_number() % count).use()


def arrays(device: str) -> Any:
    """The module whose arrays a device computes on: NumPy or CuPy.

    >>> arrays("cpu").__name__
    'numpy'
    """
    use(device)
    if device == "cpu":
        return np
    import cupy

    return cupy


def to_host(array: Any) -> Any:
    """A CuPy array as a NumPy array; anything else unchanged.

    >>> to_host(3)
    3
    """
    return array.get() if type(array).__module__.partition(".")[0] == "cupy" else array
