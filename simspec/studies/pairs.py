"""Pairs of a target and a draft that studies are made on: correlated synthetic logits, and the laws of a bank."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.kernels import synthetic as kernels
from simspec.laws import Array, normalise, softmax, uniform
from simspec.logits import Draws, synthetic
from simspec.logits.bank import MissingPart
from simspec.logits.bank.vocabularies import read_on_target, shared_tokens
from simspec.methods.known import Known

if TYPE_CHECKING:
    from simspec.engine.study import Cell, Rows
    from simspec.logits.bank import Bank
    from simspec.logits.bank.storage import Contexts

__all__ = [
    "bank_knows",
    "bank_laws",
    "draft_laws",
    "on_first",
    "on_shared",
    "read_laws",
    "synthetic_acceptance",
    "synthetic_acceptances",
    "synthetic_logits",
]


def synthetic_logits(cell: Cell, rows: Rows) -> tuple[Array, Array]:
    """Target and draft logits (rows, V) of a cell with ``vocab``, ``scale``, ``rho`` and, for Student-t, ``df``.

    >>> from simspec.engine.study import Rows
    >>> target, draft = synthetic_logits({"vocab": 5, "scale": 2.0, "rho": 1.0}, Rows(1, range(3)))
    >>> target.shape, np.allclose(target, draft)
    ((3, 5), True)
    """
    draws = Draws(rows.key, rows.numbers)
    df = float(cell.get("df", np.inf))
    scale = float(cell["scale"])
    return synthetic.student_t_pair(draws, int(cell["vocab"]), rho=cell["rho"], df=df, scale=scale)


def synthetic_acceptance(cell: Cell, rows: Rows, dtype: Any = np.float64, xp: ModuleType = np) -> Array:
    """Overlap (rows,) of the laws of `synthetic_logits`, which are drawn and used at once: no logits are kept.

    Parameters
    ----------
    cell, rows : as in `synthetic_logits`
    dtype : float64 or float32
        float64 differs from the laws' own overlap by at most twice `simspec.kernels.synthetic.law_bound`, float32 by what
        `synthetic_overlap` derives (about 1e-7), in less time.
    xp : module; NumPy, or CuPy to draw on its device

    A row has the same bits whatever rows it is asked for with.

    >>> cell = {"vocab": 1000, "scale": 2.0, "rho": 0.9}
    >>> from simspec.engine.study import Rows
    >>> p, q = map(softmax, synthetic_logits(cell, Rows(1, range(3))))
    >>> bool(np.allclose(synthetic_acceptance(cell, Rows(1, range(3))), np.minimum(p, q).sum(axis=-1), rtol=1e-12))
    True
    """
    return kernels.synthetic_overlap(*_request(cell, rows, dtype), xp=xp)[: len(rows.numbers)].clip(0, 1)


def synthetic_acceptances(
    requests: Sequence[tuple[Cell, Rows]], dtype: Any = np.float64, xp: ModuleType = np
) -> list[Array]:
    """`synthetic_acceptance` of some rows of each of several cells, to the last bit; on a device with few launches in all.

    >>> from simspec.engine.study import Rows
    >>> cells = [{"vocab": 1000, "scale": 2.0, "rho": rho} for rho in (0.5, 0.9)]
    >>> both = synthetic_acceptances([(cell, Rows(1, range(3))) for cell in cells])
    >>> bool((both[1] == synthetic_acceptance(cells[1], Rows(1, range(3)))).all())
    True
    """
    kernel_requests = [_request(cell, rows, dtype) for cell, rows in requests]
    overlaps = kernels.synthetic_overlaps(kernel_requests, xp=xp)
    return [x[: len(rows.numbers)].clip(0, 1) for x, (_, rows) in zip(overlaps, requests, strict=True)]


def _request(cell: Cell, rows: Rows, dtype: Any) -> tuple[Draws, int, kernels.Model]:
    """Draws, vocabulary and model of some rows of a cell."""
    vocab = int(cell["vocab"])
    # a small request would go to the reference, and round otherwise
    count = max(len(rows.numbers), -(-kernels.SMALL // vocab))
    draws = Draws(rows.key, range(rows.numbers.start, rows.numbers.start + count), dtype=dtype)
    df = float(cell.get("df", np.inf))
    return draws, vocab, kernels.Model(df, scale=float(cell["scale"]), rho=cell["rho"])


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

    Raises MissingPart for a bank without a draft.

    >>> from simspec.logits import open_bank
    >>> bank = open_bank("stories")
    >>> draft_laws(bank, bank.draft([0])).shape
    (1, 2048)
    """
    if logits is None:
        raise MissingPart(f"bank: {bank.name!r} has no draft; expected a pair (capture it with --draft)")
    return on_shared(bank, softmax(logits, temperature))


