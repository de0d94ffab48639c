"""Claims about what SQS sends: lattice points and subsets by enumeration, and when sparsifying saves bits."""

from __future__ import annotations

from fractions import Fraction as F
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Evidence, Instance, at_most, equal
from simspec.claims.data import Data
from simspec.claims.draw import Draw
from simspec.claims.sqs_parts import compositions
from simspec.laws import Array, exact, uniform
from simspec.methods.codec import lattice_rank, subset_rank
from simspec.methods.payload import adaptive_subset_bits, lattice_bits, lattice_log2, payload_log2, subset_bits
from simspec.methods.sqs import quantise, threshold_mask, top_mask

__all__ = ["CLAIMS"]

# --- lattice points and subsets --------------------------------------------------------------------------------------


def _length(messages: int) -> int:
    """Bits of the shortest fixed-length code for so many messages: the least n with 2ⁿ at least their number."""
    n = 0
    while 2**n < messages:
        n += 1
    return n


@lru_cache(maxsize=256)
def _points(k: int, resolution: int, low: int = 0) -> frozenset[tuple[int, ...]]:
    """Every vector of counts that the quantiser returns for a law over k tokens: it returns each lattice point itself."""
    grid = np.array(compositions(resolution, k, low)).reshape(-1, k)
    if not len(grid):
        return frozenset()
    found = quantise(exact(grid) / resolution, resolution)
    return frozenset(tuple(int(v) for v in row) for row in found.tolist())


def _numbers(*counts: Any) -> Array:
    return np.array([F(c) for c in counts], dtype=object)


def _lattice(draw: Draw) -> Instance:
    return {"k": draw.integer(1, 5), "resolution": draw.integer(1, 6)}


BITS = Claim(
    name="sqs.bits",
    kind="identity",
    statement=r"The lattice over $K$ tokens has $\binom{\ell + K - 1}{K - 1}$ points; $\lceil \log_2 \rceil$ of it bits describe "
    r"$\hat q$ on $X$, and no fixed-length code is shorter",
    reference="SQS, Eq. 2",
    instances=_lattice,
    lhs=lambda k, resolution: _numbers(
        len(points := _points(k, resolution)),
        _length(len(points)),
        len({lattice_rank(np.array(b)) for b in points}),
        lattice_bits(k, resolution),
    ),
    rhs=lambda k, resolution: _numbers(count := comb(resolution + k - 1, k - 1), _length(count), count, _length(count)),
    relation=equal,
    sources=("exact",),
    corrected_by=("sqs.bits-sharp",),
    note="Stars and bars, counted here by asking the quantiser for every point it can return: each is the image of itself, so "
    "all need a code word, and the code of the package numbers them without gaps. Eq. 2 prints the logarithm alone.",
)

BITS_SHARP = Claim(
    name="sqs.bits-sharp",
    kind="identity",
    statement=r"When $X$ is shrunk to the tokens with a positive count, as A.1 says, $\hat q$ on it is one of "
    r"$\binom{\ell - 1}{K - 1}$ points, and none can be left out",
    reference="own statement, sharpening SQS Eq. 2 by A.1",
    instances=_lattice,
    lhs=lambda k, resolution: _numbers(
        sum(min(b) > 0 for b in _points(k, resolution)), len(_points(k, resolution, low=1))
    ),
    rhs=lambda k, resolution: _numbers(*[comb(resolution - 1, k - 1)] * 2),
    relation=equal,
    sources=("exact",),
    note="One unit for each token, the other ℓ − K anywhere. The receiver learns the support from the subset, which is sent "
    "anyway; a token of count 0 would never be drafted.",
)

SOME = "at least one token is kept"


def _masks(vocab: int, k: int) -> set[tuple[bool, ...]]:
    """Every set that top-K selects from some law: the K most likely tokens of the uniform law on them."""
    found = set()
    for tokens in combinations(range(vocab), k):
        mask = np.isin(np.arange(vocab), tokens)
        chosen = top_mask(uniform(mask, like=exact([1])), k) if k else mask
        found.add(tuple(chosen.tolist()))
    return found


