"""What each uniform decides: whether drafts are kept, or which token is drawn.  A uniform that does both is shared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simspec.audit.calling import UniformSampler, Watch, called_with_uniforms
from simspec.audit.drafting import Drafts, given_drafts
from simspec.audit.levels import Laws
from simspec.audit.pairs import Pair

__all__ = ["shared_uniforms"]

CALLS = 4096


def shared_uniforms(
    sampler: UniformSampler, pair: Pair, uniforms: int, watch: Watch | None = None, drawn: Laws | Drafts | None = None
) -> tuple[str, ...]:
    """Uniforms that both decide how many drafts are kept and draw a token, in words, by changing one uniform at a time.

    An honest rule may do so too (one that draws the target's token and looks whether it is the draft), so this is asked
    only where a bias is known.

    >>> def one_uniform(p, q, drafts, uniforms):
    ...     u = uniforms[:, 0]
    ...     kept = u < 0.5
    ...     return np.stack([np.where(kept, 0, (u >= 0.75) + 1), np.where(kept, 0, -1)], axis=1)
    >>> laws = np.full((2, 3), 1 / 3)
    >>> shared_uniforms(one_uniform, Pair("", laws, laws[:1]), 2)
    ('uniform 0 decides whether drafts are accepted, and also draws a token',)
    """
    rng = np.random.default_rng(3)
    drafts, _ = given_drafts(pair.q, drawn)
    rows = drafts[rng.integers(len(drafts), size=CALLS)]
    u = rng.random((CALLS, uniforms))
    before = called_with_uniforms(sampler, pair.p, pair.q, rows, u, watch)
    sentences = []
    for uniform in range(uniforms):
        changed = u.copy()
        changed[:, uniform] = rng.random(CALLS)
        if _tests_and_draws(before, called_with_uniforms(sampler, pair.p, pair.q, rows, changed, watch)):
            sentences.append(f"uniform {uniform} decides whether drafts are accepted, and also draws a token")
    return tuple(sentences)


def _tests_and_draws(a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    """Whether some calls differ in their length, and others of one length in their last token, which is no draft."""
    length_a = (a >= 0).sum(axis=1)
    length_b = (b >= 0).sum(axis=1)
    same = length_a == length_b
    return bool((~same).any() and (a[same] != b[same]).any())
