"""What several files of rdk.* tests use."""

import math
from fractions import Fraction as F


def phi(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def plain_gain(p, d, M) -> F:
    """α(p, Mᵀd) − α(p, d) in loops."""
    size = range(len(p))
    r = [sum(d[i] * M[i][j] for i in size) for j in size]
    return sum((min(p[j], r[j]) - min(p[j], d[j]) for j in size), F(0))
