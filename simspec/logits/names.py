"""Names that arrays of a pair of models often have in files of anyone's making, and the names that simspec reads them by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["ALIASES", "refuse_logits", "usual_names"]

ALIASES = {
    "target_logits": "target", "draft_logits": "draft", "logits_target": "target", "logits_draft": "draft",
    "p_logits": "target", "q_logits": "draft", "target_logprobs": "target", "draft_logprobs": "draft",
    "target_probs": "p", "draft_probs": "q", "target_probabilities": "p", "draft_probabilities": "q",
    "document_id": "document", "document_ids": "document", "positions": "position",
}  # fmt: skip
"""Other name -> name; log-probabilities are logits."""
Stored = TypeVar("Stored")


def usual_names(arrays: Mapping[str, Stored]) -> dict[str, Stored]:
    """Arrays by the names that simspec reads.

    Raises ValueError for two arrays of one meaning.

    >>> usual_names({"target_logits": 1, "draft_logits": 2, "document": 3})
    {'target': 1, 'draft': 2, 'document': 3}
    >>> usual_names({"target_logits": 1, "target": 2})
    Traceback (most recent call last):
    ...
    ValueError: target: stands beside target_logits, which means the same; expected one of them
    """
    named: dict[str, Stored] = {}
    first_names: dict[str, str] = {}
    for key, array in arrays.items():
        name = ALIASES.get(key, key)
        if name in named:
            raise ValueError(f"{key}: stands beside {first_names[name]}, which means the same; expected one of them")
        named[name] = array
        first_names[name] = key
    return named


def refuse_logits(rows: NDArray[Any], name: str, first: int = 0) -> None:
    """Refuse numbers below 0 under the name of a law, ``p`` or ``q``.

    Parameters
    ----------
    rows : (n, V)
    name : of the array
    first : number of the first of these rows among all

    Raises
    ------
    ValueError
        naming the row and the token of the lowest number.

    Examples
    --------
    >>> refuse_logits(np.array([[0.5, 0.5]]), "p")
    >>> refuse_logits(np.array([[0.5, -2.0]]), "p", first=7)
    Traceback (most recent call last):
    ...
    ValueError: p: row 7 holds -2 at token 1, as logits and log-probabilities do; expected laws, their softmax, or the names
    target and draft
    """
    if rows.size and float(rows.min()) < 0:
        row, token = (int(n) for n in np.unravel_index(int(rows.argmin()), rows.shape))
        raise ValueError(
            f"{name}: row {first + row} holds {rows[row, token]:g} at token {token}, as logits and log-probabilities do; "
            "expected laws, their softmax, or the names target and draft"
        )
