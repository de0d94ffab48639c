"""pad.acceptance-trajectory: an override wins one accept and may cost later ones; the shares differ by what they are worth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from proofs_check.language import Derivation, Proof, Refutation, eq, ge
from proofs_check.pad._accepted_share import one_rate, two_tokens, visited
from proofs_check.pad._accepts_to_go import T, accepts, n, s, shares, start, values
from simspec.claims.claim import Instance
from simspec.claims.pad.acceptance_trajectory import (
    ACCEPTANCE_TRAJECTORY,
    ACCEPTANCE_TRAJECTORY_CORRECTED,
    ACCEPTANCE_TRAJECTORY_SHARP,
)
from simspec.laws import Array, exact, overlap


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, number of states and length T ≥ 1, all laws, automata and flags."""
    a = accepts(d, sign, constant)
    some = d.domain("a text has a token", ge(T, 1))
    share_split = shares(d, a)
    statement = eq(a.P[T, start] / T - a.A[T, start] / T, a.W[T, start] / T)
    d.qed(d.derive("over the drafts, one a token", statement, share_split, some))


def prove_corrected(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, number of states and length T ≥ 1, all laws, automata and flags.

    With every token flagged PAD is SD and all bounds are equalities; two tokens cannot become three: the refutation of
    pad.acceptance-trajectory. The exact difference is pad.acceptance-trajectory-sharp.
    """
    a = accepts(d, sign)
    some = d.domain("a text has a token", ge(T, 1))
    u = d.number("u", low=0, high=1)
    R, above, path_rule = visited(d, a)
    path = d.instantiate("for the whole text", above, {n: T, s: start})
    pad = a.P[T, start]
    sd = a.A[T, start]
    path_bound = d.smt("over the drafts", ge(pad / T, constant * R[T, start] / T), path, some)
    level = one_rate(d, a, R, path_rule, above, u)
    short, pays = two_tokens(d, a)
    level, pays = (d.instantiate("for the whole text", fact, {n: T, s: start}) for fact in (level, pays))
    e = u + short[T] - u * short[T]
    gap = d.smt("in either case", ge(e * (pad - sd), 0), level, pays)
    d.qed(path_bound, d.smt("over the drafts, in either case", ge(pad / T, (e * sd + (1 - e) * pad) / T), gap, some))


def _values(target: Array, draft: Array, step: Array, horizon: int, flags: Array) -> dict[str, Any]:
    rates = overlap(target, draft)
    level = int((rates == rates[0]).all())
    return {**values(target, draft, step, horizon, flags), "u": level, "rate": rates[0]}


def deterministic(horizon: int) -> Iterator[Instance]:
    """Two tokens and three states, of which two are never left; the target always writes the first token."""
    rows = [exact(np.array(r)) for r in ([1, 0], [0, 1])]
    step = np.array([[1, 2], [1, 1], [2, 2]])
    for drafts in product(rows, repeat=3):
        for bits in product((False, True), repeat=6):
            yield {
                **{"target": np.stack([rows[0]] * 3), "draft": np.stack(drafts), "step": step, "horizon": horizon},
                **{
                    "utility": exact(np.zeros(3, dtype=int)),
                    "flags": np.stack([np.array(bits).reshape(3, 2)] * horizon),
                },
            }


def _up_to(longest: int) -> Iterator[Instance]:
    for horizon in range(1, longest + 1):
        yield from deterministic(horizon)


def _level() -> Iterator[Instance]:
    for case in deterministic(3):
        rates = overlap(case["target"], case["draft"])
        if (rates == rates[0]).all():
            yield case


PROOFS = (
    Refutation(
        ACCEPTANCE_TRAJECTORY,
        lambda: _up_to(3),
        scope="the first by length among models that always write one token, two tokens and three states, the first of "
        "which leads to the others by one token each; three tokens of text, and no fewer",
        repaired={
            "texts of at most two tokens": lambda: _up_to(2),
            "SD accepts equally often in every context": _level,
        },
    ),
    Proof(ACCEPTANCE_TRAJECTORY_CORRECTED, prove_corrected, drop="a token is flagged or not", bind=_values),
    Proof(ACCEPTANCE_TRAJECTORY_SHARP, prove_sharp, drop="q sums to one", bind=values),
)
