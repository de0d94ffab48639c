"""Runs of SQS over a text: states are (text so far, drafts of the batch that stand in it); the end of a run is proved first.

A run of n more tokens is one step and then a run of n tokens from the state that follows, so statements go by induction on n.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Relation, eq, ge, index, le, total, x
from simspec.claims.sqs.texts import Text

c = index("c")
t = index("t")
"""States, texts."""
RESIDUAL = "a token in place of a rejected draft has the residual law"
n = sp.Symbol("n", integer=True, nonnegative=True)


class Run(NamedTuple):
    """Laws by text, where each step leads, and which states test a draft."""

    p: Any
    sent: Any
    of: Any
    after: Any
    keep: Any
    back: Any
    tests: Any
    """1 where a draft is tested, 0 where the target writes alone."""
    laws: tuple[Fact, Fact]
    flag: Fact
    same: tuple[Fact, Fact]
    """The text after a token, whether it was an accepted draft or not."""
    t: Any
    small: sp.Expr
    """min(p, q̂)."""
    rest: sp.Expr
    """(p − q̂)₊."""
    rejected: sp.Expr
    tv: sp.Expr
    step: Fact
    """rejected = TV."""
    J: Any
    start: Fact
    onward: Fact
    """The expected number of rejections among n more tokens."""
    split: Fact
    """What is rejected at a token is what the target has beyond the draft."""


def run(d: Derivation, half: sp.Expr = sp.S.Half, sign: int = 1) -> Run:
    """The process that drafts, verifies and rejects."""
    p, sent = (sp.IndexedBase(name, nonnegative=True) for name in ("p", "sent"))
    laws = (
        d.domain("p sums to one", eq(total(p[t, x], x), 1)),
        d.domain("what is sent sums to one", eq(total(sent[t, x], x), 1)),
    )
    of, after, keep, back = (d.map(name) for name in ("of", "after", "keep", "back"))
    tests = sp.IndexedBase("tests", nonnegative=True)
    flag = d.domain("a draft is tested or not", eq(tests[c] ** 2, tests[c]))
    same = d.domain(
        "accepted or not, the text grows by the token",
        eq(of[keep[c, x]], after[of[c], x]),
        eq(of[back[c, x]], after[of[c], x]),
    )
    small = sp.Min(p[t, x], sent[t, x])
    tv = half * total(sp.Abs(sent[t, x] - p[t, x]), x)
    rejected = 1 - total(small, x)
    term = d.summed(
        "the smaller of two numbers", eq(small, (p[t, x] + sent[t, x]) / 2 - sign * sp.Abs(sent[t, x] - p[t, x]) / 2)
    )
    step = d.derive("a draft is rejected with probability TV", eq(rejected, tv), term, *laws)
    r = sp.IndexedBase("r", nonnegative=True)
    split = d.domain(RESIDUAL, eq(rejected * r[t, x], sp.Max(p[t, x] - sent[t, x], 0)))
    J = sp.IndexedBase("J", real=True)
    here = {t: of[c]}
    start, onward = d.recursion(
        "the expected number of rejections among n tokens",
        eq(J[0, c], 0),
        eq(
            J[n + 1, c],
            tests[c] * rejected.subs(here)
            + tests[c] * total((small * J[n, keep[c, x]] + rejected * r[t, x] * J[n, back[c, x]]).subs(here), x)
            + (1 - tests[c]) * total(p[of[c], x] * J[n, back[c, x]], x),
        ),
    )
    return Run(
        p=p,
        sent=sent,
        of=of,
        after=after,
        keep=keep,
        back=back,
        tests=tests,
        laws=laws,
        flag=flag,
        same=tuple(same),
        t=t,
        small=small,
        rest=sp.Max(p[t, x] - sent[t, x], 0),
        rejected=rejected,
        tv=tv,
        step=step,
        J=J,
        start=start,
        onward=onward,
        split=split,
    )


def everywhere(d: Derivation, r: Run, name: str, value: sp.Expr) -> tuple[Any, Fact, Fact]:
    """Sum over n positions of the mean under the target of a value of the text: its name, start and recursion."""
    M = sp.IndexedBase(name, real=True)
    start, onward = d.recursion(
        f"{name}: the sum over n positions of a mean under p",
        eq(M[0, t], 0),
        eq(M[n + 1, t], value + total(r.p[t, x] * M[n, r.after[t, x]], x)),
    )
    return M, start, onward


def by_induction(d: Derivation, text: str, statement: Relation, base: Fact, step: Callable[..., Any]) -> Fact:
    """The statement for every n; `step` derives it for n + 1 from the supposition."""
    before = d.suppose(f"{text}, for n", statement)
    return d.induction(text, statement, n, base, step(before))


def at_most_everywhere(d: Derivation, r: Run, M: sp.IndexedBase, started: Fact, goes_on: Fact) -> Fact:
    """J ≤ M: what is rejected is rejected where a draft is tested; M counts every position."""
    here = {t: r.of[c]}

    def step(before: Fact) -> Fact:
        """Derive J ≤ M for n + 1 tokens from J ≤ M for n, after an accepted draft and after another token."""
        then = [
            d.instantiate("after an accepted draft", before, {c: r.keep[c, x]}),
            d.instantiate("after another token", before, {c: r.back[c, x]}),
        ]
        small = sp.Min(r.p[t, x], r.sent[t, x]).subs(here)
        split = d.instantiate("here", r.split, here)
        rn = sp.IndexedBase("r", nonnegative=True)[r.of[c], x]
        following = M[n, r.after[r.of[c], x]]
        accepted = r.J[n, r.keep[c, x]]
        rejected_branch = r.J[n, r.back[c, x]]
        grown = [
            d.derive("the same text", eq(M[n, same.relation.lhs], following), same, by="algebra") for same in r.same
        ]
        then = [
            d.smt("of the longer text", le(a, following), fact, same)
            for a, fact, same in zip((accepted, rejected_branch), then, grown, strict=True)
        ]
        drafted = d.smt(
            "a tested position, token by token",
            le(small * accepted + r.rejected.subs(here) * rn * rejected_branch, r.p[r.of[c], x] * following),
            *then, split,
        )  # fmt: skip
        alone = d.smt(
            "a position of the target", le(r.p[r.of[c], x] * rejected_branch, r.p[r.of[c], x] * following), then[1]
        )
        drafted = d.sum("over the tokens", drafted, x)
        alone = d.sum("over the tokens", alone, x)
        goal = le(r.J[n + 1, c], M[n + 1, r.of[c]])
        size = d.derive("a distance", ge(r.tv, 0))
        premises = [
            r.onward,
            d.instantiate("here", goes_on, here),
            drafted,
            alone,
            r.flag,
            d.instantiate("here", r.step, here),
            d.instantiate("here", size, here),
        ]
        return d.smt(
            "one token more", goal, *premises,
        )  # fmt: skip

    statement = le(r.J[n, c], M[n, r.of[c]])
    base = d.derive("before the first token", statement.replace({n: 0}), r.start, d.instantiate("here", started, here))
    return by_induction(d, "no more rejections than that", statement, base, step)


# --- instances --------------------------------------------------------------------------------------------------------


class States(NamedTuple):
    """The states of one instance by number, and what the symbols of `run` stand for."""

    text: Text
    texts: list[tuple[int, ...]]
    states: list[tuple[tuple[int, ...], int]]
    values: dict[str, Any]


def states(instance: dict[str, Any]) -> States:
    """Number the texts and states of an instance, its end included (what follows it does not matter)."""
    names = ("p", "q", "k", "resolution", "threshold", "step_size", "dropped_target", "budget")
    text = Text(**{name: instance[name] for name in names})
    vocab = instance["p"].shape[-1]
    length = instance["length"]
    gamma = instance["gamma"]
    texts = [x for m in range(length + 1) for x in product(range(vocab), repeat=m)]
    all_states = [(x, ago) for x in texts for ago in range(len(x) + 1)]
    number = {x: k + 1 for k, x in enumerate(texts)}
    place = {s: k + 1 for k, s in enumerate(all_states)}

    def follow(state: int, token: int, accepted: bool) -> int:
        prefix, ago = all_states[state - 1]
        return place.get(((*prefix, token - 1), ago + 1 if accepted else 0), 1)

    def tested(state: int) -> int:
        prefix, ago = all_states[state - 1]
        first = len(prefix) - ago
        return int(ago < gamma and not text.stop(prefix[:first], prefix[first:]))

    def residual(at: int, token: int) -> Any:
        p = text.target(texts[at - 1])
        sent = text.sent(texts[at - 1])
        left = [max(a - b, 0) for a, b in zip(p.tolist(), sent.tolist(), strict=True)]
        return left[token - 1] / sum(left) if sum(left) else p[token - 1]

    values = {
        "V": vocab,
        "T": length,
        "begin": 1,
        "p": lambda at, token: text.target(texts[at - 1])[token - 1],
        "sent": lambda at, token: text.sent(texts[at - 1])[token - 1],
        "r": residual,
        "of": lambda state: number[all_states[state - 1][0]],
        "after": lambda at, token: number.get((*texts[at - 1], token - 1), 1),
        "keep": lambda state, token: follow(state, token, True),
        "back": lambda state, token: follow(state, token, False),
        "tests": tested,
        "ranges": {"c": range(1, len(all_states) + 1), "t": range(1, len(texts) + 1), "n": range(length + 1)},
    }
    return States(text, texts, all_states, values)
