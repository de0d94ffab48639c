"""Every drafter's acceptance rate can be read off the target passes of a text, whichever drafter wrote it.

`select.counterfactual`: Liu et al. 2025 (arXiv 2510.20064), abstract.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, identity
from simspec.claims.process.parts import table, two_tokens, written_by
from simspec.claims.texts import markov
from simspec.laws import overlap
from simspec.methods import SD
from simspec.methods.verifier.verifier import from_method

__all__ = ["scores"]


def _three_models(draw: Draw) -> Instance:
    """A target, the drafter that is used, another one, and the number of drafts of a call."""
    vocab = draw.integer(1, 3)
    return {
        "p": table(draw, vocab),
        "q": table(draw, vocab),
        "rival": table(draw, vocab),
        "gamma": draw.integer(1, 2),
    }


def scores(p: Array, rival: Array) -> Array:
    """For each text of two tokens: the mean of Σ min(p, q_i) over its two positions, from the laws of the passes on it.

    >>> from simspec.claims.authoring import law
    >>> models = np.stack([law("1/2", "1/2")] * 3), np.stack([law("1/2", "1/2"), law(1, 0), law("1/2", "1/2")])
    >>> [str(score) for score in scores(*models)]
    ['3/4', '3/4', '1', '1']
    """
    shared = overlap(p, rival)
    return np.repeat((shared[0] + shared[1:]) / 2, p.shape[-1])


def _along_text(p: Array, q: Array, rival: Array, gamma: int) -> Any:
    verifier = from_method(SD)[1]
    law_of_text = written_by(markov(p), markov(q), lambda text: verifier, gamma, 2)
    return (law_of_text * scores(p, rival)).sum()


COUNTERFACTUAL = identity(
    name="select.counterfactual",
    statement=r"Along losslessly emitted text the mean of $\sum \min(p, q_i)$ over its positions is unbiased for every drafter "
    r"$i$, whichever drafter was used: its expectation is that along the target's own text",
    reference="Liu et al. 2025 (arXiv 2510.20064), abstract at hand: “without incurring additional queries to the target model”",
    instances=_three_models,
    lhs=_along_text,
    rhs=lambda p, rival: (two_tokens(markov(p)) * scores(p, rival)).sum(),
    sources=("exact",),
    note="The verifier has the target's law after every prefix of the text that it emits, so nothing of the target is computed "
    "twice. The positions are those of a text of fixed length: a mean over calls of the means of their own tokens is another.",
    broken=[
        broken(
            "texts of the drafter that was used",
            rhs=lambda p, q, rival: (two_tokens(markov(q)) * scores(p, rival)).sum(),
        )
    ],
)
