"""Accepts to go on a decision process: under PAD, under SD, and what overrides win and lose, with n tokens to go."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._gain_and_price import as_short, emitted, residual, rows, shifted
from proofs_check.language import Derivation, Fact, eq, ge, index, le, total, x
from simspec.laws import Array
from simspec.methods import SD

__all__ = ["Accepts", "accepts", "n", "s", "shares", "start", "values"]

s = index("s")
start = index("start")
n, T = sp.symbols("n T", integer=True, nonnegative=True)


class Accepts(NamedTuple):
    """Expressions in a state s, n tokens to go, and what defines them."""

    least: Any
    gain: Any
    r: Any
    o: Any
    p: Any
    q: Any
    e: Any
    step: Any
    P: Any
    A: Any
    W: Any
    worth: Any
    flag: Fact
    mass_p: Fact
    mass_q: Fact
    mass_r: Fact
    law: Fact
    lossless: Fact
    pad: tuple[Fact, Fact]
    sd: tuple[Fact, Fact]
    won: tuple[Fact, Fact]
    shift: Fact
    later: Fact
    identity: Fact


def accepts(d: Derivation, sign: int = 1, constant: int = 1) -> Accepts:
    """The recursions, and by induction: accepts under PAD = accepts under SD + what its overrides are worth."""
    p, mass_p = rows(d, "p", s)
    q, mass_q = rows(d, "q", s)
    text = "a token is flagged or not"
    f = sp.IndexedBase("f", real=True) if d.dropped == text else sp.IndexedBase("f", nonnegative=True)
    _, flag = d.domain(text, ge(f[n, s, x], 0), le(f[n, s, x], 1))
    P, A, W, later = (sp.IndexedBase(name, real=True) for name in ("P", "A", "W", "later"))
    step = d.map("step")
    pair = (p[s, x], q[s, x])
    residue = residual(d, *pair, s)
    r = residue[0]
    least = sp.Min(*pair)
    gain = (1 - f[n, s, x]) * sp.Max(q[s, x] - p[s, x], 0)
    o, law = emitted(d, "the law emitted by PAD", "o", least + gain, r, n, s)
    plain = emitted(d, "the law emitted by SD", "e", least, r, s)
    overlap, _ = as_short(d, *pair, mass_p, mass_q)
    lossless = shifted(d, pair, sp.S.Zero, (mass_p, mass_q), residue, plain, overlap)
    shift = shifted(d, pair, gain, (mass_p, mass_q), residue, (o, law), overlap)
    next_ = step[s, x]
    pad = d.recursion(
        "accepts to come under PAD: the drafts kept here, and those after the token emitted",
        eq(P[0, s], 0),
        eq(P[n + 1, s], total(least + gain, x) + total(o * P[n, next_], x)),
    )
    sd = d.recursion(
        "accepts to come under SD", eq(A[0, s], 0), eq(A[n + 1, s], total(least, x) + total(plain[0] * A[n, next_], x))
    )
    instead = total(r * A[n, next_], x)
    replaced = d.define("what SD would still accept after a replacement", later[n, s], instead)
    worth = constant + A[n, next_] - sign * later[n, s]
    won = d.recursion(
        "worth of the overrides to come, along PAD's path",
        eq(W[0, s], 0),
        eq(W[n + 1, s], total(gain * worth, x) + total(o * W[n, next_], x)),
    )
    statement = eq(P[n, s], A[n, s] + W[n, s])
    there = d.instantiate("in the next state", d.suppose("the statement for n", statement), {s: next_})
    after = d.summed("after a token", eq(o * P[n, next_], o * A[n, next_] + o * W[n, next_]), there)
    step_mean = eq(o * A[n, next_], p[s, x] * A[n, next_] + gain * A[n, next_] - total(gain, x) * r * A[n, next_])
    step_mean = d.summed("the law of a step", step_mean, shift)
    same = d.summed("SD emits p", eq(plain[0] * A[n, next_], p[s, x] * A[n, next_]), lossless)
    identity = d.inductive(
        "for every n", statement, n, [pad[0], sd[0], won[0]], [pad[1], sd[1], won[1], after, step_mean, same, replaced]
    )
    return Accepts(
        *(least, gain, r, o, *pair, plain[0], step, P, A, W, worth),
        *(flag, mass_p, mass_q, residue[1], law, lossless, pad, sd, won, shift, replaced, identity),
    )


def shares(d: Derivation, a: Accepts) -> Fact:
    """The identity at the start of a text of T tokens."""
    return d.instantiate("for the whole text, from its start", a.identity, {n: T, s: start})


def values(target: Array, draft: Array, step: Array, horizon: int, flags: Array) -> dict[str, Any]:
    """What the symbols stand for in an instance; flags are counted by the tokens to go."""
    size, vocab = target.shape
    return {
        **{"p": target, "q": draft, "r": SD.residual(target, draft), "T": horizon, "V": vocab, "S": size},
        **{"step": step + 1, "start": 1},
        **{"f": lambda n, s, x: int(flags[horizon - 1 - n][s - 1][x - 1])},
        **{"ranges": {"s": range(1, size + 1), "n": range(horizon)}},
    }
