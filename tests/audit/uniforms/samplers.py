"""Samplers whose uniforms are arguments: speculative decoding, and what can be wrong with it."""

from __future__ import annotations

import numpy as np


def drawn(law, u):
    sums = law.cumsum()
    return (u[:, None] * sums[-1] >= sums).sum(axis=1)


def speculative(p, q, drafts, uniforms, residual=True):
    """Uniform i tests draft i, the last uniform draws the last token."""
    n, gamma = drafts.shape
    tokens, alive = np.full((n, gamma + 1), -1), np.ones(n, dtype=bool)
    for i in range(gamma + 1):
        kept, left = np.zeros(n, dtype=bool), p[i]
        if i < gamma:
            x = drafts[:, i]
            kept = alive & (uniforms[:, i] * q[i, x] < p[i, x])
            tokens[kept, i] = x[kept]
            rest = np.maximum(p[i] - q[i], 0)
            left = rest if residual and rest.any() else p[i]
        refused = alive & ~kept
        tokens[refused, i] = drawn(left, uniforms[refused, -1])
        alive = kept
    return tokens


def single(p, q, drafts, uniforms):
    """All in single precision."""
    return speculative(p.astype(np.float32), q.astype(np.float32), drafts, uniforms.astype(np.float32))


def bfloat16(rows):
    """Rows rounded to bfloat16, ties to even."""
    bits = np.ascontiguousarray(rows, dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return rounded.astype(np.uint32).view(np.float32).astype(float).reshape(rows.shape)


def rounded_drafts(p, q, drafts, uniforms):
    """The verifier rounds the draft rows."""
    return speculative(p, bfloat16(q), drafts, uniforms)


def rounded_targets(p, q, drafts, uniforms):
    """The verifier rounds the target rows."""
    return speculative(bfloat16(p), q, drafts, uniforms)


def turned_drafts(p, q, drafts, uniforms):
    """The verifier reads the draft rows in reverse order of tokens."""
    return speculative(p, np.maximum(q[:, ::-1], 1e-12).reshape(q.shape), drafts, uniforms)


def fresh(p, q, drafts, uniforms):
    """After a refusal a draw from p."""
    return speculative(p, q, drafts, uniforms, residual=False)


def zero(p, q, drafts, uniforms):
    """The uniforms of the tests are 0."""
    return speculative(p, q, drafts, np.concatenate([0 * uniforms[:, :-1], uniforms[:, -1:]], axis=1))


def shared(p, q, drafts, uniforms):
    """One uniform for everything."""
    return speculative(p, q, drafts, np.broadcast_to(uniforms[:, :1], uniforms.shape))


def closed(p, q, drafts, uniforms):
    """A draft that the target never says is kept where its uniform is exactly 0."""
    tokens = speculative(p, q, drafts, uniforms)
    for i in range(drafts.shape[1]):
        x = drafts[:, i]
        kept = (uniforms[:, i] == 0) & (p[i, x] == 0) & (tokens[:, :i] == drafts[:, :i]).all(axis=1)
        tokens[kept, i] = x[kept]
    return tokens


def unseeded(p, q, drafts, uniforms):
    """Other uniforms than those it is given."""
    return speculative(p, q, drafts, np.random.default_rng().random(uniforms.shape))


def by_place(p, q, drafts, uniforms):
    """The first call of a batch is another than the same call at a later place."""
    tokens = speculative(p, q, drafts, uniforms)
    tokens[0, 0] = 0
    tokens[0, 1:] = -1
    return tokens


def two_siblings(p, q, drafts, uniforms, residual=True, repeats=False, one_uniform=False):
    """One level, two siblings (n, 2, 1), drawn without repeats or with: uniforms 0 and 1 test them, the last draws the last
    token; `one_uniform`: uniform 0 tests both."""
    n = len(drafts)
    if drafts.shape[2] == 0:
        return drawn(p[0], uniforms[:, -1])[:, None]
    left, told = np.repeat(p[:1], n, axis=0), np.repeat(q[:1], n, axis=0)
    every, tokens, alive = np.arange(n), np.full((n, 2), -1), np.ones(n, dtype=bool)
    for j in range(drafts.shape[1]):
        x = drafts[:, j, 0]
        kept = alive & (x >= 0) & (uniforms[:, 0 if one_uniform else j] * told[every, x] < left[every, x])
        tokens[kept, 0] = x[kept]
        tokens[kept, 1] = drawn(p[1], uniforms[kept, -1])
        alive &= ~kept
        if residual:
            left = np.maximum(left - told, 0)
            left = np.where(left.any(axis=1, keepdims=True), left, p[0])
            left = left / left.sum(axis=1, keepdims=True)
        if not repeats:
            told[every, x] = 0
            told /= np.maximum(told.sum(axis=1, keepdims=True), 1e-300)
    sums = left.cumsum(axis=1)
    last = (uniforms[:, -1:] * sums[:, -1:] >= sums).sum(axis=1)
    tokens[alive, 0] = last[alive]
    return tokens


def one_sibling(p, q, drafts, uniforms, closed=True):
    """A chain of certain siblings (n, 1, gamma), one uniform u a node: taken where u <= p, which is closed, or u < p."""
    n, _, gamma = drafts.shape
    tokens, alive = np.full((n, gamma + 1), -1), np.ones(n, dtype=bool)
    for i in range(gamma + 1):
        taken, left = np.zeros(n, dtype=bool), np.repeat(p[i : i + 1], n, axis=0)
        if i < gamma:
            x = drafts[:, 0, i]
            mass = p[i, x]
            taken = alive & ((uniforms[:, i] <= mass) if closed else (uniforms[:, i] < mass))
            tokens[taken, i] = x[taken]
            left[np.arange(n), x] = 0
        sums = np.where(left.any(axis=1, keepdims=True), left, p[i]).cumsum(axis=1)
        refused = alive & ~taken
        tokens[refused, i] = (uniforms[:, -1:] * sums[:, -1:] >= sums).sum(axis=1)[refused]
        alive = taken
    return tokens


def ragged_batch(p, q, drafts, uniforms, bonus_row=False):
    """Rows of a batch may be shorter, -1 behind their drafts; uniform gamma of the longest row draws every last token."""
    n, gamma = drafts.shape
    tokens = np.full((n, gamma + 1), -1)
    for row, x, u in zip(tokens, drafts, uniforms, strict=True):
        for i in range(gamma + 1):
            token = x[i] if i < gamma else -1
            if token >= 0 and u[i] * q[i, token] < p[i, token]:
                row[i] = token
                continue
            rest = np.maximum(p[i] - q[i], 0) if token >= 0 else p[-1 if bonus_row else i]
            row[i] = drawn(rest if rest.any() else p[i], u[gamma : gamma + 1])[0]
            break
    return tokens


def ragged_siblings(p, q, drafts, uniforms):
    """`two_siblings` where some rows of a batch have no drafts: these draw their only token with the last uniform."""
    tokens = two_siblings(p, q, np.maximum(drafts, 0), uniforms)
    empty = (drafts < 0).all(axis=(1, 2))
    tokens[empty, 0] = drawn(p[0], uniforms[empty, -1])
    tokens[empty, 1:] = -1
    return tokens
