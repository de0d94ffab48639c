"""Of what commands a Coq file with theorems is made, so that its text says what Coq reads.

Whoever reads such a file, person or program, looks at statements, definitions and what sections suppose.  Other commands change
what these mean, or hide them: symbols with another meaning, coercions, modules, files that are loaded, theorems that are
abandoned.  None of them is needed: a file has commands of this list and no others, each by its plain name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache

__all__ = ["sentences", "unreadable"]

LIBRARIES = frozenset(
    "Arith Ascii Bool FinFun Lia List Lqa Lra NArith Psatz QArith Qabs Qminmax Reals Sorted String ZArith ListNotations".split()
)
"""What of Coq's own library a file may require and import."""
SCOPES = frozenset({"R_scope", "Q_scope", "string_scope"})
SYMBOLS = frozenset(
    {'Notation "x <- d ;; e" := (bind d (fun x => e)) (at level 61, d at next level, right associativity).'}
)
"""Notations that are no names, as they stand."""
ORDER = ("String", "Ascii", "List", "Bool")
"""Libraries that give one name to several things, such as `eqb` and `length`: they stand in this order, the last one wins."""
_DEFINING = frozenset({"Definition", "Fixpoint", "Inductive", "Record", "Let", "Notation", "Ltac"})
_SUPPOSING = frozenset({"Variable", "Variables", "Hypothesis", "Hypotheses", "Context"})
_STATING = frozenset({"Theorem", "Lemma", "Example"})
_FOCUS = re.compile(r"(?:[-+*]+|[{}]|(?:all|\d+(?:, \d+)*):)\s*")
"""What stands before a tactic: a bullet, a brace, the goals that it is for."""
_WORD = re.compile(r"[A-Za-z_]\w*'*")
_NAMED = re.compile(r"[A-Za-z_][\w']*(?=[\s:({\[@.]|$)", re.ASCII)
"""A name of one's own, behind the word that says what it is."""
_COMMANDS = frozenset({"Fixpoint", "CoFixpoint", "Inductive", "CoInductive", "Record", "Definition"})
_TEXT = re.compile(r'"[^"]*"')


def sentences(text: str) -> Iterator[str]:
    """The sentences of a Coq file, each with single spaces; comments, which may hold comments, are left out, texts are kept.

    >>> list(sentences('Definition a := "(*". (* (* *) Theorem no : True. *) Theorem b : a = a.'))
    ['Definition a := "(*".', 'Theorem b : a = a.']
    """
    sentence: list[str] = []
    depth = 0
    is_text = False
    at = 0
    while at < len(text):
        pair = text[at : at + 2]
        if is_text or (pair[0] == '"' and not depth):
            is_text = is_text != (pair[0] == '"')
        elif pair[0] == '"':  # a text in a comment hides what would end the comment
            end = text.find('"', at + 1)
            at = len(text) if end < 0 else end + 1
            continue
        elif pair in {"(*", "*)"} and (depth or pair == "(*"):
            depth += 1 if pair == "(*" else -1
            sentence.append(" ")
            at += 2
            continue
        if not depth:
            sentence.append(pair[0])
            if pair[0] == "." and not is_text and not pair[1:].strip():
                yield " ".join("".join(sentence).split())
                sentence = []
        at += 1
    if rest := " ".join("".join(sentence).split()):
        yield rest


@cache
def unreadable(text: str, files: Collection[str] = frozenset()) -> str | None:
    """The first sentence of a file that is none of those that it may have; None where each is.

    Parameters
    ----------
    text : of a Coq file
    files : names of those that it may require beside some of Coq's own

    >>> unreadable("Require Import Reals. Open Scope R_scope. Theorem a x : x <= x. Proof. lra. Qed.")
    >>> unreadable('Infix "<=" := always. Theorem a x : x <= 0. Proof. easy. Qed.')
    'Infix "<=" := always.'
    >>> unreadable("Theorem a x : x <= 0. Proof. Abort. Theorem a : True. Proof. easy. Qed.")
    'Abort.'
    """
    sections: list[str] = []
    is_head = True
    is_ours = False  # a file of the folder was required: what comes after it could take its names
    is_proof = False
    is_stated = False  # a statement waits for its proof
    for sentence in sentences(text):
        if is_proof:
            is_proof = sentence != "Qed."
            if is_proof and not _is_tactic(sentence):
                return sentence
            continue
        if is_stated:
            if sentence != "Proof.":
                return sentence
            is_stated = False
            is_proof = True
            continue
        first = sentence.partition(" ")[0].rstrip(".")
        words = sentence.rstrip(".").split()[1:]
        if first in {"Require", "Import", "Open"} and is_head:
            is_fine = _is_head(first, words, files) and not (
                is_ours and first != "Open" and bool({*words} & (LIBRARIES - {"ListNotations"}))
            )
            is_ours |= first != "Open" and bool({*words} & {*files})
        elif first in {"Section", "End"} and len(words) == 1:
            is_head = False
            is_fine = first == "Section" or (bool(sections) and sections.pop() == words[0])
            sections += words if first == "Section" else []
        else:
            is_head = False
            is_stated = first in _STATING
            is_fine = _is_plain(first, sentence) and (first not in _SUPPOSING or bool(sections))
        if not is_fine:
            return sentence
    return (
        f"{sections[-1]} has no end" if sections else "a statement without a proof" if is_stated or is_proof else None
    )


def _is_head(first: str, words: list[str], files: Collection[str]) -> bool:
    """Whether a sentence at the beginning of a file requires or imports what it may, or opens a scope of those that are read."""
    if first == "Open":
        return len(words) == 2 and words[0] == "Scope" and words[1] in SCOPES
    names = words[1:] if words[:1] in (["Import"], ["Export"]) else words
    places = [ORDER.index(name) for name in names if name in ORDER and name not in files]
    if places != sorted(places):
        return False
    return bool(names) and all(name in LIBRARIES or name in files for name in names)


def _is_plain(first: str, sentence: str) -> bool:
    """Whether a sentence supposes, states or defines something, as it is written: with no tactic and no coercion in it."""
    if "ltac:" in sentence or ":>" in sentence or not _TEXT.sub("", sentence).isascii():
        return False
    if _times("where", sentence):  # which gives a sign another meaning
        return False
    named = _NAMED.match(sentence.partition(" ")[2])
    if first in _SUPPOSING or first in _STATING:
        return first in _SUPPOSING or named is not None
    if first not in _DEFINING or ":=" not in sentence:
        return False
    if sentence in SYMBOLS:
        return True
    if named is None or named[0] in _COMMANDS:
        return False
    if first in {"Fixpoint", "Inductive", "Record"}:  # several at once would have names that nobody looks up
        return _times("with", sentence) <= _times("match", sentence)
    return True


def _times(word: str, sentence: str) -> int:
    """How often a word stands in a sentence: not as a part of a name, which may have strokes."""
    return len(re.findall(rf"(?<![\w']){word}(?![\w'])", _TEXT.sub("", sentence)))


def _is_tactic(sentence: str) -> bool:
    """Whether a sentence of a proof is a tactic: commands begin with a capital letter, tactics do not.

    >>> [_is_tactic(s) for s in ("- now apply a.", "2: { lra.", "} }", "Hypothesis wrong : False.", "Admitted.")]
    [True, True, True, False, False]
    """
    while focus := _FOCUS.match(sentence):
        sentence = sentence[focus.end() :]
    return not sentence or sentence == "." or sentence[0].islower() or sentence[0] in "[("
