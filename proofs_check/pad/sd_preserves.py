"""pad.sd-preserves: SD emits p in every state, so by induction the value of a text is that of the target's chain."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._gain_and_price import emitted, residual, rows, shifted
from proofs_check.language import Derivation, Proof, eq, index, total, x
from simspec.claims.pad.sd_preserves import SD_PRESERVES
from simspec.laws import Array
from simspec.methods import SD

s = index("s")
t = index("t")
n, T = sp.symbols("n T", integer=True, nonnegative=True)
STATES = sp.Symbol("S", integer=True, positive=True)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, number of states and length, all laws, automata and utilities."""
    p, mass_p = rows(d, "p", s)
    q, mass_q = rows(d, "q", s)
    u, U, A = (sp.IndexedBase(name, real=True) for name in ("u", "U", "A"))
    C = sp.IndexedBase("C", real=True)
    E = sp.IndexedBase("E", real=True)
    step = d.map("step")
    pair = (p[s, x], q[s, x])
    residue = residual(d, *pair, s)
    output = emitted(d, "the law emitted by SD in a state", "o", sp.Min(*pair), sign * residue[0], s)
    lossless = shifted(d, pair, sp.S.Zero, (mass_p, mass_q), residue, output)
    end, before = d.recursion(
        "worth of a state with n tokens to go, under SD",
        eq(U[0, s], u[s]),
        eq(U[n + 1, s], total(output[0] * U[n, step[s, x]], x)),
    )
    moves = d.define("the target's chain", C[s, t], total(p[s, x] * E[s, x, t], x))
    last, earlier = d.recursion(
        "its powers on the utility",
        eq(A[0, s], u[s]),
        eq(A[n + 1, s], constant * total(C[s, t] * A[n, t], t, upto=STATES)),
    )
    one_state = eq(total(E[s, x, t] * A[n, t], t, upto=STATES), A[n, step[s, x]])
    arrives = d.domain("E marks the state after a token", one_state)
    statement = eq(U[n, s], A[n, s])
    suppose = d.suppose("the statement for n tokens to go", statement)
    there = d.instantiate("in the next state", suppose, {s: step[s, x]})
    token = d.summed("one token", eq(output[0] * U[n, step[s, x]], p[s, x] * A[n, step[s, x]]), lossless, there)
    flow = d.derive("a move", eq(C[s, t] * A[n, t], total(p[s, x] * E[s, x, t] * A[n, t], x)), moves)
    flow = d.sum("over the states", flow, t, upto=STATES)
    along = d.derive(
        "a token", eq(p[s, x] * total(E[s, x, t] * A[n, t], t, upto=STATES), p[s, x] * A[n, step[s, x]]), arrives
    )
    along = d.sum("over the vocabulary, the sums exchanged", along, x)
    for_every_n = d.inductive("for every n", statement, n, [end, last], [before, earlier, token, flow, along])
    d.qed(d.instantiate("for the whole text", for_every_n, {n: T}))


def _values(target: Array, draft: Array, step: Array, utility: Array, horizon: int) -> dict[str, Any]:
    size, vocab = target.shape
    return {
        **{"p": target, "q": draft, "r": SD.residual(target, draft), "u": utility, "T": horizon, "V": vocab, "S": size},
        **{"step": step + 1, "E": lambda s, x, t: int(step[s - 1, x - 1] + 1 == t)},
        **{"ranges": {"s": range(1, size + 1), "t": range(1, size + 1), "n": range(horizon)}},
    }


PROOF = Proof(SD_PRESERVES, prove, drop="q sums to one", bind=_values)
