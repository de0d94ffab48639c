"""What enrichment of a tokenizer does to a task's outputs: lengths, entropies and surprisal as tokens are added.

Everything is measured on outputs held out, but for the token law of the training outputs (``train ...``), which is what can
be known before anything is run.  Row 0 of a cell is the corpus, every further row a bootstrap sample of its held-out
pairs; the split, the base tokenizer and the new tokens are the same in all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from simspec import laws
from simspec.engine.study import Cell, Rows, Study, Values
from simspec.kernels import random as philox
from simspec.laws import Array
from simspec.methods.tasc.encoding import expansions
from simspec.methods.tasc.enrichment import Enrichment
from simspec.methods.tasc.statistics import token_counts
from simspec.studies.tasc.surprisal import surprisals
from simspec.studies.tasc.task_tokens import Task, added_ids, enriched, snapshots, text_lengths

__all__ = ["ENCODINGS", "ORDERS", "budgets_of", "enrichment", "kendall", "law_entropies", "merged_bits", "pair_weights"]

ENCODINGS = ("merge", "added")
"""Through the merge table, and with added tokens that are matched in the text before the base tokenizer sees the rest."""
ORDERS = 3
"""Longest n-gram of the models whose surprisal is measured; those of all smaller orders are measured too."""


def budgets_of(cell: Cell, budget_key: str = "budgets") -> list[int]:
    """Numbers of new tokens at which a cell is measured: at all ``budgets``, or at the few ``shown`` in full.

    >>> budgets_of({"budgets": [0, 5, 10], "shown": [0, 10]}, "shown")
    [0, 10]
    """
    return list(cell[budget_key])


def pair_weights(key: int, numbers: range, pairs: int) -> NDArray[np.int64]:
    """How often each pair counts in each row: once in row 0, as often as it is drawn in the others.

    >>> pair_weights(0, range(3), 4).sum(axis=1).tolist(), pair_weights(0, range(1), 4).tolist()
    ([4, 4, 4], [[1, 1, 1, 1]])
    """
    weights = np.ones((len(numbers), pairs), dtype=np.int64)
    for i, number in enumerate(numbers):
        if number:
            sampled_pairs = np.floor(philox.uniform(key, [number], range(pairs))[0] * pairs).astype(np.int64)
            weights[i] = np.bincount(np.minimum(sampled_pairs, pairs - 1), minlength=pairs)
    return weights


def law_entropies(counts: Array, vocab: int) -> dict[str, float]:
    r"""Entropies of a token law given by counts.

    Returns
    -------
    dict
        ``shannon`` and ``renyi`` (order 2) in nats, and both divided by :math:`\log V` (``normalised``, ``flatness``).

    >>> law_entropies(np.array([1, 1]), vocab=4)["normalised"]
    0.5
    """
    law = counts / counts.sum()
    shannon = float(laws.entropy(law))
    renyi = float(laws.renyi(law, 2))
    return {
        "shannon": shannon,
        "renyi": renyi,
        "normalised": shannon / float(np.log(vocab)),
        "flatness": renyi / float(np.log(vocab)),
    }


def kendall(x: Array, y: Array) -> NDArray[np.float64]:
    r"""Kendall's rank correlation :math:`\tau_b` along the last axis; 0 where one side is constant.

    >>> kendall(np.array([1, 2, 3]), np.array([[9, 8, 7], [1, 3, 2]])).round(4).tolist()
    [-1.0, 0.3333]
    """
    a, b = (np.sign(v[..., :, None] - v[..., None, :]) for v in (np.asarray(x, np.float64), np.asarray(y, np.float64)))
    norm = np.sqrt((a * a).sum(axis=(-2, -1)) * (b * b).sum(axis=(-2, -1)))
    return np.asarray((a * b).sum(axis=(-2, -1)) / np.where(norm > 0, norm, 1))


# --- the study --------------------------------------------------------------------------------------------------------


def _sums(texts: Sequence[Sequence[int]], values: Array) -> NDArray[np.float64]:
    """Sum over the tokens of each text."""
    owner = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    return np.bincount(owner, values, minlength=len(texts)).astype(np.float64)


def _weighed(weights: Array, values: Array) -> Array:
    """Sum over the pairs of each row, in an order that does not depend on how many rows there are."""
    return np.asarray((weights * values).sum(axis=1))


def _lengths(texts: Sequence[Sequence[int]]) -> Array:
    return np.array([len(text) for text in texts], dtype=np.float64)


def _usage(lengths: Array, weights: Array, size: Array) -> dict[str, Array]:
    """Tokens a text, and bytes a token averaged over texts (those without a token apart)."""
    some = lengths > 0
    per_token = np.where(some, size / np.where(some, lengths, 1), 0)
    return {
        "tokens": _weighed(weights, lengths) / weights.sum(axis=1),
        "bytes per token": _weighed(weights, per_token) / _weighed(weights, some),
    }


def _laws(texts: Sequence[Sequence[int]], weights: Array, vocab: int) -> dict[str, Array]:
    flat = np.array([t for text in texts for t in text], dtype=np.int64)
    owner = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    rows = [law_entropies(np.bincount(flat, w[owner], minlength=vocab), vocab) for w in weights]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _evenness(bits: Array, texts: Sequence[Sequence[int]], weights: Array) -> dict[str, Array]:
    """Mean surprisal of a token, and its variance: all tokens together, and around the mean of each text."""
    lengths = _lengths(texts)
    bit_sums = _sums(texts, bits)
    two = _sums(texts, bits**2)
    tokens = _weighed(weights, lengths)
    mean = _weighed(weights, bit_sums) / tokens
    inside = two - bit_sums**2 / np.where(lengths > 0, lengths, 1)
    within = _weighed(weights, np.maximum(inside, 0)) / np.maximum(_weighed(weights, np.maximum(lengths - 1, 0)), 1)
    return {
        "mean": mean,
        "variance": _weighed(weights, two) / tokens - mean**2,
        "within": within,
        "variation": np.sqrt(within) / mean,
    }


def merged_bits(
    texts: Sequence[Sequence[int]], merge_table: Enrichment, bits: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    r"""Surprisal of each token of enriched texts under a model that keeps its law over texts.

    A new token stands for n base tokens, and by the chain rule has the sum of their surprisals:
    :math:`-\log_2 p(t_1 \ldots t_n \mid h) = -\sum_i \log_2 p(t_i \mid h\,t_1 \ldots t_{i-1})`.

    Parameters
    ----------
    texts : enriched texts, in tokens of the base and new ones
    merge_table : Enrichment
    bits : of each text, the surprisal of each of its base tokens

    Returns
    -------
    array (tokens of the enriched texts,)

    >>> from simspec.methods.tasc.enrichment import enrich
    >>> done = enrich([[0, 1, 2, 0, 1]], budget=1, vocab=3)
    >>> merged_bits(done.texts, done, [np.array([1.0, 2.0, 4.0, 8.0, 16.0])]).tolist()
    [3.0, 4.0, 24.0]
    """
    sizes = np.ones(merge_table.vocab + len(merge_table.ids), dtype=np.int64)
    for new, expansion in zip(merge_table.ids, expansions(merge_table), strict=True):
        sizes[new] = len(expansion)
    lengths = sizes[np.array([token for text in texts for token in text], dtype=np.int64)]
    flat = np.concatenate(bits) if bits else np.zeros(0)
    return np.add.reduceat(flat, np.cumsum(lengths) - lengths)


def _train(task: Task, merge_table: Enrichment, budgets: Sequence[int]) -> dict[str, list[float]]:
    """Entropies of the training outputs' token law, from the counts of what each merge merged."""
    counts = np.concatenate([token_counts(task.train, task.vocab), np.zeros(len(merge_table.ids), dtype=np.int64)])
    columns: dict[str, list[float]] = {}
    merges_applied = 0
    for budget in budgets:
        for step in range(merges_applied, min(budget, len(merge_table.ids))):
            for token in merge_table.ngrams[step]:
                counts[token] -= merge_table.merged[step]
            counts[merge_table.ids[step]] += merge_table.merged[step]
            merges_applied = step + 1
        for name, value in law_entropies(counts[: task.vocab + merges_applied], task.vocab + merges_applied).items():
            columns.setdefault(f"train {name}", []).append(value)
        columns.setdefault("train tokens", []).append(merge_table.lengths[merges_applied] / len(task.train))
    return columns


