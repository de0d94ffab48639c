"""`tasc.reward-decreasing`, with its sharper form: TASC, 6.1 (diminishing returns)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, bound
from simspec.claims.claim import Printed
from simspec.claims.tasc.parts import Texts, draw_texts
from simspec.methods.tasc.enrichment import COUNTINGS, enrich


def _steps(draw: Draw) -> Instance:
    letters = draw.integer(1, 4)
    texts = draw_texts(draw, letters, 0, 8)
    return {
        **{"texts": texts, "vocab": letters, "n_max": draw.integer(2, 4), "counting": COUNTINGS[draw.integer(0, 1)]},
        **{"limit": None, "strings": None, "reading": "last"},
    }


def _rewards(texts: Texts, vocab: int, n_max: int, counting: str, limit: Any, strings: Any, reading: str) -> Array:
    """Rewards of up to six steps, and 0 for a step that finds nothing where there are fewer than two."""
    rewards = enrich(texts, 6, vocab, n_max, counting, limit, strings, reading=reading).rewards
    return np.array([*rewards, *[0] * (2 - len(rewards))], dtype=int)


_ABC: dict[str, Any] = {
    **{"texts": [[0, 1, 2]], "vocab": 3, "n_max": 2, "counting": COUNTINGS[0]},
    **{"limit": None, "strings": None, "reading": "last"},
}
_REFUSED: dict[str, Any] = {**_ABC, "n_max": 3, "vocab": 2, "strings": ["b", "ba"], "reading": "others"}
NO_LIMIT = "there is no collision limit"

DECREASING = bound(
    name="tasc.reward-decreasing",
    statement=r"The best merge reward does not rise from one step to the next, whichever way frequency is counted",
    reference="TASC, 6.1 (diminishing returns)",
    instances=_steps,
    assumes={NO_LIMIT: lambda limit: limit is None},
    lhs=lambda **x: _rewards(**x)[1:],
    rhs=lambda **x: _rewards(**x)[:-1],
    sources=("exact",),
    tight=(_ABC,),
    outside={NO_LIMIT: {**_REFUSED, "texts": [[1, 1, 0, 0]], "limit": F(1, 2)}},
    corrected_by=("tasc.reward-decreasing-sharp",),
    note="An n-gram of the next step spans at least n tokens of this one; the same n of them in each of its occurrences "
    "are an n-gram that occurred here at least as often, disjoint where the occurrences were. It had its reward already, "
    "and the best was no smaller. With a limit that window may have been refused.",
    printed=Printed(
        place="TASC 6.1",
        text="the marginal gains diminish as the budget grows",
        read="The best reward does not rise from one step to the next.",
    ),
)

DECREASING_SHARP = bound(
    name="tasc.reward-decreasing-sharp",
    statement=r"The $i$-th reward, non-overlapping, is at most $(N - D)/i$ in a corpus of $N$ tokens in $D$ texts "
    r"that are not empty",
    reference="own statement, sharpening TASC, 6.1",
    instances=lambda draw: {**_steps(draw), "counting": COUNTINGS[0]},
    assumes={NO_LIMIT: lambda limit: limit is None},
    lhs=lambda **x: _rewards(**x),
    rhs=lambda texts, **x: np.array(
        [F(sum(max(0, len(t) - 1) for t in texts), i + 1) for i in range(len(_rewards(texts=texts, **x)))]
    ),
    sources=("exact",),
    tight=(_ABC,),
    outside={NO_LIMIT: {**_REFUSED, "texts": [[1, 1, 0, 0]], "limit": F(1, 2)}},
    note="Rewards do not rise (tasc.reward-decreasing), and the first i of them together shorten texts that keep a token "
    "each. Empty texts do not count.",
)
