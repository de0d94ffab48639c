"""The language of the proofs: sums over a vocabulary of unspecified size, their normal form, and their value at an instance.

A proof speaks about p[x], sums over x = 1 … V, Min, Max, Abs, exp and log, all of them SymPy expressions.  V stays a symbol.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import count, permutations
from typing import Any, NamedTuple

import sympy as sp

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


class Relation(NamedTuple):
    """A statement lhs op rhs about every value of its free symbols; unlike SymPy's own, it never evaluates itself away."""

    lhs: sp.Expr
    op: str
    rhs: sp.Expr

    def replace(self, names: Mapping[Any, Any]) -> Relation:
        """The same statement with other names or expressions in place of some."""
        changed = {sp.sympify(a): sp.sympify(b) for a, b in names.items()}
        return Relation(*(s if isinstance(s, str) else s.subs(changed, simultaneous=True) for s in self))

    @property
    def difference(self) -> sp.Expr:
        """lhs − rhs in normal form."""
        return sp.expand(spread(self.lhs - self.rhs))

    @property
    def latex(self) -> str:
        op = {"<=": r"\le", ">=": r"\ge"}.get(self.op, self.op)
        symbols = self.lhs.atoms(sp.Symbol) | self.rhs.atoms(sp.Symbol)
        names = {s: rf"\mathrm{{{s.name}}}" for s in symbols if len(s.name) > 1 and sp.latex(s) == s.name}
        return f"{sp.latex(self.lhs, symbol_names=names)} {op} {sp.latex(self.rhs, symbol_names=names)}"

    def __str__(self) -> str:
        return f"{self.lhs} {self.op} {self.rhs}"


def _relation(op: str) -> Any:
    def make(lhs: Any, rhs: Any) -> Relation:
        return Relation(sp.sympify(lhs), op, sp.sympify(rhs))

    make.__doc__ = f"The statement lhs {op} rhs."
    return make


eq, le, ge, lt, gt = (_relation(op) for op in ("=", "<=", ">=", "<", ">"))

_CANONICAL = sp.symbols("x y z w v u", integer=True, positive=True)  # never equal to a free token
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
                fresh = sp.Symbol(f"_{next(_FRESH)}", integer=True)
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
    if isinstance(e, sp.Symbol):
        return _number(values[e.name])
    if isinstance(e, sp.Indexed):
        at = [int(evaluate(k, values)) for k in e.indices]
        found = values[str(e.base)]
        if callable(found):
            return _number(found(*at))
        for k in at:
            found = found[k - 1]
        return _number(found)
    if isinstance(e, sp.Sum):
        return sum((evaluate(e.function, inner) for inner in _ranges(e.limits, dict(values))), Fraction(0))
    if isinstance(e, sp.Product):
        out: Any = Fraction(1)
        for inner in _ranges(e.limits, dict(values)):
            out = out * evaluate(e.function, inner)
        return out
    if isinstance(e, sp.Pow):
        base, power = evaluate(e.base, values), evaluate(e.exp, values)
        if isinstance(power, Fraction) and power.denominator == 1:
            return base**power.numerator if base or power >= 0 else _undefined(e)
        return _ball(base) ** _ball(power)
    a = [evaluate(arg, values) for arg in e.args]
    if isinstance(e, sp.Add):
        return sum(a[1:], a[0])
    if isinstance(e, sp.Mul):
        out = a[0]
        for factor in a[1:]:
            out = out * factor
        return out
    if isinstance(e, (sp.Min, sp.Max)):
        return (min if isinstance(e, sp.Min) else max)(a)
    if isinstance(e, sp.Abs):
        return abs(a[0])
    if isinstance(e, (sp.exp, sp.log)):
        return getattr(_ball(a[0]), "exp" if isinstance(e, sp.exp) else "log")()
    if isinstance(e, sp.floor):
        return Fraction(a[0].__floor__())
    if isinstance(e, sp.ceiling):
        return Fraction(a[0].__ceil__())
    if isinstance(e, sp.binomial):
        return Fraction(int(sp.binomial(int(a[0]), int(a[1]))))
    if isinstance(e, sp.Function):
        return _number(values[e.func.__name__](*a))
    raise ValueError(f"expression: no value is defined for {type(e).__name__} in {e}")


def _number(found: Any) -> Any:
    if isinstance(found, (bool, int)) or type(found).__name__ in {"bool", "int64"}:
        return Fraction(int(found))
    if isinstance(found, sp.Rational):
        return Fraction(int(found.p), int(found.q))
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
    for k in range(int(evaluate(low, values)), int(evaluate(high, values)) + 1):
        yield from _ranges(limits[:-1], {**values, index.name: k})
