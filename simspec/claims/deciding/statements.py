"""What a theorem in Coq says, and whether it is what a person has read: a name alone says nothing of a claim.

The text of a theorem is its statement, what the sections around it suppose, and every definition that these mention, and so on.
``statements.json`` beside the theorems holds what was read, one entry for a theorem; whoever changes one changes that file
too, by hand or by ``python -m proofs_check.coq.algorithm``, and the difference is there to be read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from simspec.claims.deciding.proved import texts_in
from simspec.claims.deciding.vernacular import sentences, unreadable

__all__ = ["FOLDER", "READ", "is_as_read", "says", "sources", "why_unread"]

FOLDER = "coq/algorithm"
"""Folder of the theorems about the algorithms, in the package of the proofs."""
READ = "statements.json"
"""In that folder: what each theorem said when it was read."""
_SUPPOSES = re.compile(r"(?:Variables?|Hypothes[ie]s|Context|Parameters?|Axioms?|Conjecture)\b")
_DEFINES = re.compile(r"(?:Definition|Fixpoint|Inductive|Record|Let|Notation|Lemma|Theorem|Example) \"?(\w+'*)")
_CONSTRUCTS = re.compile(r"(?:\||:=|[{;]) ?(\w+'*)")
"""What may be a constructor of a type, or a field of a record."""
_NAME = re.compile(r"(?:(\w+)\.)?([A-Za-z_]\w*'*)")
_USUAL = ["Open Scope R_scope."]
"""How numbers and symbols are read in most files."""


def says(theorem: str, file: str, texts: Mapping[str, str]) -> dict[str, str]:
    """What a theorem of a file says: `states`, its statement below what its sections suppose; `means`, a hash of that and of
    all definitions that it mentions.

    >>> text = "Definition two := 2.\\nSection A.\\nVariable n : nat.\\nTheorem t : n + two = n.\\nProof. lia. Qed.\\nEnd A.\\n"
    >>> says("t", "f", {"f": text})["states"]
    'Variable n : nat. Theorem t : n + two = n.'
    >>> says("t", "f", {"f": text.replace(":= 2", ":= 3")})["means"] == says("t", "f", {"f": text})["means"]
    False

    Raises
    ------
    ValueError
        where the file has no such theorem.
    """
    supposed: list[list[str]] = [[]]
    for sentence in _sentences(texts.get(file, "")):
        first, _, rest = sentence.partition(" ")
        if first in {"Section", "Module"} and ":=" not in rest:
            supposed.append([])
        elif first == "End":
            supposed.pop()
        elif _SUPPOSES.match(sentence):
            supposed[-1].append(sentence)
        elif first == "Theorem" and re.match(rf"{theorem}\b", rest):
            stated = " ".join([*(s for section in supposed for s in section), sentence])
            meant = "\n".join([stated, *_definitions(stated, file, texts, theorem)])
            return {"states": stated, "means": hashlib.sha256(meant.encode()).hexdigest()[:24]}
    raise ValueError(f"{file}.v: no theorem {theorem}")


@cache
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(sentences(text))


@cache
def _defined(text: str) -> dict[str, tuple[str, ...]]:
    """Sentences of a file by the names that each gives: definitions and statements, and constructors and fields of types."""
    definitions: dict[str, tuple[str, ...]] = {}
    for sentence in _sentences(text):
        if match := _DEFINES.match(sentence):
            constructed = _CONSTRUCTS.findall(sentence) if sentence.startswith(("Inductive", "Record")) else []
            for name in dict.fromkeys((match[1], *constructed)):
                definitions[name] = (*definitions.get(name, ()), sentence)
    return definitions


def _definitions(stated: str, file: str, texts: Mapping[str, str], theorem: str) -> list[str]:
    """Definitions that the text of a theorem mentions, directly or not: those of its own file before those of others.

    Where the file of the theorem reads symbols in another scope than most do, that is one of the texts.
    """
    waiting = [(home, name, file) for home, name in _NAME.findall(stated)]
    seen = {(theorem, file)}
    meanings: set[str] = set(_scopes(texts.get(file, "")))
    while waiting:
        qualified, name, home = waiting.pop()
        own = qualified if qualified in texts else home if name in _defined(texts.get(home, "")) else ""
        for place in [own] if own else [other for other in texts if name in _defined(texts[other])]:
            if (name, place) not in seen:
                seen.add((name, place))
                for sentence in _defined(texts[place]).get(name, ()):
                    meanings.add(sentence)
                    waiting += [(other, used, place) for other, used in _NAME.findall(sentence)]
    return sorted(meanings)


def _scopes(text: str) -> list[str]:
    """The scopes that a file opens, in one text; none where they are the usual ones."""
    opened = [sentence for sentence in _sentences(text) if sentence.startswith("Open ")]
    return [] if opened == _USUAL else [" ".join(opened) or "no scope"]


def sources() -> dict[str, str]:
    """Texts of the Coq files with theorems, by name without ending; none where they are not installed."""
    return texts_in(FOLDER, ".v")


@cache
def _read() -> dict[str, Any]:
    return dict(json.loads(texts_in(FOLDER, READ).get("", "{}") or "{}"))


def why_unread(texts: Mapping[str, str]) -> str | None:
    """Why nothing in some files counts as read: a sentence that none of them may have, with its file; None where all may be.

    >>> why_unread({"f": "Axiom wrong : False."})
    "f.v: 'Axiom wrong : False.' is none of the commands that a file of theorems has; see simspec.claims.deciding.vernacular"
    """
    for file, text in texts.items():
        if (sentence := unreadable(text, frozenset(texts))) is not None:
            return (
                f"{file}.v: {sentence!r} is none of the commands that a file of theorems has; "
                "see simspec.claims.deciding.vernacular"
            )
    return None


def is_as_read(theorem: str, file: str, texts: Mapping[str, str] | None = None) -> bool:
    """Whether a theorem says what it said when a person read it.

    >>> is_as_read("sd_lossless", "lossless")
    True
    >>> is_as_read("sd_lossless", "lossless", {"lossless": "Theorem sd_lossless : True."})
    False
    """
    files = sources() if texts is None else texts
    if why_unread(files):
        return False
    try:
        return bool(_read().get(theorem) == says(theorem, file, files))
    except ValueError:
        return False
