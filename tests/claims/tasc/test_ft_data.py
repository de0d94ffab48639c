"""The empirical claims of TASC-ft: what a quick run shows, and negative controls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simspec.claims.claim import Evidence
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import judge
from simspec.claims.tasc.enrichment import DRAWN, EXPECTED, FEW, MANY, NAMES, NOT_TRAINED, SMOLLM2, tasks_of
from simspec.engine.study import Result
from tests.claims.cases import get
from tests.claims.evidence_cases import SMALL, results


def _evidence(name: str, rows: list[Result] | None = None) -> list[Evidence]:
    return get(f"tasc.{name}").finding.estimate(results(f"tasc.{name}") if rows is None else rows)


def _verdict(name: str, rows: list[Result] | None = None) -> str:
    return get(f"tasc.{name}").finding.decide(_evidence(name, rows))


def _replaced(name: str, **values: Any) -> list[Result]:
    """Results in which some values, where they are measured, are computed anew from all of them."""
    return [
        Result(r.cell, {**r.values, **{k: f(r.values) for k, f in values.items() if k in r.values}})
        for r in results(f"tasc.{name}")
    ]


@pytest.mark.parametrize(
    "name",
    ["entropy-rises", "uid", "uid-corrected", "length-reduction", "diminishing", "renyi-predicts", "two-regimes"],
)
def test_evidence_names_the_text_and_the_tokenizer(name):
    assert get(f"tasc.{name}").note
    for e in _evidence(name):
        is_small = "standard library of Python" in e.data
        assert ("BPE of 2,000" if is_small else "tokens of SmolLM2-135M-Instruct") in e.model
        assert (e.n >= 2 and judge(e) is None) or not is_small


@pytest.mark.parametrize("name", ["uid", "diminishing", "renyi-predicts", "two-regimes"])
def test_of_models_that_are_not_trained_here_nothing_is_decided(name):
    """Whatever is measured of tokens: the paper speaks of fine-tuned models."""
    claim = get(f"tasc.{name}")
    assert _verdict(name) == "inconclusive" and all(judge(e) is None for e in _evidence(name))
    assert claim.finding.criterion.startswith(NOT_TRAINED)
    assert {"SmolLM2" in e.model for e in _evidence(name)} == {True, False}


def test_both_tasks_share_a_base_that_knows_every_tag():
    tagging, docstrings = tasks_of(SMALL["tasc"])
    assert tagging.tokenizer is docstrings.tokenizer and tagging.vocab == 2000
    words = [len(text.split()) for text in tagging.outputs]
    assert sum(map(len, tagging.held)) <= 1.02 * sum(words)  # one token a word, but at the start of a text


def test_verdicts_of_a_quick_run():
    """What decides ships, whatever the version of Python; margins are wide, such as factors of 3 against 2."""
    assert _verdict("length-reduction") == _verdict("entropy-rises") == _verdict("uid-corrected") == "supported"


def test_what_decides_is_in_the_tokens_of_smollm2():
    for name, tasks in (("length-reduction", EXPECTED[:1]), ("entropy-rises", EXPECTED), ("uid-corrected", DRAWN)):
        deciding = [e for e in _evidence(name) if judge(e) is not None]
        assert {e.data.split(": ")[0] for e in deciding} == {SMOLLM2[task].words for task in tasks}
        assert {e.model for e in deciding} == {"tokens of SmolLM2-135M-Instruct, enriched by n-grams up to 4"}


def test_a_model_that_keeps_its_law_over_texts_has_the_same_bits_in_fewer_tokens():
    """The mean of a token's surprisal rises by the factor by which the texts shorten."""
    for result in results("tasc.uid"):
        if result.cell["task"] in DRAWN:
            mean, tokens = (result.values[name][0] for name in ("mean own", "tokens merge"))
            at_shown = [result.cell["budgets"].index(budget) for budget in result.cell["shown"]]
            bits = mean * tokens[at_shown]
            assert bits == pytest.approx(bits[0])
            assert mean[1] > mean[0]


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
    turned = _replaced("uid-corrected", **{"variation own": _backwards("variation own")})
    assert _verdict("uid-corrected", turned) == "unsupported"
    beside = _replaced("uid-corrected", **{"variation 2": _backwards("variation 2")})
    assert _verdict("uid-corrected", beside) == "supported"


@pytest.mark.parametrize("name", ["tokens merge", "bytes per token merge"])
def test_no_shortening_in_one_measure_is_unsupported(name):
    same = _replaced("length-reduction", **{name: lambda v: np.ones_like(v[name])})
    assert _verdict("length-reduction", same) == "unsupported"


