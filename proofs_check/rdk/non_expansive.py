"""rdk.non-expansive: a row-stochastic matrix does not lengthen a difference in ℓ1; of mass zero it shrinks by Dobrushin's c."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, i, j, le, total, x, z
from simspec.claims.rdk.non_expansive import NON_EXPANSIVE, NON_EXPANSIVE_ATTAINED, NON_EXPANSIVE_SHARP, farthest
from simspec.claims.rdk.parts import NON_NEGATIVE, ROWS_SUM, contraction
from simspec.laws import Array


def _bound(
    d: Derivation,
    a: sp.IndexedBase,
    M: sp.IndexedBase,
    no_negative: Fact,
    rows: Fact,
    sign: int = 1,
    constant: sp.Expr | int = 1,
) -> Fact:
    """‖Mᵀa‖₁ ≤ ‖a‖₁."""
    up = d.derive("one term, from above", le(M[i, j] * a[i], M[i, j] * sp.Abs(a[i])), no_negative)
    down = d.derive("one term, from below", le(-sign * M[i, j] * a[i], M[i, j] * sp.Abs(a[i])), no_negative)
    up = d.sum("over the rows", up, i)
    down = d.sum("over the rows", down, i)
    image_entry = total(M[i, j] * a[i], i)
    triangle_bound = d.summed(
        "triangle inequality", le(sp.Abs(image_entry), total(M[i, j] * sp.Abs(a[i]), i)), up, down, over=j
    )
    row = d.derive("a row sums to one", eq(sp.Abs(a[i]) * total(M[i, j], j), sp.Abs(a[i])), rows)
    rows_exchanged = d.sum("over the rows, the sums exchanged", row, i)
    return d.derive(
        "together", le(total(sp.Abs(image_entry), j), constant * total(sp.Abs(a[i]), i)), triangle_bound, rows_exchanged
    )


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim.

    The constant 1 is the least: M = I leaves every difference as it is.
    """
    a = sp.IndexedBase("a", real=True)  # a = x − y, any real vector
    M = sp.IndexedBase("M", real=True)
    no_negative = d.assume(NON_NEGATIVE, ge(M[i, j], 0))
    rows = d.assume(ROWS_SUM, eq(total(M[i, j], j), 1))
    d.qed(_bound(d, a, M, no_negative, rows, sign, constant))


def contracts(d: Derivation, sign: int = 1, constant: sp.Expr | int = 2) -> None:
    """Every vocabulary size, every real matrix M (stochastic or not) and every difference of mass zero.

    For every M the constant c(M) is the least: rdk.non-expansive-sharp.attained.
    """
    a = sp.IndexedBase("a", real=True)  # a = x − y
    M = sp.IndexedBase("M", real=True)
    c = d.number("c", 0)
    balanced = d.assume("x and y have equal mass", eq(total(a[i], i), 0))
    apart = total(sp.Abs(M[i, j] - M[z, j]), j)
    far = d.domain("c is the largest total variation of two rows", le(apart, constant * c))

    gained = sp.Max(a[i], 0)
    lost = sp.Max(-a[i], 0)
    lost_z = lost.subs(i, z)
    mass = total(gained, i)
    split = d.summed("a token has gained or lost", eq(gained - lost, a[i]), over=i)
    equal = d.derive("as much is gained as is lost", eq(total(lost, i), mass), split, balanced)
    size = d.summed("the length of a step", eq(sp.Abs(a[i]), gained + sign * lost), over=i)
    length = d.derive("the difference is twice what is moved", eq(total(sp.Abs(a[i]), i), 2 * mass), size, equal)

    image_entry = total(M[i, j] * a[i], i)
    step = d.summed("one entry", eq(M[i, j] * a[i], M[i, j] * gained - M[i, j] * lost), over=i)
    pairs = total(gained * lost_z * (M[i, j] - M[z, j]), i, z)
    pairs_are = d.derive(
        "mass moves from every token that loses to every one that gains", eq(mass * image_entry, pairs), step, equal
    )
    pair_distance = gained * lost_z * sp.Abs(M[i, j] - M[z, j])
    up = d.derive("one pair, from above", le(gained * lost_z * (M[i, j] - M[z, j]), pair_distance))
    down = d.derive("one pair, from below", le(-gained * lost_z * (M[i, j] - M[z, j]), pair_distance))
    up = d.sum("over the pairs", up, i, z)
    down = d.sum("over the pairs", down, i, z)
    some = d.summed("what is gained is not negative", ge(gained, 0), over=i, then="what is moved is not negative")
    entry = le(mass * sp.Abs(image_entry), total(pair_distance, i, z))
    entry = d.summed("triangle inequality", entry, pairs_are, up, down, some, over=j)
    pair = d.summed("a pair of rows", le(gained * lost_z * apart, 2 * c * gained * lost_z), far, over=(i, z))
    length_of = total(sp.Abs(image_entry), j)
    product = d.derive("all pairs", le(mass * length_of, 2 * c * mass**2), entry, pair, equal)
    bound = le(length_of, c * total(sp.Abs(a[i]), i))
    moving = d.case("something is moved", gt(mass, 0))
    divided = d.derive("divided by what is moved", bound, product, length, moving)
    still = d.case("nothing is moved", le(mass, 0))
    token = d.derive("no entry is negative", ge(sp.Abs(a[i]), 0))
    token = d.term("one token's part of the difference", token, i, z)
    none = d.derive("no token gains or loses", eq(a[z], 0), token, length, still)
    entry = d.summed("so nothing arrives at token j", eq(M[z, j] * a[z], 0), none, over=z)
    all_zero = d.summed("nothing has length zero", eq(sp.Abs(image_entry), 0), entry, over=j)
    d.qed(d.cases("either way", divided, d.derive("zero is at most zero", bound, all_zero, length, some)))


