"""Does the 2-Rényi entropy of a task's training outputs tell how long its outputs become? (TASC, Appendix E.)

A budget of new tokens is spent on the training outputs; the entropy of their tokens is set against the length of held-out
outputs, over a grid of budgets.  Beside it stand Shannon's entropy and the budget itself, which need no such theory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.estimates.intervals import Interval
from simspec.engine.row_values import gather
from simspec.engine.study import Result
from simspec.logits.corpora import Corpus
from simspec.studies.pad.accuracy import wilson
from simspec.studies.tasc.corpus_statistics import resampled
from simspec.studies.tasc.enrichment import enrichment, kendall
from simspec.studies.tasc.task_tokens import Task, enriched, prepare, read_tokenizer

__all__ = ["BUDGETS", "ORDERS", "PREDICTORS", "Prediction", "predictions"]

BUDGETS = tuple(range(0, 1001, 25))
ORDERS = (2, 3, 4)
PREDICTORS = {"H2": "2-Rényi entropy", "H": "Shannon entropy", "M": "the number of new tokens alone"}


class Prediction(NamedTuple):
    """How well each of `PREDICTORS` tells the held-out length, for one longest n-gram and one range of budgets.

    Attributes
    ----------
    n_max : int
    repeated : bool
        whether the range ends before the first new token whose n-gram occurs once only; it is learnt by heart, as the
        merge reward has it, for a long n-gram that occurs once outbids a short one that occurs twice.
    budgets, last : int; how many numbers of new tokens were compared, and the largest
    tau : {predictor: interval}
        Kendall's tau with the held-out length over the budgets; -1 is perfect.  The interval resamples held-out texts.
    direction : {predictor: interval}
        share of the steps from one budget to the next where predictor and length go opposite ways (Wilson interval,
        steps taken as independent).
    rises, shorter : int, interval or None
        steps that raise H2, and the share of them after which the outputs are shorter; None without such steps.
    """

    n_max: int
    repeated: bool
    budgets: int
    last: int
    tau: Mapping[str, Interval]
    direction: Mapping[str, Interval]
    rises: int
    shorter: Interval | None


def _prediction(result: Result, budget_limit: int, repeated: bool, level: float) -> Prediction | None:
    """Over the budgets up to `budget_limit`; None for fewer than three of them."""
    budget_numbers = [i for i, budget in enumerate(result.cell["budgets"]) if budget <= budget_limit]
    if len(budget_numbers) < 3:
        return None
    budgets = np.array(result.cell["budgets"], dtype=np.float64)[budget_numbers]
    lengths = result.values["tokens merge"][:, budget_numbers]
    predictors = {
        "H2": result.values["train renyi"][0, budget_numbers],
        "H": result.values["train shannon"][0, budget_numbers],
        "M": budgets,
    }
    fall = np.sign(np.diff(lengths[0]))
    tau = {}
    direction = {}
    for name, predictor in predictors.items():
        correlation = resampled(kendall(predictor, lengths), level)
        tau[name] = correlation._replace(low=max(correlation.low, -1.0), high=min(correlation.high, 1.0))
        direction[name] = wilson(int((np.sign(np.diff(predictor)) == -fall).sum()), len(fall), level)
    up = np.diff(predictors["H2"]) > 0
    rises = int(up.sum())
    shorter = wilson(int((up & (fall < 0)).sum()), rises, level) if rises else None
    return Prediction(
        n_max=result.cell["n_max"],
        repeated=repeated,
        budgets=len(budget_numbers),
        last=int(budgets[-1]),
        tau=tau,
        direction=direction,
        rises=rises,
        shorter=shorter,
    )


def _last(budgets: Sequence[int], budget_limit: int) -> int:
    return max(budget for budget in budgets if budget <= budget_limit)


def _task(
    corpus: Corpus, share: float = 0.2, seed: int = 0, texts: int | None = None, tokenizer: str | Path | None = None
) -> Task:
    (task,) = prepare([corpus], share, seed, tokenizer=None if tokenizer is None else read_tokenizer(tokenizer))
    if sum(map(bool, task.held)) < 2:
        raise ValueError(f"corpus: {corpus.name!r} has fewer than two held-out outputs; expected two or more")
    count = len(task.held) if texts is None else min(texts, len(task.held))
    numbers = [i * len(task.held) // count for i in range(count)]
    return replace(
        task,
        held=tuple(task.held[n] for n in numbers),
        inputs=tuple(task.inputs[n] for n in numbers),
        outputs=tuple(task.outputs[n] for n in numbers),
    )


def predictions(
    corpus: Corpus,
    budgets: Sequence[int] = BUDGETS,
    n_max: Sequence[int] = ORDERS,
    resamples: int = 100,
    level: float = 0.95,
    progress: Callable[[int, int], None] | None = None,
    **parts: Any,
) -> list[Prediction]:
    """Rank correlation and directional success over budgets, for each longest n-gram.

    Over all budgets that can be spent and, where new tokens come to be made of n-grams that occur once, over those before
    too; ranges of fewer than three budgets are left out.

    Parameters
    ----------
    corpus : Corpus
    budgets : ascending numbers of new tokens, 0 first
    n_max : longest n-grams merged
    resamples : int, at least 2
    level : in (0, 1)
    progress : (longest n-grams done, in all) -> None, optional
    **parts : share, seed, texts, tokenizer
        as in `simspec.logits.corpora.split`; most held-out outputs, at equal distances in the file; a path of a
        ``tokenizer.json``, by default byte-pair encoding of 2,000 tokens, trained on the training pairs.

    Raises ValueError for bad budgets, or a corpus without two held-out outputs.

    Each new token shortens the one kind of output there is: the number of tokens ranks the lengths without a fault.

    >>> same = Corpus("same", tuple("abcdef"), ("one two three four",) * 6, "by hand")
    >>> (found,) = predictions(same, budgets=(0, 1, 2), n_max=(2,), share=0.5, resamples=5)
    >>> found.tau["M"].estimate, found.direction["M"].estimate, found.budgets
    (-1.0, 1.0, 3)
    """
    task = _task(corpus, **parts)
    study = enrichment(lambda: [task], [corpus.name], budgets, (), n_max, orders=0, resamples=resamples)
    optional_predictions = []
    for result in gather(study, parts.get("seed", 0), progress=progress):
        merge_table = enriched(task, max(budgets), result.cell["n_max"])
        merge_count = len(merge_table.ids)
        first = next((i for i, count in enumerate(merge_table.merged) if count < 2), merge_count)
        optional_predictions.append(_prediction(result, merge_count, first == merge_count, level))
        if _last(budgets, first) < _last(budgets, merge_count):
            optional_predictions.append(_prediction(result, first, True, level))
    return [prediction for prediction in optional_predictions if prediction is not None]
