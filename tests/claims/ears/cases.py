"""What several files of ears.* tests use: EARS in plain loops."""

from fractions import Fraction as F
from typing import Any

from simspec.methods import lenience, output_law


def plain_step(p: list[F], q: list[F], beta: Any, t: Any = None) -> tuple[list[F], list[F], list[F], list[F]]:
    """Kept mass by the standard path and by the pardon path, and the output law with the residual and with a fresh draw:
    EARS in loops over plain fractions, at tolerance t or β(1 − max p)."""
    t = beta * (1 - max(p)) if t is None else t
    standard = [y * min(F(1), x / y) if y else F(0) for x, y in zip(p, q, strict=True)]
    both = [y * min(F(1), x / y + t) if y else F(0) for x, y in zip(p, q, strict=True)]
    rejected = 1 - sum(both)
    lack = [max(x - y, F(0)) for x, y in zip(p, q, strict=True)]
    residual = [b + (rejected * m / sum(lack) if sum(lack) else F(0)) for b, m in zip(both, lack, strict=True)]
    fresh = [b + rejected * x for b, x in zip(both, p, strict=True)]
    return standard, [b - s for b, s in zip(both, standard, strict=True)], residual, fresh


def plain_tv(a: list[F], b: list[F]) -> F:
    """Total variation in a loop."""
    return sum((max(x - y, F(0)) for x, y in zip(a, b, strict=True)), F(0))


def _plain_lenience(p, q, factor):
    return output_law(lenience(factor), p, q)
