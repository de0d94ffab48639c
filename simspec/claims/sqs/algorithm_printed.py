"""Algorithm 2 as printed returns counts that sum to ℓ and are within K/(4ℓ).

`sqs.algorithm-printed`, with its correction: SQS, Algorithm 2.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, at_least, law, other_claim, procedure
from simspec.claims.claim import Printed
from simspec.claims.sqs.parts import fine, top_of
from simspec.laws.unchecked import tv
from simspec.methods.sqs.quantised import quantise_printed, sparsify, top_mask


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
    support = top_mask(q, k)
    return _promises(quantise_printed(q, k, resolution)[support], sparsify(q, support)[support], resolution)


def _normalised(q: Array, k: int, resolution: int) -> Array:
    support = top_mask(q, k)
    inside = sparsify(q, support)[support]
    return _promises(quantise_printed(inside, k, resolution), inside, resolution)


ALGORITHM = procedure(
    name="sqs.algorithm-printed",
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
    within=({"q": law("1/2", "1/2"), "k": 1, "resolution": 100},),
    corrected_by=("sqs.algorithm-printed-corrected",),
    note="The top-K values are not normalised (line 4): their counts fall short of ℓ by about ℓ times the dropped mass, and "
    "line 14 adds at most one to each of K tokens (K = 1, q = (½, ½), ℓ = 4 gives 3). Where the sum comes out, the missing "
    "mass was spread evenly and the distance can exceed the bound: q = (2, 1, 1, 1)/5, K = 2, ℓ = 4 gives (2, 2)/4.",
    printed=Printed(
        place="SQS, Algorithm 2",
        text="Identify the subset … of K tokens with highest probabilities.",
        read="Line by line as printed: the kept values are not normalised before rounding.",
        restored="the symbols between the words",
    ),
)

ALGORITHM_CORRECTED = procedure(
    name="sqs.algorithm-printed-corrected",
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
    broken=[Broken("the printed left side", lambda _: {"lhs": other_claim("sqs.algorithm-printed").lhs})],
)
