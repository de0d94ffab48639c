"""The language of the proofs: statements, and the normal form of sums over a vocabulary of unspecified size.

A proof speaks about p[x], sums over x = 1 … V, Min, Max, Abs, exp and log, all of them SymPy expressions.  V stays a symbol.
SymPy evaluates no sum: `Sum` is a class that says of itself nothing but what its terms are.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import count, permutations
from typing import Any, NamedTuple

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.printing.latex import LatexPrinter

__all__ = [
    "Bound",
    "Relation",
    "Sum",
    "V",
    "eq",
    "exact",
    "free",
    "ge",
    "gt",
    "i",
    "index",
    "is_bound",
    "is_index",
    "is_token",
    "j",
    "le",
    "lt",
    "spread",
    "strict",
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

REMEMBERED = 1 << 14
"""How many answers each pure function of expressions keeps: a proof run again with a change asks most questions again."""


def is_token(symbol: Any) -> bool:
    """Whether a symbol ranges over the vocabulary: x, y, z, i, j, and where an extremum is attained."""
    if symbol in TOKENS:
        return True
    return isinstance(symbol, sp.Symbol) and symbol.name.endswith("_at") and symbol.assumptions0 == x.assumptions0


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
        if len(e.name) == 1 or (text != e.name and "_" not in e.name):
            return text
        head, _, tail = e.name.partition("_")
        parts = [w for w in (head, tail.replace("_", " ")) if w]
        pieces = [
            rf"\mathrm{{{w}}}" if len(w) > 1 and sp.latex(sp.Symbol(w)) == w else sp.latex(sp.Symbol(w)) for w in parts
        ]
        return pieces[0] if len(pieces) == 1 else rf"{pieces[0]}_{{{pieces[1]}}}"


class Sum(sp.Sum):
    """A finite sum that SymPy neither evaluates nor estimates: no closed form, no digits, no sign from digits.

    SymPy asks a sum of numbers for its value wherever it asks for a sign, and finds it by Euler and Maclaurin's formula,
    with an error that it estimates.  Of this class it can only say what it says of the terms.

    >>> Sum(x, (x, 1, 3)).doit(), Sum(x, (x, 1, 3)).is_number
    (Sum(x, (x, 1, 3)), False)
    """

    is_number = False

    def doit(self, **hints: Any) -> Sum:
        """Itself."""
        return self

    def _eval_simplify(self, **hints: Any) -> Sum:
        return self

    def _eval_evalf(self, prec: int) -> None:
        return None


def strict(e: Any) -> sp.Basic:
    """An expression or a number for SymPy; a text is refused, for SymPy would run it.

    >>> strict("open(1)")
    Traceback (most recent call last):
        ...
    ValueError: 'open(1)': expected a number or an expression, got str
    """
    try:
        return sp.sympify(e, strict=True)
    except sp.SympifyError:
        raise ValueError(f"{e!r}: expected a number or an expression, got {type(e).__name__}") from None


def exact(number: Any) -> sp.Expr:
    """A number or expression for SymPy, refused where it holds a float: that one is rounded.

    >>> exact(V / 2), exact(0.5)
    Traceback (most recent call last):
        ...
    ValueError: 0.500000000000000: expected exact numbers; a float is rounded
    """
    e = strict(number)
    if e.has(sp.Float):
        raise ValueError(f"{e}: expected exact numbers; a float is rounded")
    return e


class Relation(NamedTuple):
    """A statement lhs op rhs about every value of its free symbols; unlike SymPy's own, it never evaluates itself away."""

    lhs: sp.Expr
    op: str
    rhs: sp.Expr

    def replace(self, names: Mapping[Any, Any]) -> Relation:
        """The same statement with other names or expressions in place of some."""
        return _replaced(self, tuple((strict(a), exact(b)) for a, b in names.items()))

    @property
    def free_symbols(self) -> frozenset[Any]:
        """Free symbols of both sides, labels of arrays included."""
        return free(self.lhs) | free(self.rhs)

    @property
    def atoms(self) -> frozenset[Any]:
        """Free symbols of both sides, and the members of arrays that occur."""
        return self.free_symbols | self.lhs.atoms(sp.Indexed) | self.rhs.atoms(sp.Indexed)

    @property
    def numbers(self) -> frozenset[Any]:
        """Symbols that stand for numbers, not only for an index."""
        return _numbers(self.lhs) | _numbers(self.rhs)

    @property
    def labels(self) -> frozenset[Any]:
        """Names of the arrays that occur."""
        return _labels(self.lhs) | _labels(self.rhs)

    @property
    def difference(self) -> sp.Expr:
        """lhs − rhs in normal form."""
        return _difference(self)

    @property
    def latex(self) -> str:
        return _latex(self)

    def __str__(self) -> str:
        return f"{self.lhs} {self.op} {self.rhs}"


@lru_cache(maxsize=REMEMBERED)
def _replaced(r: Relation, changed: tuple[tuple[sp.Expr, sp.Expr], ...]) -> Relation:
    return Relation(*(s if isinstance(s, str) else spread(s.subs(dict(changed), simultaneous=True)) for s in r))


@lru_cache(maxsize=REMEMBERED)
def free(e: sp.Expr) -> frozenset[Any]:
    """Free symbols of an expression, labels of arrays included."""
    return frozenset(e.free_symbols)


@lru_cache(maxsize=REMEMBERED)
def _numbers(e: sp.Expr) -> frozenset[Any]:
    if isinstance(e, sp.Indexed):
        return frozenset()
    if not e.args or isinstance(e, sp.IndexedBase):
        return free(e)
    if not isinstance(e, ExprWithLimits):
        return frozenset().union(*map(_numbers, e.args))
    symbols = _numbers(e.function)
    for name, *ends in e.limits:  # without ends the name stays free
        symbols = (symbols - {name} if ends else symbols | {name}).union(*map(_numbers, ends))
    return symbols


