"""Does one minus the largest probability rank positions as their entropy does?  Kendall's tau over contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from simspec import laws
from simspec.engine.estimates.intervals import RESAMPLES, Interval, document_weights
from simspec.engine.study import Cell, Rows, Study, Values, cross
from simspec.kernels import random as philox
from simspec.laws import Array, unchecked
from simspec.logits.bank import Bank
from simspec.logits.bank.cut import CutRows
from simspec.methods.ears.acceptance import UNCERTAINTIES, one_minus_max
from simspec.studies.ears.real import PAIRS, in_blocks, synthetic_laws

__all__ = ["SIGNALS", "kendall", "kendall_interval", "uncertainty_ranks"]

SIGNALS = ("one minus max", "variance", "entropy")
"""Uncertainty of a law; the entropy is in nats."""


def kendall(x: Array, y: Array, weights: Array | None = None) -> Array:
    r"""Kendall's :math:`\tau_b` of two rankings, where each row of `weights` says how often each position counts.

    :math:`\sum_{ij} w_i w_j\, s_{ij} t_{ij} / \sqrt{\sum_{ij} w_i w_j s_{ij}^2 \sum_{ij} w_i w_j t_{ij}^2}` with
    :math:`s_{ij} = \mathrm{sgn}(x_i - x_j)`, :math:`t_{ij} = \mathrm{sgn}(y_i - y_j)`: that of the sample in which
    position i occurs :math:`w_i` times.

    Parameters
    ----------
    x, y : (n,) finite numbers
    weights : (..., n) numbers that are not negative; one each by default

    Raises ValueError for different lengths, values that are not finite, or an x or y in which all positions are equal.

    >>> kendall(np.array([1, 2, 3]), np.array([1, 3, 2])).round(6)
    np.float64(0.333333)
    """
    x = np.asarray(x, dtype=np.float64)
    y = np.asarray(y, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1 or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError(f"x, y: shapes {x.shape}, {y.shape}; expected two finite arrays of one length")
    w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
    s, t = (np.sign(v[:, None] - v[None, :]) for v in (x, y))
    if not (s.any() and t.any()):
        raise ValueError("x, y: one of them has the same value at every position; expected two values or more")
    concordance = ((w @ (s * t)) * w).sum(axis=-1)
    spread = np.sqrt(_untied(s, w) * _untied(t, w))
    return np.where(spread > 0, concordance / np.where(spread > 0, spread, 1), 0)[()]


def _untied(signs: Array, w: Array) -> Array:
    """Weight of the pairs that are no tie; where positions tie only with their own copies, without a matrix product."""
    if np.count_nonzero(signs) == len(signs) * (len(signs) - 1):
        return w.sum(axis=-1) ** 2 - (w * w).sum(axis=-1)
    return ((w @ (signs * signs)) * w).sum(axis=-1)


def kendall_interval(x: Array, y: Array, document: Array, level: float = 0.95, resamples: int = RESAMPLES) -> Interval:
    r"""Bootstrap interval over documents for Kendall's :math:`\tau_b`: documents are drawn, each with all its contexts.

    Two copies of one context are a tie in both rankings, and ties of both kinds are left out of :math:`\tau_b`.

    Parameters
    ----------
    x, y : (n,) finite numbers
    document : (n,) numbers, equal for contexts of one document; at least two documents
    level : in (0, 1)
    resamples : int

    >>> kendall_interval(np.arange(4), np.arange(4), np.arange(4)).estimate
    1.0
    """
    names, index = np.unique(np.asarray(document), return_inverse=True)
    if len(index) != len(x) or len(names) < 2:
        raise ValueError(
            f"document: {len(index)} contexts of {len(names)} documents; expected {len(x)} contexts, two documents or more"
        )
    estimate = float(kendall(x, y))
    # contexts of a document have one weight: the sums over pairs of contexts become sums over pairs of documents
    s, t = (np.sign(v[:, None] - v[None, :]) for v in (np.asarray(x, dtype=float), np.asarray(y, dtype=float)))
    weights = document_weights(len(names), resamples)

    def summed(products: Array) -> Array:
        by_row = np.zeros((len(names), len(index)))
        np.add.at(by_row, index, products)
        by_document = np.zeros((len(names), len(names)))
        np.add.at(by_document, index, by_row.T)
        return ((weights @ by_document) * weights).sum(axis=-1)

    spread = np.sqrt(summed(s * s) * summed(t * t))
    resampled = np.where(spread > 0, summed(s * t) / np.where(spread > 0, spread, 1), 0)
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2])
    return Interval(estimate, float(low), float(high), level)


def _signals(p: Array) -> Array:
    return np.stack([one_minus_max(p), UNCERTAINTIES["variance"](p), unchecked.entropy(p)], axis=-1)


def _cut_signals(cut: CutRows, rows: slice) -> Array:
    """The same of cut rows: the entropy is that of the whole law, and the likeliest token is always kept.

    The sum of squares leaves out the tokens that are not kept: less than the rest's mass times the least of the kept ones.
    """
    kept = cut.laws(rows)[0][:, :-1]
    return np.stack([one_minus_max(kept), UNCERTAINTIES["variance"](kept), cut.entropy[rows]], axis=-1)


def uncertainty_ranks(
    banks: Mapping[str, Bank],
    data: Mapping[str, str],
    pairs: Sequence[Cell] = PAIRS,
    rows: int = 200,
    temperatures: Sequence[float] = (0.25, 0.5, 1.0),
    cut_data: Mapping[str, str] | None = None,
) -> Study:
    """Uncertainty of the target in each context by each of `SIGNALS`, and a control.

    The control ``shuffled`` is one minus max at positions in a random order, which ranks nothing; ``document`` is the
    unit for intervals.  At temperature 1 the cut rows of a bank count too, with the entropies of their whole laws.

    Parameters
    ----------
    banks : banks by name
    data : what each bank is, for the report
    pairs : synthetic pairs, of which the target is used
    rows : contexts of each synthetic target
    temperatures : of the softmax
    cut_data : what the cut rows of each bank are, where it has some
    """

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        """The signals of some rows."""
        if "bank" in cell:
            row_slice = slice(rows.numbers.start, rows.numbers.stop)
            bank = banks[cell["bank"]]
            source = bank.cut if cell["cut"] else bank
            document = np.asarray(source.documents, dtype=np.float64)[row_slice]
            if cell["cut"]:
                signals = _cut_signals(bank.cut, row_slice)
            else:
                z = bank.target(row_slice)
                signals = in_blocks(
                    lambda a, _: _signals(laws.softmax(a.astype(np.float64), cell["temperature"])), z, z
                )
        else:
            signals = _signals(synthetic_laws(cell, rows)[0])
            document = np.asarray(rows.numbers, dtype=np.float64)
        values = dict(zip(SIGNALS, signals.T, strict=True))
        order = np.argsort(philox.uniform(rows.key, rows.numbers, [0], 5)[:, 0], kind="stable")
        return values | {"shuffled": values[SIGNALS[0]][order], "document": document}

    grid: list[Cell] = []
    for name, bank in banks.items():
        for t in temperatures:
            is_cut = t == 1 and bank.cut is not None
            contexts = bank.cut.contexts if is_cut else bank.contexts
            label = (cut_data or {}).get(name) if is_cut else None
            grid.append({"bank": name, "data": label or data[name], "temperature": t, "cut": is_cut, "rows": contexts})
    return Study(
        name="ears-uncertainty",
        question="Does one minus the largest probability rank positions as entropy does?",
        grid=(*grid, *({**pair, **cell, "rows": rows} for pair in pairs for cell in cross(temperature=temperatures))),
        simulate=simulate,
        summary="uncertainty of the target in each context",
        rows=max([rows, *(int(cell["rows"]) for cell in grid)]),
    )
