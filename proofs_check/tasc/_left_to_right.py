"""One pass over a text from the left that merges an n-gram: what it saves, and that no other choice merges more.

Texts are counted by c, places in a text by m = 0, 1, …; f[c, m] is 1 where an occurrence begins.  After a merge the scan is
busy for n − 1 places: s[c, m] of them are left at place m, and an occurrence that begins there is merged when s = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Relation, eq, ge, index, le
from proofs_check.metrics._whole_numbers import none_between

__all__ = [
    "L",
    "N",
    "Pass",
    "ahead",
    "busy_for",
    "c",
    "counted",
    "inductive",
    "m",
    "saved",
    "scan",
    "starts",
]

c = index("c")
m = sp.Symbol("m", integer=True, nonnegative=True)
L = sp.IndexedBase("L", integer=True, nonnegative=True)
"""Tokens of a text."""
N = sp.Symbol("N", integer=True, positive=True)
"""Texts."""


class Pass(NamedTuple):
    """A pass over the texts: its symbols, and what holds at every place."""

    n: Any
    f: Any
    s: Any
    g: Any
    G: Any
    begins: Fact
    start: Fact
    next: Fact
    none: Fact
    more: Fact
    whole: Fact
    below: Fact
    sizes: tuple[Any, ...]
    rules: tuple[Fact, Fact, Fact, Fact]


def inductive(d: Derivation, text: str, statement: Relation, start: Sequence[Fact], step: Sequence[Fact]) -> Fact:
    """A statement about every place m, from the first place, and from one place to the next."""
    return d.inductive(text, statement, m, start, step, by="smt")


def busy_for(d: Derivation, name: str, starting: Callable[..., Any], n: sp.Expr, text: str) -> tuple[Any, Fact, Fact]:
    """Places still busy, when what begins at place m keeps n − 1 further places busy."""
    s = sp.IndexedBase(name, real=True)
    still_busy = sp.Max(s[c, m] - 1, 0)
    return s, *d.recursion(text, eq(s[c, 0], 0), eq(s[c, m + 1], still_busy + starting(s) * (n - 1)))


def counted(d: Derivation, name: str, summand: sp.Expr, text: str) -> tuple[Any, Fact, Fact]:
    """The sum of something over the first m places."""
    C = sp.IndexedBase(name, real=True)
    return C, *d.recursion(text, eq(C[c, 0], 0), eq(C[c, m + 1], C[c, m] + summand))


def _busy(d: Derivation, f: sp.IndexedBase, n: sp.Expr, flag_facts: Sequence[Fact]) -> tuple[Any, tuple[Fact, Fact]]:
    """Places still busy in the pass from the left, a whole number and none below 0; of the first place, and of the next."""
    b = sp.IndexedBase("b_pass", integer=True)
    s = sp.IndexedBase("s", integer=True, nonnegative=True)

    def after(now: sp.Expr) -> Any:
        return sp.Max(now - 1, 0) + f[c, m] * (1 - sp.Min(now, 1)) * (n - 1)

    text = "the pass from the left: a merge at a free place makes n − 1 further places busy"
    first, then = d.recursion(text, eq(b[c, 0], 0), eq(b[c, m + 1], after(b[c, m])))
    some = inductive(d, "never fewer than none", ge(b[c, m], 0), [first], [then, *flag_facts, none_between(d, b[c, m])])
    named = d.define("places still busy", s[c, m], b[c, m], some)
    start, following = (d.instantiate("there", named, {m: place}) for place in (sp.S.Zero, m + 1))
    return s, (
        d.derive("none at first", eq(s[c, 0], 0), start, first),
        d.derive("and at the next place", eq(s[c, m + 1], after(s[c, m])), following, then, named, by="smt"),
    )


def scan(d: Derivation, n: sp.Expr | None = None, lengths: Sequence[Fact] = ()) -> Pass:
    """The pass from the left.  `n` is a number of at least two where it is given, `lengths` what says so."""
    counts: Sequence[Fact]
    if n is None:
        n = sp.Symbol("n", integer=True, positive=True)
        lengths = [d.domain("an n-gram has two tokens or more", ge(n, 2))]
        # the sign that s is declared with rests on nothing given of a number: that n is positive is enough
        counts = [d.smt("a merge makes no negative number of places busy", ge(n, 1), none_between(d, n))]
    else:
        counts = lengths
    f = sp.IndexedBase("f", integer=True)
    begins = d.domain("an occurrence begins at a place, or none", eq(f[c, m] * (1 - f[c, m]), 0))
    g = sp.IndexedBase("g", real=True)
    merged = g[c, m]
    s, busy_there = _busy(d, f, n, [begins, *counts])
    start, following = busy_there
    merges = d.define("the pass merges what begins at a free place", merged, f[c, m] * (1 - sp.Min(s[c, m], 1)))
    rule = eq(s[c, m + 1], sp.Max(s[c, m] - 1, 0) + merged * (n - 1))
    following = d.derive("a merge makes n − 1 further places busy", rule, following, merges)
    G, none, next_count = counted(d, "G", merged, "occurrences merged")
    integer_busy = none_between(d, s[c, m])
    rules = (
        d.smt("it merges or does not", eq(merged * (1 - merged), 0), merges, begins, integer_busy),
        d.smt("it merges occurrences", le(merged, f[c, m]), merges, begins, integer_busy),
        d.smt("at free places", eq(merged * s[c, m], 0), merges, begins, integer_busy),
        d.smt("and all that begin there", le(f[c, m], merged + s[c, m]), merges, begins, integer_busy),
    )
    below = inductive(
        d, "busy inside one occurrence only", le(s[c, m], n - 1), [start, *lengths], [following, *rules, *lengths]
    )
    return Pass(
        n=n,
        f=f,
        s=s,
        g=g,
        G=G,
        begins=begins,
        start=start,
        next=following,
        none=none,
        more=next_count,
        whole=integer_busy,
        below=below,
        sizes=tuple(lengths),
        rules=rules,
    )


def ahead(
    d: Derivation, p: Pass, h: sp.Expr, facts: Sequence[Fact], free: Callable[..., Any]
) -> tuple[Any, Fact, tuple[Fact, Fact]]:
    """The pass from the left has merged, at every place, as many occurrences as any choice without overlaps.

    `h` is 1 where a chosen occurrence begins at place m of text c; `facts` say that it is 0 or 1, and at most f; `free` makes,
    of the places u that the chosen ones keep busy, the fact that a chosen one begins where none is busy.
    """
    u, u_start, u_next = busy_for(d, "u", lambda _: h, p.n, "places that the chosen ones keep busy")
    H, none, next_number = counted(d, "H", h, "chosen occurrences")
    u_busy = inductive(d, "never fewer than none", ge(u[c, m], 0), [u_start], [u_next, *facts, *p.sizes])
    disjoint = free(u, u_start, u_next, u_busy)
    lead = p.G[c, m] - H[c, m]
    statement = ge(sp.Min(lead, sp.Max(u[c, m] - p.s[c, m], lead - 1)), 0)
    step = [p.next, p.more, u_next, next_number, *p.rules, *facts, disjoint, p.whole, p.below, u_busy, *p.sizes]
    lead_invariant = inductive(
        d, "not behind, and free as early unless ahead", statement, [p.start, u_start, p.none, none], step
    )
    return H, d.smt("not behind", ge(p.G[c, m], H[c, m]), lead_invariant), (none, next_number)


def saved(d: Derivation, p: Pass, constant: sp.Expr | int = 1) -> tuple[Any, Fact]:
    """Tokens that a text loses, S[c, L]: n − 1 for each merged occurrence."""
    R = sp.IndexedBase("R", real=True)
    remaining = sp.Max(R[c, m] - 1, 0)
    whole_text, one_less = d.recursion("tokens left of the text", eq(R[c, 0], L[c]), eq(R[c, m + 1], remaining))
    rest = inductive(d, "all but those passed", eq(R[c, m], sp.Max(L[c] - m, 0)), [whole_text], [one_less])
    within = d.domain("an occurrence ends within its text", le(p.f[c, m] * (p.n - 1), remaining))
    S, none, next_saved = counted(d, "S", sp.Min(p.s[c, m], 1), "tokens that are merged into an earlier one")
    busy_fits = inductive(
        d,
        "what is busy lies within the text",
        le(p.s[c, m], R[c, m]),
        [p.start, whole_text],
        [p.next, *p.rules, p.whole, within, one_less],
    )
    paid_places = eq(S[c, m], constant * (p.n - 1) * p.G[c, m] - p.s[c, m])
    paid_places = inductive(
        d, "each merge pays for its places", paid_places, [p.start, p.none, none], [p.next, p.more, next_saved, p.whole]
    )
    end = d.instantiate("what was paid at the end of the text", paid_places, {m: L[c]})
    busy_fits = d.instantiate("what is busy there", busy_fits, {m: L[c]})
    rest = d.instantiate("tokens left there", rest, {m: L[c]})
    text = eq(S[c, L[c]], (p.n - 1) * p.G[c, L[c]])
    return S, d.smt("nothing is busy at the end", text, end, busy_fits, rest)


def starts(text: Sequence[int], ngram: Sequence[int], at: int) -> int:
    """Whether an n-gram begins at a place."""
    return int(list(text[at : at + len(ngram)]) == list(ngram))
