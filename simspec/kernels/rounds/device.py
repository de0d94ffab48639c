"""CUDA twins of rounds on paths (one replication a thread) and of one verification step (one block a batch element).

Rounds give the same integers as `simspec.kernels.rounds.loops.run`.  A step equals `rounds_reference.verify` except at ties.
With M = `gpu.bounds(V, dtype).logsumexp`, which bounds the error of a log-sum-exp, and t_p, t_q the distances of the drafted
token's logits from their maxima, a draft is decided otherwise only where |log(u q_x / p_x)| <= 2 M + 2^-50 (t_p + t_q + 64):
two log-sum-exps, then a few roundings of numbers below t + 64.  A law is off by 2 M summed over tokens, so a cumulative sum
of max(p - q, 0), and its total R (1 for p itself), by 4 M; hence the sum that selects the token errs by `token_bound`.  Of
laws drafts are decided alike.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simspec.kernels.cuda.launch import THREADS, cupy, kind, launch
from simspec.kernels.softmax.device import bounds

__all__ = ["load", "run", "token_bound", "verify"]


def load(packed: Any) -> tuple[Any, ...]:
    """What `rounds_loops.pack` made, on the device in the order in which the kernel takes it."""
    draft, share, residual, target, following = packed
    bits = (draft.guide.shape[1] - 2).bit_length()
    arrays = (*draft, *residual, *target, share, following)
    return *(cupy().asarray(x) for x in arrays), share.shape[1], bits


def run(
    laws: tuple[Any, ...],
    gamma: int,
    rounds: int,
    key: int,
    rows: Any,
    start: int,
    purpose: int,
    tokens: bool,
    counts: bool,
    threads: int | None = None,
) -> tuple[Any, Any, Any, Any]:
    """Accepted drafts, last state, tokens and counts, as in `simspec.kernels.rounds.Rounds`; arguments checked there.

    Memory on the device: the results and 8 bytes a row; with counts 8 S V bytes in all.
    """
    cp, size, width = cupy(), len(rows), rounds * (gamma + 1)
    share = laws[6]
    accepted, state = cp.empty((size, rounds), dtype=np.int32), cp.empty(size, dtype=np.int32)
    path = cp.empty((size, width) if tokens else (0, 0), dtype=np.int32)
    times = cp.zeros(share.shape if counts else (0, 0), dtype=np.uint64)
    keys = np.uint32(key & 0xFFFFFFFF), np.uint32(key >> 32)
    numbers = cp.asarray(rows), size, start, np.uint32(purpose)
    out = accepted, state, int(tokens), path, int(counts), times
    blocks = -(-size // (threads or THREADS))
    launch("rounds", "rounds", blocks, threads, *laws, gamma, rounds, *keys, *numbers, *out)
    return accepted, state, path if tokens else None, times.view(np.int64) if counts else None


def token_bound(vocab: int, dtype: Any, left: float, logits: bool = True) -> float:
    """Largest error of the cumulative sums, divided by their total `left`, from which `verify` selects a token.

    8 M / (left - 4 M) for the two laws of logits (M of `gpu.bounds`), in the sum and in its total, and 2^-52 (V + 800) for
    adding up, which the reference does token by token; infinite where nothing is certain of `left`.

    >>> token_bound(128_256, np.float32, 1.0) < 1e-5, token_bound(128_256, np.float32, 1.0, logits=False) < 3e-11
    (True, True)
    """
    mass = bounds(vocab, dtype).logsumexp if logits else 0.0
    return 8 * mass / (left - 4 * mass) + 2.0**-52 * (vocab + 800) if left > 4 * mass else math.inf


def verify(
    target: Any,
    draft: Any,
    drafted: Any,
    key: int,
    rows: Any,
    step: int,
    purpose: int,
    logits: bool,
    threads: int | None = None,
) -> tuple[Any, Any]:
    """Accepted drafts and the token after them, int32 (B,), as in `simspec.kernels.rounds.verify`; checked there.

    Target (B, gamma + 1, V) and draft (B, gamma, V) lie on the device; further memory: 8 bytes a drafted token and 16 a
    batch element, and a copy of what is not contiguous or of another type than the result of both.
    """
    cp, dtype = cupy(), np.result_type(target.dtype, draft.dtype)
    p, q = (cp.ascontiguousarray(z.astype(dtype, copy=False)) for z in (target, draft))
    batch, gamma, vocab = q.shape
    accepted, token = cp.empty(batch, dtype=np.int32), cp.empty(batch, dtype=np.int32)
    keys = np.uint32(key & 0xFFFFFFFF), np.uint32(key >> 32)
    place = cp.asarray(rows), step * (gamma + 1), np.uint32(purpose)
    kernel = f"verify_{'logits' if logits else 'laws'}_{kind(p)}"
    given = p, q, cp.asarray(np.ascontiguousarray(drafted)), gamma, vocab
    launch("verify", kernel, batch, threads, *given, *keys, *place, accepted, token)
    return accepted, token
