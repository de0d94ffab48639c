"""The functions of the package flashspec: log-probabilities in batches, a generator, kept drafts and the next token out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.audit.adapters.form import FLOAT32, Adapted, Tokens, bound, drafted, emitted
from simspec.audit.adapters.torches import TorchWithUniforms, logarithms, seeded, with_globals
from simspec.laws import Array

__all__ = ["flashspec", "flashspec_sample"]


def flashspec(function: Callable[..., Any]) -> Adapted:
    """``rejection_step(draft_token_ids (B, g), draft_logprobs, target_logprobs (B, g + 1, V), *, generator) -> (B, 2)``.

    The result is kept drafts and the next token.  `rejection_step_onehot`, which takes no draft laws, has this form too.
    Exact mode: a uniform for each draft, then one for the next token.
    """

    def call(work: Callable[..., Any], p: Array, q: Array, drafts: Tokens, generator: Any) -> Tokens:
        arguments = _given(p, q, drafts) | {"generator": generator}
        accepted, last = np.asarray(work(**bound(function, arguments, "flashspec"))).T
        return emitted(drafts, accepted, last)

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
        with seeded(rng) as generator:
            return call(function, p, q, drafted(q, n, rng), generator)

    def with_uniforms(p: Array, q: Array, drafts: Tokens, uniforms: Array) -> Tokens:
        return call(with_globals(function, torch=TorchWithUniforms(uniforms)), p, q, drafts, None)

    return Adapted(sampler, with_uniforms, resolution=FLOAT32)


def flashspec_sample(function: Callable[..., Any]) -> Adapted:
    """``rejection_sample(input_ids, draft_logprobs, target_logprobs, draft_token_ids, gamma, *, generator)``.

    The result is (ids (B, g) padded with -1, first rejection (B,), acceptance rate).  It draws no bonus: a call emits at
    most g tokens, and the last target row is not used.
    """

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
        drafts = drafted(q, n, rng)
        arguments = _given(p, q, drafts)
        arguments |= {"target_logprobs": arguments["target_logprobs"][:, :-1], "gamma": len(q)}
        arguments |= {"input_ids": arguments["draft_token_ids"][:, :1]}
        with seeded(rng) as generator:
            ids = function(**bound(function, arguments | {"generator": generator}, "flashspec"))[0]
        return np.concatenate([np.asarray(ids), np.full((n, 1), -1)], axis=1)

    return Adapted(sampler)


def _given(p: Array, q: Array, drafts: Tokens) -> dict[str, Any]:
    import torch

    n = len(drafts)
    target, draft = (logarithms(x, torch.float32).expand(n, -1, -1).contiguous() for x in (p, q))
    return {"draft_token_ids": torch.tensor(drafts), "draft_logprobs": draft, "target_logprobs": target}
