"""Theorems by hand of claims that ship, which are counted for claims whose formulas, domain or name are others.

Each twin is the claim as it ships.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import simspec.claims
from simspec.claims import find, registry
from simspec.claims.claim import at_least, at_most
from simspec.claims.deciding import in_coq
from simspec.claims.deciding.in_coq import coq_record, formulas_hash, theorems_hash
from simspec.claims.deciding.statements import is_as_read
from tests.proofs_check.attacks.attack import Attack, NotProved
from tests.proofs_check.attacks.promised import RECORDS

__all__ = ["NAMED"]

FAMILY = "theorems by hand of other claims"


class Change(NamedTuple):
    """What it tries; what of the claim is another, what of the entry of the record; the sentence beyond."""

    says: str
    of_claim: Mapping[str, Any] = {}
    of_entry: Mapping[str, Any] = {}
    beyond: str = ""


def _fresh(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of the record as it would be written now."""
    return {**entry, "files": theorems_hash(), "formulas": formulas_hash(registry()[entry["claim"]])}


def _with_theorem() -> str:
    """The first claim that ships with assumptions, and with a theorem that says what was read."""
    entries = [e for e in coq_record()["theorems"] if e["claim"] in registry() and registry()[e["claim"]].assumes]
    return next(e["claim"] for e in entries if is_as_read(e["theorem"], Path(e["file"]).stem))


def _counts(change: Change) -> Any:
    """The theorem that counts of a claim once something of it, or of its entry, is another."""
    name = _with_theorem()
    claim = find([name])[0]
    changed = replace(claim, **change.of_claim)
    record = coq_record()
    entry = _fresh(next(e for e in record["theorems"] if e["claim"] == name))
    other = _fresh(next(e for e in record["theorems"] if e["claim"] != name and e["file"] != entry["file"]))
    of_entry = {key: other.get(value, value) for key, value in change.of_entry.items()}
    if of_entry.get("formulas") == "as changed":
        of_entry["formulas"] = formulas_hash(changed)
    entries = [{**entry, **of_entry}]
    in_coq._theorem.cache_clear()
    try:
        with (
            patch.object(in_coq, "coq_record", lambda: {**record, "theorems": entries}),
            patch.object(simspec.claims, "registry", lambda: {**registry(), name: changed}),
        ):
            theorem = in_coq._theorem(entries[0]["claim"])
    finally:
        in_coq._theorem.cache_clear()
    if theorem is None:
        raise NotProved("no theorem counts")
    return theorem


LOWER = {"rhs": lambda: Fraction(1, 2)}
CHANGES = {
    "right_side": Change("the claim's right side is 1/2", LOWER),
    "left_side": Change("the claim's left side is 0", {"lhs": lambda: 0}),
    "relation": Change("the claim says at least, or at most, in place of its relation", {"relation": at_least}),
    "other_relation": Change("the same, with the other one", {"relation": at_most}),
    "assumptions": Change("the claim assumes nothing any more", {"assumes": {}}),
    "assumption_of_nothing": Change(
        "the claim's assumptions hold of everything", {"assumes": {"whatever there is": lambda: True}}
    ),
    "instances": Change("the claim is about no laws any more", {"instances": lambda draw: {}}),
    "name_of_another": Change("the entry is that of another claim, with its theorem", {}, {"claim": "claim"}),
    "theorem_of_another": Change("the entry has another claim's theorem", {}, {"theorem": "theorem", "file": "file"}),
    "file_of_another": Change("the theorem stands in another file", {}, {"file": "nowhere.v"}),
    "files_of_before": Change("the files with theorems are others than Coq has read", {}, {"files": "0" * 24}),
    "formulas_of_another": Change("the entry has the hash of another claim's formulas", {}, {"formulas": "formulas"}),
    "entry_rewritten": Change(
        "the claim's right side is 1/2, and the entry has its hash, written by hand",
        LOWER,
        {"formulas": "as changed"},
        RECORDS,
    ),
}

NAMED = [
    Attack(
        f"named_{name}",
        FAMILY,
        change.says,
        partial(_counts, change),
        change.beyond,
        twin=partial(_counts, Change("")),
        by="no theorem counts",
    )
    for name, change in CHANGES.items()
]
