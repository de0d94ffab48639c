"""Hugging Face transformers' speculative sampling, a private function of its generation utilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.audit.adapters.form import Adapted, Tokens, bound, drafted
from simspec.audit.adapters.torches import TorchWithUniforms, logarithms, one_thread, seeded, with_globals
from simspec.laws import Array

__all__ = ["transformers"]


def transformers(function: Callable[..., Any]) -> Adapted:
    """``_speculative_sampling(candidate_input_ids, candidate_logits, candidate_length, new_logits, …) -> (tokens, n_matches)``.

    Logits are float32, as in generation, batches of one.  Arguments are bound by name; of older versions
    `is_done_candidate`, `last_assistant_token_is_eos` and `max_matches` are known, other names are refused.

    In exact mode logits are float64, and the function's own code runs with a stand-in for `torch` whose `rand_like` and
    `multinomial` use the uniforms: one for each draft, then one for the last token.
    """

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
        import torch

        arguments = bound(function, _given(p, q, torch.float32), "transformers")
        with seeded(rng), torch.inference_mode():
            ids = torch.tensor(drafted(q, n, rng))[:, None]
            calls = [function(**(arguments | {"candidate_input_ids": x}))[0] for x in ids]
        return _rows(calls, len(p))

    def with_uniforms(p: Array, q: Array, drafts: Tokens, uniforms: Array) -> Tokens:
        import torch

        arguments = bound(function, _given(p, q, torch.float64), "transformers")
        calls = []
        chance = TorchWithUniforms(uniforms[:0])
        # rebuilt once, not for each call: a copy holds all globals of its module
        work = with_globals(function, torch=chance)
        with one_thread(), torch.inference_mode():
            for x, row in zip(torch.tensor(drafts)[:, None], uniforms[:, None], strict=True):
                chance.restart(row)
                calls.append(work(**(arguments | {"candidate_input_ids": x}))[0])
        return _rows(calls, len(p))

    return Adapted(sampler, with_uniforms)


def _given(p: Array, q: Array, dtype: Any) -> dict[str, Any]:
    """All that is the same in every call, and a place for the drafts."""
    return {
        "candidate_input_ids": None,
        "candidate_logits": logarithms(q, dtype)[None],
        "candidate_length": len(q),
        "new_logits": logarithms(p, dtype)[None],
        "is_done_candidate": False,
        "last_assistant_token_is_eos": False,
        "max_matches": len(q),
    }


def _rows(outputs: list[Any], length: int) -> Tokens:
    """Tokens (1, k) of each call as rows of one array, filled up with -1; rows that are too long make it wider."""
    calls = [tokens.reshape(-1).tolist() for tokens in outputs]
    width = max([length, *map(len, calls)])
    return np.array([c + [-1] * (width - len(c)) for c in calls], dtype=np.int64).reshape(len(calls), width)
