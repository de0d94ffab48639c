"""Derivations that the rules accept, whose scripts for Coq suppose what contradicts itself, or are of another derivation.

Each derivation is sound, and what it is given holds in the instance.  In its script it was given of all whole numbers, so that
1 = 0 follows there (`tests/proofs_check/coq/test_fresh.py` asks Coq), and Coq's answer says nothing.  The twin is the same of
another array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from proofs_check.checking.written import Proof
from proofs_check.coq.check import traced
from proofs_check.coq.export import exported
from proofs_check.coq.terms import NotExported
from proofs_check.coq.trace import Traced
from proofs_check.rules.derivation import Derivation, Unproved
from proofs_check.rules.terms import V, eq, ge, index, le, total, x
from simspec.claims.claim import Claim, equal
from tests.proofs_check.attacks.attack import Attack, NotProved
from tests.proofs_check.attacks.promised import EVERY_INDEX

__all__ = ["ABSURD", "SCRIPTS", "script_of"]

FAMILY = "scripts for Coq from which nonsense follows"
SCRIPTS: list[Attack] = []
ABSURD: dict[str, tuple[Callable[[], str], str]] = {}
"""For each attack its script as it was written, and the tactics by which 1 = 0 follows from it."""
Prove = Callable[[Derivation, Any], None]
"""A derivation that speaks of an array, and of the same array or another one."""
a, b, e = (sp.IndexedBase(name, real=True) for name in "abe")
c = sp.Symbol("c", real=True)
k, h, g, j = map(index, "khgj")
m = sp.Symbol("m", integer=True)
TWO = "over which another name ranges|is none of what its values are|of more places than can be looked at"


def _drawn(draw: Any) -> dict[str, Any]:
    return {"c": Fraction(1, 2)}


def script_of(prove: Callable[[Derivation], None], values: Mapping[str, Any]) -> str:
    """The script of a proof of a claim of one's own, c + 1 = c + 1, where names and ranges are those of a bind."""
    claim = Claim("own.claim", "identity", "one more", "nobody", lambda c: c + 1, equal, lambda c: c + 1, _drawn)
    proof = Proof(claim, prove, {}, lambda c: {"c": c, "V": 1, **values})
    try:
        return exported(traced(proof))[0]
    except (NotExported, Unproved) as error:
        raise NotProved(f"Coq is given nothing: {error}") from None


def _unasked(prove: Callable[[Derivation], None]) -> str:
    """The script of a derivation, where nobody asks whether what is given of every index holds of all."""
    d = Traced("own.claim")
    prove(d)
    return exported(d)[0]


def _supposing(absurd: str, by: str = TWO, beyond: str = "", **values: Any) -> Callable[[Prove], Prove]:
    """Put a derivation into the list, with what names stand for in the instance, and the tactics that refute its script."""

    def put(prove: Prove) -> Prove:
        says = " ".join((prove.__doc__ or "").split()).removesuffix(".")
        way, twin = (partial(script_of, partial(_of, prove, other), values) for other in (a, b))
        SCRIPTS.append(Attack(f"script_{prove.__name__}", FAMILY, says, way, beyond, twin, by))
        ABSURD[prove.__name__] = partial(_unasked, partial(_of, prove, a)), absurd
        return prove

    return put


def _of(prove: Prove, other: Any, d: Derivation) -> None:
    prove(d, other)


def _at(numbers: Mapping[Any, int], otherwise: int = 0) -> Callable[..., int]:
    """An array by its entries: places, and what is there."""
    return lambda *places: numbers.get(places if len(places) > 1 else places[0], otherwise)


FIRST = _at({3: 1})


def _last(d: Derivation, entry: Any) -> Any:
    """1 at another place."""
    return d.domain("of the last", eq(entry, 1))


LIMITED = _at({1: 1, 2: 0, 3: 0, 4: 0})


@_supposing(
    "assert (Z : Sum 1 2 (fun i : Z => v_a i) = 0) by (rewrite <- (Sum_zero 1 2); apply Sum_ext; intros; apply H_0; lia); "
    "pose proof H_1; lra",
    a=LIMITED,
    b=LIMITED,
    ranges={"k": [3, 4], "h": [4], "g": [4]},
)
def sum_of_the_others(d: Derivation, other: Any) -> None:
    """a[k] = 0 for k of 3 and 4, beside Σ a = 1 over the first two."""
    last = d.instantiate("as called", d.domain("of the last", eq(a[k], 0)), {k: g})
    one = d.domain("the first two", eq(total(other[j], j, upto=2), 1))
    d.qed(d.derive("so", eq(c + total(other[j], j, upto=2) + a[g], c + 1), last, one))


