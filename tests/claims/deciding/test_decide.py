"""Verdicts from intervals, by hand."""

import pytest

from simspec.claims.claim import Claim, Evidence, Finding
from simspec.claims.deciding.decide import compare, decide, verdict_of_interval


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        ((0.2, 0.4), "supported"),
        ((0.0, 0.1), "unsupported"),
        ((0.05, 0.2), "inconclusive"),
        ((0.1, 0.3), "inconclusive"),
    ],
)
def test_interval_against_a_tenth(interval, verdict) -> None:
    assert verdict_of_interval(interval, 0.1) == verdict


def test_conjunction() -> None:
    assert compare(["supported", "supported"]) == "supported"
    assert compare(["supported", "unsupported", "inconclusive"]) == "unsupported"
    assert compare(["supported", "inconclusive"]) == "inconclusive"
    assert compare([]) == "inconclusive"


def test_a_finding_decides_empirical_claims() -> None:
    row = Evidence("d", None, 3, 0.5, (0.4, 0.6), 0.95)
    finding = Finding(lambda d: None, lambda r: [row], lambda e: verdict_of_interval(e[0].interval, 0.3), "above 0.3")
    claim = Claim("t", "empirical", "", "", finding=finding)
    assert decide(claim, [row]) == "supported"
    with pytest.raises(ValueError, match="no finding"):
        decide(Claim("t", "bound", "", ""), [row])
