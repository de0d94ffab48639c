"""A classifier learnt by PAD's pipeline gives more speed than speculative decoding at nearly the same utility.

`pad.classifier` and `pad.tradeoff`, decided on a language model whose answers are checked; `pad.classifier.families`,
`pad.tradeoff.families` and `pad.tradeoff-controls`, decided on one run of PAD's pipeline on problems that were made up here.

PAD, Appendix B, Table 1, Figures 2 and 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from simspec.claims.authoring import chosen_here
from simspec.claims.claim import Evidence, Printed, Verdict
from simspec.claims.deciding.evidence import all_of, illustration, judge, line, measured, rows_for
from simspec.claims.measured import (
    LEVEL,
    ON_ANSWERS,
    Data,
    Found,
    Result,
    Results,
    Study,
    decides,
    empirical,
    figure,
    level_of,
    shared,
)
from simspec.claims.measured import model_of as model_of_data
from simspec.claims.pad.checked_answers import answers_study
from simspec.claims.pad.parts import STATES, described_results, kinds, model_of, sources
from simspec.claims.problem_laws import text_sources, with_banks
from simspec.engine.estimates.intervals import Interval, student
from simspec.engine.study import Cell
from simspec.studies.pad.classifier import auc, auc_interval, roc
from simspec.studies.pad.pipeline import ANSWER, BETAS, SIGMAS, pipeline
from simspec.studies.pad.problems import NAMES

# --- the classifier ---------------------------------------------------------------------------------------------------


Column = np.ndarray[Any, Any]

EASY = 0.05
HARD = 0.3
"""Ceilings of errors at which the target is right in about 0.9 and in about half of its answers."""


@shared
def _pipeline(data: Data) -> Study:
    problems = {"training": rows_for(data, 12, 24, 120), "choosing": rows_for(data, 3, 8, 30), "candidates": 32}
    base = {**ANSWER, **problems}
    texts = text_sources(data)
    all_laws = (*kinds(data), *texts)
    cells: list[Cell] = [
        {**base, "laws": laws, "ceiling": ceiling}
        for ceiling in ((EASY,) if data.effort == "quick" else (EASY, HARD))
        for laws in all_laws
    ]
    if data.effort != "quick":
        cells += [{**base, "laws": laws, "ceiling": HARD, "noise": 0.0} for laws in all_laws]
    if data.effort == "deep":
        cells += [{**base, "family": n, "laws": laws, "states": STATES[n]} for n in NAMES[1:] for laws in all_laws]
    return with_banks(pipeline(tuple(cells), {**sources(data), **texts}, rows_for(data, 6, 12, 200)), data)


def _decides(result: Result) -> bool:
    """Problems of answering decide; states seen without noise, the other families of a deep run and corpus texts stand beside."""
    return bool(decides(result) and result.cell["family"] == "answer" and result.cell["noise"] == ANSWER["noise"])


def _short(result: Result) -> str:
    """Name of a line in a plot."""
    clear = ", states seen without noise" if result.cell["noise"] == 0 else ""
    return f"{result.cell['family']}, {model_of(result)}, right in {result.values['sd utility'].mean():.0%}{clear}"


def _level(results: Results, statements: int = 1) -> float:
    return level_of(statements * sum(map(_decides, results)))


def _candidates(result: Result) -> dict[str, Column]:
    """Columns over all candidates of the test problems, and the problem of each."""
    there = np.isfinite(result.values["label"])
    names = ("label", "score", "shuffled", "likelihood", "definition", "label rule", "chance")
    return {name: result.values[name][there] for name in names} | {"problem": np.nonzero(there)[0]}


def _area(score: Column, mark: Column) -> list[float]:
    return [auc(score, mark)] if 0 < mark.sum() < len(mark) else []


def _auc(score: Column, mark: Column, problem: Column, level: float) -> Interval:
    """AUC over problems; between 0 and 1, no more is known, where the marks are all alike."""
    has_both_marks = 0 < mark.sum() < len(mark)
    return auc_interval(score, mark, problem, level) if has_both_marks else Interval(0.5, 0.0, 1.0, level)


def _separated(results: Results, mark: str) -> Found:
    """AUC on the candidates of the test problems, against their labels or against exact values."""
    level = _level(results)
    for result in results:
        c = _candidates(result)
        scores = {
            "p(x) alone": (-c["likelihood"], c[mark]),
            "trained on shuffled labels": (c["shuffled"], c[mark]),
            "ranked by the exact chance of the label": (c["chance"], c[mark]),
            "against labels": (c["score"], c["label"]),
            "against the label rule on exact values": (c["score"], c["label rule"]),
            "against Definition 3": (c["score"], c["definition"]),
        }
        control = {name: area for name, pair in scores.items() for area in _area(*pair)}
        control |= {f"pivots by {name}, share": float(c[name].mean()) for name in ("label", "label rule")}
        interval = _auc(c["score"], c[mark], c["problem"], level)
        label = f"{described_results(result)}: AUC on {len(result.values['label'])} test problems"
        exceed = 0.7 if _decides(result) else None
        yield measured(label, model_of(result), len(c[mark]), interval, control, exceed=exceed, made_up=True)


def _roc_plot(results: Results) -> dict[str, Any]:
    series = []
    for result in results:
        c = _candidates(result)
        false, true = roc(c["score"], c["label"])
        series.append({"name": _short(result), "x": false.tolist(), "y": true.tolist()})
    return figure(
        "ROC of the pivot classifier on test problems", "non-pivots called pivots", "pivots called pivots", series
    )


_PIPELINE = (
    chosen_here("problems, features and the classifier's noise")
    + "The labelling pipeline (20 rollouts, ratio 0.9, a judge with sensitivity 0.8 and specificity 0.95) on answers in "
    "20 steps of which 5 are critical, that the target gets right in about 0.9 (as GSM8K) or half (as AIME24) of the "
    "cases, with synthetic and with real laws; features p(x), entropy of p, and a random projection of the state with "
    "as much noise as signal; a perceptron with 16 hidden units, trained on up to 32 candidates of each of 50 problems (12 "
    "in a quick run, 120 in a deep one). States seen without noise stand beside. Problems (and the documents of real "
    "laws) for "
    "training, for choosing σ and for the test are kept apart; intervals are conditional on the classifier trained and "
    "on the "
    f"contexts that problems share. {ON_ANSWERS} "
)

CLASSIFIER = empirical(
    name="pad.classifier.families",
    statement="on decision processes made up here the features separate pivots from non-pivots, as they are labelled: the "
    "classifier's AUC on other problems exceeds 0.7",
    reference="own statement: PAD, Appendix B and Figure 3, on problems with exact values",
    note="Twenty rollouts call many harmless tokens pivots (pad.label-noise), and no features can tell which: the AUC "
    "of a ranking by the exact chance of the label (before the judge) stands beside, and so does a network trained on "
    "shuffled labels. How far a hidden state tells critical steps is set by the family here, and by training in a "
    "language model, and the verdict hangs on it: with states seen without noise (beside) the same training separates "
    "the labels better, and with twelve times the problems then beyond 0.7 in every cell.",
    study=_pipeline,
    estimate=partial(_separated, mark="label"),
    criterion=_PIPELINE + "Supported when the AUC on labelled candidates of the test problems exceeds 0.7 at "
    "either difficulty and with either kind of laws, by bootstrap intervals over problems that hold together at 95 "
    "%; unsupported when one interval lies at or below 0.7.",
    plot=_roc_plot,
)

EXACT = empirical(
    name="pad.classifier.exact",
    statement="the classifier, trained on noisy labels, separates tokens worth less than 0.9 of the text before them "
    "(exact values) from the others: AUC on other problems above 0.7",
    reference="own statement: PAD, Figure 3, with true values in place of labels",
    note="False labels that the features do not foretell blur what is measured more than what is learnt. Ranking by "
    "the likelihood p(x) alone, which takes no labels, stands beside.",
    study=_pipeline,
    estimate=partial(_separated, mark="label rule"),
    criterion=_PIPELINE + "Supported when the AUC on candidates of the test problems, marked by exact values, "
    "exceeds 0.7 at either difficulty and with either kind of laws, by bootstrap intervals over problems that hold "
    "together at 95 %; unsupported when one interval lies at or below 0.7.",
)

# --- speed against utility --------------------------------------------------------------------------------------------


def _controls(result: Result) -> dict[str, float]:
    """Loss of utility in points and speed of the rules beside, and of PAD at each threshold."""
    v = result.values
    place = int(result.values["sigma"][0])
    target_utility = v["sd utility"]
    rules = {
        "random flags as frequent": "random",
        f"EARS at {BETAS[int(v['beta'][0])]:g}": "ears",
        "pivots by definition": "definition",
        "pivots by replacement": "replacement",
        "strict rule": "strict",
    }
    facts = {"threshold": SIGMAS[place], "called pivots, share": float(v["flagged"][0])}
    facts |= {"utility of the target": float(target_utility.mean()), "speed of SD": float(v["sd speed"].mean())}
    facts |= {
        "speed": float(v["speed"][:, place].mean()),
        "accepted of the drafts decided on": float(v["share"][:, place].mean()),
    }
    facts["accepted by SD"] = float(v["sd share"].mean())
    for name, rule in rules.items():
        facts[f"{name}: loss"] = float((target_utility - v[f"{rule} utility"]).mean())
        facts[f"{name}: speed"] = float(v[f"{rule} speed"].mean())
    return facts


def _tradeoff(results: Results) -> Found:
    """Yield the gain in speed and the loss of utility at the chosen threshold, then the loss at every threshold."""
    level = _level(results, 2)
    for result in results:
        v = result.values
        # the index of the threshold that the pipeline chose on other problems
        place = int(result.values["sigma"][0])
        gain = v["speed"][:, place] - v["sd speed"]
        loss = v["sd utility"] - v["utility"][:, place]
        label = f"{described_results(result)}, σ = {SIGMAS[place]:g}"
        model = model_of(result)
        n = len(gain)
        exceed, below = (0.0, 0.01) if _decides(result) else (None, None)
        faster = student(gain, level)
        yield measured(f"{label}: speed less SD's", model, n, faster, _controls(result), exceed=exceed, made_up=True)
        yield measured(f"{label}: utility lost", model, n, student(loss, level, -1, 1), below=below, made_up=True)
    for result in results:
        v = result.values
        for place, sigma in enumerate(SIGMAS):
            loss = v["sd utility"] - v["utility"][:, place]
            control = {
                "speed": float(v["speed"][:, place].mean()),
                "accepted of the drafts decided on": float(v["share"][:, place].mean()),
            }
            label = f"{described_results(result)}, σ = {sigma:g}: utility lost"
            yield illustration(label, model_of(result), len(loss), float(loss.mean()), control)


def _tradeoff_plot(results: Results) -> dict[str, Any]:
    series = []
    for result in results:
        v = result.values
        loss = [student(column, LEVEL, -1, 1) for column in (v["sd utility"][:, None] - v["utility"]).T]
        series.append(line(_short(result), v["speed"].mean(axis=0).tolist(), loss, scale=100))
    return figure("PAD at thresholds from 0.1 to 0.9", "speed against the target alone", "utility lost, points", series)


TRADEOFF = empirical(
    name="pad.tradeoff.families",
    statement="on decision processes made up here some σ has higher speed than speculative decoding at expected utility no more "
    "than 1 point lower",
    reference="own statement: PAD, Table 1 and Figure 2, on problems with exact values",
    note="A rule that overrides only drafts worth about as much as what would replace them gains speed for little. "
    "Speeds count whole blocks, with the draft 3.94 times as fast as the target and no cost of the classifier, as in "
    "the paper; utility and speed are exact for each problem.",
    study=_pipeline,
    estimate=_tradeoff,
    criterion=_PIPELINE + "σ is the fastest of nine whose loss is below 1 point with confidence 95 % on the "
    "problems for choosing (if none, the one that loses least). Supported when, on the test problems at either "
    "difficulty and with either kind of laws, speed exceeds that of speculative decoding (γ = 10, cost 1/3.94) and "
    "the loss of expected utility is below 0.01, by paired t-intervals over problems that hold together at 95 %; "
    "unsupported "
    "when one interval lies on the other side.",
    plot=_tradeoff_plot,
)


def _spared(results: Results) -> Found:
    level = _level(results)
    for result in results:
        v = result.values
        place = int(result.values["sigma"][0])
        gap = v["utility"][:, place] - v["random utility"]
        label = f"{described_results(result)}, σ = {SIGMAS[place]:g}: utility less that of random flags as frequent"
        interval = student(gap, level, -1, 1)
        exceed = 0.0 if _decides(result) else None
        yield measured(label, model_of(result), len(gap), interval, _controls(result), exceed=exceed, made_up=True)


CONTROLS = empirical(
    name="pad.tradeoff-controls",
    statement="at the σ of pad.tradeoff.families the expected utility is higher than with random flags as frequent",
    reference="own statement: PAD, Table 1, read against a plain control",
    note="Random flags accept as many rejected drafts without looking: what they lose is what the classifier spares.",
    study=_pipeline,
    estimate=_spared,
    criterion=_PIPELINE + "Random flags call each token of each state a pivot with the classifier's own frequency "
    "among rejected drafts on the problems for choosing. Supported when the expected utility of PAD exceeds theirs "
    "on the test problems of each difficulty and kind of laws, by paired t-intervals over problems that hold together "
    "at 95 %; unsupported when one interval lies at or below 0.",
)

# --- a language model whose answers are checked ----------------------------------------------------------------------------

_ANSWERED = (
    "SmolLM2-135M-Instruct, and as the draft the same model with weights rounded to 3 bits, at temperature 1, on sums, products "
    "and copies asked after four examples, whose answers are checked exactly. Labels are those of twenty rollouts before and "
    "after a draft that speculative decoding refused; features are p(x), q(x), entropies, largest masses and projected states "
    "of both models. The classifier learns from half of the tasks and is judged on the other half. "
)


def _separated_answers(results: Results) -> Found:
    """AUC on the refused drafts of the tasks that the classifier did not see."""
    result = results[0]
    there = result.values["test"] == 1
    v = {name: column[there] for name, column in result.values.items()}
    interval = _auc(v["score"], v["label"], v["task"], LEVEL)
    scores = {"trained on shuffled labels": v["shuffled"], "p(x) alone": -v["likelihood"]}
    control = {name: area for name, score in scores.items() for area in _area(score, v["label"])}
    many = np.isfinite(v["many"])
    control["pivots, share"] = float(v["label"].mean())
    control["drafts with many rollouts"] = float(many.sum())
    if many.any():
        control["of these, labels that many rollouts contradict"] = float((v["label"] != v["many"])[many].mean())
    data = f"{result.cell['data']}: AUC on other tasks"
    yield measured(data, model_of_data(result), len(v["label"]), interval, control, exceed=0.7)


CLASSIFIER_ANSWERS = empirical(
    name="pad.classifier",
    statement="the features of a language model separate pivots from non-pivots, as they are labelled, on tasks with known "
    "answers: the classifier's AUC on other tasks exceeds 0.7",
    reference="PAD, Appendix B and Figure 3",
    note="Decided on the one language model here whose answers are checked, no model of the paper; problems with exact values, "
    "made up here, are pad.classifier.families. "
    "A small model, few labels and short answers; the classifier trained on shuffled labels and the ranking by p(x) alone "
    "stand beside, and so does how many labels of twenty rollouts are contradicted by those of as many as both errors take to "
    "stay below 5 % (pad.label-noise).",
    study=answers_study,
    estimate=_separated_answers,
    criterion=_ANSWERED
    + "Supported when the AUC on the candidates of other tasks exceeds 0.7 by the bootstrap interval over "
    "tasks at 95 %; unsupported when it lies at or below 0.7.",
    printed=Printed(
        place="PAD, Appendix B",
        text="well above the random baseline, indicating robust separation of pivot and non-pivot tokens "
        "across thresholds",
        read="The area under the curve, on other tasks, with the labels as they are made.",
        restored="the area itself",
    ),
)


def _answers_by_rule(results: Results) -> Found:
    """Drafts kept and answers right by each rule, less those of speculative decoding on the same tasks."""
    by_rule = {result.cell["rule"]: result for result in results if "rule" in result.cell}
    base = by_rule.pop("SD").values
    level = level_of(2 * sum(name.startswith("PAD") for name in by_rule))
    for name, result in by_rule.items():
        v = result.values
        kept = v["kept"] - base["kept"]
        lost = base["right"] - v["right"]
        control = {
            "drafts kept": float(v["kept"].mean()),
            "drafts kept by SD": float(base["kept"].mean()),
            "answers right": float(v["right"].mean()),
            "answers right by SD": float(base["right"].mean()),
        }
        exceed, below = (0.0, 0.01) if name.startswith("PAD") else (None, None)
        data = f"{result.cell['data']}, {name}"
        model = model_of_data(result)
        n = len(lost)
        more = student(kept, level, -1, 1)
        yield measured(f"{data}: drafts kept, more than by SD", model, n, more, control, exceed=exceed)
        yield measured(f"{data}: answers lost", model, n, student(lost, level, -1, 1), control, below=below)


def _some_threshold(evidence: Sequence[Evidence]) -> Verdict:
    """Supported when both intervals of one threshold are, unsupported when one of each is; rows come in pairs."""
    deciding = [row for row in evidence if judge(row) is not None]
    verdicts = [all_of(pair) for pair in zip(deciding[::2], deciding[1::2], strict=True)]
    if "supported" in verdicts:
        return "supported"
    return "inconclusive" if "inconclusive" in verdicts or not verdicts else "unsupported"


TRADEOFF_ANSWERS = empirical(
    name="pad.tradeoff",
    statement="some σ keeps more drafts than speculative decoding and loses no more than 1 point of the right answers, for a "
    "language model that answers tasks with known answers",
    reference="PAD, Table 1 and Figure 2",
    note="Decided on the one language model here whose answers are checked, by drafts kept in place of speed; problems with "
    "exact values, made up here, are pad.tradeoff.families. "
    "Answers to a task by either rule are paired. Random flags as frequent and the strict rule, which rejects every pivot "
    "and draws a fresh token, stand beside at each threshold. Answers are short, and most refused drafts spoil them "
    "(pad.unnecessary-rejections).",
    study=answers_study,
    estimate=_answers_by_rule,
    criterion=_ANSWERED
    + "Supported when at one of three σ, over the tasks of the test, the share of drafts kept exceeds that "
    "of speculative decoding and the loss of right answers is below 0.01, by paired t-intervals over tasks that hold together "
    "at 95 %; unsupported when at each σ one interval lies on the other side.",
    decide=_some_threshold,
    printed=Printed(
        place="PAD 4",
        text="it attains substantially higher speedups (up to … versus … for SD) while retaining competitive accuracy",
        read="Some threshold keeps more drafts than speculative decoding and loses no more than one point.",
    ),
)
