"""Drafts tested one after the other, each against what the others left of the target: the emitted token has the target's law.

A state is what has been refused so far; P[s] is what is left of the target there, Q[s] the law of the next draft, and h[s] the
probability that this draft is passed over (1 where there is none).  ``after[s, x]`` is the state after x has been refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, eq, index, total, x, y, z
from simspec.claims.claim import Claim
from simspec.laws.unchecked import normalise

__all__ = ["proof", "states"]

s = index("s")
start = index("start")
n, K = sp.symbols("n K", integer=True, nonnegative=True)
NEXT = "what is left after a refusal"
NORMED = "the residual is (P − Q)₊ over its sum"
MASS = "laws have one mass"
BEGIN = "at first all of p is left"


def _prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, number of drafts and pair of laws; the law of a draft may depend on all that was refused."""
    p = d.weights("p")
    P, Q, r, h, E = (sp.IndexedBase(name, real=True) for name in ("P", "Q", "r", "h", "E"))
    after = d.map("after")
    tested = 1 - h[s]
    accepted = sp.Min(P[s, x], Q[s, x])
    over = sp.Max(P[s, x] - Q[s, x], 0)
    refused = Q[s, x] - accepted
    Z = total(over, x)
    begin = d.domain(BEGIN, eq(P[start, y], p[y]))
    next_rule = d.domain(NEXT, eq(tested * refused * P[after[s, x], y], tested * refused * r[s, y]))
    normed = d.domain(NORMED, eq(tested * r[s, y] * Z, tested * constant * sp.Max(P[s, y] - Q[s, y], 0)))
    mass = d.domain(MASS, eq(tested * total(P[s, x], x), tested * total(Q[s, x], x)))
    end, test = d.recursion(
        "law of the emitted token with n drafts to come",
        eq(E[0, s, y], P[s, y]),
        eq(
            E[n + 1, s, y],
            h[s] * E[n, s, y]
            + tested * (sp.Min(P[s, y], Q[s, y]) + sign * total(refused * E[n, after[s, z], y].subs(z, x), x)),
        ),
    )
    statement = eq(E[n, s, y], P[s, y])
    before = d.suppose("the statement for n drafts", statement)
    there = d.instantiate("after a refusal", before, {s: after[s, x]})
    per_draft = d.derive(
        "of each draft", eq(tested * refused * E[n, after[s, x], y], tested * refused * r[s, y]), there, next_rule
    )
    all_ = d.sum("whichever is refused", per_draft, x)
    equal = d.summed("refused is what is left", eq(refused, over + Q[s, x] - P[s, x]))
    again = d.derive("drawn again", eq(tested * r[s, y] * total(refused, x), tested * r[s, y] * Z), equal, mass)
    accepted_and_excess = d.derive(
        "kept, and beyond", eq(sp.Min(P[s, y], Q[s, y]), P[s, y] - sp.Max(P[s, y] - Q[s, y], 0))
    )
    for_every_n = d.inductive(
        "for every number of drafts", statement, n, [end], [before, test, all_, again, normed, accepted_and_excess]
    )
    from_start = d.instantiate("for all drafts", for_every_n, {n: K})
    from_start = d.instantiate("from the start", from_start, {s: start})
    d.qed(d.derive("from p", eq(E[K, start, y], p[y]), from_start, begin))


def states(p: Any, q: Any, k: int, without: bool = False, passing: bool = False) -> dict[str, Any]:
    """What `proof` binds: all lists of up to k refused drafts.

    Parameters
    ----------
    without : bool; drafts without replacement
    passing : bool; independent ones, those that were drawn before passed over
    """
    P = [p]
    Q = [q]
    r = []
    h = []
    after = []
    depth = [0]
    at = 0
    gone = [frozenset[int]()]
    while at < len(P):
        rest = normalise(np.maximum(P[at] - Q[at], 0), otherwise=P[at])
        never = depth[at] == k or not Q[at].any()
        r.append(rest)
        h.append(1 if never else sum(q[token] for token in gone[at]) if passing else 0)
        after.append([at + 1] * len(p) if never else [len(P) + 1 + token for token in range(len(p))])
        for token in () if never else range(len(p)):
            fewer = Q[at].copy()
            fewer[token] = 0 * q[0]
            P.append(rest)
            Q.append(normalise(fewer, otherwise=fewer) if without or passing else q)
            depth.append(depth[at] + 1)
            gone.append(gone[at] | {token})
        at += 1
    ranges = {"s": range(1, len(P) + 1), "n": range(k)}
    return {
        **{"p": p, "P": P, "Q": Q, "r": r, "h": h, "after": lambda state, token: after[state - 1][token - 1]},
        **{"K": k, "start": 1, "V": len(p), "ranges": ranges},
    }


def proof(claim: Claim, bind: Callable[..., Any]) -> Proof:
    """The proof for a rule, with its states."""
    return Proof(claim, _prove, drop=NEXT, bind=bind)
