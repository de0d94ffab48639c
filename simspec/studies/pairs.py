"""Pairs of a target and a draft that studies are made on: correlated synthetic logits, and the laws of a bank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.laws import Array, normalise, softmax, uniform
from simspec.logits import synthetic
from simspec.logits.bank import MissingPart

if TYPE_CHECKING:
    from simspec.logits.bank import Bank
    from simspec.studies.study import Cell

__all__ = ["bank_laws", "draft_laws", "synthetic_logits"]


def synthetic_logits(cell: Cell, key: int, rows: int, first_row: int = 0) -> tuple[Array, Array]:
    """Target and draft logits (rows, V) of a cell with ``vocab``, ``scale``, ``rho`` and, for Student-t, ``df``.

    >>> target, draft = synthetic_logits({"vocab": 5, "scale": 2.0, "rho": 1.0}, key=1, rows=3)
    >>> target.shape, np.allclose(target, draft)
    ((3, 5), True)
    """
    vocab, scale, df = int(cell["vocab"]), float(cell["scale"]), float(cell.get("df", np.inf))
    target = synthetic.student_t(rows, vocab, key=key, df=df, scale=scale, first_row=first_row)
    draft = synthetic.correlated(target, cell["rho"], key=key, location=0, scale=scale, df=df, first_row=first_row)
    return target, draft


def draft_laws(bank: Bank, logits: Any, temperature: float = 1) -> Array:
    """Draft laws on the target's vocabulary, as TLI makes them: unshared tokens dropped, the rest normalised.

    Parameters
    ----------
    bank : Bank
    logits : (..., Vd) the draft's, or None where a bank has none
    temperature : number >= 0

    Returns
    -------
    laws (..., V), in the arithmetic of the logits; uniform on the shared tokens where the draft has no mass on them.

    Raises
    ------
    MissingPart
        for a bank without a draft.

    Examples
    --------
    >>> from simspec.logits import open_bank
    >>> bank = open_bank("stories")
    >>> draft_laws(bank, bank.draft([0])).shape
    (1, 2048)
    """
    if logits is None:
        raise MissingPart(f"bank: {bank.name!r} has no draft; expected a pair (capture it with --draft)")
    q = bank.draft_on_target(softmax(logits, temperature))
    return normalise(q, otherwise=uniform(bank.shared, like=q))


def bank_laws(bank: Bank, rows: Any = slice(None), temperature: float = 1) -> tuple[Array, Array]:
    """Target and draft laws (n, V) of some contexts of a bank, in float64; `draft_laws` says what the draft's are.

    >>> from simspec.logits import open_bank
    >>> [law.shape for law in bank_laws(open_bank("stories"), [0, 1])]
    [(2, 2048), (2, 2048)]
    """
    draft = bank.draft(rows)
    q = draft_laws(bank, None if draft is None else draft.astype(np.float64), temperature)
    return softmax(bank.target(rows).astype(np.float64), temperature), q
