"""Standard speculative decoding: keep min(p, q), otherwise draw from the normalised difference."""

from __future__ import annotations

import numpy as np

from simspec.laws import Array
from simspec.laws.enclosures import smaller
from simspec.methods.calls import Constant
from simspec.methods.method import Method, Origin, leftover

__all__ = ["SD", "drafter_kernel"]


def _same(q: Array) -> Array:
    return q


def _accept(p: Array, d: Array) -> Array:
    return smaller(p, d)


_RESIDUAL = leftover(_accept)
SD = Method(_same, _accept, _RESIDUAL, Origin(Constant(__name__, "SD"), (_same, _accept, _RESIDUAL)))
"""Speculative decoding (Leviathan et al. 2023; Chen et al. 2023), lossless: claim ``sd.lossless``."""


def drafter_kernel(p: Array, q: Array) -> Array:
    r"""Drafter kernel :math:`(q - p)_+`: the draft's mass that is never accepted (RDK, Definition 2.2).

    >>> drafter_kernel(np.array([0.5, 0.5]), np.array([0.75, 0.25])).tolist()
    [0.25, 0.0]
    """
    return np.maximum(q - p, 0)
