"""Token-level intersection: the draft restricted to the shared vocabulary and renormalised, and its two neighbours.

`restricted` is pruning without redistribution (a draft outside the shared vocabulary is rejected), `tli` renormalises,
`unigram_mixture` and `uniform` are the plain controls that also reach tokens outside the shared vocabulary.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simspec import laws
from simspec.laws import Array, Scalar, check_law, check_mask, unchecked
from simspec.methods.method import Method, leftover
from simspec.methods.parameters import check_number
from simspec.methods.sd import SD

__all__ = ["restricted", "tli", "uniform", "unigram_mixture"]


def tli(shared: Array) -> Method:
    r"""Draft from :math:`q' = \mathrm{norm}(q 1_I)` with I the shared vocabulary; verify as in speculative decoding.

    Parameters
    ----------
    shared : bool array (V,)
        the tokens both models have, at least one.  A draft without mass on them proposes uniformly on them.

    Raises ValueError when no token is shared or the mask is not boolean.

    RDK, Eq. 1 (after Timor et al. 2025).  Pinned by claims ``rdk.tli-ceiling`` and ``rdk.tli-vs-none``.

    >>> tli(np.array([True, True, False])).propose(np.array([0.25, 0.25, 0.5])).tolist()
    [0.5, 0.5, 0.0]
    """
    mask = check_mask(shared)
    return replace(SD, propose=lambda q: unchecked.restrict(q, check_mask(mask, q.shape[-1]))).made_by(tli, shared)


def restricted(shared: Array) -> Method:
    r"""Pruning without redistribution: draft from q, reject every token outside the shared vocabulary.

    :math:`k_x = \min(p_x, q_x)` on the shared vocabulary and 0 elsewhere; the residual norm(p − k) keeps it lossless.
    Parameters and errors as in `tli`; RDK 6.2, scheme (a).

    >>> from simspec.methods import acceptance_rate
    >>> p = np.array([0.5, 0.25, 0.25])
    >>> float(acceptance_rate(restricted(np.array([True, True, False])), p, p))
    0.75
    """
    mask = check_mask(shared)

    def accept(p: Array, d: Array) -> Array:
        return np.where(check_mask(mask, p.shape[-1]), np.minimum(p, d), 0)

    return Method(propose=SD.propose, accept=accept, residual=leftover(accept)).made_by(restricted, shared)


def uniform() -> Method:
    """Control: draft uniformly over the whole vocabulary, whatever the draft model says.

    >>> uniform().propose(np.array([1.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    return replace(SD, propose=lambda q: unchecked.uniform(np.ones(q.shape, dtype=bool), like=q)).made_by(uniform)


def unigram_mixture(shared: Array, unigram: Array, mix: Scalar) -> Method:
    r"""Control: TLI mixed with a fixed law on the tokens outside the shared vocabulary.

    :math:`d = (1 - w)\, q' + w\, \mathrm{norm}(\pi 1_{\bar I})` with the mixture weight w = `mix`.

    Parameters
    ----------
    shared : bool array (V,)
    unigram : law (V,)
        the fixed law :math:`\pi`, for example token frequencies of a corpus.  Where it has no mass outside the shared
        vocabulary (or nothing is outside) the mixture is plain TLI.
    mix : number in [0, 1]

    Raises ValueError for a weight outside [0, 1], an empty shared vocabulary or a `unigram` that is not a law.

    >>> m = unigram_mixture(np.array([True, True, False]), np.array([0.5, 0.25, 0.25]), 0.25)
    >>> m.propose(np.array([0.25, 0.25, 0.5])).tolist()
    [0.375, 0.375, 0.25]
    """
    unigram = check_law(unigram, "unigram")
    mask = check_mask(shared, unigram.shape[-1])
    mix = check_number("mix", mix, lambda w: 0 <= w <= 1, "a weight between 0 and 1")
    tail = np.where(mask, 0, unigram)
    if not (tail > 0).any():
        return tli(mask).made_by(unigram_mixture, shared, unigram, mix)
    tail = laws.normalise(tail)
    return replace(SD, propose=lambda q: (1 - mix) * tli(mask).propose(q) + mix * tail).made_by(
        unigram_mixture, shared, unigram, mix
    )
