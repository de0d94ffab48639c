"""process.order: powers keep the order of tokens, and change by how much one exceeds the other."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, gt, laws, le, total, x, y, z
from proofs_check.process._powers import above_zero, exponent, of_mark, ordered
from simspec.claims.claim import Instance
from simspec.claims.process.order import MIN_P, MIN_P_CORRECTED, TOP_K, TOP_P, TOP_P_CORRECTED
from simspec.laws import Array, Scalar

KEPT = "some token with mass is left"
MARK = "a token is left or not, and left where its mass is large enough"
AFTER = "after the power it is left where its power is at least that of the least mass"
FALLING = "the tokens that count are no less likely than the others"


def _by_size() -> Iterator[Instance]:
    """Laws over two tokens in falling order, by denominator; shares in quarters, temperatures 1 and 1/2."""
    for size in range(1, 5):
        for p, n, quarters in product(laws(2, size), (1, 2), range(5)):
            if p[0] >= p[1]:
                yield {"p": p, "n": n, "share": F(quarters, 4)}


def _as_they_are() -> Iterator[Instance]:
    """The same at temperature 1."""
    return (instance for instance in _by_size() if instance["n"] == 1)


def _laws(
    d: Derivation, p: sp.IndexedBase, marks: tuple[Any, Any], bit: Fact, same: Fact | None, sign: int, constant: int
) -> None:
    """That a law cut to marked tokens and then raised to a power is the power's law cut to the tokens of the other marks.

    `same` shows that the two marks are one; None where they are the same name.
    """
    mark, mark_after = marks
    n = exponent + 1
    B, S, Z = (d.number(name, positive=True) for name in "BSZ")
    _, power_mass, all_mass = d.domain(
        KEPT, eq(total(mark[x] * p[x], x), B), eq(total(mark[x] * p[x] ** n, x), S), eq(total(p[x] ** n, x), Z)
    )
    raised = (mark[x] * p[x] / B) ** n
    parts = d.derive("a power of both", eq((mark[x] * p[x]) ** exponent, mark[x] ** exponent * p[x] ** exponent))
    of_token = d.derive("of a token", eq((mark[x] * p[x]) ** n, mark[x] * p[x] ** n), parts, of_mark(d, mark[x], bit))
    raised_sum = d.derive(
        "of all", eq(total((mark[x] * p[x]) ** n, x), S), d.sum("over the vocabulary", of_token, x), power_mass
    )
    powers = p[x] ** n / total(p[x] ** n, x)
    stays = [same] if same else []
    after_power = d.derive("the same tokens", eq(mark_after[x] * p[x] ** n, mark[x] * p[x] ** n), *stays)
    after_sum = power_mass
    if stays:
        after_sums = d.sum("over them", after_power, x)
        after_sum = d.derive("their mass", eq(total(mark_after[x] * p[x] ** n, x), S), after_sums, power_mass)
    right = mark_after[x] * powers / total(mark_after[x] * powers, x)
    scaled = d.derive(
        "a power of a share", eq((mark[x] * p[x] / B) ** exponent * B**exponent, (mark[x] * p[x]) ** exponent)
    )
    share = (mark[x] * p[x] / B) ** exponent * B**exponent
    scaled = d.derive("times the token", eq(share * mark[x] * p[x], mark[x] * p[x] ** n), scaled, of_token)
    whole = d.derive("one power more", eq(raised * B**n, share * mark[x] * p[x]))
    whole = d.derive("a power of the share", eq(raised * B**n, mark[x] * p[x] ** n), whole, scaled)
    left = raised / total(raised, x)
    over = d.derive("of all", eq(left, raised * B**n / S), raised_sum)
    first = d.derive("powers of the cut law", eq(left, mark[x] * p[x] ** n / S), over, whole)
    second = d.derive("the cut law of powers", eq(right, mark[x] * p[x] ** n / S), after_power, after_sum, all_mass)
    d.qed(
        d.derive("both are the same", eq(constant * left, sign * right), first, second, raised_sum, after_sum, all_mass)
    )


def _prove_top_k(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws with their tokens in falling order, every k and every whole inverse of a temperature.

    The k likeliest are the first k tokens, before and after the power, for powers keep the order.
    """
    p = d.weights("p")
    mark = d.weights("kept")
    bit = d.domain(MARK, eq(mark[x] * (1 - mark[x]), 0))
    _laws(d, p, (mark, mark), bit, None, sign, constant)


def _power_values(p: Array, n: int, mark: Array) -> dict[str, Any]:
    powers = p**n
    values = {"p": p, "e": n - 1, "kept": mark, "V": len(p), "ranges": {"m": range(n)}}
    return {**values, "B": (mark * p).sum(), "S": (mark * powers).sum(), "Z": powers.sum()}


def _top_k_values(p: Array, n: int, k: int) -> dict[str, Any]:
    return _power_values(p, n, np.array([int(place < k) for place in range(len(p))]))


