"""What claims about tasks, texts and printed tables of TASC share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, is_exact
from simspec.claims.balls import enclose, plogp

__all__ = [
    "TASKS",
    "THOUSAND",
    "Texts",
    "average_entropy",
    "draw_texts",
    "mixture_of",
    "shannon",
    "some_ngram",
    "some_tasks",
    "tasks_with_prior",
    "unit_of",
    "value",
]

THOUSAND = "K"


def value(figure: str) -> F:
    """Number that a figure prints; ``K`` stands for thousands.

    >>> value("33.53K")
    Fraction(33530, 1)
    """
    return F(figure.removesuffix(THOUSAND)) * (1000 if figure.endswith(THOUSAND) else 1)


def unit_of(figure: str) -> F:
    """One in the last place of a figure; a count without K is exact."""
    digits = figure.removesuffix(THOUSAND)
    places = len(digits.partition(".")[2])
    return F(1, 10**places) * (1000 if figure.endswith(THOUSAND) else 1)


def shannon(p: Array) -> Any:
    """Shannon entropy in nats of each row: a ball on fractions, a number on floats.

    >>> from simspec.claims.authoring import law
    >>> bool(abs(shannon(law("1/2", "1/2")) - 0.6931471805599453) < 1e-15)
    True
    """
    return -plogp(p).sum(axis=-1)


TASKS = 32
"""Contexts of a source that stand for tasks."""


def some_tasks(draw: Draw) -> Instance:
    """One law of n-grams for each task."""
    vocab = draw.vocab()
    if not draw.exact:
        return {"laws": draw.law(vocab)[:TASKS]}
    return {"laws": np.stack([draw.law(vocab) for _ in range(draw.integer(1, 3))])}


def tasks_with_prior(draw: Draw) -> Instance:
    """Tasks and a prior over them."""
    tasks = dict(some_tasks(draw))
    count = len(tasks["laws"])
    prior = draw.law(count)
    return {**tasks, "prior": prior if draw.exact else prior[0]}


def _uniform(laws: Array) -> Array:
    weight = F(1, len(laws)) if is_exact(laws) else 1 / len(laws)
    return np.array([weight] * len(laws))


def average_entropy(laws: Array, prior: Array | None = None) -> Any:
    """Mean over tasks of H(T^n | τ)."""
    prior = _uniform(laws) if prior is None else prior
    return sum(enclose(w) * h for w, h in zip(prior.tolist(), shannon(laws).tolist(), strict=True))


def mixture_of(laws: Array, prior: Array | None = None) -> Array:
    """Law of T^n with the task summed out."""
    return (_uniform(laws) if prior is None else prior) @ laws


Texts = Sequence[Sequence[int]]


def draw_texts(draw: Draw, letters: int, shortest: int = 0, longest: int = 6) -> list[list[int]]:
    """A corpus of one or two texts."""
    return [
        [draw.integer(0, letters - 1) for _ in range(draw.integer(shortest, longest))]
        for _ in range(draw.integer(1, 2))
    ]


def some_ngram(draw: Draw) -> Instance:
    """A corpus and an n-gram that occurs in its first text."""
    texts = draw_texts(draw, draw.integer(1, 3), 2, 8)
    n = draw.integer(2, min(3, len(texts[0])))
    at = draw.integer(0, len(texts[0]) - n)
    return {"texts": texts, "ngram": texts[0][at : at + n]}
