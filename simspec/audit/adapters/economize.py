"""The package economize: its verifier of drafts that were drawn, for a whole batch."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from simspec.audit.adapters.form import FLOAT32, Adapted, Tokens, drafted, emitted
from simspec.audit.adapters.torches import TorchWithUniforms, logarithms, one_thread, with_globals
from simspec.laws import Array

__all__ = ["economize"]


def economize(verifier: Any) -> Adapted:
    """``RejectionVerifier(DecodeConfig()).verify_batch(logits (B, g + 1, V), Draft, TopPSampler, …) -> (accepted, next token)``.

    Exact mode: a uniform for each draft, then one for the next token.
    """

    def call(verify: Any, p: Array, q: Array, drafts: Tokens, seed: int) -> Tokens:
        import torch

        decoding: Any = import_module("economize.decoding")
        n, gamma = drafts.shape
        draft = import_module("economize.decoding.protocols").Draft(
            torch.tensor(drafts), [gamma] * n, probs=torch.tensor(q, dtype=torch.float32).expand(n, -1, -1)
        )
        selector = import_module("economize.decoding.selectors").TopPSampler(seed=seed)
        logits = logarithms(p, torch.float32).expand(n, -1, -1)
        rule = verifier(decoding.DecodeConfig(verifier="rejection"))
        accepted, last = verify(rule, logits, draft, selector, None, [0] * n)
        return emitted(drafts, accepted.numpy(), last.numpy())

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
        return call(verifier.verify_batch, p, q, drafted(q, n, rng), int(rng.integers(2**63)))

    def with_uniforms(p: Array, q: Array, drafts: Tokens, uniforms: Array) -> Tokens:
        with one_thread():
            return call(with_globals(verifier.verify_batch, torch=TorchWithUniforms(uniforms)), p, q, drafts, 0)

    return Adapted(sampler, with_uniforms, resolution=FLOAT32)
