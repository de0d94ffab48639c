"""An encoding that begins with the letters and joins neighbours, step by step, has the text as its tokens' strings joined.

A string is a number, its letters the digits (none is zero); two strings joined are the first times a power, plus the second.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, eq

m, h, joins, top = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("m", "h", "joins", "top"))
LETTERS = 0x110001


def decoded(d: Derivation, constant: Any = 1) -> tuple[Any, Any, Fact]:
    """The strings of the tokens joined, the text, and that they are the same."""
    val, power, after, X = (sp.IndexedBase(name, real=True) for name in ("val", "power", "after", "X"))
    token, size, letter, one, J, Y = (
        sp.IndexedBase(name, real=True) for name in ("token", "token_power", "letter", "letter_power", "J", "Y")
    )
    f, g = after[h, m], after[h, m + 1]
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
    nothing, more = d.recursion(
        "the first m strings joined", eq(X[h, 0], 0), eq(X[h, m + 1], X[h, m] * power[h, m] + val[h, m])
    )
    # one join
    statement = eq(X[h + 1, m], (1 - f) * X[h, m] + f * X[h, m + 1])
    none = d.instantiate("after the step", nothing, {h: h + 1})
    before = d.suppose("the first m strings", statement)
    then = d.instantiate("after the step", more, {h: h + 1})
    following = d.instantiate("one string more", more, {m: m + 1})
    other = d.instantiate("of the next", flags[0], {m: m + 1})
    parts = []
    for place, here, of_x, of_string, of_power in (
        ("behind the place", f, X[h, m + 1], val[h, m + 1], power[h, m + 1]),
        ("at the place", g - f, X[h, m], joined, power[h, m] * power[h, m + 1]),
        ("before the place", 1 - g, X[h, m], val[h, m], power[h, m]),
    ):
        known = [*flags[:2], other]
        one_ = d.smt(f"{place}: the strings", eq(here * (X[h + 1, m] - of_x), 0), before, *known)
        two = d.smt(f"{place}: the next", eq(here * (val[h + 1, m] - of_string), 0), string[0], *known)
        three = eq(here * (power[h + 1, m] - of_power), 0)
        three = d.smt(f"{place}: its power", three, string[1], *known)
        after_ = of_x * of_power + of_string
        both = here * (X[h + 1, m] * power[h + 1, m] + val[h + 1, m] - after_)
        both = d.smt(f"{place}: joined", eq(both, 0), one_, two, three)
        goal = eq(here * (X[h + 1, m + 1] - (1 - g) * X[h, m + 1] - g * X[h, m + 2]), 0)
        flat = here * (after_ - (1 - g) * X[h, m + 1] - g * X[h, m + 2])
        flat = d.smt(f"{place}: as before", eq(flat, 0), more, following, *known)
        parts.append(d.smt(f"{place}: together", goal, then, both, flat))
    same = d.inductive(
        "a join leaves the strings joined as they are", statement, m, [none, nothing, flags[2]], parts, by="smt"
    )
    same = d.instantiate("all of them", same, {m: top})
    last = d.instantiate("past the last", more, {m: top})
    # all joins
    statement = eq(X[h, top], X[0, top])
    kept = d.inductive("all joins do", statement, h, [], [same, last, flags[3], *end], by="smt")
    kept = d.instantiate("in the end", kept, {h: joins})
    # from the letters to the tokens
    found = []
    for base_, at, text, one_, two in (
        (Y, sp.Integer(0), "the first tokens are the letters", letter, one),
        (J, joins, "the last ones are those of the encoding", token, size),
    ):
        are = d.domain(text, eq(one_[m], val[at, m]), eq(two[m], power[at, m]))
        start, go_on = d.recursion(
            "the text" if at == 0 else "what is decoded", eq(base_[0], 0), eq(base_[m + 1], base_[m] * two[m] + one_[m])
        )
        statement = eq(base_[m], X[at, m])
        first = d.derive("at first", statement.replace({m: 0}), start, d.instantiate("there", nothing, {h: at}))
        before = d.suppose(f"{text}, up to m", statement)
        here = d.instantiate("there", more, {h: at})
        step = d.derive("one more", statement.replace({m: m + 1}), go_on, here, before, *are)
        every = d.induction("so their strings joined are", statement, m, first, step)
        found.append(d.instantiate("all of them", every, {m: top}))
    return J[top], Y[top], d.derive("the text is decoded", eq(J[top], Y[top]), *found, kept)


def number(letters: Sequence[int]) -> int:
    return reduce(lambda value, a: value * LETTERS + a + 1, letters, 0)


def values(letters: Sequence[int], tokens: Sequence[Sequence[int]]) -> dict[str, Any]:
    """The symbols, for an encoding into tokens of these strings, joined from the left."""
    stages, places = [[[a] for a in letters]], []
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
