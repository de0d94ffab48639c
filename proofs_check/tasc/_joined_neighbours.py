"""An encoding that begins with the letters and joins neighbours, step by step, has the text as its tokens' strings joined.

A string is a number, its letters the digits (none is zero); two strings joined are the first times a power, plus the second.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq

m, h, joins, top = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("m", "h", "joins", "top"))
LETTERS = 0x110001


val, power, after, X = (sp.IndexedBase(name, real=True) for name in ("val", "power", "after", "X"))
"""After h steps: string of token m, its power, whether the token is after the place that is joined, m strings joined."""


class Joins(NamedTuple):
    """What a step does to the strings, and what the first m strings joined are."""

    joined: Any
    """The strings m and m + 1 as one."""
    flags: list[Fact]
    string: list[Fact]
    end: list[Fact]
    nothing: Fact
    more: Fact


def joins_of(d: Derivation, constant: sp.Expr | int = 1) -> Joins:
    """Steps that join two neighbours each."""
    f = after[h, m]
    g = after[h, m + 1]
    flags = d.domain(
        "a step joins two neighbours: a token is after their place, or not",
        eq(f**2, f),
        eq(f * (1 - g), 0),
        eq(after[h, 0], 0),
        eq(after[h, top], 1),
    )
    joined = constant * val[h, m] * power[h, m + 1] + val[h, m + 1]
    string = d.domain(
        "whose strings are joined",
        eq(val[h + 1, m], (1 - g) * val[h, m] + (g - f) * joined + f * val[h, m + 1]),
        eq(
            power[h + 1, m], (1 - g) * power[h, m] + (g - f) * power[h, m] * power[h, m + 1] + f * power[h, m + 1]
        ),
    )  # fmt: skip
    end = d.domain("after the last token there is nothing", eq(val[h, top], 0), eq(power[h, top], 1))
    nothing, next_join = d.recursion(
        "the first m strings joined", eq(X[h, 0], 0), eq(X[h, m + 1], X[h, m] * power[h, m] + val[h, m])
    )
    return Joins(joined, flags, string, end, nothing, next_join)


def kept_by_a_join(d: Derivation, s: Joins) -> Fact:
    """All strings joined are the same after a step: before, at and behind the place."""
    f = after[h, m]
    g = after[h, m + 1]
    flags = s.flags
    statement = eq(X[h + 1, m], (1 - f) * X[h, m] + f * X[h, m + 1])
    none = d.instantiate("after the step", s.nothing, {h: h + 1})
    before = d.suppose("the first m strings", statement)
    then = d.instantiate("after the step", s.more, {h: h + 1})
    following = d.instantiate("one string more", s.more, {m: m + 1})
    shared_facts = [*flags[:2], d.instantiate("of the next", flags[0], {m: m + 1})]
    parts = []
    for place, here, of_x, of_string, of_power in (
        ("behind the place", f, X[h, m + 1], val[h, m + 1], power[h, m + 1]),
        ("at the place", g - f, X[h, m], s.joined, power[h, m] * power[h, m + 1]),
        ("before the place", 1 - g, X[h, m], val[h, m], power[h, m]),
    ):
        string_before = d.smt(f"{place}: the strings", eq(here * (X[h + 1, m] - of_x), 0), before, *shared_facts)
        two = d.smt(f"{place}: the next", eq(here * (val[h + 1, m] - of_string), 0), s.string[0], *shared_facts)
        three = eq(here * (power[h + 1, m] - of_power), 0)
        three = d.smt(f"{place}: its power", three, s.string[1], *shared_facts)
        after_ = of_x * of_power + of_string
        joined_change = here * (X[h + 1, m] * power[h + 1, m] + val[h + 1, m] - after_)
        joined_change = d.smt(f"{place}: joined", eq(joined_change, 0), string_before, two, three)
        goal = eq(here * (X[h + 1, m + 1] - (1 - g) * X[h, m + 1] - g * X[h, m + 2]), 0)
        flat = here * (after_ - (1 - g) * X[h, m + 1] - g * X[h, m + 2])
        flat = d.smt(f"{place}: as before", eq(flat, 0), s.more, following, *shared_facts)
        parts.append(d.smt(f"{place}: together", goal, then, joined_change, flat))
    same = d.inductive(
        "a join leaves the strings joined as they are", statement, m, [none, s.nothing, flags[2]], parts, by="smt"
    )
    return d.instantiate("all of them", same, {m: top})


def spelt(
    d: Derivation, s: Joins, step: sp.Expr, texts: tuple[str, str], names: tuple[str, str, str]
) -> tuple[Any, Fact]:
    """Strings joined, of the tokens that there are at a step: a recursion of their own, and that it is the same."""
    are_those, description = texts
    base, string, size = (sp.IndexedBase(name, real=True) for name in names)
    are = d.domain(are_those, eq(string[m], val[step, m]), eq(size[m], power[step, m]))
    start, go_on = d.recursion(description, eq(base[0], 0), eq(base[m + 1], base[m] * size[m] + string[m]))
    statement = eq(base[m], X[step, m])
    first = d.derive("at first", statement.replace({m: 0}), start, d.instantiate("there", s.nothing, {h: step}))
    before = d.suppose(f"{are_those}, up to m", statement)
    here = d.instantiate("there", s.more, {h: step})
    one_more = d.derive("one more", statement.replace({m: m + 1}), go_on, here, before, *are)
    for_every_m = d.induction("so their strings joined are", statement, m, first, one_more)
    return base[top], d.instantiate("all of them", for_every_m, {m: top})


def decoded(d: Derivation, constant: sp.Expr | int = 1) -> tuple[Any, Any, Fact]:
    """The strings of the tokens joined, the text, and that they are the same."""
    s = joins_of(d, constant)
    same = kept_by_a_join(d, s)
    last = d.instantiate("past the last", s.more, {m: top})
    statement = eq(X[h, top], X[0, top])
    unchanged = d.inductive("all joins do", statement, h, [], [same, last, s.flags[3], *s.end], by="smt")
    unchanged = d.instantiate("in the end", unchanged, {h: joins})
    texts = ("the first tokens are the letters", "the text")
    text, first = spelt(d, s, sp.Integer(0), texts, ("Y", "letter", "letter_power"))
    texts = ("the last ones are those of the encoding", "what is decoded")
    decoded_text, final = spelt(d, s, joins, texts, ("J", "token", "token_power"))
    return decoded_text, text, d.derive("the text is decoded", eq(decoded_text, text), first, final, unchanged)


def number(letters: Sequence[int]) -> int:
    return reduce(lambda value, a: value * LETTERS + a + 1, letters, 0)


def values(letters: Sequence[int], tokens: Sequence[Sequence[int]]) -> dict[str, Any]:
    """The symbols, for an encoding into tokens of these strings, joined from the left."""
    stages = [[[a] for a in letters]]
    places = []
    for place, string in enumerate(tokens):
        for _ in string[1:]:
            now = stages[-1]
            places.append(place)
            stages.append([*now[:place], [*now[place], *now[place + 1]], *now[place + 2 :]])
    last = len(letters) + 1

    def string_of(step: int, place: int) -> Sequence[int]:
        now = stages[min(step, len(places))]
        return now[place] if place < len(now) else []

    def mine(place: int) -> Sequence[int]:
        return tokens[place] if place < len(tokens) else []

    return {
        **{"val": lambda h, m: number(string_of(h, m)), "power": lambda h, m: LETTERS ** len(string_of(h, m))},
        **{"after": lambda h, m: int(m > (places[h] if h < len(places) else last - 1)), "top": last},
        **{"token": lambda m: number(mine(m)), "token_power": lambda m: LETTERS ** len(mine(m)), "joins": len(places)},
        **{
            "letter": lambda m: number(letters[m : m + 1]),
            "letter_power": lambda m: LETTERS ** len(letters[m : m + 1]),
        },
    }
