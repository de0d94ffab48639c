"""The empirical claims of EARS: what decides, negative controls, the printed counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspec.claims.deciding.evidence import judge
from simspec.claims.ears.throughput import ALL_TEMPERATURES, PAPERS_TEMPERATURE, _estimate
from simspec.engine.estimates.intervals import documents
from simspec.engine.row_values import gather
from simspec.engine.study import Result
from simspec.methods.block import mean_acceptance_length
from tests.claims.cases import claims_of, get
from tests.claims.evidence_cases import SMALL, results
from tests.claims.test_findings import VERDICTS


def test_the_target_s_bank_decides_and_controls_stand_beside():
    for name in ("throughput", "calibration", "reasoning.families"):
        evidence = get(f"ears.{name}").finding.estimate(results(f"ears.{name}"))
        deciding = [e for e in evidence if judge(e) is not None]
        assert all("fake target" in e.data for e in deciding) == (name != "reasoning.families")
        assert len(evidence) > len(deciding)


def test_two_temperatures_by_hand():
    """Acceptance 0.5 to 0.75 with one draft, then unchanged: the mean of 1.75/1.5 and 1."""
    rows = {"sd": np.full(4, 0.5), "ears": np.full(4, 0.75), "document": np.arange(4)}
    cells = [Result({}, rows), Result({}, {**rows, "ears": rows["sd"]})]
    assert _estimate(cells, "ears", 1) == pytest.approx((1.75 / 1.5 + 1) / 2)


def test_a_difference_on_either_side_is_one_and_none_is_never_shown():
    claim = get("ears.gsm8k-drop.differs")
    (evidence,) = claim.finding.estimate(results(claim.name))
    decide = claim.finding.decide
    assert decide([evidence]) == "inconclusive"
    assert decide([evidence._replace(interval=(0.001, 0.02))]) == "supported"
    assert decide([evidence._replace(interval=(-0.02, -0.001))]) == "supported"
    assert decide([evidence._replace(interval=(-1e-9, 1e-9))]) == "inconclusive"
    assert decide([]) == "inconclusive"


def test_the_printed_accuracies_show_neither():
    differs, negligible = (
        get(f"ears.gsm8k-drop.{name}").finding.estimate(results(f"ears.gsm8k-drop.{name}"))
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
        claim = get(f"ears.gsm8k-drop.{name}")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("simspec.claims.ears.gsm8k_drop.PROBLEMS", 131900)
            assert claim.finding.decide(claim.finding.estimate(many)) == "supported"


def test_throughput_is_decided_at_the_papers_temperature():
    """The deciding number again, from the rows; the others and their average stand beside, and at 0 nothing is gained."""
    cells = [r for r in results("ears.throughput") if r.cell.get("bank") == "main" and not r.cell["curves"]]
    assert [c.cell["temperature"] for c in cells] == list(ALL_TEMPERATURES)
    ratios = {
        c.cell["temperature"]: mean_acceptance_length(c.values["ears"].mean(), 5)
        / mean_acceptance_length(c.values["sd"].mean(), 5)
        for c in cells
    }
    evidence = get("ears.throughput").finding.estimate(results("ears.throughput"))
    first = evidence[:7]
    assert [judge(e) is not None for e in first] == [True] + [False] * 6
    assert evidence[0].estimate == pytest.approx(ratios[PAPERS_TEMPERATURE]) and ratios[0] == 1
    assert first[-1].estimate == pytest.approx(np.mean([*ratios.values()])) and "average" in first[-1].data
    one = documents(cells[-1].values["ears"] - cells[-1].values["sd"], cells[-1].values["document"])
    assert one.low > 0
    for e in first[:-1]:
        assert e.control["EARS: acceptance gained"] == pytest.approx(e.control["EARS: total variation paid"], abs=1e-6)
        for rule in ("lenience", "mixture"):
            assert e.control[f"{rule} at that total variation"] == pytest.approx(e.estimate, abs=1e-4)


def test_without_a_tolerance_nothing_is_supported():
    """Negative control: speculative decoding in the place of EARS has the ratio 1, and the claim fails."""
    claim = get("ears.throughput")
    rows = [replace_values(r, ears=r.values["sd"]) for r in results(claim.name) if not r.cell["curves"]]
    evidence = claim.finding.estimate(rows)
    assert evidence[0].estimate == 1 and claim.finding.decide(evidence) == "unsupported"


def test_a_signal_that_ranks_nothing_fails():
    claim = get("ears.calibration")
    shuffled = [replace_values(r, **{"one minus max": r.values["shuffled"]}) for r in results("ears.calibration")]
    itself = [replace_values(r, **{"one minus max": r.values["entropy"]}) for r in results("ears.calibration")]
    assert claim.finding.decide(claim.finding.estimate(shuffled)) == "unsupported"
    assert claim.finding.decide(claim.finding.estimate(itself)) == "supported"


def test_speculative_decoding_loses_no_utility():
    claim = get("ears.reasoning.families")
    lossless = [replace_values(r, **{"ears 0.1": r.values["sd"]}) for r in results("ears.reasoning.families")]
    assert claim.finding.decide(claim.finding.estimate(lossless)) == "supported"
    assert claim.finding.decide(claim.finding.estimate(results("ears.reasoning.families"))) == "unsupported"


def replace_values(result: Result, **values: Any) -> Result:
    return Result(result.cell, {**result.values, **values})


def test_a_quick_run_still_decides():
    for claim in claims_of("ears.throughput", "ears.calibration", "ears.reasoning.families", "ears.gsm8k-drop"):
        found = gather(claim.finding.study(replace(SMALL["ears"], effort="quick")))
        evidence = claim.finding.estimate(found)
        assert claim.finding.decide(evidence) in VERDICTS and not any("80" in str(e.model) for e in evidence)
        if claim.finding.plot is not None:
            assert claim.finding.plot(found)["series"]


def test_a_user_bank_stands_alone_with_its_own_texts():
    alone = replace(SMALL["ears"], path="own")
    study = get("ears.calibration").finding.study(alone)
    assert {c.get("bank") for c in study.grid} == {"main", "texts", None}