def test_gains_that_do_not_diminish_are_shown_as_such():
    steady = _replaced(
        "diminishing", **{"tokens merge": lambda v: 100 - np.arange(v["tokens merge"].shape[1]) + 0 * v["tokens merge"]}
    )
    shares = [e for e in _evidence("diminishing", steady) if "through the merge table" in e.data]
    assert [e.estimate for e in shares] == pytest.approx([1] * len(shares))
    assert all(e.estimate < 0.5 for e in _evidence("diminishing"))


def test_a_predictor_that_turns_is_shown_as_such():
    turned = _replaced("renyi-predicts", **{"train renyi": _backwards("train renyi")})
    before, after = (
        [e.estimate for e in _evidence("renyi-predicts", rows) if "Kendall" in e.data] for rows in (None, turned)
    )
    # a tie of lengths may turn the other way
    assert before[1:] == pytest.approx([-x for x in after[1:]]) and len(before) == 4


def test_the_budget_alone_predicts_perfectly():
    """The obvious control: a merge that finds an occurrence shortens the outputs, whatever H2 does."""
    evidence = _evidence("renyi-predicts")
    alone = [e.control["the budget M alone"] for e in evidence if "Kendall" in e.data]
    assert alone[-2:] == [-1.0, -1.0] and max(alone) < -0.9  # 600 outputs of intents run out of n-grams: a tie
    assert [e.control["the budget M alone"] for e in evidence if "direction" in e.data] == [7 / 8, 1.0]
    raised = [e for e in evidence if "of those that raise H2" in e.data]
    assert [(e.estimate, e.control["shorter after any step at all"]) for e in raised] == [(1.0, 7 / 8), (1.0, 1.0)]


def test_directions_are_counted_step_by_step():
    """Two settings of three steps: H2 up, down, level; lengths always fall: one step in three is told rightly."""
    base = next(r for r in results("tasc.renyi-predicts") if r.cell["task"] == NAMES[0])
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
    rows = results("tasc.two-regimes")
    library = [e for e in _evidence("two-regimes") if "standard library" in e.data]
    assert f"{NAMES[0]} / " in library[0].data and NAMES[1] in library[1].data
    assert library[0].estimate > 2
    variability = {r.cell["task"]: r.values["variability"] for r in rows}
    other = dict(zip(NAMES, NAMES[::-1], strict=True))
    swapped = [
        Result(r.cell, {**r.values, "variability": variability[other.get(r.cell["task"], r.cell["task"])]})
        for r in rows
    ]
    turned = [e for e in _evidence("two-regimes", swapped) if "standard library" in e.data]
    assert turned[0].estimate == pytest.approx(1 / library[0].estimate)
    assert [e.data for e in _evidence("two-regimes", rows[::-1])] == [e.data for e in _evidence("two-regimes")]


def test_drafts_are_judged_on_what_a_model_wrote_or_on_the_library():
    """Outputs that a corpus expects have no prompt that a model has read."""
    tasks = {cell["task"] for cell in get("tasc.two-regimes").finding.study(Data()).grid}
    assert not tasks & set(EXPECTED) and tasks == set(SMOLLM2) - set(EXPECTED) | set(NAMES)


def test_regimes_are_decided_on_all_held_out_pairs():
    """Each row counts its own pairs."""
    for effort in ("default", "deep"):
        data = Data(effort=effort)
        study = get("tasc.two-regimes").finding.study(data)
        cells = {cell["task"]: cell for cell in study.grid}
        for task in tasks_of(data):
            name = task.name.removeprefix("library-")
            assert cells[name]["texts"] >= len(task.held) > 400
    unequal = [
        Result(r.cell, {**r.values, "texts": r.values["texts"] + i}) for i, r in enumerate(results("tasc.two-regimes"))
    ]
    counts = {r.cell["task"]: int(r.values["texts"][0]) for r in unequal}
    low, high = (counts[name] for name in NAMES)
    assert [e.n for e in _evidence("two-regimes", unequal)[-3:]] == [low + high, high, low]


def test_a_budget_of_the_claims_is_in_every_design():
    for effort in ("quick", "default", "deep"):
        study = get("tasc.entropy-rises").finding.study(Data(effort=effort))
        for cell in study.grid:
            assert {0, FEW, MANY} <= set(cell["budgets"]) and cell["shown"] in ([], [0, FEW, MANY])
        assert {c["task"] for c in study.grid if c["shown"]} == {*SMOLLM2, *NAMES}
