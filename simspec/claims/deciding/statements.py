"""What a theorem in Coq says, and whether it is what a person has read: a name alone says nothing of a claim.

The text of a theorem is its statement, what the sections around it suppose, and every definition that these mention, and so on.
``statements.json`` beside the theorems holds what was read, one entry for a theorem; whoever changes one changes that file
too, by hand or by ``python -m proofs_check.coq.algorithm``, and the difference is there to be read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

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
_ARROW = re.compile(r"<-|;;")
"""The sign of a program, which `bind` gives a meaning."""
_BY_CASES = ("rect", "ind", "rec", "sind")
"""Endings of the functions that Coq makes of a type."""
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
    for sentence in _placed(texts.get(file, "")):
        first, _, rest = sentence.text.partition(" ")
        if first == "Theorem" and re.match(rf"{theorem}(?![\w'])", rest):
            stated = _with_supposed(sentence)
            all_definitions = "\n".join([stated, *_definitions(sentence, file, texts)])
            return {"states": stated, "means": hashlib.sha256(all_definitions.encode()).hexdigest()[:24]}
    raise ValueError(f"{file}.v: no theorem {theorem}")


class _Sentence(NamedTuple):
    """A sentence of a file.

    Attributes
    ----------
    place : which one of the file it is
    text : without comments
    supposed : what the sections around it have supposed before it
    sections : where these sections begin, the outermost first
    """

    place: int
    text: str
    supposed: tuple[str, ...]
    sections: tuple[int, ...]


def _with_supposed(sentence: _Sentence) -> str:
    return " ".join([*sentence.supposed, sentence.text])


@cache
def _placed(text: str) -> tuple[_Sentence, ...]:
    """The sentences of a file, each with what is supposed around it: what a definition takes, and in which order."""
    sentences_in_place: list[_Sentence] = []
    supposed: list[list[str]] = [[]]
    sections: list[int] = []
    for place, sentence in enumerate(sentences(text)):
        first, _, rest = sentence.partition(" ")
        if first in {"Section", "Module"} and ":=" not in rest:
            supposed.append([])
            sections.append(place)
        elif first == "End" and sections:
            supposed.pop()
            sections.pop()
        elif _SUPPOSES.match(sentence):
            supposed[-1].append(sentence)
        around = tuple(s for section in supposed for s in section)
        sentences_in_place.append(_Sentence(place, sentence, around, tuple(sections)))
    return tuple(sentences_in_place)


@cache
def _defined(text: str) -> dict[str, tuple[_Sentence, ...]]:
    """Sentences of a file by the names that each gives: definitions and statements, constructors and fields of types, and the
    functions by cases that Coq makes of a type."""
    definitions: dict[str, tuple[_Sentence, ...]] = {}
    for sentence in _placed(text):
        if match := _DEFINES.match(sentence.text):
            names = [match[1]]
            if sentence.text.startswith(("Inductive", "Record")):
                names += _CONSTRUCTS.findall(sentence.text)
                names += [f"{match[1]}_{ending}" for ending in _BY_CASES] + [f"Build_{match[1]}"]
            for name in dict.fromkeys(names):
                definitions[name] = (*definitions.get(name, ()), sentence)
    return definitions


def _definitions(stated: _Sentence, file: str, texts: Mapping[str, str]) -> list[str]:
    """Definitions that the text of a theorem mentions, directly or not, each with what is supposed around it.

    A name stands for what was defined last where it is read: in its own file before it, else in what that imports.  Where a
    file reads symbols in another scope than most do, that is one of the texts.
    """
    waiting = [(file, stated)]
    texts_so_far = {(file, stated.place)}
    meanings: set[str] = set(_scopes(texts.get(file, "")))
    while waiting:
        home, sentence = waiting.pop()
        for qualified, name in _mentioned(_with_supposed(sentence)):
            for place, meaning in _meanings(qualified, name, home, sentence, texts):
                if (place, meaning.place) not in texts_so_far:
                    texts_so_far.add((place, meaning.place))
                    meanings |= {_with_supposed(meaning), *_scopes(texts[place])}
                    waiting.append((place, meaning))
    return sorted(meanings)


@cache
def _mentioned(text: str) -> list[tuple[str, str]]:
    """Names in a text, with what they are qualified by; the arrow of a program is one of `bind`."""
    return [*dict.fromkeys(_NAME.findall(text)), *([("", "bind")] if _ARROW.search(text) else [])]


def _meanings(
    qualified: str, name: str, file: str, at: _Sentence, texts: Mapping[str, str]
) -> list[tuple[str, _Sentence]]:
    """What a name stands for in a sentence of a file: the last definition that is seen from there; none of Coq's own names."""
    if qualified in texts:
        return [(qualified, s) for s in _lasting(texts[qualified], name)[-1:]]
    of_this_file = [s for s in _defined(texts[file]).get(name, ()) if s.place <= at.place and _is_seen(s, at)]
    if of_this_file:
        return [(file, of_this_file[-1])]
    for place in reversed(_imported(file, texts)):
        if imported := _lasting(texts[place], name):
            return [(place, imported[-1])]
    return []


def _lasting(text: str, name: str) -> list[_Sentence]:
    """Definitions of a name in a file that are seen from others: those of a section alone are not."""
    return [s for s in _defined(text).get(name, ()) if not s.text.startswith("Let ")]


def _is_seen(definition: _Sentence, at: _Sentence) -> bool:
    """Whether a definition of the same file still counts: that of a section alone does until the section ends."""
    return not definition.text.startswith("Let ") or at.sections[: len(definition.sections)] == definition.sections


def _imported(file: str, texts: Mapping[str, str]) -> list[str]:
    """Files whose names another one sees, those imported last at the end."""
    commands = [w for w in _required(texts[file]) if w[0] == "Import" or w[1:2] in (["Import"], ["Export"])]
    return _brought_by(commands, file, texts)


@cache
def _required(text: str) -> list[list[str]]:
    """The words of the sentences by which a file requires and imports others."""
    commands = [sentence.text for sentence in _placed(text) if sentence.text.startswith(("Require ", "Import "))]
    return [sentence.rstrip(".").split() for sentence in commands]


def _exported(file: str, texts: Mapping[str, str]) -> list[str]:
    """Files whose names whoever imports a file sees, too."""
    return _brought_by([words for words in _required(texts[file]) if words[:2] == ["Require", "Export"]], file, texts)


def _brought_by(commands: Iterable[Sequence[str]], file: str, texts: Mapping[str, str]) -> list[str]:
    """Files that commands of a file name, each behind those that it exports."""
    named = [word for words in commands for word in words if word in texts and word != file]
    return [name for word in named for name in (*_exported(word, texts), word)]


@cache
def _scopes(text: str) -> list[str]:
    """The scopes that a file opens, in one text; none where they are the usual ones."""
    opened = [sentence.text for sentence in _placed(text) if sentence.text.startswith("Open ")]
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
