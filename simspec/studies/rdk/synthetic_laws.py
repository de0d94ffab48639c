"""Synthetic target laws, sorted: what Student-t logits make of 200,000 tokens, beside the family and beside real laws."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simspec.checks import needs
from simspec.engine.study import Cell, Rows, Study, Values
from simspec.kernels import random as philox
from simspec.laws import Array, softmax
from simspec.logits import synthetic
from simspec.logits.bank import Bank

__all__ = ["family", "ranks", "synthetic_laws"]

POINTS = 60


def ranks(vocab: int) -> Array:
    """Ranks from 1 to V in about equal ratios, both ends among them.

    >>> ranks(4).tolist()
    [1, 2, 3, 4]
    """
    return np.unique(np.geomspace(1, vocab, POINTS).round().astype(int))


def family(df: float, scale: float, vocab: int) -> Array:
    r"""The law whose logits are the quantiles of a Student-t, :math:`z_r = \sigma\,F^{-1}((V - r + 1/2)/V)`, largest first.

    Parameters
    ----------
    df : degrees of freedom; infinity is the normal
    scale : of the logits
    vocab : V

    >>> law = family(np.inf, 1.0, 3)  # quantiles at 1/6, 1/2, 5/6
    >>> (law[0] / law[1]).round(4) == (law[1] / law[2]).round(4)
    np.True_
    """
    (special,) = needs("quantiles", "scipy.special")
    at = (np.arange(vocab, 0, -1) - 0.5) / vocab
    return softmax(scale * (special.ndtri(at) if np.isinf(df) else special.stdtrit(df, at)))


def _simulate(banks: Mapping[str, Bank], cell: Cell, rows: Rows) -> Values:
    places = ranks(cell["vocab"]) - 1
    if "bank" in cell:
        logits = banks[cell["bank"]].target(np.array(rows.numbers)).astype(np.float64)
        return {"sorted": -np.sort(-softmax(logits), axis=-1)[:, places]}
    df = float(cell["df"])
    scale = float(cell["scale"])
    vocab = int(cell["vocab"])
    row_draws = (philox.Draws(rows.key, range(row, row + 1)) for row in rows.numbers)
    row_logits = (synthetic.student_t(draws, vocab, df=df, scale=scale)[0] for draws in row_draws)
    sorted_laws = np.stack([-np.sort(-softmax(z))[places] for z in row_logits])
    return {"sorted": sorted_laws, "family": np.tile(family(df, scale, vocab)[places], (len(sorted_laws), 1))}


def synthetic_laws(
    vocab: int, logits: tuple[tuple[float, float], ...], banks: Mapping[str, Bank], rows: int = 24
) -> Study:
    """Sorted probabilities at some ranks, one row a law; a cell for each pair (df, scale) and, three times the rows, each bank.

    Values: ``sorted`` (ranks of `ranks`) of the law drawn, or of a context of the bank; ``family``, those of the
    family's quantiles, the same for every row of a synthetic cell.

    >>> len(synthetic_laws(100, ((5, 1), (10, 1)), {}).grid)
    2
    """
    synthetic_cells: list[Cell] = [{"vocab": vocab, "df": df, "scale": scale, "rows": rows} for df, scale in logits]
    real: list[Cell] = [
        {"bank": name, "vocab": bank.vocab, "rows": min(3 * rows, bank.contexts)} for name, bank in banks.items()
    ]
    return Study(
        name="synthetic-laws",
        question="Which distributions do Student-t logits give, and do real ones look like them?",
        grid=(*synthetic_cells, *real),
        simulate=lambda cell, rows, device: _simulate(banks, cell, rows),
        summary="probability of the token of each rank",
        rows=max([rows, *(cell["rows"] for cell in real)]),
    )
