"""Verdicts from intervals, by hand."""

import pytest

from simspec.claims.authoring import chosen_here
from simspec.claims.claim import Claim, Evidence, Finding
from simspec.claims.deciding.decide import decide
from simspec.claims.deciding.evidence import all_of, compare, measured, rests_on_made_up, verdict_of_interval
from simspec.claims.printed import origin
from simspec.engine.estimates.intervals import Interval
from tests.claims.cases import get
from tests.claims.evidence_cases import results


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


def test_families_made_up_here_are_inconclusive_about_a_paper() -> None:
    """Where a verdict rests on them alone, and only for a statement that others print: an own statement may speak of them."""
    above = Interval(0.5, 0.4, 0.6, 0.95)
    families = measured("needle", None, 9, above, exceed=0.3, made_up=True)
    real = measured("a bank", None, 9, above, exceed=0.3)
    finding = Finding(lambda d: None, lambda r: [], all_of, "above 0.3")
    by_paper = Claim("pad.t", "empirical", "", "PAD 2", finding=finding)
    own = Claim("pad.t", "empirical", "", "own statement", finding=finding)
    assert finding.decide([families]) == "supported"
    assert [decide(by_paper, rows) for rows in ([families], [real], [families, real])] == [
        "inconclusive",
        "supported",
        "supported",
    ]
    assert decide(own, [families]) == "supported"
    low = measured("needle", None, 9, Interval(0.1, 0.0, 0.2, 0.95), exceed=0.3, made_up=True)
    assert finding.decide([low]) == "unsupported" and decide(by_paper, [low]) == "inconclusive"
    # the families alone fail, or fail beside what fails too
    assert decide(by_paper, [low, real]) == "inconclusive"
    real_low = measured("a bank", None, 9, Interval(0.1, 0.0, 0.2, 0.95), exceed=0.3)
    assert decide(by_paper, [low, real_low]) == decide(by_paper, [families, real_low]) == "unsupported"
    assert decide(own, [low, real]) == "unsupported"


MADE_UP_HERE = {
    *(
        "ears.reasoning.families",
        "ears.gamma-accuracy.families",
        "pad.classifier.families",
        "pad.classifier.exact",
        "pad.tradeoff.families",
    ),
    *("pad.tradeoff-controls", "pad.unnecessary-rejections.families", "pad.unnecessary-rejections.label-rule"),
}
"""Measured claims that are decided on families of problems, with utilities that no paper gives."""


@pytest.mark.parametrize("name", sorted(MADE_UP_HERE))
def test_what_is_decided_on_families_says_so_in_each_row(name) -> None:
    claim = get(name)
    evidence = claim.finding.estimate(results(name))
    assert rests_on_made_up(evidence) and claim.finding.criterion.startswith(chosen_here("")[:28])
    assert decide(claim, evidence) == ("inconclusive" if origin(claim) != "own" else claim.finding.decide(evidence))