@lru_cache(maxsize=REMEMBERED)
def _labels(e: sp.Expr) -> frozenset[Any]:
    return frozenset(a.base.label for a in e.atoms(sp.Indexed))


@lru_cache(maxsize=REMEMBERED)
def _difference(r: Relation) -> sp.Expr:
    return sp.expand(spread(r.lhs - r.rhs))


@lru_cache(maxsize=REMEMBERED)
def _latex(r: Relation) -> str:
    printer = _Printer()
    op = {"<=": r"\le", ">=": r"\ge"}.get(r.op, r.op)
    return f"{printer.doprint(r.lhs)} {op} {printer.doprint(r.rhs)}"


def _relation(op: str) -> Any:
    def make(lhs: Any, rhs: Any) -> Relation:
        return Relation(_bound(exact(lhs)), op, _bound(exact(rhs)))

    make.__doc__ = f"The statement lhs {op} rhs."
    return make


def _bound(e: sp.Expr) -> sp.Expr:
    """The same with sums in normal form, whose bound names are never tokens: a token put in later cannot be captured."""
    loose = [s for s in e.atoms(sp.Sum) if type(s) is not Sum or any(lim[0] not in _CANONICAL for lim in s.limits)]
    return e.xreplace({s: spread(s) for s in loose}) if loose else e


eq, le, ge, lt, gt = (_relation(op) for op in ("=", "<=", ">=", "<", ">"))


class Bound(sp.Symbol):
    """A bound name: never equal to a symbol that a proof makes."""


def is_bound(symbol: Any) -> bool:
    """Whether a symbol is the bound name of a sum."""
    return type(symbol) is Bound


_CANONICAL = tuple(Bound(name, integer=True, positive=True) for name in "xyzwvu")
_FRESH = count()


def total(body: Any, *indices: sp.Symbol, upto: Any = V) -> sp.Expr:
    """Sum of `body` over tokens, in normal form.

    >>> p = sp.IndexedBase("p")
    >>> total(2 * p[x] + 1, x) == V + 2 * total(p[y], y)
    True
    """
    return spread(Sum(exact(body), *[(index, 1, exact(upto)) for index in indices]))


def spread(expression: Any) -> sp.Expr:
    """Normal form of finite sums: split term by term, constants in front, nested ones merged, products of independent ones apart.

    Finite sums are linear and may be exchanged; nothing else is used.
    """
    return _spread(strict(expression))


@lru_cache(maxsize=REMEMBERED)
def _spread(e: sp.Expr) -> sp.Expr:
    if not e.has(sp.Sum):
        return e
    if isinstance(e, sp.Sum):
        return sp.Add(*[_one(t, e.limits) for t in sp.Add.make_args(sp.expand(spread(e.function)))])
    return sp.expand(e.func(*[spread(a) for a in e.args])) if e.args else e


def _one(term: sp.Expr, limits: Any) -> sp.Expr:
    """Normal form of the sum of a single product."""
    if loose := [lim for lim in limits if any(isinstance(s, Bound) for s in (lim[1] + lim[2]).free_symbols)]:
        raise ValueError(f"{term}: a sum up to a bound name, {loose[0]}, has no normal form here")
    if early := [lim for lim in limits if not lim[1].is_positive]:
        raise ValueError(f"{term}: a sum from {early[0][1]}; expected one from 1, for bound names are positive")
    over = {lim[0] for lim in limits}
    if [lim for lim in limits if (over - {lim[0]}) & (lim[1] + lim[2]).free_symbols]:
        raise ValueError(f"{term}: a sum up to a name that it is over, {limits}; write one sum inside the other")
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
                fresh = Bound(f"_{next(_FRESH)}", integer=True, positive=True)
                body = body.xreplace({index: fresh})
                bounds[fresh] = (low, high)
            queue += list(sp.Mul.make_args(body))
        else:
            factors.append(f)
    out = [f for f in factors if not f.free_symbols & set(bounds)]
    groups: list[tuple[set[sp.Symbol], list[sp.Expr]]] = []
    for f in (f for f in factors if f.free_symbols & set(bounds)):
        names = set(f.free_symbols & set(bounds))
        members = [f]
        apart = []
        for group_names, theirs in groups:
            if group_names & names:
                names = names | group_names
                members = members + theirs
            else:
                apart.append((group_names, theirs))
        groups = [*apart, (names, members)]
    grouped_names = set().union(*[names for names, _ in groups]) if groups else set()
    out += [high - low + 1 for index, (low, high) in bounds.items() if index not in grouped_names]
    out += [_named(sp.Mul(*members), [(n, *bounds[n]) for n in names]) for names, members in groups]
    return sp.Mul(*out)


def _named(body: sp.Expr, limits: list[tuple[Any, Any, Any]]) -> sp.Expr:
    """The same sum with bound names chosen by one rule, so that equal sums are equal expressions."""
    used_names = {s.name for _, low, high in limits for s in (low + high).free_symbols if isinstance(s, sp.Symbol)}
    used_names |= {s.name for s in body.atoms(sp.Symbol) - {n for n, _, _ in limits}}  # bound ones of inner sums too
    names = [c for c in _CANONICAL if c.name not in used_names][: len(limits)]
    best = None
    for order in permutations(limits):
        renamed = body.xreplace({n: c for (n, _, _), c in zip(order, names, strict=True)})
        candidate = Sum(renamed, *[(c, low, high) for (_, low, high), c in zip(order, names, strict=True)])
        if best is None or sp.srepr(candidate) < sp.srepr(best):
            best = candidate
    return best
