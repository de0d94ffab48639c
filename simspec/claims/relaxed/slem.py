"""Exact matching of strings across vocabularies is lossless.

`relaxed.slem` in two readings, with a correction: 2502.05202; Transformers #45020; SGLang #22883.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, Instance, exact, identity, law, matrix, other_claim
from simspec.methods.block import Model, Prefix
from simspec.methods.relaxed import Vocabulary, slem_law

__all__ = ["model_of", "own_law"]

PAPER = "Timor et al. 2025 (arXiv 2502.05202, restored); Transformers #45020; SGLang #22883"
TARGET = Vocabulary(("a", "aa"))
TEXTS = ("a", "aa", "aaa")
PLACES: tuple[Prefix, ...] = tuple(x for n in range(3) for x in product(range(2), repeat=n))
"""What may stand before the third token."""
SAME = "the target says the same after its tokens and after their text read again"


def _texts(draw: Draw) -> Instance:
    return {"laws": np.stack([draw.law(2) for _ in PLACES]), "drafts": draw.law(len(TEXTS))}


def model_of(laws: Array) -> Model:
    """The target whose law after some tokens is the row of their place in `PLACES`."""
    return lambda prefix: laws[PLACES.index(prefix)]


def _emitted(laws: Array, drafts: Array, again: bool) -> Array:
    """Law of three emitted tokens."""
    weighted_texts = [(mass, text) for mass, text in zip(drafts, TEXTS, strict=True) if mass]
    law_of_texts = slem_law(model_of(laws), lambda text: weighted_texts, TARGET, 3, again)
    return exact([law_of_texts.get(x, 0) for x in product(range(2), repeat=3)])


def own_law(laws: Array) -> Array:
    """Law of three tokens of the target's own."""
    model = model_of(laws)
    return exact([model(())[x[0]] * model(x[:1])[x[1]] * model(x[:2])[x[2]] for x in product(range(2), repeat=3)])


def _canonical(draw: Draw) -> Instance:
    it = _texts(draw)
    laws = it["laws"].copy()
    for place, tokens in enumerate(PLACES):
        laws[place] = laws[PLACES.index(TARGET.read(TARGET.text(tokens)))]
    return {**it, "laws": laws}


TOKENS = identity(
    name="relaxed.slem.tokens",
    statement=r"SLEM is lossless where the target keeps the tokens it emitted: three tokens have the target's law, "
    r"whatever texts are drafted",
    reference=PAPER,
    instances=_texts,
    lhs=lambda laws, drafts: _emitted(laws, drafts, False),
    rhs=own_law,
    sources=("exact",),
    note="Every emitted token is a sample of the target after what was emitted; drafts decide only where a round ends.",
    broken=[Broken("the left side for texts", lambda _: {"lhs": other_claim("relaxed.slem.text").lhs})],
)

TEXT = identity(
    name="relaxed.slem.text",
    statement=r"SLEM is lossless where the emitted text is tokenised afresh before each round",
    reference=PAPER,
    instances=_texts,
    lhs=lambda laws, drafts: _emitted(laws, drafts, True),
    rhs=own_law,
    sources=("exact",),
    corrected_by=("relaxed.slem.text-corrected",),
    within=(
        {
            "laws": matrix("1/3 2/3", "1/2 1/2", "1/2 1/2", "1/2 1/2", "1/2 1/2", "2/3 1/3", "1/3 2/3"),
            "drafts": law("1/4", "1/4", "1/2"),
        },
    ),
    note="The tokens a, a are read again as aa, after which the target may say something else.",
)

TEXT_CORRECTED = identity(
    name="relaxed.slem.text-corrected",
    statement=r"SLEM with the emitted text tokenised afresh before each round is lossless where the target says the same"
    r" after its tokens and after their text read again",
    reference="correction of " + PAPER,
    instances=_canonical,
    assumes={
        SAME: lambda laws: all(
            (model_of(laws)(x) == model_of(laws)(TARGET.read(TARGET.text(x)))).all() for x in PLACES if len(x) < 3
        )
    },
    lhs=lambda laws, drafts: _emitted(laws, drafts, True),
    rhs=own_law,
    outside={SAME: {"laws": np.stack([law(1, 0)] * 3 + [law(0, 1)] + [law(1, 0)] * 3), "drafts": law(1, 0, 0)}},
    sources=("exact",),
    broken=[
        Broken(
            "the printed instances", lambda _: {"instances": other_claim("relaxed.slem.text").instances, "assumes": {}}
        )
    ],
)
