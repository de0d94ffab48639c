"""folk.eagle-greedy: what no candidate is keeps its share of what is left, times the probability that all are refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, gt, laws, x
from simspec.claims.authoring import law
from simspec.claims.folk.eagle_greedy import EAGLE_GREEDY, EAGLE_GREEDY_CORRECTED, law_one_by_one, others
from simspec.claims.folk.parts import off
from simspec.laws import Array

n = sp.Symbol("n", integer=True, nonnegative=True)
size = sp.Symbol("size", integer=True, nonnegative=True)
OTHERS = "o is 1 at tokens that are no candidates, else 0"
SOME = "the candidates leave some mass"
REST = "what is left at the end"
SHARE = "EAGLE keeps a candidate with its share of what is left"
NEVER = "f is 1 where a token is never emitted, else 0"
NONE = "g is 1 where it has no mass or some candidate is always accepted, else 0"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law, every number of different candidates in every order, all probabilities of accepting."""
    p = d.weights("p")
    mark, m, accept, keep, o, residual, f, g = (
        sp.IndexedBase(name, real=True) for name in ("mark", "m", "accept", "keep", "o", "left", "f", "g")
    )
    is_other, no_candidate = d.domain(OTHERS, eq(o[x] * (1 - o[x]), 0), eq(o[x] * mark[n, x], 0))
    R, A, E, out, eagle_out = (sp.IndexedBase(name, real=True) for name in ("R", "A", "E", "out", "own"))
    all_mass, mass_step = d.recursion("mass of what was not tried", eq(R[0], 1), eq(R[n + 1], R[n] - sign * m[n]))
    d.recursion("reached", eq(A[0], 1), eq(A[n + 1], A[n] * (1 - accept[n])))
    certain, reached_step = d.recursion("reached under EAGLE's rule", eq(E[0], 1), eq(E[n + 1], E[n] * (1 - keep[n])))
    share = d.domain(SHARE, eq(keep[n] * R[n], constant * m[n]))
    reached = eq(E[n], R[n])
    before = d.suppose("reached with what is left", reached)
    refused = d.derive("refused", eq(E[n] * keep[n], m[n]), before, share)
    reached = d.inductive(
        "for every candidate", reached, n, [all_mass, certain], [mass_step, reached_step, before, refused], by="smt"
    )
    nothing = []
    for accepted, reaching, probability in ((out, A, accept), (eagle_out, E, keep)):
        accepts_none, accepts_step = d.recursion(
            "accepted so far",
            eq(accepted[0, x], 0),
            eq(accepted[n + 1, x], accepted[n, x] + mark[n, x] * reaching[n] * probability[n]),
        )
        of_none = d.inductive(
            "no other token", eq(o[x] * accepted[n, x], 0), n, [accepts_none], [accepts_step, no_candidate], by="smt"
        )
        nothing.append(d.instantiate("of all candidates", of_none, {n: size}))
    some = d.domain(SOME, gt(R[size], 0))
    rest = d.domain(REST, eq(residual[x] * R[size], o[x] * p[x]))
    reached = d.instantiate("after all", reached, {n: size})
    emitted = out[size, x] + A[size] * residual[x]
    shares = d.derive(
        "all refused, then its share",
        eq(o[x] * emitted * R[size], o[x] * p[x] * A[size]),
        nothing[0],
        rest,
        is_other,
        by="smt",
    )
    quotient = d.derive("as a quotient", eq(o[x] * emitted, o[x] * p[x] * A[size] / R[size]), shares, some, by="smt")
    eagle = d.derive(
        "EAGLE's",
        eq(o[x] * (eagle_out[size, x] + E[size] * residual[x]), o[x] * p[x]),
        nothing[1],
        reached,
        rest,
        is_other,
        by="smt",
    )
    never = d.domain(NEVER, eq(f[x] * (1 - f[x]), 0), eq(f[x] * emitted, 0), gt(emitted + f[x], 0))
    no_mass = d.domain(NONE, eq(g[x] * (1 - g[x]), 0), eq(g[x] * p[x] * A[size], 0), gt(p[x] * A[size] + g[x], 0))
    goal = eq(o[x] * f[x], o[x] * g[x])
    d.qed(quotient, eagle, d.smt("never exactly there", goal, shares, some, is_other, *never, *no_mass))


def _values(p: Array, candidates: Sequence[int], accepts: Sequence[Any]) -> dict[str, Any]:
    """The law, the candidates in their order, and the flags of every token."""
    remaining = p
    keeps = []
    refused = 1
    for token, accept in zip(candidates, accepts, strict=True):
        keeps.append(remaining[token])
        refused = refused * (1 - accept)
        remaining = off(remaining, np.eye(len(p), dtype=int)[token] + p * 0)
    never = [int(mass == 0) for mass in law_one_by_one(p, candidates, accepts)]
    return {
        **{"p": p, "mark": lambda at, token: int(candidates[at] == token - 1), "m": lambda at: p[candidates[at]]},
        **{
            "accept": lambda at: accepts[at],
            "keep": lambda at: keeps[at],
            "left": remaining,
            "o": others(p, candidates),
        },
        **{"f": never, "g": [int(mass == 0 or refused == 0) for mass in p], "size": len(candidates), "V": len(p)},
        "ranges": {"n": range(len(candidates))},
    }


def _tested() -> Iterator[dict[str, Any]]:
    """Every order of different candidates that leave some mass, each never, half the time or always accepted."""
    often = (Fraction(0), Fraction(1, 2), Fraction(1))
    for p in (*laws(2, 4), *laws(3, 2)):
        for size in range(1, len(p)):
            for candidates, accepts in product(permutations(range(len(p)), size), product(often, repeat=size)):
                if sum(p[list(candidates)]) < 1:
                    yield {"p": p, "candidates": list(candidates), "accepts": list(accepts)}


PROOFS = (
    Refutation(
        EAGLE_GREEDY,
        lambda: ({"p": law("51/100", "49/100")},),
        scope="the law that is named, the only instance",
        repaired={"accepted with any probability": (EAGLE_GREEDY_CORRECTED, _tested)},
    ),
    Proof(EAGLE_GREEDY_CORRECTED, prove, drop=SOME, bind=_values),
)
