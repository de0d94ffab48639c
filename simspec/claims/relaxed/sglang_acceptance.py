"""SGLang's threshold accepts a set of candidates with its probability over the threshold.

`relaxed.sglang-acceptance`: SGLang's thresholds.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, F, Instance, broken, identity, law
from simspec.laws import Scalar
from simspec.methods.block import Outcome
from simspec.methods.relaxed import thresholds_verifier

__all__ = ["ends", "node"]


def node(draw: Draw) -> Instance:
    """A target law, different candidates in an order, a threshold."""
    vocab = 1 + draw.integer(0, 3)
    unused = list(range(vocab))
    candidates = tuple(unused.pop(draw.integer(0, len(unused) - 1)) for _ in range(draw.integer(0, vocab)))
    return {"p": draw.law(vocab), "candidates": candidates, "t_acc": draw.number(F(1, 8), 1)}


def ends(p: Array, candidates: tuple[int, ...], t_acc: Scalar) -> list[Outcome]:
    """How a node ends, t_single = 1."""
    endings = thresholds_verifier(t_acc)(lambda prefix: p, lambda prefix: p, tuple((s,) for s in candidates))
    return list(endings)


def _accepted(p: Array, candidates: tuple[int, ...], t_acc: Scalar) -> Any:
    return sum((o.probability for o in ends(p, candidates, t_acc) if o.accepted), F(0))


SGLANG_ACCEPTANCE = identity(
    name="relaxed.sglang-acceptance",
    statement=r"With $t_{\mathrm{single}} = 1$ a set $S$ of candidates is accepted with probability $\min(1, "
    r"p(S)/t_{\mathrm{acc}})$",
    reference="SGLang and FlashInfer 2026, `tree_speculative_sampling_target_only` (code)",
    instances=node,
    lhs=_accepted,
    rhs=lambda p, candidates, t_acc: min(F(1), p[list(candidates)].sum() / t_acc) if candidates else F(0),
    tight=({"p": law("1/2", "1/2"), "candidates": (0,), "t_acc": F(3, 4)},),
    sources=("exact",),
    broken=[
        broken(
            "the candidates' mass alone", rhs=lambda p, candidates: p[list(candidates)].sum() if candidates else F(0)
        )
    ],
)
