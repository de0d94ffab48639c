"""Names on texts: ``q[c, x] r[child[c, x]] = min(p[c, x] r[c], q[c, x])`` says what r is after one token more.

The index of such a name ranges over any set with a map ``child``.  Texts over the V tokens are one, the largest with a first
member: ``texts.v`` numbers them, and r is defined there from the empty text on, one token after the other.  What a claim draws, a
tree of prefixes up to some length, is a part of it; laws after other texts are any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sympy as sp

from proofs_check.coq.facts import Facts, Premise
from proofs_check.coq.statements import Definition, Said, head, is_polynomial, names
from proofs_check.coq.trace import Traced
from proofs_check.rules.terms import V, is_index, is_token

__all__ = ["after_each_token", "child_map", "roots"]


def child_map(d: Traced, statements: Iterable[Said]) -> Any:
    """The map to a text with one token more: the first by which a name is said at ``map[c, x]``; None where there is none."""
    maps = {m.label for m in d.maps}
    for s in statements:
        for a in sorted(s.relation.lhs.atoms(sp.Indexed) | s.relation.rhs.atoms(sp.Indexed), key=str):
            if _is_child(a, maps):
                return a.indices[0].base.label
    return None


def roots(facts: Facts, statements: Iterable[Said], label: Any) -> dict[Any, Any]:
    """Single members of an index's set at which a name is a number, with the number: ``r[root] = 1``."""
    firsts = {}
    for s in statements:
        left = s.relation.lhs
        right = s.relation.rhs
        is_entry = isinstance(left, sp.Indexed) and left.base.label == label and len(left.indices) == 1
        if not is_entry or s.relation.op != "=" or not right.is_number:
            continue
        (place,) = left.indices
        if is_index(place) and place in facts.fixed(Premise(s.given_name, s.place)):
            firsts[place] = right
    return firsts


def after_each_token(symbol: sp.Expr, statements: Sequence[Said], facts: Facts, child: Any) -> Iterator[Definition]:
    """A name by what it is after one token more, as a quotient of what it is before: by an equation linear in the former."""
    if child is None or not isinstance(symbol, sp.Indexed) or len(symbol.indices) != 1 or symbol.is_integer:
        return
    label = head(symbol)
    firsts = set(roots(facts, statements, label).values())
    if len(firsts) > 1:
        return
    for s in (s for s in statements if s.relation.op == "="):
        entries = {a for side in (s.relation.lhs, s.relation.rhs) for a in side.atoms(sp.Indexed)}
        later = [a for a in entries if a.base.label == label and _is_child(a, {child})]
        if len(later) != 1 or later[0].indices[0].indices[0] != symbol.indices[0]:
            continue
        token = later[0].indices[0].indices[1]
        unknown = sp.Dummy("after", real=True)
        before = sp.Dummy("before", real=True)
        difference = sp.expand(
            (s.relation.lhs - s.relation.rhs).xreplace({later[0]: unknown}).xreplace({symbol: before})
        )
        if label in names(difference) or child in names(difference) or not is_polynomial(difference, unknown):
            continue
        slope = sp.expand(sp.diff(difference, unknown))
        rest = difference.subs(unknown, 0)
        free = {k for k in difference.free_symbols if k.is_integer and k not in {a.base.label for a in entries}}
        if slope.has(unknown) or slope.has(before) or slope == 0 or not free <= {symbol.indices[0], token, V}:
            continue
        sign = -1 if slope.could_extract_minus_sign() else 1
        first = next(iter(firsts), sp.S.One)
        yield Definition(symbol, "along", (-sign * rest, sp.factor(sign * slope), first), (str(child), str(token)))


def _is_child(a: sp.Indexed, maps: set[Any]) -> bool:
    """Whether an entry stands at ``child[c, x]``, x a token, and at no other place."""
    place = a.indices[0]
    return (
        len(a.indices) == 1
        and isinstance(place, sp.Indexed)
        and place.base.label in maps
        and len(place.indices) == 2
        and isinstance(place.indices[0], sp.Symbol)
        and is_token(place.indices[1])
    )
