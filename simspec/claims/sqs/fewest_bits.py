"""Any code of distributions needs about as many words as the lattice for the same total variation.

`sqs.fewest-bits`: how many words any code of laws needs for a given total variation, beside the lattice (own).
"""

from __future__ import annotations

from itertools import pairwise
from math import comb
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, exact, law
from simspec.claims.sqs.parts import compositions, worst_rounding

__all__ = ["farthest", "lattice_laws", "radius", "reach", "within"]


def lattice_laws(vocab: int, resolution: int) -> Array:
    """All laws over the tokens whose masses are multiples of 1/L, one a row.

    >>> [[str(m) for m in row] for row in lattice_laws(2, 1)]
    [['0', '1'], ['1', '0']]
    """
    return exact(np.array(compositions(resolution, vocab))) / resolution


def farthest(codebook: Array, resolution: int) -> Any:
    """The largest total variation of a lattice law from the nearest word.

    >>> print(farthest(law("1/4", "3/4")[None], 1))
    3/4
    """
    apart = lattice_laws(codebook.shape[1], resolution)[:, None] - codebook[None]
    return np.maximum(apart, 0).sum(axis=-1).min(axis=-1).max()


def within(vocab: int, units: int) -> int:
    r"""Integer vectors over the tokens of sum zero whose positive part is at most `units`.

    :math:`\sum_k \binom{V-1}{k}^2 \binom{u + V - 1 - k}{V - 1}`, the ball of the root lattice A of rank V − 1; of the
    order :math:`\binom{2V-2}{V-1} u^{V-1}/(V-1)!`.

    >>> within(2, 3), within(3, 1)
    (7, 7)
    """
    rank = vocab - 1
    return sum(comb(rank, k) ** 2 * comb(units + rank - k, rank) for k in range(rank + 1))


def reach(codebook: Array, resolution: int) -> Any:
    """How far a lattice law is from the lattice law that is nearest to its word, at most."""
    return farthest(codebook, resolution) + worst_rounding(F(codebook.shape[1]), resolution)


def _codes(draw: Draw) -> Instance:
    vocab = draw.integer(1, 3)
    words = draw.integer(1, 3)
    return {"codebook": np.stack([draw.law(vocab) for _ in range(words)]), "resolution": draw.integer(1, 3)}


FEWEST_BITS = bound(
    name="sqs.fewest-bits",
    statement=r"Whatever $N$ laws over $V$ tokens a code has: where each of the $\binom{L+V-1}{V-1}$ laws with masses in "
    r"multiples of $1/L$ has a word within total variation $\varepsilon$, $N \sum_k {\binom{V-1}{k}}^2 \binom{u+V-1-k}{V-1} "
    r"\ge \binom{L+V-1}{V-1}$ with $u = \lfloor L (\varepsilon + m(V-m)/(VL)) \rfloor$, $m = \min(L, \lfloor V/2 \rfloor)$, "
    r"for every $L$",
    reference="own statement (the fewest bits for a total variation)",
    instances=_codes,
    lhs=lambda codebook, resolution: (
        F(len(codebook)) * within(codebook.shape[1], int(resolution * reach(codebook, resolution)))
    ),
    rhs=lambda codebook, resolution: F(comb(resolution + codebook.shape[1] - 1, codebook.shape[1] - 1)),
    relation=at_least,
    tight=({"codebook": law(1)[None], "resolution": 2},),
    sources=("exact",),
    note="Each word has a lattice law near it (sqs.lattice-sharp), and about each lattice law only so many others are that "
    "near. As L grows it says that N is at least ε^−(V−1)/C(2V−2, V−1): at least (V − 1)(log₂(1/ε) − 2) bits, whatever the "
    "code. The lattice of Algorithm 2 at the same ε = V/(4ℓ) needs about log₂ e = 1.44 bits a token more.",
    broken=[
        broken("balls of radius zero", lhs=lambda codebook, resolution: len(codebook) * within(codebook.shape[1], 0))
    ],
)


def _sorted(draw: Draw) -> Instance:
    return {"words": np.sort(np.array([draw.number(0, 1) for _ in range(draw.integer(1, 6))], dtype=object))}


def radius(words: Array) -> Any:
    """The largest total variation of a law of two tokens from the nearest word, each word by the mass of its first token.

    >>> print(radius(law("1/4", "3/4")))
    1/4
    """
    inner = [(after - before) / 2 for before, after in pairwise(words)]
    return max(words[0], 1 - words[-1], *inner)


def _even(number: int) -> Instance:
    return {"words": exact([F(2 * n + 1, 2 * number) for n in range(number)])}


TWO_TOKENS = bound(
    name="sqs.fewest-bits.two-tokens",
    statement=r"$N$ laws of two tokens leave some law of two tokens at total variation $1/(2N)$ or more from each of them",
    reference="own statement (the fewest bits for a total variation)",
    instances=_sorted,
    lhs=lambda words: 2 * len(words) * radius(words),
    rhs=lambda words: F(1),
    relation=at_least,
    tight=tuple(_even(number) for number in (1, 2, 3, 8)),
    sources=("exact",),
    note="Equality at the middles of N equal parts. The lattice of Algorithm 2 has ℓ + 1 words at 1/(2ℓ): one more than needed.",
    broken=[broken("the words times their radius", lhs=lambda words: len(words) * radius(words))],
)
