"""Drafting without a law on the wire: the Gumbel coupling beside quantised laws, each with the bits that a draft takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import unchecked
from simspec.logits.bank import Bank
from simspec.methods.coupling.race import match_masses
from simspec.methods.sqs.lattice_laws import above_law, top_law
from simspec.methods.sqs.payload import payload_bits
from simspec.methods.sqs.quantised import threshold_mask
from simspec.studies.pairs import bank_laws

__all__ = ["token_bits", "zero_bit"]


def token_bits(among: int) -> int:
    """Bits that name one of so many tokens.

    >>> token_bits(1), token_bits(50_257)
    (0, 16)
    """
    return (among - 1).bit_length()


def zero_bit(
    bank: Bank,
    label: str,
    sizes: Sequence[int],
    threshold: float,
    temperatures: Sequence[float],
    resolutions: Sequence[int] = (10, 100),
    rows: int | None = None,
) -> Study:
    """Of each context of a bank: acceptance of the coupling and of sparse laws, and the bits of one draft and its law.

    Values: ``accepted`` and ``bits`` of a scheme, as in ``bits K = 8, ℓ = 10``; schemes are ``coupling``, which sends the token
    alone, K-SQS at each K and ℓ (``K = 1`` has one law, whatever ℓ), C-SQS at a threshold that is held (``β, ℓ = 10``), which
    send the law and which of its tokens was drafted; ``exact``, the acceptance with the whole law, and ``document``.

    Parameters
    ----------
    bank : a pair
    label : what it is called in the cells
    sizes : K of K-SQS
    threshold : β of C-SQS
    temperatures : of both models
    resolutions : ℓ of the lattices
    rows : how many contexts, the first ones; all of them by default
    """
    count = bank.contexts if rows is None else min(rows, bank.contexts)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        """Return acceptance and bits for each draft, by context, under the coupling and under each quantiser."""
        at = np.asarray(rows.numbers)
        p, q = bank_laws(bank, at, float(cell["temperature"]))
        columns: Values = {"document": np.asarray(bank.documents, dtype=np.float64)[at]}
        columns["exact"] = unchecked.overlap(p, q)
        columns["accepted coupling"] = match_masses(p, q).sum(axis=-1)
        columns["bits coupling"] = np.full(len(q), float(token_bits(bank.vocab)))
        kept_counts = threshold_mask(q, threshold).sum(axis=-1)
        for fine in cell["resolutions"]:
            for k in cell["sizes"]:
                name = f"K = {k}, ℓ = {fine}" if k > 1 else "K = 1"
                # K = 1 needs no resolution: it is computed at the first one only
                if f"bits {name}" not in columns:
                    # the law, and then which of its k tokens was drafted
                    bits = payload_bits(bank.vocab, k, fine) + token_bits(k)
                    columns[f"accepted {name}"] = unchecked.overlap(p, top_law(q, k, fine))
                    columns[f"bits {name}"] = np.full(len(q), float(bits))
            columns[f"accepted β, ℓ = {fine}"] = unchecked.overlap(p, above_law(q, threshold, fine))
            columns[f"bits β, ℓ = {fine}"] = np.array(
                [float(payload_bits(bank.vocab, int(k), fine, adaptive=True) + token_bits(int(k))) for k in kept_counts]
            )
        return columns

    fixed: Cell = {
        **{"data": label, "vocab": bank.vocab, "rows": count, "resolutions": list(resolutions)},
        **{"sizes": [k for k in sizes if k <= bank.vocab], "threshold": threshold},
    }
    return Study(
        name="sqs-zero-bit",
        question="How often is a draft accepted if its distribution is not sent, and how many bits would sending it take?",
        grid=tuple({**fixed, "temperature": t} for t in temperatures),
        simulate=simulate,
        summary="the coupling beside sparse laws: acceptance, and bits of a draft",
        rows=count,
    )
