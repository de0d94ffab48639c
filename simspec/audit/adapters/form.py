"""What an adapter makes of a function: a black box to call and, where uniforms can be passed, a sampler that takes them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.audit.calling import Sampler, UniformSampler
from simspec.audit.drafting import Drawn
from simspec.laws import Array

__all__ = [
    "FLOAT32",
    "Adapted",
    "Start",
    "Tokens",
    "UniformSampler",
    "bound",
    "by_uniforms",
    "drafted",
    "drawn",
    "emitted",
    "single",
]

Tokens = NDArray[np.int64]
Start = Callable[[int, np.random.Generator], Callable[..., Any]]
"""start(n, rng) -> step; step(p (n, g + 1, V), q (n, g, V), drafts (n, g)) -> tokens (n, g + 1): `adapters.steps.state`."""

FLOAT32 = 2.0**-20
"""Resolution of functions that compute masses and cuts in float32, some units of 2^-24 each."""


class Adapted(NamedTuple):
    """A function in the forms that an audit takes.

    Attributes
    ----------
    sampler : (p, q, n, rng) -> tokens (n, gamma + 1), for a black box
    with_uniforms : (p, q, drafts, uniforms) -> tokens, for exact mode; None where uniforms cannot be passed
    uniforms : gamma -> uniforms that a call of `with_uniforms` takes; None for those of `exact`, 2 gamma + 1
    least : int; fewest drafts that the function is made for
    widest : int; most tokens of the vocabulary for which uniforms can be passed
    resolution : float; TV that rounding alone may cost in exact mode, which is not called a bias
    most : int; most drafts on a path that it is audited with
    drawn : how drafts are drawn in exact mode, where it is no path from the draft laws; as in `simspec.audit.exact`
    is_one_step : whether a call is one step, so that its lengths are those of a step, and known causes may explain its law
    calls, tv_limit : what its speed allows of a black box, where nothing else is asked for; None is the audit's own
    processor : str; what it does to target rows unless another processor is asked for, as in `simspec.audit.processors`
    with_options : processor, as a text -> the black box that was told to process target rows so; None where it cannot be told
    start : begins texts of a sampler that remembers, so that causes are looked for in its steps; None where there are none
    """

    sampler: Sampler
    with_uniforms: UniformSampler | None = None
    uniforms: Callable[[int], int] | None = lambda gamma: gamma + 1
    least: int = 1
    widest: int = 64
    resolution: float = 0.0
    most: int = 64
    drawn: Drawn | None = None
    is_one_step: bool = True
    calls: int | None = None
    tv_limit: float | None = None
    processor: str = ""
    with_options: Callable[[str], Sampler] | None = None
    start: Start | None = None


def drawn(weights: Array, uniforms: Array) -> Tokens:
    """A token from each row of weights by inverse CDF: the first whose cumulated weight exceeds the uniform times the sum.

    >>> drawn(np.array([[1.0, 3.0, 0.0], [1.0, 3.0, 0.0]]), np.array([0.24, 0.25])).tolist()
    [0, 1]
    """
    sums = np.cumsum(np.broadcast_to(weights, (len(uniforms), np.shape(weights)[-1])), axis=-1)
    token = (np.asarray(uniforms)[:, None] * sums[:, -1:] >= sums).sum(axis=-1)
    return np.minimum(token, sums.shape[1] - 1)


def drafted(q: Array, n: int, rng: np.random.Generator) -> Tokens:
    """Drafts (n, gamma), position i of each drawn from q[i].

    >>> drafted(np.array([[0.0, 1.0], [1.0, 0.0]]), 2, np.random.default_rng(0)).tolist()
    [[1, 0], [1, 0]]
    """
    return np.array([drawn(row, rng.random(n)) for row in q], dtype=np.int64).reshape(len(q), n).T


def emitted(drafts: Tokens, accepted: Tokens, last: Tokens) -> Tokens:
    """Tokens (n, gamma + 1): the first `accepted` drafts of each row, then its last token, then -1.

    >>> emitted(np.array([[4, 5], [6, 7]]), np.array([0, 2]), np.array([8, 9])).tolist()
    [[8, -1, -1], [6, 7, 9]]
    """
    n, gamma = drafts.shape
    tokens = np.concatenate([drafts, np.full((n, 1), -1)], axis=1)
    tokens[np.arange(gamma + 1) >= np.asarray(accepted)[:, None]] = -1
    tokens[np.arange(n), accepted] = last
    return tokens


def single(uniforms: Array) -> NDArray[np.float32]:
    """Uniforms as float32 generators give them: multiples of 2^-24 below 1, rounded down.

    >>> single(np.array([0.5, 1 - 2**-30])).tolist() == [0.5, 1 - 2**-24]
    True
    """
    return (np.floor(np.asarray(uniforms) * 2**24) / 2**24).astype(np.float32)


def by_uniforms(with_uniforms: UniformSampler, uniforms: Callable[[int], int] = lambda gamma: gamma + 1) -> Sampler:
    """The black box of a sampler that takes its uniforms: drafts drawn from q, uniforms from the generator.

    >>> def first(p, q, drafts, uniforms):
    ...     return emitted(drafts, np.zeros(len(drafts), int), drawn(p[0], uniforms[:, 0]))
    >>> by_uniforms(first)(np.array([[0.0, 1.0]] * 2), np.array([[1.0, 0.0]]), 2, np.random.default_rng(0)).tolist()
    [[1, -1], [1, -1]]
    """

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Any:
        return with_uniforms(p, q, drafted(q, n, rng), rng.random((n, uniforms(len(q)))))

    return sampler


def bound(function: Callable[..., Any], available: Mapping[str, Any], who: str) -> dict[str, Any]:
    """The arguments of `available` that a function takes, by name.

    Raises
    ------
    ValueError
        where it needs an argument that `available` does not have: another version than those known.

    >>> bound(lambda a, b=2: a, {"a": 1, "c": 3}, "f")
    {'a': 1}
    >>> bound(lambda a, z: a, {"a": 1}, "f")
    Traceback (most recent call last):
    ...
    ValueError: f: takes 'z', which is not known; expected a signature of a, with defaults for others
    """
    parameters = inspect.signature(function).parameters.values()
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    for parameter in named:
        if parameter.default is parameter.empty and parameter.name not in available:
            available_names = ", ".join(available)
            raise ValueError(
                f"{who}: takes {parameter.name!r}, which is not known; expected a signature of "
                f"{available_names}, with defaults for others"
            )
    return {p.name: available[p.name] for p in named if p.name in available}
