"""sqs.one-resample: a batch goes on until the first rejection, so that what was rejected and whether it goes on add up to one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le
from simspec.claims.sqs.one_resample import ONE_RESAMPLE, rejected

n, T = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("n", "T"))
TESTS = "a test rejects or accepts"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of drafts and every outcome of their tests.

    Attained whenever a draft is rejected.
    """
    wrong, on, count = (sp.IndexedBase(name, real=True) for name in ("wrong", "on", "count"))
    bit = d.domain(TESTS, eq(wrong[n] * (1 - wrong[n]), 0))
    starts, goes = d.recursion(
        "a batch goes on while nothing is rejected", eq(on[0], 1), eq(on[n + 1], on[n] * (1 - sign * wrong[n]))
    )
    none, next_count = d.recursion(
        "tokens rejected and resampled", eq(count[0], 0), eq(count[n + 1], count[n] + constant * on[n] * wrong[n])
    )
    on_or_rejected = d.inductive(
        "either it goes on or one was rejected", eq(count[n] + on[n], 1), n, [none, starts], [next_count, goes]
    )
    some = d.inductive("it goes on or not", ge(on[n], 0), n, [starts], [goes, bit], by="smt")
    on_or_rejected, some = (d.instantiate("at the end", fact, {n: T}) for fact in (on_or_rejected, some))
    d.qed(d.derive("at most one", le(count[T], 1), on_or_rejected, some))


def bind(p: Any, q: Any, drafts: Sequence[int], coins: Sequence[Fraction]) -> dict[str, Any]:
    """The outcomes of the tests."""
    rejections = rejected(p, q, drafts, coins)
    return {"wrong": lambda n: int(rejections[n]), "T": len(rejections), "ranges": {"n": range(len(rejections))}}


PROOF = Proof(ONE_RESAMPLE, prove, drop=TESTS, bind=bind)
