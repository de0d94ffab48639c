"""Verification steps on which every twin is compared with the reference, and how: decisions near a tie are counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.kernels.rounds import reference
from tests.kernels.cases import INF


def step(batch, gamma, vocab, dtype=np.float32, seed=0, scale=2.0, noise=0.6, masked=0.0):
    """Target and draft logits, some target tokens masked, and tokens of probability above zero under the draft law."""
    rng = np.random.default_rng([seed, batch, gamma, vocab])
    b = rng.standard_normal((batch, gamma, vocab)) * scale
    a = np.concatenate([b, rng.standard_normal((batch, 1, vocab)) * scale], axis=1)
    a[:, :gamma] += noise * rng.standard_normal(b.shape)
    a[rng.random(a.shape) < masked] = -INF
    a[..., rng.integers(vocab)] = 0
    x = (b + rng.gumbel(size=b.shape)).argmax(axis=-1)
    return a.astype(dtype), b.astype(dtype), x


def _tokens(z):
    return np.arange(z.shape[-1])


EXTREME_STEPS: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {
    "huge offsets": lambda a, b: (a + 1e5, b - 3e4),
    "enormous range": lambda a, b: (a * 1e20, b * 1e20),
    "tiny range": lambda a, b: (a * 1e-20, b * 1e-3),
    "first chunks masked": lambda a, b: (np.where(_tokens(a) < 5 * a.shape[-1] // 6, -INF, a), b),
    "draft masked": lambda a, b: (a, np.where(_tokens(b) < b.shape[-1] - 1, -INF, b)),
    "last token alone": lambda a, b: (np.where(_tokens(a) < a.shape[-1] - 1, -INF, a), b),
    "rising": lambda a, b: (a + np.linspace(-40, 40, a.shape[-1]), b + np.linspace(40, -40, b.shape[-1])),
    "nearly the same": lambda a, b: (np.concatenate([b + 1e-6, a[:, -1:]], axis=1), b),
}
"""What is made of the target and draft logits of `step`."""


def softmax(z):
    """The reference's laws of logits."""
    return reference._softmax(np.asarray(z, dtype=np.float64))


def ties(a, b, x, u, got, near, allowed, logits=True):
    """Batch elements decided otherwise than by the reference, each near a tie.

    A draft may be where near(u q, p, depth), the depth being that of its two logits below their maxima; a token within
    allowed(left) of a cumulative sum, `left` being what is left of max(p - q, 0), or 1.
    """
    accepted, tokens = reference.verify(a, b, x, u, logits)
    p, q = (softmax(z) for z in (a, b)) if logits else (a.astype(np.float64), b.astype(np.float64))
    found = 0
    for i in range(len(a)):
        n, token = int(got.accepted[i]), int(got.token[i])
        if n != accepted[i]:
            assert logits
            at = min(n, int(accepted[i]))
            drawn = x[i, at]
            depth = sum(float(z[i, at].max()) - float(z[i, at, drawn]) for z in (a, b))
            assert near(u[i, at, 1] * q[i, at, drawn], p[i, at, drawn], depth)
            found += p[i, at, drawn] > 0
        elif token != tokens[i]:
            left = np.maximum(p[i, n] - q[i, n], 0) if n < x.shape[1] else p[i, n]
            assert left[token] > 0
            sums, slack = np.append(0, reference.cdf(left)), allowed(left.sum())
            assert sums[token] - slack <= u[i, n, 2] <= sums[token + 1] + slack
            found += 1
    return found
