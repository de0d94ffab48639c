"""What every file of ears.* claims is tested for, beside what `tests.claims.cases` asks of any claim."""

from fractions import Fraction as F
from typing import Any

from simspec.claims.claim import Claim
from simspec.methods import lenience, output_law
from tests.claims.cases import assert_floats, assert_verdict


def assert_claim(claim: Claim, refuted: set[str]) -> None:
    """Verdict of the exact trials, every assumption needed, equality where it is listed, and no violation in floats."""
    fails = claim.name in refuted
    trials = assert_verdict(claim, "refuted" if fails else "holds")
    if fails:
        laws = [v for v in (trials.counterexample or {}).values() if getattr(v, "ndim", 0)]
        assert all(len(v.ravel()) <= 6 for v in laws), "counterexamples are shown small"
    if "float" in claim.sources:
        assert_floats(claim, fails)


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
