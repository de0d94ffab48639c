"""sqs.lossless: whatever the state of the batch, one step emits each token with probability p, so a text with their product."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, index, le, total, x
from proofs_check.sqs._batched_texts import by_induction, c, n, t
from simspec.claims.sqs.lossless import BLIND, LOSSLESS
from simspec.claims.sqs.texts import TOLD, Text
from simspec.methods.method import accepted_mass
from simspec.methods.sd import SD


class Position(NamedTuple):
    """What happens at a position of a text, token by token, and what is given of it."""

    p: Any
    sent: Any
    drawn: Any
    accept: Any
    r: Any
    tests: Any
    """Whether a drafted token is tested in state c."""
    blind: Any
    """Whether any is."""
    told: Fact
    """drawn = sent."""
    unseen: Fact
    """tests = blind."""
    whole: Fact
    """What is sent sums to one."""
    kept: list[Fact]
    """accept sent = drawn min(p, sent), and accept ≤ drawn."""
    one_step: Fact
    """Speculative decoding with the law that is sent emits p."""


def position(d: Derivation) -> Position:
    """The position with n tokens to come after it, of text t."""
    p, sent, draft_law, accept, r, tests, blind = (
        sp.IndexedBase(name, nonnegative=True) for name in ("p", "sent", "drawn", "accept", "r", "tests", "blind")
    )
    at = (n, t, x)
    honest_report = d.assume(TOLD, eq(draft_law[at], sent[at]))
    unseen = d.assume(BLIND, eq(tests[n, t, c, x], blind[n, t, c]))
    sent_mass = d.domain("what is sent sums to one", eq(total(sent[at], x), 1))
    accept_rule = d.domain(
        "a draft is kept with probability min(1, p/q̂)",
        eq(accept[at] * sent[at], draft_law[at] * sp.Min(p[at], sent[at])),
        le(accept[at], draft_law[at]),
    )
    small = sp.Min(p[at], sent[at])
    residual = eq((1 - total(small, x)) * r[at], sp.Max(p[at] - sent[at], 0))
    residual = d.domain("a token in place of a rejected draft has the residual law", residual)
    one_step = d.smt("one step emits p", eq(small + (1 - total(small, x)) * r[at], p[at]), residual)
    arrays = (p[at], sent[at], draft_law[at], accept[at], r[at], tests[n, t, c, x], blind[n, t, c])
    return Position(*arrays, honest_report, unseen, sent_mass, accept_rule, one_step)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Targets and drafts that depend on the whole text, texts of every length, K-SQS and C-SQS, batches of any length,
    fixed or by a bit budget.
    """
    at = position(d)
    p, sent, draft_law, accept, r, tests, chance = at[:7]
    small = sp.Min(p, sent)
    letter, keep, back = (d.map(name) for name in ("letter", "keep", "back"))
    here = {x: letter[n, t]}
    L = sp.IndexedBase("L", real=True)
    accepted = L[n, t, keep[n, t, c]]
    rejected_branch = L[n, t, back[n, t, c]]
    start, onward = d.recursion(
        "the probability that the rest of a text is emitted from a state",
        eq(L[0, t, c], 1),
        eq(
            L[n + 1, t, c],
            (tests * accept).subs(here) * accepted
            + total(tests * (draft_law - constant * accept), x) * r.subs(here) * rejected_branch
            + total((1 - tests) * draft_law, x) * p.subs(here) * rejected_branch,
        ),
    )
    P = sp.IndexedBase("P", real=True)
    empty, longer = d.recursion(
        "its probability under the target", eq(P[0, t], 1), eq(P[n + 1, t], p.subs(here) * P[n, t])
    )
    mass = d.smt("the law that is told is the law that is drawn from", eq(accept, small), *at.kept, at.told)
    rejected = d.smt(
        "tested and rejected",
        eq(tests * (draft_law - constant * accept), chance * (sent - small)),
        at.unseen, mass, at.told,
    )  # fmt: skip
    alone = d.smt("not tested", eq((1 - tests) * draft_law, sign * (1 - chance) * sent), *(at.unseen, at.told))
    rejected = d.sum("over the drafts", rejected, x)
    alone = d.sum("over the drafts", alone, x)
    rejected = d.derive("in all", eq(rejected.relation.lhs, chance * (1 - total(small, x))), rejected, at.whole)
    alone = d.derive("in all", eq(alone.relation.lhs, 1 - chance), alone, at.whole)
    token = [d.instantiate("the next token", fact, here) for fact in (mass, at.one_step, at.unseen)]

    def step(before: Fact) -> Fact:
        after = [d.instantiate("from the next state", before, {c: state[n, t, c]}) for state in (keep, back)]
        drafted = (small + (1 - total(small, x)) * r).subs(here)
        premises = [onward, rejected, alone, token[0], token[2], *after]
        mixed = d.smt(
            "whatever follows has the same probability",
            eq(L[n + 1, t, c], P[n, t] * (chance * drafted + (1 - chance) * p.subs(here))),
            *premises,
        )  # fmt: skip
        same = d.smt("one step emits p", eq(P[n, t] * drafted, P[n, t] * p.subs(here)), token[1])
        return d.smt("one token more", eq(L[n + 1, t, c], P[n + 1, t]), mixed, longer, same)

    base = d.derive("the empty text", eq(L[0, t, c], P[0, t]), start, empty)
    for_every_state = by_induction(d, "from every state", eq(L[n, t, c], P[n, t]), base, step)
    T = sp.Symbol("T", integer=True, nonnegative=True)
    d.qed(d.instantiate("the whole text", for_every_state, {n: T, c: index("begin")}))


