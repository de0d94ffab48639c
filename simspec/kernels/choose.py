"""Which implementation of a kernel does the work: the one function that chooses, for all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

__all__ = ["backend_module", "choose", "which"]


def which(size: int, small: int, device: bool = False) -> str:
    """The backend: `cuda` for arrays on a device; else the `reference`, which defines the result in NumPy, or `numba`.

    Below `small` elements loading or compiling the Numba backend costs more than it saves.

    >>> which(10, small=11), which(11, small=11)
    ('reference', 'numba')
    """
    return "cuda" if device else "reference" if size < small else "numba"


def choose(
    kernel: str, function: str, size: int, small: int, *, device: bool = False, threads: int | None = None
) -> Callable[..., Any]:
    """A function of a kernel, by the backend that `which` names; `threads`, where given, are those of Numba and CUDA.

    >>> choose("tv", "tv_from_logits", 2, small=4096)([0.0, 0.0], [0.0, float("-inf")]).tolist()
    0.5
    """
    backend = which(size, small, device)
    implementation = getattr(import_module(backend_module(kernel, backend)), function)
    return implementation if backend == "reference" or threads is None else partial(implementation, threads=threads)


def backend_module(kernel: str, backend: str) -> str:
    """The module of a kernel's backend, which bears the kernel's name.

    >>> backend_module("rounds.tree", "numba"), backend_module("tv", "reference")
    ('simspec.kernels.rounds.tree.numba_tree', 'simspec.kernels.tv.reference')
    """
    leaf = kernel.rpartition(".")[2]
    return f"simspec.kernels.{kernel}.{backend if backend == 'reference' else f'{backend}_{leaf}'}"
