"""The formulas of sqs.* claims, broken on purpose: each change must refute its claim."""

from fractions import Fraction as F
from math import comb

import numpy as np

from simspec.claims.draw import ExactDraw
from simspec.claims.sqs.fewest_bits import radius, within
from simspec.claims.sqs.one_resample import rejected
from simspec.claims.sqs.parts import some_kept, worst_rounding
from simspec.laws.unchecked import tv
from simspec.methods.sqs.quantised import dropped_mass
from tests.claims.cases import broken, get, shifted, swapped


def _bits_of(count):
    return (count - 1).bit_length()


def _numbers(*counts):
    return np.array([F(c) for c in counts], dtype=object)


def _unmended(q, resolution):
    """Rounding with the whole excess given to, or taken from, the first token."""
    counts = (2 * resolution * q + 1) // 2
    counts[0] += resolution - counts.sum()
    gap = counts * F(1, resolution) - q
    return np.stack([abs(gap).sum(axis=-1), (gap * gap).sum(axis=-1), abs(gap).max(axis=-1)])


def _size(kept):
    return F(int(kept.sum()))


def _plain_step(draw: ExactDraw):
    step = {"p": draw.law(2), "q": draw.law(2), "k": 2, "resolution": draw.integer(1, 4), "drawn": None}
    return {
        **step,
        "threshold": None,
        "step_size": None,
        "dropped_target": None,
        "gamma": 1,
        "length": 0,
        "budget": None,
    }


MUTATIONS = [
    shifted("sqs.bandwidth.some", 1),
    shifted("sqs.one-resample", 1),
    broken("sqs.one-resample", lhs=lambda p, q, drafts, coins: sum(rejected(p, q, drafts, coins))),
    broken(
        "sqs.resolution-at-equal-bits-corrected",
        rhs=lambda q, k, resolution: get("sqs.resolution-at-equal-bits-corrected").rhs(q, k, resolution) * F(3, 4),
    ),
    broken(
        "sqs.deviation-from-dense-corrected",
        rhs=lambda q, kept, resolution: get("sqs.deviation-from-dense-corrected").rhs(q, kept, resolution) / 2,
    ),
    shifted("sqs.horizon-corrected", 1),
    broken("sqs.bits", rhs=lambda k, resolution: _numbers(*[c := comb(resolution + k, k), _bits_of(c)] * 2)),
    broken("sqs.bits", rhs=lambda k, resolution: _numbers(*[c := comb(resolution + k - 1, k - 1), c.bit_length()] * 2)),
    broken("sqs.bits-sharp", rhs=lambda k, resolution: F(comb(resolution, k - 1))),
    broken(
        "sqs.subset-bits",
        rhs=lambda vocab, k: _numbers(
            _bits_of(c := comb(vocab, k)), c, now := _bits_of(c) + vocab.bit_length(), _bits_of(c), now
        ),
    ),
    broken(
        "sqs.subset-bits", assumes={}, instances=lambda draw: {"vocab": (n := draw.integer(1, 4)), "k": n, "least": 0}
    ),
    broken(
        "sqs.bandwidth-corrected",
        rhs=lambda vocab, resolution: _numbers(resolution + 1 >= (vocab - 1) ** 2, resolution > (vocab - 1) ** 2),
    ),
    broken(
        "sqs.bandwidth-corrected",
        rhs=lambda vocab, resolution: _numbers(resolution >= (vocab - 1) ** 2, resolution >= (vocab - 1) ** 2),
    ),
    broken("sqs.bandwidth-sharp", **swapped("sqs.bandwidth-sharp")),
    broken("sqs.bandwidth-support", lhs=get("sqs.bandwidth").lhs),
    broken("sqs.bandwidth-support", rhs=lambda vocab, resolution: F(comb(resolution + vocab - 2, vocab - 1))),
    broken("sqs.dropped-mass", lhs=lambda q, kept: tv(q, np.where(kept, q, 0))),
    broken("sqs.lattice", rhs=lambda kept, resolution: _size(kept) / (5 * resolution)),
    broken("sqs.lattice", lhs=get("sqs.total-distortion").lhs),
    broken("sqs.lattice-sharp", rhs=lambda kept, resolution: worst_rounding(_size(kept), resolution + 1)),
    broken("sqs.total-distortion", rhs=lambda q, kept: dropped_mass(q, kept)),
    broken("sqs.total-distortion", rhs=lambda q, kept, resolution: _size(kept) / (4 * resolution)),
    broken(
        "sqs.total-distortion-sharp",
        rhs=lambda q, kept, resolution: np.stack(
            [F(1), dropped_mass(q, kept) + (1 - 2 * dropped_mass(q, kept)) * worst_rounding(_size(kept), resolution)]
        ),
    ),
    broken("sqs.total-distortion-sharp", rhs=lambda q, kept: np.stack([dropped_mass(q, kept) * F(1, 2), F(1)])),
    broken("sqs.dense-closest", **swapped("sqs.dense-closest")),
    broken("sqs.lattice-optimal", lhs=_unmended),
    broken("sqs.algorithm-printed-corrected", lhs=get("sqs.algorithm-printed").lhs),
    broken("sqs.positive-counts-corrected", **swapped("sqs.positive-counts-corrected")),
    broken("sqs.positive-counts-sharp", assumes={}, instances=some_kept),
    broken("sqs.rejection", rhs=lambda p, q: tv(p, q)),
    broken("sqs.rejection-count-corrected", rhs=get("sqs.rejection-count").rhs),
    broken("sqs.rejection-count-sharp", assumes={}, instances=get("sqs.rejection-count").instances),
    broken("sqs.rejection-bound", rhs=lambda p, q, length: tv(p[0], q[0]) * length),
    broken("sqs.rejection-bound-sharp", rhs=lambda **text: get("sqs.rejection-bound-sharp").rhs(**text) * F(7, 8)),
    broken("sqs.lossless", rhs=lambda q, length: get("sqs.lossless").rhs(q, length)),
    broken("sqs.lossless", assumes={}, instances=lambda draw: {**_plain_step(draw), "peeks": draw.integer(0, 1)}),
    broken("sqs.lattice-sharp.attained", rhs=lambda counts, resolution: F(len(counts), 4 * resolution)),
    broken("sqs.lattice-sharp.ceiling", rhs=lambda size: 1 - F(2, size)),
    broken("sqs.fewest-bits", lhs=lambda codebook, resolution: len(codebook) * within(codebook.shape[1], 0)),
    broken("sqs.fewest-bits.two-tokens", lhs=lambda words: len(words) * radius(words)),
    broken("sqs.best-size.flat-law", lhs=lambda q, dense, k: np.array([F(0), 1 - F(k - 1, len(q))])),
    broken("sqs.best-size.flat-law", **swapped("sqs.best-size.flat-law")),
    broken("sqs.best-size", rhs=lambda vocab, k: 1 - F(k, vocab)),
]
