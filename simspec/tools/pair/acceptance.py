r"""How often drafts are accepted: :math:`\sum_v \min(p_v, q_v)` at each position, by temperature, top-p and kind of prompt.

Exact at each position; intervals are over answers.  Of a draft with another vocabulary q is its law on the shared tokens,
as TLI drafts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.engine.estimates.clusters import means
from simspec.engine.estimates.intervals import Interval
from simspec.laws import unchecked
from simspec.logits.bank import Bank
from simspec.studies.pairs import bank_laws

__all__ = ["ALL", "SETTINGS", "acceptance", "accepted_mass", "ends", "kinds", "text_order"]

SETTINGS = ((0.0, 1.0), (0.6, 1.0), (1.0, 1.0), (0.6, 0.9), (1.0, 0.9))
"""Temperature and top-p of both models."""
ALL = "all"
"""What all kinds of prompt together are called."""
ENTRIES = 2**22
"""Entries of the laws that are in memory at a time."""


def accepted_mass(bank: Bank, step: Callable[[int], None] = lambda n: None) -> NDArray[np.float64]:
    """Accepted mass (contexts, settings) of speculative decoding at each context of a bank, a few rows at a time.

    >>> from simspec.logits import open_bank
    >>> accepted_mass(open_bank("stories")).shape[1] == len(SETTINGS)
    True
    """
    accepted = np.empty((bank.contexts, len(SETTINGS)))
    count = max(1, ENTRIES // bank.vocab)
    for at in range(0, bank.contexts, count):
        rows = slice(at, min(at + count, bank.contexts))
        laws = {}
        for column, (temperature, mass) in enumerate(SETTINGS):
            if temperature not in laws:
                laws[temperature] = bank_laws(bank, rows, temperature)
            p, q = laws[temperature]
            if mass < 1:
                p = unchecked.top_p(p, mass)
                q = unchecked.top_p(q, mass)
            accepted[rows, column] = np.minimum(p, q).sum(axis=-1)
        step(rows.stop - rows.start)
    return accepted.clip(0, 1)


def kinds(bank: Bank) -> dict[str, NDArray[np.bool_]]:
    """Which contexts are of each kind of prompt, and all of them; one kind alone is all of them.

    >>> from simspec.logits import open_bank
    >>> list(kinds(open_bank("gpt2")))
    ['all']
    """
    names = np.unique(bank.corpus).tolist()
    masks = {ALL: np.ones(bank.contexts, dtype=bool)}
    return masks if len(names) < 2 else masks | {name: bank.corpus == name for name in names}


def text_order(bank: Bank) -> NDArray[np.intp]:
    """Numbers of the contexts in the order of their texts."""
    return np.lexsort((bank.index.position, bank.documents))


def acceptance(bank: Bank, level: float = 0.95, step: Callable[[int], None] = lambda n: None) -> dict[str, Any]:
    """Acceptance of each setting and kind with its interval over answers, and at each position in the order of the text.

    >>> from simspec.logits import open_bank
    >>> table = acceptance(open_bank("stories"))
    >>> [row["kind"] for row in table["rows"]][:1], len(table["positions"]) == len(SETTINGS)
    (['all'], True)
    """
    accepted = accepted_mass(bank, step)
    rows = []
    for column, (temperature, mass) in enumerate(SETTINGS):
        for kind, mask in kinds(bank).items():
            (interval,) = means(accepted[mask, column, None], bank.documents[mask], level, (0, 1))
            facts = {"temperature": temperature, "top_p": mass, "kind": kind, "contexts": int(mask.sum())}
            documents = len(np.unique(bank.documents[mask]))
            rows.append({**facts, "answers": documents, "acceptance": ends(interval)})
    order = text_order(bank)
    return {"rows": rows, "level": level, "positions": accepted[order].T.round(9).tolist()}


def ends(interval: Interval) -> list[float | None]:
    """Estimate, low and high end of an interval; None for what is not known.

    >>> ends(Interval(0.5, float("nan"), float("nan"), 0.95))
    [0.5, None, None]
    """
    return [float(x) if np.isfinite(x) else None for x in interval[:3]]
