"""One theorem of a derivation on the names as they are defined: what its script for Coq concludes, with what the bridge defines.

A script (`proofs_check.coq.export`) concludes of all names that meet what is given.  The bridge (`proofs_check.coq.bridge`)
defines names, and proves what is given of them.  Here both become one theorem: the conclusion, stated of the defined names,
from what is left to be given.  Coq itself says what that is: what a theorem does not need is no premise of it once its section
is closed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from proofs_check.coq.algorithm.compiled import axioms
from proofs_check.coq.check import ADMITTED, ALLOWED, compiled
from proofs_check.coq.export import Script
from proofs_check.coq.facts import Lemma, Premise
from proofs_check.coq.section import SECONDS, Bridge
from proofs_check.coq.terms import NotExported

__all__ = ["Theorem", "theorem"]

LONG = 8 * SECONDS
"""Time for a lemma that did not end in the usual one."""
_WIDE = "Set Printing Width 1000000."
_LIBRARIES = "From Simspec Require Import defined texts ranked wider pairs."
_DECLARED = re.compile(r"^(?:Variable|Hypothesis|Lemma|Definition) (\w+)", re.MULTILINE)
_DEFINED = re.compile(r"^Definition (\w+)", re.MULTILINE)
_REPORT = re.compile(r"^(?:Axioms:|Closed under the global context)$", re.MULTILINE)
_ARGUMENTS = re.compile(r"^Arguments (\S+) (.*)$", re.MULTILINE)


class Theorem(NamedTuple):
    """A derivation's conclusions on the defined names: the text that Coq has read, and the premises that it names."""

    text: str
    premises: tuple[str, ...]


def theorem(folder: Path, name: str, script: Script, bridge: Bridge) -> Theorem:
    """Coq's answer to the script, compiled in a folder with all libraries, and to the theorem on the defined names.

    Parameters
    ----------
    folder : as `proofs_check.coq.bridge.library` prepares it
    name : of the script's file in it
    script : of a derivation, all of whose steps Coq proves
    bridge : of the same derivation, as it was settled

    Raises
    ------
    NotExported
        where Coq finds an error, an axiom that is not allowed, or a name that only one of both has.
    """
    names = [f"conclusion_{k}" for k in range(len(script.conclusions))]
    constants = [*_DEFINED.findall(script.text), *names]
    arguments = _said_of(
        compiled(folder, f"{name}.v", "\n".join([script.text, _WIDE, *(f"About {n}." for n in constants)]))
    )
    writer = _Composed(bridge, script, name, arguments)
    text = writer.text(SECONDS)
    output = compiled(folder, f"{name}_defined.v", text)
    if f"{ADMITTED} " in output:  # a lemma that had its time in another run: the machine is busy
        text = writer.text(LONG)
        output = compiled(folder, f"{name}_defined.v", text)
    takes, *reports = _REPORT.split(output)
    used_axioms = axioms("\n".join(reports))
    if not used_axioms <= ALLOWED or len(reports) < len(names):
        raise NotExported(f"rests on {', '.join(sorted(used_axioms - ALLOWED)) or 'what Coq does not say'}")
    premises = _said_of(takes)
    theorems = [f"theorem_{k}" for k in range(len(names))]
    return Theorem(text, tuple(dict.fromkeys(n for t in theorems for n in premises.get(t, ()))))


def _said_of(output: str) -> dict[str, tuple[str, ...]]:
    """The names of what each constant takes, as Coq prints them: ``V%Z_scope (p q)%function_scope H_1``."""
    return {name: tuple(re.sub(r"%\w+|[()\[\]{}]", " ", rest).split()) for name, rest in _ARGUMENTS.findall(output)}


