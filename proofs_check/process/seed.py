"""process.seed: each request alone is a step of speculative decoding, and equal ones go the same way with equal uniforms."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, laws, total, x, y
from proofs_check.process._step import NORMED, emitted, residual
from simspec.claims.claim import Instance
from simspec.claims.process.seed import BATCH, BATCH_CORRECTED, DEPENDENCE, TEXT, before
from simspec.laws import Array

SAME = "both requests emit one token"
INTERVALS = "a token is drawn where the uniform is between the masses before it and with it"
OTHER = "the other residual is (p − q)₊ over its sum"


def prove_texts(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws: of a request that sees uniforms it is nothing to whom else they are given."""
    first = emitted(d, sign=sign, constant=constant)
    second = emitted(d, "2", sign=sign, constant=constant, normed=OTHER)
    d.qed(first.lossless, second.lossless)


def _texts(p: Array, q: Array, other: Array, other_q: Array) -> dict[str, Any]:
    return {**residual(p, q), **residual(other, other_q, "2")}


def prove_batch(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every target, whatever the draft.

    Zero only where the target is sure.
    """
    p, mass = d.law("p")
    same = d.weights("same", x, y)
    bit, one_token, equal = d.domain(
        SAME,
        eq(same[x, y] * (1 - same[x, y]), 0),
        eq(total(same[x, y], y), 1),
        eq(same[x, y] * p[y], same[x, y] * p[x]),
    )
    mass_bound = d.term("no token is more than all", d.derive("no mass is negative", ge(p[y], 0)), y, x)
    at_most_one = d.derive("at most one", ge(1, p[y]), d.instantiate("of the other", mass_bound, {x: y}), mass)
    distance = sp.Abs(same[x, y] * p[x] - p[x] * p[y])
    token = d.derive(
        "of a pair",
        eq(distance, p[x] * p[y] + same[x, y] * p[x] - 2 * p[x] * same[x, y] * p[x]),
        bit,
        equal,
        at_most_one,
        by="smt",
    )
    rows = d.sum("over the second token", token, y)
    rows = d.derive("a row", eq(total(distance, y), 2 * p[x] - 2 * p[x] ** 2), rows, one_token, mass)
    texts = d.sum("over the first token", rows, x)
    distances = total(total(distance, y), x) / 2
    d.qed(d.derive("half of it", eq(constant * distances, 1 - sign * total(p[x] * p[x], x)), texts, mass))


def _batch(p: Array, q: Array) -> dict[str, Any]:
    return {"p": p, "same": np.eye(len(p), dtype=int), "V": len(p)}


def prove_dependence(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws: both draws are where the uniform lies in the intervals of both tokens."""
    ends = d.weights("ends")
    starts = d.weights("starts")
    other_ends = d.weights("other_ends", y)
    other_starts = d.weights("other_starts", y)
    first, second = d.domain(INTERVALS, ge(ends[x], starts[x]), ge(other_ends[y], other_starts[y]))
    overlap = sp.Max(sp.Min(ends[x], other_ends[y]) - sp.Max(starts[x], other_starts[y]), 0)
    upper = sp.Min(ends[x], other_ends[y]) - sp.Min(ends[x], other_starts[y])
    lower = sp.Min(starts[x], other_ends[y]) - sp.Min(starts[x], other_starts[y])
    d.qed(
        d.derive("where two intervals overlap", eq(constant * overlap, sign * (upper - lower)), first, second, by="smt")
    )


def _dependence(p: Array, other: Array) -> dict[str, Any]:
    first = {"ends": np.cumsum(p), "starts": before(p)}
    return {**first, "other_ends": np.cumsum(other), "other_starts": before(other), "V": len(p)}


def _requests() -> Iterator[Instance]:
    """Two requests over at most two tokens, by the denominator of their masses."""
    for vocab, size in product((1, 2), (1, 2)):
        for p, q, other_p, other_q in product(list(laws(vocab, size)), repeat=4):
            yield {"p": p, "q": q, "other": other_p, "other_q": other_q}


PROOFS = (
    Proof(TEXT, prove_texts, drop=NORMED, bind=_texts),
    Refutation(
        BATCH,
        _requests,
        scope="the first by vocabulary and denominator",
        repaired={
            "a target that is sure": lambda: (i for i in _requests() if i["p"].max() == 1),
            "its distance where the prompts are one": BATCH_CORRECTED,
        },
    ),
    Proof(BATCH_CORRECTED, prove_batch, drop=SAME, bind=_batch),
    Proof(DEPENDENCE, prove_dependence, drop=INTERVALS, bind=_dependence),
)
