"""How each form of a definition is written in Coq."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.coq.defined import said
from proofs_check.coq.marks import token_place
from proofs_check.coq.statements import Definition
from proofs_check.coq.writer import Writer
from proofs_check.rules.terms import V, is_token

__all__ = ["FORMS", "free_name", "pair_variables", "typed_lines"]

DECIDED = {"=": "is_0", ">=": "at_least_0", ">": "above_0", "<=": "at_most_0", "<": "below_0"}
"""How a relation of a number to 0 is decided."""


def _not_below(w: Writer, c: Definition) -> str:
    e, top = c.of
    if c.symbol.is_integer:
        return f"(whole_mark {w.p.real(e)} {w.p.real(top)})"
    mark = f"(not_below {w.p.real(e)})"
    return mark if top == 1 else f"({w.p.real(top)} * {mark})"


def _at_largest(w: Writer, c: Definition) -> str:
    at = c.symbol.indices[-1]
    assert is_token(at)
    name = w.p.name(at)
    return f"(at_largest 1%Z {w.p.name(V)} (fun {name} : Z => {w.p.real(c.of[0])}) {name})"


def _elsewhere(w: Writer, c: Definition) -> str:
    """What a quotient is where its denominator is 0: the law of the first token where the entries are to sum to 1."""
    if c.is_free_at_zero:
        places = c.symbol.indices if isinstance(c.symbol, sp.Indexed) else ()
        return f"({' '.join([free_name(w, c), *map(w.p.name, places)])})" if places else free_name(w, c)
    if c.ops:
        return c.ops[0]
    if isinstance(c.symbol, sp.Indexed):
        for s in said(w.d):
            side = s.relation.lhs
            if (
                isinstance(side, sp.Sum)
                and s.relation.op == "="
                and s.relation.rhs == 1
                and isinstance(side.function, sp.Indexed)
                and side.function.base.label == c.label
            ):
                (at, low, _) = side.limits[0]
                place = list(side.function.indices).index(at)
                return f"(delta {w.p.name(c.symbol.indices[place])} {w.p.whole(low)})"
    return "1" if c.symbol.is_positive else "0"


def free_name(w: Writer, c: Definition) -> str:
    """The variable for what a quotient is where its denominator is 0."""
    return f"free_{w.p.name(c.label)}"


def _decided(w: Writer, c: Definition) -> str:
    """Whether all conditions of a mark hold, as a boolean."""
    parts = [f"{DECIDED[op]} {w.p.real(e)}" for e, op in zip(c.of, c.ops, strict=True)]
    return " && ".join(f"({condition})" for condition in parts)


def _mark(w: Writer, c: Definition) -> str:
    negation = "negb " if c.form == "unmarked" else ""
    return f"({'whole_marked' if c.symbol.is_integer else 'marked'} ({negation}({_decided(w, c)})%bool))"


def _free_mark(w: Writer, c: Definition) -> str:
    """1 where it may not be 0; else 1 at the chosen places where it may be 1."""
    places = c.symbol.indices if isinstance(c.symbol, sp.Indexed) else ()
    decided = {"0": ["true"], "1": [" ".join([free_name(w, c), *map(w.p.name, places)])]}
    for e, op in zip(c.of, c.ops, strict=True):
        decided[op[0]].append(f"{DECIDED[op[1:]]} {w.p.real(e)}")
    may_be = {value: " && ".join(f"({condition})" for condition in texts) for value, texts in decided.items()}
    kind = "whole_marked" if c.symbol.is_integer else "marked"
    return f"({kind} (if ({may_be['0']})%bool then ({may_be['1']})%bool else true))"


def _ranked(w: Writer, c: Definition) -> str:
    """Whether a token is among the first of a set."""
    e, set_entry, number = c.of
    name = w.p.name(c.symbol.indices[-1])
    size = w.p.name(V)
    functions = " ".join(f"(fun {name} : Z => {w.p.real(f)})" for f in (e, set_entry))
    mark = "whole_marked" if c.symbol.is_integer else "marked"
    return f"({mark} (ranked 1%Z {size} {functions} {w.p.real(number)} {name}))"


def _at(w: Any, c: Definition) -> str:
    """An expression at the token that is marked."""
    e, mark_symbol = c.of
    mark = w.by_label[mark_symbol.base.label]
    place = token_place(mark)
    at = mark_symbol.indices[place]
    name = w.p.name(at)
    others = [k for n, k in enumerate(mark_symbol.indices) if n != place]
    if mark.form in {"token", "pair"}:
        token = " ".join([f"token_{w.p.name(mark.label)}", *map(w.p.whole, others)])
    else:
        (compared,) = mark.of
        values = dict(zip(mark.symbol.indices, (*others, at), strict=True))
        token = f"largest_at 1%Z {w.p.name(V)} (fun {name} : Z => {w.p.real(compared.subs(values))})"
    return f"((fun {name} : Z => {w.p.real(e)}) ({token}))"


def _largest_value(w: Writer, c: Definition) -> str:
    """The largest, or least, value of an expression of tokens."""
    text = w.p.real(c.of[0])
    if c.form == "lowest":
        text = f"(- {text})"
    bound = [s for s in c.of[0].free_symbols if str(s) in c.ops and is_token(s)]
    for s in sorted(bound, key=str):
        text = f"(largest 1%Z {w.p.name(V)} (fun {w.p.name(s)} : Z => {text}))"
    return f"(- {text})" if c.form == "lowest" else text


def _along(w: Writer, c: Definition) -> str:
    """What a name is on texts: its first value, and the quotient that it is after one token more."""
    numerator, denominator, first = c.of
    (place,) = c.symbol.indices
    free = {s for e in (numerator, denominator) for s in e.free_symbols}
    before = next((s for s in free if isinstance(s, sp.Dummy) and s.name == "before"), None)
    token = next((w.p.name(s) for s in free if is_token(s) and str(s) == c.ops[1]), "_")
    value = "_" if before is None else w.p.name(before)
    name = w.p.real(c.symbol)  # terms are written in the order that they have with the name itself, as in what is given
    texts = [
        w.p.real(e.xreplace({before: c.symbol} if before else {})).replace(name, value)
        for e in (numerator, denominator)
    ]
    step = f"over {' '.join(texts)} 0"
    name = w.p.name(place)
    return f"(on_texts {w.p.name(V)} {w.p.real(first)} (fun ({name} : Z) ({token} : Z) ({value} : R) => {step}) {name})"


def typed_lines(w: Any, c: Definition) -> list[str]:
    """The variable of a name that is chosen freely, with its range, and what the name is then."""
    name = w.p.name(c.label)
    places = list(c.symbol.indices) if isinstance(c.symbol, sp.Indexed) else []
    kind = "Z" if c.symbol.is_integer else "R"
    binders = "".join(f" ({w.p.name(k)} : Z)" for k in places)
    if c.form == "number":
        range_ = w.f.range(c.symbol)
        lines = [f"Variable whole_{name} : Z.", f"Definition {name} : R := IZR whole_{name}."]
        return [*lines, f"Hypothesis R_{name} : {range_}."] if range_ else lines
    if c.form == "pair":
        partner = next(b for b in w.definitions if str(b.label) == c.ops[0])
        tokens = sorted(f"token_{w.p.name(b.label)}" for b in (c, partner))
        differ = f"(1 + -1 * delta {' '.join(tokens)})"
        return [f"Definition {name}{binders} : {kind} := delta {w.p.name(places[0])} token_{name} * {differ}."]
    if c.form == "set":
        value = " ".join([f"set_{name}", *map(w.p.name, places)])
        mark = "whole_marked" if c.symbol.is_integer else "marked"
        return [
            f"Variable set_{name} : {'Z -> ' * len(places)}bool.",
            f"Definition {name}{binders} : {kind} := {mark} ({value}).",
        ]
    place = token_place(c)
    others = [w.p.name(k) for n, k in enumerate(places) if n != place]
    token = " ".join([f"token_{name}", *others])
    quantifier = f"forall {' '.join(others)} : Z, " if others else ""
    range_ = f"{quantifier}(1 <= {token} <= {w.p.name(V)})%Z"
    return [
        f"Variable token_{name} : {'Z -> ' * len(others)}Z.",
        f"Hypothesis token_{name}_range : {range_}.",
        f"Definition {name}{binders} : {kind} := delta {w.p.name(places[place])} ({token}).",
    ]


def pair_variables(w: Writer, c: Definition) -> list[str]:
    """The token of a mark of one of two, with its range; they stand before what the marks are."""
    token = f"token_{w.p.name(c.label)}"
    return [f"Variable {token} : Z.", f"Hypothesis {token}_range : (1 <= {token} <= {w.p.name(V)})%Z."]


FORMS = {
    "is": lambda w, c: w.p.whole(c.of[0]) if c.symbol.is_integer else w.p.real(c.of[0]),
    "over": lambda w, c: f"(over {w.p.real(c.of[0])} {w.p.real(c.of[1])} {_elsewhere(w, c)})",
    "is_zero": lambda w, c: f"(is_zero {w.p.real(c.of[0])})",
    "not_below": _not_below,
    "or_not_below": lambda w, c: f"(Rmax {w.p.real(c.of[0])} (not_below {w.p.real(c.of[1])}))",
    "at_largest": _at_largest,
    "mark": _mark,
    "unmarked": _mark,
    "free_mark": _free_mark,
    "ranked": _ranked,
    "at": _at,
    "greatest": _largest_value,
    "lowest": _largest_value,
    "along": _along,
    "sqrt": lambda w, c: f"(sqrt {w.p.real(c.of[0])})",
    "whole": lambda w, c: (
        f"(Int_part {w.p.real(c.of[0])})" if c.symbol.is_integer else f"(IZR (Int_part {w.p.real(c.of[0])}))"
    ),
}
"""How each form of a definition is written."""
