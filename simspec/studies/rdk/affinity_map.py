"""A piece of the affinity matrix, for looking at: tokens from the most frequent to the rarest, and how sharp rows are.

Ranks are evenly spaced on a logarithm, so that one map shows the few frequent tokens and the long tail.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import Array
from simspec.logits.bank import Bank
from simspec.methods.rdk.affinity import affinity_matrix
from simspec.studies.rdk.affinity import KINDS, TEMPERATURES, rows_of, sparsity

__all__ = ["affinity_map", "effective_tokens", "ranks"]


def ranks(vocab: int, points: int) -> NDArray[np.intp]:
    """Ranks from 0 to vocab - 1, in equal ratios where they are not one apart.

    >>> ranks(1000, 7).tolist()
    [0, 2, 9, 31, 99, 315, 999]
    """
    return np.unique(np.geomspace(1, vocab, points).round().astype(np.intp)) - 1


def effective_tokens(M: Array) -> Array:
    r"""Over how many tokens each row spreads: :math:`e^{H}`, with H its entropy in nats.

    >>> effective_tokens(np.array([[0.5, 0.5, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]])).round(9).tolist()
    [2.0, 4.0]
    """
    return np.exp(-(M * np.log(np.where(M > 0, M, 1))).sum(axis=-1))


def _map(bank: Bank, cell: Cell, rows: Rows, share: float, token_ranks: NDArray[np.intp]) -> Values:
    statistics = bank.statistics
    order = np.argsort(-statistics.counts.sum(axis=0, dtype=np.int64), kind="stable")
    tokens = order[token_ranks]
    omega, largest = rows_of(bank, cell["kind"], tokens[rows.numbers.start : rows.numbers.stop])
    M = affinity_matrix(omega, share * largest)
    values = {f"effective {t:g}": effective_tokens(affinity_matrix(omega, t * largest)) for t in TEMPERATURES}
    return values | {"map": M[:, tokens], "rank": (token_ranks + 1.0)[rows.numbers.start : rows.numbers.stop]}


def affinity_map(bank: Bank, points: int = 48, share: float = 0.01, rows: int = 256) -> Study:
    """A submatrix of M for each covariance, and the sparsity of rows drawn at random.

    Parameters
    ----------
    bank : Bank with statistics
    points : most tokens on each side of the map
    share : temperature of the map, as a share of the largest entry of the covariance
    rows : rows drawn at random for the sparsity, as in `simspec.studies.rdk.affinity.sparsity`

    Cells of part "map" hold a row for each token (``map``, ``rank``, and its effective number of tokens at each
    temperature); cells of part "rows" what `sparsity` gives.

    >>> from simspec.logits import open_bank
    >>> [cell["part"] for cell in affinity_map(open_bank("stories")).grid]
    ['map', 'map', 'map', 'rows', 'rows', 'rows']
    """
    token_ranks = ranks(bank.vocab, points)
    sparsity_study = sparsity(bank, bank.name, rows)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        return (
            _map(bank, cell, rows, share, token_ranks)
            if cell["part"] == "map"
            else sparsity_study.simulate(cell, rows, device)
        )

    base = {"bank": bank.name, "vocab": bank.vocab, "share": share}
    grid = [{**base, "kind": kind, "part": "map", "rows": len(token_ranks)} for kind in KINDS]
    grid += [{**base, "kind": kind, "part": "rows", "rows": rows} for kind in KINDS]
    return Study(
        name="affinity-map",
        question="What does the affinity matrix look like, row by row?",
        grid=tuple(grid),
        simulate=simulate,
        summary="entries of M between tokens of chosen ranks; shares of near-zero entries",
        rows=max(rows, len(token_ranks)),
    )
