"""What a theorem in Coq says, and whether it is what a person has read: a name alone says nothing of a claim.

The text of a theorem is its statement, what the sections around it suppose, and every definition that these mention, and so on.
``statements.json`` beside the theorems holds what was read, one entry for a theorem; whoever changes one changes that file
too, by hand or by ``python -m proofs_check.coq.algorithm``, and the difference is there to be read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from simspec.claims.deciding.proved import texts_in

__all__ = ["FOLDER", "READ", "is_as_read", "says", "sources"]

FOLDER = "coq/algorithm"
"""Folder of the theorems about the algorithms, in the package of the proofs."""
READ = "statements.json"
"""In that folder: what each theorem said when it was read."""
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_SENTENCE = re.compile(r"(?:[^.]|\.(?=\S))+\.(?=\s|$)")
_SUPPOSES = re.compile(r"(?:Variables?|Hypothes[ie]s|Context|Parameters?|Axioms?|Conjecture)\b")
_DEFINES = re.compile(
    r"(?:Local |Global |#\[\w+\] )?(?:Definition|Fixpoint|CoFixpoint|Record|Structure|Class|Inductive|Let|Notation)\s+\"?(\w+)"
)
_NAME = re.compile(r"[A-Za-z_]\w*'*")


def says(theorem: str, file: str, texts: Mapping[str, str]) -> dict[str, str]:
    """What a theorem of a file says: `states`, its statement below what its sections suppose; `means`, a hash of that and of
    all definitions that it mentions.

    >>> text = "Definition two := 2.\\nSection A.\\nVariable n : nat.\\nTheorem t : n + two = n.\\nProof. Qed.\\nEnd A.\\n"
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
            meant = "\n".join([stated, *_definitions(stated, file, texts)])
            return {"states": stated, "means": hashlib.sha256(meant.encode()).hexdigest()[:24]}
    raise ValueError(f"{file}.v: no theorem {theorem}")


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a Coq file, without comments, each with single spaces."""
    for sentence in _SENTENCE.findall(_COMMENT.sub(" ", text)):
        yield " ".join(sentence.split())


@cache
def _defined(text: str) -> dict[str, tuple[str, ...]]:
    """Definitions of a file by the name that each begins with."""
    definitions: dict[str, tuple[str, ...]] = {}
    for sentence in _sentences(text):
        if match := _DEFINES.match(sentence):
            definitions[match[1]] = (*definitions.get(match[1], ()), sentence)
    return definitions


def _definitions(stated: str, file: str, texts: Mapping[str, str]) -> list[str]:
    """Texts of all definitions that a text mentions, directly or not: those of its own file before those of others."""
    waiting = [(name, file) for name in _NAME.findall(stated)]
    seen: set[tuple[str, str]] = set()
    meanings: set[str] = set()
    while waiting:
        name, home = waiting.pop()
        own = home if name in _defined(texts.get(home, "")) else ""
        for place in [own] if own else [other for other in texts if name in _defined(texts[other])]:
            if (name, place) not in seen:
                seen.add((name, place))
                for sentence in _defined(texts[place])[name]:
                    meanings.add(sentence)
                    waiting += [(other, place) for other in _NAME.findall(sentence)]
    return sorted(meanings)


def sources() -> dict[str, str]:
    """Texts of the Coq files with theorems, by name without ending; none where they are not installed."""
    return texts_in(FOLDER, ".v")


@cache
def _read() -> dict[str, Any]:
    return dict(json.loads(texts_in(FOLDER, READ).get("", "{}") or "{}"))


def is_as_read(theorem: str, file: str, texts: Mapping[str, str] | None = None) -> bool:
    """Whether a theorem says what it said when a person read it.

    >>> is_as_read("sd_lossless", "lossless")
    True
    >>> is_as_read("sd_lossless", "lossless", {"lossless": "Theorem sd_lossless : True."})
    False
    """
    try:
        return _read().get(theorem) == says(theorem, file, sources() if texts is None else texts)
    except ValueError:
        return False
