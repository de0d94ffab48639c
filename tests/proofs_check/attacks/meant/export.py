"""Derivations that the rules rightly accept, whose scripts for Coq suppose so much that Coq would accept any step of them.

Each derivation is sound, and what it is given can be: an instance is said.  In the script it was given of every whole number,
outside of its case, or of another number; so that 1 = 0 followed there, and Coq's answer said nothing.  The twin is given the
same of what its script says it of.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from proofs_check.checking.written import Proof
from proofs_check.coq.check import traced
from proofs_check.coq.export import exported
from proofs_check.coq.terms import NotExported
from proofs_check.coq.trace import Traced
from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import V, eq, ge, gt, index, le, total, x
from simspec.claims.claim import Claim, equal
from tests.proofs_check.attacks.attack import Attack, NotProved
from tests.proofs_check.attacks.promised import EVERY_INDEX

__all__ = ["CONTRADICTED", "EXPORT", "script"]

FAMILY = "scripts for Coq that suppose too much"
EXPORT: list[Attack] = []
CONTRADICTED: dict[str, tuple[Callable[[Derivation], None], str]] = {}
"""For each attack its derivation, and the tactics by which 1 = 0 followed from its script."""
Prove = Callable[[Derivation], None]
W, a = sp.IndexedBase("W", real=True), sp.IndexedBase("a", real=True)
T, n, m = (sp.Symbol(name, integer=True, nonnegative=True) for name in "Tnm")
k, h, g, root = map(index, ("k", "h", "g", "root"))
tenth = sp.Rational(1, 10)


def script(prove: Prove) -> str:
    """The script of a derivation of one's own."""
    d = Traced("own.claim")
    prove(d)
    return exported(d)[0]


def _written(prove: Prove, *supposed: str) -> str:
    """The script, where it supposes what it must not."""
    try:
        text = script(prove)
    except NotExported as error:
        raise NotProved(f"Coq is given nothing: {error}") from None
    if all(part in text for part in supposed):
        return text
    raise NotProved("what is given of one is a premise about that one")


def _exact(prove: Prove) -> str:
    """The script, of whatever it supposes."""
    try:
        return script(prove)
    except NotExported as error:
        raise NotProved(f"Coq is given nothing: {error}") from None


PREMISE = "is a premise about that one"


def _supposing(by: str, twin: Prove, absurd: str, *supposed: str) -> Callable[[Prove], Prove]:
    """Put a derivation into the list; its docstring says what its script supposed, and `supposed` are parts of that."""

    def put(prove: Prove) -> Prove:
        says = " ".join((prove.__doc__ or "").split()).removesuffix(".")
        way = partial(_written, prove, *supposed)
        EXPORT.append(Attack(f"export_{prove.__name__}", FAMILY, says, way, twin=partial(_exact, twin), by=by))
        CONTRADICTED[prove.__name__] = prove, absurd
        return prove

    return put


# --- a number that is one of many ---


def _falls(d: Derivation) -> None:
    """W falls at every step; so it does at the first."""
    down = d.domain("falls", le(W[n + 1], W[n]))
    d.qed(d.derive("so", le(W[1], W[0]), d.instantiate("at first", down, {n: 0})))


@_supposing(PREMISE, _falls, "pose proof (H_0 0 ltac:(lia))%Z; lra", "Hypothesis H_0 : forall (v_T : Z)")
def end_of_a_sequence(d: Derivation) -> None:
    """W[T] = 0 of the end T, for every T, beside W[0] = 1."""
    end = d.domain("nothing is left at the end", eq(W[T], 0))
    first = d.domain("all at first", eq(W[0], 1))
    d.qed(d.derive("so", eq(W[0] - W[T], 1), end, first))


@_supposing(
    PREMISE,
    _falls,
    "pose proof (H_0 0 ltac:(lia))%Z; pose proof recursion_v_W_0; lra",
    "Hypothesis H_0 : forall (v_T : Z)",
)
def end_of_a_recursion(d: Derivation) -> None:
    """W[T] ≤ 1/10 of the end T of a sequence that halves, for every T, though W[0] is 1."""
    first, _ = d.recursion("halves", eq(W[0], 1), eq(W[n + 1], W[n] / 2))
    end = d.domain("below a tenth at the end", le(W[T], tenth))
    d.qed(d.derive("so", le(W[T] - W[0], tenth - 1), end, first))


@_supposing(PREMISE, _falls, "pose proof (H_0 1 ltac:(lia))%Z; lra", "Hypothesis H_0 : forall (v_k : Z)")
def one_member_beside_the_first(d: Derivation) -> None:
    """a[k] = 0 of one k, for every k, beside a[1] = 1."""
    one = d.domain("of one", eq(a[k], 0))
    first = d.domain("of the first", eq(a[1], 1))
    d.qed(d.derive("so", eq(a[k] - a[1], -1), one, first))


