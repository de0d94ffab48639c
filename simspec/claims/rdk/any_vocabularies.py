"""`rdk.any-vocabularies`: RDK 4."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, law, mask, matrix, procedure
from simspec.claims.claim import Printed
from simspec.methods import output_law, rdk

__all__ = ["of_strings"]

LONGEST = 3


def _two_tokenizers(draw: Draw) -> Instance:
    """A target's tokens with the strings they spell, runs of one letter; a draft that splits texts in its own way."""
    vocab = draw.vocab(matrix=True)
    p, q = draw.pair(vocab)
    spelled = np.array([draw.integer(1, LONGEST) for _ in range(vocab)])
    return {"p": p, "q": q, "shared": draw.mask(vocab), "M": draw.matrix(vocab), "spelled": spelled}


def of_strings(emitted: Array, spelled: Array) -> Array:
    """Law of the string that the emitted token spells, by its length.

    >>> of_strings(law("1/2", "1/4", "1/4"), np.array([1, 3, 1])).tolist()
    [Fraction(3, 4), 0, Fraction(1, 4)]
    """
    sums: list[Any] = [emitted[spelled == length].sum() for length in range(1, LONGEST + 1)]
    return np.array(sums, dtype=object)


ANY_VOCABULARIES = procedure(
    name="rdk.any-vocabularies",
    statement="For any pair of vocabularies that share a token, tokens matched by their strings, and however the draft "
    "splits a text: the "
    "string that follows has the law of the target alone",
    reference="RDK 4",
    instances=_two_tokenizers,
    lhs=lambda p, q, shared, M, spelled: of_strings(output_law(rdk(shared, lambda v: v @ M), p, q), spelled),
    rhs=lambda p, spelled: of_strings(p, spelled),
    sources=("exact",),
    tight=(
        {
            **{"p": law(0, 0, 1), "q": law("1/2", "1/2", 0), "shared": mask("110")},
            **{"M": matrix("0 0 1", "0 1 0", "0 0 1"), "spelled": np.array([1, 1, 2])},
        },
    ),
    note="q is the draft's law after the text, tokenised as the draft likes, and only its masses on shared tokens count; what is "
    "emitted are tokens of the target, verified against the target. Text by text then as in sd.lossless. Nothing is said of "
    "speed: a target that writes in one token what the draft writes in two keeps none of its drafts unless M leads there. Of "
    "vocabularies that share no token TLI, the first step, has no law.",
    printed=Printed(
        place="RDK 4",
        text="can be applied to any pair of vocabularies, regardless of their sizes or tokenization schemes",
        read="Lossless over strings, tokens matched by their strings, where one token is shared.",
    ),
)
