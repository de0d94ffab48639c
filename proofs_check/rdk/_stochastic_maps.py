"""Steps that the proofs about Mᵀ share: norms under a row-stochastic matrix, and acceptance as a distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Relation, eq, ge, i, j, le, total, z

__all__ = [
    "Stochastic",
    "acceptance",
    "apart",
    "contracted",
    "contracting",
    "image",
    "minus",
    "moved_law",
    "non_expansive",
    "norm",
    "split",
    "stationary_drift",
    "step",
    "stochastic",
]


class Stochastic(NamedTuple):
    """A row-stochastic matrix, and the two statements that make it one."""

    M: Any
    signs: Fact
    rows: Fact


def stochastic(M: sp.IndexedBase, rows: int = 1) -> tuple[Any, Any]:
    """The two statements that make M row-stochastic."""
    return ge(M[i, j], 0), eq(total(M[i, j], j), rows)


def step(token: sp.Symbol, v: Callable[..., Any], M: sp.IndexedBase) -> sp.Expr:
    """(Mᵀv) at a token, for v a function of the token."""
    return total(v(i) * M[i, token], i)


def norm(v: Callable[..., Any]) -> sp.Expr:
    """ℓ1 norm of a function of the token."""
    return total(sp.Abs(v(j)), j)


def non_expansive(d: Derivation, v: Callable[..., Any], matrix: Stochastic, sign: int = 1) -> Fact:
    """‖Mᵀv‖₁ ≤ ‖v‖₁ (Lemma B.1) for a function v of the token."""
    M, no_negative, rows = matrix
    up = d.derive("one term, from above", le(M[i, j] * v(i), M[i, j] * sp.Abs(v(i))), no_negative)
    down = d.derive("one term, from below", le(-sign * M[i, j] * v(i), M[i, j] * sp.Abs(v(i))), no_negative)
    up = d.sum("over the rows", up, i)
    down = d.sum("over the rows", down, i)
    image_entry = step(j, v, M)
    triangle_bound = d.summed(
        "triangle inequality", le(sp.Abs(image_entry), total(M[i, j] * sp.Abs(v(i)), i)), up, down, over=j
    )
    row = d.derive("a row sums to one", eq(sp.Abs(v(i)) * total(M[i, j], j), sp.Abs(v(i))), rows)
    rows_exchanged = d.sum("over the rows, the sums exchanged", row, i)
    return d.derive(
        "M does not lengthen a difference", le(total(sp.Abs(image_entry), j), norm(v)), triangle_bound, rows_exchanged
    )


def image(v: sp.IndexedBase, M: sp.IndexedBase) -> Any:
    """Mᵀv as a function of the token."""
    return lambda token: step(token, lambda k: v[k], M)


def minus(a: sp.IndexedBase, b: sp.IndexedBase) -> Any:
    """The difference of two vectors as a function of the token."""
    return lambda token: a[token] - b[token]


def split(d: Derivation, q: sp.IndexedBase, p: sp.IndexedBase, M: sp.IndexedBase, who: str) -> Fact:
    """‖Mᵀq − p‖₁ ≤ ‖Mᵀ(q − p)‖₁ + ‖Mᵀp − p‖₁."""
    image_difference = step(j, minus(q, p), M)
    per_token = d.derive(
        f"{who}q' − p is {who}(q' − p) + ({who}p − p)",
        le(sp.Abs(image(q, M)(j) - p[j]), sp.Abs(image_difference) + sp.Abs(image(p, M)(j) - p[j])),
    )
    return d.sum("over the vocabulary", per_token, j)


def stationary_drift(
    d: Derivation, p: sp.IndexedBase, pi: sp.IndexedBase, N: sp.IndexedBase, still: Fact, shrunk: Fact
) -> Fact:
    """‖Nᵀp − p‖₁ is at most the bound of ‖Nᵀ(p − π)‖₁ that `shrunk` gives, and ‖p − π‖₁, for Nᵀπ = π."""
    image_difference = step(j, minus(p, pi), N)
    per_token = d.derive(
        "Nᵀp − p is Nᵀ(p − π) − (p − π), as Nᵀπ = π",
        le(sp.Abs(image(p, N)(j) - p[j]), sp.Abs(image_difference) + sp.Abs(p[j] - pi[j])),
        still,
    )
    over_tokens = d.sum("over the vocabulary", per_token, j)
    bound = le(apart(p, image(p, N)), shrunk.relation.rhs + norm(minus(p, pi)))
    return d.derive("so the target drifts by", bound, over_tokens, shrunk)


def contracted(c: sp.Symbol, M: sp.IndexedBase) -> Relation:
    """c is at least the total variation between any two rows of M."""
    return ge(c, total(sp.Abs(M[i, j] - M[z, j]), j) / 2)


def contracting(
    d: Derivation,
    v: Callable[..., Any],
    mass: Fact,
    matrix: Stochastic,
    c: sp.Symbol,
    far: Fact,
    twice: sp.Expr | int = 2,
) -> Fact:
    """‖Mᵀv‖₁ ≤ c(M) ‖v‖₁ for a function v of the token whose sum is zero (Dobrushin)."""
    M = matrix.M
    ups, downs = (sp.IndexedBase(f"{direction}_{M}", nonnegative=True) for direction in ("up", "down"))
    up_is = d.define("what rises", ups[j], sp.Max(v(j), 0))
    down_is = d.define("what falls", downs[j], sp.Max(-v(j), 0))
    up, down = (lambda k: ups[k]), (lambda k: downs[k])
    gain = total(up(j), j)
    loss = total(down(j), j)
    size = norm(v)
    parts = d.derive("a number and its parts", eq(v(j), up(j) - down(j)), up_is, down_is)
    sizes = d.derive("its size", eq(sp.Abs(v(j)), up(j) + down(j)), up_is, down_is)
    row_parts = d.instantiate("of a row", parts, {j: i})
    parts = d.sum("over the vocabulary", parts, j)
    sizes = d.sum("over the vocabulary", sizes, j)
    even = d.derive("as much rises as falls", eq(loss, gain), parts, mass)
    half = d.derive("half of the size each", eq(size, 2 * gain), sizes, even)
    image_entry = step(j, v, M)
    split_rows = d.summed("in parts", eq(v(i) * M[i, j], up(i) * M[i, j] - down(i) * M[i, j]), row_parts, over=i)
    pairs = total(up(i) * down(z) * (M[i, j] - M[z, j]), i, z)
    paired = d.derive("every rise is paired with every fall", eq(pairs, gain * image_entry), split_rows, even)
    weight = up(i) * down(z)
    gap = M[i, j] - M[z, j]
    above = d.derive("one pair, from above", le(weight * gap, weight * sp.Abs(gap)))
    below = d.derive("one pair, from below", le(-weight * gap, weight * sp.Abs(gap)))
    above = d.sum("over all pairs", above, i, z)
    below = d.sum("over all pairs", below, i, z)
    entry = le(gain * sp.Abs(image_entry), total(weight * sp.Abs(gap), i, z))
    rise_nonnegative = d.summed("what rises is not negative", ge(up(j), 0), over=j)
    columns = d.summed("triangle inequality", entry, above, below, paired, rise_nonnegative, over=j)
    pair = le(weight * total(sp.Abs(gap), j), twice * c * weight)
    close = d.summed("two rows differ by at most c", pair, far, over=(i, z))
    pair_bound = d.derive("together", le(gain * norm_of(image_entry), 2 * c * gain * loss), columns, close)
    short = non_expansive(d, v, matrix)
    c_low = d.derive("c is not negative", ge(c, 0), far)
    return d.derive(
        "divided by what rises; and if nothing does, nothing moves",
        le(norm_of(image_entry), c * size),
        *(pair_bound, even, half, short, rise_nonnegative, c_low),
    )


def norm_of(image_entry: sp.Expr) -> sp.Expr:
    """ℓ1 norm of an expression with the free token j."""
    return total(sp.Abs(image_entry), j)


def moved_law(d: Derivation, name: str, v: sp.IndexedBase, mass: Fact, M: sp.IndexedBase, rows: Fact) -> Fact:
    """Mᵀv has the mass of the law v."""
    row = d.derive("a row sums to one", eq(v[i] * total(M[i, j], j), v[i]), rows)
    rows_exchanged = d.sum("over the rows, the sums exchanged", row, i)
    return d.derive(f"{name} has mass one", eq(total(step(j, lambda k: v[k], M), j), 1), rows_exchanged, mass)


def acceptance(
    d: Derivation,
    p: sp.IndexedBase,
    token_law: Callable[..., Any],
    mass_p: Fact,
    mass: Fact,
    who: str,
    half: sp.Expr = sp.S.Half,
) -> Fact:
    """α = 1 − ½‖p − other‖₁ for a law p and a function `token_law` of the token whose sum is one."""
    minimum_identity = eq(sp.Min(p[j], token_law(j)), (p[j] + token_law(j)) / 2 - sp.Abs(token_law(j) - p[j]) / 2)
    term = d.summed("the smaller of two numbers", minimum_identity, over=j)
    alpha = total(sp.Min(p[j], token_law(j)), j)
    far = total(sp.Abs(token_law(j) - p[j]), j)
    return d.derive(
        f"acceptance of {who} is one minus half the distance", eq(alpha, 1 - half * far), term, mass_p, mass
    )


def apart(p: sp.IndexedBase, other: Callable[..., Any]) -> sp.Expr:
    """ℓ1 distance of a function of the token from p."""
    return total(sp.Abs(other(j) - p[j]), j)
