"""Records that say what nobody has decided: written by hand, by a caller, or kept while what they are about has changed."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from simspec import verify
from simspec.claims import find
from simspec.claims.chosen import choose
from simspec.claims.deciding import in_coq, kept, outside, proved
from simspec.claims.deciding.in_coq import coq_record, word
from simspec.files import digested
from tests.proofs_check.attacks.attack import Attack, NotProved
from tests.proofs_check.attacks.word.records import DERIVED

__all__ = ["SAID"]

SAID: list[Attack] = []
OF_COQ, OF_PROOFS, DECIDED = (
    "what Coq is said to have read",
    "what is said to be whole",
    "verdicts that are brought along",
)
TEXTS = in_coq.texts_in
AXIOM = "\nAxiom wrong : 0 = 1.\n"
OTHER_WORDS = "Every drafter is free, and every text is the target's."
ALIKE = "proved\u200b"
"""The word with a letter that nobody sees."""
IN_PART = "rdk.two-events-sharp"
"""A claim with a proof of a part, which is quickly decided."""
Way = Callable[[], Any]


def _put(name: str, family: str, says: str, way: Way, by: str, twin: Way | None = None) -> None:
    SAID.append(Attack(f"said_{name}", family, says, way, "", twin, by))


@contextmanager
def _anew() -> Iterator[None]:
    """Nothing is remembered of the record, before and after."""
    caches = (in_coq._answers, in_coq._theorem, in_coq.library_hash)
    for cache in caches:
        cache.cache_clear()
    try:
        yield
    finally:
        for cache in caches:
            cache.cache_clear()


def _word(name: str, wanted: str = "proved") -> str:
    """The word for a claim, where it is the one that is wanted."""
    with _anew():
        try:
            said = word(outside.entries(find([name])[0]))
        except ValueError as error:
            raise NotProved(str(error)) from None
    if said != wanted:
        raise NotProved(f"the word is {said}")
    return said


# --- what all scripts share ---


def _claim_of(library: str) -> str:
    """The first claim that is proved by one derivation alone, whose script requires a file."""
    answers = coq_record()["derivations"]
    names = [e["claim"] for e in answers]
    with_theorem = {t["claim"] for t in coq_record()["theorems"]}
    alone = (e for e in answers if names.count(e["claim"]) == 1 and e["claim"] not in with_theorem)
    return next(e["claim"] for e in alone if e.get("whole") and library in e.get("requires", {}))


def _with_library(library: str, claim: str, more: str) -> str:
    """The word while a file that scripts require has a sentence more."""

    def texts(folder: str, ending: str) -> Mapping[str, str]:
        found = TEXTS(folder, ending)
        return {**found, library: found[library] + more} if library in found else found

    with patch.object(in_coq, "texts_in", texts):
        return _word(claim)


for _library in ("further", "deeper", "functions"):
    _claim = _claim_of(_library)
    _put(
        f"axiom_in_{_library}",
        OF_COQ,
        f"an axiom more in {_library}.v, which some scripts require, with the answers of before",
        partial(_with_library, _library, _claim, AXIOM),
        "the word is derived",
        partial(_with_library, _library, _claim, ""),
    )


# --- the record of Coq ---


def _by_record(record: Mapping[str, Any]) -> str:
    """The word for a claim of which Coq was told a step, by a record of Coq."""
    with patch.object(in_coq, "_read", lambda: record):
        return _word(DERIVED)


def _coq(**changes: Any) -> str:
    """The word once the answers about that claim are changed."""
    record = deepcopy(coq_record())
    for entry in record["derivations"]:
        if entry["claim"] == DERIVED:
            entry.update({"admitted": [], "whole": True, **changes})
    return _by_record(record)


def _told() -> list[str]:
    """As many names as that derivation has steps."""
    entry = next(e for e in coq_record()["derivations"] if e["claim"] == DERIVED)
    return [f"derive_{k}" for k in range(entry["steps"])]


def _no_prelude() -> str:
    """The word by a record that does not name what it is about, while every power is 1."""
    record = {key: value for key, value in coq_record().items() if key != "prelude"}

    def texts(folder: str, ending: str) -> Mapping[str, str]:
        found = TEXTS(folder, ending)
        return {**found, "prelude": found["prelude"].replace("b ^ Z.to_nat n.", "1.")} if "prelude" in found else found

    with patch.object(in_coq, "_read", lambda: record), patch.object(in_coq, "texts_in", texts):
        return _word("folk.lean-residual-corrected")


FLAG = "does not follow from the steps"
_put("no_prelude", OF_COQ, "a record that does not say what all scripts shared", _no_prelude, "the word is derived")
for _name, _says, _changes in (
    ("text_that_is_true", "accepted whole, of a text that is no hash", {"text": True}),
    ("steps_as_words", "accepted whole, of steps whose number is a word", {"steps": "7"}),
    (
        "rests_on_no_list",
        "accepted whole, where what it rests on is an empty text",
        {"admitted": ["derive_0"], "rests_on": ""},
    ),
    ("rests_on_no_step", "accepted whole, though Coq was told each step", {"admitted": _told(), "rests_on": []}),
):
    _put(_name, OF_COQ, _says, partial(_coq, **_changes), FLAG)


# --- the record of proofs ---


def _proofs(**changes: Any) -> str:
    """The word for a claim with a proof of a part, once its entry is changed."""
    record = deepcopy(proved.record())
    for entry in record["proofs"][IN_PART]:
        entry.update(changes)
    with patch.object(proved, "record", lambda: record):
        return _word(IN_PART, "derived")


_put(
    "whole_by_a_word",
    OF_PROOFS,
    "a proof of a part, whose flag is the word no",
    partial(_proofs, whole="no"),
    "the word is holds",
)
_put(
    "whole_by_a_list",
    OF_PROOFS,
    "a proof of a part, whose flag is a list of parts",
    partial(_proofs, whole=[0]),
    "the word is holds",
)


class _Each(str):
    """A text that is equal to each."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


