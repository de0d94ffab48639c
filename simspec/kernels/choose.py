"""Which implementation of a kernel does the work: the one function that chooses, for all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

__all__ = ["choose", "which"]


def which(size: int, small: int, device: bool = False) -> str:
    """The CUDA twin for arrays on a device; else the `reference`, which defines the result in NumPy, or the Numba twin.

    Below `small` elements loading or compiling the `loops` costs more than it saves.

    >>> which(10, small=11), which(11, small=11)
    ('reference', 'loops')
    """
    return "device" if device else "reference" if size < small else "loops"


def choose(
    kernel: str, function: str, size: int, small: int, *, device: bool = False, threads: int | None = None
) -> Callable[..., Any]:
    """A function of a kernel, as `which` says; the threads, where they are told, are those of the twins.

    >>> choose("softmax", "tv_from_logits", 2, small=4096)([0.0, 0.0], [0.0, float("-inf")]).tolist()
    0.5
    """
    made = which(size, small, device)
    found = getattr(import_module(f"simspec.kernels.{kernel}.{made}"), function)
    return found if made == "reference" or threads is None else partial(found, threads=threads)
