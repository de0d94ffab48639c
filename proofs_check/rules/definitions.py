"""Real arithmetic, and new names for what is seen to exist: the rules that others are built from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from proofs_check.rules.algebra import by_algebra
from proofs_check.rules.defined import Condition, check_relation, check_symbols, conditions, implied, plain, whole
from proofs_check.rules.givens import Fact, Givens, joined, placed
from proofs_check.rules.smt import Unproved, certificate, follows
from proofs_check.rules.terms import Relation, V, eq, ge, gt, is_index, is_token, le, strict, total, x

__all__ = ["Definitions", "written"]


class Definitions(Givens):
    """What follows by arithmetic, and definitions; see `Derivation`."""

    def derive(self, text: str, relation: Relation, *using: Fact, by: str = "auto") -> Fact:
        """A consequence of facts, by real arithmetic.

        Parameters
        ----------
        text : why, in words
        relation : what follows
        *using : the facts it follows from; equations are used as substitutions lhs → rhs by the algebraic rules
        by : "algebra" expands to zero or to a sum of non-negative terms; "cases" does so in every sign pattern of Min,
            Max and Abs; "smt" has a solver refute the negation over all reals; "auto" tries them in this order.

        Raises
        ------
        Unproved
        """
        self._own(using)
        check_relation(relation)
        values = self._both(text, relation, *using)
        range_facts = self._ranges(relation, using)
        if by in {"auto", "algebra", "cases"}:
            how = by_algebra(relation, tuple(u.relation for u in using), by != "algebra")
            if how:
                self.steps._add(text, how, relation)
                return self._fact(relation, joined((*using, *values)), placed((*using, *values)))
            if by != "auto":
                raise Unproved(f"{self.claim}: {text}: {relation} does not reduce")
        try:
            title = f"{self.claim}: {text}"
            proof = certificate(relation, [u.relation for u in (*using, *range_facts)], title)
        except Unproved as error:
            raise Unproved(f"{self.claim}: {text}: {error}") from None
        self.certificates.append(proof)
        self.steps._add(text, f"SMT, {proof.count('(check-sat)')} sign pattern(s)", relation)
        return self._fact(relation, joined((*using, *range_facts)), placed((*using, *range_facts)))

    def smt(self, text: str, relation: Relation, *using: Fact) -> Fact:
        """`derive` by a solver alone."""
        return self.derive(text, relation, *using, by="smt")

    def define(self, text: str, symbol: Any, meaning: Any, *using: Fact) -> Fact:
        """A new name for an expression (free tokens in `symbol` are arguments: ``r[x]``).

        Denominators in the meaning must be seen to be positive, from `using` where that is not plain.
        """
        if not isinstance(symbol, (sp.Symbol, sp.Indexed)):
            raise ValueError(f"{symbol}: expected a name, or one with places such as r[x]")
        relation = eq(symbol, meaning)
        meaning = relation.rhs
        check_relation(relation)
        self._own(using)
        if case := sorted(joined(using) & self.supposed):
            raise Unproved(f"{self.claim}: {text}: a definition cannot rest on {case[0]!r}")
        self._fresh(symbol, relation.rhs)
        side_facts: list[Fact] = []
        if symbol.is_nonnegative:
            sign = (gt if symbol.is_positive else ge)(meaning, 0)
            side_facts.append(self.derive(f"{text}: condition", sign, *using))
        if symbol.is_integer and not whole(relation.rhs):
            raise ValueError(f"{symbol}: its sign or kind is assumed and not shown")
        side_facts += self._defined(text, relation.rhs, *using)
        self.definitions.append(relation)
        self.steps._add(text, "definition", relation)
        return self._fact(relation, joined(side_facts), placed(side_facts))

    def _defined(self, text: str, e: Any, *using: Fact) -> tuple[Fact, ...]:
        """Refuse an expression whose value is not seen to exist; the facts that this rests on.

        Every fact has a value on both sides wherever its givens hold; so what has to hold for that is known from it.
        """
        open_ = [c for c in conditions(strict(e)) if not plain(c)]
        if not open_:
            return ()
        relations = [u.relation for u in using]
        known_conditions = {c.name for r in relations for side in (r.lhs, r.rhs) for c in conditions(side)}
        for c in open_:
            if not implied(c, known_conditions) and not follows(c, relations) and not self._everywhere(c, using):
                raise Unproved(
                    f"{self.claim}: {text}: {c.part} is not known to have a value: expected that {c.base} {c.sign} 0"
                )
        return using

    def _everywhere(self, c: Condition, using: Sequence[Fact]) -> bool:
        """Whether a condition of a summand follows from facts about every token or index, here of the bound name."""
        if not c.where:
            return False
        (bound, *limits) = c.where[0]
        rest = c.where[1:]
        for t in sorted({s for u in using for s in u.relation.free_symbols} - c.base.free_symbols, key=str):
            if limits == [1, V] if is_token(t) else is_index(t) and limits[0] == 1:
                facts = [u for u in using if t not in u.relation.atoms or self._particular(u, t) is None]
                at = Condition(c.part, c.base.xreplace({bound: t}), c.sign, rest)
                if follows(at, [u.relation for u in facts]) or self._everywhere(at, facts):
                    return True
        return False

    def _particular(self, fact: Fact, t: sp.Symbol) -> str | None:
        """Why a fact is not about every value of a token or index; None where it is."""
        if t in self.made_of:
            return f"{t} does not range over the vocabulary"
        if name := self._depends(fact.relation, t):
            return f"{name} is defined in terms of what is summed over"
        for n in fact.givens:
            for g in self.givens[n]:
                if t in (g.atoms if self._fixes(n, t) else g.numbers) or self._depends(g, t):
                    return f"{n} was supposed of one token only"
        return None

    def _both(self, text: str, relation: Relation, *using: Fact) -> tuple[Fact, ...]:
        """As `_defined`, of both sides of a statement, with the ranges of its numbers where it takes them."""
        sides = sp.Tuple(relation.lhs, relation.rhs)
        try:
            return self._defined(text, sides, *using)
        except Unproved:
            ranges = self._ranges(relation, using)
            if not ranges:
                raise
            return self._defined(text, sides, *using, *ranges)

    def case(self, name: str, relation: Relation, *using: Fact) -> Fact:
        """A case, for the token at hand only; `cases` must discharge it, and no sum may be taken over its tokens.

        Both sides must be seen to have a value, from `using` where that is not plain, so that one case or the other holds.
        """
        self._own(using)
        check_relation(relation)
        values = self._both(name, relation, *using)
        self._suppose(name)
        self.at_hand.add(name)
        case_fact = self._given(name, [relation])
        return self._fact(case_fact.relation, joined((case_fact, *values)), placed((case_fact, *values)))

    def cite(self, text: str, relation: Relation, source: str, *using: Fact) -> Fact:
        """A published theorem that is not proved here; the record names it.

        It is a given like any other, of what is at hand: evaluated where it is used, in a case where the case holds.
        """
        self._own(using)
        check_relation(relation)
        values = self._both(text, relation, *using)
        name = f"{source}: {text}"
        if name in self.givens:
            raise Unproved(f"{self.claim}: {text}: {source} was cited in these words already")
        theorem_fact = self._given(name, [relation])
        self.theorems[name] = joined(using) & self.supposed
        self.cited.append(source)
        self.steps._add(text, f"theorem: {source}", relation)
        return self._fact(relation, joined((theorem_fact, *using, *values)), placed((theorem_fact, *using, *values)))

    def recursion(self, text: str, base: Relation, step: Relation) -> tuple[Fact, Fact]:
        """A sequence defined by its first member, ``W[0, x] = …``, and the next one from this one, ``W[n + 1, x] = …``.

        It may be declared whole, not negative or positive where its first member is so by what its names were declared to
        be, and the next one is whenever this one is: then all members are, by induction.
        """
        check_relation(base)
        check_relation(step)
        name = step.lhs.base
        places = step.lhs.indices
        counters = [(at, k - 1) for at, k in enumerate(places) if isinstance(k, sp.Add)]
        if base.lhs.base != name or len(counters) != 1 or len(base.lhs.indices) != len(places):
            raise ValueError(f"{step}: expected {name}[0] first, and then {name}[n + 1]")
        at, n = counters[0]
        if (
            not (isinstance(n, sp.Symbol) and n.is_integer and n.is_nonnegative)
            or n.is_positive
            or base.lhs.indices[at] != 0
        ):
            raise ValueError(
                f"{step}: expected a counter n = 0, 1, … declared as a non-negative integer, and {name}[0]"
            )
        others = [k for k in (n, *places) if isinstance(k, sp.Symbol)]
        if len(others) != len(places) or len({*others}) != len(others):
            raise ValueError(f"{step}: expected different symbols as arguments beside {n} + 1")
        if any(w.indices[at] != n for w in step.rhs.atoms(sp.Indexed) if w.base == name):
            raise ValueError(f"{step}: expected the member after n in terms of the member n")
        # what both sides are all members are, by induction
        first = step.lhs
        sides = (base.rhs, step.rhs)
        loose = (
            (first.is_integer and not all(map(whole, sides)))
            or (first.is_nonnegative and not all(e.is_nonnegative for e in sides))
            or (first.is_positive and not all(e.is_positive for e in sides))
        )
        if loose or first.is_nonpositive:
            raise ValueError(f"{step.lhs}: its sign or kind is assumed and not shown; declare real numbers")
        self._fresh(base.lhs, base.rhs)
        self._fresh(step.lhs, step.rhs, again=True)
        for r in (base, step):
            self._defined(text, r.rhs)
        self.definitions += [base, step]
        self.steps._add(text, "definition", base)
        self.steps._add("and then", "definition", step)
        return self._fact(base, ()), self._fact(step, ())

    def digits(
        self, text: str, c: sp.Symbol, first: str, rest: str, joined: str
    ) -> tuple[tuple[Any, Any, Any], list[Fact]]:
        """Numbers V (c − 1) + x: ``joined[c, x]``, and ``first[c]`` and ``rest[c]``, the token and the index that one is made of.

        The three maps, and that `first` and `rest` of what is joined are x and c.
        """
        if not is_index(c):
            raise Unproved(f"{self.claim}: {text}: {c} is no index")
        arrays = tuple(sp.IndexedBase(name, integer=True) for name in (first, rest, joined))
        last = (c - 1) / V
        meanings = (c - V * sp.floor(last), sp.floor(last) + 1, V * (c - 1) + x)
        for base, places, meaning in zip(arrays, ((c,), (c,), (c, x)), meanings, strict=True):
            relation = eq(base[places], meaning)
            self._fresh(base[places], relation.rhs)
            self.maps.add(base)
            self.definitions.append(relation)
            self.steps._add(text, "definition", relation)
        self.makers.add(arrays[2])
        at = arrays[2][c, x]
        return arrays, [self._fact(eq(base[at], symbol), ()) for base, symbol in zip(arrays, (x, c), strict=False)]

    def grouped(self, text: str, body: Any, c: sp.Symbol, joined: Any, size: Fact, *using: Fact) -> Fact:
        """The sum of f(c) over c = 1 … N = V m (`size`), V terms at a time: Σ over c ≤ m and tokens x of f(joined[c, x]).

        `joined` is of `digits`; `using` shows that f(c) has a value, where that is not plain.
        """
        body = written(body)
        group_count = sp.expand(size.relation.rhs / V)
        upper_limit = size.relation.lhs
        self._own((size, *using))
        if joined not in self.makers or not is_index(c) or size.relation.op != "=":
            raise Unproved(
                f"{self.claim}: {text}: {joined} does not make numbers up to {upper_limit} of {c} and a token"
            )
        if (
            not all(e.is_integer and e.is_nonnegative for e in (group_count, upper_limit))
            or c in size.relation.free_symbols
        ):
            raise Unproved(f"{self.claim}: {text}: {group_count} is not seen to be a number of groups")
        if x in body.free_symbols | size.relation.free_symbols:
            raise Unproved(f"{self.claim}: {text}: {x} is free in what is summed")
        if hidden := self._depends(Relation(body, "=", body), c):
            raise Unproved(f"{self.claim}: {text}: {hidden} is defined in terms of {c}")
        equality = eq(
            total(body, c, upto=upper_limit), total(total(body.subs(c, joined[c, x]), x), c, upto=group_count)
        )
        values = (size, *self._both(text, equality, *using))
        self.steps._add(text, "a finite sum in groups", equality)
        return self._fact(equality, frozenset().union(*(f.givens for f in values)), placed(values))

    def extremum(
        self, text: str, name: str, expression: Any, token: sp.Symbol, is_minimum: bool = False
    ) -> tuple[Any, Fact, Fact]:
        """The largest (or least) of V numbers: its symbol, that none exceeds it, and that a token `<name>_at` attains it."""
        expression = written(expression)
        if any(is_token(s) or is_index(s) for s in expression.free_symbols - {token}):
            raise Unproved(f"{self.claim}: {text}: {expression} depends on other tokens")
        if not is_token(token) or token not in expression.free_symbols:
            raise Unproved(f"{self.claim}: {text}: {token} is no token of {expression}")
        symbol = sp.Symbol(name, real=True)
        at = sp.Symbol(f"{name}_at", integer=True)
        self._defined(text, expression)
        # the place is one token from here on: what was shown before of a token of this name was shown of every token
        if at.name in self.declared or expression.has(at):
            raise ValueError(f"{at} has a meaning already: a statement speaks of it; expected a name of its own")
        self._unused(at)
        self._fresh(symbol, expression, bound=[token])
        self.made_of[at] = self.made_of[symbol]
        self.extrema.append((symbol, expression, token, is_minimum))
        bound = self._fact((ge if is_minimum else le)(expression, symbol), ())
        attained = self._fact(eq(symbol, expression.subs(token, at)), ())
        self.steps._add(text, "a finite set has an extremum", bound.relation)
        return symbol, bound, attained

    def sign(self, text: str, name: str, expression: Any, *tokens: sp.Symbol) -> tuple[Any, Fact, Fact, Fact]:
        """Signs s[tokens] of an expression: themselves, s ≤ 1, s ≥ −1, and s · expression = |expression|."""
        base = sp.IndexedBase(name, real=True)
        expression = written(expression)
        self._defined(text, expression)
        self._fresh(base[tokens], expression)
        self.signs.append((base[tokens], expression))
        facts = [le(base[tokens], 1), ge(base[tokens], -1), eq(base[tokens] * expression, sp.Abs(expression))]
        self.steps._add(text, "every real number has a sign", facts[-1])
        upper, lower, product = (self._fact(r, ()) for r in facts)
        return base, upper, lower, product


def written(e: Any) -> sp.Expr:
    """An expression as it stands in a statement: one of the language, with bound names of its own."""
    canonical = eq(e, 0).lhs
    check_symbols(canonical)
    return canonical
