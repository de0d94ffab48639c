"""The rules by which a proof may go on: a statement enters only as a given, a definition, or by a rule that has been checked.

Free symbols of a statement are universally quantified: a free token means "for every token", a free number "for every number
that the givens allow".  Sums over the vocabulary are sums over V tokens with V unspecified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.defined import check_symbols, smooth, unseen
from proofs_check.smt import Unproved, branches, certificate, sign_known
from proofs_check.terms import Relation, V, eq, evaluate, ge, gt, is_index, is_token, le, spread, total, x
from simspec.claims.balls import ball

__all__ = ["Derivation", "Fact", "Step", "Unproved"]


OPERATORS = ("=", "<=", ">=", "<", ">")


class Fact(NamedTuple):
    """A statement and the names of the givens it rests on."""

    relation: Relation
    givens: frozenset[str]


class Step(NamedTuple):
    """One line of a proof as a reader sees it."""

    text: str
    how: str
    latex: str


class Steps(list[Step]):
    """The lines of a proof; each says in words why it follows."""

    def append(self, step: Step) -> None:
        if not step.text.strip():
            raise ValueError(f"a step without a word of why: {step.latex}")
        super().append(step)


class Derivation:
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
        `assumed` are assumptions of the claim, `domain` what every instance satisfies (laws, ranges of parameters).
    conclusions : the statements proved, set by `qed`

    Examples
    --------
    >>> d = Derivation("example")
    >>> p, mass = d.law("p")
    >>> q, mass_q = d.law("q")
    >>> term = d.derive("per token", eq(sp.Min(p[x], q[x]), p[x] - sp.Max(p[x] - q[x], 0)))
    >>> both = d.sum("over the vocabulary", term, x)
    >>> d.qed(d.derive("p has mass one", eq(total(sp.Min(p[x], q[x]), x), 1 - total(sp.Max(p[x] - q[x], 0), x)), both, mass))
    >>> len(d.steps), sorted(d.used)
    (3, ['p sums to one'])
    """

    def __init__(self, claim: str, dropped: str | None = None) -> None:
        self.claim = claim
        self.dropped = dropped
        self.steps = Steps()
        self.certificates: list[str] = []
        self.givens: dict[str, list[Relation]] = {}
        self.assumed: set[str] = set()
        self.supposed: set[str] = set()
        self.local: set[str] = set()
        self.maps: set[Any] = set()
        self.definitions: list[Relation] = []
        self.made_of: dict[Any, tuple[set[Any], set[Any]]] = {}  # defined name: what it is made of, and its arguments
        self.cited: list[str] = []
        self.conclusions: tuple[Relation, ...] = ()
        self.used: frozenset[str] = frozenset()
        self.enumerated = False
        self.extrema: list[tuple[Any, Any, Any, bool]] = []
        self.signs: list[tuple[Any, Any]] = []
        self._shown: dict[int, Fact] = {}

    def _fact(self, relation: Relation, givens: Iterable[str]) -> Fact:
        """A fact of this derivation; no other counts."""
        if relation.op not in OPERATORS:
            raise ValueError(f"{relation}: expected one of {' '.join(OPERATORS)}")
        check_symbols(relation.lhs)
        check_symbols(relation.rhs)
        made = Fact(relation, frozenset(givens))
        self._shown[id(made)] = made
        return made

    def _own(self, facts: Iterable[Fact]) -> None:
        for fact in facts:
            if self._shown.get(id(fact)) is not fact:
                raise ValueError(f"{fact}: was not shown in this derivation")

    # --- what is given ----------------------------------------------------------------------------------------------

    def _given(self, name: str, relations: Sequence[Relation]) -> Any:
        if name == self.dropped:
            self.givens.setdefault(name, [])
            found = [self._fact(eq(0, 0), ())] * len(relations)
        else:
            self.givens.setdefault(name, []).extend(relations)
            found = [self._fact(r, {name}) for r in relations]
        return found[0] if len(found) == 1 else found

    def assume(self, name: str, *relations: Relation) -> Any:
        """An assumption of the claim, under the name that the claim gives it; a fact for each relation."""
        self.assumed.add(name)
        return self._given(name, relations)

    def domain(self, name: str, *relations: Relation) -> Any:
        """What every instance of the claim satisfies; a fact for each relation."""
        return self._given(name, relations)

    def law(self, name: str, *at: sp.Symbol) -> tuple[Any, Fact]:
        """A law over the vocabulary (one for each value of the indices `at`), and the fact that it sums to one."""
        base = self.weights(name, *at, x)
        return base, self.domain(f"{name} sums to one", eq(total(base[(*at, x)], x), 1))

    def weights(self, name: str, *at: sp.Symbol) -> Any:
        """Non-negative numbers, one for each token, or for each value of the indices `at`."""
        text = f"{name} is nowhere negative"
        base = sp.IndexedBase(name, real=True) if text == self.dropped else sp.IndexedBase(name, nonnegative=True)
        self.domain(text, ge(base[at or (x,)], 0))
        return base

    def map(self, name: str) -> Any:
        """A function into the set that a token ranges over, ``follower[i, x]``; `instantiate` takes its values as tokens."""
        base = sp.IndexedBase(name, integer=True)
        if base.label in self.made_of:
            raise ValueError(f"{name} has a meaning already")
        self.maps.add(base)
        self.made_of[base.label] = (set(), set())
        return base

    def number(self, name: str, low: Any = None, high: Any = None, positive: bool = False) -> Any:
        """A real number in a range (the symbol alone; the range is used wherever the symbol occurs)."""
        text = f"{name} is in its range"
        signs = {"positive": True} if positive else {"nonnegative": True} if low == 0 else {"real": True}
        symbol = sp.Symbol(name, **({"real": True} if text == self.dropped else signs))
        ranges = [gt(symbol, 0)] if positive else [] if low is None else [ge(symbol, low)]
        ranges += [] if high is None else [le(symbol, high)]
        if ranges:
            self.domain(text, *ranges)
        return symbol

    def suppose(self, name: str, *relations: Relation) -> Any:
        """An induction hypothesis (for every free token); `induction` must discharge it."""
        self.supposed.add(name)
        return self._given(name, relations)

    def case(self, name: str, relation: Relation) -> Fact:
        """A case, for the token at hand only; `cases` must discharge it, and no sum may be taken over its tokens."""
        self.supposed.add(name)
        self.local.add(name)
        return self._given(name, [relation])

    def define(self, text: str, symbol: Any, meaning: Any, *using: Fact) -> Fact:
        """A new name for an expression (free tokens in `symbol` are arguments: ``r[x]``).

        Denominators in the meaning must be seen to be positive, from `using` where that is not plain.
        """
        relation = eq(symbol, meaning)
        self._own(using)
        if case := sorted(_joined(using) & self.supposed):
            raise Unproved(f"{self.claim}: {text}: a definition cannot rest on {case[0]!r}")
        self._fresh(symbol, relation.rhs)
        shown: list[Fact] = []
        if symbol.is_nonnegative:
            sign = (gt if symbol.is_positive else ge)(meaning, 0)
            shown.append(self.derive(f"{text}: condition", sign, *using))
        if symbol.is_integer and not relation.rhs.is_integer:
            raise ValueError(f"{symbol}: its sign or kind is assumed and not shown")
        self._defined(text, relation.rhs, using, shown)
        self.definitions.append(relation)
        self.steps.append(Step(text, "definition", relation.latex))
        return self._fact(relation, _joined(shown))

    def _defined(self, text: str, e: Any, using: Sequence[Fact], shown: list[Fact]) -> None:
        """Refuse an expression whose value is not seen to exist; what that rests on is added to `shown`."""

        def positive(part: sp.Expr) -> bool:
            if sign_known(part, [u.relation for u in using]):
                shown.extend(using)
                return True
            return False

        found = unseen(e, positive)
        if found is not None:
            raise Unproved(
                f"{self.claim}: {text}: a denominator, logarithm or root in {found} is not known to be positive"
            )

    def recursion(self, text: str, base: Relation, step: Relation) -> tuple[Fact, Fact]:
        """A sequence defined by its first member, ``W[0, x] = …``, and the next one from this one, ``W[n + 1, x] = …``."""
        name, places = step.lhs.base, step.lhs.indices
        counters = [(at, k - 1) for at, k in enumerate(places) if isinstance(k, sp.Add)]
        if base.lhs.base != name or len(counters) != 1 or len(base.lhs.indices) != len(places):
            raise ValueError(f"{step}: expected {name}[0] first, and then {name}[n + 1]")
        at, n = counters[0]
        if not (isinstance(n, sp.Symbol) and n.is_integer and n.is_nonnegative) or base.lhs.indices[at] != 0:
            raise ValueError(
                f"{step}: expected a counter n = 0, 1, … declared as a non-negative integer, and {name}[0]"
            )
        if any(w.indices[at] != n for w in step.rhs.atoms(sp.Indexed) if w.base == name):
            raise ValueError(f"{step}: expected the member after n in terms of the member n")
        if step.lhs.is_nonnegative or step.lhs.is_nonpositive or step.lhs.is_integer:
            raise ValueError(f"{step.lhs}: its sign or kind is assumed and not shown; declare real numbers")
        self._fresh(base.lhs, base.rhs)
        self._fresh(step.lhs, step.rhs, again=True)
        shown: list[Fact] = []
        for r in (base, step):
            self._defined(text, r.rhs, (), shown)
        self.definitions += [base, step]
        self.steps += [Step(text, "definition", base.latex), Step("and then", "definition", step.latex)]
        return self._fact(base, ()), self._fact(step, ())

    def _fresh(self, symbol: Any, meaning: sp.Expr, again: bool = False) -> None:
        """Refuse a name that has a meaning already, and a meaning that depends on tokens which are no arguments."""
        indexed = isinstance(symbol, sp.Indexed)
        name, arguments = (symbol.base.label, set(symbol.indices)) if indexed else (symbol, set())
        arguments = set().union(*[a.free_symbols for a in arguments])
        if is_token(name) or is_index(name) or name == V:
            raise ValueError(f"{name} ranges over a set; it cannot be defined")
        old = {
            str(s) for r in self._said() for s in r.lhs.free_symbols | r.rhs.free_symbols if isinstance(s, sp.Symbol)
        }
        old |= {str(s) for parts, arguments in self.made_of.values() for s in parts | arguments} | set(
            map(str, self.made_of)
        )
        if not again and (str(name) in old or meaning.has(name)):
            raise ValueError(f"{name} has a meaning already")
        if indexed and not all(isinstance(k, sp.Symbol) or again or k == 0 for k in symbol.indices):
            raise ValueError(f"{symbol}: expected different symbols as arguments")
        if loose := [s for s in meaning.free_symbols if (is_token(s) or is_index(s)) and s not in arguments]:
            raise ValueError(f"{symbol}: its meaning depends on {loose[0]}, which is no argument")
        parts = {s for s in meaning.free_symbols if s != name}
        if again:
            parts |= self.made_of[name][0]
            arguments |= self.made_of[name][1]
        deeper = set().union(*[self.made_of[s][0] - self.made_of[s][1] for s in parts if s in self.made_of])
        self.made_of[name] = (parts | deeper, arguments)

    def _depends(self, r: Relation, symbol: Any) -> str | None:
        """A defined name in a statement whose meaning changes with a symbol that is none of its arguments."""
        for name in r.lhs.free_symbols | r.rhs.free_symbols:
            parts, arguments = self.made_of.get(name, (set(), set()))
            if symbol in parts - arguments:
                return str(name)
        return None

    def cite(self, text: str, relation: Relation, source: str, *using: Fact) -> Fact:
        """A published theorem that is not proved here; the record names it."""
        self.cited.append(source)
        self._own(using)
        self.steps.append(Step(text, f"theorem: {source}", relation.latex))
        return self._fact(relation, _joined(using))

    def _said(self) -> list[Relation]:
        return [r for relations in self.givens.values() for r in relations] + self.definitions

    # --- rules ------------------------------------------------------------------------------------------------------

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
        range_facts = self._ranges(relation, using)
        if by in {"auto", "algebra", "cases"}:
            how = _by_algebra(relation, using, by != "algebra")
            if how:
                self.steps.append(Step(text, how, relation.latex))
                return self._fact(relation, _joined(using))
            if by != "auto":
                raise Unproved(f"{self.claim}: {text}: {relation} does not reduce")
        try:
            title = f"{self.claim}: {text}"
            proof = certificate(relation, [u.relation for u in (*using, *range_facts)], title)
        except Unproved as error:
            raise Unproved(f"{self.claim}: {text}: {error}") from None
        self.certificates.append(proof)
        self.steps.append(Step(text, f"SMT, {proof.count('(check-sat)')} sign pattern(s)", relation.latex))
        return self._fact(relation, _joined((*using, *range_facts)))

    def _ranges(self, relation: Relation, using: Sequence[Fact]) -> list[Fact]:
        """Ranges of the numbers that occur."""
        symbols = set().union(
            *[r.lhs.free_symbols | r.rhs.free_symbols for r in (relation, *(u.relation for u in using))]
        )
        return [
            self._fact(r, {name})
            for name, relations in self.givens.items()
            if name.endswith(" is in its range")
            for r in relations
            if r.lhs in symbols
        ]

    def sum(self, text: str, fact: Fact, *tokens: sp.Symbol, upto: Any = V) -> Fact:
        """From a statement about every token the one about sums: Σ lhs op Σ rhs."""
        self._own([fact])
        r = fact.relation
        size = sp.sympify(upto)
        if not (size.is_integer and size.is_nonnegative):
            raise Unproved(f"{self.claim}: {text}: {upto} is not seen to be a number of terms")
        missing = [t for t in tokens if t not in (r.lhs.free_symbols | r.rhs.free_symbols)]
        if missing:
            raise Unproved(f"{self.claim}: {text}: {missing[0]} is not free in {r}")
        if particular := [
            t
            for t in tokens
            if t in self.made_of or not t.is_integer or (not is_index(t) and is_token(t) != (upto is V))
        ]:
            raise Unproved(f"{self.claim}: {text}: {particular[0]} does not range over the vocabulary")
        if names := [name for t in tokens if (name := self._depends(r, t))]:
            raise Unproved(f"{self.claim}: {text}: {names[0]} is defined in terms of what is summed over")
        if fixed := [
            n
            for n in fact.givens
            for g in self.givens[n]
            for t in tokens
            if t in (_atoms(g.lhs - g.rhs) if self._fixes(n, t) else _numbers(g)) or self._depends(g, t)
        ]:
            raise Unproved(f"{self.claim}: {text}: {fixed[0]} was supposed of one token only")
        if r.op in {"<", ">"} and not sp.sympify(upto).is_positive:
            raise Unproved(f"{self.claim}: {text}: a strict statement over what may be no term at all")
        made = Relation(total(r.lhs, *tokens, upto=upto), r.op, total(r.rhs, *tokens, upto=upto))
        self.steps.append(Step(text, "linearity of finite sums", made.latex))
        return self._fact(made, fact.givens)

    def _fixes(self, name: str, symbol: Any) -> bool:
        """Whether a given speaks of particular values of a symbol even where that is an index only."""
        return name in self.local or (name in self.supposed and not (is_token(symbol) or is_index(symbol)))

    def instantiate(self, text: str, fact: Fact, values: Mapping[Any, Any], *using: Fact) -> Fact:
        """A universal statement at particular values; what the givens demand of them must follow from `using`."""
        self._own([fact, *using])
        rest, needed = set(fact.givens), []
        labels = {a.base.label for a in fact.relation.lhs.atoms(sp.Indexed) | fact.relation.rhs.atoms(sp.Indexed)}
        for symbol, value in values.items():
            check_symbols(value)
            if symbol in self.made_of or symbol in labels or symbol == V:
                raise Unproved(f"{self.claim}: {text}: {symbol} is a particular one")
            mapped = isinstance(value, sp.Indexed) and value.base in self.maps
            wrong = is_token(symbol) and not (is_token(value) or mapped)
            wrong |= is_index(symbol) and not (is_token(value) or is_index(value) or mapped)
            if wrong or symbol.is_integer and not sp.sympify(value).is_integer:
                raise Unproved(f"{self.claim}: {text}: {value} does not range over what {symbol} ranges over")
            if name := self._depends(fact.relation, symbol):
                raise Unproved(f"{self.claim}: {text}: {name} is defined in terms of {symbol}")
        tokens = {s for s in values if is_token(s) or is_index(s)}
        for symbol, value in values.items():
            if not isinstance(symbol, sp.Symbol):
                raise ValueError(f"values: {symbol} is no number or token; only those are universally quantified")
            if symbol in tokens:
                continue
            if symbol.is_positive:
                needed.append(gt(value, 0))
            elif symbol.is_nonnegative:
                needed.append(ge(value, 0))
        for name in fact.givens:
            universal = name not in self.supposed
            touched = [
                r
                for r in self.givens[name]
                for s in values
                if s in (_atoms(r.lhs) | _atoms(r.rhs) if self._fixes(name, s) else _numbers(r)) or self._depends(r, s)
            ]
            if touched:
                rest.discard(name)
                needed += [r.replace(values) for r in (touched if universal else self.givens[name])]
        shown: list[Fact] = []
        for condition in needed:
            shown.append(self.derive(f"{text}: condition", condition, *using))
        made = fact.relation.replace(values)
        if made.difference.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
            raise Unproved(f"{self.claim}: {text}: {made} has no value")
        self.steps.append(Step(text, "instance", made.latex))
        return self._fact(made, frozenset(rest) | _joined(using) | _joined(shown))

    def induction(self, text: str, statement: Relation, n: sp.Symbol, base: Fact, step: Fact) -> Fact:
        """From P(0), and P(n + 1) derived from the supposition P(n), the statement P(n) for every n."""
        self._own([base, step])
        if is_token(n) or not (n.is_integer and n.is_nonnegative) or n in self.made_of:
            raise Unproved(f"{self.claim}: {text}: {n} is not declared as a non-negative integer")
        if name := self._depends(statement, n):
            raise Unproved(f"{self.claim}: {text}: {name} is defined in terms of {n}")
        if base.relation != statement.replace({n: 0}):
            raise Unproved(f"{self.claim}: {text}: the base shows {base.relation}, not {statement.replace({n: 0})}")
        if step.relation != statement.replace({n: n + 1}):
            raise Unproved(f"{self.claim}: {text}: the step shows {step.relation}, not {statement.replace({n: n + 1})}")
        hypothesis = {m for m in step.givens & self.supposed - self.local if self.givens[m] == [statement]}
        rest = base.givens | (step.givens - hypothesis)
        for name in rest:
            told = self.givens[name]
            atoms = set().union(*[_atoms(r.lhs) | _atoms(r.rhs) if self._fixes(name, n) else _numbers(r) for r in told])
            if n in atoms or any(self._depends(r, n) for r in told) or name in hypothesis:
                raise Unproved(f"{self.claim}: {text}: the given {name!r} is about {n}")
            shared = {s for r in told for s in _atoms(r.lhs) | _atoms(r.rhs) if is_token(s) or is_index(s)}
            if name in self.local and shared & (_atoms(statement.lhs) | _atoms(statement.rhs)):
                raise Unproved(f"{self.claim}: {text}: the case {name!r} is about a token of the statement")
        self.steps.append(Step(text, f"induction on {n}", statement.latex))
        return self._fact(statement, rest)

    def cases(self, text: str, one: Fact, other: Fact) -> Fact:
        """A statement derived in the case a ≥ b and in the case a ≤ b."""
        self._own([one, other])
        pairs = [
            (m, n)
            for m in one.givens & self.local
            for n in other.givens & self.local
            for (a,), (b,) in [(self.givens[m], self.givens[n])]
            if (a.lhs, a.rhs) == (b.lhs, b.rhs) and {a.op, b.op} in ({">=", "<="}, {">", "<="}, {">=", "<"})
        ]
        if one.relation != other.relation or len(pairs) != 1:
            raise Unproved(f"{self.claim}: {text}: {one.relation} and {other.relation} do not cover all cases")
        self.steps.append(Step(text, "two cases", one.relation.latex))
        return self._fact(one.relation, (one.givens - {pairs[0][0]}) | (other.givens - {pairs[0][1]}))

    def increasing(self, text: str, f: Any, variable: sp.Symbol, start: Any, slope: Fact, beyond: Fact) -> Fact:
        """f(variable) ≥ f(start), from a derivative that is not negative (`slope`) and variable ≥ start (`beyond`).

        What `slope` rests on must be linear in the variable and hold at `start`, so that it holds in between.  f is an
        elementary function that is defined on that interval.
        """
        derivative = sp.diff(f, variable)
        if (
            slope.relation.op not in {">=", ">"}
            or sp.simplify(slope.relation.lhs - slope.relation.rhs - derivative) != 0
        ):
            raise Unproved(f"{self.claim}: {text}: {slope.relation} does not say that {derivative} is not negative")
        if beyond.relation.op not in {">=", ">"} or sp.expand(beyond.relation.difference - variable + start) != 0:
            raise Unproved(f"{self.claim}: {text}: {beyond.relation} is not {variable} >= {start}")
        signs = [gt(start, 0)] if variable.is_positive else [ge(start, 0)] if variable.is_nonnegative else []
        at_start = [r for name in slope.givens for r in self.givens[name] if variable in r.difference.free_symbols]
        for r in at_start:
            if sp.diff(r.difference, variable, 2) != 0:
                raise Unproved(f"{self.claim}: {text}: {r} is not linear in {variable}")
        shown: list[Fact] = [slope, beyond]
        for r in [*signs, *(r.replace({variable: start}) for r in at_start)]:
            shown.append(self.derive(f"{text}: at the start", r))

        def positive(part: sp.Expr) -> bool:
            """By signs alone, or linear and positive from the start on."""
            return sign_known(part, []) or (sp.diff(part, variable, 2) == 0 and sign_known(part, [beyond.relation]))

        if (rough := smooth(f, variable, positive)) is not None:
            raise Unproved(f"{self.claim}: {text}: {rough} may not be differentiable from {start} on")
        made = ge(f, sp.sympify(f).subs(variable, start))
        told = [slope.relation, made, *(r for n in slope.givens | beyond.givens for r in self.givens[n])]
        if name := next((found for r in told if (found := self._depends(r, variable))), None):
            raise Unproved(f"{self.claim}: {text}: {name} is defined in terms of {variable}")
        self.steps.append(Step(text, "mean value theorem", made.latex))
        return self._fact(made, _joined(shown))

    def integral(self, text: str, f: Any, primitive: Any, variable: sp.Symbol, low: Any, high: Any) -> Fact:
        """∫ f from `low` to `high`, from a primitive whose derivative is checked to be f."""
        for function in (sp.sympify(f), sp.sympify(primitive)):
            if (rough := smooth(function, variable, lambda part: sign_known(part, []))) is not None:
                raise Unproved(f"{self.claim}: {text}: {rough} may not be continuous")
        if sp.simplify(sp.diff(primitive, variable) - f) != 0:
            raise Unproved(f"{self.claim}: {text}: the derivative of {primitive} is not {f}")
        ends = primitive.subs(variable, high) - primitive.subs(variable, low)
        made = eq(sp.Integral(f, (variable, low, high)), ends)
        self.steps.append(Step(text, "fundamental theorem of calculus", made.latex))
        return self._fact(made, ())

    def extremum(
        self, text: str, name: str, expression: Any, token: sp.Symbol, least: bool = False
    ) -> tuple[Any, Fact, Fact]:
        """The largest (or least) of V numbers: its symbol, that none exceeds it, and that a token `<name>_at` attains it."""
        if any(is_token(s) or is_index(s) for s in sp.sympify(expression).free_symbols - {token}):
            raise Unproved(f"{self.claim}: {text}: {expression} depends on other tokens")
        expression = sp.sympify(expression)
        if not is_token(token) or token not in expression.free_symbols:
            raise Unproved(f"{self.claim}: {text}: {token} is no token of {expression}")
        symbol = sp.Symbol(name, real=True)
        at = sp.Symbol(f"{name}_at", integer=True)
        shown: list[Fact] = []
        self._defined(text, expression, (), shown)
        self._fresh(symbol, expression.xreplace({token: sp.Dummy()}))
        self.made_of[symbol] = (
            self.made_of[symbol][0] - {s for s in self.made_of[symbol][0] if isinstance(s, sp.Dummy)},
            set(),
        )
        self.made_of[at] = self.made_of[symbol]
        self.extrema.append((symbol, expression, token, least))
        bound = self._fact((ge if least else le)(expression, symbol), _joined(shown))
        attained = self._fact(eq(symbol, expression.subs(token, at)), _joined(shown))
        self.steps.append(Step(text, "a finite set has an extremum", bound.relation.latex))
        return symbol, bound, attained

    def sign(self, text: str, name: str, expression: Any, *tokens: sp.Symbol) -> tuple[Any, Fact, Fact, Fact]:
        """Signs s[tokens] of an expression: themselves, s ≤ 1, s ≥ −1, and s · expression = |expression|."""
        base = sp.IndexedBase(name, real=True)
        shown: list[Fact] = []
        self._defined(text, expression, (), shown)
        self._fresh(base[tokens], sp.sympify(expression))
        self.signs.append((base[tokens], expression))
        facts = [le(base[tokens], 1), ge(base[tokens], -1), eq(base[tokens] * expression, sp.Abs(expression))]
        self.steps.append(Step(text, "every real number has a sign", facts[-1].latex))
        upper, lower, product = (self._fact(r, _joined(shown)) for r in facts)
        return base, upper, lower, product

    def term(self, text: str, fact: Fact, token: sp.Symbol, other: sp.Symbol | None = None) -> Fact:
        """From f ≥ g for every token: the sum of f − g is at least its term at one of them."""
        r = fact.relation
        other = token if other is None else other
        if r.op not in {">=", ">"} or not is_token(other):
            raise Unproved(f"{self.claim}: {text}: {r} does not say that every term is not negative")
        self.sum(text, fact, token)  # refuses what is said of particular tokens only
        self.steps.pop()
        made = ge(total(r.lhs - r.rhs, token), r.replace({token: other}).difference)
        self.steps.append(Step(text, "one term of a sum of non-negative terms", made.latex))
        return self._fact(made, fact.givens)

    def numeric(self, text: str, relation: Relation, *using: Fact) -> Fact:
        """A statement between numbers, certified by ball arithmetic."""
        if not _certain(relation):
            raise Unproved(f"{self.claim}: {text}: {relation} is not certain")
        self._own(using)
        self.steps.append(Step(text, "ball arithmetic", relation.latex))
        return self._fact(relation, _joined(using))

    def exhaust(self, text: str, check: Callable[[Any], bool], cases: Iterable[Any], latex: str = "") -> int:
        """A finite statement, checked case by case; the number of cases."""
        tried = 0
        for case in cases:
            tried += 1
            found = check(case)
            if not isinstance(found, (bool, np.bool_)):
                raise TypeError(f"{self.claim}: {text}: {found!r}; expected True or False")
            if not found:
                raise Unproved(f"{self.claim}: {text}: fails for {case}")
        if not tried:
            raise Unproved(f"{self.claim}: {text}: there is no case")
        self.enumerated = True
        self.steps.append(Step(text, f"exact enumeration of {tried:,} cases", latex))
        return tried

    def qed(self, *facts: Fact) -> None:
        """What has been proved: the two sides of each statement are those of the claim, in its order."""
        self._own(facts)
        used = _joined(facts)
        if open_ := used & self.supposed:
            raise Unproved(f"{self.claim}: supposed, and not discharged: {', '.join(sorted(open_))}")
        if self.conclusions or not facts:
            raise ValueError(f"{self.claim}: expected conclusions, once")
        self.conclusions, self.used = tuple(f.relation for f in facts), used