class _Composed:
    """Writes the file of the theorem: the section of the bridge, and in it the script's conclusions on its names."""

    def __init__(self, bridge: Bridge, script: Script, file: str, arguments: Mapping[str, Sequence[str]]) -> None:
        self.bridge = bridge
        self.script = script
        self.file = file
        self.arguments = arguments
        self.own = _DEFINED.findall(script.text)
        self.lemmas = bridge.lemmas()
        self.proved = {lemma.name for lemma in self.lemmas}

    def text(self, seconds: int) -> str:
        """The whole file, with so much time for a lemma of the bridge."""
        # the section ends with three lines on its lemmas alone
        section = self.bridge.section(self.lemmas, seconds).rsplit("\n", 3)[0]
        section = self._with_own(section)
        premise_names = [name for k, c in enumerate(self.script.conclusions) for name in self._taken(k, c)]
        declared = set(_DECLARED.findall(section))
        missing = [name for name in dict.fromkeys(premise_names) if name not in declared]
        theorems = [self._theorem(k, c) for k, c in enumerate(self.script.conclusions)]
        names = [f"theorem_{k}" for k in range(len(theorems))]
        return "\n".join(
            [
                f"From Simspec Require {self.file}.",
                _LIBRARIES,
                section,
                *map(self._hypothesis, missing),
                *[f"Transparent {self.file}.{name}." for name in self.own],
                *theorems,
                "End Names.",
                _WIDE,
                *[f"About {name}." for name in names],
                *[f"Print Assumptions {name}." for name in names],
                "",
            ]
        )

    def _with_own(self, section: str) -> str:
        """The section in which a name that only the script defines is what it is there, and no variable.

        Such a definition stands where all that it is made of has been defined.
        """
        unwritten = set(_DEFINED.findall(section))
        waiting: dict[str, set[str]] = {}
        lines: list[str] = []
        for line in section.split("\n"):
            match = re.match(r"Variable (\w+) :", line)
            if match is not None and match[1] in self.own:
                call, needed = self._call(match[1])
                unwritten.add(match[1])
                waiting[f"Definition {match[1]} := {call}."] = needed
            else:
                lines.append(line)
            unwritten -= set(_DEFINED.findall(line))
            while ready := [text for text, needed in waiting.items() if not needed & unwritten]:
                lines += ready
                for text in ready:
                    del waiting[text]
                unwritten -= set(_DEFINED.findall("\n".join(ready)))
        if waiting:
            raise NotExported(f"{', '.join(waiting)}: made of what is not defined")
        return "\n".join(lines)

    def _call(self, name: str) -> tuple[str, set[str]]:
        """A name of the script, of the names of the section; and which these are."""
        arguments = self.arguments.get(name, ())
        needed = arguments[: len(arguments) - self._places(name)]
        return " ".join([f"@{self.file}.{name}", *needed]), set(needed)

    def _places(self, name: str) -> int:
        """How many arguments a name of the script has by itself, beside those of its section."""
        (line,) = (line for line in self.script.text.split("\n") if line.startswith(f"Definition {name} "))
        head = line.split(":=")[0]
        return len(re.findall(r"\((\w+) : [ZR]\)", head))

    def _taken(self, k: int, conclusion: Lemma) -> Sequence[str]:
        """What a conclusion of the script takes from its section."""
        own_count = len(self._own_names(conclusion))
        arguments = self.arguments.get(f"conclusion_{k}", ())
        return arguments[: len(arguments) - own_count]

    def _own_names(self, conclusion: Lemma) -> list[str]:
        """What it is quantified over; the section may have a premise of the same name, of all numbers."""
        facts = self.script.facts
        numbers = [name for s in conclusion.params for name in facts.names(s)]
        return [*numbers, *(f"own_{facts.hypothesis(p)}" for p in conclusion.premises)]

    def _hypothesis(self, name: str) -> str:
        """What stays given of the defined names."""
        facts = self.script.facts
        for p in facts.order:
            if facts.hypothesis(p) == name and not facts.local(p):
                return f"Hypothesis {name} : {facts.stated(p)}."
        line = re.search(rf"^Hypothesis {re.escape(name)} : .*$", self.script.text, re.MULTILINE)
        if line is None:
            raise NotExported(f"{name}: the script has it, and the section of the bridge has not")
        return line[0]

    def _theorem(self, k: int, conclusion: Lemma) -> str:
        """A conclusion of the script on the names of the section, from the premises that no lemma there proves."""
        facts = self.script.facts
        roots = self.bridge.roots
        proved = [p for p in conclusion.premises if facts.hypothesis(p) in self.proved]
        statement = conclusion._replace(
            params=tuple(s for s in conclusion.params if s not in roots),
            premises=tuple(p for p in conclusion.premises if p not in proved),
        )
        arguments = list(self._taken(k, conclusion))
        for s in conclusion.params:
            name, *ranges = facts.names(s)
            at_root = f"ltac:(unfold {name}; lia)"
            arguments += [name, *[at_root if s in roots else r for r in ranges]]
        for p in conclusion.premises:
            arguments.append(self._lemma(p) if p in proved else f"own_{facts.hypothesis(p)}")
        call = " ".join([f"@{self.file}.conclusion_{k}", *arguments])
        intros = " ".join(["intros", *self._own_names(statement)])
        return f"Theorem theorem_{k} : {facts.quantified(statement)}.\nProof. {intros}; exact ({call}). Qed."

    def _lemma(self, p: Premise) -> str:
        """The lemma of the bridge that proves a premise of the conclusion, at the conclusion's own numbers."""
        facts = self.script.facts
        fixed = sorted(facts.fixed(p) - self.bridge.roots, key=str)
        return f"({' '.join([facts.hypothesis(p), *(n for s in fixed for n in facts.names(s))])})"
