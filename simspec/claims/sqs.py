"""Claims about SQS: what sparsifying and rounding to the lattice do to the draft law, and what Algorithm 2 does.

Bits are in `simspec.claims.sqs_bits`, the adaptive threshold in `simspec.claims.csqs`, texts in `simspec.claims.sqs_text`.
"""

from __future__ import annotations

from fractions import Fraction as F
from functools import lru_cache

import numpy as np

from simspec.claims.claim import Claim, Instance, at_least, at_most, equal
from simspec.claims.draw import Draw
from simspec.claims.sd import law
from simspec.claims.sqs_parts import compositions, fine, sizes, some_kept, top_of, worst_rounding
from simspec.claims.sqs_text import CLAIMS as TEXT
from simspec.laws import Array, exact, tv
from simspec.methods.sqs import dropped_mass, quantise, quantise_printed, sparsify, top_mask

__all__ = ["CLAIMS", "flat"]


def flat(vocab: int) -> Array:
    """The exact uniform law.

    >>> flat(2).tolist()
    [Fraction(1, 2), Fraction(1, 2)]
    """
    return exact(np.ones(vocab, dtype=int)) / vocab


def _every(vocab: int) -> Array:
    """All tokens kept."""
    return np.ones(vocab, dtype=bool)


def _sent(q: Array, kept: Array, resolution: int) -> Array:
    return quantise(sparsify(q, kept), resolution, kept) / resolution


DROPPED_MASS = Claim(
    name="sqs.dropped-mass",
    kind="identity",
    statement=r"$\mathrm{TV}(q, \tilde q) = \sum_{x \notin X} q(x)$ for any set $X$ of kept tokens",
    reference="SQS, Lemma 1 and Eq. 19",
    instances=some_kept,
    lhs=lambda q, kept: tv(q, sparsify(q, kept)),
    rhs=lambda q, kept: dropped_mass(q, kept),
    relation=equal,
    note="q̃ ≥ q on X, so the distance is what q has elsewhere. It takes q(X) > 0, not S ≥ 0 as printed: with q(X) = 0 no "
    "q̃ exists (and any law on X is at distance 1, the mass dropped).",
)

LATTICE = Claim(
    name="sqs.lattice",
    kind="bound",
    statement=r"$\mathrm{TV}(\tilde q, \hat q) \le K/(4\ell)$",
    reference="SQS, Eq. 20",
    instances=some_kept,
    lhs=lambda q, kept, resolution: tv(sparsify(q, kept), _sent(q, kept, resolution)),
    rhs=lambda q, kept, resolution: sizes(kept, q) / (4 * resolution),
    relation=at_most,
    tight=({"q": flat(2), "kept": _every(2), "resolution": 1}, {"q": flat(4), "kept": _every(4), "resolution": 2}),
    corrected_by=("sqs.lattice-sharp",),
    note="Algorithm 2 rounds up the m largest of the K fractional parts of ℓq̃, whose sum is m: ℓTV = m − (sum of those) "
    "≤ m − m²/K ≤ K/4. Equality needs K even and ℓ ≥ K/2; beyond K = 4ℓ the bound says nothing.",
)

LATTICE_SHARP = Claim(
    name="sqs.lattice-sharp",
    kind="bound",
    statement=r"$\mathrm{TV}(\tilde q, \hat q) \le \frac{m (K - m)}{K \ell}$ with $m = \min(\ell, \lfloor K/2 \rfloor)$: "
    r"attained for every $K$ and $\ell$, and never above $1 - 1/K$",
    reference="own statement, sharpening SQS Eq. 20",
    instances=some_kept,
    lhs=LATTICE.lhs,
    rhs=lambda q, kept, resolution: worst_rounding(sizes(kept, q), resolution),
    relation=at_most,
    tight=tuple(
        {"q": q, "kept": _every(len(q)), "resolution": resolution}
        for q, resolution in ((flat(3), 1), (flat(5), 2), (law("4/9", "4/9", "1/9"), 3), (flat(4), 1))
    ),
    note="The proof of sqs.lattice with m ≤ ℓ, since ℓ units cannot be rounded up more than ℓ times. Attained where all "
    "fractional parts of ℓq̃ are m/K. For ℓ < K/2 it is 1 − ℓ/K: with ℓ far below K the law can be all but lost.",
)