@_supposing(
    PREMISE,
    _falls,
    "pose proof (H_0 (v_child 1) (v_child_range 1))%Z; pose proof (H_1 1 ltac:(lia))%Z; lra",
    "Hypothesis H_0 : forall (v_root : Z)",
)
def root_beside_its_child(d: Derivation) -> None:
    """r[root] = 1 for every node, beside 2 r = 1 of the root's child, which a map finds."""
    child = d.map("child")
    one = d.domain("the root has one", eq(a[root], 1))
    half = d.domain("its child has half", eq(2 * a[child[root]], 1))
    d.qed(d.derive("so", eq(2 * a[root] - 2 * a[child[root]], 1), one, half))


@_supposing(
    PREMISE, _falls, "pose proof (H_0 0 ltac:(lia))%Z; pose proof (H_1 0 ltac:(lia))%Z; lra", "Hypothesis H_1 : forall"
)
def two_counters(d: Derivation) -> None:
    """W[m] = 1 of one place m and W[T] = 0 of another, T, each for every one."""
    zero = d.domain("of the end", eq(W[T], 0))
    one = d.domain("of the place", eq(W[m], 1))
    d.qed(d.derive("so", eq(W[m] - W[T], 1), zero, one))


@_supposing(PREMISE, _falls, "pose proof (H_1 1 ltac:(lia))%Z; lra", "Hypothesis H_1 : forall (v_T : Z)")
def end_beside_a_quotient(d: Derivation) -> None:
    """1/W[T] = 2 of the end for every T, beside W[1] = 1."""
    positive = d.domain("positive at the end", gt(W[T], 0))
    end = d.domain("half at the end", eq(W[T], sp.Rational(1, 2)))
    first = d.domain("all at first", eq(W[1], 1))
    d.qed(d.derive("so", eq(W[1] / 2 - W[T], 0), end, first, positive))


# --- what is cited, or a power ---


def _cited(d: Derivation) -> None:
    """A theorem without a case."""
    c = d.number("c", low=1)
    d.qed(d.derive("so", ge(c**2 + 1, c), d.cite("large", ge(c**2, c), "a book")))


@_supposing("cited in a case", _cited, "", "Hypothesis H_3", "Hypothesis H_4")
def cited_in_a_case(d: Derivation) -> None:
    """c² ≥ c is cited where c ≥ 1, and c² ≤ c where c ≤ 1, both of every c: it is 0 or 1 then."""
    c = d.number("c", low=0)
    up = d.case("up", ge(c, 1))
    low = d.case("low", le(c, 1))
    larger = d.cite("large", ge(c**2, c), "a book", up)
    smaller = d.cite("small", le(c**2, c), "a book", low)
    most = ge(sp.Max(c**2, c), c)
    d.qed(d.cases("so", d.derive("up", most, larger), d.derive("up", most, smaller)))


def _rooted(d: Derivation) -> None:
    """The cube root of a number above 0."""
    c = d.number("c", positive=True)
    d.qed(d.derive("so", ge(c ** sp.Rational(1, 3) + 1, 1)))


@_supposing("a power of what may be 0", _rooted, "", "Rpower")
def cube_root_of_nothing(d: Derivation) -> None:
    """The cube root of 0, which is 1 for Coq: so it has that c^(1/3) is above 0 for every c that is not negative."""
    c = d.number("c", low=0)
    d.qed(d.derive("so", ge(c ** sp.Rational(1, 3), 0)))


@_supposing("a power of what may be 0", _rooted, "", "Rpower")
def fourth_root_of_a_mass(d: Derivation) -> None:
    """The fourth roots of masses, some of which may be 0."""
    p, _ = d.law("p")
    d.qed(d.derive("so", ge(p[x] ** sp.Rational(1, 4), 0)))


# --- ranges, which are the instance's ---

c = sp.Symbol("c", real=True)
b = sp.IndexedBase("b", real=True)
NUMBERS = {"a": (0, 0, 1, 1), "b": (0, 0, 1, 1)}
Bind = Callable[..., dict[str, Any]]


def _drawn(draw: Any) -> dict[str, Any]:
    return {"c": Fraction(1, 2)}


def _of_ranges(prove: Prove, bind: Bind) -> str:
    """The script of a proof of a claim of one's own, c + 1 = c + 1, where numbers and ranges are those of a bind."""
    claim = Claim("own.claim", "identity", "one more", "nobody", lambda c: c + 1, equal, lambda c: c + 1, _drawn)
    try:
        return exported(traced(Proof(claim, prove, {}, bind)))[0]
    except NotExported as error:
        raise NotProved(f"Coq is given nothing: {error}") from None


def _bound(**ranges: Any) -> Bind:
    return lambda c: {"c": c, "V": 1, **NUMBERS, "W": lambda at: max(3 - at, 0), "ranges": ranges}


RANGES = {"k": [1, 2], "h": [3], "g": [3]}
TWO = "over which another name ranges"


