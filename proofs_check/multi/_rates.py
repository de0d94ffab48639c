"""multi.rrs-formula and others: what j refusals leave of the target is the part of p above c_j q."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, index, le, total, x, y
from proofs_check.multi._recursive import by_size
from proofs_check.multi._without import proof as without
from simspec.claims.multi import rates as claims
from simspec.laws import Array
from simspec.laws.unchecked import normalise

n, K = sp.symbols("n K", integer=True, nonnegative=True)
c, A, w, v = (sp.IndexedBase(name, real=True) for name in ("c", "A", "w", "v"))
NORMED = "what is left is the normalised residual"
LAWS = "what is left is a law"
LAST = "the last token has all of both laws"
LEAST = "m is at most q on p's tokens"


def _scales(d: Derivation, p: sp.IndexedBase, q: sp.IndexedBase, sign: int = 1, constant: int = 1) -> tuple[Fact, Fact]:
    """c_0 = 0 and c_{n+1} = c_n + Σ (p − c_n q)₊, so that c_1 = 1."""
    scale_gain = sign * total(sp.Max(p[x] - c[n] * q[x], 0), x)
    return d.recursion("scales", eq(c[0], 0), eq(c[n + 1], c[n] + constant * scale_gain))


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts."""
    p, _ = d.law("p")
    q = d.weights("q")
    P = sp.IndexedBase("P", real=True)
    got = sp.IndexedBase("got", real=True)
    zero, scale_step = _scales(d, p, q, sign, constant)
    accepted = sp.Min(P[n, x], q[x])
    over = sp.Max(P[n, x] - q[x], 0)
    first, laws = d.domain(LAWS, eq(P[0, x], p[x]), eq(total(P[n, x], x), 1))
    normed = d.domain(NORMED, eq(P[n + 1, x] * total(sp.Max(P[n, y] - q[y], 0), y), over))
    all_, on = d.recursion("all refused", eq(A[0], 1), eq(A[n + 1], A[n] * (1 - total(accepted, x))))
    none, accept_step = d.recursion("one kept", eq(got[0], 0), eq(got[n + 1], got[n] + A[n] * total(accepted, x)))
    before = d.suppose("what is left, and how often", eq(A[n] * P[n, x], sp.Max(p[x] - c[n] * q[x], 0)))
    parts = d.derive("kept, and beyond", eq(accepted, P[n, x] - over))
    refused = d.sum("over the vocabulary", parts, x)
    refused = d.derive("refused is what is left", eq(1 - total(accepted, x), total(over, x)), refused, laws)
    mass_left = d.sum("its mass", before, x)
    reached = d.derive("is how often", eq(A[n], total(sp.Max(p[x] - c[n] * q[x], 0), x)), mass_left, laws)
    per_token = d.derive("nothing is negative", ge(sp.Max(p[x] - c[n] * q[x], 0), 0))
    nonnegative = d.derive(
        "so it is no less than nothing", ge(A[n], 0), d.sum("over the vocabulary", per_token, x), reached
    )
    scale = d.derive("the next scale", eq(c[n + 1], c[n] + A[n]), scale_step, reached)
    then = d.derive("the next test", eq(A[n + 1] * P[n + 1, x], A[n] * over), on, refused, normed)
    there = d.smt(
        "above the next scale", eq(A[n] * over, sp.Max(p[x] - c[n + 1] * q[x], 0)), before, nonnegative, scale
    )
    base = d.derive("at first", eq(A[0] * P[0, x], sp.Max(p[x] - c[0] * q[x], 0)), all_, first, zero, by="smt")
    step = d.derive("then", eq(A[n + 1] * P[n + 1, x], sp.Max(p[x] - c[n + 1] * q[x], 0)), then, there)
    for_every_n = d.induction(
        "after every number of refusals", eq(A[n] * P[n, x], sp.Max(p[x] - c[n] * q[x], 0)), n, base, step
    )
    sums = d.derive("kept or not", eq(got[n + 1] + A[n + 1], got[n] + A[n]), accept_step, on)
    so_far = d.suppose("kept or refused", eq(got[n], 1 - A[n]))
    upto = d.inductive("one or the other", eq(got[n], 1 - A[n]), n, [none, all_], [sums, so_far])
    for_every_n, upto, ones = (d.instantiate("of all drafts", f, {n: K}) for f in (for_every_n, upto, laws))
    remainder = d.sum("over the vocabulary", for_every_n, x)
    d.qed(d.derive("acceptance", eq(got[K], 1 - total(sp.Max(p[x] - c[K] * q[x], 0), x)), upto, remainder, ones))


