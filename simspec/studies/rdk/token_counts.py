"""How long the tail of a vocabulary is, from token counts per document fold.

Ranking tokens by the counts that are then summed is optimistic: with few occurrences the rare tokens that happened to
come up look frequent.  Each fold's occurrences are therefore ranked by the other folds; the pooled figure stands beside.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.logits.bank import Bank, MissingPart

__all__ = ["SHARES", "carrying", "tail_mass", "token_counts"]

SHARES = tuple(float(x) for x in np.geomspace(1e-3, 1, 25))
"""Shares of the vocabulary at which the curve of carried occurrences is given."""


def _ranked(counts: ArrayLike, ranking: ArrayLike) -> NDArray[np.float64]:
    """Running share of the occurrences, most frequent (by `ranking`) first; ties by token number."""
    counts = np.asarray(counts, dtype=np.float64)
    ranking = np.asarray(ranking, dtype=np.float64)
    if counts.shape != ranking.shape or counts.ndim != 1 or not counts.sum() > 0:
        raise ValueError(
            f"counts: shape {counts.shape}, sum {counts.sum()}; expected (V,) with at least one occurrence"
        )
    running = np.cumsum(counts[np.argsort(-ranking, kind="stable")])
    return running / running[-1]


def carrying(counts: ArrayLike, ranking: ArrayLike, mass: float = 0.95) -> float:
    """Share of the vocabulary, most frequent first, that carries at least `mass` of the occurrences.

    Parameters
    ----------
    counts : (V,) occurrences
    ranking : (V,) what the tokens are ranked by: the same counts, or those of other documents
    mass : in (0, 1]

    >>> carrying([5, 3, 2, 0], [5, 3, 2, 0], 0.8)
    0.5
    """
    running = _ranked(counts, ranking)
    return (int(np.searchsorted(running, mass * (1 - 1e-12))) + 1) / len(running)


def tail_mass(counts: ArrayLike, ranking: ArrayLike, share: float = 0.75) -> float:
    """Share of the occurrences that fall on the least frequent `share` of the vocabulary.

    >>> tail_mass([5, 3, 2, 0], [5, 3, 2, 0], 0.5)
    0.2
    """
    running = _ranked(counts, ranking)
    head = len(running) - int(share * len(running))
    return round(float(1 - (running[head - 1] if head else 0)), 12)


def _simulate(banks: dict[str, Bank], cell: Cell, rows: Rows) -> Values:
    """Return coverage and tail mass for each fold, ranked by the other folds, beside the pooled figures."""
    statistics = banks[cell["bank"]].statistics
    if statistics is None:
        raise MissingPart(
            f"bank: {banks[cell['bank']].name!r} has no statistics; expected token counts per document fold "
            "(record it with --statistics N --statistics-text FILE)"
        )
    counts = statistics.counts.astype(np.float64)
    pooled = counts.sum(axis=0)
    # (occurrences of the fold, counts of the others by which its tokens are ranked)
    folds = [(counts[i], pooled - counts[i]) for i in rows.numbers]
    head = [max(1, round(share * counts.shape[1])) - 1 for share in SHARES]
    constants: dict[str, Any] = {
        "pooled carrying": carrying(pooled, pooled),
        "pooled tail": tail_mass(pooled, pooled),
        "law carrying": carrying(statistics.mean, statistics.mean),
        "law tail": tail_mass(statistics.mean, statistics.mean),
        "seen": float((pooled > 0).mean()),
        "occurrences": float(pooled.sum()),
        "pooled curve": _ranked(pooled, pooled)[head],
        "law curve": _ranked(statistics.mean, statistics.mean)[head],
    }
    values = {
        "carrying": np.array([carrying(*fold) for fold in folds]),
        "tail": np.array([tail_mass(*fold) for fold in folds]),
        "curve": np.array([_ranked(*fold)[head] for fold in folds]),
    }
    return values | {name: np.array([value] * len(folds)) for name, value in constants.items()}


def token_counts(banks: dict[str, Bank], data: dict[str, str]) -> Study:
    """Length of the tail, one row a document fold: share of the vocabulary that carries 95 %, mass of the last 75 %.

    Parameters
    ----------
    banks : banks with statistics, by name
    data : what each bank is, for the report
    """
    folds = {name: 1 if bank.statistics is None else len(bank.statistics.counts) for name, bank in banks.items()}
    return Study(
        name="token-counts",
        question="How many tokens of the vocabulary make up a given share of the text?",
        grid=tuple(
            {"bank": name, "data": data[name], "rows": folds[name], "vocab": banks[name].vocab} for name in banks
        ),
        simulate=lambda cell, rows, device: _simulate(banks, cell, rows),
        summary="shares of the vocabulary and of the occurrences, each fold ranked by the others",
        rows=max(folds.values()),
    )