def _row(d: Derivation, M: sp.IndexedBase, mark: str, name: str) -> tuple[Any, Any, list[Fact], Fact]:
    """A token (marked by 1, the others by 0), its row of M, what the marks are, and that Mᵀ takes its point mass to the row."""
    e = d.weights(mark)
    R = sp.IndexedBase(name, real=True)
    flag, mass_is_one, at = d.domain(
        f"{mark} marks one token, whose row is {name}",
        eq(e[x] * (1 - e[x]), 0),
        eq(total(e[x], x), 1),
        eq(e[i] * (M[i, j] - R[j]), 0),
    )
    entry = d.summed("the row of the token", eq(M[i, j] * e[i], R[j] * e[i]), at, over=i)
    return (
        e,
        R,
        [flag, mass_is_one],
        d.smt("where all its mass goes", eq(total(M[i, j] * e[i], i), R[j]), entry, mass_is_one),
    )


def attains(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every number of tokens from two on, every row-stochastic M."""
    M = sp.IndexedBase("M", real=True)
    c = sp.Symbol("c", real=True)
    no_negative = d.domain("no entry is negative", ge(M[i, j], 0))
    rows = d.domain("the rows sum to one", eq(total(M[i, j], j), 1))
    e, R, (is_e, one_e), to_r = _row(d, M, "e", "R")
    f, S, (is_f, one_f), to_s = _row(d, M, "f", "S")
    distinct_tokens = d.domain("they are two tokens", eq(e[x] * f[x], 0))
    far = d.domain("their rows are c(M) apart in total variation", eq(total(sp.Abs(R[j] - S[j]), j), 2 * c))
    image_entry = total(M[i, j] * (e[i] - f[i]), i)
    here = d.summed("the difference of the rows", eq(sp.Abs(image_entry), sp.Abs(R[j] - S[j])), to_r, to_s, over=j)
    apart = total(sp.Abs(e[x] - f[x]), x)
    mark_distance = eq(sp.Abs(e[x] - f[x]), e[x] + sign * f[x])
    two = d.summed("two point masses", mark_distance, is_e, is_f, distinct_tokens, by="smt")
    two = d.derive("are two apart", eq(apart, 2), two, one_e, one_f)
    goal = eq(total(sp.Abs(image_entry), j), constant * c * apart)
    first = d.smt("so the length is c(M) times two", goal, here, far, two)
    short = []
    for mark, row, mark_mass, to in ((e, R, one_e, to_r), (f, S, one_f, to_s)):
        entry = d.summed("an entry is not negative", ge(M[i, j] * mark[i], 0), no_negative, over=i)
        entry = d.derive("so the row is not", ge(row[j], 0), entry, to)
        mass = d.summed("a row has mass one", eq(mark[i] * total(M[i, j], j), mark[i]), rows, over=i)
        mass = d.smt("this one, too", eq(total(row[j], j), 1), mass, mark_mass, d.sum("over the vocabulary", to, j))
        short += [entry, mass]
    rows_within_masses = d.summed(
        "rows are no farther apart than their masses", le(sp.Abs(R[j] - S[j]), R[j] + S[j]), *short, over=j
    )
    last = d.smt("so c is at most 1", eq(sp.Min(c, 1), c), rows_within_masses, far, *short)
    d.qed(first, two, last)


def _marked(M: Array) -> dict[str, Any]:
    """The two tokens, their rows, and c(M)."""
    first_token, two = farthest(M)
    tokens = range(len(M))
    marks = {"e": [int(t == first_token) for t in tokens], "f": [int(t == two) for t in tokens]}
    return {"M": M, **marks, "R": M[first_token], "S": M[two], "c": contraction(M), "V": len(M)}


PROOFS = (
    Proof(
        NON_EXPANSIVE,
        prove,
        drop=ROWS_SUM,
        change={"constant": sp.Rational(1, 2)},
        bind=lambda x, y, M: {"a": x - y, "M": M, "V": len(M)},
    ),
    Proof(
        NON_EXPANSIVE_SHARP,
        contracts,
        drop="x and y have equal mass",
        change={"constant": 3},
        bind=lambda x, y, M: {"a": x - y, "M": M, "c": contraction(M), "V": len(M)},
    ),
    Proof(NON_EXPANSIVE_ATTAINED, attains, drop="they are two tokens", bind=_marked),
)