def _simulate(task: Task, cell: Cell, rows: Rows) -> Values:
    """Return lengths, entropies and surprisals of the held-out outputs, a line for each row, a column for each budget."""
    budgets = budgets_of(cell)
    detailed_budgets = budgets_of(cell, "shown")
    orders = cell["orders"]
    merge_table = enriched(task, max(budgets), cell["n_max"])
    weights = pair_weights(rows.key, rows.numbers, len(task.held))
    size = task.bytes.astype(np.float64)
    columns: dict[str, list[Array]] = {}

    def keep(measures: Mapping[str, Array], end: str) -> None:
        for name, column in measures.items():
            columns.setdefault(f"{name} {end}", []).append(column)

    held_out_lists = {}
    sizes = [len(text) for text in task.held]
    for budget, now in snapshots(task.held, merge_table, budgets):
        keep(_usage(text_lengths(now, sizes), weights, size), "merge")
        if budget in detailed_budgets:
            held_out_lists[budget] = now.lists()
    for budget, now in snapshots(task.train, merge_table, detailed_budgets):
        vocab = task.vocab + min(budget, len(merge_table.ids))
        keep(_laws(held_out_lists[budget], weights, vocab), "merge")
        if task.tokenizer is not None:
            added = added_ids(task, merge_table, budget) if budget else task.held
            keep({f"shown {n}": v for n, v in _usage(_lengths(added), weights, size).items()}, "added")
            keep(_laws(added, weights, vocab), "added")
        if task.held_bits is not None:
            bits = merged_bits(held_out_lists[budget], merge_table, task.held_bits)
            keep(_evenness(bits, held_out_lists[budget], weights), "own")
        if orders:
            for order, bits in enumerate(surprisals(now.lists(), held_out_lists[budget], vocab, orders), start=1):
                keep(_evenness(bits, held_out_lists[budget], weights), f"{order}")
    values = {name: np.stack(column, axis=1) for name, column in columns.items()}
    count = len(rows.numbers)
    for name, train_column in _train(task, merge_table, budgets).items():
        values[name] = np.broadcast_to(np.array(train_column), (count, len(budgets)))
    # what follows has one value for each row, whatever the budget
    values["bytes"] = _weighed(weights, size)
    values["pairs"] = np.full(count, float(len(task.held)))
    values["made"] = np.full(count, float(len(merge_table.ids)))
    return values


