"""What a notebook shows of claims and evidence: statement, verdict, counterexample and interval, with all text escaped."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from xml.etree import ElementTree as ET

import pytest

from simspec.claims import counterexample, find, registry
from simspec.claims.claim import Claim, Evidence, at_least
from simspec.claims.deciding.evidence import measured
from simspec.claims.deciding.verify import expected
from simspec.claims.showing import evidence_html, instance_html
from simspec.engine.estimates.intervals import Interval
from simspec.notebook import html

BAD = '<b>&"</b>'


def parsed(html) -> ET.Element:
    return ET.fromstring(html.replace("<wbr>", ""))  # where a formula may break


def words(html) -> str:
    return "".join(parsed(html).itertext())


def rows(html):
    return [["".join(cell.itertext()) for cell in row] for row in parsed(html).iter("tr")]


def shares(draw):
    return {"p": draw.number(0, 1)}


def own(**changes) -> Claim:
    given = Claim(
        "own.claim", "bound", f"at least $1/2$ {BAD}", BAD, lambda p: p, at_least, lambda p: Fraction(1, 2), shares
    )
    return replace(given, **changes)


def test_a_refuted_claim_shows_its_counterexample_and_what_is_true() -> None:
    (claim,) = find(["sd.inverse-proportional"])[:1]
    shown = html(claim)
    assert "✕ refuted" in words(shown)
    assert rows(shown) == [["", "0", "1"], ["p", "0", "1"], ["q", "0", "1"], ["p2", "0", "1"], ["q2", "1/2", "1/2"]]
    assert "left side 0; the statement requires = 1/4" in words(shown)
    assert "true in its place: sd.inverse-proportional-corrected" in words(shown)


def test_a_proved_claim_shows_its_statement_as_the_report_does() -> None:
    (claim,) = find(["sd.acceptance"])
    shown = html(claim)
    assert "■ proved" in words(shown)
    assert "<math>" in shown
    assert rows(shown) == []


def test_every_claim_that_is_not_refuted_shows_its_recorded_verdict() -> None:
    verdicts = expected()["verdicts"]
    for name, claim in registry().items():
        if verdicts[name] != "refuted":
            assert f" {verdicts[name]}  ({claim.kind})" in words(html(claim))


def test_a_claim_of_ones_own_is_tried() -> None:
    shown = words(html(own()))
    assert "✕ refuted" in shown
    assert "p = 0" in shown
    held = words(html(own(rhs=lambda p: 0)))
    assert "not recorded" in held
    assert "found no counterexample" in held


def test_text_of_a_claim_is_escaped_and_a_bad_formula_is_shown_as_written() -> None:
    for claim in (own(), own(statement=rf"$\nonsense{{$ {BAD}")):
        shown = html(claim)
        assert BAD not in shown
        assert BAD in words(shown)
    assert r"\nonsense{" in words(html(own(statement=r"$\nonsense{$")))


def test_instances_by_hand() -> None:
    shown = instance_html({"p": [Fraction(1, 2), Fraction(1, 2)], "flag": True, "m": [[0, Fraction(1, 3)]], BAD: None})
    assert rows(shown) == [["", "0", "1"], ["p", "1/2", "1/2"]]
    assert f"m = [[0, 1/3]]flag = true; {BAD} = none" in words(shown)


def test_evidence_shows_estimate_interval_and_what_decides() -> None:
    row = measured(BAD, None, 1234, Interval(0.5, 0.4, 0.6, 0.95), exceed=0.3)
    assert rows(html(row))[1] == [BAD, "–", "1,234", "0.5", "[0.4, 0.6]", "95 %", "", "must exceed 0.3"]
    assert len(list(parsed(html(row)).iter("line"))) == 2  # the interval, and the value that decides
    both = parsed(evidence_html([row, row._replace(estimate=0.7, interval=(0.6, 0.8))]))
    first, second = (float(dot.get("cx")) for dot in both.iter("circle"))
    assert first < second  # on one scale


@pytest.mark.parametrize("row", [Evidence("a", "m", 1, 0.5), Evidence("a", "m", 1, 0.5, control={"other": 2.0})])
def test_evidence_without_an_interval(row) -> None:
    assert rows(html(row))[1][3:6] == ["0.5", "–", "–"]


def test_a_counterexample_breaks_its_claim_and_no_assumption() -> None:
    (claim,) = (c for c in find(["rdk.never-worse"]) if c.name == "rdk.never-worse")
    found = counterexample("rdk.never-worse")
    assert claim.slack(found) < 0
    assert claim.broken_assumptions(found) == []
    assert counterexample("sd.acceptance") is None


@pytest.mark.parametrize(
    ("name", "message"),
    [("sd", "is a prefix"), ("sd.nonsense", "is not a claim; nearest"), ("rdk.real-pruning", "is measured")],
)
def test_what_has_no_counterexample_to_find_is_refused(name, message) -> None:
    with pytest.raises(ValueError, match=message):
        counterexample(name)


def test_a_claim_that_cannot_be_tried_says_why() -> None:
    with pytest.raises(ValueError, match="own.claim: "):
        counterexample(own(rhs=lambda p: 0.5 * p))


def test_text_of_a_claim_names_it_and_holds_no_address() -> None:
    assert repr(own(reference="A 1")) == "Claim('own.claim', bound, A 1)"
