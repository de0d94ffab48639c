"""Two readings of the text of a statement, in which Coq computes: over fractions, and over enclosures by fractions."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from fractions import Fraction
from hashlib import sha256
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from proofs_check.coq.check import ask
from proofs_check.coq.evaluated.conclusions import At, ends
from proofs_check.coq.session import Session
from proofs_check.coq.terms import NotExported
from simspec.claims.balls import is_ball

__all__ = ["Between", "Readings", "agree", "compiled_readings", "digest"]

RATIONAL = "rational"
ENCLOSURES = "enclosures"
TRANSFER = "transfer"
READ = {
    RATIONAL: "evaluated/rational.v",
    "vocabulary": "instances/vocabulary.v",
    "logarithms": "instances/logarithms.v",
    ENCLOSURES: "evaluated/enclosures.v",
}
"""What the readings are made of; each may require those before it."""
PROVED = {"prelude": "prelude.v", "enclosed": "instances/enclosed.v", TRANSFER: "evaluated/transfer.v"}
"""What proves that they are of the real numbers, and what that requires beside them."""
FILES = {**READ, **PROVED}
TACTICS = {
    RATIONAL: ("Q2R {twin} = {script}", "of_fractions"),
    ENCLOSURES: ("inside {script} {twin}", "inside_enclosures"),
}
"""How what is computed is related to a side of the script, by the reading, and what proves that of whole sides."""
HEAD = """\
Require Import Reals Qreals.
From Simspec Require prelude rational enclosures.
From Simspec Require Import transfer."""
"""What lemmas on twins require."""
SECONDS = 60
"""Time of Coq for the conclusions of one derivation."""
NARROW = Fraction(1, 2**14)
"""How wide an enclosure may be, as a part of the number, or of 1."""
LONGEST = 200
"""Characters of an error of Coq that are kept."""


class Between(NamedTuple):
    """Fractions that a number is between; the same twice where it is one."""

    low: Fraction
    high: Fraction


def _text(name: str) -> str:
    return resources.files("proofs_check.coq").joinpath(FILES[name]).read_text(encoding="utf-8")


def digest() -> str:
    """Hash of what the readings are made of, and of what proves them: answers are about it."""
    return sha256("\n".join(map(_text, FILES)).encode()).hexdigest()[:24]


def compiled_readings(folder: Path, is_proved: bool = True) -> Path:
    """Compile both readings in a folder, and what proves that they are of the real numbers; the folder."""
    for name in FILES if is_proved else READ:
        if (answer := ask(folder, f"{name}.v", _text(name))).error:
            raise ValueError(f"{name}.v: {answer.error}")
    return folder


class Readings:
    """Processes of Coq, one for each reading, which are started when they are asked first."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` has both readings compiled; by default they are compiled anew."""
        self._stack = ExitStack()
        if folder is None:
            folder = compiled_readings(Path(self._stack.enter_context(tempfile.TemporaryDirectory())))
        self.folder = folder
        self._sessions: dict[str, Session] = {}

    def __enter__(self) -> Readings:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        for session in self._sessions.values():
            session.__exit__(None, None, None)
        self._stack.close()

    def computed(self, conclusions: Sequence[At], seconds: float = SECONDS) -> list[tuple[Between, Between]]:
        """What Coq computes both sides of conclusions to be: fractions where all of an instance are, else enclosures.

        Raises
        ------
        NotExported
            where Coq refuses the text, does not answer in its time, or knows nothing of a side.
        """
        reading = _reading(conclusions)
        text = "\n".join(f"Module At{n}.\n{at.text}\nEnd At{n}." for n, at in enumerate(conclusions))
        output = self._printed(reading, f"From Simspec Require Import {reading}.", text, seconds)
        answers = [_sides(text) for text in re.findall(r"=(.*?):\s*list \(list Z\)", output, re.DOTALL)]
        if len(answers) != len(conclusions):
            raise NotExported(f"{len(answers)} answers to {len(conclusions)} conclusions")
        return answers

    def transferred(self, conclusions: Sequence[At], seconds: float = SECONDS) -> int:
        """Of how many statements Coq proves that what is computed is a side of the script, whatever the names in it are.

        Raises
        ------
        NotExported
            where it does not prove it of one of them.
        """
        reading = _reading(conclusions)
        statements = {at.sides: at for at in conclusions}.values()
        text = "\n".join(f"Module At{n}.\n{_transfer(at, reading)}\nEnd At{n}." for n, at in enumerate(statements))
        self._printed(TRANSFER, HEAD, text, seconds)
        return len(statements)

    def _printed(self, library: str, head: str, text: str, seconds: float) -> str:
        """What is printed in a process of Coq that has required a library; it is started anew where it has no answer in time.

        Raises
        ------
        NotExported
            where Coq refuses the text, or does not answer in its time.
        """
        if library not in self._sessions:
            self._sessions[library] = Session(self.folder, head)
        try:
            output = self._sessions[library].printed(text, seconds)
        except TimeoutError as error:
            self._sessions.pop(library).__exit__(None, None, None)
            raise NotExported(str(error)) from None
        if "Error:" in output:
            raise NotExported(" ".join(output[output.index("Error:") :].split())[:LONGEST])
        return output


