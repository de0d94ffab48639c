"""The parameters of a figure's study, as `simspec figures NAME --set PARAMETER=VALUE` changes them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any

from simspec.checks import nearest
from simspec.figures.figure import EFFORTS, Figure

__all__ = ["check_values", "defaults", "in_words", "read_values"]

_LEAST = {
    **dict.fromkeys(("rows", "contexts", "control", "pairs", "choosing", "resamples", "tokens"), 2),
    **{"vocab": 16, "most": 1000},
}
"""Least values of whole numbers, where not 1: an interval needs two rows, a law two tokens, a picture over ranks some more."""


def defaults(figure: Figure, effort: str = "default") -> dict[str, float]:
    """The parameters of a figure's study with their values at an effort.

    Raises
    ------
    ValueError
        for an unknown effort.

    Examples
    --------
    >>> from simspec.figures.gallery import find
    >>> defaults(find(["rdk.pruning"])[0])
    {'vocab': 200000, 'temperature': 1, 'rows': 24, 'tuning': 8}
    """
    if effort not in EFFORTS:
        raise ValueError(f"effort: {effort!r}{nearest(effort, EFFORTS)}; expected one of {', '.join(EFFORTS)}")
    sizes = figure.sizes.get(effort, {})
    return {name: sizes.get(name, parameter.default) for name, parameter in _own(figure).items()}


def _own(figure: Figure) -> dict[str, inspect.Parameter]:
    """Parameters that are not keyword-only, see `Figure.study`."""
    parameters = inspect.signature(figure.study).parameters.values()
    return {parameter.name: parameter for parameter in parameters if parameter.kind != parameter.KEYWORD_ONLY}


def check_values(figure: Figure, values: Mapping[str, Any]) -> dict[str, float]:
    """Values for parameters of a figure's study, checked: a number of the parameter's type, above 0.

    Raises
    ------
    ValueError
        naming the parameter, the value, what is expected and, of an unknown name, the nearest.

    Examples
    --------
    >>> from simspec.figures.gallery import find
    >>> check_values(find(["rdk.pruning"])[0], {"vocabb": 3})
    Traceback (most recent call last):
    ValueError: vocabb: no parameter of rdk.pruning, the nearest is vocab; expected one of vocab, temperature, rows, tuning
    """
    own = _own(figure)
    preset = defaults(figure)
    for name, value in values.items():
        if name not in own:
            raise ValueError(f"{name}: no parameter of {figure.name}{nearest(name, own)}; {_expected(own)}")
        whole = own[name].annotation == "int"
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        least = _LEAST.get(name, 1)
        if not is_number or value <= 0 or (whole and not (isinstance(value, int) and value >= least)):
            expected = f"a whole number of at least {least}" if whole else "a number above 0"
            raise ValueError(f"{name}: {value!r}; expected {expected} (default {preset[name]})")
    return dict(values)


def _expected(own: Mapping[str, Any]) -> str:
    return f"expected one of {', '.join(own)}" if own else "it has none"


def read_values(figure: Figure, texts: Sequence[str]) -> dict[str, float]:
    """Values of texts ``PARAMETER=VALUE``, checked as `check_values` does.

    Raises
    ------
    ValueError
        as there; for a text without ``=``; and for a parameter that is given twice.

    Examples
    --------
    >>> from simspec.figures.gallery import find
    >>> read_values(find(["rdk.pruning"])[0], ["vocab=150000", "temperature=0.6"])
    {'vocab': 150000, 'temperature': 0.6}
    """
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--set: {text!r}; expected PARAMETER=VALUE; of {figure.name}, {_expected(_own(figure))}")
        if name in values:
            raise ValueError(f"--set {name}: given twice, {values[name]} and {value}; expected one value")
        values[name] = _number(value)
    try:
        return check_values(figure, values)
    except ValueError as error:
        raise ValueError(f"--set {error}") from None


def _number(text: str) -> Any:
    """A whole number as an int, another as a float, and a text that is none as it is."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def in_words(values: Mapping[str, float], equals: str = " = ", between: str = ", ") -> str:
    """Parameters and their values.

    >>> in_words({"vocab": 150000, "temperature": 0.6})
    'vocab = 150000, temperature = 0.6'
    """
    return between.join(f"{name}{equals}{value}" for name, value in values.items())