def on_shared(bank: Bank, q: Array) -> Array:
    """Laws (..., V) of laws (..., Vd) over the draft's tokens: unshared tokens dropped, the rest normalised.

    >>> from simspec.logits import open_bank
    >>> bank = open_bank("stories")
    >>> round(float(on_shared(bank, np.eye(len(bank.draft_to_target)))[0].sum()), 12)
    1.0
    """
    mass = bank.draft_on_target(q)
    return normalise(mass, otherwise=uniform(bank.shared, like=mass))


def read_laws(bank: Bank, logits: Any, temperature: float = 1) -> Array:
    """Laws (..., V) of the target's token with which a drafted text begins, of logits (..., Vd); `on_first` says how."""
    return on_first(bank, softmax(logits, temperature))


def on_first(bank: Bank, q: Array) -> Array:
    r"""Laws of the target's token with which a drafted text begins, as SLEM and SLRS draft it.

    :math:`\psi(t) = \sum_{x: f(x) = t} q(x)` over the draft's tokens x, f the first target token of the text of x; tokens that
    the target cannot read are dropped, and the rest is normalised.

    Parameters
    ----------
    bank : Bank
        captured with a draft of another tokenizer
    q : (..., Vd) laws over the draft's tokens

    Returns
    -------
    laws (..., V); uniform on the tokens that are first of some text where no draft token that is read has mass.

    Raises MissingPart for a bank that does not know with which target tokens its draft tokens begin.
    """
    first = bank.draft_first
    if first is None:
        raise MissingPart(
            f"bank: {bank.name!r} has no draft_first; expected a bank captured with a draft of another tokenizer"
        )
    psi = read_on_target(q, first, bank.vocab)
    return normalise(psi, otherwise=uniform(shared_tokens(first, bank.vocab), like=psi))


def bank_laws(bank: Bank, rows: Any = slice(None), temperature: float = 1) -> tuple[Array, Array]:
    """Target and draft laws (n, V) of some contexts of a bank, in float64; `draft_laws` says what the draft's are.

    >>> from simspec.logits import open_bank
    >>> [law.shape for law in bank_laws(open_bank("stories"), [0, 1])]
    [(2, 2048), (2, 2048)]
    """
    draft = bank.draft(rows)
    q = draft_laws(bank, None if draft is None else draft.astype(np.float64), temperature)
    return softmax(bank.target(rows).astype(np.float64), temperature), q


def bank_knows(bank: Bank, temperature: float = 1) -> Known:
    """What a bank knows beside its evaluation contexts: shared tokens, laws of tuning contexts, mean target law.

    Of a draft with another tokenizer also the laws of the token with which a drafted text begins.

    >>> from simspec.logits import open_bank
    >>> int(bank_knows(open_bank("stories")).shared.sum())
    135
    """

    def tuning() -> tuple[Array, Array]:
        target = bank.tuning_target()
        draft = bank.tuning_draft()
        q = draft_laws(bank, draft.astype(np.float64), temperature)
        return softmax(target.astype(np.float64), temperature), q

    def read(rows: slice | Array) -> Array:
        return read_laws(bank, bank.draft(rows).astype(np.float64), temperature)

    there = bank.tuning_index is not None and "tuning_draft" in bank.file
    mean = None if bank.statistics is None else bank.statistics.mean
    text = _text(bank.index)
    return Known(
        shared=bank.shared if "draft" in bank.file else None,
        tuning=tuning if there else None,
        mean=mean,
        text=text,
        read=read if bank.draft_first is not None else None,
    )


def _text(index: Contexts) -> list[list[int]] | None:
    """Tokens of the neighbours before each context and its own last one; None where most contexts have no neighbour."""
    text: list[list[int]] = []
    steps = zip(index.document.tolist(), index.position.tolist(), index.last.tolist(), strict=True)
    before = (None, 0)
    for document, position, last in steps:
        text.append([*text[-1], last] if before == (document, position - 1) else [last])
        before = (document, position)
    return text if 2 * sum(len(some) > 1 for some in text) >= len(text) else None
