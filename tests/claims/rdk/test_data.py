"""The empirical claims of RDK: evidence from a small bank, decisions on artificial evidence, one look at the shipped bank."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspec.claims import stated
from simspec.claims.claim import Evidence
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import judge
from simspec.claims.rdk import affinity_sparsity, logits, pruning, rank_one, real, token_counts
from simspec.claims.rdk.pruning import _extreme
from simspec.engine.estimates.intervals import Interval
from simspec.engine.study import Result, run
from simspec.studies.rdk.pruning import synthetic_pruning
from tests.claims.evidence_cases import shifted
from tests.engine.fakes import FakeBank

CLAIMS: dict[str, Any] = {
    claim.name: claim
    for module in (affinity_sparsity, rank_one, token_counts, logits, pruning, real)
    for claim in stated(module)
}
IDS = (
    "affinity-sparsity rank-one plateau-flat plateau-wins real-pruning real-controls seventy-five long-tail "
    "frequent-quarter logit-statistics student-t-logits probability-fit"
).split()
VERDICTS = {"supported", "unsupported", "inconclusive"}


class FakeData(Data):
    """A run on small banks in memory."""

    main = FakeBank(vocab=300, contexts=30)  # type: ignore[assignment]
    stories = FakeBank(vocab=80, contexts=12)  # type: ignore[assignment]


DATA = FakeData(effort="quick")


@pytest.fixture(scope="module")
def synthetic() -> list[Result]:
    return run(synthetic_pruning(2000, logits=((10, 1), (30, 1)), rows=4, tuning=2))


def _results(claim: Any, synthetic: list[Result]) -> list[Result]:
    return synthetic if claim.name.startswith("rdk.plateau") else run(claim.finding.study(DATA))


def test_every_empirical_claim_has_its_criterion_in_words():
    assert sorted(CLAIMS) == sorted(f"rdk.{name}" for name in IDS)
    for claim in CLAIMS.values():
        assert claim.kind == "empirical" and claim.lhs is None and claim.sources == ()
        assert "upported" in claim.finding.criterion and "nsupported" in claim.finding.criterion


@pytest.mark.parametrize("name", IDS)
def test_evidence_names_data_model_and_n(name, synthetic):
    claim = CLAIMS[f"rdk.{name}"]
    results = _results(claim, synthetic)
    evidence = claim.finding.estimate(results)
    assert any(judge(e) is not None for e in evidence)
    assert claim.finding.decide(evidence) in VERDICTS
    for e in evidence:
        assert e.data and e.model and e.n >= 2 and np.isfinite(e.estimate)
        if e.interval is not None:
            assert e.interval[0] - 1e-12 <= e.estimate <= e.interval[1] + 1e-12 and 0.9 < e.level < 1
        if judge(e) is not None:
            assert not e.data.startswith("beside")
    if claim.finding.plot is not None:
        plot = claim.finding.plot(results)
        assert set(plot) == {"title", "x_label", "y_label", "x_log", "series"}
        for line in plot["series"]:
            assert len(line["x"]) == len(line["y"]) > 0
            assert not plot["x_log"] or min(line["x"]) > 0


LIMITS = {
    "must exceed": {
        "affinity-sparsity": {0.9},
        "rank-one": {0.5, 0.9},
        "plateau-wins": {0.0},
        "real-pruning": {0.0},
        "real-controls": {0.0},
        "logit-statistics": {0.5},
        "student-t-logits": {0.5},
        "probability-fit": {0.9},
    },
    "must stay below": {"plateau-flat": {0.1}, "seventy-five": {0.5}, "long-tail": {0.25}, "frequent-quarter": {0.05}},
}


@pytest.mark.parametrize("name", IDS)
def test_limits_are_those_of_the_statement(name, synthetic):
    claim = CLAIMS[f"rdk.{name}"]
    deciding = [e for e in claim.finding.estimate(_results(claim, synthetic)) if judge(e) is not None]
    for side, claims in LIMITS.items():
        assert {e.control[side] for e in deciding if side in e.control} == claims.get(name, set())


def _shifted(evidence: list[Evidence], by: float) -> list[Evidence]:
    """`shifted`, with the other reading of a ranking moved along."""
    twin = "ranked by its own counts"
    moved = shifted(evidence, by)
    return [
        e._replace(control={**e.control, twin: e.estimate}) if e.control and twin in e.control else e for e in moved
    ]


@pytest.mark.parametrize("name", IDS)
def test_decisions_on_artificial_evidence(name, synthetic):
    claim = CLAIMS[f"rdk.{name}"]
    evidence = claim.finding.estimate(_results(claim, synthetic))
    assert claim.finding.decide(_shifted(evidence, 1)) == "supported"
    assert claim.finding.decide(_shifted(evidence, -1)) == "unsupported"
    assert claim.finding.decide(_shifted(evidence, 0)) == "inconclusive"


@pytest.mark.parametrize("name", ["long-tail", "frequent-quarter"])
def test_a_tail_that_only_the_noisy_ranking_lengthens_is_inconclusive(name):
    claim = CLAIMS[f"rdk.{name}"]
    evidence = _shifted(claim.finding.estimate(run(claim.finding.study(DATA))), -1)
    control = dict(evidence[0].control or {})
    limit = control["must stay below"]
    doubtful = evidence[0]._replace(control={**control, "ranked by its own counts": limit - 0.001})
    assert claim.finding.decide([doubtful, *evidence[1:]]) == "inconclusive"


def test_only_the_pruned_target_decides(synthetic):
    correlated = [Result({**r.cell, "rho": 0.9}, r.values) for r in synthetic]
    for claim in (CLAIMS["rdk.plateau-flat"], CLAIMS["rdk.plateau-wins"]):
        evidence = claim.finding.estimate(correlated)
        assert evidence and all(judge(e) is None for e in evidence)
        assert claim.finding.decide(evidence) == "inconclusive"
        assert any(judge(e) is not None for e in claim.finding.estimate([*correlated, *synthetic]))


def test_interval_of_an_extreme_encloses_that_of_each():
    intervals = [Interval(0.5, 0.3, 0.7, 0.95), Interval(0.4, 0.1, 0.9, 0.95)]
    assert _extreme(intervals, largest=False) == (Interval(0.4, 0.1, 0.7, 0.95), 1)
    assert _extreme(intervals, largest=True) == (Interval(0.5, 0.3, 0.9, 0.95), 0)


def test_pruning_a_quarter_on_the_shipped_bank():
    """Half a second on real logits: by frequency little is lost, by rarity nearly everything."""
    claim, data = CLAIMS["rdk.seventy-five"], Data(effort="quick")
    study = claim.finding.study(data)
    results = run(replace(study, grid=tuple(cell for cell in study.grid if not cell["rdk"])))
    ratio = {e.data.split(": ")[-1]: e.estimate for e in claim.finding.estimate(results)}
    kept, lost = (next(v for k, v in ratio.items() if f"by {order}, tli" in k) for order in ("frequency", "worst"))
    assert kept > 0.5 > lost
    assert claim.finding.decide(claim.finding.estimate(results)) == "unsupported"