@_supposing(
    "pose proof (H_0 2 ltac:(lia))%Z as A; pose proof H_1; simpl in A; lra",
    a=_at({2: 0, 4: 1}),
    b=_at({2: 0, 4: 1}),
    ranges={"k": [1], "j": [1]},
)
def places_twice_as_far(d: Derivation, other: Any) -> None:
    """a[2k] = 0 for k = 1, and a[4] = 1."""
    even = d.instantiate("as called", d.domain("of even ones", eq(a[2 * k], 0)), {k: j})
    d.qed(d.derive("so", eq(c + a[2 * j] + other[4], c + 1), even, _last(d, other[4])))


@_supposing(
    "pose proof (H_0 2 ltac:(lia) 2 ltac:(lia))%Z; pose proof H_1; lra",
    a=_at({(2, 2): 1}),
    b=_at({(2, 2): 1}),
    ranges={"k": [1], "j": [1], "q": [1], "r": [1]},
)
def both_places_at_once(d: Derivation, other: Any) -> None:
    """a[k, j] = 0 for k = j = 1, and a[2, 2] = 1."""
    zero = d.instantiate("as called", d.domain("of the first", eq(a[k, j], 0)), {k: index("q"), j: index("r")})
    d.qed(d.derive("so", eq(c + a[index("q"), index("r")] + other[2, 2], c + 1), zero, _last(d, other[2, 2])))


@_supposing(
    "pose proof (H_0 3 ltac:(lia))%Z; pose proof (H_1 3 ltac:(lia))%Z; pose proof (H_2 3 ltac:(lia))%Z; "
    "pose proof H_3; lra",
    by="",
    beyond=EVERY_INDEX,
    a=FIRST,
    b=FIRST,
    e=_at({}),
    w=_at({}),
    ranges={"k": [1], "j": [2], "q": [1], "r": [2], "s": [1], "t": [1]},
)
def one_after_another(d: Derivation, other: Any) -> None:
    """a = e of the first place, e = w of the second, w = 0 of the first, and a[3] = 1: of e nothing is said there."""
    w = sp.IndexedBase("w", real=True)
    q, r, s, t = map(index, "qrst")
    one = d.instantiate("at first", d.domain("alike", eq(a[k], e[k])), {k: q})
    two = d.instantiate("at second", d.domain("alike, too", eq(e[j], w[j])), {j: r})
    zero = d.instantiate("at third", d.domain("nothing", eq(w[s], 0)), {s: t})
    last = _last(d, other[3])
    d.qed(d.derive("so", eq(c + a[q] - e[q] + e[r] - w[r] + w[t] + other[3], c + 1), one, two, zero, last))


@_supposing(
    "pose proof (H_0 3 ltac:(lia))%Z as A; pose proof (H_1 3 ltac:(lia))%Z as E; rewrite E in A; pose proof H_2; lra",
    a=FIRST,
    b=FIRST,
    e=_at({}),
    ranges={"k": [1], "q": [1], "r": [3], "t": [3]},
)
def a_place_that_a_number_hides(d: Derivation, other: Any) -> None:
    """a[k] (1 + e[k]) = 0 of the first place; a = 1 and e = 0 of the third."""
    q, r, t = map(index, "qrt")
    one = d.instantiate("at first", d.domain("nothing", eq(a[k] * (1 + e[k]), 0)), {k: q})
    two = d.instantiate("at third", d.domain("none", eq(e[r], 0)), {r: t})
    d.qed(d.derive("so", eq(c + a[q] * (1 + e[q]) + e[t] + other[3], c + 1), one, two, _last(d, other[3])))


FAR = [*range(1, 31)]
MANY = _at({(30, 30, 3): 1})


@_supposing(
    "pose proof (H_0 30 ltac:(lia) 3 ltac:(lia) 30 ltac:(lia))%Z; pose proof H_1; lra",
    a=MANY,
    b=MANY,
    ranges={"k": [1, 2], "j": FAR, "u": FAR, "q": FAR, "r": FAR, "s": [1, 2]},
)
def beyond_what_is_looked_at(d: Derivation, other: Any) -> None:
    """a[j, u, k] = 0 for j and u up to 30 and k up to 2, and a[30, 30, 3] = 1: more places than are looked at."""
    u = index("u")
    q, r, s = map(index, "qrs")
    zero = d.instantiate("as called", d.domain("of the first", eq(a[j, u, k], 0)), {j: q, u: r, k: s})
    d.qed(d.derive("so", eq(c + a[q, r, s] + other[30, 30, 3], c + 1), zero, _last(d, other[30, 30, 3])))