def _reached(vocab: int, least: int) -> int:
    """How many sizes the sets of a threshold can have: of laws that rise in equal steps, at all their edges; 0 counts
    where an empty set is allowed (the literal reading)."""
    q = exact(np.arange(1, vocab + 1)) / sum(range(1, vocab + 1))
    edges = [*q.tolist(), F(2)]
    return len({int(threshold_mask(q, edge, keep_top=least > 0).sum()) for edge in edges})


def _subset_bits(vocab: int, k: int) -> Array:
    count = comb(vocab, k)
    fixed, adaptive = _length(count), _length(count) + _length(vocab)
    return _numbers(fixed, count, adaptive, fixed, adaptive)


SUBSET = Claim(
    name="sqs.subset-bits",
    kind="identity",
    statement=r"The subset takes $\lceil \log_2 \binom{V}{K} \rceil$ bits (K-SQS), $\lceil \log_2 \binom{V}{K} \rceil + "
    r"\lceil \log_2 V \rceil$ (C-SQS: the size first), $K \ge 1$",
    reference="SQS, Eq. 5 and §3",
    instances=lambda draw: {"vocab": (n := draw.integer(1, 6)), "k": draw.integer(1, n), "least": 1},
    assumes={SOME: lambda least: least >= 1},
    lhs=lambda vocab, k, least: _numbers(
        _length(len(_masks(vocab, k))),
        len({subset_rank(np.array(m)) for m in _masks(vocab, k)}),
        _length(len(_masks(vocab, k))) + _length(_reached(vocab, least)),
        subset_bits(vocab, k),
        adaptive_subset_bits(vocab, k),
    ),
    rhs=_subset_bits,
    relation=equal,
    sources=("exact",),
    outside={SOME: {"vocab": 2, "k": 1, "least": 0}},
    note="All subsets occur, and all sizes 1 to V. Read literally, a threshold above max q keeps nothing: then there are "
    "V + 1 sizes, one bit more where V is a power of two.",
)

# --- when sparsifying saves bits -------------------------------------------------------------------------------------


def _sparse(vocab: int, k: int, resolution: int) -> Any:
    """Pairs (subset, lattice point on it) that the printed code tells apart."""
    return F(len(_masks(vocab, k)) * len(_points(k, resolution)))


def _dense(vocab: int, resolution: int) -> Any:
    return F(comb(resolution + vocab - 1, vocab - 1))


def _smaller(draw: Draw, vocab: int = 5, resolution: int = 5) -> Instance:
    n = draw.integer(2, vocab)
    return {"vocab": n, "k": draw.integer(1, n - 1), "resolution": draw.integer(1, resolution)}


def _paper_setting(data: Data) -> list[Evidence]:
    """Largest K whose payload is below the dense one at the paper's resolution, for the paper's vocabulary."""
    vocab, resolution = 50_257, 100
    k = np.arange(1, vocab)
    dense = float(lattice_log2(np.array(vocab), np.array(resolution)))
    payload = payload_log2(vocab, k, np.array(resolution))
    saves = payload < dense
    last = int(k[~saves][0]) - 1
    control = {"dense payload, bits": dense, "payload at K + 1, bits": float(payload[last])}
    return [
        Evidence(
            f"largest K that saves bits, V = {vocab:,}, ℓ = {resolution}", None, vocab - 1, last, None, None, control
        )
    ]


BANDWIDTH = Claim(
    name="sqs.bandwidth",
    kind="bound",
    statement=r"Sparsifying lowers the payload: $\log_2 \binom{V}{K} + \log_2 \binom{\ell + K - 1}{K - 1} \le "
    r"\log_2 \binom{\ell + V - 1}{V - 1}$ for every $K < V$ (compared without the logarithms)",
    reference="SQS §1, §2, Eqs. 2 and 5",
    instances=_smaller,
    lhs=lambda vocab, k, resolution: _sparse(vocab, k, resolution),
    rhs=lambda vocab, resolution: _dense(vocab, resolution),
    relation=at_most,
    sources=("exact",),
    evidence=_paper_setting,
    corrected_by=("sqs.bandwidth-corrected", "sqs.bandwidth-sharp", "sqs.bandwidth-support"),
    note="Counts of zero are coded twice, by the subset and by the point. V = 3, K = 2, ℓ = 1: six code words for three laws. "
    "At V = 50,257 and ℓ = 100 the code saves bits only up to K = 80. Equality is let pass here; “below” fails already "
    "at V = 2, K = 1, ℓ = 1.",
)


