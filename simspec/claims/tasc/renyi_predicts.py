"""The Rényi entropy of the training outputs' tokens predicts the run time of a fine-tuned model.

`tasc.renyi-predicts`: TASC, 6.1 and Appendix E (mean of -0.964 over 8 settings, 92 %).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.claim import Printed
from simspec.claims.measured import Found, Interval, Result, Results, empirical, figure, level_of, measured
from simspec.claims.tasc.enrichment import (
    DATA_USED,
    EXPECTED,
    NAMES,
    NOT_TRAINED,
    Column,
    enrichment_study,
    evidence_of,
    library,
)
from simspec.studies.pad.accuracy import wilson
from simspec.studies.tasc.corpus_statistics import resampled
from simspec.studies.tasc.enrichment import kendall


def _clipped(interval: Interval) -> Interval:
    return interval._replace(low=max(interval.low, -1.0), high=min(interval.high, 1.0))


def _directions(result: Result, predictor: Column) -> tuple[int, int, int]:
    """Budget steps; those whose predictor rises; those where predictor and length move in opposite directions."""
    rise = np.diff(predictor)
    fall = np.diff(result.values["tokens merge"][0])
    return len(rise), int((rise > 0).sum()), int((np.sign(rise) == -np.sign(fall)).sum())


def _rising(result: Result, predictor: Column) -> int:
    """Budget steps where the predictor rises and the length falls."""
    return int(((np.diff(predictor) > 0) & (np.diff(result.values["tokens merge"][0]) < 0)).sum())


def _predictors(result: Result) -> dict[str, Column]:
    return {
        "renyi": result.values["train renyi"][0],
        "Shannon entropy H": result.values["train shannon"][0],
        "the budget M alone": np.array(result.cell["budgets"], dtype=np.float64),
    }


def _predicts(results: Results) -> Found:
    """Yield what H2 tells, of the outputs that corpora expect and of the tasks of the standard library."""
    for words, model, names in (
        ("expected outputs", "tokens of SmolLM2-135M-Instruct, enriched", EXPECTED),
        (library(), "byte-level BPE of 2,000 tokens, enriched", NAMES),
    ):
        yield from _told([r for r in results if r.cell["task"] in names], words, model)


def _told(results: Results, words: str, model: str) -> Found:
    """Yield Kendall's tau of H2 and output length for each setting, then two shares of steps over all settings."""
    # one tau for each setting, and the two shares
    level = level_of(len(results) + 2)
    totals: dict[str, np.ndarray[Any, Any]] = {}
    for result in results:
        predictors = _predictors(result)
        taus = {n: kendall(p, result.values["tokens merge"]) for n, p in predictors.items()}
        control = {n: float(t[0]) for n, t in taus.items() if n != "renyi"}
        control["H2 at first, nats"], control["H2 at last"] = (float(predictors["renyi"][i]) for i in (0, -1))
        tau = _clipped(resampled(taus["renyi"], level))
        label_text = f"Kendall tau of H2 and held-out length over {len(predictors['renyi'])} budgets"
        yield evidence_of(result, label_text, tau, control, False)
        for name, predictor in predictors.items():
            direction_counts = np.array([*_directions(result, predictor), _rising(result, predictor)])
            totals[name] = totals.get(name, np.zeros(4, dtype=np.int64)) + direction_counts
    if not totals:
        return
    steps, rises, right, hits = totals["renyi"].tolist()
    others = {
        name: float(direction_counts[2] / direction_counts[0])
        for name, direction_counts in totals.items()
        if name != "renyi"
    }
    label = f"{words}: all settings"
    all_steps = wilson(right, steps, level)
    yield measured(f"{label}: share of steps whose direction H2 tells", model, steps, all_steps, others)
    if rises:
        raised = wilson(hits, rises, level)
        shorter = {"shorter after any step at all": float(totals["the budget M alone"][3] / steps)}
        label_text = f"{label}: share of steps with a shorter output, of those that raise H2"
        yield measured(label_text, model, rises, raised, shorter)


def _renyi_plot(results: Results) -> dict[str, Any]:
    return figure(
        "2-Rényi entropy of training outputs against held-out length",
        "H2, nats",
        "tokens a text",
        [
            {
                "name": f"{r.cell['task']}, n-grams up to {r.cell['n_max']}",
                "x": r.values["train renyi"][0].tolist(),
                "y": r.values["tokens merge"][0].tolist(),
            }
            for r in results
        ],
    )


RENYI = empirical(
    name="tasc.renyi-predicts",
    statement=r"the 2-Rényi entropy of the training outputs' tokens predicts the run time of a model fine-tuned with the new "
    r"tokens: Kendall's $\tau < -0.9$ in each setting, directional success of at least 92 %",
    reference="TASC, 6.1 and Appendix E (mean of -0.964 over 8 settings, 92 %)",
    note="What is shown is of output length, not of run time. Through the merge table each merge that finds an "
    "occurrence shortens the outputs, so that the budget alone ranks every setting perfectly up to ties, and "
    "outputs are shorter after a step whether H2 rises or not; H2 can only do worse. It does where late merges take "
    "from rare tokens: the frequent ones then hold a larger share, and H2 falls. The lengths alone are resampled: "
    "where their order never changes, tau has no spread.",
    study=enrichment_study,
    estimate=_predicts,
    criterion=NOT_TRAINED
    + DATA_USED
    + "A setting is a task and a longest n-gram (2 and 4; 3 too in a deep run); length through the merge table stands "
    "in place of run time, H2 is of the training outputs' token law as in Appendix E. Shown are tau over the "
    "budgets 0, 25, ..., 1,000, the share of steps from one budget to the next whose direction H2 tells (up: "
    "shorter, down: longer), and the share of those with a shorter output among the steps that raise H2 (Wilson "
    "intervals, steps taken as independent); beside each the same for Shannon's entropy and for the budget alone.",
    plot=_renyi_plot,
    printed=Printed(
        place="TASC 6.1",
        text="a highly reliable indicator for predicting runtime reduction",
        read="Of run time: Kendall’s rank correlation and the direction of changes.",
    ),
)
