"""One theorem of a derivation on the names as they are defined: what its script for Coq concludes, with what the bridge defines.

A script (`proofs_check.coq.export`) concludes of all names that meet what is given.  The bridge (`proofs_check.coq.bridge`)
defines names, and proves what is given of them; sequences are recursions (`proofs_check.coq.sequences`).  Here all become one
theorem: the conclusion, stated of the defined names, from what is left to be given.  Coq itself says what that is: what a
theorem does not need is no premise of it once its section is closed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from proofs_check.coq.algorithm.compiled import axioms
from proofs_check.coq.bridge import HEAD
from proofs_check.coq.check import ADMITTED, ALLOWED, compiled, only_lemmas
from proofs_check.coq.export import Script
from proofs_check.coq.facts import Lemma, Premise
from proofs_check.coq.section import SECONDS, Bridge
from proofs_check.coq.sequences import Recursion, identifiers, recursions
from proofs_check.coq.terms import NotExported

__all__ = ["Theorem", "hypotheses", "theorem"]

LONG = 8 * SECONDS
"""Time for a lemma that did not end in the usual one."""
_WIDE = "Set Printing Width 1000000."
_DECLARED = re.compile(r"^(?:Variable|Hypothesis|Lemma|Definition) (\w+)", re.MULTILINE)
_VARIABLE = re.compile(r"Variable (\w+) :")
_HYPOTHESIS = re.compile(r"^Hypothesis (\w+) : (.*)\.$", re.MULTILINE)
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
        compiled(folder, f"{name}.v", "\n".join([only_lemmas(script.text), _WIDE, *(f"About {n}." for n in constants)]))
    )
    writer = _Composed(bridge, script, name, arguments)
    text = only_lemmas(writer.text(SECONDS))
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


def hypotheses(text: str) -> dict[str, str]:
    """What a text for Coq supposes, by name.

    >>> hypotheses("Variable a : R.\\nHypothesis R_a : 0 <= a.")
    {'R_a': '0 <= a'}
    """
    return dict(_HYPOTHESIS.findall(text))


def _said_of(output: str) -> dict[str, tuple[str, ...]]:
    """The names of what each constant takes, as Coq prints them: ``V%Z_scope (p q)%function_scope H_1``."""
    return {name: tuple(re.sub(r"%\w+|[()\[\]{}]", " ", rest).split()) for name, rest in _ARGUMENTS.findall(output)}


class _Item(NamedTuple):
    """A line of a section, with the proof that belongs to it; the names that it declares, and those it mentions."""

    text: str
    declared: frozenset[str]
    mentioned: frozenset[str]

    @classmethod
    def of(cls, text: str, without: Collection[str] = ()) -> _Item:
        """An item that mentions the words in its text; `without` are bound in it, and meant nowhere else."""
        declared = frozenset(_DECLARED.findall(text))
        return cls(text, declared, frozenset(identifiers(text)) - declared - frozenset(without))

    @property
    def is_name(self) -> bool:
        """Whether it declares a name, and says nothing of it."""
        return self.text.startswith(("Definition", "Variable"))


def _items_of(sequence: Recursion, definitions: Mapping[str, str]) -> list[_Item]:
    """A sequence as a recursion, with its rules as lemmas, after which nothing opens it."""
    between = _made_of(sequence.name, sequence.uses, definitions)
    copied = {name for text in between for name in _DEFINED.findall(text)}
    lines = [*sequence.lemmas, f"Local Opaque {sequence.name}."]
    return [_Item.of(sequence.definition(between), without=copied), *map(_Item.of, lines)]


def _variable(item: str) -> str:
    """The name that an item declares as a variable; empty where it is none."""
    match = _VARIABLE.match(item)
    return match[1] if match else ""


def _alone(sequences: Mapping[str, Recursion], definitions: Mapping[str, str]) -> dict[str, Recursion]:
    """The sequences that are made of no other one that is made of them: two such are any that have their rules."""
    uses = {name: identifiers(text) - {name} for name, text in definitions.items()}
    uses |= {name: sequence.uses for name, sequence in sequences.items()}

    def reached(name: str) -> set[str]:
        waiting = [name]
        names: set[str] = set()
        while waiting:
            new = uses.get(waiting.pop(), set()) - names
            names |= new
            waiting += new
        return names

    reach = {name: reached(name) & sequences.keys() for name in sequences}
    return {
        name: sequence
        for name, sequence in sequences.items()
        if not any(name in reach[other] for other in reach[name] - {name})
    }


def _made_of(name: str, uses: Collection[str], definitions: Mapping[str, str]) -> list[str]:
    """The definitions that use a name, or one that does, and that are used by what `uses` names; each after those it uses."""
    reached: dict[str, set[str]] = {}

    def depends(other: str) -> bool:
        if other not in reached:
            reached[other] = set()
            used = identifiers(definitions[other]) - {other}
            reached[other] = {n for n in used if n == name or (n in definitions and depends(n))}
        return bool(reached[other])

    ordered: dict[str, str] = {}

    def take(other: str) -> None:
        if other in definitions and other not in ordered and depends(other):
            for used in sorted(identifiers(definitions[other]) - {other}):
                take(used)
            ordered[other] = definitions[other]

    for other in sorted(uses):
        take(other)
    return list(ordered.values())


def _arranged(items: Sequence[_Item]) -> list[str]:
    """Names after all that their definitions mention, and the rest, in its order, after the names that it mentions.

    >>> _arranged([*map(_Item.of, ("Definition b := a.", "Lemma l : b = a.", "Definition a := 1."))])
    ['Definition a := 1.', 'Definition b := a.', 'Lemma l : b = a.']

    Raises
    ------
    NotExported
        where definitions are made of one another.
    """
    waiting = list(items)
    unwritten = frozenset[str]().union(*(item.declared for item in items if item.is_name))
    arranged: list[str] = []
    while waiting:
        first_other = next((item for item in waiting if not item.is_name), None)
        ready = (i for i in waiting if (i.is_name or i is first_other) and not (i.mentioned - i.declared) & unwritten)
        item = next(ready, None)
        if item is None:
            raise NotExported(f"{', '.join(sorted(unwritten))}: made of one another")
        waiting.remove(item)
        arranged.append(item.text)
        unwritten -= item.declared
    return arranged


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
                HEAD,
                "From Simspec Require Import sequences.",
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
        """The section in which names that only the script defines are what they are there, and sequences are recursions."""
        sequences = {r.name: r for r in recursions(self.bridge, hypotheses(self.script.text))}
        texts = [
            f"Definition {name} := {self._call(name)}." if (name := _variable(text)) in self.own else text
            for text in re.split(r"\n(?!Proof)", section)  # each proof with its lemma
        ]
        definitions = {name: text for text in texts for name in _DEFINED.findall(text)}
        sequences = _alone(sequences, definitions)
        items: list[_Item] = []
        for text in texts:
            sequence = sequences.get(_variable(text))
            items += [_Item.of(text)] if sequence is None else _items_of(sequence, definitions)
        return "\n".join(_arranged(items))

    def _call(self, name: str) -> str:
        """A name of the script, of the names of the section."""
        arguments = self.arguments.get(name, ())
        needed = arguments[: len(arguments) - self._places(name)]
        return " ".join([f"@{self.file}.{name}", *needed])

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
