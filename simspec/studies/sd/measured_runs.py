"""How long a block gets along the text: acceptance at consecutive positions of a bank's cut rows, exact for the whole laws.

Where `simspec.studies.sd.measured_lengths` knows single places of texts and gives two ends, runs of consecutive positions say
what lies between them.  A block may begin at any position of a run from which all its drafts stay within the run.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import Array
from simspec.logits.bank import Bank, MissingPart

__all__ = ["along", "measured_runs", "run_rows", "runs"]


def along(alpha: Array, gammas: tuple[int, ...]) -> Array:
    r"""Expected tokens of a block along runs of positions, mean over the places where it may begin, (n, number of gammas).

    :math:`1 + \sum_{j \le \gamma} \prod_{i < j} \alpha_{s+i}` for a block that begins at position s.

    Parameters
    ----------
    alpha : (n, L) acceptance at consecutive positions
    gammas : numbers of drafts of a block, each from 1 to L

    Raises ValueError for a block longer than a run.

    >>> along(np.array([[0.5, 0.5, 1.0]]), (1, 2)).round(4).tolist()
    [[1.6667, 1.875]]
    """
    if max(gammas) > alpha.shape[1]:
        raise ValueError(f"gammas: {max(gammas)}; expected at most {alpha.shape[1]} drafts, the positions of a run")
    tokens = []
    for gamma in gammas:
        blocks = np.lib.stride_tricks.sliding_window_view(alpha, gamma, axis=1)
        tokens.append(1 + np.cumprod(blocks, axis=-1).sum(axis=-1).mean(axis=-1))
    return np.stack(tokens, axis=-1)


def run_rows(bank: Bank, kinds: tuple[str, ...]) -> tuple[NDArray[np.intp], Array]:
    """Numbers of the cut rows of the runs of some kinds of text, (runs, L), and the document of each run, (runs,).

    Parameters
    ----------
    bank : Bank; with cut rows, of each document one run of consecutive positions, all of one length
    kinds : kinds of prompts, or names of text files

    Raises MissingPart for a bank without cut rows; ValueError where a document's positions are not consecutive or are more or
    fewer than another's.

    >>> from simspec.logits import open_bank
    >>> order, document = run_rows(open_bank("smollm2"), ("chat",))
    >>> order.shape, len(set(document.tolist()))
    ((28, 12), 28)
    """
    if bank.cut is None:
        raise MissingPart(f"bank: {bank.name!r} has no cut rows; expected a bank of consecutive positions, as smollm2")
    index = bank.cut.index
    of_kinds = np.flatnonzero(np.isin(index.corpus, kinds))
    order = of_kinds[np.lexsort((index.position[of_kinds], index.document[of_kinds]))]
    documents, counts = np.unique(index.document[order], return_counts=True)
    length = int(counts[0]) if len(counts) else 0
    positions = index.position[order]
    if not len(counts) or (counts != length).any() or (np.diff(positions.reshape(-1, length), axis=1) != 1).any():
        raise ValueError(
            f"kinds: {', '.join(kinds)}; expected runs of consecutive positions, one a document, of one length"
        )
    return order.reshape(-1, length), documents.astype(np.float64)


def runs(bank: Bank, kinds: tuple[str, ...]) -> tuple[Array, Array]:
    """Acceptance along the runs of some kinds of text, (runs, L), and the document of each run, (runs,).

    Parameters, errors as in `run_rows`.

    >>> from simspec.logits import open_bank
    >>> alpha, document = runs(open_bank("smollm2"), ("chat",))
    >>> alpha.shape, len(set(document.tolist()))
    ((28, 12), 28)
    """
    order, document = run_rows(bank, kinds)
    return np.clip(bank.cut.overlap[order], 0, 1), document


def measured_runs(bank: Bank, kinds: tuple[str, ...], limit: int | None = None) -> Study:
    """Acceptance along runs of consecutive positions, a row a run and a cell for each draft of the bank.

    Values of a run: ``alpha`` of its positions, (rows, L), and its ``document``.

    Parameters
    ----------
    bank : Bank; with cut rows
    kinds : kinds of text, see `runs`
    limit : how many runs; by default all

    >>> from simspec.logits import open_bank
    >>> measured_runs(open_bank("smollm2"), ("chat", "code")).grid[1]
    {'draft': 'quantised:4', 'rows': 56}
    """
    rows_by_draft = {name: runs(bank.with_draft(name), kinds) for name in bank.drafts}
    available = len(next(iter(rows_by_draft.values()))[1])
    count = min(limit or available, available)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        alpha, document = rows_by_draft[cell["draft"]]
        row_slice = slice(rows.numbers.start, rows.numbers.stop)
        return {"alpha": alpha[row_slice], "document": document[row_slice]}

    return Study(
        name="measured-runs",
        question="What is the acceptance rate at consecutive positions of a text?",
        grid=tuple({"draft": name, "rows": count} for name in bank.drafts),
        simulate=simulate,
        summary="acceptance rates of whole laws, exact for each position",
        rows=count,
    )
