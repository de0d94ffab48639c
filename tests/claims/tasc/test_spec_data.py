"""Claims about n-gram drafters on artificial results, and the judge's scores."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from simspec.claims.authoring import law
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import judge
from simspec.claims.tasc.beats_ngrammys import NAMES
from simspec.claims.tasc.drafts import decides
from simspec.claims.tasc.judge_scores import PRINTED, N, Scores, study_of
from simspec.engine.row_values import gather
from simspec.engine.study import Result
from simspec.studies.tasc.ngram_drafts import MIXES
from tests.claims.cases import get


@pytest.mark.parametrize("name", ["mixture", "position-decay", "beats-ngrammys", "beats-ngrammys-corrected"])
def test_agreement_with_a_text_is_said_to_be_no_model_s_run(name):
    assert "agreement with a text and not a model's run" in get(f"tasc.{name}").finding.criterion


# --- artificial results -----------------------------------------------------------------------------------------------


def _made(calls: dict[str, float], tuned: dict[float, float] | None = None, **more: Any) -> Result:
    """Forty texts of 60 tokens; a drafter's calls vary a little from text to text, the same way for all."""
    wave = 1 + 0.05 * np.sin(np.arange(40))
    base = {f"mix {mix:g}": 30.0 for mix in MIXES} | dict.fromkeys(NAMES, 30.0)
    values = {f"{name} calls": n * wave for name, n in (base | calls).items()}
    values |= {"tokens": np.full(40, 60.0), "tuned": np.tile([(tuned or {}).get(mix, 1.0) for mix in MIXES], (40, 1))}
    cell = {"corpus": "made", "source": "made", "model": "no model", "verify": "greedy", "gamma": 8}
    return Result(cell, values | more)


def _beside(result: Result, **changes: Any) -> Result:
    """The same of a cell that stands beside."""
    cell = {name: value for name, value in (result.cell | changes).items() if value is not None}
    return Result(cell, result.values)


def _verdict(name: str, *results: Result) -> str:
    finding = get(f"tasc.{name}").finding
    return finding.decide(finding.estimate(results))


def test_mixture_needs_each_weight_and_the_peak():
    good = {"mix 0": 40.0, "mix 1": 35.0, "mix 0.5": 22.0, "mix 0.6": 21.0, "mix 0.75": 20.0, "mix 0.9": 25.0}
    tuned = {0.75: 3.0, 0.9: 2.4, 0.5: 2.7}
    assert _verdict("mixture", _made(good, tuned)) == "supported"
    assert _verdict("mixture", _made(good | {"mix 0.5": 36.0}, tuned)) == "unsupported"  # below the corpus alone
    assert _verdict("mixture", _made(good | {"mix 0.9": 19.0}, tuned)) == "unsupported"  # the peak is beyond 0.75


def test_beating_one_n_grammys_is_not_enough():
    good = {"mixed": 20.0, "corpus n-grammys": 40.0, "mixed n-grammys": 30.0}
    assert _verdict("beats-ngrammys", _made(good)) == "supported"
    assert _verdict("beats-ngrammys", _made(good | {"mixed n-grammys": 19.0})) == "unsupported"
    rare = good | {"mixed all": 20.0}
    assert _verdict("beats-ngrammys-corrected", _made(rare | {"mixed n=2": 25.0})) == "supported"
    assert _verdict("beats-ngrammys-corrected", _made(rare | {"mixed n=2": 19.0})) == "unsupported"


def _by_position(rates: list[float]) -> dict[str, Any]:
    """Forty texts with 1,000 calls each, accepted by position at these rates."""
    reached, accepted = [], []
    alive = 1000.0
    for rate in rates:
        reached.append(alive)
        alive *= rate
        accepted.append(alive)
    made = {"offered": [1000.0] * len(rates), "reached": reached, "accepted": accepted}
    return {f"{who} {what}": np.tile(x, (40, 1)) for what, x in made.items() for who in ("mixed", "corpus")}


