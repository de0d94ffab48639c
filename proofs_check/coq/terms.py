"""Expressions of the proofs' language as terms of Coq: real numbers, finite sums over ranges of integers, arrays as functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from proofs_check.rules.terms import Relation, V, is_bound, is_index, is_token, strict

__all__ = ["NotExported", "Printer"]

OPERATORS = {"=": "=", "<=": "<=", ">=": ">=", "<": "<", ">": ">"}


class NotExported(Exception):
    """What has no counterpart in the development here."""


class Printer:
    """Prints expressions; names are injective, and those that were defined take the numbers that they depend on.

    Parameters
    ----------
    maps : arrays whose values are integers.
    extra : {label of a defined name: numbers that its meaning depends on}
    """

    def __init__(self, maps: Iterable[Any], extra: Mapping[Any, tuple[sp.Symbol, ...]]) -> None:
        self.maps, self.extra = set(maps), extra
        self._names: dict[Any, str] = {}

    def name(self, symbol: Any) -> str:
        """An identifier of its own for each symbol, array or function."""
        if symbol not in self._names:
            clean = re.sub(r"\W", "_", getattr(symbol, "name", str(symbol)), flags=re.ASCII)
            identifier = f"{clean}_b" if is_bound(symbol) else f"v_{clean}"
            while identifier in self._names.values():
                identifier += "'"
            self._names[symbol] = identifier
        return self._names[symbol]

    def relation(self, r: Relation, values: Mapping[Any, str] | None = None) -> str:
        """A statement."""
        return f"{self.real(r.lhs, values)} {OPERATORS[r.op]} {self.real(r.rhs, values)}"

    def _called(self, label: Any, values: Mapping[Any, str], *arguments: str) -> str:
        """A name with the numbers that its meaning depends on, and its own arguments."""
        extra_arguments = [self._plain(s, values) for s in self.extra.get(label, ())]
        parts = [self.name(label), *extra_arguments, *arguments]
        return f"({' '.join(parts)})" if len(parts) > 1 else parts[0]

    def _plain(self, s: Any, values: Mapping[Any, str]) -> str:
        return values[s] if s in values else self.name(s)

    # --- integers ---------------------------------------------------------------------------------------------------

    def whole(self, e: sp.Expr, values: Mapping[Any, str] | None = None) -> str:
        """An expression as an integer (in Z)."""
        return f"({self._whole(strict(e), values or {})})%Z"

    def _whole(self, e: sp.Expr, values: Mapping[Any, str]) -> str:
        """The Coq text of an expression whose value is an integer."""
        if e.is_Integer:
            return str(int(e)) if e >= 0 else f"({int(e)})"
        if isinstance(e, sp.Symbol):
            return self._called(e, values) if e in self.extra else self._plain(e, values)
        if isinstance(e, sp.Add):
            return "(" + " + ".join(self._whole(a, values) for a in e.as_ordered_terms()) + ")"
        if isinstance(e, sp.Mul):
            return "(" + " * ".join(self._whole(a, values) for a in e.as_ordered_factors()) + ")"
        if isinstance(e, sp.Pow) and e.exp.is_integer and e.exp.is_nonnegative:
            return f"({self._whole(e.base, values)} ^ {self._whole(e.exp, values)})"
        if isinstance(e, sp.Indexed) and (e.base in self.maps or e.is_integer):
            return self._called(e.base.label, values, *(f"({self._whole(k, values)})%Z" for k in e.indices))
        if isinstance(e, (sp.Min, sp.Max)):
            text = self._whole(e.args[0], values)
            for a in e.args[1:]:
                text = f"(Z.{'min' if isinstance(e, sp.Min) else 'max'} {text} {self._whole(a, values)})"
            return text
        raise NotExported(f"{e}: no whole number here")

    # --- real numbers -----------------------------------------------------------------------------------------------

    def real(self, e: Any, values: Mapping[Any, str] | None = None) -> str:
        """An expression as a real number."""
        return self._real(strict(e), values or {})

    def _real(self, e: sp.Expr, values: Mapping[Any, str]) -> str:
        if e.is_Rational:
            return _rational(e)
        if isinstance(e, sp.Symbol):
            real = values[e] if e in values else self._called(e, values)
            return f"(IZR {self.whole(e, values)})" if e.is_integer else real
        for kind, method in KINDS:
            if isinstance(e, kind):
                return method(self, e, values)
        if e == sp.E:
            return "(exp 1)"
        if e == sp.pi:
            return "PI"
        raise NotExported(f"{type(e).__name__}: {e}")

    def _add(self, e: sp.Add, values: Mapping[Any, str]) -> str:
        return "(" + " + ".join(self._real(a, values) for a in e.as_ordered_terms()) + ")"

    def _mul(self, e: sp.Mul, values: Mapping[Any, str]) -> str:
        return "(" + " * ".join(self._real(a, values) for a in e.as_ordered_factors()) + ")"

    def _indexed(self, e: sp.Indexed, values: Mapping[Any, str]) -> str:
        if e.base in self.maps or e.is_integer:
            return f"(IZR {self.whole(e, values)})"
        return self._called(e.base.label, values, *(self.whole(k, values) for k in e.indices))

    def _sum(self, e: sp.Sum, values: Mapping[Any, str]) -> str:
        inner = {k: v for k, v in values.items() if k not in {lim[0] for lim in e.limits}}
        text = self._real(e.function, inner)
        used = set(e.function.free_symbols)
        for name, low, high in e.limits:  # the first is the innermost
            if name not in used and (low, high) == (1, V):  # the same V times, of which there is one at least
                text = f"(IZR {self.whole(V, inner)})" if text == "1" else f"((IZR {self.whole(V, inner)}) * {text})"
                continue
            used |= low.free_symbols | high.free_symbols
            text = f"(Sum {self.whole(low, inner)} {self.whole(high, inner)} (fun {self.name(name)} : Z => {text}))"
        return text

    def _pow(self, e: sp.Pow, values: Mapping[Any, str]) -> str:
        base = e.base
        power = e.exp
        if power.is_Integer:
            text = f"({self._real(base, values)} ^ {abs(int(power))})" if abs(power) != 1 else self._real(base, values)
            return text if power > 0 else f"(/ {text})"
        if power.is_Rational and power.q == 2:
            root = f"(sqrt {self._real(base, values)})"
            text = root if abs(power.p) == 1 else f"({root} ^ {abs(int(power.p))})"
            return text if power > 0 else f"(/ {text})"
        if power.is_integer:
            return self._whole_power(base, power, values)
        if power.is_Rational and not base.is_positive:  # ``Rpower 0 e`` is 1 in Coq
            raise NotExported(f"{base}**({power}): a power of what may be 0")
        return f"(Rpower {self._real(base, values)} {self._real(power, values)})"

    def _whole_power(self, base: sp.Expr, power: sp.Expr, values: Mapping[Any, str]) -> str:
        """A power with a whole exponent, none below 0: ``pw b n``, times what is added to n.

        In Coq ``pw b n`` is 1 for an n below 0: an exponent that may be negative has no counterpart.
        """
        shift, rest = power.as_coeff_Add()
        if not (_is_count(rest) and shift >= 0):
            shift = sp.S.Zero
            rest = power
        if not _is_count(rest):
            raise NotExported(f"{base}**({power}): an exponent that may be negative")
        b = self._real(base, values)
        text = f"(pw {b} {self.whole(rest, values)})"
        return f"({text}{f' * {b}' * int(shift)})" if shift else text

    def _call(self, e: sp.Expr, values: Mapping[Any, str]) -> str:
        name = {sp.exp: "exp", sp.log: "ln", sp.Abs: "Rabs"}[e.func]
        return f"({name} {self._real(e.args[0], values)})"

    def _extreme(self, e: sp.Expr, values: Mapping[Any, str]) -> str:
        name = "Rmin" if isinstance(e, sp.Min) else "Rmax"
        args = sorted(e.args, key=sp.default_sort_key)
        text = self._real(args[-1], values)
        for a in reversed(args[:-1]):
            text = f"({name} {self._real(a, values)} {text})"
        return text

    def _delta(self, e: sp.Expr, values: Mapping[Any, str]) -> str:
        return f"(delta {self.whole(e.args[0], values)} {self.whole(e.args[1], values)})"

    def _floor(self, e: sp.Expr, values: Mapping[Any, str]) -> str:
        return f"(IZR (Int_part {self._real(e.args[0], values)}))"

    def _function(self, e: sp.Expr, values: Mapping[Any, str]) -> str:
        return self._called(e.func, values, *(self._real(a, values) for a in e.args))


KINDS = (
    (sp.Add, Printer._add),
    (sp.Mul, Printer._mul),
    (sp.Pow, Printer._pow),
    (sp.Sum, Printer._sum),
    (sp.Indexed, Printer._indexed),
    ((sp.Min, sp.Max), Printer._extreme),
    ((sp.exp, sp.log, sp.Abs), Printer._call),
    (sp.floor, Printer._floor),
    (sp.KroneckerDelta, Printer._delta),
    (AppliedUndef, Printer._function),
)
"""How each class is printed: the first that fits."""


def _is_count(e: sp.Expr) -> bool:
    """Whether a whole number is 0 or more whatever its names stand for: tokens and indices begin at 1.

    >>> from proofs_check.rules.terms import index
    >>> k, m, n = index("k"), sp.Symbol("m", integer=True), sp.Symbol("n", integer=True, nonnegative=True)
    >>> [_is_count(e) for e in (n, k - 1, n + 2, n - 1, k - 2, m, -n)]
    [True, True, True, False, False, False, False]
    """
    ranging = {s: sp.Dummy(s.name, integer=True, positive=True) for s in e.free_symbols if is_token(s) or is_index(s)}
    return bool(e.xreplace(ranging).is_nonnegative)


def _rational(e: sp.Rational) -> str:
    size = str(abs(e.p)) if e.q == 1 else f"({abs(e.p)} / {e.q})"
    return size if e.p >= 0 else f"(- {size})"