def enrichment(
    tasks: Callable[[], Sequence[Task]],
    names: Sequence[str],
    budgets: Sequence[int],
    shown: Sequence[int] = (0, 500, 1000),
    n_max: Sequence[int] = (4,),
    orders: int = ORDERS,
    resamples: int = 100,
) -> Study:
    """Lengths, entropies and surprisal of held-out outputs as a tokenizer gets new tokens.

    Values have one column a budget.  At all budgets: ``tokens merge`` (tokens a text), ``bytes per token merge`` (mean of
    texts), and ``train tokens``, ``train shannon``, ``train renyi``, ``train normalised``, ``train flatness`` of the
    training outputs.  At the budgets ``shown``, in cells of the largest n_max: ``shown tokens added``, ``shown bytes per
    token added``, the entropies ``shannon``, ``renyi``, ``normalised``, ``flatness`` of either encoding, and of models of
    each order n ``mean n``, ``variance n``, ``within n`` and ``variation n`` of the surprisal of a token (bits; within:
    around the mean of its text; variation: its root over the mean).  Of a task without a tokenizer nothing is ``added``; of
    one with surprisals of a language model ``own`` stands in the place of an order: the same under that model, whose law over
    texts is kept (`merged_bits`).

    Parameters
    ----------
    tasks : () -> tasks; asked for when the first cell is simulated
    names : names of these tasks, in their order
    budgets : ascending numbers of new tokens, 0 first
    shown : budgets that are measured in full
    n_max : longest n-grams merged
    orders : int; longest n-gram of the surprisal models, 0 for none
    resamples : int, at least 2

    Raises ValueError for budgets that do not begin with 0 or do not ascend, a shown budget that is none of them, or too
    few resamples.

    >>> from simspec.logits.corpora import Corpus
    >>> from simspec.engine.row_values import gather
    >>> from simspec.studies.tasc.task_tokens import prepare
    >>> pairs = Corpus("greeting", ("1", "2", "3", "4"), ("hello you", "hello you", "hello you", "hello you"), "by hand")
    >>> study = enrichment(lambda: prepare([pairs]), ["greeting"], [0, 1], shown=[0, 1], orders=1, resamples=2)
    >>> gather(study)[0].values["tokens merge"].tolist()
    [[2.0, 1.0], [2.0, 1.0], [2.0, 1.0]]
    """
    ascending = list(budgets) == sorted(set(budgets)) and list(budgets[:1]) == [0]
    if not ascending or not set(shown) <= set(budgets):
        raise ValueError(
            f"budgets, shown: {list(budgets)}, {list(shown)}; expected 0 and more, ascending, shown among them"
        )
    if resamples < 2:
        raise ValueError(f"resamples: {resamples}; expected two or more")
    cached_tasks = cache(lambda: tuple(tasks()))
    full = max(n_max)
    grid = tuple(
        {
            "task": name,
            "number": number,
            "n_max": n,
            "budgets": list(budgets),
            "shown": list(shown) if n == full else [],
            "orders": orders if n == full else 0,
        }
        for number, name in enumerate(names)
        for n in n_max
    )
    return Study(
        name="enrichment",
        question="How much do new tokens shorten a task's outputs and flatten their distribution of tokens?",
        grid=grid,
        simulate=lambda cell, rows, device: _simulate(cached_tasks()[cell["number"]], cell, rows),
        summary="held-out outputs under an enriched tokenizer; row 0 the corpus, the others bootstrap samples of its pairs",
        rows=1 + resamples,
    )
