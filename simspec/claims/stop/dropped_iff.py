"""A rule that drops drafted tokens is lossless exactly where its chance does not depend on the token.

`stop.dropped-iff`: own statements, which together say when a rule that drops tokens is lossless.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, broken, exact, identity, law
from simspec.claims.stop.parts import some_rule, step
from simspec.laws import tv

__all__ = ["BLIND"]

BLIND = "the rule ignores the token that it drops"


def _blind(draw: Draw) -> Instance:
    instance = some_rule(draw)
    share = draw.number(0, 1)
    return {
        **instance,
        "s": exact(
            [share if mass > 0 else survival for mass, survival in zip(instance["q"], instance["s"], strict=True)]
        ),
    }


def _constant(q: Array, s: Array) -> bool:
    return len({survival for mass, survival in zip(q, s, strict=True) if mass > 0}) == 1


ENOUGH = identity(
    name="stop.dropped-iff.enough",
    statement=r"A drafted token $x$ is dropped with probability $1 - s(x)$, and its position emitted from $p$; the others are "
    r"verified, told $q$. If $s$ is the same wherever $q > 0$, the output law is $p$, for every $p$",
    reference="own statement, after Agrawal et al. 2024",
    instances=_blind,
    assumes={BLIND: _constant},
    lhs=lambda p, q, s: step(p, q, s, "q")[0],
    rhs=lambda p: p,
    outside={BLIND: {"p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "s": law(1, 0)}},
    sources=("exact",),
    broken=[
        broken(
            "the kept share of the overlap without its residual",
            lhs=lambda p, q, s: s * np.minimum(p, q) + (1 - (q * s).sum()) * p,
        )
    ],
)

NEEDED = identity(
    name="stop.dropped-iff.needed",
    statement=r"A drafted token $x$ dropped with probability $1 - s(x)$, its position emitted from $p$, the others "
    r"verified, told $q$: for $p = q$ the output law is $q(x)(1 + s(x) - S)$ with $S = \sum q s$, at total "
    r"variation $\tfrac12 \sum q |s - S|$ from $p$",
    reference="own statement, after Agrawal et al. 2024",
    instances=lambda draw: {name: part for name, part in some_rule(draw).items() if name != "p"},
    lhs=lambda q, s: exact([*(emitted := step(q, q, s, "q")[0]), tv(emitted, q)]),
    rhs=lambda q, s: exact([*(q * (1 + s - (q * s).sum())), (q * abs(s - (q * s).sum())).sum() / F(2)]),
    sources=("exact",),
    note="That is zero only if s is the same wherever q > 0. "
    "So of the rules that the verifier is not told of, those that ignore the dropped token are lossless and no "
    "others: the law of the token may decide (`stop.law-only`), and the tokens before it (`stop.kept`).",
    broken=[broken("the draft distribution in place of the target", rhs=lambda q, s: np.append(q, 0 * q[0]))],
)