TOTAL = Claim(
    name="sqs.total-distortion",
    kind="bound",
    statement=r"$\mathrm{TV}(q, \hat q) \le \sum_{x \notin X} q(x) + K/(4\ell)$",
    reference="SQS, A.2, last line",
    instances=some_kept,
    lhs=lambda q, kept, resolution: tv(q, _sent(q, kept, resolution)),
    rhs=lambda q, kept, resolution: dropped_mass(q, kept) + sizes(kept, q) / (4 * resolution),
    relation=at_most,
    tight=({"q": flat(2), "kept": _every(2), "resolution": 1},),
    corrected_by=("sqs.total-distortion-sharp",),
    note="The triangle inequality with sqs.dropped-mass and sqs.lattice.",
)

TOTAL_SHARP = Claim(
    name="sqs.total-distortion-sharp",
    kind="bound",
    statement=r"With $\delta = \sum_{x \notin X} q(x)$: $\delta \le \mathrm{TV}(q, \hat q) \le \delta + (1 - \delta) "
    r"\frac{m (K - m)}{K \ell}$, $m = \min(\ell, \lfloor K/2 \rfloor)$",
    reference="own statement, sharpening SQS A.2, last line",
    instances=some_kept,
    lhs=lambda q, kept, resolution: np.stack([dropped_mass(q, kept), tv(q, _sent(q, kept, resolution))]),
    rhs=lambda q, kept, resolution: np.stack(
        [
            tv(q, _sent(q, kept, resolution)),
            dropped_mass(q, kept) + (1 - dropped_mass(q, kept)) * worst_rounding(sizes(kept, q), resolution),
        ]
    ),
    relation=at_most,
    tight=({"q": flat(3), "kept": np.array([True, True, False]), "resolution": 1},),
    note="TV(q, q̂) = δ + Σ_X (q − q̂)₊, and on X q = (1 − δ)q̃, so (q − q̂)₊ ≤ (1 − δ)(q̃ − q̂)₊: rounding costs less the "
    "more is dropped. Equality where tokens that are rounded down are rounded to zero.",
)

DENSE = Claim(
    name="sqs.dense-closest",
    kind="bound",
    statement=r"At one resolution sparsifying never brings the drafted law closer: "
    r"$\mathrm{TV}(q, Q_\ell(q)) \le \mathrm{TV}(q, Q_\ell(\tilde q))$ for every $X$",
    reference="own statement, beside SQS Theorem 1",
    instances=some_kept,
    lhs=lambda q, kept, resolution: tv(q, quantise(q, resolution) / resolution),
    rhs=lambda q, kept, resolution: tv(q, _sent(q, kept, resolution)),
    relation=at_most,
    tight=({"q": flat(2), "kept": np.array([True, False]), "resolution": 1},),
    note="Q(q̃) is itself a lattice point over the whole vocabulary, and Q(q) is the nearest one (sqs.lattice-optimal). The "
    "term K/(4ℓ) suggests a trade-off in K that the distance to q does not have: what sparsifying buys is bits. (The distance "
    "to p can go either way.)",
)

# --- Algorithm 2 ----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _lattice(vocab: int, resolution: int) -> Array:
    return exact(np.array(compositions(resolution, vocab))) / resolution


def _distances(gap: Array) -> Array:
    """ℓ1, squared ℓ2 and ℓ∞ length of each row."""
    return np.stack([abs(gap).sum(axis=-1), (gap * gap).sum(axis=-1), abs(gap).max(axis=-1)])


OPTIMAL = Claim(
    name="sqs.lattice-optimal",
    kind="procedure",
    statement=r"Algorithm 2 on a law returns a lattice point nearest to it, in $\ell_1$, $\ell_2$ and $\ell_\infty$ at once",
    reference="SQS, Algorithm 2 (on a normalised vector)",
    instances=lambda draw: {"q": draw.law(draw.integer(1, 4)), "resolution": draw.integer(1, 4)},
    lhs=lambda q, resolution: _distances(quantise(q, resolution) / resolution - q),
    rhs=lambda q, resolution: _distances(_lattice(len(q), resolution) - q).min(axis=-1),
    relation=equal,
    sources=("exact",),
    note="The right side tries every lattice point. Rounding and mending the sum by the ζ-sort is the method of largest "
    "remainders: no exchange of one unit between two tokens shortens any of the three lengths; ties change the point, not "
    "the distance. It is nearest to q̃: among points on X another can be nearer to q, as for q = (5, 2, 1)/8, K = 2, ℓ = 5.",
)


