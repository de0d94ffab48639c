"""The steps of the package sequential-speculative-decoding: two models and a text in, the longer text out."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from simspec.audit.adapters.form import Adapted, Tokens, bound
from simspec.audit.adapters.torches import logarithms, seeded
from simspec.laws import Array

__all__ = ["seqspecdecod"]


def seqspecdecod(function: Callable[..., Any]) -> Adapted:
    """``step(draft_model, target_model, input_ids, gamma, draft_temperature, target_temperature) -> (ids, kept, gamma)``.

    A model is a callable ``ids -> object with .logits (1, len(ids), V)``; here a table of laws by position, behind a text
    of one token.  Drafts are drawn inside, so that only the black box of a whole step can be audited.
    """

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
        import torch

        start = torch.zeros((1, 1), dtype=torch.int64)
        known_arguments = {"draft_model": _model(q), "target_model": _model(p), "input_ids": start, "gamma": len(q)}
        known_arguments |= {"draft_temperature": 1.0, "target_temperature": 1.0}
        arguments = bound(function, known_arguments, "seqspecdecod")
        with seeded(rng):
            calls = [function(**arguments)[0][0, 1:].tolist() for _ in range(n)]
        width = max([len(p), *map(len, calls)])
        return np.array([c + [-1] * (width - len(c)) for c in calls], dtype=np.int64).reshape(n, width)

    return Adapted(sampler)


def _model(laws: Array) -> Callable[[Any], Any]:
    """Logits of the law behind each token of a text; behind later ones those of the last law, which no rule may use."""
    import torch

    table = logarithms(laws, torch.float32)
    return lambda ids: SimpleNamespace(logits=table[torch.arange(ids.shape[1]).clamp(max=len(table) - 1)][None])
