"""Rules that differ from context to context: drafts from the text before it, pivots that are labelled in it.

Made from what is known of a pair; the result takes rows and the draft's laws there, and gives the one-token method and the
laws that are drawn from.  Drafts from a text are its most likely next tokens, as TASC drafts them
(`simspec.methods.tasc.drafters.draft`); where the text holds no match, its most frequent token.  The names of these rules are
in `simspec.methods.registry`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspec.laws import Array
from simspec.methods.calls import Call, Map
from simspec.methods.known import Known, On
from simspec.methods.method import Method
from simspec.methods.pad.pivots import pad
from simspec.methods.sd import SD

__all__ = ["drafted_from_text", "labelled_pad"]

LIMIT = 1e-4
"""Target's probability below which PAD keeps a draft only as speculative decoding does (PAD 3.3)."""
MIX = 0.75
"""Weight of the corpus in TASC's mixture."""


def labelled_pad(known: Known) -> On:
    """PAD with pivots that are labelled, for each token or for each row.

    >>> labelled_pad(Known(pivots=np.array([True, False])))(slice(0, 1), np.array([[0.5, 0.5]]))[0]
    pad([True, False], limit=0.0001)
    """
    flags = known.pivots
    assert flags is not None
    return Map(
        lambda rows, q: (pad(flags if flags.ndim == 1 else flags[rows], limit=LIMIT), q), Call(labelled_pad, known)
    )


def drafted_from_text(known: Known, n_max: int, source: str) -> On:
    """Each context's draft, found when it is first asked for.

    Parameters
    ----------
    known : Known; with texts, and a corpus where it is counted
    n_max : int; longest n-gram that is counted
    source : "prompt", "corpus" or "both"; what is counted: the text so far, other texts, or the two mixed 1 to 3

    >>> on = drafted_from_text(Known(text=[[0, 1, 2, 0, 1]]), 3, "prompt")
    >>> on(slice(0, 1), np.array([[0.5, 0.25, 0.25]]))[1].tolist()
    [[0.0, 0.0, 1.0]]
    """
    tokens: dict[int, int] = {}
    texts: Sequence[Sequence[int]] = known.text or ()

    def on(rows: slice, q: Array) -> tuple[Method, Array]:
        """Return speculative decoding and the draft laws of the rows: all mass on the token drafted from each text."""
        from simspec.methods.tasc.drafters import Drafter, PromptNgrams, best, mixed, train

        vocab = q.shape[-1]
        numbers = range(len(texts))[rows]
        # the corpus is read only when a row is new: training the table takes longest
        missing = [n for n in numbers if n not in tokens]
        if missing:
            prompt = PromptNgrams(n_max, vocab)
            drafter: Drafter = prompt
            if source != "prompt":
                assert known.corpus is not None
                drafter = train(known.corpus(), n_max, vocab=vocab)
                drafter = mixed(drafter, prompt, MIX) if source == "both" else drafter
            for n in missing:
                tokens[n] = best(drafter.begin(texts[n]), list(texts[n])[-n_max:])
        drafts = np.array([tokens[n] for n in numbers])
        return SD, (np.arange(vocab) == drafts[:, None]).astype(q.dtype)

    return Map(on, Call(drafted_from_text, known, n_max, source))