def _handed_over(entry: Any, wanted: str, name: str = "csqs.budget-minimax") -> Any:
    """What `verify` says of a claim with a proof of a part by what its caller hands over."""
    (claim,) = verify(find([name])[0], effort="quick", proofs={name: [entry]})["claims"]
    if claim["verdict"] != wanted:
        raise NotProved(f"the word is {claim['verdict']}")
    return claim


def _equal_to_each() -> Any:
    entry = {key: _Each("symbolic") for key in ("kind", "scope", "whole", "file", "place", "hash")}
    (recorded,) = outside.entries(find([IN_PART])[0])
    return _handed_over({**entry, "coq": recorded["coq"]}, "derived", IN_PART)


_put(
    "equal_to_each",
    OF_PROOFS,
    "`verify` with a proof, of the caller's, that is equal to what is on record",
    _equal_to_each,
    "the word is holds",
)


# --- verdicts ---


def _brought(name: str, **changes: Any) -> Any:
    """`verify` with what an earlier run has said of a claim, changed by its caller."""
    (before,) = verify(find([name])[0], effort="quick")["claims"]
    by_hand = {**before, **changes}
    first, *_ = verify(find([name])[0], effort="quick", known={name: by_hand})["claims"]
    if first is not by_hand:
        raise NotProved(f"it is decided anew: {first['verdict']}")
    return first


def _stored(name: str, **changes: Any) -> Any:
    """What is taken of a file beside the report, with its key and its digest, in which a claim's record is changed."""
    key = kept.claim_key(find([name])[0])
    (before,) = verify(find([name])[0], effort="quick")["claims"]
    by_hand = digested({"claims": {name: {"key": key, "record": {**before, **changes}}}})
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / kept.NAME).write_text(json.dumps(by_hand), encoding="utf-8")
        stored = kept.stored_records(Path(folder), lambda claim: key, choose([name]))
    if not stored:
        raise NotProved("it is decided anew")
    return stored


ANEW = "decided anew"
PROVED = "sd.acceptance"
for _name, _says, _way in (
    (
        "brought_words",
        "`verify` with other words of a claim that is proved",
        partial(_brought, PROVED, statement=OTHER_WORDS),
    ),
    (
        "brought_assumptions",
        "`verify` with a claim's record that assumes less",
        partial(_brought, "sd.lossless", assumes={}),
    ),
    ("brought_alike", "`verify` with a verdict that looks like proved", partial(_brought, IN_PART, verdict=ALIKE)),
    (
        "stored_words",
        "other words of a claim that is proved, in a file with its digest",
        partial(_stored, PROVED, statement=OTHER_WORDS),
    ),
    (
        "stored_alike",
        "a verdict that looks like proved, in a file with its digest",
        partial(_stored, IN_PART, verdict=ALIKE),
    ),
):
    _put(_name, DECIDED, _says, _way, ANEW)
