"""The package dflash: its rejection sampling of one block of drafts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.audit.adapters.form import FLOAT32, Adapted, Tokens, drafted
from simspec.audit.adapters.torches import TorchWithUniforms, one_thread, seeded, with_globals
from simspec.laws import Array

__all__ = ["dflash"]


def dflash(function: Callable[..., Any]) -> Adapted:
    """``_rejection_sample(draft_tokens (1, g), target_probs (1, g + 1, V), draft_probs (1, g, V)) -> (accepted, next token)``.

    Exact mode: a uniform for each draft, then one for the next token, which a function of its module draws.
    """

    def call(work: Callable[..., Any], p: Array, q: Array, drafts: Tokens) -> list[int]:
        import torch

        laws = [torch.tensor(laws, dtype=torch.float32)[None] for laws in (p, q)]
        accepted, last = work(torch.tensor(drafts)[None], *laws)
        return [*drafts[:accepted].tolist(), int(last)]

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
        with seeded(rng):
            return _rows([call(function, p, q, x) for x in drafted(q, n, rng)], len(p))

    def with_uniforms(p: Array, q: Array, drafts: Tokens, uniforms: Array) -> Tokens:
        calls = []
        chance = TorchWithUniforms(uniforms[:0])
        draw = with_globals(function.__globals__["_sample_probs"], torch=chance)
        work = with_globals(function, torch=chance, _sample_probs=draw)
        with one_thread():
            for x, row in zip(drafts, uniforms[:, None], strict=True):
                chance.restart(row)
                calls.append(call(work, p, q, x))
        return _rows(calls, len(p))

    return Adapted(sampler, with_uniforms, resolution=FLOAT32)


def _rows(calls: list[list[int]], length: int) -> Tokens:
    return np.array([call + [-1] * (length - len(call)) for call in calls], dtype=np.int64)
