"""Compiled kernels, each in a folder of its own: a public function, its reference, and its backends.

`simspec.kernels.choose` chooses between these.  Kernels know arrays and integers, no method, claim or file; Numba and
CuPy are loaded on first use.
"""

from simspec.kernels.affinity import RowSums, affinity_apply
from simspec.kernels.tv import tv_from_logits

__all__ = ["RowSums", "affinity_apply", "tv_from_logits"]
