"""Which statements say of a free variable only in which range it is: of a number, of a law over its places, or of a part of one.

A derivation may take numbers and laws that are no arguments of its claim: a chance between 0 and 1, a law of the states after a
token.  That such a name is in its range says what kind of variable it is, as a declaration does.  It is no range where anything
else is said of the name: what follows from that would be a theorem.  What is concluded is none, either.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.coq.defined import about
from proofs_check.coq.facts import Facts, Premise
from proofs_check.coq.statements import Said, head
from proofs_check.coq.trace import Traced
from proofs_check.coq.wellfounded import Meanings
from proofs_check.rules.terms import Relation

__all__ = ["free_ranges", "ranged_symbol"]


def free_ranges(d: Traced) -> frozenset[Premise]:
    """The statements among what a derivation is given that are ranges of free variables, by the given's name and place."""
    statements = [Said(name, k, r) for name, relations in d.givens.items() for k, r in enumerate(relations)]
    meanings = Meanings(d)
    facts = Facts(d)
    subjects = about(statements, meanings.of)
    ranges = {}
    bound = set(meanings.of) | set(d.made_of) | {m.label for m in d.maps}
    for s, names in zip(statements, subjects, strict=True):
        symbol = ranged_symbol(s.relation)
        if symbol is not None and s.relation not in d.conclusions and _is_general(symbol, facts, s):
            ranges[s] = head(symbol)
        elif s.given_name not in d.assumed:
            bound |= names
    return frozenset(Premise(s.given_name, s.place) for s, label in ranges.items() if label not in bound)


def ranged_symbol(r: Relation) -> Any:
    """The name that a relation bounds by a number, or whose entries it sums to one; None where it says something else.

    >>> from proofs_check.rules.terms import eq, ge, total, x
    >>> p = sp.IndexedBase("p", real=True)
    >>> ranged_symbol(ge(p[x], 0)), ranged_symbol(eq(total(p[x], x), 1)), ranged_symbol(eq(p[x], 1))
    (p[x], p[x], None)
    """
    left = r.lhs
    right = r.rhs
    if isinstance(left, sp.Sum) and r.op == "=" and right == 1:
        entry = left.function
        is_over_places = isinstance(entry, sp.Indexed) and all(
            name in entry.indices and low == 1 for name, low, _ in left.limits
        )
        return entry if is_over_places else None
    if r.op == "=":
        return None
    if left.is_number:
        left, right = right, left
    return left if isinstance(left, (sp.Indexed, sp.Symbol)) and right.is_number else None


def _is_general(symbol: Any, facts: Facts, s: Said) -> bool:
    """Whether it stands at places that are names, each another one, and for all of which the statement holds."""
    places = symbol.indices if isinstance(symbol, sp.Indexed) else ()
    fixed = facts.fixed(Premise(s.given_name, s.place))
    return all(isinstance(k, sp.Symbol) and k not in fixed for k in places) and len(set(places)) == len(places)
