"""metrics.same-length-same-steps: AL times the expected steps are T and the tokens beyond, which differ between schedules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, laws
from proofs_check.metrics._walk import begin, c, n, states, walk
from simspec.claims.claim import Instance
from simspec.claims.metrics.parts import mean_length
from simspec.claims.metrics.same_length_same_steps import SAME, SAME_STEPS, SAME_STEPS_CORRECTED


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every two laws of the tokens of a step, every number of tokens."""
    first_walk = walk(d, sign=sign)
    second_walk = walk(d, "2", sign=sign)
    tokens = sp.Symbol("tokens", integer=True, nonnegative=True)
    same = d.assume(SAME, eq(second_walk.mean, first_walk.mean))
    text = d.domain("one text", eq(second_walk.left[begin], first_walk.left[begin]))
    at = {n: tokens, c: begin}
    walds = [d.instantiate("of the whole text", wk.wald, at) for wk in (first_walk, second_walk)]
    difference = first_walk.E[tokens, begin] - second_walk.E[tokens, begin]
    beyond = -first_walk.R[tokens, begin] + constant * second_walk.R[tokens, begin]
    d.qed(
        d.derive(
            "the two beside each other",
            eq(difference, beyond / first_walk.mean),
            *walds,
            same,
            text,
            first_walk.positive,
            by="smt",
        )
    )


def _values(w: Any, v: Any, tokens: int) -> dict[str, Any]:
    return {**states(w, tokens), **states(v, tokens, "2"), "tokens": tokens}


def by_size() -> Iterator[Instance]:
    """Texts of one and of two tokens, up to three tokens a step, probabilities in halves."""
    for tokens in (1, 2):
        for longest in (1, 2, 3):
            step_laws = list(laws(longest, 2))
            yield from ({"w": w, "v": v, "tokens": tokens} for w in step_laws for v in step_laws)


PROOFS = (
    Refutation(
        SAME_STEPS,
        by_size,
        scope="the first by the number of tokens and the longest step, probabilities in halves",
        repaired={
            "one token, or steps of at most two": lambda: (
                i
                for i in by_size()
                if i["tokens"] == 1 or (len(i["w"]) < 3 and mean_length(i["w"]) == mean_length(i["v"]))
            ),
            "by the tokens beyond": SAME_STEPS_CORRECTED,
        },
    ),
    Proof(SAME_STEPS_CORRECTED, prove, drop=SAME, bind=_values),
)
