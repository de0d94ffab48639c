"""The conclusions of a derivation at an instance of its claim: the text of each side as it stands in the script for Coq, the
values of the names in it, and what both sides are in Python, by the proof and by the claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from proofs_check.checking.agreement import bound, meanings
from proofs_check.checking.proof import Proof, instances
from proofs_check.checking.ranges import ranged
from proofs_check.coq.terms import NotExported, Printer
from proofs_check.coq.trace import Traced
from proofs_check.coq.writer import Writer
from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import Relation, strict
from proofs_check.rules.values import evaluate
from simspec.claims.balls import ball, is_ball
from simspec.claims.claim import Claim, Instance

__all__ = ["At", "at_instances", "conclusions_at", "ends"]

INSTANCES = 2
"""Instances of a claim at which its conclusions are computed."""
ENTRIES = 2000
"""Entries of arrays that a side may ask for."""
BITS = 100
"""Binary digits of the fractions between which Coq is given a number that is none."""


Name = tuple[str, tuple[str, ...], str]
"""A name in Coq, the kinds of its arguments, and its own: "Z" or "num"."""
Entries = Mapping[tuple[Fraction, ...], Any]
"""Values at the places, or numbers, that were asked for."""


class At(NamedTuple):
    """A conclusion at an instance.

    Definitions of its names in Coq, the texts of its sides, what the proof's sides are in Python, and what the claim's are;
    `names` are those in it, with the kinds of their arguments and their own, "Z" or "num"; `is_rational` where all numbers are
    fractions, also those that names stand for.
    """

    names: tuple[Name, ...]
    definitions: str
    sides: tuple[str, str]
    values: tuple[Any, Any]
    claimed: tuple[Any, Any]
    is_rational: bool

    @property
    def text(self) -> str:
        """What Coq reads."""
        return f"{self.definitions}\nEval vm_compute in (sides {self.sides[0]} {self.sides[1]})."


class _Asked:
    """Values of names, which notes what was asked for."""

    def __init__(self, values: Mapping[Any, Any]) -> None:
        self.entries: dict[str, dict[tuple[Fraction, ...], Any]] = {}
        self.values = {name: self._noting(name, value) for name, value in values.items()}

    def _noting(self, name: Any, value: Any) -> Any:
        if not callable(value) and not hasattr(value, "__getitem__"):
            return value

        def entry(*places: int) -> Any:
            number = value(*places) if callable(value) else _at(value, places)
            self.entries.setdefault(name, {})[tuple(map(Fraction, places))] = number
            return number

        return entry


def _at(value: Any, places: Sequence[int]) -> Any:
    for k in places:
        if k < 1:
            raise IndexError(f"place {k}; arrays are read from 1")
        value = value[k - 1]
    return value


def at_instances(proof: Proof, d: Traced, number: int = INSTANCES) -> Iterator[At]:
    """Conclusions of a proof's derivation at instances of its claim.

    Raises
    ------
    NotExported
        where a side has no text, or has names that an instance gives no value; where there is no instance.
    """
    writer = Writer(d)
    writer.depend()
    has_instance = False
    for instance in _instances(proof.claim, number):
        has_instance = True
        assert proof.bind is not None
        values, ranges = bound(proof.bind, d, instance)
        sides = np.broadcast_arrays(*(np.asarray(side, dtype=object) for side in proof.claim.sides(instance)))
        left, right = (np.ravel(side).tolist() for side in sides)
        claimed = list(zip(left, right, strict=True))
        yield from conclusions_at(d, writer.p, {**values, **meanings(d, values)}, ranges, claimed)
    if not has_instance:
        raise NotExported("no instance inside the assumptions")


def _instances(claim: Claim, number: int) -> list[Instance]:
    """Some that the claim draws; of those that it lists where it draws none."""
    listed = [*claim.tight]
    drawn_instances = [*islice(instances(claim, number), len(listed), None)]
    return drawn_instances or listed[:number]


def conclusions_at(
    d: Derivation,
    printer: Printer,
    values: Mapping[str, Any],
    ranges: Mapping[str, Any],
    claimed: Sequence[tuple[Any, Any]],
) -> Iterator[At]:
    """The conclusions of a derivation at an instance, each at the first, the middle and the last of its places.

    Parameters
    ----------
    d : the derivation.
    printer : writes expressions as the script has them.
    values, ranges : what names stand for, and what free variables range over.
    claimed : both sides of the claim, at all places of all conclusions.

    Raises
    ------
    NotExported
        where a side has no text, or more entries than are handed to Coq.
    ValueError
        where the claim has another number of sides.
    """
    before = 0
    for r in d.conclusions:
        places = list(ranged(r, values, ranges, limit=None))
        if before + len(places) > len(claimed):
            raise ValueError(f"{len(claimed)} sides of the claim; the conclusions have more")
        for n in sorted({0, len(places) // 2, len(places) - 1}) if places else ():
            yield _conclusion(printer, r, places[n], claimed[before + n])
        before += len(places)
    if before != len(claimed):
        raise ValueError(f"{len(claimed)} sides of the claim; the conclusions have {before}")


def _conclusion(printer: Printer, r: Relation, at: Mapping[Any, Any], claimed: tuple[Any, Any]) -> At:
    """A conclusion at values of an instance."""
    sides = [strict(side) for side in (r.lhs, r.rhs)]
    functions = {f.func: len(f.args) for side in sides for f in side.atoms(AppliedUndef)}
    asked = _Asked(at)
    values = tuple(_exact(evaluate(side, asked.values)) for side in sides)
    if sum(map(len, asked.entries.values())) > ENTRIES:
        raise NotExported(f"more than {ENTRIES} entries of arrays")
    texts = tuple(printer.real(side) for side in sides)
    arrays = {a.base.label: a for side in sides for a in side.atoms(sp.Indexed)}
    symbols = {s for side in sides for s in side.free_symbols if isinstance(s, sp.Symbol)} - set(arrays)
    symbols |= {s for label in {*symbols, *arrays} for s in printer.extra.get(label, ()) if _has_value(s, at)}
    numbers = {s: at[s.name] if s.name in at else at[s] for s in symbols}
    names, lines = _definitions(printer, numbers, arrays, functions, asked.entries)
    entries = [number for of_array in asked.entries.values() for number in of_array.values()]
    is_rational = not any(map(is_ball, (*values, *claimed, *numbers.values(), *entries)))
    return At(tuple(names), "\n".join(lines), (texts[0], texts[1]), (values[0], values[1]), claimed, is_rational)


def _definitions(
    printer: Printer,
    numbers: Mapping[Any, Any],
    arrays: Mapping[Any, sp.Indexed],
    functions: Mapping[Any, int],
    entries: Mapping[str, Entries],
) -> tuple[list[Name], list[str]]:
    """Names with their kinds, and what they are at an instance in Coq: numbers, then arrays, then functions of numbers."""
    names: list[Name] = []
    lines: list[str] = []
    for s in _ordered(numbers):
        kinds = _depends_on(printer, s)
        kind = _kind(bool(s.is_integer))
        names.append((printer.name(s), kinds, kind))
        lines.append(f"Definition {printer.name(s)} {_ignored(kinds)}: {kind} := {_number(numbers[s], kind == 'Z')}.")
    for label in _ordered(arrays):
        places = len(arrays[label].indices)
        kinds = _depends_on(printer, label)
        kind = _kind(arrays[label].base in printer.maps or bool(arrays[label].is_integer))
        names.append((printer.name(label), (*kinds, *["Z"] * places), kind))
        lines.append(_array(printer.name(label), kinds, kind, places, entries.get(label.name, {})))
    for function in _ordered(functions):
        names.append((printer.name(function), ("num",) * functions[function], "num"))
        lines.append(_table(printer.name(function), functions[function], entries.get(function.__name__, {})))
    return names, lines


def _has_value(s: sp.Symbol, at: Mapping[Any, Any]) -> bool:
    return s.name in at or s in at


def _exact(value: Any) -> Any:
    return value if is_ball(value) else Fraction(value)


def _ordered(symbols: Iterable[Any]) -> list[Any]:
    return sorted(symbols, key=str)


def _array(name: str, depends_on: Sequence[str], kind: str, number_of_places: int, entries: Entries) -> str:
    """The definition of an array by its entries at the places that are asked for; 0 elsewhere."""
    is_integer = kind == "Z"
    indices = [f"i{k}" for k in range(number_of_places)]
    cases = "".join(
        f" | {', '.join(f'({k})%Z' for k in places)} => {_number(value, is_integer)}"
        for places, value in sorted(entries.items())
    )
    other = " | " + ", ".join("_" for _ in indices) + f" => {_number(0, is_integer)}"
    binders = f"{_ignored(depends_on)}({' '.join(indices)} : Z) "
    return f"Definition {name} {binders}: {kind} := match {', '.join(indices)} with{cases}{other} end."


def _table(name: str, number_of_arguments: int, entries: Entries) -> str:
    """The definition of a function of numbers by its values where it is asked for; 0 elsewhere.

    >>> _table("v_f", 1, {(Fraction(1, 2),): Fraction(3)})
    'Definition v_f (a0 : num) : num := if (Qeq_bool a0 ((1)%Z # 2))%bool then ((3)%Z # 1) else 0.'
    """
    arguments = [f"a{k}" for k in range(number_of_arguments)]
    cases = "".join(
        f"if ({' && '.join(f'Qeq_bool {a} {_fraction(n)}' for a, n in zip(arguments, numbers, strict=True))})%bool "
        f"then {_number(value, False)} else "
        for numbers, value in sorted(entries.items())
    )
    return f"Definition {name} ({' '.join(arguments)} : num) : num := {cases}0."


def _depends_on(printer: Printer, label: Any) -> tuple[str, ...]:
    """Kinds of the numbers that a name's meaning depends on."""
    return tuple(_kind(bool(s.is_integer)) for s in printer.extra.get(label, ()))


