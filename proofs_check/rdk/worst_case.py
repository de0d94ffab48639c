"""rdk.worst-case: RDK loses at most what M moves of the target; both readings of Theorem 5.1, and Dobrushin's coefficient."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, j, le, total
from proofs_check.rdk._stochastic_maps import (
    Stochastic,
    apart,
    contracted,
    contracting,
    image,
    minus,
    non_expansive,
    norm,
    split,
    stationary_drift,
    stochastic,
)
from simspec.claims.rdk.parts import EPSILON, ROWS, contraction
from simspec.claims.rdk.worst_case import DELTA, STATIONARY, WORST_CASE, WORST_CASE_ATTAINED, WORST_CASE_SHARP
from simspec.laws import Array, restrict

SIDE = "the target is on one side of ½, the draft beyond it"


def prove(d: Derivation, sign: int = 1, twice: int = 2) -> None:
    """Every vocabulary, target, draft and matrix; both readings of the assumption.

    Both constants, 1 and 2, are the least: the exchange of two tokens, rdk.worst-case-sharp.attained. For a given
    M, rdk.worst-case-sharp is better.
    """
    p, q, pi = (sp.IndexedBase(n, real=True) for n in ("p", "q", "pi"))
    M = sp.IndexedBase("M", real=True)
    N = sp.IndexedBase("N", real=True)
    epsilon, delta = sp.symbols("epsilon delta", real=True)
    m_signs, m_rows, n_signs, n_rows = d.assume(ROWS, *stochastic(M), *stochastic(N))
    rows_m = Stochastic(M, m_signs, m_rows)
    rows_n = Stochastic(N, n_signs, n_rows)
    price = d.assume(EPSILON, ge(epsilon, apart(p, image(p, M))))
    near = d.assume(DELTA, ge(delta, norm(minus(p, pi))))
    still = d.assume(STATIONARY, eq(image(pi, N)(j), pi[j]))
    gap = apart(p, lambda k: q[k])

    shrunk = non_expansive(d, minus(q, p), rows_m, sign)
    first_reading = le(apart(p, image(q, M)), gap + epsilon)
    first = d.derive("the first reading", first_reading, split(d, q, p, M, "Mᵀ"), shrunk, price)

    drift = stationary_drift(d, p, pi, N, still, non_expansive(d, minus(p, pi), rows_n))
    again = non_expansive(d, minus(q, p), rows_n)
    two = le(apart(p, image(q, N)), gap + twice * delta)
    d.qed(first, d.derive("the second reading", two, split(d, q, p, N, "Nᵀ"), again, drift, near))


def prove_sharp(d: Derivation, flipped: bool = False, twice: int = 2) -> None:
    """Every vocabulary size, all laws and parameters of the claim.

    Neither c can be less: for every M, ‖Mᵀ(q − p)‖₁ = c(M)‖q − p‖₁ at the two point masses of rows that are c(M) apart.
    Both inequalities are attained by the exchange of two tokens: rdk.worst-case-sharp.attained.
    """
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    pi = d.weights("pi")
    mass_pi = d.domain("pi sums to one", eq(total(pi[j], j), 1))
    M = sp.IndexedBase("M", real=True)
    N = sp.IndexedBase("N", real=True)
    c, e = sp.symbols("c_M c_N", real=True)
    m_signs, m_rows, n_signs, n_rows = d.domain("M and N are row-stochastic", *stochastic(M), *stochastic(N))
    rows_m = Stochastic(M, m_signs, m_rows)
    rows_n = Stochastic(N, n_signs, n_rows)
    far_m, far_n = d.domain("c is the largest distance of two rows", contracted(c, M), contracted(e, N))
    still = d.assume(STATIONARY, eq(image(pi, N)(j), pi[j]))

    even = d.derive("two laws", eq(total(q[j] - p[j], j), 0), mass_p, mass_q)
    shrunk = contracting(d, minus(q, p), even, rows_m, c, far_m, twice)
    drift = apart(p, image(p, M))
    first_reading = le(apart(p, image(q, M)), c * apart(p, lambda k: q[k]) + (-drift if flipped else drift))
    first = d.derive("together", first_reading, split(d, q, p, M, "Mᵀ"), shrunk)

    even = d.derive("two laws", eq(total(p[j] - pi[j], j), 0), mass_p, mass_pi)
    near = contracting(d, minus(p, pi), even, rows_n, e, far_n, twice)
    target_drift = stationary_drift(d, p, pi, N, still, near)
    two = le(apart(p, image(p, N)), (1 + e) * norm(minus(p, pi)))
    d.qed(first, d.derive("together", two, target_drift))


def _values(
    p: Array, q: Array, shared: Array, M: Array, N: Array, pi: Array, epsilon: Fraction, delta: Fraction
) -> dict[str, Any]:
    return {
        **{"p": p, "q": restrict(q, shared), "M": M, "N": N, "pi": pi, "epsilon": epsilon, "delta": delta},
        **{"c_M": contraction(M), "c_N": contraction(N), "V": len(p)},
    }


def prove_attained(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every a and b of the family."""
    a, b = sp.symbols("a b", real=True)
    half, above, b_at_most_one = d.domain(SIDE, ge(a, sp.S.Half), ge(b, a), le(b, 1))

    def apart(*ends: Any) -> Any:
        return sum(sp.Abs(end) for end in ends)

    image_distance = apart(1 - b - a, b - (1 - a))
    gap = apart(b - a, a - b)
    drift = apart(1 - a - a, a - (1 - a))
    uneven = apart(a - sp.S.Half, 1 - a - sp.S.Half)
    first = d.derive("the first reading", eq(image_distance, gap + sign * drift), half, above, b_at_most_one)
    second = d.derive("the second reading", eq(image_distance, gap + 2 * constant * uneven), half, above, b_at_most_one)
    third = d.derive("how far the target is from stationary", eq(drift, (1 + sp.S.One) * uneven), half)
    d.qed(first, second, first, third)


PROOFS = (
    Proof(WORST_CASE, prove, drop=ROWS, change={"twice": 1}, bind=_values),
    Proof(
        WORST_CASE_SHARP,
        prove_sharp,
        drop="M and N are row-stochastic",
        flip={"flipped": True},
        change={"twice": 3},
        bind=_values,
    ),
    Proof(WORST_CASE_ATTAINED, prove_attained, drop=SIDE, bind=lambda a, b: {"a": a, "b": b, "V": 2}),
)
