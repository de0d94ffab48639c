"""The rules by which a proof may go on: a statement enters only as a given, a definition, or by a rule that has been checked.

Free symbols of a statement are universally quantified: a free token means "for every token", a free number "for every number
that the givens allow".  Sums over the vocabulary are sums over V tokens with V unspecified.  Givens and names are in
`givens`, definitions and arithmetic in `definitions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.rules.algebra import is_zero
from proofs_check.rules.defined import check_relation, smooth
from proofs_check.rules.definitions import Definitions, written
from proofs_check.rules.enclosed import decide_by_enclosures
from proofs_check.rules.givens import Fact, Place, Step, counted, joined, placed
from proofs_check.rules.smt import Unproved, sign_known
from proofs_check.rules.terms import Relation, V, ge, gt, is_index, is_token, strict, total, x
from proofs_check.rules.values import evaluate
from simspec.claims.balls import ball

__all__ = ["Derivation", "Fact", "Step", "Unproved"]

decide_by_enclosures()  # before any proof is read: what SymPy has said of a number it does not ask again


class Derivation(Definitions):
    """A proof while it is being checked.

    Parameters
    ----------
    claim : str
        id, used in the titles of the certificates.
    dropped : str, optional
        name of a given to leave out, to see that the proof fails without it.

    Attributes
    ----------
    steps : what has been shown so far, in words and formulas
    givens : {name: statements}
        what the claim assumes, and what every instance satisfies (laws, ranges of parameters).
    assumed : names of those givens that are assumptions of the claim; `check` compares them with the claim's
    conclusions : the statements proved, set by `qed`

    Examples
    --------
    >>> from proofs_check.rules.terms import eq, total, x
    >>> d = Derivation("example")
    >>> p, mass = d.law("p")
    >>> q, mass_q = d.law("q")
    >>> term = d.derive("per token", eq(sp.Min(p[x], q[x]), p[x] - sp.Max(p[x] - q[x], 0)))
    >>> both = d.sum("over the vocabulary", term, x)
    >>> d.qed(d.derive("p has mass one", eq(total(sp.Min(p[x], q[x]), x), 1 - total(sp.Max(p[x] - q[x], 0), x)), both, mass))
    >>> len(d.steps), sorted(d.used)
    (3, ['p sums to one'])
    """

    def sum(self, text: str, fact: Fact, *tokens: sp.Symbol, upto: Any = V) -> Fact:
        """From a statement about every token the one about sums: Σ lhs op Σ rhs."""
        self._own([fact])
        r = fact.relation
        size = written(upto)
        if not (size.is_integer and size.is_nonnegative):
            raise Unproved(f"{self.claim}: {text}: {upto} is not seen to be a number of terms")
        missing = [t for t in tokens if t not in r.free_symbols]
        if missing:
            raise Unproved(f"{self.claim}: {text}: {missing[0]} is not free in {r}")
        if particular := [t for t in tokens if not t.is_integer or (not is_index(t) and is_token(t) != (upto is V))]:
            raise Unproved(f"{self.claim}: {text}: {particular[0]} does not range over the vocabulary")
        if reasons := [reason for t in tokens if (reason := self._particular(fact, t))]:
            raise Unproved(f"{self.claim}: {text}: {reasons[0]}")
        if r.op in {"<", ">"} and not size.is_positive:
            raise Unproved(f"{self.claim}: {text}: a strict statement over what may be no term at all")
        for t in tokens:
            self._vary(t, fact.givens)
        summed_relation = Relation(total(r.lhs, *tokens, upto=size), r.op, total(r.rhs, *tokens, upto=size))
        self.steps._add(text, "linearity of finite sums", summed_relation)
        places = fact.places
        for t in tokens:
            places = frozenset(p.every(t, sp.S.One, size) for p in places)
        return self._fact(summed_relation, fact.givens, places)

    def summed(
        self,
        text: str,
        relation: Relation,
        *using: Fact,
        over: Any = x,
        then: str = "",
        upto: Any = V,
        by: str = "auto",
    ) -> Fact:
        """`derive`, and at once the `sum` of what was derived over a token or several; `then` says what that shows."""
        tokens = over if isinstance(over, tuple) else (over,)
        per_token = self.derive(text, relation, *using, by=by)
        names = "the vocabulary" if over is x else ", ".join(map(str, tokens))
        return self.sum(then or f"over {names}", per_token, *tokens, upto=upto)

    def instantiate(self, text: str, fact: Fact, values: Mapping[Any, Any], *using: Fact) -> Fact:
        """A universal statement at particular values; what the givens demand of them must follow from `using`."""
        self._own([fact, *using])
        values = {symbol: written(value) for symbol, value in values.items()}
        self._may_stand(text, fact, values)
        needed = []
        for symbol, value in values.items():
            if not isinstance(symbol, sp.Symbol):
                raise ValueError(f"values: {symbol} is no number or token; only those are universally quantified")
            if not (is_token(symbol) or is_index(symbol)) and symbol.is_nonnegative:
                needed.append((gt if symbol.is_positive else ge)(value, 0))
        demanded, rest = self._demanded(text, fact, values, using)
        side_facts = [f for value in values.values() for f in self._defined(text, value, *using)]
        side_facts += [self.derive(f"{text}: condition", condition, *using) for condition in needed + demanded]
        instance = fact.relation.replace(values)
        if instance.difference.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
            raise Unproved(f"{self.claim}: {text}: {instance} has no value")
        self.steps._add(text, "instance", instance)
        typed = {Place(x, v) for s, v in values.items() if is_token(s) and not is_token(v)}
        if fact.givens & self.supposed:  # of what is supposed it is not known where it is used
            typed |= {Place(s, strict(v)) for s, v in values.items() if is_index(s)}
        self.typed |= typed
        places = frozenset(p.at(values) for p in fact.places) | typed  # sums over what they depend on go on from them
        return self._fact(instance, rest | joined(using) | joined(side_facts), places | placed((*using, *side_facts)))

    def _may_stand(self, text: str, fact: Fact, values: Mapping[Any, Any]) -> None:
        """Refuse values for what is a particular one, and those that do not range over what it ranges over."""
        labels = {a.base.label for a in fact.relation.lhs.atoms(sp.Indexed) | fact.relation.rhs.atoms(sp.Indexed)}
        for symbol, value in values.items():
            if symbol in self.made_of or symbol in labels or symbol == V:
                raise Unproved(f"{self.claim}: {text}: {symbol} is a particular one")
            mapped = isinstance(value, sp.Indexed) and value.base in self.maps
            wrong = is_token(symbol) and not (is_token(value) or mapped)
            wrong |= is_index(symbol) and not (is_token(value) or is_index(value) or mapped)
            if wrong or (symbol.is_integer and not strict(value).is_integer):
                raise Unproved(f"{self.claim}: {text}: {value} does not range over what {symbol} ranges over")
            if name := self._depends(fact.relation, symbol):
                raise Unproved(f"{self.claim}: {text}: {name} is defined in terms of {symbol}")

    def _demanded(
        self, text: str, fact: Fact, values: Mapping[Any, Any], using: Sequence[Fact]
    ) -> tuple[list[Relation], frozenset[str]]:
        """What the givens of a fact say of particular values, and the givens that it still rests on."""
        rest = set(fact.givens)
        needed = []
        for name in fact.givens:
            premises = self.givens[name]
            if hidden := [s for r in premises for s in values if self._depends(r, s)]:
                raise Unproved(f"{self.claim}: {text}: {name!r} is about what is defined in terms of {hidden[0]}")
            touched = [
                r for r in premises if any(s in (r.atoms if self._fixes(name, s) else r.numbers) for s in values)
            ]
            if touched and name in self.supposed:
                touched = list(premises)  # a supposition is about one value of all its numbers
            for s in (s for s in values if any(s in r.atoms for r in premises if r not in touched)):
                self._vary(s, [name])
            everywhere = self._one_for_all(text, name, values, using) if touched else set()
            needed += [r.replace({s: v for s, v in values.items() if s not in everywhere}) for r in touched]
            if touched and len(touched) == len(premises):  # the fact may rest on what was not touched
                rest.discard(name)
        return needed, frozenset(rest)

    def _one_for_all(self, text: str, name: str, values: Mapping[Any, Any], using: Sequence[Fact]) -> set[sp.Symbol]:
        """Tokens at more than one of which a given was used: what is put into it is one for all, and shown for all of them."""
        tokens = {t for r in self.givens[name] for t in r.atoms if (name, str(t)) in self.varied}
        tokens = {t for t in tokens if is_token(t) or is_index(t)}
        for t in tokens:
            for value in (strict(value) for s, value in values.items() if s not in tokens):
                if t in value.free_symbols or self._depends(Relation(value, "=", value), t):
                    raise Unproved(
                        f"{self.claim}: {text}: {name!r} was used at more than one {t}, and {value} is of one"
                    )
            if reason := next(filter(None, (self._particular(fact, t) for fact in using)), None):
                raise Unproved(f"{self.claim}: {text}: {name!r} was used at more than one {t}: {reason}")
            self._vary(t, joined(using))
        return tokens

    def induction(self, text: str, statement: Relation, n: sp.Symbol, base: Fact, step: Fact) -> Fact:
        """From P(0), and P(n + 1) derived from the supposition P(n), the statement P(n) for every n."""
        self._own([base, step])
        check_relation(statement)
        if is_token(n) or not (n.is_integer and n.is_nonnegative) or n.is_positive or n in self.made_of:
            raise Unproved(f"{self.claim}: {text}: {n} is not declared as a non-negative integer, which may be 0")
        if name := self._depends(statement, n):
            raise Unproved(f"{self.claim}: {text}: {name} is defined in terms of {n}")
        if base.relation != statement.replace({n: 0}):
            raise Unproved(f"{self.claim}: {text}: the base shows {base.relation}, not {statement.replace({n: 0})}")
        if step.relation != statement.replace({n: n + 1}):
            raise Unproved(f"{self.claim}: {text}: the step shows {step.relation}, not {statement.replace({n: n + 1})}")
        hypothesis = {m for m in step.givens & self.supposed - self.at_hand if list(self.givens[m]) == [statement]}
        rest = base.givens | (step.givens - hypothesis)
        for name in rest:
            premises = self.givens[name]
            atoms = set().union(*[r.atoms if self._fixes(name, n) else r.numbers for r in premises])
            if n in atoms or any(self._depends(r, n) for r in premises) or name in hypothesis:
                raise Unproved(f"{self.claim}: {text}: the given {name!r} is about {n}")
            shared = {s for r in premises for s in r.atoms if is_token(s) or is_index(s)}
            if name in self.at_hand and shared & statement.atoms:
                raise Unproved(f"{self.claim}: {text}: the case {name!r} is about a token of the statement")
        self._vary(n, rest)
        self.steps._add(text, f"induction on {n}", statement)
        places = frozenset(p.every(n, sp.S.Zero, n - 1) for p in step.places) | base.places
        for k in sorted(filter(is_index, counted(statement)), key=str):  # the supposition may be used at any of them
            places = frozenset(p.every(k, k) for p in places) | {Place(k, k)}
        return self._fact(statement, rest, places)

    def inductive(
        self, text: str, statement: Relation, n: sp.Symbol, base: Iterable[Fact], step: Iterable[Fact], by: str = "auto"
    ) -> Fact:
        """`induction` where P(0) is derived from `base`, and P(n + 1) from `step`, supposed P(n) included."""
        first = self.derive(f"{text}: at first", statement.replace({n: 0}), *base)
        if not any(list(self.givens[name]) == [statement] for name in self.supposed):
            step = [*step, self.suppose(f"{text}: {statement}", statement)]
        after = self.derive(f"{text}: then", statement.replace({n: n + 1}), *step, by=by)
        return self.induction(text, statement, n, first, after)

    def cases(self, text: str, one: Fact, other: Fact) -> Fact:
        """A statement derived in the case a ≥ b and in the case a ≤ b."""
        self._own([one, other])
        pairs = [
            (m, n)
            for m in one.givens & self.at_hand
            for n in other.givens & self.at_hand
            for (a,), (b,) in [(self.givens[m], self.givens[n])]
            if (a.lhs, a.rhs) == (b.lhs, b.rhs) and {a.op, b.op} in ({">=", "<="}, {">", "<="}, {">=", "<"})
        ]
        if one.relation != other.relation or len(pairs) != 1:
            raise Unproved(f"{self.claim}: {text}: {one.relation} and {other.relation} do not cover all cases")
        self.steps._add(text, "two cases", one.relation)
        rest = (one.givens - {pairs[0][0]}) | (other.givens - {pairs[0][1]})
        return self._fact(one.relation, rest, placed((one, other)))

    def increasing(self, text: str, f: Any, variable: sp.Symbol, start: Any, slope: Fact, beyond: Fact) -> Fact:
        """f(variable) ≥ f(start), from a derivative that is not negative (`slope`) and variable ≥ start (`beyond`).

        What `slope` rests on must be linear in the variable and hold at `start`, so that it holds in between.  f is an
        elementary function that is defined on that interval.
        """
        if not isinstance(variable, sp.Symbol) or variable.is_integer or variable in self.made_of:
            raise Unproved(
                f"{self.claim}: {text}: {variable} does not stand for every real number that the givens allow"
            )
        f = written(f)
        start = written(start)
        derivative = sp.diff(f, variable)
        if slope.relation.op not in {">=", ">"} or not is_zero(slope.relation.lhs - slope.relation.rhs - derivative):
            raise Unproved(f"{self.claim}: {text}: {slope.relation} does not say that {derivative} is not negative")
        if beyond.relation.op not in {">=", ">"} or sp.expand(beyond.relation.difference - variable + start) != 0:
            raise Unproved(f"{self.claim}: {text}: {beyond.relation} is not {variable} >= {start}")
        signs = [gt(start, 0)] if variable.is_positive else [ge(start, 0)] if variable.is_nonnegative else []
        at_start = [r for name in slope.givens for r in self.givens[name] if variable in r.difference.free_symbols]
        for r in at_start:
            if sp.diff(r.difference, variable, 2) != 0:
                raise Unproved(f"{self.claim}: {text}: {r} is not linear in {variable}")
        side_facts: list[Fact] = [slope, beyond]
        start_of = [*signs, *(r.replace({variable: start}) for r in at_start)]
        side_facts += [self.derive(f"{text}: at the start", r) for r in start_of]

        def positive(expression: sp.Expr) -> bool:
            """By signs alone, or linear and positive from the start on."""
            return sign_known(expression, []) or (
                sp.diff(expression, variable, 2) == 0 and sign_known(expression, [beyond.relation])
            )

        if (rough := smooth(f, variable, positive)) is not None:
            raise Unproved(f"{self.claim}: {text}: {rough} may not be differentiable from {start} on")
        inequality = ge(f, f.subs(variable, start))
        premises = [slope.relation, inequality, *(r for n in slope.givens | beyond.givens for r in self.givens[n])]
        if name := next((dependency for r in premises if (dependency := self._depends(r, variable))), None):
            raise Unproved(f"{self.claim}: {text}: {name} is defined in terms of {variable}")
        self.steps._add(text, "mean value theorem", inequality)
        return self._fact(inequality, joined(side_facts), placed(side_facts))

    def term(self, text: str, fact: Fact, token: sp.Symbol, other: sp.Symbol | None = None) -> Fact:
        """From f ≥ g for every token: the sum of f − g is at least its term at one of them."""
        r = fact.relation
        other = token if other is None else other
        if r.op not in {">=", ">"} or not is_token(other):
            raise Unproved(f"{self.claim}: {text}: {r} does not say that every term is not negative")
        summed = self.sum(text, fact, token)  # refuses what is said of particular tokens only
        self.steps._undo()
        term_bound = ge(total(r.lhs - r.rhs, token), r.replace({token: other}).difference)
        self.steps._add(text, "one term of a sum of non-negative terms", term_bound)
        return self._fact(term_bound, fact.givens, summed.places | {p.at({token: other}) for p in fact.places})

    def numeric(self, text: str, relation: Relation, *using: Fact) -> Fact:
        """A statement between numbers, certified by ball arithmetic."""
        if not _certain(relation):
            raise Unproved(f"{self.claim}: {text}: {relation} is not certain")
        self._own(using)
        self.steps._add(text, "ball arithmetic", relation)
        return self._fact(relation, joined(using), placed(using))

    def exhaust(self, text: str, check: Callable[[Any], bool], cases: Iterable[Any], latex: str = "") -> int:
        """A finite statement, checked case by case; the number of cases."""
        case_count = 0
        for case in cases:
            case_count += 1
            self.enumerated.append(case)
            verdict = check(case)
            if not isinstance(verdict, (bool, np.bool_)):
                raise TypeError(f"{self.claim}: {text}: {verdict!r}; expected True or False")
            if not verdict:
                raise Unproved(f"{self.claim}: {text}: fails for {case}")
        if not case_count:
            raise Unproved(f"{self.claim}: {text}: there is no case")
        self.steps._add(text, f"exact enumeration of {case_count:,} cases", latex)
        return case_count

    def qed(self, *facts: Fact) -> None:
        """What has been proved: the two sides of each statement are those of the claim, in its order."""
        self._own(facts)
        used = joined(facts)
        if open_ := used & self.supposed:
            raise Unproved(f"{self.claim}: supposed, and not discharged: {', '.join(sorted(open_))}")
        if self.conclusions or not facts:
            raise ValueError(f"{self.claim}: expected conclusions, once")
        if all(f.relation.lhs == f.relation.rhs for f in facts):
            raise Unproved(f"{self.claim}: {facts[0].relation} says nothing")
        self.conclusions, self.used, self.places = tuple(f.relation for f in facts), used, placed(facts)


def _certain(r: Relation) -> bool:
    a = evaluate(r.lhs, {})
    b = evaluate(r.rhs, {})
    if type(a) is not type(b):
        a = ball(a)
        b = ball(b)
    return bool({"=": a == b, ">=": a >= b, "<=": a <= b, ">": a > b, "<": a < b}[r.op])
