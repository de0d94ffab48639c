"""What several files of tasc.* tests use."""

from math import log


def plain_entropy(p) -> float:
    return -sum(float(x) * log(x) for x in p if x)
