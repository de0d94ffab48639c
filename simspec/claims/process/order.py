"""In which order a truncation and a temperature are applied: all the same for top-k, not for min-p and top-p.

`process.order` in three readings, with corrections: practice; engines differ in the order of their samplers.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, bound, broken, identity, law
from simspec.laws import top_k, top_p
from simspec.methods.processors.filters import min_p, sharpened

__all__ = ["likeliest_masses"]

REFERENCE = "practice: the order of samplers in llama.cpp, vLLM and Transformers; on Leviathan et al. 2023"


def _sorted(draw: Draw) -> Instance:
    """A law with its tokens in falling order, and the inverse of a temperature."""
    p = np.array(sorted(draw.law(draw.vocab()), reverse=True), dtype=object)
    return {"p": p, "n": draw.integer(1, 3)}


def _top_k(draw: Draw) -> Instance:
    instance = _sorted(draw)
    return {**instance, "k": draw.integer(1, len(instance["p"]))}


def _share(draw: Draw) -> Instance:
    return {**_sorted(draw), "share": draw.number(0, 1)}


TOP_K = identity(
    name="process.order.top-k",
    statement=r"Top-$k$ and then the temperature $1/n$ give the law of the temperature and then top-$k$",
    reference=REFERENCE,
    instances=_top_k,
    lhs=lambda p, n, k: sharpened(top_k(p, k), n),
    rhs=lambda p, n, k: top_k(sharpened(p, n), k),
    sources=("exact",),
    note="A temperature leaves the order of the tokens as it is, and so the k likeliest; the proof names them in falling order.",
    broken=[broken("another number of tokens", rhs=lambda p, n, k: top_k(sharpened(p, n), k - 1 if k > 1 else len(p)))],
)

MIN_P = identity(
    name="process.order.min-p",
    statement=r"Min-$p$ and then the temperature $1/n$ give the law of the temperature and then min-$p$",
    reference=REFERENCE,
    instances=_share,
    lhs=lambda p, n, share: sharpened(min_p(p, share), n),
    rhs=lambda p, n, share: min_p(sharpened(p, n), share),
    sources=("exact",),
    corrected_by=("process.order.min-p-corrected",),
    within=({"p": law("2/3", "1/3"), "n": 2, "share": F(1, 2)},),
    note="Below 1 a temperature makes every ratio to the largest mass smaller, so that the same share drops more.",
)

MIN_P_CORRECTED = identity(
    name="process.order.min-p-corrected",
    statement=r"Min-$p$ with share $\rho$ and then the temperature $1/n$ give the law of the temperature and then min-$p$ with "
    r"share $\rho^n$",
    reference="correction of practice, on Leviathan et al. 2023",
    instances=_share,
    lhs=lambda p, n, share: sharpened(min_p(p, share), n),
    rhs=lambda p, n, share: min_p(sharpened(p, n), share**n),
    sources=("exact",),
    note="A ratio to the largest mass is at least ρ exactly where its n-th power is at least the n-th power of ρ.",
    broken=[broken("the share as it is", rhs=lambda p, n, share: min_p(sharpened(p, n), share))],
)

TOP_P = identity(
    name="process.order.top-p",
    statement=r"Top-$p$ and then the temperature $1/n$ give the law of the temperature and then top-$p$",
    reference=REFERENCE,
    instances=_share,
    lhs=lambda p, n, share: sharpened(top_p(p, share) if share else p, n),
    rhs=lambda p, n, share: top_p(sharpened(p, n), share) if share else sharpened(p, n),
    sources=("exact",),
    corrected_by=("process.order.top-p-corrected",),
    within=({"p": law("2/3", "1/3"), "n": 2, "share": F(3, 4)},),
    note="At the lower temperature the likeliest tokens hold more, so that fewer of them are enough. A share of 0 leaves the law "
    "as it is.",
)


def likeliest_masses(p: Array) -> Array:
    """Masses of the 1, 2, … likeliest tokens.

    >>> [str(m) for m in likeliest_masses(law("2/3", "1/3"))]
    ['2/3', '1']
    """
    return np.cumsum(p)


TOP_P_CORRECTED = bound(
    name="process.order.top-p-corrected",
    statement=r"At the temperature $1/n$ the $k$ likeliest tokens hold at least as much as before, for every $k$: top-$p$ after "
    r"the temperature leaves no token that top-$p$ before it drops",
    reference="correction of practice, on Leviathan et al. 2023",
    instances=_sorted,
    lhs=lambda p: likeliest_masses(p),
    rhs=lambda p, n: likeliest_masses(sharpened(p, n)),
    tight=({"p": law("1/2", "1/2"), "n": 2},),
    sources=("exact",),
    note="Temperatures above 1 do the opposite. Equality for uniform laws, at n = 1, and where the k likeliest hold everything.",
    broken=[broken("the law itself, with its first mass once more", lhs=lambda p: likeliest_masses(p) + p[0])],
)