def _prove_min_p(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every share and every whole inverse of a temperature.

    A mass is at least T exactly where its power is at least that of T.
    """
    e = exponent
    p = d.weights("p")
    mark = d.weights("kept")
    after = d.weights("after")
    T = d.number("T", 0)
    bit, above, below = d.domain(
        MARK, eq(mark[x] * (1 - mark[x]), 0), ge(mark[x] * (p[x] - T), 0), gt(mark[x] + sp.Max(T - p[x], 0), 0)
    )
    bit_after, above_after, below_after = d.domain(
        AFTER,
        eq(after[x] * (1 - after[x]), 0),
        ge(after[x] * (p[x] ** (e + 1) - T ** (e + 1)), 0),
        gt(after[x] + sp.Max(T ** (e + 1) - p[x] ** (e + 1), 0), 0),
    )
    larger = ordered(d, mark[x], p[x], T, above)
    power_above = d.derive(
        "one power more", ge(mark[x] * (p[x] ** (e + 1) - T ** (e + 1)), 0), larger, above, bit, by="smt"
    )
    stays = d.derive("what is left stays", ge(after[x], mark[x]), power_above, bit, bit_after, below_after, by="smt")
    under = d.derive("what is not left", ge((1 - mark[x]) * (T - p[x]), 0), bit, below, by="smt")
    smaller = ordered(d, 1 - mark[x], T, p[x], under)
    some = d.derive("is below a share that is positive", gt(mark[x] + T, 0), bit, below, by="smt")
    power = above_zero(d, mark[x], T, bit, some)
    power_below = d.derive(
        "is below it with its power",
        gt(mark[x] + (1 - mark[x]) * (T ** (e + 1) - p[x] ** (e + 1)), 0),
        *(smaller, power, bit, below),
        by="smt",
    )
    goes = d.derive("what goes stays away", le(after[x], mark[x]), power_below, bit, bit_after, above_after, by="smt")
    same = d.derive("the same tokens", eq(after[x], mark[x]), stays, goes, by="smt")
    _laws(d, p, (mark, after), bit, same, sign, constant)


def _min_p_values(p: Array, n: int, share: Scalar) -> dict[str, Any]:
    limit = share * p.max()
    mark = np.array([int(mass >= limit) for mass in p])
    return {**_power_values(p, n, mark), "after": np.array([int(mass**n >= limit**n) for mass in p]), "T": limit}


def _prove_top_p(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws with their tokens in falling order, every whole inverse of a temperature.

    Equality for uniform laws, and where the tokens that count hold everything.
    """
    e = exponent
    p, mass = d.law("p")
    first = d.weights("first", x, y)
    Z = d.number("Z", positive=True)
    all_mass = d.domain(KEPT, eq(total(p[x] ** (e + 1), x), Z))
    weight = first[x, y] * (1 - first[z, y])
    falling = d.domain(FALLING, ge(weight * (p[x] - p[z]), 0))
    powers = ordered(d, weight, p[x], p[z], falling)
    pair = d.derive("times both", ge(p[x] * p[z] * weight * (p[x] ** e - p[z] ** e), 0), powers, by="smt")
    pair = d.derive("of two tokens", ge(weight * (p[x] ** (e + 1) * p[z] - p[x] * p[z] ** (e + 1)), 0), pair)
    pairs = d.sum("over both", pair, x, z)
    before = total(first[x, y] * p[x], x)
    after = total(first[x, y] * p[x] ** (e + 1), x)
    gain = d.derive("of all pairs", ge(after - before * Z, 0), pairs, mass, all_mass)
    law = d.derive("over their sum", eq(total(first[x, y] * p[x] ** (e + 1) / Z, x), after / Z))
    shares = le(constant * before, sign * total(first[x, y] * p[x] ** (e + 1) / Z, x))
    d.qed(d.derive("divided by it", shares, gain, law))


def _top_p_values(p: Array, n: int) -> dict[str, Any]:
    first = np.array([[int(token <= last) for last in range(len(p))] for token in range(len(p))])
    return {"p": p, "e": n - 1, "first": first, "Z": (p**n).sum(), "V": len(p), "ranges": {"m": range(n)}}


PROOFS = (
    Proof(TOP_K, _prove_top_k, drop=MARK, bind=_top_k_values),
    Refutation(
        MIN_P,
        _by_size,
        scope="the first by the denominator of its masses, with two tokens and shares in quarters",
        repaired={"the temperature 1": _as_they_are, "the share raised to the same power": MIN_P_CORRECTED},
    ),
    Proof(MIN_P_CORRECTED, _prove_min_p, drop=AFTER, bind=_min_p_values),
    Refutation(
        TOP_P,
        _by_size,
        scope="the first by the denominator of its masses, with two tokens and shares in quarters",
        repaired={"the temperature 1": _as_they_are, "no token is left that is dropped before": TOP_P_CORRECTED},
    ),
    Proof(TOP_P_CORRECTED, _prove_top_p, drop=FALLING, bind=_top_p_values),
)
