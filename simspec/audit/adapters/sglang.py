"""SGLang's verifiers: outputs are arguments, and so are the uniforms; S = gamma + 1 slots, the last verified token in slot 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.audit.adapters.form import FLOAT32, Adapted, Tokens, UniformSampler, bound, by_uniforms, single
from simspec.laws import Array

__all__ = ["sglang_block", "sglang_chain", "sglang_tree"]

ROWS = 512
"""Most rows of one launch."""


def sglang_chain(function: Callable[..., Any]) -> Adapted:
    """``chain_speculative_sampling_triton(predicts, accept_index, accept_token_num, candidates, …)``: one chain of drafts.

    Uniforms: one for each draft, then one for the last token, all float32 multiples of 2^-24, as its own generator gives.
    """
    return _chain(function, {})


def sglang_block(function: Callable[..., Any]) -> Adapted:
    """The same function with ``block_verification=True``."""
    return _chain(function, {"block_verification": True})


def _chain(function: Callable[..., Any], extra_arguments: dict[str, Any]) -> Adapted:
    def launch(p: Array, q: Array, drafts: Tokens, uniforms: Array) -> Tokens:
        import torch

        n, gamma = drafts.shape
        arguments = _given(p, drafts, uniforms)
        arguments["draft_probs"] = torch.tensor(np.broadcast_to(q, (n, *q.shape)).astype(np.float32))
        function(**bound(function, arguments | extra_arguments, "sglang"))
        return _emitted(arguments, gamma)

    return _by_launches(launch)


def sglang_tree(function: Callable[..., Any]) -> Adapted:
    """``tree_speculative_sampling_target_only(predicts, …)``, whose tree is here the chain of drafts; thresholds 1.

    The rule uses the target's laws only, so that drafts may come from any law; `draft_probs` are zeros that it overwrites.
    """

    def launch(p: Array, q: Array, drafts: Tokens, uniforms: Array) -> Tokens:
        import torch

        n, gamma = drafts.shape
        arguments = _given(p, drafts, uniforms)
        arguments["draft_probs"] = torch.zeros((n, gamma + 1, p.shape[1]), dtype=torch.float32)
        function(**bound(function, arguments, "sglang"))
        return _emitted(arguments, gamma)

    return _by_launches(launch)


def _by_launches(launch: UniformSampler) -> Adapted:
    def with_uniforms(p: Array, q: Array, drafts: Tokens, uniforms: Array) -> Tokens:
        parts = range(0, len(drafts), ROWS)
        launches = [launch(p, q, drafts[i : i + ROWS], uniforms[i : i + ROWS]) for i in parts]
        return np.concatenate(launches) if launches else np.full((0, len(p)), -1)

    return Adapted(by_uniforms(with_uniforms), with_uniforms, resolution=FLOAT32)


def _given(p: Array, drafts: Tokens, uniforms: Array) -> dict[str, Any]:
    """Return the arguments of a call of SGLang's kernel for n chains of gamma drafts, by the kernel's own names."""
    import torch

    n, gamma = drafts.shape
    slots = gamma + 1
    # a chain is a tree without siblings: slot i is followed by slot i + 1, the last by none (-1)
    following = np.append(np.arange(1, slots), -1)
    arguments = {
        "predicts": np.full(n * slots, -1, dtype=np.int32),
        "accept_index": np.full((n, slots), -1, dtype=np.int32),
        "accept_token_num": np.zeros(n, dtype=np.int32),
        "candidates": np.concatenate([np.zeros((n, 1), dtype=np.int64), drafts], axis=1),
        "retrive_index": np.arange(n * slots).reshape(n, slots),
        "retrive_next_token": np.tile(following, (n, 1)),
        "retrive_next_sibling": np.full((n, slots), -1),
        # the kernel reads a uniform for each slot; the last slot has no draft to accept, so its uniform is unused
        "uniform_samples": single(np.concatenate([uniforms[:, :gamma], np.zeros((n, 1))], axis=1)),
        "uniform_samples_for_final_sampling": single(uniforms[:, gamma]),
        "target_probs": np.broadcast_to(p, (n, *p.shape)).astype(np.float32),
    }
    tensors: dict[str, Any] = {name: torch.tensor(array) for name, array in arguments.items()}
    return tensors | {"threshold_single": 1.0, "threshold_acc": 1.0, "deterministic": True}


def _emitted(tensors: dict[str, Any], gamma: int) -> Tokens:
    """Tokens that the outputs name: those at the accepted places, in order."""
    places = tensors["accept_index"].numpy().astype(np.int64)
    accepted = tensors["accept_token_num"].numpy()[:, None]
    tokens = tensors["predicts"].numpy()[places].astype(np.int64)
    return np.where((np.arange(gamma + 1) <= accepted) & (places >= 0), tokens, -1)