def _values(p: Any, q: Any, k: int) -> dict[str, Any]:
    residuals = [p]
    for _ in range(k + 1):
        residuals.append(normalise(np.maximum(residuals[-1] - q, 0), otherwise=residuals[-1]))
    at = lambda stage, token: residuals[stage][token - 1]  # noqa: E731
    return {"p": p, "q": q, "P": at, "K": k, "V": len(p), "ranges": {"n": range(k + 1)}}


def _refused(
    d: Derivation, p: sp.IndexedBase, q: sp.IndexedBase, mass_q: Fact, sign: int, constant: int
) -> tuple[Fact, Fact, Fact, Fact]:
    """(p − c_n q)₊ is at most p (1 − q)^n, for every token and number of drafts; what the power is; that q is at most 1."""
    zero, scale_step = _scales(d, p, q, sign, constant)
    first, on = d.recursion("p (1 − q)^n", eq(w[0, x], p[x]), eq(w[n + 1, x], w[n, x] * (1 - q[x])))
    residual = sp.Max(p[x] - c[n] * q[x], 0)
    mass_at_most_one = d.derive("q is a law", ge(q[x], 0))
    mass_at_most_one = d.term("so each mass is at most one", mass_at_most_one, x, y)
    mass_at_most_one = d.derive("at most one", le(q[y], 1), mass_at_most_one, mass_q)
    mass_at_most_one = d.instantiate("of each token", mass_at_most_one, {y: x})
    term = d.term("one of all", d.derive("not negative", ge(residual, 0)), x, y)
    term = d.instantiate("of each token", term, {y: x})
    B = sp.IndexedBase("B", real=True)
    size = d.define("all that is left", B[n], total(residual, x))
    term = d.derive("at most all that is left", le(residual, B[n]), term, size)
    scale = d.derive("the next scale", eq(c[n + 1], c[n] + B[n]), scale_step, size)
    statement = le(residual, w[n, x])
    before = d.suppose("of n drafts", statement)
    step = d.smt(
        "of one more", le(sp.Max(p[x] - c[n + 1] * q[x], 0), residual * (1 - q[x])), scale, term, mass_at_most_one
    )
    step = d.smt("so of n + 1", le(sp.Max(p[x] - c[n + 1] * q[x], 0), w[n + 1, x]), step, before, on, mass_at_most_one)
    base = d.derive("of none", le(sp.Max(p[x] - c[0] * q[x], 0), w[0, x]), zero, first, by="smt")
    return d.induction("of every number", statement, n, base, step), first, on, mass_at_most_one