def _atoms(e: sp.Expr) -> set[Any]:
    return e.free_symbols | e.atoms(sp.Indexed)


def _numbers(r: Relation) -> set[Any]:
    """Symbols that stand for numbers in a statement, not only for an index."""
    return set().union(*[e.xreplace({a: sp.Dummy() for a in e.atoms(sp.Indexed)}).free_symbols for e in (r.lhs, r.rhs)])


def _joined(facts: Iterable[Fact]) -> frozenset[str]:
    return frozenset().union(*[f.givens for f in facts])


def _certain(r: Relation) -> bool:
    a, b = evaluate(r.lhs, {}), evaluate(r.rhs, {})
    if type(a) is not type(b):
        a, b = ball(a), ball(b)
    return bool({"=": a == b, ">=": a >= b, "<=": a <= b, ">": a > b, "<": a < b}[r.op])


# --- algebra --------------------------------------------------------------------------------------------------------


def _by_algebra(goal: Relation, using: Sequence[Fact], split: bool) -> str | None:
    """How the goal reduces, or None."""
    rest = spread(goal.lhs - goal.rhs)
    for fact in using:
        if fact.relation.op == "=" and fact.relation.lhs != fact.relation.rhs:
            rest = spread(spread(rest).subs(spread(fact.relation.lhs), spread(fact.relation.rhs)))
    if goal.op in {"<=", "<"}:
        rest = -rest
    if _reduces(rest, goal.op):
        return "expands to zero" if goal.op == "=" else "a sum of non-negative terms"
    if not split or not rest.has(sp.Min, sp.Max, sp.Abs) or any(f.relation.op != "=" for f in using):
        return None
    number = 0
    for (part,), where in branches([rest]):
        number += 1
        if not _reduces(_with_slack(part, where), goal.op):
            return None
    return f"in each of {number} cases {'expands to zero' if goal.op == '=' else 'a sum of non-negative terms'}"


