"""Two halves of the documents: what is chosen among many on the one is judged on the other.

The best of many, judged on the rows that chose it, looks better than it is, and an interval of its value on these rows does not
say so.  Rows of other documents did not choose it: an interval over them holds its level for what was chosen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.engine.estimates.clusters import FEWEST
from simspec.kernels.random import make_key, uniform

__all__ = ["FEWEST_TO_HALVE", "choosing_rows", "halvable", "too_few_to_halve"]

FEWEST_TO_HALVE = 2 * FEWEST
"""Fewest documents of which one half chooses and the other has an interval."""


def choosing_rows(document: ArrayLike) -> NDArray[np.bool_]:
    """Rows of one half of the documents, drawn by lot, the larger half where their number is odd; the others judge.

    The lot is a fixed one, so that the same documents give the same halves.  It does not follow the order of the documents, which
    may alternate between sources.

    Parameters
    ----------
    document : (n,) labels, equal for rows of one document

    >>> choosing_rows(["a", "a", "b", "b", "c"]).tolist()
    [True, True, True, True, False]
    """
    labels, index = np.unique(np.asarray(document), return_inverse=True)
    lot = uniform(make_key(0, "halves", "documents"), np.arange(len(labels)), [0])[:, 0]
    chooses = np.zeros(len(labels), dtype=bool)
    chooses[np.argsort(lot)[: (len(labels) + 1) // 2]] = True
    return np.asarray(chooses[index])


def halvable(document: ArrayLike) -> bool:
    """Whether there are enough documents for a half that chooses and one that judges.

    >>> halvable(range(9)), halvable(range(10))
    (False, True)
    """
    return len(np.unique(np.asarray(document))) >= FEWEST_TO_HALVE


def too_few_to_halve(count: int, noun: str) -> str:
    """The sentence in place of an interval; empty where there are enough.

    >>> too_few_to_halve(9, "document")
    'no intervals: 9 documents are too few, one half chooses and the other judges, which needs 10 or more'
    >>> too_few_to_halve(10, "document")
    ''
    """
    if count >= FEWEST_TO_HALVE:
        return ""
    documents = f"{count} {noun}{'s are' if count != 1 else ' is'}"
    return f"no intervals: {documents} too few, one half chooses and the other judges, which needs {FEWEST_TO_HALVE} or more"