def prove_naive(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts; token by token.

    With equality for a target that is sure.
    """
    p, mass = d.law("p")
    q, mass_q = d.law("q")
    per_token_bound, *_ = _refused(d, p, q, mass_q, sign, constant)
    per_token_bound = d.sum("over the vocabulary", d.instantiate("of all drafts", per_token_bound, {n: K}), x)
    remainder = total(sp.Max(p[x] - c[K] * q[x], 0), x)
    d.qed(d.derive("accepted", le(total(p[x] - w[K, x], x), 1 - remainder), per_token_bound, mass))


def prove_cover(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts.

    With equality for a target that is sure.
    """
    p, mass = d.law("p")
    q, mass_q = d.law("q")
    m = d.number("m", 0, 1)
    m_below_q = d.domain(LEAST, ge(p[x] * (q[x] - m), 0))
    per_token_bound, first, on, mass_at_most_one = _refused(d, p, q, mass_q, sign, constant)
    power_start, power_step = d.recursion("(1 − m)^n", eq(v[0], 1), eq(v[n + 1], v[n] * (1 - m)))
    low = d.suppose("(1 − m)^n is not negative", ge(v[n], 0))
    low = d.inductive("never negative", ge(v[n], 0), n, [power_start], [power_step, low], by="smt")
    before = d.suppose("of n drafts, with m", le(w[n, x], p[x] * v[n]))
    base = d.derive("at first", le(w[0, x], p[x] * v[0]), first, power_start)
    premises = [before, on, power_step, low, mass_at_most_one, m_below_q]
    step = d.smt("then", le(w[n + 1, x], p[x] * v[n + 1]), *premises)
    power_bound = d.induction("with m for each q", le(w[n, x], p[x] * v[n]), n, base, step)
    remainder_bound = d.derive(
        "what is left", le(sp.Max(p[x] - c[n] * q[x], 0), p[x] * v[n]), per_token_bound, power_bound
    )
    remainder_bound = d.sum("over the vocabulary", d.instantiate("of all drafts", remainder_bound, {n: K}), x)
    d.qed(d.derive("accepted", ge(1 - total(sp.Max(p[x] - c[K] * q[x], 0), x), 1 - v[K]), remainder_bound, mass))


P, Q, W = (sp.IndexedBase(name, real=True) for name in "PQW")
s = index("s")
start = index("start")


def prove_covered(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of tokens that is covered."""
    after = d.map("after")
    accepted = sp.Min(P[n, s, x], Q[n, s, x])
    laws = d.domain("drafts have laws", eq(total(Q[n, s, x], x), 1))
    last = d.domain(LAST, eq(P[0, s, x], Q[0, s, x]))
    first_level, level_step = d.recursion(
        "acceptance with n + 1 tokens to come",
        eq(W[0, s], total(sp.Min(P[0, s, x], Q[0, s, x]), x)),
        eq(
            W[n + 1, s],
            sum_of(P[n + 1, s, x], Q[n + 1, s, x])
            + sign * total((Q[n + 1, s, x] - sp.Min(P[n + 1, s, x], Q[n + 1, s, x])) * W[n, after[n, s, x]], x),
        ),
    )
    before = d.suppose("the other tokens are accepted", eq(W[n, s], constant))
    there = d.instantiate("after a refusal", before, {s: after[n, s, x]})
    up = {n: n + 1}
    refused = (Q[n, s, x] - accepted).subs(up)
    per_refusal = d.summed("whichever is refused", eq(refused * W[n, after[n, s, x]], refused * constant), there)
    laws_up = d.instantiate("of one more", laws, up)
    all_ = d.derive("then", eq(W[n + 1, s], constant), level_step, per_refusal, laws_up)
    base = d.summed("all of both laws", eq(sp.Min(P[0, s, x], Q[0, s, x]), Q[0, s, x]), last)
    none = d.instantiate("of the last", laws, {n: 0})
    base = d.derive("the last one", eq(W[0, s], constant), first_level, base, none)
    for_every_n = d.induction("for every number", eq(W[n, s], constant), n, base, all_)
    d.qed(d.instantiate("at the start", d.instantiate("of all", for_every_n, {n: K}), {s: start}))


def sum_of(p: sp.Expr, q: sp.Expr) -> Any:
    """Σ min(p, q)."""
    return total(sp.Min(p, q), x)


def _levels(p: Array, q: Array) -> dict[str, Any]:
    """What `prove_covered` binds: at level n, what is left where all but n + 1 tokens of q were refused."""
    size = int((q > 0).sum())
    levels: list[list[tuple[Any, Any]]] = [[] for _ in range(size)]
    children: list[list[list[int]]] = [[] for _ in range(size)]
    levels[-1] = [(p, q)]
    for level in range(size - 1, 0, -1):
        for target_law, draft_law in levels[level]:
            rest = normalise(np.maximum(target_law - draft_law, 0), otherwise=target_law)
            places = []
            for token in range(len(p)):
                places.append(len(levels[level - 1]) + 1)
                fewer = draft_law.copy()
                fewer[token if draft_law[token] > 0 else int(np.argmax(draft_law))] = 0 * q[0]
                fewer = normalise(fewer, otherwise=fewer)
                levels[level - 1].append((rest if draft_law[token] > target_law[token] else fewer, fewer))
            children[level - 1].append(places)

    def at(side: int) -> Any:
        return lambda n, state, token: levels[n][(state - 1) % len(levels[n])][side][token - 1]

    def after(n: int, state: int, token: int) -> int:
        return children[n][(state - 1) % len(children[n])][token - 1] if children[n] else 1

    ranges = {"s": range(1, max(map(len, levels)) + 1), "n": range(size)}
    return {"P": at(0), "Q": at(1), "after": after, "K": size - 1, "start": 1, "V": len(p), "ranges": ranges}


PROOFS = (
    Proof(claims.RRS_FORMULA, prove, drop=NORMED, bind=_values),
    Proof(
        claims.RRS_BEATS_NAIVE,
        prove_naive,
        drop="q sums to one",
        bind=lambda p, q, k: {"p": p, "q": q, "K": k, "V": len(p), "ranges": {"n": range(k + 1)}},
    ),
    without(claims.RRSW_BEATS_RRS),
    Proof(claims.COVER_RRSW, prove_covered, drop=LAST, bind=_levels),
    Refutation(
        claims.COVER_RRS,
        by_size,
        scope="the first by vocabulary and denominator, with two drafts",
        repaired={
            "with at least 1 − (1 − m)^K": claims.COVER_RRS_CORRECTED,
        },
    ),
    Proof(
        claims.COVER_RRS_CORRECTED,
        prove_cover,
        drop=LEAST,
        bind=lambda p, q, k: {
            **{"p": p, "q": q, "m": min(q[p > 0]), "K": k},
            **{"V": len(p), "ranges": {"n": range(k + 1)}},
        },
    ),
)
