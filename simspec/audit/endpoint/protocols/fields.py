"""Fields of a response, checked as they are read: an answer of another form is an error that names the field."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from simspec.audit.endpoint.keys import KEY_VARIABLE
from simspec.audit.endpoint.records import EndpointError
from simspec.html.escaping import escaped

__all__ = ["count", "curl", "field", "items", "number", "tokens"]

LARGEST_TOKEN = 2**31


def field(record: object, name: str, kind: type | tuple[type, ...], place: str) -> Any:
    """A field of a JSON object, of the kind that is expected.

    >>> field({"a": [1]}, "a", list, "answer")
    [1]
    """
    value = record.get(name) if isinstance(record, Mapping) else None
    if not isinstance(value, kind):
        expected = kind.__name__ if isinstance(kind, type) else " or ".join(k.__name__ for k in kind)
        raise EndpointError(f"{place}: {name} is {escaped(repr(value), 60)}; expected a {expected}")
    return value


def items(record: object, name: str, place: str) -> list[Any]:
    """A list of a JSON object."""
    return field(record, name, list, place)


def tokens(values: object, place: str) -> tuple[int, ...]:
    """Token ids.

    >>> tokens([1, 2], "answer")
    (1, 2)
    """
    if not isinstance(values, Sequence) or not all(
        isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST_TOKEN for value in values
    ):
        raise EndpointError(f"{place}: tokens are {escaped(repr(values), 60)}; expected ids, integers of at least 0")
    return tuple(values)


def number(value: object, place: str) -> float:
    """A number that is finite or minus infinity, as log-probabilities are."""
    if not isinstance(value, int | float) or isinstance(value, bool) or value != value or value == float("inf"):
        raise EndpointError(f"{place}: {escaped(repr(value), 60)}; expected a log-probability")
    return float(value)


def count(record: object, name: str) -> int | None:
    """A count of a JSON object, None where it is not there."""
    value = record.get(name) if isinstance(record, Mapping) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def curl(url: str, body: Mapping[str, Any], has_key: bool, key_variable: str = KEY_VARIABLE) -> str:
    """A request as a command to paste; a key stands in it as the variable that holds it.

    >>> curl("http://127.0.0.1:1/completion", {"prompt": [1]}, has_key=False)
    'curl -s http://127.0.0.1:1/completion -H \\'Content-Type: application/json\\' -d \\'{"prompt": [1]}\\''
    """
    import json

    key = f' -H "Authorization: Bearer ${key_variable}"' if has_key else ""
    return f"curl -s {shlex.quote(url)} -H 'Content-Type: application/json'{key} -d {shlex.quote(json.dumps(body))}"
