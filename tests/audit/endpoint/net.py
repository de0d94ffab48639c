"""A seeded transformer with a key-value cache, in NumPy: small, and real enough for faults of caches and positions."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

import numpy as np

VOCAB = 24
WIDTH = 16
HEADS = 2
LAYERS = 1
POSITIONS = 128
"""Position embeddings, which repeat."""
LONGEST = 512
ENTRIES = (HEADS, LONGEST, WIDTH // HEADS)


@dataclass
class Cache:
    """Keys and values of each layer, (heads, entries, width of a head), and how many there are."""

    keys: list[np.ndarray] = field(default_factory=lambda: [np.zeros(ENTRIES) for _ in range(LAYERS)])
    values: list[np.ndarray] = field(default_factory=lambda: [np.zeros(ENTRIES) for _ in range(LAYERS)])
    length: int = 0


class Net:
    """Logits after each token of a block, given a cache of what came before.

    Parameters
    ----------
    seed : int; of the weights
    noise : float; how much the weights differ from those of the seed: 0 the target, more a draft
    rounding : float; size of an error of the logits that depends on the shape of the block, as of low-precision kernels
    """

    def __init__(self, seed: int = 0, noise: float = 0.0, rounding: float = 0.0) -> None:
        rng = np.random.default_rng(seed)
        other_rng = np.random.default_rng(seed + 1000)
        self.seed = seed
        self.rounding = rounding

        def weights(*shape: int, scale: float = 1.0) -> np.ndarray:
            base = rng.normal(size=shape) * scale / np.sqrt(shape[0])
            return base + noise * other_rng.normal(size=shape) * scale / np.sqrt(shape[0])

        self.tokens = weights(VOCAB, WIDTH, scale=np.sqrt(VOCAB))
        self.positions = weights(POSITIONS, WIDTH, scale=0.6 * np.sqrt(POSITIONS))
        self.attention = [[weights(WIDTH, WIDTH) for _ in range(4)] for _ in range(LAYERS)]
        self.feeding = [(weights(WIDTH, 2 * WIDTH), weights(2 * WIDTH, WIDTH)) for _ in range(LAYERS)]
        self.head = weights(WIDTH, VOCAB, scale=1.8)

    def rows(self, tokens: list[int], cache: Cache, start: int) -> np.ndarray:
        """Logits (tokens, VOCAB); the block's keys and values are appended to the cache, its positions begin at `start`."""
        n = len(tokens)
        first = cache.length
        cache.length += n
        x = self.tokens[tokens] + self.positions[np.arange(start, start + n) % POSITIONS]
        is_later = np.arange(cache.length)[None, :] > first + np.arange(n)[:, None]
        for layer in range(LAYERS):
            query, key, value, out = self.attention[layer]
            normed = _normed(x)
            cache.keys[layer][:, first : cache.length] = _by_head(normed @ key)
            cache.values[layer][:, first : cache.length] = _by_head(normed @ value)
            scores = _by_head(normed @ query) @ cache.keys[layer][:, : cache.length].transpose(0, 2, 1)
            scores = np.where(is_later, -np.inf, scores / np.sqrt(WIDTH / HEADS))
            mixed = softmax(scores) @ cache.values[layer][:, : cache.length]
            x = x + mixed.transpose(1, 0, 2).reshape(n, WIDTH) @ out
            wide, narrow = self.feeding[layer]
            x = x + np.maximum(_normed(x) @ wide, 0) @ narrow
        logits = _normed(x) @ self.head
        if self.rounding:
            key = zlib.crc32(bytes(tokens)) + 7919 * n + 104729 * first
            logits = logits + self.rounding * np.random.default_rng(key).normal(size=logits.shape)
        return logits


def _by_head(x: np.ndarray) -> np.ndarray:
    """(tokens, WIDTH) as (HEADS, tokens, width of a head)."""
    return x.reshape(len(x), HEADS, -1).transpose(1, 0, 2)


def _normed(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
