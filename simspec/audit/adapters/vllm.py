"""vLLM's and vLLM-Ascend's rejection samplers: requests laid end to end; the bonus is drawn by the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

from simspec.audit.adapters.form import FLOAT32, Adapted, Tokens, bound, drafted, drawn
from simspec.audit.adapters.torches import logarithms, one_thread, seeded, with_globals
from simspec.laws import Array

__all__ = ["ascend", "vllm", "vllm_one_hot"]

ROWS = 1024
"""Most requests of one call."""


def vllm(function: Callable[..., Any]) -> Adapted:
    """``rejection_sample(draft_token_ids (N,), num_draft_tokens, …, target_logits, bonus_token_ids, sampling_metadata, …)``.

    vLLM v1's form, and vLLM-Ascend's, which takes ``target_probs`` in place of ``target_logits``.  The result is (B,
    max_spec_len + 1), padded with -1.  Only requests with a temperature are made; the bonus is drawn here from the last row.

    Exact mode is for two tokens: a uniform for each draft in place of `generate_uniform_probs`, one for the race of two
    exponentials by which a refused draft is replaced, one for the bonus.
    """
    return _requests(function, True)


def vllm_one_hot(function: Callable[..., Any]) -> Adapted:
    """The same with ``draft_probs=None``: the verifier takes each draft as certain, as for drafts copied from the text."""
    return _requests(function, False)


def _requests(function: Callable[..., Any], is_reported: bool) -> Adapted:
    """Wrap vLLM's sampler; without `is_reported` it is called with no draft laws, as for n-gram drafts."""

    def call(work: Callable[..., Any], p: Array, q: Array, drafts: Tokens, bonus: Tokens) -> Tokens:
        import torch

        target = logarithms(p[:-1], torch.float32).repeat(len(drafts), 1)
        arguments = _given(p, q, drafts, bonus) | {"target_logits": target, "target_probs": target.softmax(dim=-1)}
        if not is_reported:
            arguments["draft_probs"] = None
        return np.asarray(work(**bound(work, arguments, "vllm"))).astype(np.int64)

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
        drafts = drafted(q, n, rng)
        bonus = drawn(p[-1], rng.random(n))
        with seeded(rng):
            return _by_parts(lambda rows: call(function, p, q, drafts[rows], bonus[rows]), n)

    def with_uniforms(p: Array, q: Array, drafts: Tokens, uniforms: Array) -> Tokens:
        def launch(rows: slice) -> Tokens:
            # order of the uniforms: one for each draft, one for the recovered token, one for the bonus token
            with _race_of_two(uniforms[rows, -2]), one_thread():
                work = with_globals(function, generate_uniform_probs=lambda *arguments: _tensor(uniforms[rows, :-2]))
                return call(work, p, q, drafts[rows], drawn(p[-1], uniforms[rows, -1]))

        return _by_parts(launch, len(drafts))

    return Adapted(sampler, with_uniforms, lambda gamma: gamma + 2, widest=2, resolution=FLOAT32)


def _by_parts(call: Callable[[slice], Tokens], n: int) -> Tokens:
    return np.concatenate([call(slice(i, min(i + ROWS, n))) for i in range(0, n, ROWS)])


def _tensor(uniforms: Array) -> Any:
    import torch

    return torch.tensor(uniforms.reshape(-1), dtype=torch.float64)


@contextmanager
def _race_of_two(uniforms: Array) -> Iterator[None]:
    """PyTorch's `exponential_` of (B, 2) numbers gives c and 1 - c: as the winner depends on the ratio only, the law is that
    of two exponentials, and the cut is at the law of the winner."""
    import torch

    def fill(tensor: Any, *positional: Any, **named: Any) -> Any:
        first = np.maximum(uniforms, 2.0**-40)
        pair_of_numbers = np.stack([first, 1 - first], axis=1)[:, : tensor.shape[1]]
        return tensor.copy_(torch.tensor(pair_of_numbers))

    with patch.object(torch.Tensor, "exponential_", fill):
        yield


def ascend(accept: Callable[..., Any], recover: Callable[..., Any]) -> Adapted:
    """vLLM-Ascend's pair in PyTorch, which takes its random numbers as arguments.

    ``rejection_random_sample_pytorch(output_token_ids, cu_num_draft_tokens, draft_token_ids, draft_probs, target_probs,
    bonus_token_ids, recovered_token_ids, uniform_probs, is_greedy, max_spec_len, vocab_size, IS_NGRAM)`` and
    ``sample_recovered_tokens_pytorch(output_token_ids, cu_num_draft_tokens, draft_token_ids, draft_probs, target_probs, q,
    vocab_size, IS_NGRAM)``, where q are exponentials (B, V); both write into their first argument.
    """

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
        """Return the tokens (n, gamma + 1) that the two kernels emit for n independent requests."""
        import torch

        drafts = drafted(q, n, rng)
        arguments = _given(p, q, drafts, drawn(p[-1], rng.random(n)))
        arguments |= {
            "target_probs": torch.tensor(np.tile(p[:-1], (n, 1)), dtype=torch.float32),
            "is_greedy": torch.zeros(n, dtype=torch.bool),
            "vocab_size": p.shape[1],
            "IS_NGRAM": False,
            "uniform_probs": torch.tensor(rng.random(drafts.size)),
            "q": torch.tensor(rng.exponential(size=(n, p.shape[1])), dtype=torch.float32),
        }
        # `recover` runs first: `accept` copies a recovered token where it rejects a draft
        recovered = arguments["draft_token_ids"].new_empty(drafts.size)
        recover(**bound(recover, arguments | {"output_token_ids": recovered}, "ascend"))
        tokens = torch.full((n, len(p)), -1, dtype=torch.int32)
        arguments |= {"output_token_ids": tokens, "recovered_token_ids": recovered}
        accept(**bound(accept, arguments, "ascend"))
        return np.asarray(tokens).astype(np.int64)

    return Adapted(sampler)


def _given(p: Array, q: Array, drafts: Tokens, bonus: Tokens) -> dict[str, Any]:
    import torch

    n, gamma = drafts.shape
    return {
        "draft_token_ids": torch.tensor(drafts.reshape(-1), dtype=torch.int32),
        "num_draft_tokens": [gamma] * n,
        "max_spec_len": gamma,
        "cu_num_draft_tokens": torch.arange(1, n + 1, dtype=torch.int32) * gamma,
        "draft_probs": torch.tensor(np.tile(q, (n, 1)), dtype=torch.float32),
        "bonus_token_ids": torch.tensor(bonus, dtype=torch.int32)[:, None],
        "sampling_metadata": SimpleNamespace(
            all_greedy=False, all_random=True, temperature=torch.ones(n), generators={}
        ),
    }
