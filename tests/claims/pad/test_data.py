"""The empirical claims of PAD: evidence from small problems, decisions on artificial evidence, negative controls."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import judge
from simspec.claims.pad.pipeline import _pipeline
from simspec.engine.study import Result, run
from simspec.studies.pad.pipeline import SIGMAS
from tests.claims.cases import claims_of
from tests.claims.evidence_cases import shifted
from tests.engine.fakes import FakeBank

CLAIMS: dict[str, Any] = {
    claim.name: claim
    for claim in claims_of("pad.unnecessary-rejections", "pad.classifier", "pad.tradeoff", "pad.tradeoff-controls")
}
REJECTIONS = ("pad.unnecessary-rejections", "pad.unnecessary-rejections.label-rule")
PIPELINE = ("pad.classifier", "pad.classifier.exact", "pad.tradeoff", "pad.tradeoff-controls")


class FakeData(Data):
    """A run on a small bank in memory."""

    main = FakeBank(vocab=60, contexts=48, noise=2.0)  # type: ignore[assignment]


DATA = FakeData(effort="quick")


@lru_cache
def _results(name: str) -> list[Result]:
    return run(CLAIMS[name].finding.study(DATA))


def _replaced(results: list[Result], **values: Any) -> list[Result]:
    return [Result(r.cell, {**r.values, **{k: f(r.values) for k, f in values.items()}}) for r in results]


def test_every_claim_has_its_criterion_in_words():
    assert tuple(CLAIMS) == REJECTIONS + PIPELINE
    for claim in CLAIMS.values():
        assert claim.kind == "empirical" and claim.lhs is None and claim.sources == ()
        assert "upported" in claim.finding.criterion and "nsupported" in claim.finding.criterion


@pytest.mark.parametrize("name", CLAIMS)
def test_evidence_names_data_model_and_n_on_synthetic_and_real_laws(name):
    claim = CLAIMS[name]
    evidence = claim.finding.estimate(_results(name))
    deciding = [e for e in evidence if judge(e) is not None]
    assert {e.model for e in deciding} == {"synthetic", "fake target / fake draft"}
    for e in evidence:
        assert e.data and e.model and e.n >= 2 and np.isfinite(e.estimate)
        assert all(np.isfinite(x) for x in (e.control or {}).values())
    for e in deciding:
        assert e.interval and e.level and e.interval[0] - 1e-12 <= e.estimate <= e.interval[1] + 1e-12
        assert np.isclose(1 - e.level, 0.05 / len(deciding))
    if claim.finding.plot is not None:
        plot = claim.finding.plot(_results(name))
        assert set(plot) == {"title", "x_label", "y_label", "x_log", "series"}
        assert all(len(line["x"]) == len(line["y"]) > 1 for line in plot["series"])


@pytest.mark.parametrize("name", CLAIMS)
def test_decisions_on_artificial_evidence(name):
    finding = CLAIMS[name].finding
    evidence = finding.estimate(_results(name))
    assert [finding.decide(shifted(evidence, by)) for by in (1, -1, 0)] == [
        "supported",
        "unsupported",
        "inconclusive",
    ]


LIMITS = {
    "must exceed": {
        "pad.unnecessary-rejections": {0.5},
        "pad.unnecessary-rejections.label-rule": {0.5},
        "pad.classifier": {0.7},
        "pad.classifier.exact": {0.7},
        "pad.tradeoff": {0.0},
        "pad.tradeoff-controls": {0.0},
    },
    "must stay below": {"pad.tradeoff": {0.01}},
}


@pytest.mark.parametrize("name", CLAIMS)
def test_limits_are_those_of_the_statement(name):
    deciding = [e for e in CLAIMS[name].finding.estimate(_results(name)) if judge(e) is not None]
    for side, claims in LIMITS.items():
        assert {e.control[side] for e in deciding if side in (e.control or {})} == claims.get(name, set())


def test_whether_rejections_are_needless_is_decided_by_the_reading_and_the_family():
    """Where most tokens are worth the same they are; where every token matters a little they are not, at ε = 0."""
    by_family = {
        (r.cell["family"], reading): float(r.values[reading].mean())
        for r in _results(REJECTIONS[0])
        if r.cell["laws"] == "synthetic"
        for reading in ("definition", "label rule", "ties")
    }
    assert by_family["needle", "definition"] > 0.8 > 0.2 > by_family["needle", "ties"]
    assert by_family["counting", "definition"] < 0.5
    assert by_family["random", "label rule"] > 0.8 > by_family["random", "definition"]
    assert CLAIMS[REJECTIONS[0]].finding.decide(CLAIMS[REJECTIONS[0]].finding.estimate(_results(REJECTIONS[0]))) == (
        "unsupported"
    )


@pytest.mark.parametrize(("name", "mark"), [("pad.classifier", "label"), ("pad.classifier.exact", "label rule")])
def test_a_ranking_by_the_truth_is_supported_and_one_by_chance_is_not(name, mark):
    """Negative control: scores without a relation to the marks (and thresholds the AUC by the right marks)."""
    claim = CLAIMS[name]
    rng = np.random.default_rng(0)
    knowing = _replaced(_results(name), score=lambda v: v[mark])
    guessing = _replaced(
        _results(name), score=lambda v: np.where(np.isnan(v["label"]), np.nan, rng.random(v["label"].shape))
    )
    assert claim.finding.decide(claim.finding.estimate(knowing)) == "supported"
    blind = claim.finding.estimate(guessing)
    assert claim.finding.decide(blind) != "supported" and all(abs(e.estimate - 0.5) < 0.25 for e in blind)


def test_marks_that_are_all_alike_leave_the_claim_open():
    claim = CLAIMS["pad.classifier.exact"]
    none = _replaced(_results(claim.name), **{"label rule": lambda v: 0 * v["label rule"]})
    assert claim.finding.decide(claim.finding.estimate(none)) == "inconclusive"


def test_a_rule_that_gains_is_supported_and_the_loss_is_that_of_the_chosen_threshold():
    """PAD judged against the replacement never loses; a loss of two points at the chosen σ alone is unsupported."""
    claim = CLAIMS["pad.tradeoff"]
    place = int(_results(claim.name)[0].values["sigma"][0])

    def with_loss(lost: float) -> list[Result]:
        def utility(v: Any) -> Any:
            made = np.repeat(v["sd utility"][:, None], len(SIGMAS), axis=1)
            made[:, place] -= lost
            return made

        return _replaced(
            _results(claim.name),
            utility=utility,
            sigma=lambda v: np.full(len(v["sigma"]), place),
            speed=lambda v: v["sd speed"][:, None] + 0.1 + 0 * v["speed"],
        )

    assert claim.finding.decide(claim.finding.estimate(with_loss(0.0))) == "supported"
    assert claim.finding.decide(claim.finding.estimate(with_loss(0.02))) == "unsupported"
    slow = _replaced(with_loss(0.0), speed=lambda v: v["sd speed"][:, None] + 0 * v["speed"])
    assert claim.finding.decide(claim.finding.estimate(slow)) == "unsupported"


def test_random_flags_in_place_of_the_classifier_s_are_not_better_than_themselves():
    claim = CLAIMS["pad.tradeoff-controls"]
    same = _replaced(_results(claim.name), utility=lambda v: np.repeat(v["random utility"][:, None], len(SIGMAS), 1))
    assert claim.finding.decide(claim.finding.estimate(same)) == "unsupported"
    above = _replaced(_results(claim.name), utility=lambda v: v["random utility"][:, None] + np.full(len(SIGMAS), 0.1))
    assert claim.finding.decide(claim.finding.estimate(above)) == "supported"


@pytest.mark.parametrize("name", PIPELINE)
def test_only_answers_decide(name):
    other = [Result({**r.cell, "family": "needle"}, r.values) for r in _results(name)]
    evidence = CLAIMS[name].finding.estimate([*_results(name), *other])
    alone = [e for e in CLAIMS[name].finding.estimate(_results(name)) if judge(e) is not None]
    deciding = [e for e in evidence if judge(e) is not None]
    assert deciding == alone and sum(e.data.startswith("beside: needle") for e in evidence) >= len(alone)


def test_efforts_decide_on_more_problems():
    studies = {effort: _pipeline(FakeData(effort=effort)) for effort in ("quick", "default", "deep")}
    assert [len(studies[e].grid) for e in ("quick", "default", "deep")] == [2, 6, 14]
    assert studies["quick"].rows < studies["default"].rows < studies["deep"].rows
