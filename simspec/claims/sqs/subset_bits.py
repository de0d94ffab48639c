"""The set of kept tokens takes ⌈log₂ C(V, K)⌉ bits, and in C-SQS ⌈log₂ V⌉ bits more for its size.

`sqs.subset-bits`: SQS, Eq. 5 and 3.
"""

from __future__ import annotations

from math import comb

import numpy as np

from simspec.claims.authoring import Array, F, broken, exact, identity
from simspec.claims.claim import Printed
from simspec.claims.sqs.parts import bits_of, code_length, numbers, subsets
from simspec.methods.sqs.codec import subset_rank
from simspec.methods.sqs.payload import adaptive_subset_bits, subset_bits
from simspec.methods.sqs.quantised import threshold_mask

SOME = "at least one token is kept"


def _reached(vocab: int, least: int) -> int:
    """How many sizes the sets of a threshold can have: of laws that rise in equal steps, at all their edges; 0 counts
    where an empty set is allowed (the literal reading)."""
    q = exact(np.arange(1, vocab + 1)) / sum(range(1, vocab + 1))
    edges = [*q.tolist(), F(2)]
    return len({int(threshold_mask(q, edge, keep_top=least > 0).sum()) for edge in edges})


def _subset_bits(vocab: int, k: int) -> Array:
    count = comb(vocab, k)
    fixed = code_length(count)
    adaptive = code_length(count) + code_length(vocab)
    return numbers(fixed, count, adaptive, fixed, adaptive)


SUBSET = identity(
    name="sqs.subset-bits",
    statement=r"The subset takes $\lceil \log_2 \binom{V}{K} \rceil$ bits (K-SQS), $\lceil \log_2 \binom{V}{K} \rceil + "
    r"\lceil \log_2 V \rceil$ (C-SQS: the size first), $K \ge 1$",
    reference="SQS, Eq. 5 and 3",
    instances=lambda draw: {"vocab": (n := draw.integer(1, 6)), "k": draw.integer(1, n), "least": 1},
    assumes={SOME: lambda least: least >= 1},
    lhs=lambda vocab, k, least: numbers(
        code_length(len(subsets(vocab, k))),
        len({subset_rank(np.array(m)) for m in subsets(vocab, k)}),
        code_length(len(subsets(vocab, k))) + code_length(_reached(vocab, least)),
        subset_bits(vocab, k),
        adaptive_subset_bits(vocab, k),
    ),
    rhs=_subset_bits,
    sources=("exact",),
    outside={SOME: {"vocab": 2, "k": 1, "least": 0}},
    note="All subsets occur, and all sizes 1 to V. Read literally, a threshold above max q keeps nothing: then there are "
    "V + 1 sizes, one bit more where V is a power of two.",
    printed=Printed(
        place="SQS, after Eq. 5",
        text="there are … possible subsets of dimension K",
        read="The bits of the set of kept tokens, with its size where it varies.",
    ),
    broken=[
        broken(
            "the bits of a kept token's number are added to the smaller code too",
            rhs=lambda vocab, k: numbers(
                bits_of(c := comb(vocab, k)), c, now := bits_of(c) + vocab.bit_length(), bits_of(c), now
            ),
        ),
        broken(
            "every token is kept",
            assumes={},
            instances=lambda draw: {"vocab": (n := draw.integer(1, 4)), "k": n, "least": 0},
        ),
    ],
)
