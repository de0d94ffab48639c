"""What a report is made from must look like: every field of ``verdicts.json`` and of its claims, by name.

A file may have been written by another version, by another program, or by hand.  A field of another kind is an error
here, that names the claim and the field, and not a traceback from within the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["check_verdicts"]

DEEPEST = 12
"""Levels of lists and mappings within an instance."""

Check = Callable[[Any], str | None]
"""None for a value that fits; else what was expected in its place, after the place within it where it does not."""


def check_verdicts(verdicts: Any) -> None:
    """Refuse what is not the content of a ``verdicts.json``; unknown fields are let through.

    Raises
    ------
    ValueError
        naming the claim, the field, the value and what was expected.

    Examples
    --------
    >>> check_verdicts({"environment": "Linux", "claims": []})
    Traceback (most recent call last):
    ...
    ValueError: verdicts: environment is 'Linux'; expected a mapping
    """
    if not isinstance(verdicts, Mapping):
        raise ValueError(f"verdicts: {_short(verdicts)}; expected the content of a verdicts.json")
    for name, check in RUN.items():
        if name in verdicts:
            _refuse(f"verdicts: {name}", verdicts[name], check)
    for number, claim in enumerate(verdicts.get("claims", ())):
        identifier = claim.get("id") if isinstance(claim, Mapping) else None
        label = (
            identifier if isinstance(identifier, str) and identifier and identifier.isprintable() else f"claim {number}"
        )
        if not isinstance(claim, Mapping):
            raise ValueError(f"verdicts: {label} is {_short(claim)}; expected a mapping")
        for name, check in CLAIM.items():
            if name in claim:
                _refuse(f"{label}: {name}", claim[name], check)


def _refuse(place: str, value: object, check: Check) -> None:
    expected = check(value)
    if expected:
        raise ValueError(f"{place} is {_short(value)}; expected {expected}")


def _short(value: object) -> str:
    text = ascii(value) if not isinstance(value, (list, dict)) else f"a {type(value).__name__} of {len(value)} entries"
    return text if len(text) <= 80 else f"{text[:77]}..."


# --- kinds of values --------------------------------------------------------------------------------------------------


def _text(value: object) -> str | None:
    if not isinstance(value, str):
        return "text"
    try:
        value.encode()
    except UnicodeEncodeError:
        return "text without half characters"
    return None


def _number(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "a number"
    return "a number below 10**300" if isinstance(value, int) and abs(value) >= 10**300 else None


def _finite(value: Any) -> str | None:
    return _number(value) or (None if math.isfinite(value) else "a finite number")


def _flag(value: object) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _maybe(check: Check) -> Check:
    def checked(value: object) -> str | None:
        expected = None if value is None else check(value)
        return f"{expected}, or null" if expected else None

    return checked


def _either(*checks: Check) -> Check:
    def checked(value: object) -> str | None:
        expected = [check(value) for check in checks]
        return " or ".join(e for e in expected if e) if all(expected) else None

    return checked


def _list(check: Check, length: int | None = None) -> Check:
    def checked(value: object) -> str | None:
        if not isinstance(value, list) or length not in (None, len(value)):
            return "a list" if length is None else f"a list of {length}"
        for at, item in enumerate(value):
            if expected := check(item):
                return f"at [{at}] {expected} (there: {_short(item)})"
        return None

    return checked


def _mapping(fields: Mapping[str, Check] | Check, needed: tuple[str, ...] = ()) -> Check:
    """A mapping with these fields, those that it has; or with any names and one kind of values."""

    def checked(value: object) -> str | None:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            return "a mapping"
        for key in needed:
            if key not in value:
                return f"a mapping with {key!r}"
        for key, item in value.items():
            check = fields if callable(fields) else fields.get(key)
            if (expected := _text(key)) or (check is not None and (expected := check(item))):
                return f"at {_short(key)} {expected} (there: {_short(item)})"
        return None

    return checked


_plain = _maybe(_either(_text, _number, _flag))


def _instance(value: object, level: int = 0) -> str | None:
    if level > DEEPEST:
        return f"at most {DEEPEST} levels of lists"
    if isinstance(value, (list, Mapping)):
        if isinstance(value, Mapping) and (expected := _mapping(lambda _: None)(value)):
            return expected
        items = value.values() if isinstance(value, Mapping) else value
        return next((expected for item in items if (expected := _instance(item, level + 1))), None)
    return _plain(value)


def _arguments(value: object) -> str | None:
    return _mapping(_instance)(value)


# --- the file ---------------------------------------------------------------------------------------------------------

_seconds = _maybe(_finite)
PROOF = {
    "kind": _maybe(_text), "scope": _maybe(_text), "file": _maybe(_text), "seconds": _seconds, "whole": _maybe(_flag),
    "checked_now": _maybe(_flag), "versions": _maybe(_either(_text, _mapping(_plain))),
}  # fmt: skip
EVIDENCE = {
    "data": _maybe(_text), "model": _maybe(_text), "n": _maybe(_number), "estimate": _maybe(_number),
    "interval": _maybe(_list(_maybe(_number), 2)), "level": _maybe(_number),
    "control": _either(_plain, _mapping(_plain)),
}  # fmt: skip
CHECK = {name: _maybe(_number) for name in ("instances", "violations", "min_slack", "undecided")} | {
    "data": _maybe(_text)
}
SERIES = {
    "name": _text, "x": _list(_maybe(_either(_finite, _text))), "y": _list(_maybe(_number)),
    "low": _maybe(_list(_maybe(_finite))), "high": _maybe(_list(_maybe(_finite))),
}  # fmt: skip
PLOT = {
    "title": _maybe(_text), "x_label": _maybe(_text), "y_label": _maybe(_text), "x_log": _maybe(_flag),
    "series": _maybe(_list(_mapping(SERIES, ("name", "x", "y")))),
}  # fmt: skip
CLAIM: dict[str, Check] = {
    "id": lambda value: _text(value) or (None if value else "a name"),
    **dict.fromkeys(("kind", "verdict"), _text),
    **dict.fromkeys(("source", "statement", "note", "criterion", "message", "reproduce"), _maybe(_text)),
    "seconds": _seconds,
    "assumes": _maybe(_mapping(_maybe(_flag))),
    "decided_here": _maybe(_flag),
    "checks": _maybe(_mapping(_maybe(_mapping(CHECK)))),
    "tightness": _maybe(_mapping({"ratio": _maybe(_number), "instance": _maybe(_arguments)})),
    "counterexample": _maybe(_arguments),
    "corrected_by": _maybe(_either(_text, _list(_text))),
    "proof_steps": _maybe(_list(_text)),
    "proof": _maybe(_list(_mapping(PROOF))),
    "evidence": _maybe(_list(_mapping(EVIDENCE))),
    "slacks": _maybe(_list(_maybe(_number))),
    "plot": _maybe(_mapping(PLOT)),
}
"""Fields of a claim."""
RUN: dict[str, Check] = {
    "version": _text, "seed": _number, "effort": _text, "date": _maybe(_text), "environment": _mapping(_plain),
    "claims": lambda value: None if isinstance(value, list) else "a list",
}  # fmt: skip
"""Fields of the run."""
