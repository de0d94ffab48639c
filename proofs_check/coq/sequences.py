"""Sequences of a derivation, as recursions in Coq: by their first member, and the next one from each (``sequences.v``)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.coq.section import Bridge
from proofs_check.coq.terms import NotExported

__all__ = ["Recursion", "identifiers", "recursions"]

_DEFINITION = re.compile(r"Definition (\w+)((?: \([^()]*\))*) *(?:: (\w+) )?:= (.*)\.", re.DOTALL)


class Recursion(NamedTuple):
    """A sequence's name in Coq, how it is defined, and its two rules, as lemmas.

    The next member may use definitions that are made of the sequence: these are copied into it, made of the member before.
    """

    name: str
    first: str
    next: str
    binders: str
    kind: str
    lemmas: tuple[str, ...]

    def definition(self, between: Sequence[str]) -> str:
        """What it is; `between` are the definitions that are made of it, and that its next member uses."""
        following = self.next.replace(_BETWEEN, "".join(map(_let, between)))
        return f"Definition {self.name}{self.binders} : {self.kind} := {self.first} {following}."

    @property
    def uses(self) -> set[str]:
        """Names in its definition."""
        return identifiers(self.first + self.next) - {self.name}


_BETWEEN = "(* between *)"


def identifiers(text: str) -> set[str]:
    """The words of a text."""
    return set(re.findall(r"[\w']+", text))


def _let(definition: str) -> str:
    """A definition inside another one.

    >>> _let("Definition v_d (v_n : Z) : R := (v_b v_n).")
    'let v_d := fun (v_n : Z) => ((v_b v_n) : R) in '
    >>> _let("Definition v_d := @file.v_d v_V v_b.")
    'let v_d := @file.v_d v_V v_b in '
    """
    match = _DEFINITION.fullmatch(definition)
    if match is None:
        raise ValueError(f"{definition!r}: no definition")
    name, binders, kind, meaning = match.groups()
    typed = f"({meaning} : {kind})" if kind else meaning
    return f"let {name} := {f'fun{binders} => ' if binders else ''}{typed} in "


def recursions(bridge: Bridge, hypotheses: Mapping[str, str]) -> list[Recursion]:
    """The sequences of a derivation, each of which the script has by two hypotheses, given by name: they become lemmas."""
    sequences = []
    for e in bridge.d.trace:
        if e.rule != "recursion" or len(e.made) != 2:
            continue
        name = bridge.p.name(e.made[0].relation.lhs.base.label)
        rules = [f"recursion_{name}_{k}" for k in (0, 1)]
        if not all(rule in hypotheses for rule in rules):
            continue
        try:
            sequences.append(
                _recursion(bridge, name, [f.relation for f in e.made], [(r, hypotheses[r]) for r in rules])
            )
        except NotExported:
            continue  # a whole number that is a sum of real ones has no text: the sequence stays any that has the rules
    return sequences


def _recursion(bridge: Bridge, name: str, relations: Sequence[Any], rules: Sequence[tuple[str, str]]) -> Recursion:
    """A sequence by its two relations; `rules` are the hypotheses of the script that say the same.

    Raises
    ------
    NotExported
        where a member has no text in Coq.
    """
    base, step = relations
    printed = bridge.p.whole if step.lhs.is_integer else bridge.p.real
    kind = "Z" if step.lhs.is_integer else "R"
    at = next(n for n, k in enumerate(step.lhs.indices) if isinstance(k, sp.Add))
    counter = bridge.p.name(step.lhs.indices[at] - 1)
    hidden = [(bridge.p.name(s), "Z" if s.is_integer else "R") for s in bridge.f.extra.get(base.lhs.base.label, ())]
    places = [f"place_{n}" for n in range(len(step.lhs.indices))]
    others = [place for n, place in enumerate(places) if n != at]
    binders = "".join(f" ({n} : {k})" for n, k in [*hidden, *((place, "Z") for place in places)])
    members = f"fun{''.join(f' (_ : {k})' for _, k in hidden)} ({' '.join(places)} : Z) => before {' '.join(others)}"

    def of_places(symbols: Sequence[Any]) -> str:
        names = [bridge.p.name(k) for n, k in enumerate(symbols) if n != at]
        return f"fun ({' '.join(names)} : Z) => " if names else ""

    first = f"member ({of_places(base.lhs.indices)}{printed(base.rhs)})"
    following = f"let {name} := {members} in {_BETWEEN}{printed(step.rhs)}"
    before = f"({counter} : Z) (before : {'Z -> ' * len(others)}{kind})"
    call = " ".join([places[at], *others])
    of_whole = "rewrite ?plus_IZR, ?mult_IZR, ?plus_IZR, ?mult_IZR, ?min_IZR, ?max_IZR, ?plus_IZR, ?mult_IZR; ring"
    proofs = (
        f"intros; unfold {name}; rewrite member_first; reflexivity",
        f"intros; unfold {name} at 1; rewrite member_next by lia; first [reflexivity | unfold {name}; cbv beta zeta; {of_whole}]",
    )
    lemmas = tuple(
        f"Lemma {rule} : {text}.\nProof. {proof}. Qed." for (rule, text), proof in zip(rules, proofs, strict=True)
    )
    return Recursion(
        name, first, f"(fun {before} => {of_places(step.lhs.indices)}{following}) {call}", binders, kind, lemmas
    )
