"""Longer drafts compound the gain of EARS in speed, and not its loss of right answers.

`ears.gamma-accuracy`, decided on a language model whose answers are checked; `ears.gamma-accuracy.families`, on the expected
utility in families of decision processes that were made up here.

EARS, next check 2, speed together with accuracy.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from simspec.claims.authoring import Array, chosen_here
from simspec.claims.claim import Printed
from simspec.claims.deciding.evidence import CONTROL_PASSES, measured, rows_for, with_control
from simspec.claims.ears.checked_answers import ALL, ANSWERED, answers_study, by_draft
from simspec.claims.ears.parts import MARGIN
from simspec.claims.measured import (
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
    model_of,
)
from simspec.claims.problem_laws import bank_sources, with_banks
from simspec.engine.estimates.intervals import documents, student
from simspec.studies.ears.gamma_accuracy import GAMMAS, gamma_accuracy

BETA = 0.1
SHORT = GAMMAS[0]
LONG = GAMMAS[-1]


@lru_cache(maxsize=4)
def _study(data: Data) -> Study:
    return with_banks(gamma_accuracy(rows_for(data, 6, 16, 300), sources=bank_sources(data)), data)


def _whose(result: Result) -> str:
    return str(result.cell["laws"]).split(":")[0] if "laws" in result.cell else "decision processes"


def _evidence(results: Results) -> Found:
    """Compare the longest drafts with the shortest, in speed and in utility, for each family of processes."""
    level = level_of(2 * sum(map(decides, results)))
    for result in results:
        v = result.values
        cell = result.cell
        means = {name: float(value.mean()) for name, value in v.items()}
        control = {f"drop at γ = {g}": means["target"] - means[f"utility {g}"] for g in GAMMAS}
        control |= {f"tokens per call over SD's at γ = {g}": means[f"gain {g}"] for g in GAMMAS}
        control |= {"drop of speculative decoding": 0.0}
        label = f"family {cell['family']}, {cell['horizon']} tokens" + (
            f", laws of {cell['laws']}" if "laws" in cell else ""
        )
        further_gain = student(v[f"gain {LONG}"] - v[f"gain {SHORT}"], level, -LONG, LONG)
        text = f"{label}: tokens per call over SD's, γ = {LONG} less γ = {SHORT}"
        exceed, below = (0.0, MARGIN) if decides(result) else (None, None)
        yield measured(text, _whose(result), len(v["target"]), further_gain, control, exceed=exceed, made_up=True)
        # utilities lie in [0, 1], so that their difference lies in [-1, 1]
        lost = student(v[f"utility {SHORT}"] - v[f"utility {LONG}"], level, -1, 1)
        text = f"{label}: utility, γ = {SHORT} less γ = {LONG}"
        yield measured(text, _whose(result), len(v["target"]), lost, None, below=below, made_up=True)


def _plot(results: Results) -> dict[str, object]:
    series = [
        {
            "name": f"{r.cell['family']}{', laws of a bank' if 'laws' in r.cell else ''}",
            "x": [float(r.values["target"].mean() - r.values[f"utility {g}"].mean()) for g in GAMMAS],
            "y": [float(r.values[f"gain {g}"].mean()) for g in GAMMAS],
        }
        for r in results
    ]
    return figure(
        "Speed and utility as drafts get longer", "drop of expected utility", "tokens per call over SD's", series
    )


FAMILIES = empirical(
    name="ears.gamma-accuracy.families",
    statement=r"under EARS at $\beta = 0.1$ longer drafts compound the gain and not the loss: from 1 to 10 drafts the "
    r"ratio of "
    "tokens per call to those of speculative decoding grows, and expected utility falls by less than 1 point more, in each "
    "family of decision processes with known utility and with a bank's laws",
    reference="own statement: EARS, next check 2, on processes with exact values",
    note="The families and their parameters are chosen here; the paper names no task with a known utility. Longer "
    "blocks have fewer "
    "tokens that the target adds of its own, and more that EARS may pardon, so the loss can only grow by what those "
    "positions "
    "cost. The exact statements about the ratio are ears.gamma-scaling and its readings.",
    study=_study,
    estimate=_evidence,
    criterion=chosen_here("the families of processes and their parameters")
    + "Four families (needle, recoverable, counting, random) of processes of 16 tokens with their standard "
    "parameters, and "
    "random automata with the laws of a bank; utilities and calls exact for each process. Supported when in each the mean "
    "ratio of tokens per call is larger at γ = 10 than at γ = 1, and the mean utility at γ = 10 is less than 0.01 below "
    "that "
    "at γ = 1, by t-intervals over processes that hold together at 95 %; unsupported when one interval lies on the other "
    f"side. {ON_ANSWERS}",
    plot=_plot,
)


# --- a language model whose answers are checked ----------------------------------------------------------------------------


def _further_gain(means: Array) -> Array:
    """Tokens a call over speculative decoding's at the longest drafts less that at the shortest, from mean tokens and calls."""
    gains = [means[..., at] * means[..., at + 3] / (means[..., at + 1] * means[..., at + 2]) for at in (0, 4)]
    return np.asarray(gains[1] - gains[0])


