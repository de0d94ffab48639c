"""Keeping the longest prefix by products of ratios and of uniforms is lossless.

`block.cumprod`, with its correction: vllm-ascend #7807, #7603.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, exact, identity, matrix
from simspec.claims.balls import ball, enclose, log
from simspec.claims.block.parts import Path, contexts, paths, target_law, whether
from simspec.claims.texts import markov
from simspec.methods.block.verification import cumulative_verifier
from simspec.methods.verifier.verifier import one_path


def _pair(draw: Draw) -> Instance:
    return {**contexts(draw), "gamma": 2}


def _often_lossless(draw: Draw) -> Instance:
    """Two models, whose draft laws after some texts have masses of the target's or none, beside what the target never says."""
    instance = contexts(draw)
    p = instance["p"]
    q = instance["q"]
    rows = [_under(target, draft) if draw.integer(0, 2) else draft for target, draft in zip(p, q, strict=True)]
    return {**instance, "q": np.stack(rows)}


def _under(p: Array, q: Array) -> Array:
    """A draft law of no token that has a mass between 0 and the draft's under the target: those ratios are 0, or 1 or more.

    >>> print(*_under(exact([0.5, 0.5, 0]), exact([0.75, 0, 0.25])))
    1/2 0 1/2
    """
    never = p == 0
    if not never.any():
        return p
    law = np.minimum(p, q)
    law[np.argmax(never)] += 1 - law.sum()
    return law


RULE = cumulative_verifier(lambda a: log(exact([a]))[0], ball)


def _law(p: Array, q: Array, gamma: int) -> Array:
    """Law of the first γ tokens, in balls."""
    target = markov(p)
    vocab = p.shape[-1]
    law = {text: ball(0) for text in np.ndindex(*[vocab] * gamma)}
    for weight, drafts in one_path(markov(q), gamma):
        for o in RULE(target, markov(q), drafts):
            for text in law:
                if o.tokens[:gamma] == text[: len(o.tokens)]:
                    rest = [target(text[:i])[text[i]] for i in range(len(o.tokens), gamma)]
                    law[text] += o.probability * ball(weight * prod(rest, start=Fraction(1)))
    return np.array(list(law.values()), dtype=object)


def _target(p: Array, gamma: int) -> Array:
    return enclose(target_law(p, gamma))


def _is_lossless(p: Array, q: Array, gamma: int) -> bool:
    """Whether no probability of a text is certain to be another than the target's, in balls of 128 bits."""
    return not any(a > b or a < b for a, b in zip(_law(p, q, gamma), _target(p, gamma), strict=True))


def _is_between(path: Path) -> bool:
    """Whether the product of the ratios, each 1 at most, is neither 0 nor 1 from the second draft on."""
    return any(0 < product < 1 for product in path.token[2:])


CUMPROD = identity(
    name="block.cumprod",
    statement=r"Keeping the longest prefix with $\prod_{j \le i} \min(1, P/Q) \ge \prod_{j \le i} u_j$, with the residual "
    r"$\mathrm{norm}((P - Q)_+)$, is lossless",
    reference="vllm-ascend #7807, #7603",
    instances=_pair,
    lhs=_law,
    rhs=_target,
    sources=("exact",),
    against=({"p": matrix(*["1/2 1/2"] * 3), "q": matrix(*["1 0"] * 3), "gamma": 2},),
    corrected_by=("block.cumprod-corrected",),
    within=({"p": matrix("1/2 1/2", "2/3 1/3", "1/3 2/3"), "q": matrix("2/3 1/3", "1/3 2/3", "1/2 1/2"), "gamma": 2},),
    note="A product of coins falls below a with probability a (1 − ln a), not a: drafts of ratios a and 1 are kept too "
    "often.",
)

CUMPROD_CORRECTED = identity(
    name="block.cumprod-corrected",
    statement=r"For every number $\gamma$ of drafts, keeping the longest prefix with "
    r"$\prod_{j \le i} \min(1, P/Q) \ge \prod_{j \le i} u_j$, with the residual $\mathrm{norm}((P - Q)_+)$, is lossless if "
    r"and only if $\prod_{j \le i} \min(1, P/Q)$ is 0 or 1 for every $2 \le i \le \gamma$ on every draft that the draft model "
    r"can make: so with one draft always",
    reference="correction of vllm-ascend #7807, #7603",
    instances=_often_lossless,
    lhs=lambda p, q, gamma: whether(_is_lossless(p, q, gamma)),
    rhs=lambda p, q, gamma: whether(not any(_is_between(path) for path in paths(p, q, gamma))),
    sources=("exact",),
    tight=(
        {"p": matrix("1/2 1/2", "1 0", "0 1"), "q": matrix("1 0", "0 1", "0 1"), "gamma": 2},
        {"p": matrix("1/2 1/2", "1 0", "1/2 1/2"), "q": matrix("1 0", "1/2 1/2", "1/2 1/2"), "gamma": 2},
        {"p": matrix("1/2 1/2", "1/2 1/2", "0 1"), "q": matrix("1/2 1/2", "1 0", "0 1"), "gamma": 2},
        {"p": matrix("1/2 1/2", "1/2 1/2", "0 1"), "q": matrix("1/3 2/3", "1/4 3/4", "0 1"), "gamma": 1},
    ),
    note="Where the product falls to a < 1 at the second draft or later, two uniforms or more are multiplied, and their product "
    "is at most a with probability a (2 − a) or more: a text that ends there is emitted too often. Where the first draft is "
    "kept with a < 1 and the second can be kept at all, the first token is emitted too often. Elsewhere each prefix is "
    "kept as often as token verification keeps it.",
    broken=[
        broken("lossless always", rhs=lambda: 1),
        broken(
            "the first product, too",
            rhs=lambda p, q, gamma: whether(
                all(product in (0, 1) for path in paths(p, q, gamma) for product in path.token[1:])
            ),
        ),
        broken("never with two drafts or more", rhs=lambda gamma: whether(gamma < 2)),
    ],
)
