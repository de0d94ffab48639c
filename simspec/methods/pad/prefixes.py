"""Small exact processes with one state a prefix, in which anything may depend on anything."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from simspec.checks import whole_number
from simspec.kernels import random as philox
from simspec.laws import Array, check_law, exact
from simspec.methods.pad.process import Process, check_process
from simspec.methods.parameters import check_number

__all__ = ["prefix_process", "tree"]

_PREFIXES = 2**20  # states of the largest prefix process
_TARGET, _DRAFT, _USEFUL = range(3)  # purposes: draws that must be independent


def prefix_process(
    target: Callable[[tuple[int, ...]], Array],
    draft: Callable[[tuple[int, ...]], Array],
    utility: Callable[[tuple[int, ...]], Any],
    horizon: int,
) -> Process:
    """Process with one state a prefix, for small cases in which anything may depend on anything.

    Parameters
    ----------
    target, draft : prefix -> law (V,); asked for prefixes of 0..horizon - 1 tokens
    utility : text -> number in [0, 1]; asked for the texts of `horizon` tokens
    horizon : int >= 0

    Returns
    -------
    Process whose states are the prefixes by length, then in order: () is 0, (x,) is 1 + x, … A finished text stays
    where it is, with the laws of the empty prefix; a prefix that is not finished has utility 0.  Neither is ever read.

    >>> from simspec.methods.pad.process import values
    >>> half = np.array([0.5, 0.5])
    >>> process = prefix_process(lambda x: half, lambda x: half, lambda text: text == (1, 1), 2)
    >>> float(values(process)[0, 0]), process.step[1].tolist()
    (0.25, [3, 4])
    """
    for name, function in (("target", target), ("draft", draft), ("utility", utility)):
        if not callable(function):
            raise ValueError(f"{name}: {function!r}; expected a function of a prefix")
    first = check_law(target(()), "target(())")
    vocab = first.shape[-1]
    whole_number("horizon", horizon, 0, _PREFIXES, "a number of tokens that is not negative")
    if (horizon + 1 > _PREFIXES.bit_length() and vocab > 1) or sum(vocab**n for n in range(horizon + 1)) > _PREFIXES:
        raise ValueError(f"horizon: {horizon} with {vocab} tokens; expected at most {_PREFIXES} prefixes")
    open_texts = [text for n in range(horizon) for text in product(range(vocab), repeat=n)]
    texts = list(product(range(vocab), repeat=horizon))
    ends = [()] * len(texts)
    p, q = (np.stack([np.asarray(model(x)) for x in (*open_texts, *ends)]) for model in (target, draft))
    opened = np.arange(len(open_texts))[:, None] * vocab + np.arange(1, vocab + 1)
    closed = np.repeat(np.arange(len(texts))[:, None] + len(open_texts), vocab, axis=1)
    useful = np.array([0] * len(open_texts) + [utility(text) for text in texts], dtype=p.dtype)
    return check_process(Process(p, q, np.concatenate([opened, closed]), useful, 0, horizon))


def tree(key: int, vocab: int = 3, horizon: int = 2, parts: int = 4, useful: float = 0.5) -> Process:
    """A small exact process with one state a prefix: laws are random multiples of 1/`parts`, utilities 0 or 1 at random.

    Parameters
    ----------
    key : int; Philox key; the same key gives the same process
    vocab, horizon : int
    parts : int >= 1; each law is the law of `parts` tokens drawn uniformly
    useful : number in [0, 1]; probability that a finished text has utility 1

    >>> process = tree(1)
    >>> len(process.utility), process.target[process.start].sum()
    (13, Fraction(1, 1))
    """
    whole_number("vocab", vocab, 1, None, "at least one token")
    whole_number("parts", parts, 1, None, "at least one")
    check_number("useful", useful, lambda v: 0 <= v <= 1, "a probability")

    def row(prefix: tuple[int, ...]) -> int:  # a leading 1 keeps prefixes of different lengths apart
        number = 1
        for token in prefix:
            number = number * vocab + token
        return number

    def model(purpose: int) -> Callable[[tuple[int, ...]], Array]:
        def law(prefix: tuple[int, ...]) -> Array:
            tokens = (philox.uniform(key, [row(prefix)], range(parts), purpose)[0] * vocab).astype(int)
            return exact(np.bincount(tokens, minlength=vocab)) / parts

        return law

    def utility(text: tuple[int, ...]) -> Fraction:
        return Fraction(int(philox.uniform(key, [row(text)], [0], _USEFUL)[0, 0] < useful))

    return prefix_process(model(_TARGET), model(_DRAFT), utility, horizon)
