"""Rounding to the lattice costs at most K/(4ℓ) in total variation.

`sqs.lattice`, with its sharper form, where that is attained and what it never exceeds: SQS, Eq. 20.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, bound, broken, exact, identity, law, other_claim
from simspec.claims.claim import Printed
from simspec.claims.sqs.parts import (
    compositions,
    every_subset,
    fine,
    flat,
    kept_size,
    sent_law,
    sizes,
    some_kept,
    worst_rounding,
)
from simspec.laws.unchecked import tv
from simspec.methods.sqs.quantised import sparsify

__all__ = ["even_parts", "rounded_up"]

LATTICE = bound(
    name="sqs.lattice",
    statement=r"$\mathrm{TV}(\tilde q, \hat q) \le K/(4\ell)$",
    reference="SQS, Eq. 20",
    instances=some_kept,
    lhs=lambda q, kept, resolution: tv(sparsify(q, kept), sent_law(q, kept, resolution)),
    rhs=lambda q, kept, resolution: sizes(kept, q) / (4 * resolution),
    tight=(
        {"q": flat(2), "kept": every_subset(2), "resolution": 1},
        {"q": flat(4), "kept": every_subset(4), "resolution": 2},
    ),
    corrected_by=("sqs.lattice-sharp",),
    note="Algorithm 2 rounds up the m largest of the K fractional parts of ℓq̃, whose sum is m: ℓTV = m − (sum of those) "
    "≤ m − m²/K ≤ K/4. Equality needs K even and ℓ ≥ K/2; beyond K = 4ℓ the bound says nothing.",
    printed=Printed(
        place="SQS A.2, Eq. 20",
        text="the distortion due to LQ can be upper bounded as …",
        read="By a quarter of the number of kept tokens over the resolution.",
    ),
    broken=[
        broken("1/5 in place of 1/4", rhs=lambda kept, resolution: kept_size(kept) / (5 * resolution)),
        Broken("the total distortion", lambda _: {"lhs": other_claim("sqs.total-distortion").lhs}),
    ],
)

LATTICE_SHARP = bound(
    name="sqs.lattice-sharp",
    statement=r"$\mathrm{TV}(\tilde q, \hat q) \le \frac{m (K - m)}{K \ell}$ with $m = \min(\ell, \lfloor K/2 \rfloor)$",
    reference="own statement, sharpening SQS Eq. 20; known from Reznik 2011",
    instances=some_kept,
    lhs=LATTICE.lhs,
    rhs=lambda q, kept, resolution: worst_rounding(sizes(kept, q), resolution),
    tight=tuple(
        {"q": q, "kept": every_subset(len(q)), "resolution": resolution}
        for q, resolution in ((flat(3), 1), (flat(5), 2), (law("4/9", "4/9", "1/9"), 3), (flat(4), 1))
    ),
    note="The proof of sqs.lattice with m ≤ ℓ, since ℓ units cannot be rounded up more than ℓ times. No smaller "
    "bound in K and ℓ: sqs.lattice-sharp.attained. For ℓ < K/2 it is 1 − ℓ/K: with ℓ far below K the law can be all but lost.",
    broken=[
        broken(
            "the worst rounding at ℓ + 1", rhs=lambda kept, resolution: worst_rounding(kept_size(kept), resolution + 1)
        )
    ],
)


def rounded_up(size: int, resolution: int) -> int:
    """m = min(ℓ, ⌊K/2⌋).

    >>> rounded_up(5, 1), rounded_up(5, 9)
    (1, 2)
    """
    return min(resolution, size // 2)


def even_parts(counts: tuple[int, ...], resolution: int) -> Array:
    """The law over K tokens with so many whole units of 1/ℓ each, ℓ − m in all, and the fractional part m/K of one.

    >>> [str(mass) for mass in even_parts((1, 0), 2)]
    ['3/4', '1/4']
    """
    size = len(counts)
    return exact([F(n) + F(rounded_up(size, resolution), size) for n in counts]) / resolution


def _even(draw: Draw) -> Instance:
    size = draw.integer(1, 6)
    resolution = fine(draw)
    among = compositions(resolution - rounded_up(size, resolution), size)
    return {"counts": among[draw.integer(0, len(among) - 1)], "resolution": resolution}


def _moved(counts: tuple[int, ...], resolution: int) -> Any:
    q = even_parts(counts, resolution)
    return tv(q, sent_law(q, every_subset(len(q)), resolution))


LATTICE_ATTAINED = identity(
    name="sqs.lattice-sharp.attained",
    statement=r"For every $K$ and $\ell$, with $m = \min(\ell, \lfloor K/2 \rfloor)$: where every $\ell \tilde q_x$ is a whole "
    r"number and $m/K$, $\mathrm{TV}(\tilde q, \hat q) = \frac{m (K - m)}{K \ell}$, however the $\ell - m$ whole units are "
    r"distributed",
    reference="own statement, the extremal case of sqs.lattice-sharp",
    instances=_even,
    lhs=_moved,
    rhs=lambda counts, resolution: worst_rounding(F(len(counts)), resolution),
    tight=({"counts": (1,), "resolution": 1},),
    sources=("exact",),
    note="Whichever m tokens are rounded up, each of them moves by (1 − m/K)/ℓ, each other one by m/(Kℓ).",
    broken=[broken("k/(4ℓ)", rhs=lambda counts, resolution: F(len(counts), 4 * resolution))],
)

LATTICE_CEILING = bound(
    name="sqs.lattice-sharp.ceiling",
    statement=r"$\frac{m (K - m)}{K \ell} \le 1 - \frac1K$ with $m = \min(\ell, \lfloor K/2 \rfloor)$, for every $K$ and $\ell$: "
    r"rounding never moves a law farther",
    reference="own statement, on SQS Eq. 20",
    instances=lambda draw: {"size": draw.integer(1, 60), "resolution": draw.integer(1, 40)},
    lhs=lambda size, resolution: worst_rounding(F(size), resolution),
    rhs=lambda size: 1 - F(1, size),
    tight=tuple({"size": size, "resolution": 1} for size in (1, 2, 3, 100)),
    sources=("exact",),
    note="Attained at ℓ = 1 for every K.",
    broken=[broken("1 − 2/k", rhs=lambda size: 1 - F(2, size))],
)
