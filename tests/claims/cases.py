"""What every file of claims is tested for, written once."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from simspec.claims import registry, statement_of
from simspec.claims.claim import Claim
from simspec.claims.deciding.decide import decide
from simspec.claims.deciding.search import EFFORTS, Trials, check_draw, check_exact
from simspec.claims.deciding.shrink import violated
from simspec.claims.draw import FloatDraw

QUICK = EFFORTS["quick"]


def getter(claims: Iterable[Claim]) -> Callable[[str], Any]:
    """Claims by id."""
    by_name = {c.name: c for c in claims}
    return by_name.__getitem__


def assert_verdict(claim: Claim, expected: str) -> Trials:
    """Verdict of the quick exact trials; every assumption is needed; listed tight instances are tight and not violated."""
    trials = check_exact(claim, QUICK, seed=0)
    assert decide(claim, trials) == expected
    assert set(claim.outside) == set(claim.assumes), "every assumption is shown to be needed"
    assert trials.not_needed == ()
    for instance in claim.tight:
        slack = claim.slack(instance)
        smallest = min(map(float, getattr(slack, "ravel", lambda s=slack: [s])()))
        assert not violated(slack) and abs(smallest) < 1e-6
    return trials


def counterexample(claim: Claim) -> Any:
    """The counterexample that the quick exact trials find."""
    found = assert_verdict(claim, "refuted").counterexample
    assert found is not None
    return found


def assert_floats(claim: Claim, may_fail: bool) -> None:
    """Synthetic laws do not violate a claim that holds."""
    check, worst, _ = check_draw(claim, FloatDraw(7, vocab=500, rows=4, matrix=32), "synthetic")
    assert check.instances > 0
    assert may_fail or check.violations == 0, worst


def assert_broken(claim: Claim, **changes: Any) -> None:
    """A claim with a formula broken on purpose is refuted."""
    broken = replace(claim, tight=(), outside={}, against=(), **changes)
    assert decide(broken, check_exact(broken, QUICK, seed=0)) == "refuted"


def assert_corrections(claims: Iterable[Claim]) -> None:
    """Refuted claims and their corrections and sharper constants name each other, by ids that exist."""
    every = registry()
    named = {name for c in every.values() for name in c.corrected_by}
    for claim in claims:
        assert set(claim.corrected_by) <= set(every) - {claim.name}
        if claim.name.endswith(("-corrected", "-sharp")):
            assert claim.name.rsplit("-", 1)[0] in every
            assert claim.name in named


def claims_of(*names: str) -> list[Claim]:
    """Claims of some statements, with all that stands beside them, or with some ids; in this order."""
    return [c for name in names for c in registry().values() if name in (statement_of(c.name), c.name)]
