"""The empirical claims of PAD: what decides, and negative controls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspec.claims.deciding.evidence import judge
from simspec.claims.pad.pipeline import _pipeline
from simspec.engine.study import Result
from simspec.studies.pad.pipeline import SIGMAS
from tests.claims.cases import get
from tests.claims.evidence_cases import SMALL, results

REJECTIONS = ("pad.unnecessary-rejections.families", "pad.unnecessary-rejections.label-rule")
PIPELINE = ("pad.classifier.families", "pad.classifier.exact", "pad.tradeoff.families", "pad.tradeoff-controls")


def _replaced(rows: list[Result], **values: Any) -> list[Result]:
    return [Result(r.cell, {**r.values, **{k: f(r.values) for k, f in values.items()}}) for r in rows]


@pytest.mark.parametrize("name", REJECTIONS + PIPELINE)
def test_synthetic_and_real_laws_decide(name):
    deciding = [e for e in get(name).finding.estimate(results(name)) if judge(e) is not None]
    assert {e.model for e in deciding} == {"synthetic", "fake target / fake draft"}


def test_whether_rejections_are_needless_is_decided_by_the_reading_and_the_family():
    """Where most tokens are worth the same they are; where every token matters a little they are not, at ε = 0."""
    by_family = {
        (r.cell["family"], reading): float(r.values[reading].mean())
        for r in results(REJECTIONS[0])
        if r.cell["laws"] == "synthetic"
        for reading in ("definition", "label rule", "ties")
    }
    assert by_family["needle", "definition"] > 0.8 > 0.2 > by_family["needle", "ties"]
    assert by_family["counting", "definition"] < 0.5
    assert by_family["random", "label rule"] > 0.8 > by_family["random", "definition"]
    finding = get(REJECTIONS[0]).finding
    assert finding.decide(finding.estimate(results(REJECTIONS[0]))) == "unsupported"


@pytest.mark.parametrize(
    ("name", "mark"), [("pad.classifier.families", "label"), ("pad.classifier.exact", "label rule")]
)
def test_a_ranking_by_the_truth_is_supported_and_one_by_chance_is_not(name, mark):
    """Negative control: scores without a relation to the marks (and thresholds the AUC by the right marks)."""
    claim = get(name)
    rng = np.random.default_rng(0)
    knowing = _replaced(results(name), score=lambda v: v[mark])
    guessing = _replaced(
        results(name), score=lambda v: np.where(np.isnan(v["label"]), np.nan, rng.random(v["label"].shape))
    )
    assert claim.finding.decide(claim.finding.estimate(knowing)) == "supported"
    blind = claim.finding.estimate(guessing)
    assert claim.finding.decide(blind) != "supported" and all(abs(e.estimate - 0.5) < 0.25 for e in blind)


def test_marks_that_are_all_alike_leave_the_claim_open():
    claim = get("pad.classifier.exact")
    none = _replaced(results(claim.name), **{"label rule": lambda v: 0 * v["label rule"]})
    assert claim.finding.decide(claim.finding.estimate(none)) == "inconclusive"


def test_a_rule_that_gains_is_supported_and_the_loss_is_that_of_the_chosen_threshold():
    """PAD judged against the replacement never loses; a loss of two points at the chosen σ alone is unsupported."""
    claim = get("pad.tradeoff.families")
    place = int(results(claim.name)[0].values["sigma"][0])

    def with_loss(lost: float) -> list[Result]:
        def utility(v: Any) -> Any:
            made = np.repeat(v["sd utility"][:, None], len(SIGMAS), axis=1)
            made[:, place] -= lost
            return made

        return _replaced(
            results(claim.name),
            utility=utility,
            sigma=lambda v: np.full(len(v["sigma"]), place),
            speed=lambda v: v["sd speed"][:, None] + 0.1 + 0 * v["speed"],
        )

    assert claim.finding.decide(claim.finding.estimate(with_loss(0.0))) == "supported"
    assert claim.finding.decide(claim.finding.estimate(with_loss(0.02))) == "unsupported"
    slow = _replaced(with_loss(0.0), speed=lambda v: v["sd speed"][:, None] + 0 * v["speed"])
    assert claim.finding.decide(claim.finding.estimate(slow)) == "unsupported"


def test_random_flags_in_place_of_the_classifier_s_are_not_better_than_themselves():
    claim = get("pad.tradeoff-controls")
    same = _replaced(results(claim.name), utility=lambda v: np.repeat(v["random utility"][:, None], len(SIGMAS), 1))
    assert claim.finding.decide(claim.finding.estimate(same)) == "unsupported"
    above = _replaced(results(claim.name), utility=lambda v: v["random utility"][:, None] + np.full(len(SIGMAS), 0.1))
    assert claim.finding.decide(claim.finding.estimate(above)) == "supported"


@pytest.mark.parametrize("name", PIPELINE)
def test_only_answers_decide(name):
    other = [Result({**r.cell, "family": "needle"}, r.values) for r in results(name)]
    evidence = get(name).finding.estimate([*results(name), *other])
    alone = [e for e in get(name).finding.estimate(results(name)) if judge(e) is not None]
    deciding = [e for e in evidence if judge(e) is not None]
    assert deciding == alone and sum(e.data.startswith("beside: made up here: needle") for e in evidence) >= len(alone)


def test_efforts_decide_on_more_problems():
    studies = {effort: _pipeline(replace(SMALL["pad"], effort=effort)) for effort in ("quick", "default", "deep")}
    # synthetic laws, those of answers and those of corpus texts
    assert [len(studies[e].grid) for e in ("quick", "default", "deep")] == [3, 9, 21]
    assert studies["quick"].rows < studies["default"].rows < studies["deep"].rows