def _with_slack(part: sp.Expr, where: Sequence[sp.Expr]) -> sp.Expr:
    """The expression on the set where some linear expressions are ≥ 0: each is named t ≥ 0 and solved for one of its terms."""
    for n, w in enumerate(where):
        w = sp.expand(w)
        for atom in sorted(_atoms(w) - {a.base.label for a in w.atoms(sp.Indexed)}, key=sp.default_sort_key):
            if isinstance(atom, sp.Symbol) and atom.is_integer:
                continue
            slope = sp.diff(w, atom) if isinstance(atom, sp.Symbol) else w.coeff(atom)
            if slope in (1, -1):
                t = sp.Dummy(f"t_{n}", nonnegative=True)
                part = part.xreplace({atom: sp.expand((t - (w - slope * atom)) / slope)})
                break
    return sp.expand(part)


def _reduces(e: sp.Expr, op: str) -> bool:
    if op == "=":
        return _zero(e)
    return sign(e, op in {">", "<"})


def _zero(e: sp.Expr) -> bool:
    if sp.expand(e) == 0 or sp.expand(spread(sp.numer(sp.together(e)))) == 0:
        return True
    try:
        return bool(e.has(sp.exp, sp.log) or not e.is_polynomial()) and sp.simplify(e) == 0
    except (StopIteration, NotImplementedError, TypeError):  # what SymPy cannot simplify it does not show to be zero
        return False


def sign(e: Any, strict: bool = False) -> bool:
    """Whether an expression is seen to be non-negative: a sum of non-negative products, or such a product.

    >>> a, b = sp.symbols("a b", nonnegative=True)
    >>> sign(a * b + a), sign(a - b), sign((a - b)**2)
    (True, False, True)
    """
    top, below = sp.fraction(sp.together(sp.expand(e)))
    if below != 1:
        return sign(below, True) and sign(top, strict)
    terms = sp.Add.make_args(sp.expand(top))
    if all(t.is_nonnegative or _product(t) for t in terms) and (not strict or any(t.is_positive for t in terms)):
        return True
    factored = sp.factor(top)
    return factored != top and not strict and _product(factored)


def _product(t: sp.Expr) -> bool:
    def factor(f: sp.Expr) -> bool:
        if f.is_nonnegative or (isinstance(f, sp.Sum) and sign(f.function)):
            return True
        if isinstance(f, sp.Pow):
            return bool(f.exp.is_even) or (f.exp.is_positive is True and factor(f.base))
        return isinstance(f, sp.Add) and all(a.is_nonnegative for a in f.args)

    return all(factor(f) for f in sp.Mul.make_args(t))
