"""Conclusions that are exported, computed in Coq on instances that their claims draw: both sides are what Python says they are.

The text of each side, as it stands in the script for Coq, is read over the fractions (``rational.v``), with the entries of arrays
at the places that the side asks for.  A conclusion with logarithms, exponentials or roots is no fraction: it is listed by name.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.checking.listed import chosen
from proofs_check.checking.proof import Proof
from proofs_check.checking.ranges import ranged
from proofs_check.coq.bridge import stated
from proofs_check.coq.computed import NO_VALUE, Instances
from proofs_check.coq.terms import NotExported, Printer
from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import Relation
from proofs_check.rules.values import evaluate
from simspec.claims.balls import is_ball
from simspec.report.proofs import readable

__all__ = ["At", "compiled_rational", "computed_sides", "conclusions_at", "main"]

INSTANCES = 2
PLACES = 2
"""Places of a conclusion's free variables, at each instance."""
ENTRIES = 2000
"""Entries of arrays that a side may ask for."""
SECONDS = 120
"""Time of Coq for the conclusions of one derivation."""


class At(NamedTuple):
    """A conclusion at an instance: definitions of its names in Coq, the texts of its sides, and what Python says they are."""

    definitions: str
    sides: tuple[str, str]
    values: tuple[Fraction, Fraction]


class _Asked:
    """Values of names, which notes what was asked for."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.entries: dict[str, dict[tuple[int, ...], Any]] = {}
        self.values = {name: self._noting(name, value) for name, value in values.items()}

    def _noting(self, name: str, value: Any) -> Any:
        if not callable(value) and not isinstance(value, (list, tuple)) and not hasattr(value, "__getitem__"):
            return value

        def entry(*places: int) -> Any:
            number = value(*places) if callable(value) else _at(value, places)
            self.entries.setdefault(name, {})[tuple(map(int, places))] = number
            return number

        return entry


def _at(value: Any, places: Sequence[int]) -> Any:
    for k in places:
        if k < 1:
            raise IndexError(f"place {k}; arrays are read from 1")
        value = value[k - 1]
    return value


def conclusions_at(d: Derivation, values: Mapping[str, Any], ranges: Mapping[str, Any]) -> Iterator[At]:
    """The conclusions of a derivation at an instance, at some places of their free variables.

    Raises
    ------
    NotExported
        where a side is no fraction, or has names that an instance gives no value.
    """
    for r in d.conclusions:
        for at in ranged(r, values, ranges, limit=PLACES):
            yield _conclusion(d, r, at)


def _conclusion(d: Derivation, r: Relation, at: Mapping[str, Any]) -> At:
    """A conclusion at values of an instance: Coq's definitions of the names in it, its two sides, and their values in Python."""
    asked = _Asked(at)
    left, right = (evaluate(side, asked.values) for side in (r.lhs, r.rhs))
    if is_ball(left) or is_ball(right):
        raise NotExported("no fraction: a logarithm, an exponential or a root")
    if sum(map(len, asked.entries.values())) > ENTRIES:
        raise NotExported(f"more than {ENTRIES} entries of arrays")
    printer = Printer(d.maps, {})
    lines = []
    symbols = {s for side in (r.lhs, r.rhs) for s in sp.sympify(side).free_symbols}
    arrays = {a.base.label: a for side in (r.lhs, r.rhs) for a in sp.sympify(side).atoms(sp.Indexed)}
    for s in sorted(symbols - set(arrays), key=str):
        if isinstance(s, sp.Symbol):
            value = at[s.name] if s.name in at else at[s]
            lines.append(f"Definition {printer.name(s)} := {_number(value, bool(s.is_integer))}.")
    for label, a in sorted(arrays.items(), key=lambda item: str(item[0])):
        is_integer = a.base in d.maps or bool(a.is_integer)
        names = [f"i{k}" for k in range(len(a.indices))]
        cases = "".join(
            f" | {', '.join(f'({k})%Z' for k in places)} => {_number(value, is_integer)}"
            for places, value in sorted(asked.entries.get(label.name, {}).items())
        )
        other = " | " + ", ".join("_" for _ in names) + f" => {_number(0, is_integer)}"
        lines.append(
            f"Definition {printer.name(label)} ({' '.join(names)} : Z) := match {', '.join(names)} with{cases}{other} end."
        )
    return At("\n".join(lines), (printer.real(r.lhs), printer.real(r.rhs)), (Fraction(left), Fraction(right)))


