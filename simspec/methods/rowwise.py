"""Rules by name that differ from context to context: drafts from the text before it, pivots that are labelled in it.

`simspec.methods.registry.rule` makes them from what is known of a pair; the result takes rows and the draft's laws there, and
gives the one-token method and the laws that are drawn from.  Drafts from a text are its most likely next tokens, as TASC
drafts them (`simspec.methods.tasc.drafters.draft`); where the text holds no match, its most frequent token.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from simspec.laws import Array
from simspec.methods.known import Known, needed
from simspec.methods.method import Method
from simspec.methods.pad.pivots import pad
from simspec.methods.sd import SD

__all__ = ["ROWWISE", "TEXTUAL", "On", "Rowwise", "make"]

On = Callable[[slice, Array], tuple[Method, Array]]
"""(rows, draft laws there) -> the method, and the laws that it is given for the draft's."""

LIMIT = 1e-4
"""Target's probability below which PAD keeps a draft only as speculative decoding does (PAD 3.3)."""
ORDERS = {"prompt-lookup": 3, "prompt-ngram": 4, "bigram": 2, "ngram": 4, "tasc": 4}
"""Longest n-gram that each drafter counts."""
MIX = 0.75
"""Weight of the corpus in TASC's mixture."""


class Rowwise(NamedTuple):
    """What a rule does, what it needs to know, and the function that makes it."""

    summary: str
    needs: tuple[str, ...]
    make: Callable[[Known], On]


def _pad(known: Known) -> On:
    flags = known.pivots
    assert flags is not None
    return lambda rows, q: (pad(flags if flags.ndim == 1 else flags[rows], limit=LIMIT), q)


def _drafted(known: Known, name: str) -> On:
    """Each context's draft, found when it is first asked for."""
    found: dict[int, int] = {}
    texts: Sequence[Sequence[int]] = known.text or ()

    def on(rows: slice, q: Array) -> tuple[Method, Array]:
        from simspec.methods.tasc.drafters import Drafter, PromptNgrams, best, mixed, train

        vocab, n_max = q.shape[-1], ORDERS[name]
        numbers = range(len(texts))[rows]
        missing = [n for n in numbers if n not in found]
        if missing:
            prompt = PromptNgrams(n_max, vocab)
            drafter: Drafter = prompt
            if not name.startswith("prompt"):
                assert known.corpus is not None
                drafter = train(known.corpus(), n_max, vocab=vocab)
                drafter = mixed(drafter, prompt, MIX) if name == "tasc" else drafter
            for n in missing:
                found[n] = best(drafter.begin(texts[n]), list(texts[n])[-n_max:])
        drafts = np.array([found[n] for n in numbers])
        return SD, (np.arange(vocab) == drafts[:, None]).astype(q.dtype)

    return on


def _textual(name: str, summary: str, *needs: str) -> Rowwise:
    return Rowwise(summary, ("text", *needs), partial(_drafted, name=name))


ROWWISE: dict[str, Rowwise] = {
    "prompt-lookup": _textual("prompt-lookup", "drafts what followed the last two tokens in the text so far; lossless"),
    "prompt-ngram": _textual("prompt-ngram", "the same for the last three tokens; lossless"),
    "bigram": _textual("bigram", "drafts what follows the last token in other texts; lossless", "corpus"),
    "ngram": _textual("ngram", "drafts what follows the last three tokens in other texts; lossless", "corpus"),
    "tasc": _textual("tasc", "TASC-spec: other texts and the text so far, mixed 3 to 1; lossless", "corpus"),
    "pad": Rowwise("PAD: keeps every draft that is no pivot and has p >= 1e-4; SD residual", ("pivots",), _pad),
}
"""Every rule that differs from context to context."""
TEXTUAL = frozenset(name for name, rule in ROWWISE.items() if "text" in rule.needs)
"""Those that draft from texts and ask no draft model."""


def make(name: str, known: Known) -> On:
    """The rule of that name in `ROWWISE`; ValueError that says what is not known.

    >>> on = make("prompt-lookup", Known(text=[[0, 1, 2, 0, 1]]))
    >>> on(slice(0, 1), np.array([[0.5, 0.25, 0.25]]))[1].tolist()
    [[0.0, 0.0, 1.0]]
    """
    needed(name, ROWWISE[name].needs, known)
    return ROWWISE[name].make(known)
