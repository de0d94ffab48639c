"""Laws: plain arrays whose last axis is the vocabulary and sums to one.

Every function takes a batch in the leading axes and runs on float32, float64, CuPy arrays and NumPy object arrays of
`fractions.Fraction` (exactly), except where a logarithm or an exponential is in the formula.  Lists of numbers are taken
as arrays.  Arguments are checked here once: what is no law is an error that names argument, row and value.  Loops whose
laws are known use `simspec.laws.unchecked`, the formulas alone.  What is not here: drawing laws (`simspec.logits`) and
verifying drafts (`simspec.methods`).
"""

from __future__ import annotations

from simspec.laws.arrays import Array as Array
from simspec.laws.arrays import Scalar as Scalar
from simspec.laws.arrays import exact, is_exact
from simspec.laws.checks import check_law, check_mask, check_pair
from simspec.laws.making import cdf, normalise, restrict, softmax, top_k, top_p, total, uniform
from simspec.laws.measuring import entropy, kl, overlap, renyi, tv, tv_from_logits
from simspec.laws.showing import show
from simspec.laws.unchecked import ratio

__all__ = [
    "cdf",
    "check_law",
    "check_mask",
    "check_pair",
    "entropy",
    "exact",
    "is_exact",
    "kl",
    "normalise",
    "overlap",
    "ratio",
    "renyi",
    "restrict",
    "show",
    "softmax",
    "top_k",
    "top_p",
    "total",
    "tv",
    "tv_from_logits",
    "uniform",
]