def test_decay_looks_at_acceptance_given_all_before():
    assert _verdict("position-decay", _made({}, **_by_position([0.8, 0.7, 0.6, 0.5]))) == "supported"
    assert _verdict("position-decay", _made({}, **_by_position([0.5, 0.6, 0.7, 0.8]))) == "unsupported"
    assert _verdict("position-decay", _made({}, **_by_position([0.8, 0.5, 0.6, 0.6]))) == "unsupported"
    assert _verdict("position-decay", _made({}, **_by_position([0.8, 0.01, 0.0, 0.0]))) == "supported"


def test_too_few_drafts_decide_nothing():
    few = {name: array[:2] / 2000 for name, array in _by_position([0.8, 0.7, 0.6, 0.5]).items()}
    result = _made({}, **few)
    result = Result(result.cell, {name: array[:2] for name, array in result.values.items()})
    assert _verdict("position-decay", result) == "inconclusive"


@pytest.mark.parametrize("changes", [{"verify": "drawn"}, {"verify": "reference", "model": None}])
def test_only_what_a_model_wrote_greedily_decides(changes):
    """Of what it drew, and of texts that no model wrote, nothing moves a verdict, however clear it is."""
    good = _made({"mixed": 20.0, "corpus n-grammys": 40.0, "mixed n-grammys": 30.0})
    bad = _beside(_made({"mixed": 40.0, "corpus n-grammys": 20.0, "mixed n-grammys": 30.0}), **changes)
    assert _verdict("beats-ngrammys", good, bad) == "supported"
    assert _verdict("beats-ngrammys", bad) == "inconclusive"
    evidence = get("tasc.beats-ngrammys").finding.estimate([good, bad])
    assert {e.data.startswith("beside: ") for e in evidence[4:]} == {True}
    assert evidence[0].model == "no model" and judge(evidence[0]) == "supported"


def test_three_tasks_of_one_model_decide():
    study = get("tasc.mixture").finding.study(Data())
    deciding = [cell for cell in study.grid if decides(Result(cell, {}))]
    assert [cell["corpus"] for cell in deciding] == ["intents", "questions", "reading"]
    assert {cell["model"] for cell in deciding} == {"SmolLM2-135M-Instruct"}
    assert min(cell["rows"] for cell in deciding) >= 50  # as many as Table 3 has


# --- survival ---------------------------------------------------------------------------------------------------------

SURVIVAL = get("tasc.position-decay-corrected")


def test_survival_by_hand():
    """Half of the calls accept always, half never: 1, 1/2, 1/2, 1/2; given all before: 1/2, then 1."""
    instance = {"share": law("1/2", "1/2"), "p": np.stack([law(1, 0)] * 2), "q": np.stack([law(1, 0), law(0, 1)])}
    left, right = SURVIVAL.sides(instance)
    assert left.tolist() == [F(1, 2), F(1, 4)] and right.tolist() == [F(1, 4), F(1, 4)]


# --- judge scores -----------------------------------------------------------------------------------------------------


def test_the_printed_table_decides():
    assert _verdict("judge-scores", *gather(study_of(PRINTED))) == "unsupported"
    assert _verdict("judge-scores-corrected", *gather(study_of(PRINTED))) == "supported"


@pytest.mark.parametrize(
    ("mean", "number", "negligible", "lost"),
    [(3.52, 50_000, "supported", "unsupported"), (3.48, N, "inconclusive", "inconclusive"),
     (3.63, 50_000, "inconclusive", "unsupported"), (3.80, 50_000, "unsupported", "unsupported")],
)  # fmt: skip
def test_other_tables_decide_otherwise(mean, number, negligible, lost):
    """A loss of 0.01 on many outputs is negligible, one of 0.05 on few is not known to be, a gain of 0.27 is no loss."""
    results = gather(study_of({0: Scores(3.53, 0.73, number), 500: Scores(mean, 0.77, number)}))
    assert _verdict("judge-scores", *results) == negligible
    assert _verdict("judge-scores-corrected", *results) == lost
