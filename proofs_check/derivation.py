"""The rules by which a proof may go on: a statement enters only as a given, a definition, or by a rule that has been checked.

Free symbols of a statement are universally quantified: a free token means "for every token", a free number "for every number
that the givens allow".  Sums over the vocabulary are sums over V tokens with V unspecified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.smt import Unproved, branches, certificate
from proofs_check.terms import Relation, V, eq, evaluate, ge, gt, is_token, le, spread, total, x

__all__ = ["Derivation", "Fact", "Step", "Unproved"]


class Fact(NamedTuple):
    """A statement and the names of the givens it rests on."""

    relation: Relation
    givens: frozenset[str]


class Step(NamedTuple):
    """One line of a proof as a reader sees it."""

    text: str
    how: str
    latex: str


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
        self.steps: list[Step] = []
        self.certificates: list[str] = []
        self.givens: dict[str, list[Relation]] = {}
        self.assumed: set[str] = set()
        self.supposed: set[str] = set()
        self.local: set[str] = set()
        self.definitions: list[Relation] = []
        self.cited: list[str] = []
        self.conclusions: tuple[Relation, ...] = ()
        self.used: frozenset[str] = frozenset()

    # --- what is given ----------------------------------------------------------------------------------------------

    def _given(self, name: str, relations: Sequence[Relation]) -> Any:
        if name == self.dropped:
            self.givens.setdefault(name, [])
            found = [Fact(eq(0, 0), frozenset())] * len(relations)
        else:
            self.givens.setdefault(name, []).extend(relations)
            found = [Fact(r, frozenset({name})) for r in relations]
        return found[0] if len(found) == 1 else found

    def assume(self, name: str, *relations: Relation) -> Any:
        """An assumption of the claim, under the name that the claim gives it; a fact for each relation."""
        self.assumed.add(name)
        return self._given(name, relations)

    def domain(self, name: str, *relations: Relation) -> Any:
        """What every instance of the claim satisfies; a fact for each relation."""
        return self._given(name, relations)

    def law(self, name: str) -> tuple[Any, Fact]:
        """A law over the vocabulary, and the fact that it sums to one."""
        base = self.weights(name)
        return base, self.domain(f"{name} sums to one", eq(total(base[x], x), 1))

    def weights(self, name: str) -> Any:
        """Non-negative numbers, one for each token."""
        text = f"{name} is nowhere negative"
        base = sp.IndexedBase(name, real=True) if text == self.dropped else sp.IndexedBase(name, nonnegative=True)
        self.domain(text, ge(base[x], 0))
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

    def define(self, text: str, symbol: Any, meaning: Any) -> Fact:
        """A new name for an expression (free tokens in `symbol` are arguments: ``r[x]``)."""
        relation = eq(symbol, meaning)
        self._fresh(relation)
        self.definitions.append(relation)
        self.steps.append(Step(text, "definition", relation.latex))
        return Fact(relation, frozenset())

    def recursion(self, text: str, base: Relation, step: Relation) -> tuple[Fact, Fact]:
        """A sequence defined by its first member, ``W[0, x] = …``, and the next one from this one, ``W[n + 1, x] = …``."""
        self._fresh(base)
        if step.rhs.has(step.lhs) or step.lhs.base != base.lhs.base:
            raise ValueError(f"{step}: expected the member after n in terms of the member n")
        self.definitions.append(step)
        self.steps += [Step(text, "definition", base.latex), Step("and then", "definition", step.latex)]
        return Fact(base, frozenset()), Fact(step, frozenset())

    def _fresh(self, definition: Relation) -> None:
        name = definition.lhs.base if isinstance(definition.lhs, sp.Indexed) else definition.lhs
        old = [r for relations in self.givens.values() for r in relations] + self.definitions
        if definition.rhs.has(name) or any(r.lhs.has(name) or r.rhs.has(name) for r in old):
            raise ValueError(f"{name} has a meaning already")
        self.definitions.append(definition)

    def cite(self, text: str, relation: Relation, source: str, *using: Fact) -> Fact:
        """A published theorem that is not proved here; the record names it."""
        self.cited.append(source)
        self.steps.append(Step(text, f"theorem: {source}", relation.latex))
        return Fact(relation, _joined(using))

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
        range_facts = self._ranges(relation, using)
        if by in {"auto", "algebra", "cases"}:
            how = _by_algebra(relation, using, by != "algebra")
            if how:
                self.steps.append(Step(text, how, relation.latex))
                return Fact(relation, _joined(using))
            if by != "auto":
                raise Unproved(f"{self.claim}: {text}: {relation} does not reduce")
        try:
            title = f"{self.claim}: {text}"
            proof = certificate(relation, [u.relation for u in (*using, *range_facts)], title)
        except Unproved as error:
            raise Unproved(f"{self.claim}: {text}: {error}") from None
        self.certificates.append(proof)
        self.steps.append(Step(text, f"SMT, {proof.count('(check-sat)')} sign pattern(s)", relation.latex))
        return Fact(relation, _joined((*using, *range_facts)))

    def _ranges(self, relation: Relation, using: Sequence[Fact]) -> list[Fact]:
        """Ranges of the numbers that occur."""
        symbols = set().union(
            *[r.lhs.free_symbols | r.rhs.free_symbols for r in (relation, *(u.relation for u in using))]
        )
        return [
            Fact(r, frozenset({name}))
            for name, relations in self.givens.items()
            if name.endswith(" is in its range")
            for r in relations
            if r.lhs in symbols
        ]

    def sum(self, text: str, fact: Fact, *tokens: sp.Symbol, upto: Any = V) -> Fact:
        """From a statement about every token the one about sums: Σ lhs op Σ rhs."""
        r = fact.relation
        missing = [t for t in tokens if t not in (r.lhs.free_symbols | r.rhs.free_symbols)]
        if missing:
            raise Unproved(f"{self.claim}: {text}: {missing[0]} is not free in {r}")
        if fixed := [
            n for n in fact.givens & self.local if any(set(tokens) & _atoms(g.lhs - g.rhs) for g in self.givens[n])
        ]:
            raise Unproved(f"{self.claim}: {text}: {fixed[0]} was supposed of one token only")
        made = Relation(total(r.lhs, *tokens, upto=upto), r.op, total(r.rhs, *tokens, upto=upto))
        self.steps.append(Step(text, "linearity of finite sums", made.latex))
        return Fact(made, fact.givens)

    def instantiate(self, text: str, fact: Fact, values: Mapping[Any, Any], *using: Fact) -> Fact:
        """A universal statement at particular values; what the givens demand of them must follow from `using`."""
        rest, needed = set(fact.givens), []
        tokens = {s for s in values if is_token(s)}
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
            universal = name not in self.supposed  # and then so is what occurs as an index only
            touched = [
                r
                for r in self.givens[name]
                for s in values
                if s in _numbers(r)
                or (s in r.difference.free_symbols and not universal and (name in self.local or s not in tokens))
            ]
            if touched:
                rest.discard(name)
                needed += [r.replace(values) for r in touched]
        for condition in needed:
            self.derive(f"{text}: condition", condition, *using)
        made = fact.relation.replace(values)
        self.steps.append(Step(text, "instance", made.latex))
        return Fact(made, frozenset(rest) | _joined(using))

    def induction(self, text: str, statement: Relation, n: sp.Symbol, base: Fact, step: Fact, start: Any = 0) -> Fact:
        """From P(start), and P(n + 1) derived from the supposition P(n), the statement P(n) for every n ≥ start."""
        hypothesis = [name for name in step.givens if self.givens[name] == [statement]]
        if base.relation != statement.replace({n: start}):
            raise Unproved(f"{self.claim}: {text}: the base shows {base.relation}, not {statement.replace({n: start})}")
        if step.relation != statement.replace({n: n + 1}):
            raise Unproved(f"{self.claim}: {text}: the step shows {step.relation}, not {statement.replace({n: n + 1})}")
        self.steps.append(Step(text, f"induction on {n}", statement.latex))
        return Fact(statement, (base.givens | step.givens) - set(hypothesis))

    def cases(self, text: str, one: Fact, other: Fact) -> Fact:
        """A statement derived in the case a ≥ b and in the case a ≤ b."""
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
        return Fact(one.relation, (one.givens - {pairs[0][0]}) | (other.givens - {pairs[0][1]}))

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
        for r in [*signs, *(r.replace({variable: start}) for r in at_start)]:
            self.derive(f"{text}: at the start", r)
        made = ge(f, sp.sympify(f).subs(variable, start))
        self.steps.append(Step(text, "mean value theorem", made.latex))
        return Fact(made, slope.givens | beyond.givens)

    def integral(self, text: str, f: Any, primitive: Any, variable: sp.Symbol, low: Any, high: Any) -> Fact:
        """∫ f from `low` to `high`, from a primitive whose derivative is checked to be f."""
        if sp.simplify(sp.diff(primitive, variable) - f) != 0:
            raise Unproved(f"{self.claim}: {text}: the derivative of {primitive} is not {f}")
        ends = primitive.subs(variable, high) - primitive.subs(variable, low)
        made = eq(sp.Integral(f, (variable, low, high)), ends)
        self.steps.append(Step(text, "fundamental theorem of calculus", made.latex))
        return Fact(made, frozenset())

    def extremum(
        self, text: str, name: str, expression: Any, token: sp.Symbol, least: bool = False
    ) -> tuple[Any, Fact, Fact]:
        """The largest (or least) of V numbers: its symbol, that none exceeds it, and that a token `<name>_at` attains it."""
        if any(is_token(s) for s in sp.sympify(expression).free_symbols - {token}):
            raise Unproved(f"{self.claim}: {text}: {expression} depends on other tokens")
        symbol = sp.Symbol(name, real=True)
        at = sp.Symbol(f"{name}_at", integer=True)
        bound = Fact((ge if least else le)(expression, symbol), frozenset())
        attained = Fact(eq(symbol, sp.sympify(expression).subs(token, at)), frozenset())
        self.steps.append(Step(text, "a finite set has an extremum", bound.relation.latex))
        return symbol, bound, attained

    def numeric(self, text: str, relation: Relation, *using: Fact) -> Fact:
        """A statement between numbers, certified by ball arithmetic."""
        if not _certain(relation):
            raise Unproved(f"{self.claim}: {text}: {relation} is not certain")
        self.steps.append(Step(text, "ball arithmetic", relation.latex))
        return Fact(relation, _joined(using))

    def exhaust(self, text: str, check: Callable[[Any], bool], cases: Iterable[Any], latex: str = "") -> int:
        """A finite statement, checked case by case; the number of cases."""
        tried = 0
        for case in cases:
            tried += 1
            if not check(case):
                raise Unproved(f"{self.claim}: {text}: fails for {case}")
        if not tried:
            raise Unproved(f"{self.claim}: {text}: there is no case")
        self.steps.append(Step(text, f"exact enumeration of {tried:,} cases", latex))
        return tried

    def qed(self, *facts: Fact) -> None:
        """What has been proved: the two sides of each statement are those of the claim, in its order."""
        self.conclusions = tuple(f.relation for f in facts)
        self.used = _joined(facts)
        if open_ := self.used & self.supposed:
            raise Unproved(f"{self.claim}: supposed, and not discharged: {', '.join(sorted(open_))}")


def _atoms(e: sp.Expr) -> set[Any]:
    return e.free_symbols | e.atoms(sp.Indexed)


def _numbers(r: Relation) -> set[Any]:
    """Symbols that stand for numbers in a statement, not only for an index."""
    return set().union(*[e.xreplace({a: sp.Dummy() for a in e.atoms(sp.Indexed)}).free_symbols for e in (r.lhs, r.rhs)])


def _joined(facts: Iterable[Fact]) -> frozenset[str]:
    return frozenset().union(*[f.givens for f in facts])


def _certain(r: Relation) -> bool:
    a, b = evaluate(r.lhs, {}), evaluate(r.rhs, {})
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
                t = sp.Symbol(f"t_{n}", nonnegative=True)
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
    return bool(e.has(sp.exp, sp.log) or not e.is_polynomial()) and sp.simplify(e) == 0


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
