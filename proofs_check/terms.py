"""The language of the proofs: sums over a vocabulary of unspecified size, their normal form, and their value at an instance.

A proof speaks about p[x], sums over x = 1 … V, Min, Max, Abs, exp and log, all of them SymPy expressions.  V stays a symbol.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import count, permutations
from typing import Any, NamedTuple

import sympy as sp
from sympy.printing.latex import LatexPrinter

__all__ = [
    "Relation",
    "V",
    "eq",
    "evaluate",
    "ge",
    "gt",
    "i",
    "is_token",
    "j",
    "le",
    "lt",
    "spread",
    "total",
    "x",
    "y",
    "z",
]

V = sp.Symbol("V", integer=True, positive=True)
"""Vocabulary size."""
x, y, z, i, j = sp.symbols("x y z i j", integer=True)
"""Tokens; a free one in a statement means "for every token"."""

TOKENS = frozenset({x, y, z, i, j})


def is_token(symbol: Any) -> bool:
    """Whether a symbol ranges over the vocabulary: x, y, z, i, j, and where an extremum is attained."""
    return symbol in TOKENS or (isinstance(symbol, sp.Symbol) and symbol.name.endswith("_at"))


def index(name: str) -> sp.Symbol:
    """A symbol for the members of another set than the vocabulary (states, texts, positions), numbered 1, 2, …

    Statements with it hold for every positive integer.
    """
    return sp.Symbol(name, integer=True, nonzero=True)


def is_index(symbol: Any) -> bool:
    """Whether a symbol was made by `index` (an integer known to be no zero, and of no known sign)."""
    return (
        isinstance(symbol, sp.Symbol) and bool(symbol.is_integer and symbol.is_nonzero) and symbol.is_positive is None
    )


class _Printer(LatexPrinter):
    """Sums over the vocabulary without their range, plain indices, names of several letters upright."""

    def _print_Sum(self, e: Any) -> str:
        parts = []
        for name, low, high in reversed(e.limits):
            if (low, high) == (1, V):
                parts.append(rf"\sum_{{{self._print(name)}}}")
            else:
                parts.append(rf"\sum_{{{self._print(name)}={self._print(low)}}}^{{{self._print(high)}}}")
        body = self._print(e.function)
        return " ".join(parts) + (rf" \left({body}\right)" if isinstance(e.function, sp.Add) else f" {body}")

    def _print_Indexed(self, e: Any) -> str:
        base = self._print(e.base)
        if "_" in base:
            base = f"{{{base}}}"
        return rf"{base}_{{{', '.join(self._print(k) for k in e.indices)}}}"

    def _print_IndexedBase(self, e: Any) -> str:
        return self._print(e.label)

    def _print_Symbol(self, e: Any, style: str = "plain") -> str:
        text = super()._print_Symbol(e, style)
        if len(e.name) == 1 or text != e.name and "_" not in e.name:
            return text
        head, _, tail = e.name.partition("_")
        parts = [w for w in (head, tail.replace("_", " ")) if w]
        shown = [
            rf"\mathrm{{{w}}}" if len(w) > 1 and sp.latex(sp.Symbol(w)) == w else sp.latex(sp.Symbol(w)) for w in parts
        ]
        return shown[0] if len(shown) == 1 else rf"{shown[0]}_{{{shown[1]}}}"


class Relation(NamedTuple):
    """A statement lhs op rhs about every value of its free symbols; unlike SymPy's own, it never evaluates itself away."""

    lhs: sp.Expr
    op: str
    rhs: sp.Expr

    def replace(self, names: Mapping[Any, Any]) -> Relation:
        """The same statement with other names or expressions in place of some."""
        changed = {sp.sympify(a): sp.sympify(b) for a, b in names.items()}
        if any(b.has(sp.Float) for b in changed.values()):
            raise ValueError(f"{names}: expected exact numbers; a float is rounded")
        return Relation(*(s if isinstance(s, str) else spread(s.subs(changed, simultaneous=True)) for s in self))

    @property
    def difference(self) -> sp.Expr:
        """lhs − rhs in normal form."""
        return sp.expand(spread(self.lhs - self.rhs))

    @property
    def latex(self) -> str:
        op = {"<=": r"\le", ">=": r"\ge"}.get(self.op, self.op)
        printer = _Printer()
        return f"{printer.doprint(self.lhs)} {op} {printer.doprint(self.rhs)}"

    def __str__(self) -> str:
        return f"{self.lhs} {self.op} {self.rhs}"


def _relation(op: str) -> Any:
    def make(lhs: Any, rhs: Any) -> Relation:
        made = Relation(_bound(sp.sympify(lhs)), op, _bound(sp.sympify(rhs)))
        if made.lhs.has(sp.Float) or made.rhs.has(sp.Float):
            raise ValueError(f"{made}: expected exact numbers; a float is rounded")
        return made

    make.__doc__ = f"The statement lhs {op} rhs."
    return make