def _number(value: Any, is_integer: bool) -> str:
    number = Fraction(value)
    if is_integer:
        return f"({int(number)})%Z"
    return f"(({number.numerator})%Z # {number.denominator})"


def compiled_rational(folder: Path) -> Path:
    """Compile ``rational.v`` in a folder; the folder."""
    (folder / "rational.v").write_text(
        resources.files("proofs_check.coq").joinpath("rational.v").read_text(encoding="utf-8"), encoding="utf-8"
    )
    subprocess.run(["coqc", "-q", "-R", ".", "Simspec", "rational.v"], cwd=folder, check=True, capture_output=True)
    return folder


def computed_sides(conclusions: Sequence[At], folder: Path) -> list[tuple[Fraction, Fraction]]:
    """What Coq computes both sides of conclusions to be.

    Raises
    ------
    NotExported
        where Coq refuses the text, or does not answer in its time.
    """
    lines = ["From Simspec Require Import rational."]
    for n, at in enumerate(conclusions):
        left, right = at.sides
        lines += [f"Module At{n}.", at.definitions, f"Eval vm_compute in sides {left} {right}.", f"End At{n}."]
    (folder / "conclusions.v").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["coqc", "-q", "-R", ".", "Simspec", "conclusions.v"]
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise NotExported(f"no answer in {SECONDS} s") from None
    if run.returncode:
        raise NotExported(" ".join(run.stderr.split())[:300])
    printed = re.findall(r"=(.*?):\s*Z\s*\*", run.stdout, re.DOTALL)
    answers = [tuple(map(int, re.findall(r"-?\d+", text))) for text in printed]
    if len(answers) != len(conclusions):
        raise NotExported(f"{len(answers)} answers to {len(conclusions)} conclusions")
    return [(Fraction(a, b), Fraction(c, e)) for a, b, c, e in answers]


def _of_claims(
    ids: Sequence[str], compare: Callable[[Sequence[At]], list[tuple[Fraction, Fraction]]]
) -> Iterator[tuple[str, str]]:
    """For each derivation its claim, and "agree", or where Coq and Python differ, or why the conclusion is not computed."""
    recorded = readable()["proofs"]
    for _, _, proof in chosen(ids):
        if not isinstance(proof, Proof) or proof.bind is None:
            continue
        name = proof.claim.name
        try:
            d = next(d for e in recorded.get(name, ()) if "for" in e for d in _stated(proof, e["for"]))
            drawn = Instances(proof, d).drawn()[:INSTANCES]
            conclusions = [at for values, ranges in drawn for at in conclusions_at(d, values, ranges)]
            if not conclusions:
                raise NotExported("no instance inside the assumptions")
            computed = compare(conclusions)
        except StopIteration:
            yield name, "not computed: no such derivation on record"
        except (NotExported, *NO_VALUE) as error:
            yield name, f"not computed: {error}"
        else:
            differing = sum(sides != at.values for sides, at in zip(computed, conclusions, strict=True))
            yield name, f"DIFFER at {differing} of {len(computed)}" if differing else f"agree at {len(computed)}"


def _stated(proof: Proof, given: Mapping[str, Sequence[str]]) -> list[Derivation]:
    try:
        return [stated(proof, given)]
    except NotExported:
        return []


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the conclusions of some claims or all; 1 where Coq and Python differ."""
    parser = argparse.ArgumentParser(
        prog="python -m proofs_check.coq.evaluated",
        description="Compute both sides of exported conclusions in Coq, on instances that the claims draw.",
    )
    parser.add_argument("ids", metavar="ID", nargs="*", help="ids or prefixes of claims; all where there are none")
    options = parser.parse_args(arguments)
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = compiled_rational(Path(name))
        for claim, outcome in _of_claims(options.ids, lambda conclusions: computed_sides(conclusions, folder)):
            print(f"{claim}: {outcome}", flush=True)
            kind = outcome.split()[0]
            counts[kind] = counts.get(kind, 0) + 1
    print(
        f"{counts.get('agree', 0)} derivations agree, {counts.get('DIFFER', 0)} differ, {counts.get('not', 0)} are not computed"
    )
    return 1 if counts.get("DIFFER") else 0


if __name__ == "__main__":
    raise SystemExit(main())
