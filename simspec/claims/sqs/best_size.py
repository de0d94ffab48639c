"""For the distribution that fares worst, the dense lattice is at least as close as K-SQS, under a condition on K.

`sqs.best-size`: how many tokens to keep and how fine a lattice, for the law that fares worst (own).
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, bound, broken, exact, law, swapped
from simspec.claims.sqs.parts import flat, sent_law, worst_rounding
from simspec.laws import tv
from simspec.methods.sqs.quantised import quantise, top_mask

__all__ = ["MOST_TOKENS", "MOST_UNITS", "dense_at", "hard_laws", "some_loss", "words"]

OWN = "own statement (the best number of tokens and resolution at equal bits), on SQS, Eqs. 2 and 5"
FINE = "the dense lattice is fine enough"
MOST_TOKENS = 10
MOST_UNITS = 24
"""Up to how many tokens, and how many units of resolution, all schemes were tried."""


def _fine(vocab: int, dense: int, k: int) -> bool:
    """L(V − K) ≥ m(V − m): the dense lattice at its worst is no farther than what K tokens leave of the flat law."""
    up = min(dense, vocab // 2)
    return dense * (vocab - k) >= up * (vocab - up)


def _against_flat(draw: Draw) -> Instance:
    vocab = draw.integer(2, 4)
    k = draw.integer(1, vocab - 1)
    dense = draw.integer(1, 4)
    return {
        "q": draw.law(vocab),
        "dense": dense if _fine(vocab, dense, k) else 4,
        "k": k,
        "resolution": draw.integer(1, 6),
    }


def _flat_distance(q: Array, k: int, resolution: int) -> Any:
    even = flat(len(q))
    return tv(even, sent_law(even, top_mask(even, k), resolution))


FLAT = bound(
    name="sqs.best-size.flat-law",
    statement=r"If $L (V - K) \ge m (V - m)$, $m = \min(L, \lfloor V/2 \rfloor)$, no law is farther from what the dense lattice "
    r"at $L$ sends than the flat law $u$ is from what $K$-SQS sends, at whatever resolution $\ell$: $\mathrm{TV}(q, Q_L(q)) \le "
    r"1 - K/V \le \mathrm{TV}(u, Q_\ell(\tilde u))$",
    reference=OWN,
    instances=_against_flat,
    assumes={FINE: lambda q, dense, k: _fine(len(q), dense, k)},
    lhs=lambda q, dense, k: np.array([tv(q, quantise(q, dense) / dense), 1 - F(k, len(q))]),
    rhs=lambda q, k, resolution: np.array([1 - F(k, len(q)), _flat_distance(q, k, resolution)]),
    tight=(
        {"q": flat(2), "dense": 1, "k": 1, "resolution": 1},
        {"q": law("2/3", "1/6", "1/6"), "dense": 2, "k": 2, "resolution": 2},
        {"q": law("3/8", "3/8", "1/8", "1/8"), "dense": 4, "k": 3, "resolution": 3},
    ),
    outside={FINE: {"q": law("1/3", "1/3", "1/3"), "dense": 1, "k": 2, "resolution": 2}},
    sources=("exact",),
    note="What is dropped of a flat law is lost at any number of bits. So from L = ⌊V/2⌋⌈V/2⌉ on, whatever bits it is given, no "
    "K < V is better in the worst case. The condition is the least: elsewhere some law is farther from the dense lattice than "
    "1 − K/V (sqs.lattice-sharp.attained), which the flat law never exceeds where ℓ is a multiple of K.",
    broken=[broken("1 − (k − 1)/V", lhs=lambda q, dense, k: np.array([F(0), 1 - F(k - 1, len(q))])), swapped()],
)


def words(vocab: int, k: int, resolution: int) -> int:
    """Code words of K-SQS: sets of K tokens, and lattice points over them.

    >>> words(3, 2, 2), words(3, 3, 2)
    (9, 6)
    """
    return comb(vocab, k) * comb(resolution + k - 1, k - 1)


@lru_cache(maxsize=1024)
def dense_at(vocab: int, number: int) -> int:
    """The finest lattice over all tokens that has no more points than `number`; 0 where none has.

    >>> dense_at(3, 9), dense_at(3, 2)
    (2, 0)
    """
    resolution = 0
    while words(vocab, vocab, resolution + 1) <= number:
        resolution += 1
    return resolution


def hard_laws(vocab: int, k: int, resolution: int) -> list[Array]:
    r"""Laws that fare badly under K-SQS: the flat one, and some likely tokens with V − M alike that are rounded to zero.

    The M likely ones share ℓ − M whole units; each small token has the mass :math:`M/(K\ell + (V - K)M)`, of those that are
    kept M/K units.

    >>> [[str(m) for m in q] for q in hard_laws(3, 2, 2)]
    [['1/3', '1/3', '1/3'], ['1/5', '1/5', '3/5']]
    """
    laws = [flat(vocab)]
    for up in range(1, min(resolution, k - 1) + 1):
        small = F(up, k * resolution + (vocab - k) * up)
        units = [(resolution - up) // up + int(n < (resolution - up) % up) for n in range(up)]
        likely = [small * (1 + F(n * k, up)) for n in units]
        others = [small] * (vocab - up)
        # of equal parts those of half a unit and more are rounded down from the first on, smaller ones up
        laws.append(exact(others + likely if 2 * up >= k else likely + others))
    return laws


def some_loss(vocab: int, k: int, resolution: int) -> Any:
    """The largest total variation among these laws."""
    return max(tv(q, sent_law(q, top_mask(q, k), resolution)) for q in hard_laws(vocab, k, resolution))


def _scheme(draw: Draw) -> Instance:
    vocab = draw.integer(2, MOST_TOKENS)
    k = draw.integer(1, vocab - 1)
    resolution = draw.integer(1, MOST_UNITS)
    return {"vocab": vocab, "k": k, "resolution": resolution}


BEST_SIZE = bound(
    name="sqs.best-size",
    statement=r"For all $V \le 10$, $K < V$, $\ell \le 24$: the finest dense lattice that has no more points than $\binom{V}{K} "
    r"\binom{\ell + K - 1}{K - 1}$, the words of $K$-SQS, is at its worst no farther from a law than $K$-SQS is at its worst: "
    r"of all $(K, \ell)$ at equal bits $K = V$ is best",
    reference=OWN,
    instances=_scheme,
    lhs=lambda vocab, k, resolution: worst_rounding(F(vocab), dense_at(vocab, words(vocab, k, resolution))),
    rhs=lambda vocab, k, resolution: some_loss(vocab, k, resolution),
    tight=({"vocab": 2, "k": 1, "resolution": 1}, {"vocab": 6, "k": 2, "resolution": 2}),
    sources=("exact",),
    note="The dense worst case is sqs.lattice-sharp, which is attained; of K-SQS the largest distance among a few hard laws, so "
    "at most its worst. Beyond ℓ = 24 sqs.best-size.flat-law says the same for these V. What sparsifying saves is saved on laws "
    "with a light tail, not in the worst case: sqs.best-size.every-law.",
    broken=[broken("1 − k/V", rhs=lambda vocab, k: 1 - F(k, vocab))],
)


def _at_equal_words(draw: Draw) -> Instance:
    vocab = draw.integer(2, 4)
    q = draw.law(vocab)
    k = draw.integer(1, vocab - 1)
    resolution = draw.integer(1, 6)
    return {"q": q, "k": k, "resolution": resolution if dense_at(vocab, words(vocab, k, resolution)) else 1}


def _dense(q: Array, k: int, resolution: int) -> Any:
    units = dense_at(len(q), words(len(q), k, resolution))
    return tv(q, quantise(q, units) / units)


EVERY_LAW = bound(
    name="sqs.best-size.every-law",
    statement=r"The finest dense lattice that has no more points than $K$-SQS has words is no farther from any law: "
    r"$\mathrm{TV}(q, Q_L(q)) \le \mathrm{TV}(q, Q_\ell(\tilde q))$",
    reference=OWN,
    instances=_at_equal_words,
    lhs=_dense,
    rhs=lambda q, k, resolution: tv(q, sent_law(q, top_mask(q, k), resolution)),
    sources=("exact",),
    against=({"q": law("3/5", "2/5", 0), "k": 2, "resolution": 5},),
    within=({"q": law("201/400", "198/400", "1/400"), "k": 2, "resolution": 100},),
    corrected_by=("sqs.best-size", "sqs.dense-closest"),
    note="In the worst case it is (sqs.best-size), and at one resolution (sqs.dense-closest). At equal bits the lattice over "
    "fewer tokens can hold a law that the coarser dense one does not: then sparsifying pays.",
)