def _bound(e: sp.Expr) -> sp.Expr:
    """The same with sums in normal form, whose bound names are never tokens: a token put in later cannot be captured."""
    loose = [s for s in e.atoms(sp.Sum) if any(lim[0] not in _CANONICAL for lim in s.limits)]
    return e.xreplace({s: spread(s) for s in loose}) if loose else e


eq, le, ge, lt, gt = (_relation(op) for op in ("=", "<=", ">=", "<", ">"))


class _Bound(sp.Symbol):
    """A bound name: never equal to a symbol that a proof makes."""


_CANONICAL = tuple(_Bound(name, integer=True, positive=True) for name in "xyzwvu")
_FRESH = count()


def total(body: Any, *indices: sp.Symbol, upto: Any = V) -> sp.Expr:
    """Sum of `body` over tokens, in normal form.

    >>> p = sp.IndexedBase("p")
    >>> total(2 * p[x] + 1, x) == V + 2 * total(p[y], y)
    True
    """
    return spread(sp.Sum(body, *[(index, 1, upto) for index in indices]))


def spread(expression: Any) -> sp.Expr:
    """Normal form of finite sums: split term by term, constants in front, nested ones merged, products of independent ones apart.

    Finite sums are linear and may be exchanged; nothing else is used.
    """
    e = sp.sympify(expression)
    if not e.has(sp.Sum):
        return e
    if isinstance(e, sp.Sum):
        return sp.Add(*[_one(t, e.limits) for t in sp.Add.make_args(sp.expand(spread(e.function)))])
    return sp.expand(e.func(*[spread(a) for a in e.args])) if e.args else e


def _one(term: sp.Expr, limits: Any) -> sp.Expr:
    """Normal form of the sum of a single product."""
    if loose := [lim for lim in limits if any(isinstance(s, _Bound) for s in (lim[1] + lim[2]).free_symbols)]:
        raise ValueError(f"{term}: a sum up to a bound name, {loose[0]}, has no normal form here")
    factors: list[sp.Expr] = []
    bounds = {lim[0]: (lim[1], lim[2]) for lim in limits}
    queue = list(sp.Mul.make_args(term))
    while queue:
        f = queue.pop()
        if isinstance(f, sp.Pow) and isinstance(f.base, sp.Sum) and f.exp.is_Integer and f.exp > 1:
            queue += [f.base] * int(f.exp)
        elif isinstance(f, sp.Sum) and not any(v in bounds for lim in f.limits for v in (lim[1] + lim[2]).free_symbols):
            body = f.function
            for index, low, high in f.limits:
                fresh = _Bound(f"_{next(_FRESH)}", integer=True, positive=True)
                body = body.xreplace({index: fresh})
                bounds[fresh] = (low, high)
            queue += list(sp.Mul.make_args(body))
        else:
            factors.append(f)
    out = [f for f in factors if not f.free_symbols & set(bounds)]
    groups: list[tuple[set[sp.Symbol], list[sp.Expr]]] = []
    for f in (f for f in factors if f.free_symbols & set(bounds)):
        names, members = set(f.free_symbols & set(bounds)), [f]
        apart = []
        for other, theirs in groups:
            if other & names:
                names, members = names | other, members + theirs
            else:
                apart.append((other, theirs))
        groups = [*apart, (names, members)]
    seen = set().union(*[names for names, _ in groups]) if groups else set()
    out += [high - low + 1 for index, (low, high) in bounds.items() if index not in seen]
    out += [_named(sp.Mul(*members), [(n, *bounds[n]) for n in names]) for names, members in groups]
    return sp.Mul(*out)


def _named(body: sp.Expr, limits: list[tuple[Any, Any, Any]]) -> sp.Expr:
    """The same sum with bound names chosen by one rule, so that equal sums are equal expressions."""
    taken = {s.name for _, low, high in limits for s in (low + high).free_symbols if isinstance(s, sp.Symbol)}
    taken |= {s.name for s in body.atoms(sp.Symbol) - {n for n, _, _ in limits}}  # bound ones of inner sums too
    names = [c for c in _CANONICAL if c.name not in taken][: len(limits)]
    best = None
    for order in permutations(limits):
        renamed = body.xreplace({n: c for (n, _, _), c in zip(order, names, strict=True)})
        made = sp.Sum(renamed, *[(c, low, high) for (_, low, high), c in zip(order, names, strict=True)])
        if best is None or sp.srepr(made) < sp.srepr(best):
            best = made
    return best


