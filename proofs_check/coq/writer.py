"""What every file for Coq has: names without a meaning, their signs and ranges, and lemmas that may be admitted."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from proofs_check.coq.facts import Facts, Lemma
from proofs_check.coq.trace import Entry, Traced
from proofs_check.rules.derivation import Fact
from proofs_check.rules.terms import V, is_token

__all__ = ["Writer", "head"]

SECONDS = 60
"""Time for a step in Coq."""
LONG = 240
"""The same in a file some of whose steps have the deepest scripts."""


class Writer:
    """Writes one derivation."""

    def __init__(self, d: Traced, further: Collection[str] = (), deeper: Collection[str] = ()) -> None:
        self.d, self.f = d, Facts(d)
        self.further = frozenset(further)  # steps whose plain scripts leave them open
        self.p = self.f.printer
        self.deeper = frozenset(deeper)  # those that the further scripts leave open, too
        self.lines: list[str] = []
        self.steps: list[str] = []
        self.told: set[str] = set()
        self.kept: list[Fact] = []  # facts made here: lemmas are found by identity

    def is_further(self, rule: str) -> bool:
        """Whether the next step, which a rule makes, is one whose plain script leaves it open."""
        return f"{rule}_{len(self.steps)}" in self.further

    def is_deeper(self, rule: str) -> bool:
        """Whether the further script of the next step leaves it open, too."""
        return f"{rule}_{len(self.steps)}" in self.deeper

    # --- names ------------------------------------------------------------------------------------------------------

    def depend(self) -> None:
        """Note which numbers all names that have a meaning depend on, before a statement is printed."""
        for e in self.d.trace:
            if e.rule in {"define", "extremum", "sign"}:
                self._depends(e)
            elif e.rule == "recursion":
                self._depends_recursively(e)

    def _depends(self, e: Entry) -> None:
        """Note which numbers the meaning of a defined name depends on, beside its arguments."""
        symbol = e.told["symbol"]
        meaning = e.made[0].relation.rhs if e.rule == "define" else e.told["expression"]
        label, own_numbers = head(symbol)
        own_numbers |= {e.told["token"]} if e.rule == "extremum" else set()
        dependencies = tuple(sorted(self.f.numbers(meaning.free_symbols) - own_numbers, key=str))
        if dependencies:
            self.f.extra[label] = dependencies
            if e.rule == "extremum":
                self.f.extra[sp.Symbol(f"{symbol.name}_at", integer=True)] = dependencies

    def _depends_recursively(self, e: Entry) -> None:
        """Note which numbers the members of a sequence depend on, beside their places.

        Without them its equations would be said of one sequence for every value of such a number, and contradict each other.
        """
        labels, places = zip(*(head(fact.relation.lhs) for fact in e.made), strict=True)
        meanings = set[Any]().union(*(fact.relation.rhs.free_symbols for fact in e.made))
        dependencies = tuple(sorted(self.f.numbers(meanings) - set[Any]().union(*places), key=str))
        if dependencies:
            self.f.extra |= dict.fromkeys(labels, dependencies)

    def _declared(self) -> list[str]:
        """Names without a meaning, as variables; their signs and ranges; hypotheses that are no lemma's premises."""
        out = [f"Variable {self.p.name(V)} : Z.", f"Hypothesis V_some : (1 <= {self.p.name(V)})%Z."]
        defined = set(self._defined())
        relations = [f.relation for e in self.d.trace for f in e.made]
        arrays: dict[Any, sp.Indexed] = {}
        numbers: set[Any] = set()
        functions: dict[Any, int] = {}
        for r in relations:
            for side in (r.lhs, r.rhs):
                arrays |= {a.base.label: a for a in side.atoms(sp.Indexed)}
                functions |= {a.func: len(a.args) for a in side.atoms(AppliedUndef)}
                numbers |= {s for s in side.free_symbols if isinstance(s, sp.Symbol)}
        for label, a in sorted(arrays.items(), key=lambda item: str(item[0])):
            if label not in defined:
                out += self._array(a)
        for s in sorted(numbers - set(arrays) - self.f.level - defined - {V}, key=str):
            kind = "Z" if s.is_integer else "R"
            range_ = self.f.range(s)
            out.append(f"Variable {self.p.name(s)} : {kind}.")
            out += [f"Hypothesis R_{self.p.name(s)} : {range_}."] if range_ else []
        out += [f"Variable {self.p.name(g)} : {'R -> ' * n}R." for g, n in sorted(functions.items(), key=str)]
        return out

    def _defined(self) -> set[Any]:
        """Labels of the names that have a meaning of their own in the file."""
        labels = {head(e.told["symbol"])[0] for e in self.d.trace if e.rule in {"define", "extremum", "sign"}}
        at = {sp.Symbol(f"{e.told['symbol'].name}_at", integer=True) for e in self.d.trace if e.rule == "extremum"}
        return labels | at

    def _array(self, a: sp.Indexed) -> list[str]:
        """An array without a meaning: a function of integers, with its sign or range."""
        name = self.p.name(a.base.label)
        places = [f"i{k}" for k in range(len(a.indices))]
        is_integer = a.base in self.d.maps or a.is_integer
        extra = self.f.extra.get(a.base.label, ())
        kinds = "".join(f"{'Z' if s.is_integer else 'R'} -> " for s in extra)
        out = [f"Variable {name} : {kinds}{'Z -> ' * len(places)}{'Z' if is_integer else 'R'}."]
        binders = "".join(f"{self.f.binder(s)} " for s in extra)
        at = f"forall {binders}({' '.join(places)} : Z), " if extra else f"forall {' '.join(places)} : Z, "
        call = " ".join([name, *map(self.p.name, extra), *places])
        if a.base in self.d.maps:
            tokens = any(_mapped(t.value, a.base) for t in self.d.typed if is_token(t.symbol))
            out.append(f"Hypothesis {name}_range : {at}(1 <= {call}{f' <= {self.p.name(V)}' if tokens else ''})%Z.")
        elif a.is_nonnegative:
            low = "<" if a.is_positive else "<="
            out.append(f"Hypothesis {name}_sign : {at}(0 {low} {call}){'%Z' if is_integer else ''}.")
        return out

    # --- steps ---------------------------------------------------------------------------------------------------

    def _lemma(
        self, rule: str, fact: Fact, using: tuple[Fact, ...], proof: str, params: tuple[Any, ...] | None = None
    ) -> None:
        """A step: its statement, and its proof by a tactic; where that fails, the step is admitted and says so."""
        premises = self.f.premises(self.f.rests_on(fact))
        parameters = self.f.params(fact.relation, premises, using) if params is None else params
        name = f"{rule}_{len(self.steps)}"
        lemma = Lemma(name, parameters, premises, fact.relation)
        self.steps.append(name)
        self.f.lemmas[id(fact)] = lemma
        seconds = LONG if self.deeper else SECONDS
        self.lines.append(
            f"Lemma {name} : {self.f.quantified(lemma)}.\nProof. {self.f.intros(lemma)};\n"
            f'  first [timeout {seconds} (solve [{proof}]) | idtac "admitted {name}"; apply admitted]. Qed.'
        )


def head(symbol: Any) -> tuple[Any, set[Any]]:
    """The label of a defined name, and its arguments."""
    if isinstance(symbol, sp.Indexed):
        return symbol.base.label, {s for k in symbol.indices for s in k.free_symbols}
    return symbol, set()


def _mapped(value: Any, base: Any) -> bool:
    return isinstance(value, sp.Indexed) and value.base == base
