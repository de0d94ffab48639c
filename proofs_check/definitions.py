"""Real arithmetic, and new names for what is seen to exist: the rules that others are built from."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.algebra import by_algebra
from proofs_check.defined import unseen
from proofs_check.givens import Fact, Givens, Step, joined
from proofs_check.smt import Unproved, certificate, sign_known
from proofs_check.terms import Relation, eq, ge, gt, is_index, is_token, le

__all__ = ["Definitions"]


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
        range_facts = self._ranges(relation, using)
        if by in {"auto", "algebra", "cases"}:
            how = by_algebra(relation, tuple(u.relation for u in using), by != "algebra")
            if how:
                self.steps.append(Step(text, how, relation.latex))
                return self._fact(relation, joined(using))
            if by != "auto":
                raise Unproved(f"{self.claim}: {text}: {relation} does not reduce")
        try:
            title = f"{self.claim}: {text}"
            proof = certificate(relation, [u.relation for u in (*using, *range_facts)], title)
        except Unproved as error:
            raise Unproved(f"{self.claim}: {text}: {error}") from None
        self.certificates.append(proof)
        self.steps.append(Step(text, f"SMT, {proof.count('(check-sat)')} sign pattern(s)", relation.latex))
        return self._fact(relation, joined((*using, *range_facts)))

    def define(self, text: str, symbol: Any, meaning: Any, *using: Fact) -> Fact:
        """A new name for an expression (free tokens in `symbol` are arguments: ``r[x]``).

        Denominators in the meaning must be seen to be positive, from `using` where that is not plain.
        """
        if not isinstance(symbol, (sp.Symbol, sp.Indexed)):
            raise ValueError(f"{symbol}: expected a name, or one with places such as r[x]")
        relation = eq(symbol, meaning)
        self._own(using)
        if case := sorted(joined(using) & self.supposed):
            raise Unproved(f"{self.claim}: {text}: a definition cannot rest on {case[0]!r}")
        self._fresh(symbol, relation.rhs)
        shown: list[Fact] = []
        if symbol.is_nonnegative:
            sign = (gt if symbol.is_positive else ge)(meaning, 0)
            shown.append(self.derive(f"{text}: condition", sign, *using))
        if symbol.is_integer and not relation.rhs.is_integer:
            raise ValueError(f"{symbol}: its sign or kind is assumed and not shown")
        shown += self._defined(text, relation.rhs, *using)
        self.definitions.append(relation)
        self.steps.append(Step(text, "definition", relation.latex))
        return self._fact(relation, joined(shown))

    def _defined(self, text: str, e: Any, *using: Fact) -> tuple[Fact, ...]:
        """Refuse an expression whose value is not seen to exist; the facts that this rests on."""
        seen: list[bool] = []

        def positive(part: sp.Expr) -> bool:
            seen.append(sign_known(part, [u.relation for u in using]))
            return seen[-1]

        found = unseen(e, positive)
        if found is not None:
            raise Unproved(
                f"{self.claim}: {text}: a denominator, logarithm or root in {found} is not known to be positive"
            )
        return using if seen else ()

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
        for r in (base, step):
            self._defined(text, r.rhs)
        self.definitions += [base, step]
        self.steps += [Step(text, "definition", base.latex), Step("and then", "definition", step.latex)]
        return self._fact(base, ()), self._fact(step, ())

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
        self._defined(text, expression)
        self._fresh(symbol, expression, bound=[token])
        self.made_of[at] = self.made_of[symbol]
        self.extrema.append((symbol, expression, token, least))
        bound = self._fact((ge if least else le)(expression, symbol), ())
        attained = self._fact(eq(symbol, expression.subs(token, at)), ())
        self.steps.append(Step(text, "a finite set has an extremum", bound.relation.latex))
        return symbol, bound, attained

    def sign(self, text: str, name: str, expression: Any, *tokens: sp.Symbol) -> tuple[Any, Fact, Fact, Fact]:
        """Signs s[tokens] of an expression: themselves, s ≤ 1, s ≥ −1, and s · expression = |expression|."""
        base = sp.IndexedBase(name, real=True)
        self._defined(text, expression)
        self._fresh(base[tokens], sp.sympify(expression))
        self.signs.append((base[tokens], expression))
        facts = [le(base[tokens], 1), ge(base[tokens], -1), eq(base[tokens] * expression, sp.Abs(expression))]
        self.steps.append(Step(text, "every real number has a sign", facts[-1].latex))
        upper, lower, product = (self._fact(r, ()) for r in facts)
        return base, upper, lower, product