def evaluate(expression: Any, values: Mapping[str, Any]) -> Any:
    """Exact value of an expression: fractions, or certified balls where exp, log or a root is involved.

    Parameters
    ----------
    expression : SymPy expression
    values : {name: number, array, or function of integers}
        arrays are read with tokens counted from 1, as the sums do.

    >>> p = sp.IndexedBase("p")
    >>> evaluate(total(sp.Min(p[x], sp.Rational(1, 3)), x), {"p": [Fraction(1, 2), Fraction(1, 4)], "V": 2})
    Fraction(7, 12)
    """
    e = sp.sympify(expression)
    if e.is_Rational:
        return Fraction(int(e.p), int(e.q))
    if e is sp.E:
        return _ball(1).exp()
    if e is sp.pi:
        return _ball(0).pi()
    if isinstance(e, sp.Symbol):
        return _signed(e, _number(values[e.name]))
    if isinstance(e, sp.Indexed):
        at = [_whole(evaluate(k, values)) for k in e.indices]
        found = values[e.base.label.name]
        if callable(found):
            return _signed(e, _number(found(*at)))
        for k in at:
            if k < 1:
                raise IndexError(f"{e}: place {k}; arrays are read from 1")
            found = found[k - 1]
        return _signed(e, _number(found))
    if isinstance(e, sp.Sum):
        return _added([evaluate(e.function, inner) for inner in _ranges(e.limits, dict(values))])
    if isinstance(e, sp.Product):
        out: Any = Fraction(1)
        for inner in _ranges(e.limits, dict(values)):
            factor = evaluate(e.function, inner)
            out = _ball(out) * factor if _is_ball(factor) else out * factor
        return out
    if isinstance(e, sp.Pow):
        base, power = evaluate(e.base, values), evaluate(e.exp, values)
        if _is_ball(base) and isinstance(power, Fraction) and power.denominator == 1 and power >= 0:
            out = _ball(1)  # a general power has no value at a ball around zero
            for _ in range(power.numerator):
                out = out * base
            return out
        if isinstance(power, Fraction) and power.denominator == 1:
            return base**power.numerator if power >= 0 or _is_ball(base) or base else _undefined(e)
        return _ball(base) ** _ball(power)
    a = [evaluate(arg, values) for arg in e.args]
    if any(_is_ball(v) for v in a):
        a = [_ball(v) for v in a]
    if isinstance(e, sp.Add):
        return _added(a)
    if isinstance(e, sp.Mul):
        out = a[0]
        for factor in a[1:]:
            out = out * factor
        return out
    if isinstance(e, (sp.Min, sp.Max)) and _is_ball(a[0]):
        for other in a[1:]:
            a[0] = a[0].min(other) if isinstance(e, sp.Min) else a[0].max(other)
        return a[0]
    if isinstance(e, (sp.Min, sp.Max)):
        return (min if isinstance(e, sp.Min) else max)(a)
    if isinstance(e, sp.Abs):
        return abs(a[0])
    if isinstance(e, (sp.exp, sp.log, sp.erf)):
        return getattr(_ball(a[0]), e.func.__name__)()
    if isinstance(e, sp.KroneckerDelta):
        if any(_is_ball(v) for v in a):
            raise ValueError(f"{e}: whether two enclosures are equal is not known")
        return Fraction(int(a[0] == a[1]))
    if isinstance(e, sp.floor):
        return Fraction(a[0].__floor__())
    if isinstance(e, sp.ceiling):
        return Fraction(a[0].__ceil__())
    if isinstance(e, sp.binomial):
        return Fraction(int(sp.binomial(_whole(a[0]), _whole(a[1]))))
    if isinstance(e, sp.Function) and e.func.__name__ in values:
        return _number(values[e.func.__name__](*a))
    raise ValueError(f"expression: no value is defined for {type(e).__name__} in {e}")


def _whole(value: Any) -> int:
    if value != int(value):
        raise ValueError(f"{value}: expected a whole number")
    return int(value)


def _is_ball(value: Any) -> bool:
    return type(value).__name__ == "arb"


def _added(terms: list[Any]) -> Any:
    if any(_is_ball(v) for v in terms):
        terms = [_ball(v) for v in terms]
    return sum(terms[1:], terms[0]) if terms else Fraction(0)


def _number(found: Any) -> Any:
    if isinstance(found, (bool, int)) or type(found).__name__ in {"bool", "int64"}:
        return Fraction(int(found))
    if isinstance(found, sp.Rational):
        return Fraction(int(found.p), int(found.q))
    return found


def _signed(e: sp.Expr, found: Any) -> Any:
    """A value, refused where it is not of the sign that the name was declared with."""
    if e.is_integer and not _is_ball(found) and found != int(found):
        raise ValueError(f"{e} is {found}; it was declared an integer")
    if (e.is_positive and found <= 0) or (e.is_nonnegative and found < 0):
        raise ValueError(f"{e} is {found}; it was declared {'positive' if e.is_positive else 'non-negative'}")
    return found


def _undefined(e: sp.Expr) -> Any:
    raise ZeroDivisionError(f"{e} at zero")


def _ball(value: Any) -> Any:
    from simspec.claims.balls import ball

    return ball(value)


def _ranges(limits: Any, values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if not limits:
        yield values
        return
    # later limits may bound earlier indices, so the last one is the outermost
    index, low, high = limits[-1]
    for k in range(_whole(evaluate(low, values)), _whole(evaluate(high, values)) + 1):
        yield from _ranges(limits[:-1], {**values, index.name: k})
