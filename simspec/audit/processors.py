"""Processors by name, as an audit is told of them: temperature, top-k, top-p, min-p, and penalties on what was said.

Each is the definition that engines document, on probabilities: ``processor(rows (n, V), prefix (n, t)) -> weights (n, V)``.
A logit that is lowered by a is a mass times exp(-a).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from simspec.audit.handing import Processor
from simspec.checks import nearest
from simspec.laws import Array, top_k, top_p
from simspec.loading import load, place_of

__all__ = ["PROCESSORS", "Named", "frequency", "min_p", "presence", "processor_of", "repetition", "temperature"]


class Named(NamedTuple):
    """A processor with one number: how it is written, what it does, and the numbers that it takes."""

    usage: str
    summary: str
    function: Callable[..., Any]
    low: float
    high: float
    is_whole: bool = False


def temperature(rows: Array, prefix: NDArray[np.int64], *, number: float) -> Array:
    """Masses to the power 1/t, divided by their largest before, so that none is lost; at t = 0 the likeliest, the lowest at ties.

    >>> temperature(np.array([[0.25, 0.5, 0.25]]), np.zeros((1, 0)), number=0.5).tolist()
    [[0.25, 1.0, 0.25]]
    """
    if not number:
        return np.eye(rows.shape[1])[rows.argmax(axis=1)]
    weights: Array = (rows / rows.max(axis=1, keepdims=True)) ** (1 / number)
    return weights


def min_p(rows: Array, prefix: NDArray[np.int64], *, number: float) -> Array:
    """Only tokens with at least `number` times the largest mass.

    >>> min_p(np.array([[0.125, 0.625, 0.25]]), np.zeros((1, 0)), number=0.3).tolist()
    [[0.0, 0.625, 0.25]]
    """
    return np.where(rows >= number * rows.max(axis=1, keepdims=True), rows, 0)


def presence(rows: Array, prefix: NDArray[np.int64], *, number: float) -> Array:
    """The logit of each token in the prefix is lowered by `number` once.

    >>> presence(np.array([[0.5, 0.5]]), np.array([[0, 0]]), number=np.log(2)).tolist()
    [[0.25, 0.5]]
    """
    return rows * np.exp(-number * (_counts(rows, prefix) > 0))


def frequency(rows: Array, prefix: NDArray[np.int64], *, number: float) -> Array:
    """The logit of each token in the prefix is lowered by `number` as often as it stands there.

    >>> frequency(np.array([[0.5, 0.5]]), np.array([[0, 0]]), number=np.log(2)).tolist()
    [[0.125, 0.5]]
    """
    return rows * np.exp(-number * _counts(rows, prefix))


def repetition(rows: Array, prefix: NDArray[np.int64], *, number: float) -> Array:
    """The logit of each token in the prefix, the logarithm of its mass, is multiplied by `number` once.

    Engines divide a logit above 0 instead; logarithms of masses are none.

    >>> repetition(np.array([[0.5, 0.5]]), np.array([[0, 0]]), number=2.0).tolist()
    [[0.25, 0.5]]
    """
    return np.where(_counts(rows, prefix) > 0, rows**number, rows)


def _counts(rows: Array, prefix: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each token stands in the prefix of each row, (n, V)."""
    counts: NDArray[np.int64] = (prefix[:, :, None] == np.arange(rows.shape[1])).sum(axis=1)
    return counts


def _top_k(rows: Array, prefix: NDArray[np.int64], *, number: float) -> Array:
    return top_k(rows, min(int(number), rows.shape[1]))


def _top_p(rows: Array, prefix: NDArray[np.int64], *, number: float) -> Array:
    return top_p(rows, number)


PROCESSORS: dict[str, Named] = {
    "temperature": Named("temperature:T", "logits divided by T; the likeliest token where T is 0", temperature, 0, 1e3),
    "top-k": Named("top-k:K", "the K likely tokens", _top_k, 1, 2**31, is_whole=True),
    "top-p": Named("top-p:P", "the likely tokens until their mass is at least P", _top_p, 1e-9, 1),
    "min-p": Named("min-p:P", "tokens with at least P times the largest mass", min_p, 0, 1),
    "presence": Named("presence:A", "logits of tokens in the text lowered by A", presence, -100, 100),
    "frequency": Named("frequency:A", "logits lowered by A as often as the token is in the text", frequency, -100, 100),
    "repetition": Named("repetition:R", "logarithms of masses of tokens in the text times R", repetition, 1e-3, 1e3),
}
"""Processors by name."""


def processor_of(text: str) -> Processor:
    """The processor that a text stands for: NAME:NUMBER of `PROCESSORS`, several with + between them, or FILE.py:NAME.

    Raises ValueError where it stands for nothing.

    >>> processor_of("top-k:1")(np.array([[0.25, 0.75]]), np.zeros((1, 0))).tolist()
    [[0.0, 1.0]]
    >>> processor_of("topk:1")
    Traceback (most recent call last):
    ...
    ValueError: --processor: 'topk:1', the nearest is top-k; expected temperature:T, top-k:K, top-p:P, min-p:P, \
presence:A, frequency:A, repetition:R, several with + between them, or FILE.py:NAME or module:NAME
    """
    usages_typed = text.split("+")
    if all(usage.partition(":")[0] in PROCESSORS for usage in usages_typed):
        return partial(_in_turn, processors=[_named(usage) for usage in usages_typed])
    place = place_of(text)
    if place is not None and (place.where.endswith(".py") or "." in place.where or not _is_number(place.name)):
        return cast("Processor", load(text, "--processor", cast("type", Callable)))
    name = text.partition(":")[0]
    usages = ", ".join(named.usage for named in PROCESSORS.values())
    raise ValueError(
        f"--processor: {text!r}{nearest(name, PROCESSORS)}; expected {usages}, several with + between them, or "
        "FILE.py:NAME or module:NAME"
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _named(text: str) -> Processor:
    """A processor of `PROCESSORS` with its number."""
    name, _, number_text = text.partition(":")
    named = PROCESSORS[name]
    kind = "an integer" if named.is_whole else "a number"
    expected = f"expected {named.usage} with {kind} from {named.low:g} to {named.high:g}"
    if not _is_number(number_text):
        raise ValueError(f"--processor: {text!r}; {expected}")
    number = float(number_text)
    if not named.low <= number <= named.high or (named.is_whole and number % 1):
        raise ValueError(f"--processor: {text!r}; {expected}")
    return partial(named.function, number=number)


def _in_turn(rows: Array, prefix: NDArray[np.int64], *, processors: list[Processor]) -> Array:
    """What several processors make of rows, one after the other; each gets laws."""
    for processor in processors:
        weights = np.asarray(processor(rows, prefix))
        rows = weights / weights.sum(axis=1, keepdims=True) if len(processors) > 1 else weights
    return rows
