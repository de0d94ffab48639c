"""What changed between two runs: claims that came or went, verdicts, counterexamples, estimates.

A pure function of the content of two ``verdicts.json``; how long something took is no change.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from simspec.files import read_json, undigested
from simspec.html import number
from simspec.report.shape import check_verdicts

__all__ = ["KINDS", "Change", "Changes", "changes", "read_verdicts"]

KINDS = ("gone", "new", "verdict", "counterexample", "estimate")
"""Kinds of changes, in the order in which they are told."""


class Change(NamedTuple):
    """One difference.

    Attributes
    ----------
    kind : one of `KINDS`
    claim : id
    old, new : what it was and what it is; None where there is nothing
    what : of an estimate, the data and the model it was measured on
    """

    kind: str
    claim: str
    old: Any
    new: Any
    what: str = ""

    def __str__(self) -> str:
        place = f"{self.claim} ({self.what})" if self.what else self.claim
        return f"{self.kind:<16}{place}: {_value_in_words(self.old)} → {_value_in_words(self.new)}"


class Changes(NamedTuple):
    """All differences of two runs, and what the runs themselves differ in: seed, effort, version, environment."""

    runs: dict[str, tuple[Any, Any]]
    found: list[Change]


def read_verdicts(path: Path, name: str = "FILE") -> dict[str, Any]:
    """The content of a ``verdicts.json``, whole and as it was written.

    Raises
    ------
    ValueError
        for what is no such file, or was altered; the message begins with `name`.
    """
    verdicts = read_json(path, name, "a verdicts.json; make one with simspec verify")
    if not isinstance(verdicts, dict) or "claims" not in verdicts:
        raise ValueError(f"{name}: {str(path)!r} is not a verdicts.json; make one with simspec verify")
    try:
        return undigested(verdicts)
    except ValueError as error:
        raise ValueError(f"{name}: {str(path)!r}: {error}; make it again with simspec verify") from None


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Changes:
    """Differences of two runs, in the order of `KINDS` and, within each, of the claims.

    Parameters
    ----------
    old, new : the content of two ``verdicts.json``

    Raises
    ------
    ValueError
        for content that no ``verdicts.json`` has, naming the field.

    Examples
    --------
    >>> def run(word):
    ...     return {"seed": 0, "claims": [{"id": "sd.one", "verdict": word}]}
    >>> print(*changes(run("holds"), run("refuted")).found)
    verdict         sd.one: holds → refuted
    """
    check_verdicts(old)
    check_verdicts(new)
    runs = {
        name: (was, now)
        for name in ("version", "seed", "effort", "environment")
        if not _same(was := old.get(name), now := new.get(name))
    }
    before = _by_id(old)
    after = _by_id(new)
    differences = [Change("gone", n, c.get("verdict"), None) for n, c in before.items() if n not in after]
    differences += [Change("new", n, None, c.get("verdict")) for n, c in after.items() if n not in before]
    for name in before:
        if name in after:
            differences += _of_claim(name, before[name], after[name])
    return Changes(runs, sorted(differences, key=lambda change: KINDS.index(change.kind)))


def _by_id(run: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    claims = run.get("claims", ())
    if nameless := [n for n, claim in enumerate(claims) if "id" not in claim]:
        raise ValueError(f"verdicts: claim {nameless[0]} has no id; expected the content of a verdicts.json")
    return {claim["id"]: claim for claim in claims}


def _of_claim(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    entries = [
        Change(field, name, old.get(field), new.get(field))
        for field in ("verdict", "counterexample")
        if not _same(old.get(field), new.get(field))
    ]
    rows = [_rows(run.get("evidence") or ()) for run in (old, new)]
    for subject in dict.fromkeys([*rows[0], *rows[1]]):
        for was, now in zip_longest(*(entries.get(subject, []) for entries in rows)):
            if not _same(was, now):
                entries.append(Change("estimate", name, was, now, subject))
    return entries


def _rows(evidence: Any) -> dict[str, list[dict[str, Any]]]:
    """What was measured, by the data and the model it was measured on; rows of the same ones in their order."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in evidence:
        subject = ", ".join(str(row[n]) for n in ("data", "model") if row.get(n) is not None)
        rows.setdefault(subject, []).append({n: row.get(n) for n in ("estimate", "interval", "level", "n")})
    return rows


def _same(a: object, b: object) -> bool:
    """Equality of plain values, of which NaN equals itself."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def _value_in_words(value: object) -> str:
    """A side of a change in words."""
    if value is None:
        return "none"
    if isinstance(value, Mapping) and "estimate" in value:
        low_high = value["interval"]
        interval = f" [{number(low_high[0])}, {number(low_high[1])}]" if low_high else ""
        return f"{number(value['estimate'])}{interval}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False).replace('"', "")
