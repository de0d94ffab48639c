"""Short texts by enumeration: models from tables, the law of a text, and a rule that looks at its own draft."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.laws import Array
from simspec.methods import Method
from simspec.methods.block import Model, Prefix

__all__ = ["discarding", "markov", "masses", "written"]


def markov(table: Array) -> Model:
    """First-order Markov model from laws (V + 1, V): row 0 before the text, row x + 1 after token x."""
    return lambda prefix: table[prefix[-1] + 1 if prefix else 0]


def masses(law: dict[Prefix, Any], vocab: int, length: int) -> Array:
    """The law of a text as an array, in the order of the texts; 0 where a text has none."""
    return np.array([law.get(text, F(0)) for text in np.ndindex(*[vocab] * length)], dtype=object)


def written(model: Model, vocab: int, length: int) -> Array:
    """Law of the first `length` tokens that a model writes, in the same order."""
    law: dict[Prefix, Any] = {(): F(1)}
    for _ in range(length):
        law = {
            (*text, x): mass * token_mass
            for text, mass in law.items()
            for x, token_mass in enumerate(model(text).tolist())
        }
    return masses(law, vocab, length)


def discarding(method: Method, p: Array, q: Array, token: int) -> Array:
    """Output law of a rule that drops the draft it just made when it is `token`, for a fresh draw from p."""
    d = method.propose(q)
    accepted_mass = np.where(np.arange(p.shape[-1]) == token, 0, method.accept(p, d))
    return accepted_mass + d[token] * p + (1 - d[token] - accepted_mass.sum()) * method.residual(p, d)