def _promises(counts: Array, inside: Array, resolution: int) -> Array:
    """What Algorithm 2 promises of its counts, each as a number that must not be negative."""
    return np.array(
        [
            counts.min(),
            -abs(counts.sum() - resolution),
            F(len(counts), 4 * resolution) - tv(inside, counts / resolution),
        ],
        dtype=object,
    )


def _top(draw: Draw) -> Instance:
    n = draw.vocab()
    return {"q": draw.law(n), "k": top_of(draw, n), "resolution": fine(draw)}


def _as_printed(q: Array, k: int, resolution: int) -> Array:
    kept = top_mask(q, k)
    return _promises(quantise_printed(q, k, resolution)[kept], sparsify(q, kept)[kept], resolution)


def _normalised(q: Array, k: int, resolution: int) -> Array:
    kept = top_mask(q, k)
    inside = sparsify(q, kept)[kept]
    return _promises(quantise_printed(inside, k, resolution), inside, resolution)


ALGORITHM = Claim(
    name="sqs.algorithm-printed",
    kind="procedure",
    statement=r"Algorithm 2 as printed, on the top-$K$ values of $q$, returns counts $b \ge 0$ with $\sum_i b_i = \ell$ and "
    r"$\mathrm{TV}(\tilde q, b/\ell) \le K/(4\ell)$",
    reference="SQS, Algorithm 2",
    instances=_top,
    lhs=_as_printed,
    rhs=lambda: F(0),
    relation=at_least,
    sources=("exact",),
    against=(
        {"q": law("1/2", "1/2"), "k": 1, "resolution": 4},
        {"q": law("2/5", "1/5", "1/5", "1/5"), "k": 2, "resolution": 4},
    ),
    corrected_by=("sqs.algorithm-printed-corrected",),
    note="The top-K values are not normalised (line 4): their counts fall short of ℓ by about ℓ times the dropped mass, and "
    "line 14 adds at most one to each of K tokens (K = 1, q = (½, ½), ℓ = 4 gives 3). Where the sum comes out, the missing "
    "mass was spread evenly and the distance can exceed the bound: q = (2, 1, 1, 1)/5, K = 2, ℓ = 4 gives (2, 2)/4.",
)

ALGORITHM_CORRECTED = Claim(
    name="sqs.algorithm-printed-corrected",
    kind="procedure",
    statement=r"Algorithm 2 on $\tilde q$, the top-$K$ values divided by their sum, returns counts $b \ge 0$ with "
    r"$\sum_i b_i = \ell$ and $\mathrm{TV}(\tilde q, b/\ell) \le K/(4\ell)$",
    reference="correction of SQS Algorithm 2",
    instances=_top,
    lhs=_normalised,
    rhs=lambda: F(0),
    relation=at_least,
    sources=("exact",),
    note="Rounding errors lie in (−½, ½], so |ℓ' − ℓ| ≤ K/2, at least twice as many tokens as are changed err in the "
    "direction that is mended, and a token with count 0 is never lowered. For the distance see sqs.lattice.",
)


# --- counts ---------------------------------------------------------------------------------------------------------


def _counts(q: Array, kept: Array, resolution: int) -> Array:
    return quantise(sparsify(q, kept), resolution, kept)


def _carrying(draw: Draw) -> Instance:
    """Kept tokens that all have mass, so that a count of zero is the quantiser's doing."""
    drawn = some_kept(draw)
    return {**drawn, "kept": drawn["kept"] & (drawn["q"] > 0)}


