"""Verifiers of one's own: functions that get the drafts, over arrays, over tensors, or one call at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.audit.adapters.form import Adapted, Tokens, UniformSampler, by_uniforms, drafted
from simspec.audit.adapters.torches import seeded
from simspec.laws import Array

__all__ = ["numpy", "one", "torch", "uniforms"]


def numpy(verify: Callable[..., Any]) -> Adapted:
    """``verify(p (n, gamma + 1, V), q (n, gamma, V), drafts (n, gamma), rng) -> tokens (n, gamma + 1)``, n calls at once.

    >>> from simspec.audit import audit
    >>> report = audit(numpy(lambda p, q, drafts, rng: np.c_[drafts, 0 * drafts[:, :1]]).sampler, calls=500)
    >>> print(report.verdict)
    biased
    """

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Any:
        return verify(_each(p, n), _each(q, n), drafted(q, n, rng), rng)

    return Adapted(sampler, least=0)


def one(verify: Callable[..., Any]) -> Adapted:
    """``verify(p (gamma + 1, V), q (gamma, V), drafts (gamma,), rng) -> sequence of the tokens emitted``, one call.

    >>> sampler = one(lambda p, q, drafts, rng: drafts[:1]).sampler
    >>> sampler(np.eye(2), np.eye(2)[1:], 2, np.random.default_rng(0)).tolist()
    [[1, -1], [1, -1]]
    """

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
        calls = [np.asarray(verify(p, q, x, rng)).reshape(-1) for x in drafted(q, n, rng)]
        tokens = np.full((n, max([len(p), *map(len, calls)])), -1)
        for row, call in zip(tokens, calls, strict=True):
            row[: len(call)] = call
        return tokens

    return Adapted(sampler, least=0)


def torch(verify: Callable[..., Any]) -> Adapted:
    """``verify(p (n, gamma + 1, V), q (n, gamma, V), drafts (n, gamma), generator) -> tokens (n, gamma + 1)``, tensors.

    Laws are float32 probabilities, drafts int64; `generator` is a seeded `torch.Generator`, and PyTorch's own is
    seeded too, for code that uses that one.
    """

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Any:
        import torch

        laws = [torch.tensor(_each(x, n), dtype=torch.float32) for x in (p, q)]
        drafts = torch.tensor(drafted(q, n, rng))
        with seeded(rng) as generator:
            return verify(*laws, drafts, generator)

    return Adapted(sampler, least=0)


def uniforms(verify: UniformSampler) -> Adapted:
    """``verify(p (gamma + 1, V), q (gamma, V), drafts (n, gamma), uniforms (n, gamma + 1)) -> tokens (n, gamma + 1)``.

    The form of exact mode, here also called as a black box.
    """
    return Adapted(by_uniforms(verify), verify, least=0)


def _each(laws: Array, n: int) -> Array:
    return np.broadcast_to(laws, (n, *laws.shape)).copy()
