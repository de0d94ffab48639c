"""Relaxed and tree criteria certify more steps than greedy decoding on a real pair, above all where the margin is low.

`greedy.coverage`: Sharma 2026 (arXiv 2606.30265), abstract.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import chosen_here
from simspec.claims.greedy.least import SHARMA
from simspec.claims.measured import (
    ON_ANSWERS,
    Data,
    Found,
    Interval,
    Results,
    Study,
    decides,
    documents,
    empirical,
    figure,
    level_of,
    measured,
    model_of,
    on_each,
    rows_for,
)
from simspec.logits.bank import MissingPart
from simspec.studies.radii import BRANCHES, CRITERIA, LOW_MARGIN, certified_steps

NAMES = (*CRITERIA, *(f"tree {m}" for m in BRANCHES))
"""Criteria, the strict one first."""


def _study(data: Data) -> Study:
    rows = rows_for(data, 100, 300, 100_000)
    return on_each(data.all_pairs, lambda bank: certified_steps(bank, data.describe(bank), rows))


def _gain_interval(gain: np.ndarray, document: np.ndarray, level: float) -> Interval:
    """By documents; a gain of 0 in every context has an interval all the same.

    Nested criteria gain 0 or 1.  Where none of n contexts gains, a share above 1 - (1 - level)^(1/n) would have shown itself
    with probability `level`.
    """
    interval = documents(gain, document, level)
    if gain.any():
        return interval
    return Interval(0.0, 0.0, 1 - (1 - level) ** (1 / len(gain)), level)


def _coverage(results: Results) -> Found:
    """What each criterion certifies beyond the strict one, where the margin is low; then the shares themselves."""
    level = level_of((len(NAMES) - 1) * sum(map(decides, results)))
    for result in results:
        v = result.values
        low = v["low"] > 0
        has_interval = len(np.unique(v["document"][low])) > 1
        if decides(result) and not has_interval:
            raise MissingPart(f"bank: {int(low.sum())} contexts of low margin; expected some of two documents or more")
        for name in NAMES[1:] if has_interval else ():
            gain = (v[f"certified {name}"] - v["certified strict"])[low]
            label = f"{result.cell['data']}, margins up to {LOW_MARGIN:g}: certified by {name} beyond strict"
            interval = _gain_interval(gain, v["document"][low], level)
            control = {"accepted beyond strict": float((v[f"accepted {name}"] - v["accepted strict"])[low].mean())}
            yield measured(
                label, model_of(result), int(low.sum()), interval, control, exceed=0.0 if decides(result) else None
            )
        for name in NAMES:
            label = f"{result.cell['data']}: certified by {name}"
            interval = documents(v[f"certified {name}"], v["document"], level)
            control = {"accepted": float(v[f"accepted {name}"].mean())}
            yield measured(label, model_of(result), len(low), interval, control)


def _plot(results: Results) -> dict[str, Any]:
    values = results[0].values
    series = [
        {"name": kind, "x": list(range(len(NAMES))), "y": [float(np.mean(values[f"{kind} {name}"])) for name in NAMES]}
        for kind in ("certified", "accepted")
    ]
    return figure("Steps certified and accepted, by criterion", ", ".join(NAMES), "share of steps", series)


COVERAGE = empirical(
    name="greedy.coverage",
    statement="Relaxed and tree criteria certify more steps than greedy decoding, above all where the target's "
    "margin is low: each of "
    "them certifies more of those steps than the strict criterion",
    reference=SHARMA,
    study=_study,
    estimate=_coverage,
    criterion=chosen_here("the models, the criteria's numbers and what a low margin is")
    + "A step is certified where KL(p‖q) is below the criterion's radius. Supported when, over the steps with a margin of "
    f"probability of at most {LOW_MARGIN:g}, each criterion certifies a larger share than the strict one, by document-bootstrap "
    "intervals that hold together at 95 % (where no step gains, by how often one could gain unseen); unsupported when one "
    "interval lies at or below 0. The share that is truly accepted "
    f"stands beside each. Decided on the most realistic bank with each of its drafts; the small pairs stand beside. {ON_ANSWERS}",
    plot=_plot,
    note="A certificate is loose: it asks for a draft near the target in every token, and greedy acceptance for one "
    "token only. The paper's "
    "models (Qwen3) are not at hand.",
)