def _in_ranges(says: str, twin: Prove, bind: Bind, by: str = TWO, beyond: str = "") -> Callable[[Prove], Prove]:
    """Put a derivation with a bind into the list; the twin is a derivation with the same bind."""

    def put(prove: Prove) -> Prove:
        name = f"export_{prove.__name__}"
        runs = [partial(_of_ranges, d, bind) for d in (prove, twin)]
        EXPORT.append(Attack(name, FAMILY, says, runs[0], beyond, runs[1], by))
        return prove

    return put


def _two(d: Derivation, other: Any) -> None:
    """a[k] = 0 of the first two, and 1 of the third, of the same array or of another."""
    first = d.sum("the first two", d.domain("of the first", eq(a[k], 0)), k, upto=2)
    last = d.instantiate("as called", d.domain("of the last", eq(other[h], 1)), {h: g})
    d.qed(d.derive("so", eq(c + total(a[k], k, upto=2) + other[g], c + 1), first, last))


@_in_ranges("a[k] = 0 for k up to 2, and a[h] = 1 for h = 3, each of every one", lambda d: _two(d, b), _bound(**RANGES))
def two_ranges(d: Derivation) -> None:
    _two(d, a)


def _constant(d: Derivation, other: Any) -> None:
    """A number that stays for two steps, and rises at the third."""
    stays = d.sum("two steps", d.domain("it stays", eq(a[k + 1], a[k])), k, upto=1)
    rises = d.instantiate("as called", d.domain("it rises", eq(other[h], other[h - 1] + 1)), {h: g})
    one = eq(c + total(a[k + 1], k, upto=1) - total(a[k], k, upto=1) + other[g] - other[g - 1], c + 1)
    d.qed(d.derive("so", one, stays, rises))


@_in_ranges(
    "a[k + 1] = a[k] at first, and a[h] = a[h − 1] + 1 at h = 3, each at every step",
    lambda d: _constant(d, b),
    _bound(k=[1], h=[3], g=[3]),
)
def two_laws_of_motion(d: Derivation) -> None:
    _constant(d, a)


def _mapped_ranges(d: Derivation, other: Any) -> None:
    """What is 0 of the first two is 1 where a map says."""
    to = d.map("to")
    first = d.sum("the first two", d.domain("of the first", eq(a[k], 0)), k, upto=2)
    last = d.instantiate("as called", d.domain("of what is found", eq(other[to[h]], 1)), {h: g})
    d.qed(d.derive("so", eq(c + total(a[k], k, upto=2) + other[to[g]], c + 1), first, last))


def _to_three(c: Any) -> dict[str, Any]:
    return {"c": c, "V": 1, **NUMBERS, "to": lambda at: 3, "ranges": {"k": [1, 2], "h": [1], "g": [1]}}


@_in_ranges("a[k] = 0 for k up to 2, and 1 at a member that a map finds", lambda d: _mapped_ranges(d, b), _to_three)
def a_member_that_a_map_finds(d: Derivation) -> None:
    _mapped_ranges(d, a)


def _valued(d: Derivation, other: Any) -> None:
    """f[k] is a token, and the number g[h] is V + 1."""
    q = sp.IndexedBase("q", nonnegative=True)
    f = d.map("f")
    at_any = d.derive("not negative", ge(q[x], 0))
    there = d.instantiate("there", at_any, {x: f[k]})
    none = d.domain("the last is none", eq(other[h], V + 1))
    d.qed(d.derive("so", le(c + 1, c + 1 + q[f[k]] + other[h]), there, none))


def _maps(c: Any) -> dict[str, Any]:
    values = {"f": lambda at: 1 if at < 3 else 2, "e": lambda at: 2, "q": (1,)}
    return {"c": c, "V": 1, **values, "ranges": {"k": [1, 2], "h": [3]}}


@_in_ranges(
    "f[k] is a token, and f[h] is V + 1, by which it is said that there is none: all its values are tokens for Coq",
    lambda d: _valued(d, sp.IndexedBase("e", integer=True)),
    _maps,
    "none of what its values are",
)
def value_of_a_map_beyond_its_range(d: Derivation) -> None:
    _valued(d, sp.IndexedBase("f", integer=True))


def _falling(d: Derivation, ends: bool) -> None:
    """A number that falls by 1 at each step, and is never below 0."""
    down = d.domain("falls by one", le(W[n + 1], W[n] - 1))
    falls = d.inductive("falls so", le(W[n], W[0] - n), n, [], [down])
    kept = [d.domain("never below 0", ge(W[n], 0))] if ends else []
    d.qed(d.derive("so", le(c + 1, c + 1 + W[0] - n - W[n]), falls, *kept))


@_in_ranges(
    "W falls by 1 at each of three steps and is never below 0: of every step, it would have to be",
    lambda d: _falling(d, False),
    _bound(n=[0, 1, 2]),
    "",
    EVERY_INDEX,
)
def fall_without_an_end(d: Derivation) -> None:
    _falling(d, True)
