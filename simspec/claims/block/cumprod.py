"""Keeping the longest prefix by products of ratios and of uniforms is lossless.

`block.cumprod`, with its correction: vllm-ascend #7807, #7603.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, Instance, exact, identity, matrix, other_claim
from simspec.claims.balls import ball, enclose, log
from simspec.claims.block.parts import contexts, target_law
from simspec.claims.texts import markov
from simspec.methods.block.verification import cumulative_verifier
from simspec.methods.verifier.verifier import one_path


def _pair(draw: Draw) -> Instance:
    return {**contexts(draw), "gamma": 2}


def _one(draw: Draw) -> Instance:
    return {**contexts(draw), "gamma": 1}


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
    statement=r"With one draft ($\gamma = 1$) keeping it where $\min(1, P/Q) \ge u$, with the residual "
    r"$\mathrm{norm}((P - Q)_+)$, is lossless: it is token verification",
    reference="correction of vllm-ascend #7807, #7603",
    instances=_one,
    lhs=_law,
    rhs=_target,
    sources=("exact",),
    note="With one coin there is no product: it is token verification.",
    broken=[Broken("the printed instances", lambda _: {"instances": other_claim("block.cumprod").instances})],
)