def _reading(conclusions: Sequence[At]) -> str:
    return RATIONAL if all(at.is_rational for at in conclusions) else ENCLOSURES


def _transfer(at: At, reading: str) -> str:
    """The lemma that both sides over fractions, or over enclosures, are those of the script: of any names that are related so."""
    relation, tactic = TACTICS[reading]
    binders = " ".join(f"({name} : {' -> '.join((*kinds, kind))})" for name, kinds, kind in at.names)
    left, right = at.sides
    sides = f"Definition left {binders} : num := {left}.\nDefinition right {binders} : num := {right}."
    names_without_numbers = [name for name in at.names if "num" not in (*name[1], name[2])]
    others = [name for name in at.names if name not in names_without_numbers]
    quantified = [f"({name} : {' -> '.join((*kinds, kind))})" for name, kinds, kind in names_without_numbers]
    for number, (name, kinds, kind) in enumerate(others):
        of_script, of_twin = (" -> ".join((*kinds, kind)).replace("num", num) for num in ("R", f"{reading}.num"))
        quantified += [
            f"({name} : {of_script}) (T_{name} : {of_twin}) (H_{number} : {_related(name, kinds, kind, relation)})"
        ]
    in_script = " ".join(name for name, *_ in at.names)
    in_twin = " ".join(name if (name, *rest) in names_without_numbers else f"T_{name}" for name, *rest in at.names)
    goals = " /\\ ".join(
        relation.format(twin=f"(Twin.{side} {in_twin})", script=f"(Script.{side} {in_script})")
        for side in ("left", "right")
    )
    return (
        f"Module Twin.\nImport {reading}.\n{sides}\nEnd Twin.\n"
        f"Module Script.\nImport prelude.\nDefinition num : Type := R.\n{sides}\nEnd Script.\n"
        f"Lemma transferred {' '.join(quantified)} : {goals}.\n"
        f"Proof. split; unfold Twin.left, Twin.right, Script.left, Script.right; {tactic}. Qed."
    )


def _related(name: str, kinds: Sequence[str], kind: str, relation: str) -> str:
    """That a name in the script is related to its twin, at related arguments."""
    binders = "".join(
        f"forall a{k} : Z, " if of == "Z" else f"forall a{k} t{k}, {relation.format(twin=f't{k}', script=f'a{k}')} -> "
        for k, of in enumerate(kinds)
    )
    script = " ".join([name, *(f"a{k}" for k in range(len(kinds)))])
    twin = " ".join([f"T_{name}", *(f"a{k}" if of == "Z" else f"t{k}" for k, of in enumerate(kinds))])
    if kind == "Z":
        return f"{binders}({twin}) = ({script})"
    return binders + relation.format(twin=f"({twin})", script=f"({script})")


def _sides(text: str) -> tuple[Between, Between]:
    """Two sides, of which numerators and denominators are printed.

    >>> _sides(" [[(-5)%Z; 6%Z]; [1%Z; 3%Z; 2%Z; 3%Z]]")[0]
    Between(low=Fraction(-5, 6), high=Fraction(-5, 6))
    """
    left, right = json.loads(re.sub(r"%Z|[()\s]", "", text).replace(";", ","))
    return _side(left), _side(right)


def _side(numbers: Sequence[int]) -> Between:
    if not numbers:
        raise NotExported("no enclosure of a side: a function may have no value there, or is of a number beyond e^55")
    fractions = [Fraction(a, b) for a, b in zip(numbers[::2], numbers[1::2], strict=True)]
    return Between(fractions[0], fractions[-1])


def agree(computed: tuple[Between, Between], at: At) -> bool:
    """Whether both sides are, in Coq, what the proof and the claim say they are in Python.

    Fractions are the same; what is no fraction in Coq or in Python has enclosures that overlap, and Coq's is narrow.
    """
    return all(
        _is_value(side, number)
        for numbers in (at.values, at.claimed)
        for side, number in zip(computed, numbers, strict=True)
    )


def _is_value(side: Between, number: Any) -> bool:
    low, high = ends(number) if is_ball(number) else (Fraction(number), Fraction(number))
    is_narrow = side.high - side.low <= NARROW * max(Fraction(1), abs(side.low))
    return side.low <= high and low <= side.high and is_narrow