POSITIVE = Claim(
    name="sqs.positive-counts",
    kind="identity",
    statement=r"Every count $b_i$ of a kept token is a positive integer",
    reference="SQS, A.1",
    instances=_carrying,
    lhs=lambda q, kept, resolution: ((_counts(q, kept, resolution) > 0) & kept).sum(axis=-1),
    rhs=lambda kept: kept.sum(axis=-1),
    relation=equal,
    against=({"q": law("3/4", "1/4"), "kept": np.array([True, True]), "resolution": 1},),
    corrected_by=("sqs.positive-counts-corrected", "sqs.positive-counts-sharp"),
    note="A kept token of small probability is rounded to 0, and at least K − ℓ of them are when K > ℓ. The lattice that "
    "Eq. 2 counts allows zeros; that of A.1, with positive counts, has C(ℓ−1, K−1) points (sqs.bits-sharp).",
)


def _whole(q: Array, kept: Array, resolution: int) -> tuple[Array, Array]:
    """ℓq̃ rounded down and up; in floating point with room for its rounding."""
    scaled = resolution * sparsify(q, kept)
    room = 0 if scaled.dtype == object else 1e-9
    low = np.floor(scaled + room)
    return low, low + np.where(scaled - low > room, 1, 0)


POSITIVE_CORRECTED = Claim(
    name="sqs.positive-counts-corrected",
    kind="bound",
    statement=r"$\lfloor \ell \tilde q_i \rfloor \le b_i \le \lceil \ell \tilde q_i \rceil$ and $b_i \ge 0$: a kept token with "
    r"$\tilde q_i \ge 1/\ell$ has a positive count, and at most $\min(K, \ell)$ tokens have one",
    reference="correction of SQS A.1",
    instances=some_kept,
    lhs=lambda q, kept, resolution: np.concatenate(
        [
            _whole(q, kept, resolution)[0],
            _counts(q, kept, resolution),
            (_counts(q, kept, resolution) > 0).sum(axis=-1, keepdims=True),
        ],
        axis=-1,
    ),
    rhs=lambda q, kept, resolution: np.concatenate(
        [
            _counts(q, kept, resolution),
            _whole(q, kept, resolution)[1],
            np.minimum(kept.sum(axis=-1, keepdims=True), resolution),
        ],
        axis=-1,
    ),
    relation=at_most,
    tight=({"q": law(1), "kept": np.array([True]), "resolution": 1},),
    note="The quantiser rounds each ℓq̃ᵢ down or up, never further (largest remainders). ℓ units reach at most ℓ tokens.",
)

ENOUGH = "q̃ of every kept token exceeds (1 − 1/K)/ℓ"


def _enough(q: Array, kept: Array, resolution: int) -> bool:
    size = int(kept.sum())
    return bool((resolution * size * sparsify(q, kept)[kept] > size - 1).all())


def _ample(draw: Draw) -> Instance:
    """A law over K tokens, each above the least mass that always survives; ℓ must be at least K for that."""
    k = draw.integer(1, 5)
    resolution = k + draw.integer(0, 4)
    least, weight = F(k - 1, k * resolution), draw.integer(0, 50)
    above = (weight * draw.law(k) + F(1, k)) / (weight + 1)
    return {"q": least + (1 - k * least) * above, "kept": np.ones(k, dtype=bool), "resolution": resolution}


POSITIVE_SHARP = Claim(
    name="sqs.positive-counts-sharp",
    kind="identity",
    statement=r"All counts are positive when every kept token has $\tilde q_i > (1 - 1/K)/\ell$; the constant cannot be lowered",
    reference="own statement: a condition for SQS A.1",
    instances=_ample,
    assumes={ENOUGH: _enough},
    lhs=POSITIVE.lhs,
    rhs=POSITIVE.rhs,
    relation=equal,
    sources=("exact",),
    outside={
        ENOUGH: {"q": law("1/3", "1/3", "1/3"), "kept": np.ones(3, dtype=bool), "resolution": 2},
    },
    note="A token with ℓq̃ᵢ < 1 is rounded to 0 only when m others, m < K the sum of the fractional parts, have parts at least "
    "as large: then (m + 1)ℓq̃ᵢ ≤ m. K equal tokens at ℓ = K − 1 stand at the constant, and one of them is lost.",
)

CLAIMS = (
    DROPPED_MASS,
    LATTICE,
    LATTICE_SHARP,
    TOTAL,
    TOTAL_SHARP,
    DENSE,
    OPTIMAL,
    ALGORITHM,
    ALGORITHM_CORRECTED,
    POSITIVE,
    POSITIVE_CORRECTED,
    POSITIVE_SHARP,
    *TEXT,
)
