"""The empirical claims of EARS: evidence from small banks, decisions on artificial evidence, the printed counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import judge
from simspec.claims.ears.throughput import _estimate
from simspec.engine.estimates.intervals import documents
from simspec.engine.study import Result, run
from simspec.methods.block import block_length
from simspec.studies.ears.real import TEMPERATURES
from tests.claims.cases import claims_of
from tests.claims.evidence_cases import shifted
from tests.engine.fakes import FakeBank

CLAIMS: dict[str, Any] = {
    claim.name: claim for claim in claims_of("ears.throughput", "ears.calibration", "ears.reasoning", "ears.gsm8k-drop")
}
IDS = ("throughput", "calibration", "reasoning", "gsm8k-drop.differs", "gsm8k-drop.negligible")
MEASURED = IDS[:3]
VERDICTS = {"supported", "unsupported", "inconclusive"}


class FakeData(Data):
    """A run on small banks in memory."""

    main = FakeBank(vocab=300, contexts=45)  # type: ignore[assignment]
    stories = FakeBank(vocab=80, contexts=30)  # type: ignore[assignment]


DATA = FakeData()


@pytest.fixture(scope="module")
def results() -> dict[str, list[Result]]:
    return {name: run(CLAIMS[f"ears.{name}"].finding.study(DATA)) for name in IDS}


def test_two_temperatures_by_hand():
    """Acceptance 0.5 to 0.75 with one draft, then unchanged: the mean of 1.75/1.5 and 1."""
    rows = {"sd": np.full(4, 0.5), "ears": np.full(4, 0.75), "document": np.arange(4)}
    cells = [Result({}, rows), Result({}, {**rows, "ears": rows["sd"]})]
    assert _estimate(cells, "ears", 1) == pytest.approx((1.75 / 1.5 + 1) / 2)


def test_every_claim_has_its_criterion_in_words():
    assert sorted(CLAIMS) == sorted(f"ears.{name}" for name in IDS)
    assert all(
        claim in claims_of("ears.throughput", "ears.calibration", "ears.reasoning", "ears.gsm8k-drop")
        for claim in claims_of("ears.reasoning", "ears.gsm8k-drop")
    )
    for claim in CLAIMS.values():
        assert claim.kind == "empirical" and claim.lhs is None and claim.sources == ()
        assert "upported" in claim.finding.criterion and "nsupported" in claim.finding.criterion


@pytest.mark.parametrize("name", IDS)
def test_evidence_names_data_model_and_n(name, results):
    claim = CLAIMS[f"ears.{name}"]
    evidence = claim.finding.estimate(results[name])
    assert claim.finding.decide(evidence) in VERDICTS
    assert any(not e.data.startswith("beside") for e in evidence)
    for e in evidence:
        assert e.data and e.model and e.n >= 2 and np.isfinite(e.estimate)
        assert e.interval is not None and 0.9 <= e.level < 1
        assert e.interval[0] - 1e-12 <= e.estimate <= e.interval[1] + 1e-12
        if judge(e) is not None:
            assert not e.data.startswith("beside")
    if claim.finding.plot is not None:
        plot = claim.finding.plot(results[name])
        assert set(plot) == {"title", "x_label", "y_label", "x_log", "series"} and plot["series"]
        for line in plot["series"]:
            assert len(line["x"]) == len(line["y"]) > 0 and np.isfinite(line["y"]).all()


LIMITS = {
    "throughput": {("must exceed", 1.05)},
    "calibration": {("must exceed", 0.8)},
    "reasoning": {("must stay below", 0.01)},
    "gsm8k-drop.differs": {("must exclude", 0.0)},
    "gsm8k-drop.negligible": {("must stay below", 0.01), ("must exceed", -0.01)},
}
SIDES = ("must exceed", "must stay below", "must exclude")


@pytest.mark.parametrize("name", IDS)
def test_limits_are_those_of_the_statement(name, results):
    evidence = CLAIMS[f"ears.{name}"].finding.estimate(results[name])
    found = {(side, e.control[side]) for e in evidence for side in SIDES if side in (e.control or {})}
    assert found == LIMITS[name]


@pytest.mark.parametrize(
    ("name", "count", "level"), [("throughput", 2, 0.975), ("calibration", 1, 0.95), ("reasoning", 4, 0.9875)]
)
def test_who_decides_and_at_which_level(name, count, level, results):
    evidence = CLAIMS[f"ears.{name}"].finding.estimate(results[name])
    deciding = [e for e in evidence if judge(e) is not None]
    assert [e.level for e in deciding] == [level] * count
    assert all("fake target" in e.data for e in deciding) == (name != "reasoning")
    assert len(evidence) > count  # controls and other data stand beside


@pytest.mark.parametrize("name", [*MEASURED, "gsm8k-drop.negligible"])
def test_decisions_on_artificial_evidence(name, results):
    claim = CLAIMS[f"ears.{name}"]
    evidence = claim.finding.estimate(results[name])
    for by, verdict in ((1, "supported"), (-1, "unsupported"), (0, "inconclusive")):
        assert claim.finding.decide(shifted(evidence, by, step=0.008)) == verdict
        assert claim.finding.decide([e for e in evidence if e.data.startswith("beside")]) == "inconclusive"


def test_a_difference_on_either_side_is_one_and_none_is_never_shown():
    claim = CLAIMS["ears.gsm8k-drop.differs"]
    (evidence,) = claim.finding.estimate(run(claim.finding.study(DATA)))
    decide = claim.finding.decide
    assert decide([evidence]) == "inconclusive"
    assert decide([evidence._replace(interval=(0.001, 0.02))]) == "supported"
    assert decide([evidence._replace(interval=(-0.02, -0.001))]) == "supported"
    assert decide([evidence._replace(interval=(-1e-9, 1e-9))]) == "inconclusive"
    assert decide([]) == "inconclusive"


def test_the_printed_accuracies_show_neither(results):
    differs, negligible = (
        CLAIMS[f"ears.gsm8k-drop.{name}"].finding.estimate(results[f"gsm8k-drop.{name}"])
        for name in ("differs", "negligible")
    )
    assert differs[0].estimate == pytest.approx(11 / 1319) and differs[0].level == 0.95
    assert differs[0].control["most changed problems that a paired test would tell"] == 25
    assert [e.level for e in negligible] == [0.9, 0.9]
    assert negligible[0].interval[1] > 0.01 and negligible[1].interval[0] > -0.01


def test_more_problems_would_decide():
    """The counts of a test 100 times as large, in place of the printed ones: both claims would be supported."""
    many = [Result({}, {"target": np.array([127200.0]), "relaxed": np.array([126100.0])})]
    for name in ("differs", "negligible"):
        claim = CLAIMS[f"ears.gsm8k-drop.{name}"]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("simspec.claims.ears.gsm8k_drop.PROBLEMS", 131900)
            assert claim.finding.decide(claim.finding.estimate(many)) == "supported"


def test_throughput_is_the_average_over_temperatures(results):
    """The deciding number again, from the rows; at temperature 0 nothing is gained."""
    cells = [r for r in results["throughput"] if r.cell.get("bank") == "main" and not r.cell["curves"]]
    assert [c.cell["temperature"] for c in cells] == list(TEMPERATURES)
    ratios = [block_length(c.values["ears"].mean(), 5) / block_length(c.values["sd"].mean(), 5) for c in cells]
    evidence = CLAIMS["ears.throughput"].finding.estimate(results["throughput"])
    assert evidence[0].estimate == pytest.approx(np.mean(ratios)) and ratios[0] == 1
    one = documents(cells[-1].values["ears"] - cells[-1].values["sd"], cells[-1].values["document"])
    assert one.low > 0
    for e in evidence[1:6]:
        assert e.control["EARS: acceptance gained"] == pytest.approx(e.control["EARS: total variation paid"], abs=1e-6)
        for rule in ("lenience", "mixture"):
            assert e.control[f"{rule} at that total variation"] == pytest.approx(e.estimate, abs=1e-4)


def test_without_a_tolerance_nothing_is_supported():
    """Negative control: speculative decoding in the place of EARS has the ratio 1, and the claim fails."""
    claim = CLAIMS["ears.throughput"]
    rows = [replace_values(r, ears=r.values["sd"]) for r in run(claim.finding.study(DATA)) if not r.cell["curves"]]
    evidence = claim.finding.estimate(rows)
    assert evidence[0].estimate == 1 and claim.finding.decide(evidence) == "unsupported"


def test_a_signal_that_ranks_nothing_fails(results):
    claim = CLAIMS["ears.calibration"]
    shuffled = [replace_values(r, **{"one minus max": r.values["shuffled"]}) for r in results["calibration"]]
    itself = [replace_values(r, **{"one minus max": r.values["entropy"]}) for r in results["calibration"]]
    assert claim.finding.decide(claim.finding.estimate(shuffled)) == "unsupported"
    assert claim.finding.decide(claim.finding.estimate(itself)) == "supported"


def test_speculative_decoding_loses_no_utility(results):
    claim = CLAIMS["ears.reasoning"]
    lossless = [replace_values(r, **{"ears 0.1": r.values["sd"]}) for r in results["reasoning"]]
    assert claim.finding.decide(claim.finding.estimate(lossless)) == "supported"
    assert claim.finding.decide(claim.finding.estimate(results["reasoning"])) == "unsupported"


def replace_values(result: Result, **values: Any) -> Result:
    return Result(result.cell, {**result.values, **values})


def test_a_quick_run_still_decides():
    for name in IDS:
        claim = CLAIMS[f"ears.{name}"]
        found = run(claim.finding.study(FakeData(effort="quick")))
        evidence = claim.finding.estimate(found)
        assert claim.finding.decide(evidence) in VERDICTS and not any("80" in str(e.model) for e in evidence)
        if claim.finding.plot is not None:
            assert claim.finding.plot(found)["series"]


def test_a_user_bank_stands_alone():
    alone = replace(DATA, path="own")
    study = CLAIMS["ears.calibration"].finding.study(alone)
    assert {c.get("bank") for c in study.grid} == {"main", None}