def _bind(**instance: Any) -> dict[str, Any]:
    """The values of the symbols of `prove` at each remaining length, text and state of the batch."""
    if instance["length"] == 0:  # one step
        rows = {name: np.stack([instance[name]] * (len(instance[name]) + 1)) for name in ("p", "q")}
        instance = {**instance, **rows, "length": 1}
    names = ("p", "q", "k", "resolution", "threshold", "step_size", "dropped_target", "budget")
    text = Text(**{name: instance[name] for name in names})
    vocab = instance["p"].shape[-1]
    length = instance["length"]
    gamma = instance["gamma"]
    texts = list(product(range(vocab), repeat=length))

    def prefix(remaining: int, number: int) -> tuple[int, ...]:
        return texts[number - 1][: max(length - remaining - 1, 0)]

    def tested(remaining: int, number: int, state: int, token: int = 0) -> int:
        """State 1 + how many drafts of the batch stand before."""
        before = prefix(remaining, number)
        ago = min(state - 1, max(length - remaining - 1, 0))
        return int(ago < gamma and not text.stop(before[: len(before) - ago], before[len(before) - ago :]))

    def step(remaining: int, number: int) -> tuple[Any, Any, Any]:
        before = prefix(remaining, number)
        p = text.target(before)
        sent = text.sent(before)
        return sent, accepted_mass(SD, p, sent), SD.residual(p, sent)

    return {
        "V": vocab,
        "T": length,
        "begin": 1,
        "p": lambda remaining, number, token: text.target(prefix(remaining, number))[token - 1],
        "sent": lambda remaining, number, token: step(remaining, number)[0][token - 1],
        "drawn": lambda remaining, number, token: step(remaining, number)[0][token - 1],
        "accept": lambda remaining, number, token: step(remaining, number)[1][token - 1],
        "r": lambda remaining, number, token: step(remaining, number)[2][token - 1],
        "tests": tested,
        "blind": tested,
        "letter": lambda remaining, number: texts[number - 1][max(length - remaining - 1, 0)] + 1,
        "keep": lambda remaining, number, state: min(state + 1, length),
        "back": lambda remaining, number, state: 1,
        "ranges": {"n": range(length), "t": range(1, len(texts) + 1), "c": range(1, length + 1)},
    }


PROOF = Proof(LOSSLESS, prove, drop="what is sent sums to one", bind=_bind)
