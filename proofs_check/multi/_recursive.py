"""multi.rrs-lossless and others: each test is a step of speculative decoding against what is left of the target."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

from proofs_check.language import Refutation, laws
from proofs_check.multi._tests import proof, states
from simspec.claims.claim import Instance
from simspec.claims.multi import recursive as claims


def by_size() -> Iterator[Instance]:
    """Two laws and two drafts, by vocabulary and by the denominator of the masses."""
    for vocab, finest in product((1, 2, 3), (1, 2, 3, 4)):
        for p, q in product(list(laws(vocab, finest)), repeat=2):
            yield {"p": p, "q": q, "k": 2}


def in_orders() -> Iterator[Instance]:
    """The same, in both orders."""
    for instance in by_size():
        yield from ({**instance, "order": order} for order in permutations(range(2)))


def _single() -> Iterator[Instance]:
    return ({**i, "k": 1} for i in by_size())


SCOPE = "the first by vocabulary and denominator; one draft, or one token, is no counterexample"

PROOFS = (
    proof(claims.RRS_LOSSLESS, lambda p, q, k: states(p, q, k)),
    proof(claims.RRSW_LOSSLESS, lambda p, q, k: states(p, q, k, without=True)),
    proof(claims.RRS_FIXED, lambda p, q, k: states(p, q, k)),
    Refutation(
        claims.RRSW_FIXED,
        in_orders,
        scope=SCOPE,
        repaired={
            "q uniform on its tokens": lambda: (i for i in in_orders() if len({m for m in i["q"] if m > 0}) == 1)
        },
    ),
    proof(claims.RRSW_FIXED_CORRECTED, lambda p, q, k: states(p, q, k, without=True)),
    Refutation(claims.BY_P, by_size, scope=SCOPE, repaired={"one draft": _single}),
    Refutation(claims.BY_Q, by_size, scope=SCOPE, repaired={"one draft": _single}),
    proof(claims.BY_P_CORRECTED, lambda p, q, k: states(p, q, k)),
    Refutation(
        claims.SKIP_DUPLICATES,
        by_size,
        scope="the first by vocabulary and denominator; two drafts of two tokens are no counterexample",
        repaired={
            "two tokens": lambda: (i for i in by_size() if len(i["p"]) <= 2),
            "tested against the law that it is drawn from": claims.SKIP_DUPLICATES_CORRECTED,
        },
    ),
    proof(claims.SKIP_DUPLICATES_CORRECTED, lambda p, q, k: states(p, q, k, passing=True)),
)
