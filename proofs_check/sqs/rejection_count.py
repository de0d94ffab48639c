"""sqs.rejection-count: each tested draft is rejected with probability TV(q̂, p); where the target writes alone none is tested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, index, laws, le, total, x
from proofs_check.sqs._batched_texts import RESIDUAL, Run, by_induction, c, everywhere, n, run, states
from simspec.claims.claim import Instance
from simspec.claims.sqs.rejection_count import COUNT, COUNT_CORRECTED, COUNT_SHARP

LONG = "every batch may hold T drafts"
FREE = "no bit budget ends a batch"
T = sp.Symbol("T", integer=True, nonnegative=True)
begin = index("begin")


def _after(d: Derivation, r: Run, before: Fact) -> tuple[Fact, Fact]:
    """The supposition after an accepted draft, and after another token."""
    return (
        d.instantiate("after an accepted draft", before, {c: r.keep[c, x]}),
        d.instantiate("after another token", before, {c: r.back[c, x]}),
    )


def prove(d: Derivation, sign: int = 1, half: sp.Expr = sp.S.Half) -> None:
    """The expected number of rejections is the sum of TV(q̂, p) over the positions where a draft is tested."""
    r = run(d, half, sign)
    here = {r.t: r.of[c]}
    small, rest, p = (e.subs(here) for e in (r.small, r.rest, r.p[r.t, x]))
    W = sp.IndexedBase("W", real=True)
    accepted_branch = W[n, r.keep[c, x]]
    rejected_branch = W[n, r.back[c, x]]
    empty, longer = d.recursion(
        "the sum over the positions where a draft is tested, along the run",
        eq(W[0, c], 0),
        eq(
            W[n + 1, c],
            r.tests[c] * r.tv.subs(here)
            + total(
                r.tests[c] * (small * accepted_branch + rest * rejected_branch)
                + (1 - r.tests[c]) * p * rejected_branch,
                x,
            ),
        ),
    )
    reject = d.instantiate("here", r.step, here)
    split = d.instantiate("here", r.split, here)

    def step(before: Fact) -> Fact:
        accepted, back = _after(d, r, before)
        J = r.J[n, r.keep[c, x]], r.J[n, r.back[c, x]]
        drafted = d.smt(
            "a tested position",
            eq(small * J[0] + split.relation.lhs * J[1], small * accepted_branch + rest * rejected_branch),
            *(accepted, back, split),
        )
        alone = d.derive("a position of the target", eq(p * J[1], p * rejected_branch), back)
        drafted = d.sum("over the tokens", drafted, x)
        alone = d.sum("over the tokens", alone, x)
        return d.smt("one token more", eq(r.J[n + 1, c], W[n + 1, c]), r.onward, longer, drafted, alone, reject)

    base = d.derive("before the first token", eq(r.J[0, c], W[0, c]), r.start, empty)
    for_every_state = by_induction(d, "from every state", eq(r.J[n, c], W[n, c]), base, step)
    d.qed(d.instantiate("the whole text", for_every_state, {n: T, c: begin}))


def prove_sharp(d: Derivation, sign: int = 1, half: sp.Expr = sp.S.Half) -> None:
    """Where every position tests a draft, the expected number of rejections is the sum of TV(q̂, p) over all positions."""
    gamma = sp.Symbol("gamma", integer=True, positive=True)
    stop, full = (sp.IndexedBase(name, nonnegative=True) for name in ("stop", "full"))
    ago = sp.IndexedBase("ago", real=True)
    text_length = sp.IndexedBase("written", real=True)
    long = d.assume(LONG, ge(gamma, T))
    free = d.assume(FREE, eq(stop[c], 0))
    r = run(d, half, sign)
    when = d.domain(
        "when a draft is tested",
        ge(r.tests[c] + stop[c] + full[c], 1),
        eq(full[c] ** 2, full[c]),
        ge(full[c] * (ago[c] - gamma), 0),
        le(ago[c], text_length[c]),
    )
    grows = d.domain(
        "a token makes the text one longer",
        le(text_length[r.keep[c, x]], text_length[c] + 1),
        le(text_length[r.back[c, x]], text_length[c] + 1),
    )
    starts = d.domain("the text starts empty", eq(text_length[begin], 0))
    M, zero, recursion_step = everywhere(d, r, "M", r.tv)
    positions_ahead = sp.Max(T - n - text_length[c], 0)  # positions left before T, after n + 1 more tokens
    tested = d.smt(
        "before T every position tests a draft",
        eq(positions_ahead * r.tests[c], positions_ahead),
        *when,
        long,
        free,
        r.flag,
    )
    here = {r.t: r.of[c]}
    small = r.small.subs(here)
    p = r.p[r.of[c], x]
    following = M[n, r.after[r.of[c], x]]
    reject = d.instantiate("here", r.step, here)
    split = d.instantiate("here", r.split, here)

    def step(before: Fact) -> Fact:
        J = r.J[n, r.keep[c, x]], r.J[n, r.back[c, x]]
        then = []
        for fact, same, grow, value in zip(_after(d, r, before), r.same, grows, J, strict=True):
            text = d.derive("the same text", eq(M[n, same.relation.lhs], following), same, by="algebra")
            then.append(
                d.smt(
                    "so by the supposition", eq(positions_ahead * value, positions_ahead * following), fact, text, grow
                )
            )
        sides = positions_ahead * (small * J[0] + split.relation.lhs * J[1]), positions_ahead * p * following
        drafted = d.summed("token by token", eq(*sides), *then, split, then="over the tokens", by="smt")
        goal = eq(positions_ahead * (r.J[n + 1, c] - M[n + 1, r.of[c]]), 0)
        longer = d.instantiate("here", recursion_step, here)
        return d.smt("one token more", goal, r.onward, longer, drafted, tested, reject)

    statement = eq(sp.Max(T - n - text_length[c] + 1, 0) * (r.J[n, c] - M[n, r.of[c]]), 0)
    base = d.derive("before the first token", statement.replace({n: 0}), r.start, d.instantiate("here", zero, here))
    for_every_state = by_induction(d, "from every state before T", statement, base, step)
    conclusion = d.instantiate("the whole text", for_every_state, {n: T, c: begin})
    d.qed(d.smt("the start is before T", eq(r.J[T, begin], M[T, r.of[begin]]), conclusion, starts))


def _values(**instance: Any) -> dict[str, Any]:
    """Values of the symbols along a text, and when a batch is full or ended by its budget."""
    s = states(dict(instance))
    gamma = instance["gamma"]

    def stopped(state: int) -> int:
        prefix, ago = s.states[state - 1]
        return int(s.text.stop(prefix[: len(prefix) - ago], prefix[len(prefix) - ago :]))

    return {
        **s.values,
        "gamma": gamma,
        "ago": lambda state: s.states[state - 1][1],
        "written": lambda state: len(s.states[state - 1][0]),
        "stop": stopped,
        "full": lambda state: int(s.states[state - 1][1] >= gamma),
    }


def small_texts() -> Iterator[Instance]:
    """Texts of up to two of two tokens, one kept, ℓ = 1, laws that do not depend on the text, denominators up to 2."""
    fixed = {"k": 1, "resolution": 1, "threshold": None, "step_size": None, "dropped_target": None, "budget": None}
    for length in (1, 2):
        for gamma in (1, 2):
            for denominator in (1, 2):
                for p in laws(2, denominator):
                    for q in laws(2, denominator):
                        rows = {"p": np.stack([p] * 3), "q": np.stack([q] * 3)}
                        yield {**rows, **fixed, "gamma": gamma, "length": length}


SCOPE = "targets and drafts that depend on the whole text, K-SQS and C-SQS, texts of every length"
PROOFS = (
    Refutation(
        COUNT,
        small_texts,
        scope="the first of all texts of one or two of two tokens, laws of denominators up to 2, one kept, γ = 1 and 2",
        repaired={
            "every batch may hold T drafts": COUNT_SHARP,
            "the sum counts positions where a draft is tested": COUNT_CORRECTED,
        },
    ),
    Proof(
        COUNT_CORRECTED,
        prove,
        drop=RESIDUAL,
        change={"half": sp.Rational(1, 3)},
        bind=_values,
        scope=f"{SCOPE}, batches of any length, fixed or by a bit budget",
    ),
    Proof(
        COUNT_SHARP,
        prove_sharp,
        drop="when a draft is tested",
        change={"half": sp.Rational(1, 3)},
        bind=_values,
        scope=SCOPE,
    ),
)
