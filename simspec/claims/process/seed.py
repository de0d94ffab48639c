"""One seed for all requests of a batch: each text has the right law, and equal prompts get equal texts.

`process.seed` in two readings, with a correction: practice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, identity, law, procedure
from simspec.laws import exact, tv
from simspec.methods import SD
from simspec.methods.verifier.chance import Chance, SharedUniform, every

__all__ = ["before", "joint", "product_law"]

HALF = law("1/2", "1/2")


def _two_requests(draw: Draw) -> Instance:
    vocab = draw.integer(1, 3)
    p, q = draw.pair(vocab)
    second_p, second_q = draw.pair(vocab)
    return {"p": p, "q": q, "other": second_p, "other_q": second_q}


def _one_prompt(draw: Draw) -> Instance:
    p, q = draw.pair(draw.integer(1, 3))
    return {"p": p, "q": q}


def joint(pairs: Sequence[tuple[Array, Array]], seeds: int = 1) -> Array:
    """Law of the tokens of two requests, each a step of speculative decoding with its own target and draft law.

    With one seed both take the same three uniforms: for the draft, for the test, and for the draw after a rejection.

    >>> [str(m) for m in joint([(HALF, HALF)] * 2).ravel()], [str(m) for m in joint([(HALF, HALF)] * 2, seeds=2).ravel()]
    (['1/2', '0', '0', '1/2'], ['1/4', '1/4', '1/4', '1/4'])
    """

    def program(chance: Chance) -> tuple[int, ...]:
        streams = [[SharedUniform(chance) for _ in range(3)] for _ in range(seeds)]
        tokens = []
        for request, (p, q) in enumerate(pairs):
            draft, test, redraw = streams[request % seeds]
            token = draft.draw(q)
            tokens.append(token if test.keep(p[token], q[token]) else redraw.draw(SD.residual(p, q)))
        return tuple(tokens)

    masses = exact(np.zeros((len(pairs[0][0]), len(pairs[1][0])), dtype=int))
    for weight, tokens in every(program):
        masses[tokens] += weight
    return masses


def product_law(p: Array, other: Array) -> Array:
    """Law of two independent tokens."""
    return p[:, None] * other[None, :]


def _texts(p: Array, q: Array, other: Array, other_q: Array) -> Array:
    pairs_law = joint([(p, q), (other, other_q)])
    return np.stack([pairs_law.sum(axis=1), pairs_law.sum(axis=0)])


TEXT = procedure(
    name="process.seed.text",
    statement=r"One seed reused for the requests of a batch: each text has the law of its target",
    reference="practice, on Leviathan et al. 2023",
    instances=_two_requests,
    lhs=_texts,
    rhs=lambda p, other: np.stack([p, other]),
    sources=("exact",),
    note="Each request alone sees uniforms, and that others see the same ones is nothing to it.",
    broken=[broken("the texts are exchanged", rhs=lambda p, other: np.stack([other, p]))],
)

BATCH = procedure(
    name="process.seed.batch",
    statement=r"One seed reused for the requests of a batch: the batch has the law of independent requests",
    reference="practice, on Leviathan et al. 2023",
    instances=_two_requests,
    lhs=lambda p, q, other, other_q: joint([(p, q), (other, other_q)]).ravel(),
    rhs=lambda p, other: product_law(p, other).ravel(),
    sources=("exact",),
    corrected_by=("process.seed.batch-corrected",),
    within=({"p": HALF, "q": HALF, "other": HALF, "other_q": HALF},),
    note="Whatever is averaged over the batch has the spread of fewer texts than it seems.",
)


def _distance(p: Array, q: Array) -> Any:
    return tv(joint([(p, q), (p, q)]).ravel(), product_law(p, p).ravel())


BATCH_CORRECTED = identity(
    name="process.seed.batch-corrected",
    statement=r"Two requests with one prompt and one seed emit the same token, whatever the draft: their law is at total "
    r"variation $1 - \sum_x p(x)^2$ from that of independent requests",
    reference="correction of practice, on Leviathan et al. 2023",
    instances=_one_prompt,
    lhs=_distance,
    rhs=lambda p: 1 - (p * p).sum(),
    tight=({"p": HALF, "q": HALF},),
    sources=("exact",),
    note="So equal prompts show it at once: n samples of a request are one. It is 0 only where the target is sure.",
    broken=[broken("the largest mass", rhs=lambda p: 1 - p.max())],
)


def _two_targets(draw: Draw) -> Instance:
    vocab = draw.integer(1, 4)
    return {"p": draw.law(vocab), "other": draw.law(vocab)}


def before(p: Array) -> Array:
    """Masses of the tokens before each token.

    >>> [str(m) for m in before(law("1/4", "3/4"))]
    ['0', '1/4']
    """
    return np.cumsum(p) - p


def _second_differences(p: Array, other: Array) -> Array:
    """Masses of the pairs whose cumulative law is the smaller of both cumulative laws."""
    ends = np.cumsum(p)[:, None]
    starts = before(p)[:, None]
    other_ends = np.cumsum(other)[None, :]
    other_starts = before(other)[None, :]
    upper = np.minimum(ends, other_ends) - np.minimum(ends, other_starts)
    return (upper - np.minimum(starts, other_ends) + np.minimum(starts, other_starts)).ravel()


DEPENDENCE = identity(
    name="process.seed.dependence",
    statement=r"Two requests that are sampled with one uniform, each from its own target: $P(X \le x, X' \le y) = \min(F(x), "
    r"F'(y))$ with the cumulative laws $F$ and $F'$",
    reference="own statement, on Leviathan et al. 2023",
    instances=_two_targets,
    lhs=lambda p, other: joint([(p, p), (other, other)]).ravel(),
    rhs=_second_differences,
    tight=({"p": HALF, "other": HALF},),
    sources=("exact",),
    note="The pair masses are the second differences of the smaller of both: by a theorem of Fréchet no law of a pair with these "
    "margins has a larger cumulative law. Independent requests would have the product of both.",
    broken=[broken("the product", rhs=lambda p, other: product_law(p, other).ravel())],
)
