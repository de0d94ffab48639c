"""One step of speculative decoding on stored logits or laws, for a batch, as an inference engine would do it.

`verify_drafts` reads the random numbers of `simspec.kernels.rounds.reference`: step t of a row is round t of
`simspec.kernels.rounds.run_rounds`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.kernels.cuda.launch import host, on_device, together
from simspec.kernels.random import core
from simspec.kernels.rounds import reference

__all__ = ["Verified", "verify_drafts"]

SMALL = 4096
"""Below this many logits loading the compiled loop costs more than it saves."""


class Verified(NamedTuple):
    """One verification step of B batch elements: accepted drafts and the token after them, int32 arrays (B,)."""

    accepted: NDArray[np.int32]
    token: NDArray[np.int32]


def verify_drafts(
    target: ArrayLike,
    draft: ArrayLike,
    drafted: ArrayLike,
    *,
    key: int,
    rows: ArrayLike | range | None = None,
    step: int = 0,
    purpose: int = 0,
    logits: bool = True,
    threads: int | None = None,
) -> Verified:
    r"""One step of speculative decoding for a batch: how many drafted tokens are kept, and the token after them.

    With p and q the laws (softmax of the logits) at a position, a drafted token x is kept when :math:`u\,q_x < p_x`.
    After the first rejection the next token is drawn from :math:`\mathrm{norm}(p - q)_+`, after gamma kept drafts from
    the last target law.

    Parameters
    ----------
    target : float array (B, gamma + 1, V)
        logits, or laws; the last position is the one after all drafts.  CuPy arrays are worked on where they are.
    draft : float array (B, gamma, V)
        logits or laws that the drafts were drawn from.
    drafted : integers (B, gamma)
        the drafted tokens.
    key, purpose : int
        of the random numbers, as in `run_rounds`.
    rows : integers (B,), optional
        numbers of the batch elements, 0 .. B - 1 by default: an element's result does not depend on the others.
    step : int
        number of the step (the round) in its row; positions step (gamma + 1) .. step (gamma + 1) + gamma are read.
    logits : bool
        False for laws.
    threads : int, optional
        at most; all cores by default.  On a device: of a block, 256 by default.  Does not change the result.

    Returns
    -------
    Verified
        CuPy arrays where target and draft are.

    Raises
    ------
    ValueError
        for shapes that do not fit, tokens or numbers out of range, and a row that is needed but has no softmax (NaN,
        plus infinity or nothing but minus infinity) or no mass.  What is not needed is not read, hence not checked.

    Notes
    -----
    Equals `rounds_reference.verify` (float64) except at ties.  With B = `cpu.tv_bound(V, dtype)`, which bounds the
    rounding of the exponentials and of their sums, a draft is decided otherwise only where :math:`|u q_x/p_x - 1| \le
    2B`, and the cumulative sum that selects the token errs by at most :math:`4B/(R - 2B)`, R being the mass drawn from
    (:math:`\sum(p - q)_+`, or 1): two laws of error B each, in the sum and in its total.  For float32, V = 128,256 B is
    4.8e-6; errors seen are about 1e-7.  Where both numbers underflow in float64, so that no drafter draws the token, the
    logits still decide.  Of laws drafts are decided alike, and :math:`B = 2^{-53}(V + 20)` for the token.

    Arrays of one float type in C order are read in place; others are copied.  Scratch: 40 KiB and 32 bytes a chunk of
    1024 tokens, for each thread.  On a device: `simspec.kernels.rounds.device`, which also bounds its rounding.

    Examples
    --------
    The draft has all mass where the target has none, so the token is rejected and the other one drawn:

    >>> found = verify_drafts([[[0.0, 1.0], [0.5, 0.5]]], [[[1.0, 0.0]]], [[0]], key=1, logits=False)
    >>> found.accepted.tolist(), found.token.tolist()
    ([0], [1])
    """
    device = together(target=target, draft=draft)
    p, q = _float_array(target, "target"), _float_array(draft, "draft")
    if q.shape != (p.shape[0], p.shape[1] - 1, p.shape[2]):
        expected = (p.shape[0], p.shape[1] - 1, p.shape[2])
        raise ValueError(f"draft: shape {q.shape}; expected {expected}, one position less than target has")
    batch, gamma, vocab = q.shape
    x = core.integers("drafted", host(drafted), vocab).astype(np.int64)
    if x.size == 0 and batch * gamma == 0:
        x = x.reshape(batch, gamma)
    if x.shape != (batch, gamma):
        raise ValueError(f"drafted: shape {x.shape}; expected {(batch, gamma)}, a token for each draft position")
    numbers = np.arange(batch, dtype=np.uint64) if rows is None else core.integers("rows", rows, 2**64)
    if numbers.shape != (batch,):
        raise ValueError(f"rows: shape {numbers.shape}; expected ({batch},), a number for each batch element")
    step = core.integer("step", step, 2**32 // (gamma + 1))
    key, purpose = core.integer("key", key, 2**64), core.integer("purpose", purpose, 2**32)
    if device:
        from simspec.kernels.rounds import device as rounds_gpu

        accepted, token = rounds_gpu.verify(p, q, x, key, numbers, step, purpose, logits, threads)
    elif p.size + q.size < SMALL:
        accepted, token = reference.verify(p, q, x, reference.uniforms(key, numbers, gamma, step, purpose), logits)
    else:
        accepted, token = _verify(p, q, x, (key, numbers, step, purpose), logits, threads)
    if (token < 0).any():
        i = int((token < 0).argmax())
        kind = "softmax" if logits else "mass, or one that is no number"
        where = f"batch element {i}, position {accepted[i]}"
        raise ValueError(f"target or draft: {where}: a row without {kind}; expected {'logits' if logits else 'laws'}")
    return Verified(accepted.astype(np.int32), token.astype(np.int32))


def _float_array(x: ArrayLike, name: str) -> NDArray[Any]:
    z: Any = x if on_device(x) else np.asarray(x)
    if z.ndim != 3 or z.shape[2] == 0:
        raise ValueError(f"{name}: shape {z.shape}; expected (batch, positions, tokens), at least one token")
    if name == "target" and z.shape[1] == 0:
        raise ValueError(f"target: shape {z.shape}; expected one position at least, the one after all drafts")
    if z.dtype == np.float16:
        return z.astype(np.float32)
    return z if z.dtype in (np.float32, np.float64) else z.astype(np.float64)


def _verify(p: Any, q: Any, drafted: Any, draws: Any, logits: bool, threads: int | None) -> tuple[Any, Any]:
    from simspec.kernels.rounds import verify_loops as rounds_verify_loops
    from simspec.kernels.softmax import compiled as cpu

    dtype = np.result_type(p, q)
    p, q = (np.ascontiguousarray(z, dtype=dtype).view() for z in (p, q))
    p.flags.writeable = q.flags.writeable = False  # Numba would compile once more for either kind
    key, rows, step, purpose = draws
    numbers = np.uint64(key & 0xFFFFFFFF), np.uint64(key >> 32), rows, step, np.uint32(purpose)
    accepted, token = np.empty(len(p), dtype=np.int32), np.empty(len(p), dtype=np.int32)
    loop = rounds_verify_loops.verify_logits if logits else rounds_verify_loops.verify_laws
    cpu.split(lambda i, j: loop(p, q, drafted, *numbers, accepted, token, i, j), len(p), p.size, threads)
    return accepted, token