def _codes(vocab: int, k: int, resolution: int) -> int:
    """Code words of the printed code for one size K."""
    return comb(vocab, k) * comb(resolution + k - 1, k - 1)


def _near_square(draw: Draw) -> Instance:
    vocab = draw.integer(2, 8)
    near = (vocab - 1) ** 2 + draw.integer(-2, 2)
    return {"vocab": vocab, "resolution": max(1, near) if draw.integer(0, 1) else draw.integer(1, 60)}


BANDWIDTH_CORRECTED = Claim(
    name="sqs.bandwidth-corrected",
    kind="identity",
    statement=r"$\binom{V}{K} \binom{\ell + K - 1}{K - 1} \le \binom{\ell + V - 1}{V - 1}$ for every $K < V$ exactly when "
    r"$\ell \ge (V - 1)^2$, and $<$ for every $K < V$ exactly when $\ell > (V - 1)^2$",
    reference="correction of SQS §1, §2",
    instances=_near_square,
    lhs=lambda vocab, resolution: _numbers(
        all(_codes(vocab, k, resolution) <= _dense(vocab, resolution) for k in range(1, vocab)),
        all(_codes(vocab, k, resolution) < _dense(vocab, resolution) for k in range(1, vocab)),
    ),
    rhs=lambda vocab, resolution: _numbers(resolution >= (vocab - 1) ** 2, resolution > (vocab - 1) ** 2),
    relation=equal,
    sources=("exact",),
    note="R(K), the left side over the right, has R(K+1)/R(K) = (V−K)(ℓ+K)/((K+1)K), which falls in K, so R rises, then "
    "falls, to R(V) = 1. Where R(V−1) = V(V−1)/(ℓ+V−1) is at most 1, R has not fallen on its last step and is below 1 before; "
    "where it exceeds 1, K = V − 1 fails. At ℓ = 100 that is V ≤ 11.",
)

BANDWIDTH_SHARP = Claim(
    name="sqs.bandwidth-sharp",
    kind="bound",
    statement=r"The $K$ whose printed code is no longer than the dense one are $1, \dots, K^*$ (and $V$): if the code of $K$ "
    r"is longer, so is that of every $K'$ with $K < K' < V$",
    reference="own statement: which K save bits in SQS Eqs. 2 and 5",
    instances=lambda draw: _smaller(draw, 12, 12),
    lhs=lambda vocab, k, resolution: _numbers(
        *(_codes(vocab, j, resolution) <= _dense(vocab, resolution) for j in range(k, vocab))
    ),
    rhs=lambda vocab, k, resolution: F(_codes(vocab, k, resolution) <= _dense(vocab, resolution)),
    relation=at_most,
    sources=("exact",),
    tight=({"vocab": 3, "k": 1, "resolution": 1},),
    note="R of sqs.bandwidth-corrected rises, then falls to R(V) = 1: once above 1 it stays there up to V − 1.",
)

BANDWIDTH_SUPPORT = Claim(
    name="sqs.bandwidth-support",
    kind="bound",
    statement=r"Sending the support of $\hat q$ and positive counts on it never takes more than the dense code: "
    r"$\binom{V}{K} \binom{\ell - 1}{K - 1} \le \binom{\ell + V - 1}{V - 1}$ for every $K$ and $\ell$",
    reference="own statement, in place of SQS §1, §2",
    instances=_smaller,
    lhs=lambda vocab, k, resolution: F(len(_masks(vocab, k)) * sum(min(b) > 0 for b in _points(k, resolution))),
    rhs=lambda vocab, resolution: F(len(_points(vocab, resolution))),
    relation=at_most,
    sources=("exact",),
    tight=({"vocab": 3, "k": 1, "resolution": 1},),
    note="These are the dense lattice points with exactly K positive counts; summed over K they are all of them "
    "(Vandermonde). The size K, where it must be told, comes on top: ⌈log2 V⌉ bits.",
)

CLAIMS = (
    BITS,
    BITS_SHARP,
    SUBSET,
    BANDWIDTH,
    BANDWIDTH_CORRECTED,
    BANDWIDTH_SHARP,
    BANDWIDTH_SUPPORT,
)
