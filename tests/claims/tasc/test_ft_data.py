"""The empirical claims of TASC-ft: evidence from a quick run, decisions on artificial evidence, negative controls."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from simspec.claims.claim import Evidence
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import judge
from simspec.claims.measured import LEVEL
from simspec.claims.tasc.enrichment import FEW, MANY, NAMES, tasks_of
from simspec.engine.study import Result, run
from tests.claims.cases import claims_of
from tests.claims.evidence_cases import shifted

CLAIMS: dict[str, Any] = {
    claim.name: claim
    for claim in claims_of(
        "tasc.entropy-rises",
        "tasc.uid",
        "tasc.length-reduction",
        "tasc.diminishing",
        "tasc.renyi-predicts",
        "tasc.two-regimes",
    )
}
IDS = "entropy-rises uid uid-corrected length-reduction diminishing renyi-predicts two-regimes".split()
DECIDING = {
    "entropy-rises": 8,
    "uid": 4,
    "uid-corrected": 4,
    "length-reduction": 4,
    "diminishing": 2,
    "renyi-predicts": 4,
    "two-regimes": 2,
}
LIMITS = {
    "entropy-rises": {("must exceed", 0.0)},
    "uid": {("must stay below", 0.0)},
    "uid-corrected": {("must stay below", 0.0)},
    "length-reduction": {("must exceed", 2.0)},
    "diminishing": {("must stay below", 0.5)},
    "renyi-predicts": {("must stay below", -0.9), ("must exceed", 0.92)},
    "two-regimes": {("must exceed", 1.0)},
}
DATA = Data(effort="quick")


@lru_cache
def _results(name: str) -> list[Result]:
    return run(CLAIMS[f"tasc.{name}"].finding.study(DATA))


def _evidence(name: str, results: list[Result] | None = None) -> list[Evidence]:
    return CLAIMS[f"tasc.{name}"].finding.estimate(_results(name) if results is None else results)


def _verdict(name: str, results: list[Result] | None = None) -> str:
    return CLAIMS[f"tasc.{name}"].finding.decide(_evidence(name, results))


def _replaced(name: str, **values: Any) -> list[Result]:
    """Results in which some values are computed anew from all of them."""
    return [Result(r.cell, {**r.values, **{k: f(r.values) for k, f in values.items()}}) for r in _results(name)]


def test_every_claim_has_its_criterion_in_words():
    assert list(CLAIMS) == [f"tasc.{name}" for name in IDS]
    for claim in CLAIMS.values():
        assert claim.kind == "empirical" and claim.lhs is None and claim.sources == () and claim.note
        assert "upported" in claim.finding.criterion and "nsupported" in claim.finding.criterion
        assert all(name in CLAIMS for name in claim.corrected_by)


@pytest.mark.parametrize("name", IDS)
def test_evidence_names_data_model_and_n(name):
    evidence = _evidence(name)
    deciding = [e for e in evidence if judge(e) is not None]
    assert len(deciding) == DECIDING[name]
    for e in evidence:
        assert "standard library of Python" in e.data and "BPE of 2,000" in e.model and e.n >= 4
        assert np.isfinite(e.estimate) and all(np.isfinite(x) for x in (e.control or {}).values())
    for e in deciding:
        assert e.interval[0] - 1e-12 <= e.estimate <= e.interval[1] + 1e-12
        assert e.level == pytest.approx(1 - (1 - LEVEL) / len(deciding))
    assert {(k, v) for e in deciding for k, v in e.control.items() if k.startswith("must")} == LIMITS[name]
    claim = CLAIMS[f"tasc.{name}"]
    if claim.finding.plot is not None:
        plot = claim.finding.plot(_results(name))
        assert set(plot) == {"title", "x_label", "y_label", "x_log", "series"}
        assert all(len(line["x"]) == len(line["y"]) > 1 for line in plot["series"])


@pytest.mark.parametrize("name", IDS)
def test_decisions_on_artificial_evidence(name):
    decide, evidence = CLAIMS[f"tasc.{name}"].finding.decide, _evidence(name)
    assert decide(shifted(evidence, 1)) == "supported"
    assert decide(shifted(evidence, -1)) == "unsupported"
    assert decide(shifted(evidence, 0)) == "inconclusive"
    first = next(i for i, e in enumerate(evidence) if judge(e) is not None)
    good = shifted(evidence, 1)
    assert decide([*good[:first], shifted(evidence, -1)[first], *good[first + 1 :]]) == "unsupported"


def test_both_tasks_share_a_base_that_knows_every_tag():
    tagging, docstrings = tasks_of(DATA)
    assert tagging.tokenizer is docstrings.tokenizer and tagging.vocab == 2000
    words = [len(text.split()) for text in tagging.outputs]
    assert sum(map(len, tagging.held)) <= 1.02 * sum(words)  # one token a word, but at the start of a text


def test_verdicts_of_a_quick_run_that_do_not_depend_on_the_version():
    """Margins are wide: factors of 4 against 2, shares of 0.1 and 0.3 against 0.5, a fall of the variation by a third."""
    assert _verdict("length-reduction") == _verdict("diminishing") == _verdict("uid-corrected") == "supported"


def test_the_variance_of_a_model_with_context_rises_where_that_of_one_without_falls():
    found = {e.data.split(": ", e.data.startswith("beside") + 1)[-1]: e.estimate for e in _evidence("uid")}
    what = f"{NAMES[0]}: change of the variance of surprisal within a text, bits², by {FEW} tokens"
    assert found[f"{what}, 1-gram model"] < 0 < found[f"{what}, 2-gram model"]


# --- negative controls: the same results, turned around ---------------------------------------------------------------


def _backwards(name: str) -> Any:
    return lambda values: values[name][:, ::-1]


def test_entropy_that_falls_is_unsupported():
    names = ("normalised merge", "flatness merge")
    assert _verdict("entropy-rises") == "supported"
    assert _verdict("entropy-rises", _replaced("entropy-rises", **{n: _backwards(n) for n in names})) == "unsupported"
    only_beside = {n: _backwards(n) for n in ("normalised added", "flatness added")}
    assert _verdict("entropy-rises", _replaced("entropy-rises", **only_beside)) == "supported"


def test_variation_that_rises_is_unsupported():
    turned = _replaced("uid-corrected", **{"variation 2": _backwards("variation 2")})
    assert _verdict("uid-corrected", turned) == "unsupported"


@pytest.mark.parametrize("name", ["tokens merge", "shown tokens added", "bytes per token merge"])
def test_no_shortening_in_one_measure_is_unsupported(name):
    same = _replaced("length-reduction", **{name: lambda v: np.ones_like(v[name])})
    assert _verdict("length-reduction", same) == "unsupported"


def test_gains_that_do_not_diminish_are_unsupported():
    steady = _replaced(
        "diminishing", **{"tokens merge": lambda v: 100 - np.arange(v["tokens merge"].shape[1]) + 0 * v["tokens merge"]}
    )
    assert _verdict("diminishing", steady) == "unsupported"
    share = next(e for e in _evidence("diminishing", steady) if judge(e) is not None)
    assert share.estimate == pytest.approx(1)


def test_a_predictor_that_stays_or_turns_is_unsupported():
    entropy = "train renyi"
    constant = _replaced("renyi-predicts", **{entropy: lambda v: np.ones_like(v[entropy])})
    assert _verdict("renyi-predicts", constant) == "unsupported"
    assert _verdict("renyi-predicts", _replaced("renyi-predicts", **{entropy: _backwards(entropy)})) == "unsupported"


def test_the_budget_alone_predicts_perfectly():
    """The obvious control: a merge that finds an occurrence shortens the outputs, whatever H2 does."""
    evidence = _evidence("renyi-predicts")
    assert {e.control["the budget M alone"] for e in evidence if "Kendall" in e.data} == {-1.0}
    assert [e.control["the budget M alone"] for e in evidence if "direction" in e.data] == [1.0]
    raised = [e for e in evidence if "of those that raise H2" in e.data]
    assert [(e.estimate, e.control["shorter after any step at all"]) for e in raised] == [(1.0, 1.0)]


def test_directions_are_counted_step_by_step():
    """Two settings of three steps: H2 up, down, level; lengths always fall: one step in three is told rightly."""
    base = _results("renyi-predicts")[0]
    cell = {**base.cell, "budgets": [0, 1, 2, 3]}
    values = {
        "train renyi": np.tile([1.0, 3.0, 2.0, 2.0], (5, 1)),
        "train shannon": np.tile([1.0, 2.0, 3.0, 4.0], (5, 1)),
        "tokens merge": np.tile([9.0, 8.0, 7.0, 6.0], (5, 1)),
        "pairs": np.full(5, 7.0),
    }
    evidence = _evidence("renyi-predicts", [Result(cell, values)] * 2)
    every, raised = evidence[-2:]
    assert (every.n, every.estimate, every.control["Shannon entropy H"]) == (6, pytest.approx(1 / 3), 1.0)
    assert (raised.n, raised.estimate) == (2, 1.0)
    assert evidence[0].estimate == pytest.approx(-1 / 30**0.5)  # 5 pairs differ in both, 6 in length: (2 - 3)/√(5·6)


def test_regimes_are_told_apart_by_variability():
    results = _results("two-regimes")
    first = _evidence("two-regimes")
    assert f"{NAMES[0]} / {NAMES[1]}" in first[0].data and NAMES[1] in first[1].data
    assert judge(first[0]) == "supported" and first[0].estimate > 2
    swapped = [
        Result(r.cell, {**r.values, "variability": s.values["variability"]})
        for r, s in zip(results, results[::-1], strict=True)
    ]
    assert judge(_evidence("two-regimes", swapped)[0]) == "unsupported"
    assert _evidence("two-regimes", results[::-1])[0].data == first[0].data


def test_regimes_are_decided_on_all_held_out_pairs():
    """The second ratio is close to 1: few pairs cannot tell it from a tie, and each row counts its own pairs."""
    for effort in ("default", "deep"):
        data = Data(effort=effort)
        study = CLAIMS["tasc.two-regimes"].finding.study(data)
        for cell, task in zip(study.grid, tasks_of(data), strict=True):
            assert cell["texts"] >= len(task.held) > 400
    unequal = [
        Result(r.cell, {**r.values, "texts": r.values["texts"] + i}) for i, r in enumerate(_results("two-regimes"))
    ]
    low, high = (int(r.values["texts"][0]) for r in unequal)
    assert [e.n for e in _evidence("two-regimes", unequal)] == [low + high, high, low]


def test_a_budget_of_the_claims_is_in_every_design():
    for effort in ("quick", "default", "deep"):
        study = CLAIMS["tasc.entropy-rises"].finding.study(Data(effort=effort))
        for cell in study.grid:
            assert {0, FEW, MANY} <= set(cell["budgets"]) and cell["shown"] in ([], [0, FEW, MANY])
        assert {c["task"] for c in study.grid if c["shown"]} == set(NAMES)
