"""`sd.inverse-proportional`, with its correction: RDK B.1, last line."""

from __future__ import annotations

from simspec.claims.authoring import identity, law
from simspec.claims.claim import Printed
from simspec.claims.sd.parts import pair_of_laws
from simspec.laws import overlap
from simspec.methods import drafter_kernel

INVERSE = identity(
    name="sd.inverse-proportional",
    statement=r"$\alpha$ is inversely proportional to $\lVert k \rVert_1$: the product $\alpha\,\lVert k \rVert_1$ is the "
    r"same for every pair of laws",
    reference="RDK B.1, last line",
    instances=lambda draw: dict(
        zip(("p", "q", "p2", "q2"), (*draw.pair(n := draw.vocab(2)), *draw.pair(n)), strict=True)
    ),
    lhs=lambda p, q: overlap(p, q) * drafter_kernel(p, q).sum(axis=-1),
    rhs=lambda p2, q2: overlap(p2, q2) * drafter_kernel(p2, q2).sum(axis=-1),
    corrected_by=("sd.inverse-proportional-corrected",),
    within=({"p": law("1/2", "1/2"), "q": law("2/3", "1/3"), "p2": law("1/2", "1/2"), "q2": law("1/2", "1/2")},),
    note="α falls as ‖k‖₁ grows, but linearly: α = 1 − ‖k‖₁. The product is α(1 − α), anything between 0 and 1/4.",
    printed=Printed(
        place="RDK B.1, last line",
        text="minimizing the … norm of the drafter kernel increases the acceptance rate …, since … is "
        "inversely proportional to …",
        read="In the word’s own sense: the product of the two is constant.",
        restored=r"which two quantities, from the proof: $\alpha$ and $\lVert k \rVert_1$",
    ),
)

INVERSE_CORRECTED = identity(
    name="sd.inverse-proportional-corrected",
    statement=r"$\alpha + \lVert k \rVert_1 = 1$: the acceptance rate falls linearly, with slope $-1$, in the kernel's mass",
    reference="correction of RDK B.1, last line",
    instances=pair_of_laws,
    lhs=lambda p, q: overlap(p, q) + drafter_kernel(p, q).sum(axis=-1),
    rhs=lambda p, q: overlap(p, q) * 0 + 1,
)