def _answers(results: Results) -> Found:
    """Compare the longest drafts with the shortest, in tokens a call and in right answers, with each draft model."""
    cells_by_draft = by_draft(results)
    level = level_of(2 * len(cells_by_draft))
    for cells in cells_by_draft:
        relaxed = {gamma: cells[BETA, gamma] for gamma in GAMMAS}
        model = model_of(relaxed[LONG])
        data = f"{relaxed[LONG].cell['data']}, γ = {LONG} less γ = {SHORT}"
        # tokens and calls of EARS, then of speculative decoding, at the shortest drafts and at the longest
        rules = [cells[beta, gamma] for gamma in (SHORT, LONG) for beta in (BETA, 0.0)]
        columns = np.stack([rule.values[name] for rule in rules for name in ("tokens", "calls")], axis=1)
        tasks = len(columns)
        gain = documents(columns, np.arange(tasks), level, statistic=_further_gain)
        tokens = {key: cell.values["tokens"].sum() / cell.values["calls"].sum() for key, cell in cells.items()}
        control = {f"over SD's at γ = {gamma}": float(tokens[BETA, gamma] / tokens[0.0, gamma]) for gamma in GAMMAS}
        yield measured(f"{data}: tokens a call over SD's", model, tasks, gain, control, exceed=0.0)
        change, of_all = (
            student(cells[beta, LONG].values["right"] - cells[beta, SHORT].values["right"], level, -1, 1)
            for beta in (BETA, ALL)
        )
        control = {CONTROL_PASSES: of_all.high, "change where every draft is kept": of_all.estimate}
        plain = float(cells[0.0, LONG].values["right"].mean())
        control |= {"answers right by SD": plain}
        control |= {f"change from SD at γ = {g}": float(relaxed[g].values["right"].mean()) - plain for g in GAMMAS}
        yield measured(f"{data}: share of right answers", model, tasks, change, control, exceed=-MARGIN)


def _answers_plot(results: Results) -> dict[str, object]:
    series = []
    for cells in by_draft(results):
        plain = cells[0.0, LONG].values["right"].mean()
        tokens = {key: cell.values["tokens"].sum() / cell.values["calls"].sum() for key, cell in cells.items()}
        lost = [100 * float(plain - cells[BETA, gamma].values["right"].mean()) for gamma in GAMMAS]
        gains = [float(tokens[BETA, gamma] / tokens[0.0, gamma]) for gamma in GAMMAS]
        series.append({"name": str(cells[BETA, LONG].cell["draft"]), "x": lost, "y": gains})
    return figure(
        "Speed and right answers as drafts get longer",
        "right answers lost, points",
        "tokens per call over SD's",
        series,
    )


GAMMA_ACCURACY = empirical(
    name="ears.gamma-accuracy",
    statement=r"under EARS at $\beta = 0.1$ longer drafts compound the gain and not the loss, for a language model that answers "
    "tasks with known answers: from 1 to 10 drafts a call the ratio of tokens per call to those of speculative decoding grows, "
    "and the share of right answers falls by less than 1 point",
    reference="EARS, next check 2",
    note="Decided on the one language model here whose answers are checked, with each of its two drafts; decision processes, "
    "made up here, are ears.gamma-accuracy.families. Longer calls have fewer tokens that the target adds of its own, and more "
    "that EARS may pardon. Answers where every draft is kept stand beside: they must lose more than a point from 1 draft to 10. "
    "They do not surely: those of the draft of 3 bits are spoiled at 1 draft already, and the draft of 4 bits answers as well as "
    "the target.",
    study=answers_study,
    estimate=_answers,
    criterion=ANSWERED
    + "Supported when with each draft the ratio of tokens per call at β = 0.1 to those of speculative decoding is larger at "
    "γ = 10 than at γ = 1, and the share of right answers at γ = 10 less that at γ = 1 exceeds -0.01, by a bootstrap interval "
    "and a paired t-interval over tasks that hold together at 95 %, and the answers where every draft is kept fail the latter "
    "test; unsupported when one interval lies on the other side.",
    decide=with_control,
    plot=_answers_plot,
    printed=Printed(
        place="EARS, next check 2",
        text="measure both throughput and accuracy to reveal whether uncertainty-aware mechanism compounds "
        "benefits with longer drafts",
        read="On tasks with known answers: the gain grows, the loss does not.",
    ),
)
