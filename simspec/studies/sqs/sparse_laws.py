"""What sparsifying does to each context: the target's mass among kept tokens; rejection beside a dense law of as many bits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import Array, unchecked
from simspec.logits.bank import Bank
from simspec.methods.sqs.lattice_laws import above_law, top_law
from simspec.methods.sqs.payload import dense_bits, payload_bits
from simspec.methods.sqs.quantised import threshold_mask, top_mask
from simspec.studies.pairs import bank_laws

__all__ = ["dense_at", "sparse_laws"]


@lru_cache(maxsize=4096)
def dense_at(vocab: int, bits: int) -> int:
    """The finest dense lattice that takes no more bits; 0 where even one unit takes more.

    >>> dense_at(4, 5), dense_at(4, 1)  # 20 points of three units take five bits
    (3, 0)
    """
    low = 0
    high = 1
    while dense_bits(vocab, high) <= bits:
        low = high
        high = 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if dense_bits(vocab, middle) <= bits else (low, middle)
    return low


def _dense(p: Array, q: Array, bits: Array) -> Array:
    """Rejection of the dense quantised law at the bits of each context; 1 where nothing can be sent."""
    rejection = np.ones(len(q))
    finest = np.array([dense_at(q.shape[-1], int(b)) for b in bits])
    for resolution in np.unique(finest[finest > 0]):
        here = finest == resolution
        rejection[here] = unchecked.tv(p[here], top_law(q[here], q.shape[-1], int(resolution)))
    return rejection


def sparse_laws(
    bank: Bank,
    label: str,
    sizes: Sequence[int],
    threshold: float,
    temperatures: Sequence[float],
    resolution: int = 100,
    rows: int | None = None,
) -> Study:
    """Of each context of a bank: the target's mass in the top K of the draft, rejection, and that of the dense law.

    Values: ``mass K``, ``own mass K`` (in the target's own top K), ``rejected K``, ``dense K`` (the dense law of no more bits),
    ``rejected β``, ``dense β`` for a threshold that is held, and ``document``.

    Parameters
    ----------
    bank : a pair
    label : what it is called in the cells
    sizes : K of K-SQS
    threshold : β of C-SQS, held
    temperatures : of both models
    resolution : ℓ of the sparse laws
    rows : how many contexts, the first ones; all of them by default
    """
    count = bank.contexts if rows is None else min(rows, bank.contexts)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        at = np.asarray(rows.numbers)
        p, q = bank_laws(bank, at, float(cell["temperature"]))
        columns: Values = {"document": np.asarray(bank.documents, dtype=np.float64)[at]}
        for k in cell["sizes"]:
            columns[f"mass {k}"] = (p * top_mask(q, k)).sum(axis=-1)
            columns[f"own mass {k}"] = (p * top_mask(p, k)).sum(axis=-1)
            columns[f"rejected {k}"] = unchecked.tv(p, top_law(q, k, resolution))
            columns[f"dense {k}"] = _dense(p, q, np.full(len(q), payload_bits(bank.vocab, k, resolution)))
        kept_counts = threshold_mask(q, threshold).sum(axis=-1)
        bits = np.array([payload_bits(bank.vocab, int(k), resolution, adaptive=True) for k in kept_counts])
        columns["rejected β"] = unchecked.tv(p, above_law(q, threshold, resolution))
        columns["dense β"] = _dense(p, q, bits)
        return columns

    fixed: Cell = {
        **{"data": label, "vocab": bank.vocab, "rows": count, "resolution": resolution},
        **{"sizes": [k for k in sizes if k <= bank.vocab], "threshold": threshold},
    }
    return Study(
        name="sqs-sparse-laws",
        question="How many more drafts are rejected if the draft distribution is made sparse, at equal bits?",
        grid=tuple({**fixed, "temperature": t} for t in temperatures),
        simulate=simulate,
        summary="the target's mass among kept tokens, and rejection beside dense laws",
        rows=count,
    )
