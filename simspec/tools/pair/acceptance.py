r"""How often drafts are accepted: :math:`\sum_v \min(p_v, q_v)` at each position, by temperature, top-p and kind of prompt.

Exact at each position; intervals are over answers.  Of a draft with another vocabulary q is its law on the shared tokens,
as TLI drafts.  Of a bank with cut rows all of these contexts count, with the acceptance that was stored before the cut.
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
from simspec.logits.bank.cut import SETTINGS, CutRows
from simspec.studies.pairs import bank_laws

__all__ = ["ALL", "SETTINGS", "acceptance", "accepted_mass", "contexts_of", "ends", "kinds", "text_order"]

ALL = "all"
"""What all kinds of prompt together are called."""
ENTRIES = 2**22
"""Entries of the laws that are in memory at a time."""


def contexts_of(bank: Bank) -> Bank | CutRows:
    """What holds the index of the contexts that count: the cut rows of a bank that has some, else the bank itself.

    >>> from simspec.logits import open_bank
    >>> contexts_of(open_bank("stories")).contexts
    300
    """
    return bank if bank.cut is None else bank.cut


def accepted_mass(bank: Bank, step: Callable[[int], None] = lambda n: None) -> NDArray[np.float64]:
    """Accepted mass (contexts, settings) of speculative decoding at each context of a bank, a few rows at a time.

    >>> from simspec.logits import open_bank
    >>> accepted_mass(open_bank("stories")).shape[1] == len(SETTINGS)
    True
    """
    if bank.cut is not None:
        step(bank.cut.contexts)
        return np.stack([bank.cut.accepted(*setting) for setting in SETTINGS], axis=-1)
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
    corpus = contexts_of(bank).corpus
    names = np.unique(corpus).tolist()
    masks = {ALL: np.ones(len(corpus), dtype=bool)}
    return masks if len(names) < 2 else masks | {name: corpus == name for name in names}


def text_order(bank: Bank) -> NDArray[np.intp]:
    """Numbers of the contexts in the order of their texts."""
    index = contexts_of(bank).index
    return np.lexsort((index.position, index.document))


def acceptance(bank: Bank, level: float = 0.95, step: Callable[[int], None] = lambda n: None) -> dict[str, Any]:
    """Acceptance of each setting and kind with its interval over answers, and at each position in the order of the text.

    >>> from simspec.logits import open_bank
    >>> table = acceptance(open_bank("stories"))
    >>> [row["kind"] for row in table["rows"]][:1], len(table["positions"]) == len(SETTINGS)
    (['all'], True)
    """
    accepted = accepted_mass(bank, step)
    document = contexts_of(bank).documents
    rows = []
    for column, (temperature, mass) in enumerate(SETTINGS):
        for kind, mask in kinds(bank).items():
            (interval,) = means(accepted[mask, column, None], document[mask], level, (0, 1))
            facts = {"temperature": temperature, "top_p": mass, "kind": kind, "contexts": int(mask.sum())}
            documents = len(np.unique(document[mask]))
            rows.append({**facts, "answers": documents, "acceptance": ends(interval)})
    order = text_order(bank)
    return {"rows": rows, "level": level, "positions": accepted[order].T.round(9).tolist()}


def ends(interval: Interval) -> list[float | None]:
    """Estimate, low and high end of an interval; None for what is not known.

    >>> ends(Interval(0.5, float("nan"), float("nan"), 0.95))
    [0.5, None, None]
    """
    return [float(x) if np.isfinite(x) else None for x in interval[:3]]
