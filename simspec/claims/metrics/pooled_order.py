"""The run with the larger pooled acceptance length has the larger mean over requests.

`metrics.pooled-order`, with its correction: vLLM #42508.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, broken, exact


def _steps(draw: Draw, texts: list[int]) -> list[int]:
    return [draw.integer(1, n) for n in texts]


def _two_runs(draw: Draw) -> Instance:
    texts = [draw.integer(2, 5) for _ in range(draw.integer(1, 3))]
    fewer, further = sorted((_steps(draw, texts), _steps(draw, texts)), key=sum)
    if sum(fewer) == sum(further):
        fewer = [1] * len(texts)
        further = texts
    return {"tokens": exact(texts), "a": exact(fewer), "b": exact(further)}


def _everywhere(draw: Draw) -> Instance:
    texts = [draw.integer(1, 5) for _ in range(draw.integer(1, 3))]
    pairs = [sorted(pair) for pair in zip(_steps(draw, texts), _steps(draw, texts), strict=True)]
    return {"tokens": exact(texts), "a": exact([x for x, _ in pairs]), "b": exact([y for _, y in pairs])}


def _pooled(tokens: Array, steps: Array) -> Any:
    return tokens.sum() / steps.sum()


def _mean(tokens: Array, steps: Array) -> Any:
    return (tokens / steps).sum() / len(tokens)


LARGER = "the pooled length of A is larger"
NOWHERE = "A takes no more steps for any request"

POOLED_ORDER = bound(
    name="metrics.pooled-order",
    statement=r"Over the same requests: if run A has the larger pooled $AL$, its mean over requests of per-request "
    r"$AL$ is larger",
    reference="vLLM #42508",
    instances=_two_runs,
    assumes={LARGER: lambda tokens, a, b: _pooled(tokens, a) > _pooled(tokens, b)},
    lhs=lambda tokens, a: _mean(tokens, a),
    rhs=lambda tokens, b: _mean(tokens, b),
    relation=at_least,
    sources=("exact",),
    outside={LARGER: {"tokens": exact([2]), "a": exact([2]), "b": exact([1])}},
    corrected_by=("metrics.pooled-order-corrected",),
    note="The pooled length weighs requests by their verify steps, so the hard ones count most; the mean weighs them alike. Both "
    "are printed as mean acceptance length.",
)

POOLED_ORDER_CORRECTED = bound(
    name="metrics.pooled-order-corrected",
    statement=r"If run A takes no more verify steps than B for any of the same requests, both its pooled $AL$ and its mean over "
    r"requests are at least those of B",
    reference="correction of vLLM #42508",
    instances=_everywhere,
    assumes={NOWHERE: lambda a, b: bool((a <= b).all())},
    lhs=lambda tokens, a: np.array([_pooled(tokens, a), _mean(tokens, a)]),
    rhs=lambda tokens, b: np.array([_pooled(tokens, b), _mean(tokens, b)]),
    relation=at_least,
    sources=("exact",),
    tight=({"tokens": exact([2]), "a": exact([1]), "b": exact([1])},),
    outside={NOWHERE: {"tokens": exact([2]), "a": exact([2]), "b": exact([1])}},
    note="Tokens of complete verify steps are counted.",
    broken=[
        broken(
            "the number of requests less one is taken off",
            lhs=lambda tokens, a: np.array([tokens.sum() / a.sum() - len(a) + 1] * 2),
        )
    ],
)