@_supposing("pose proof (H_0 0)%Z; pose proof H_1; lra", a=_at({0: 1}), b=_at({0: 1}), ranges={"m": [1, 2], "i": [2]})
def places_before_the_first(d: Derivation, other: Any) -> None:
    """a[m] = 0 for m of 1 and 2, where m is any whole number, and a[0] = 1."""
    i = sp.Symbol("i", integer=True)
    zero = d.instantiate("as called", d.domain("of two", eq(a[m], 0)), {m: i})
    d.qed(d.derive("so", eq(c + a[i] + other[0], c + 1), zero, d.domain("of the first", eq(other[0], 1))))


@_supposing(
    "pose proof (H_0 3%Z ltac:(lia)) as A; pose proof (define_2 3%Z ltac:(lia)) as D; destruct (v_f_range 3%Z) as [_ B]; "
    "apply IZR_le in B; lra",
    a=(1,),
    f=_at({1: 1, 2: 1, 3: 2}),
    e=_at({}, 2),
    q=(1,),
    ranges={"k": [1, 2], "h": [3], "g": [3]},
)
def value_by_a_definition(d: Derivation, other: Any) -> None:
    """f[k] is a token, and the number that is defined as f[h] is V + 1."""
    map_or_array = sp.IndexedBase("f" if other is a else "e", integer=True)
    q = sp.IndexedBase("q", nonnegative=True)
    f = d.map("f")
    last = sp.IndexedBase("last", integer=True)
    there = d.instantiate("there", d.derive("not negative", ge(q[x], 0)), {x: f[k]})
    meaning = d.define("the last", last[h], map_or_array[h])
    none = d.instantiate("as called", d.domain("the last is none", eq(last[h], V + 1)), {h: g})
    at = d.instantiate("its meaning", meaning, {h: g})
    d.qed(d.derive("so", le(c + 1, c + 1 + q[f[k]] + last[g] - V - 1), there, none, at))


# --- what a derivation does when it is traced ---


def _is_traced(d: Derivation) -> bool:
    return hasattr(d, "trace")


OTHERWISE = "is another than the one that was checked|is not known to have a value"


def _traced(prove: Prove) -> Prove:
    """Put a derivation into the list that is told whether it may do another thing for Coq."""
    says = " ".join((prove.__doc__ or "").split()).removesuffix(".")
    values = {"a": (1, 1, 1), "q": (1,), "v": 1, "f": _at({}, 1), "ranges": {"k": [1, 2]}}
    way, twin = (partial(script_of, partial(_of, prove, is_other), values) for is_other in (True, False))
    SCRIPTS.append(Attack(f"script_{prove.__name__}", FAMILY, says, way, twin=twin, by=OTHERWISE))
    return prove


@_traced
def number_of_another_sign(d: Derivation, is_other: Any) -> None:
    """A number is positive for Coq, and any number for the rules."""
    v = sp.Symbol("v", **({"positive": True} if is_other and _is_traced(d) else {"real": True}))
    d.qed(d.derive("so", ge(c + 1 + v**2, c + 1)))


@_traced
def array_of_another_sign(d: Derivation, is_other: Any) -> None:
    """An array is nowhere negative for Coq, and of any numbers for the rules."""
    of = sp.IndexedBase("a", **({"nonnegative": True} if is_other and _is_traced(d) else {"real": True}))
    d.qed(d.derive("so", ge(c + 1 + of[k] ** 2, c + 1)))


@_traced
def array_that_is_a_map(d: Derivation, is_other: Any) -> None:
    """An array of whole numbers is a map for Coq, whose values are in a range, and is none for the rules."""
    f = sp.IndexedBase("f", integer=True)
    if is_other and _is_traced(d):
        d.map("f")
    given = d.domain("some", ge(f[k], 1))
    d.qed(d.derive("so", le(c + 1, c + 1 + f[k] - 1), given))


@_traced
def index_of_another_kind(d: Derivation, is_other: Any) -> None:
    """An index counts from 1 for Coq, and is any whole number for the rules."""
    i = index("i") if is_other and _is_traced(d) else sp.Symbol("i", integer=True)
    d.qed(d.derive("so", ge(c + 1 + i**2, c + 1)))


# --- powers ---


@_traced
def power_of_nothing(d: Derivation, is_other: Any) -> None:
    """0 to the power of any positive number, which is 1 for Coq."""
    base = d.number("v", low=0) if is_other else d.number("v", positive=True)
    power = sp.Symbol("u", positive=True)
    d.qed(d.derive("so", le(c + 1, c + 1 + base**power)))
