"""Masking token by token is not conditioning on the grammar: each text is weighed by what its masks left.

`process.mask-law`, with its correction: practice.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, identity, law, mask, procedure
from simspec.claims.process.parts import table
from simspec.laws import exact, restrict
from simspec.laws.unchecked import normalise

__all__ = ["allowed_mass", "conditioned", "masked", "of_grammar"]

LAWS = np.stack([law("1/2", "1/2"), law("1/4", "3/4"), law("1/2", "1/2")])
GRAMMAR = np.stack([mask("10"), mask("11")])


def _grammar(draw: Draw) -> Instance:
    """Laws of a model, and the texts of two tokens that a grammar allows, at least one."""
    vocab = draw.integer(1, 3)
    flags = draw.mask(vocab * vocab).reshape(vocab, vocab)
    return {"p": table(draw, vocab), "grammar": flags}


def masked(p: Array, grammar: Array) -> Array:
    """Law of two tokens, each drawn from the target on the tokens that a text of the grammar can go on with."""
    first = restrict(p[0], np.asarray(grammar.any(axis=1)))
    rows = [restrict(p[x + 1], row) if row.any() else p[x + 1] for x, row in enumerate(grammar)]
    return np.concatenate([first[x] * row for x, row in enumerate(rows)])


def of_grammar(p: Array, grammar: Array) -> Array:
    """The target's masses of the texts of the grammar, 0 for other texts."""
    return np.concatenate([p[0][x] * np.where(row, p[x + 1], 0) for x, row in enumerate(grammar)])


def conditioned(p: Array, grammar: Array) -> Array:
    """The target's law given that the text is of the grammar; where it never is, what masking gives.

    >>> [str(m) for m in conditioned(LAWS, GRAMMAR)]
    ['1/5', '0', '2/5', '2/5']
    """
    return normalise(of_grammar(p, grammar), otherwise=masked(p, grammar))


def allowed_mass(p: Array, grammar: Array) -> Array:
    """The masses that the masks leave on the way of each text, multiplied."""
    first = np.where(grammar.any(axis=1), p[0], 0).sum()
    second = [np.where(row, p[x + 1], 0).sum() if row.any() else 1 for x, row in enumerate(grammar)]
    return np.repeat(exact([first * mass for mass in second]), len(grammar))


MASK_LAW = procedure(
    name="process.mask-law",
    statement=r"Masking token by token gives the target's law conditioned on the grammar",
    reference="practice, on Leviathan et al. 2023",
    instances=_grammar,
    lhs=masked,
    rhs=conditioned,
    sources=("exact",),
    corrected_by=("process.mask-law-corrected",),
    within=({"p": LAWS, "grammar": GRAMMAR},),
    note="A token that the grammar allows may lead where the target would hardly go on; masking does not look ahead.",
)

MASK_LAW_CORRECTED = identity(
    name="process.mask-law-corrected",
    statement=r"Of two tokens masked one by one: $m(x, y)\, A_1\, A_2(x) = p(x, y)\, \mathbb{1}\{(x, y) \in G\}$, $A_1$ and "
    r"$A_2(x)$ the target's masses of the tokens that the grammar allows first, and after $x$",
    reference="correction of practice, on Leviathan et al. 2023",
    instances=_grammar,
    lhs=lambda p, grammar: masked(p, grammar) * allowed_mass(p, grammar),
    rhs=of_grammar,
    sources=("exact",),
    note="So masking gives the conditioned law if and only if the product of these masses is one number for all texts of the "
    "grammar that the target can say; its ratio to the conditioned law is p(G) over that product.",
    broken=[
        broken(
            "only the first mask is paid for",
            lhs=lambda p, grammar: masked(p, grammar) * np.where(grammar.any(axis=1), p[0], 0).sum(),
        )
    ],
)
