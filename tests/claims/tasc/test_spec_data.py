"""Claims about n-gram drafters: evidence of one quick look, decisions on artificial evidence, and the judge's scores."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from simspec.claims.claim import at_most
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.decide import decide
from simspec.claims.deciding.evidence import judge
from simspec.claims.deciding.search import try_claim
from simspec.claims.tasc.beats_ngrammys import NAMES
from simspec.claims.tasc.judge_scores import PRINTED, N, Scores, study_of
from simspec.claims.tasc.position_decay import _survival
from simspec.claims.words import law
from simspec.engine.study import Result, run
from simspec.studies.tasc.ngram_drafts import MIXES
from tests.claims.cases import claims_of
from tests.claims.evidence_cases import shifted

CLAIMS: dict[str, Any] = {
    claim.name: claim
    for claim in claims_of("tasc.mixture", "tasc.position-decay", "tasc.beats-ngrammys", "tasc.judge-scores")
}
SPEC = "mixture position-decay beats-ngrammys beats-ngrammys-corrected".split()
JUDGE = "judge-scores judge-scores-corrected".split()
DATA = Data(effort="quick")


def _claim(name: str) -> Any:
    return CLAIMS[f"tasc.{name}"]


def _results(name: str) -> list[Result]:
    return run(_claim(name).finding.study(DATA))


def test_every_empirical_claim_has_its_criterion_in_words():
    assert set(CLAIMS) == {f"tasc.{name}" for name in (*SPEC, *JUDGE, "position-decay-corrected")}
    for name in (*SPEC, *JUDGE):
        claim = _claim(name)
        assert claim.kind == "empirical" and claim.lhs is None and claim.sources == ()
        assert "upported" in claim.finding.criterion and "nsupported" in claim.finding.criterion
        assert set(claim.corrected_by) <= set(CLAIMS)
    for name in SPEC:
        assert "agreement with a text and not a model's run" in _claim(name).finding.criterion


@pytest.mark.parametrize("name", [*SPEC, *JUDGE])
def test_evidence_and_decisions(name):
    claim = _claim(name)
    evidence = claim.finding.estimate(_results(name))
    deciding = [e for e in evidence if judge(e) is not None]
    assert deciding and claim.finding.decide(evidence) in {"supported", "unsupported", "inconclusive"}
    for e in evidence:
        assert e.data and e.n >= 2 and np.isfinite(e.estimate)
        if e.interval is not None:
            assert e.interval[0] - 1e-12 <= e.estimate <= e.interval[1] + 1e-12 and 0.9 < e.level < 1
    assert claim.finding.decide(shifted(evidence, 1)) == "supported"
    assert claim.finding.decide(shifted(evidence, -1)) == "unsupported"
    assert claim.finding.decide(shifted(evidence, 0)) == "inconclusive"
    if claim.finding.plot is not None:
        for line in claim.finding.plot(_results(name))["series"]:
            assert len(line["x"]) == len(line["y"])


STATEMENTS = {
    "mixture": (2, 9),  # four weights against two ends, and the peak
    "position-decay": (2, 2),
    "beats-ngrammys": (2, 2),
    "beats-ngrammys-corrected": (2, 3),
}


@pytest.mark.parametrize("name", SPEC)
def test_levels_are_split_between_all_statements(name):
    cells, each = STATEMENTS[name]
    deciding = [e for e in _claim(name).finding.estimate(_results(name)) if judge(e) is not None]
    assert len(deciding) == cells * each
    assert {round(1 - e.level, 9) for e in deciding} == {round(0.05 / (cells * each), 9)}


# --- artificial results -----------------------------------------------------------------------------------------------


def _made(calls: dict[str, float], tuned: dict[float, float] | None = None, **more: Any) -> Result:
    """Forty texts of 60 tokens; a drafter's calls vary a little from text to text, the same way for all."""
    wave = 1 + 0.05 * np.sin(np.arange(40))
    base = {f"mix {mix:g}": 30.0 for mix in MIXES} | dict.fromkeys(NAMES, 30.0)
    values = {f"{name} calls": n * wave for name, n in (base | calls).items()}
    values |= {"tokens": np.full(40, 60.0), "tuned": np.tile([(tuned or {}).get(mix, 1.0) for mix in MIXES], (40, 1))}
    cell = {"corpus": "made", "source": "made", "verify": "reference", "gamma": 8}
    return Result(cell, values | more)


def _verdict(name: str, *results: Result) -> str:
    finding = _claim(name).finding
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


# --- survival ---------------------------------------------------------------------------------------------------------

SURVIVAL = CLAIMS["tasc.position-decay-corrected"]


def _tried(claim: Any) -> Any:
    return try_claim(claim, "quick", 0, DATA)


def test_survival_by_hand():
    """Half of the calls accept always, half never: 1, 1/2, 1/2, 1/2; given all before: 1/2, then 1."""
    instance = {"share": law("1/2", "1/2"), "p": np.stack([law(1, 0)] * 2), "q": np.stack([law(1, 0), law(0, 1)])}
    left, right = SURVIVAL.sides(instance)
    assert left.tolist() == [F(1, 2), F(1, 4)] and right.tolist() == [F(1, 4), F(1, 4)]


def test_survival_holds_and_needs_its_assumption():
    trials = _tried(SURVIVAL)
    assert decide(SURVIVAL, trials) == "holds" and trials.not_needed == ()
    for instance in SURVIVAL.tight:
        assert not np.any(SURVIVAL.slack(instance))


@pytest.mark.parametrize(
    "change",
    [
        {"relation": at_most},
        {"rhs": lambda share, p, q: 2 * SURVIVAL.rhs(share, p, q)},
        {"lhs": lambda share, p, q: _survival(share, p, q)[2:] ** 2},
    ],
)
def test_mutations_of_survival_are_refuted(change):
    mutant = replace(SURVIVAL, **change, tight=(), outside={})
    assert decide(mutant, _tried(mutant)) == "refuted"


# --- judge scores -----------------------------------------------------------------------------------------------------


def test_the_printed_table_decides():
    assert _verdict("judge-scores", *run(study_of(PRINTED))) == "unsupported"
    assert _verdict("judge-scores-corrected", *run(study_of(PRINTED))) == "supported"


@pytest.mark.parametrize(
    ("mean", "number", "negligible", "lost"),
    [(3.52, 50_000, "supported", "unsupported"), (3.48, N, "inconclusive", "inconclusive"),
     (3.63, 50_000, "inconclusive", "unsupported"), (3.80, 50_000, "unsupported", "unsupported")],
)  # fmt: skip
def test_other_tables_decide_otherwise(mean, number, negligible, lost):
    """A loss of 0.01 on many outputs is negligible, one of 0.05 on few is not known to be, a gain of 0.27 is no loss."""
    results = run(study_of({0: Scores(3.53, 0.73, number), 500: Scores(mean, 0.77, number)}))
    assert _verdict("judge-scores", *results) == negligible
    assert _verdict("judge-scores-corrected", *results) == lost
