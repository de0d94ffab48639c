"""Exact matching is lossless for any candidates chosen without the verifier's random numbers.

`tree.exact-match` in two readings: candidates that do not see the verifier's coins, and candidates that may.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, exact, identity, law, matrix
from simspec.claims.tree.deterministic import emitted, first_sibling, text_length
from simspec.claims.tree.parts import candidates, target_text
from simspec.methods.tree.walking import sample

__all__ = ["SEEN", "UNSEEN"]

UNSEEN = identity(
    name="tree.exact-match.unseen",
    statement=r"Any set of candidates, of any tree, that is chosen or drawn without the verifier's coins is lossless under "
    r"exact matching: the target's own samples are emitted as far as they are candidates, and one more",
    reference="own",
    instances=candidates,
    lhs=lambda target, trees, weights: emitted(target, trees, weights, sample),
    rhs=lambda target, trees: target_text(target, text_length(trees)),
    sources=("exact",),
    note="Target-only verification and the rule for deterministic candidates accept the same: tree.same-acceptance.",
    broken=[broken("a whole draw from the target after a refusal", lhs=first_sibling)],
)


def _two_steps(draw: Draw) -> Instance:
    """Laws of two tokens, and for both samples the probability that the first is a candidate."""
    return {
        "p": draw.law(2),
        "after": np.stack([draw.law(2), draw.law(2)]),
        "offered": exact([[draw.number(0, 1) for _ in range(2)] for _ in range(2)]),
    }


def _with_sight(p: Array, after: Array, offered: Array) -> Array:
    """Law of two tokens where the first sample x is a candidate with offered[x, y], y the sample that would follow it."""
    joint_law = p[:, None] * after
    accepted = joint_law * offered
    alone = joint_law.sum(axis=1) - accepted.sum(axis=1)
    return np.asarray(accepted + alone[:, None] * after)


SEEN = identity(
    name="tree.exact-match.seen",
    statement=r"Candidates that may depend on the samples that the target will draw are lossless under exact matching: "
    r"the first two tokens have the target's law",
    reference="own",
    instances=_two_steps,
    lhs=_with_sight,
    rhs=lambda p, after: p[:, None] * after,
    sources=("exact",),
    against=(
        {
            "p": exact([1, 0]),
            "after": exact([[Fraction(1, 2)] * 2] * 2),
            "offered": exact([[1, 0], [0, 0]]),
        },
    ),
    corrected_by=("tree.exact-match.seen-corrected",),
    within=({"p": law("1/3", "2/3"), "after": matrix("1/2 1/2", "1/2 1/2"), "offered": matrix("1 0", "1/2 1")},),
    note="Candidates that know the second sample decide whether it is emitted or drawn anew: one that is offered only before "
    "a token a makes a come out 3/4 of the time in place of 1/2.",
)

SEEN_CORRECTED = identity(
    name="tree.exact-match.seen-corrected",
    statement=r"Under exact matching with candidates that may depend on the target's samples, the first sample $x$ being a "
    r"candidate with probability $o(x, y)$ where it is followed by $y$, the law of the first two tokens differs from the "
    r"target's by $p(x)\,P(y \mid x)\,(o(x, y) - \sum_z P(z \mid x)\,o(x, z))$",
    reference="correction of the statement above",
    instances=_two_steps,
    lhs=lambda p, after, offered: _with_sight(p, after, offered) - p[:, None] * after,
    rhs=lambda p, after, offered: p[:, None] * after * (offered - (after * offered).sum(axis=1, keepdims=True)),
    sources=("exact",),
    note="Without sight o is the same for all y. The law is the target's if and only if it is so: x is a candidate equally often "
    "for every y that can follow.",
    broken=[
        broken(
            "the product with what was offered", rhs=lambda p, after, offered: p[:, None] * after * (offered - after)
        )
    ],
)