def _ignored(kinds: Sequence[str]) -> str:
    """Arguments for the numbers that a name's meaning depends on, which an instance fixes."""
    return "".join(f"(_ : {kind}) " for kind in kinds)


def _kind(is_integer: bool) -> str:
    return "Z" if is_integer else "num"


def _number(value: Any, is_integer: bool) -> str:
    """A number in Coq; of one that is no fraction, fractions that it is between."""
    if is_ball(value):
        low, high = ends(value)
        return f"(Between {_fraction(low)} {_fraction(high)})"
    if is_integer:
        return f"({int(Fraction(value))})%Z"
    return _fraction(Fraction(value))


def _fraction(number: Fraction) -> str:
    return f"(({number.numerator})%Z # {number.denominator})"


def ends(value: Any) -> tuple[Fraction, Fraction]:
    """Fractions between which a ball is, with a denominator that is a power of two.

    >>> low, high = ends(ball(2).exp())
    >>> low < high, 0 < high - low < Fraction(1, 2**90), round(float(low), 6)
    (True, True, 7.389056)
    """
    enclosure = ball(value)
    if not enclosure.is_finite():
        raise NotExported(f"{value}: too wide an enclosure")
    unit = 2**BITS
    low = floor(_dyadic(enclosure.lower()) * unit)
    high = ceil(_dyadic(enclosure.upper()) * unit)
    return Fraction(low, unit), Fraction(high, unit)


def _dyadic(number: Any) -> Fraction:
    """A ball of radius 0, which is a whole number times a power of two."""
    mantissa, exponent = number.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
