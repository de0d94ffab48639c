"""`sqs.lattice`, with its sharper form: SQS, Eq. 20."""

from __future__ import annotations

from simspec.claims.sqs.parts import every_subset, flat, sent_law, sizes, some_kept, worst_rounding
from simspec.claims.words import bound, law
from simspec.laws.unchecked import tv
from simspec.methods.sqs.quantised import sparsify

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
)

LATTICE_SHARP = bound(
    name="sqs.lattice-sharp",
    statement=r"$\mathrm{TV}(\tilde q, \hat q) \le \frac{m (K - m)}{K \ell}$ with $m = \min(\ell, \lfloor K/2 \rfloor)$: "
    r"attained for every $K$ and $\ell$, and never above $1 - 1/K$",
    reference="own statement, sharpening SQS Eq. 20; known from Reznik 2011",
    instances=some_kept,
    lhs=LATTICE.lhs,
    rhs=lambda q, kept, resolution: worst_rounding(sizes(kept, q), resolution),
    tight=tuple(
        {"q": q, "kept": every_subset(len(q)), "resolution": resolution}
        for q, resolution in ((flat(3), 1), (flat(5), 2), (law("4/9", "4/9", "1/9"), 3), (flat(4), 1))
    ),
    note="The proof of sqs.lattice with m ≤ ℓ, since ℓ units cannot be rounded up more than ℓ times. Attained where all "
    "fractional parts of ℓq̃ are m/K. For ℓ < K/2 it is 1 − ℓ/K: with ℓ far below K the law can be all but lost.",
)
