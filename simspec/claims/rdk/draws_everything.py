"""`rdk.draws-everything`, with its sharper form: RDK, abstract and Eq. 2."""

from __future__ import annotations

from simspec.claims.authoring import Draw, Instance, at_least, bound, law, mask, matrix
from simspec.claims.claim import Printed
from simspec.claims.rdk.parts import normal_rows, proposed, weights


def _eq2(draw: Draw) -> Instance:
    n = draw.vocab(matrix=True)
    return {"q": draw.pair(n)[1], "shared": draw.mask(n), "W": weights(draw, n)}


DRAWS_EVERYTHING = bound(
    name="rdk.draws-everything",
    statement=r"With $M$ from Eq. 2, RDK can draw every token: all $V$ entries of $M^\top q'$ are positive",
    reference="RDK, abstract and Eq. 2",
    instances=lambda draw: {**(i := _eq2(draw)), "M": normal_rows(i["W"])},
    assumes={"every entry of M is positive, as Eq. 2 makes it": lambda M: (M > 0).all()},
    lhs=lambda q, shared, M: (proposed(q, shared, M) > 0).sum(axis=-1),
    rhs=lambda q: q.shape[-1],
    relation=at_least,
    tight=({"q": law(1, 0), "shared": mask("10"), "M": matrix("3/4 1/4", "1/2 1/2")},),
    outside={
        "every entry of M is positive, as Eq. 2 makes it": {
            **{"q": law(1, 0), "shared": mask("10"), "M": matrix("1 0", "0 1")}
        }
    },
    corrected_by=("rdk.draws-everything-sharp",),
    note="A softmax has no zeros, so every drafted token sends some mass everywhere. Assumption 4.1 alone does not suffice: "
    "M = I is TLI. In floating point the mass underflows to zero once the range of a row of Ω exceeds some 700 τ.",
    printed=Printed(
        place="RDK 1",
        text="the first sampling method capable of drawing out-of-vocabulary tokens by redistributing drafter kernels",
        read="With the matrix of Eq. 2, every token of the target has positive mass.",
    ),
)

DRAWS_EVERYTHING_SHARP = bound(
    name="rdk.draws-everything-sharp",
    statement=r"$(M^\top q')_x \ge \frac{1}{1 + (V - 1)\, e^{R/\tau}}$ for every token $x$, with $R$ the largest range "
    r"$\max_j \Omega_{ij} - \min_j \Omega_{ij}$ of a row",
    reference="own statement, from RDK Eq. 2",
    instances=_eq2,
    lhs=lambda q, shared, W: proposed(q, shared, normal_rows(W)).min(axis=-1),
    rhs=lambda W: 1 / (1 + (len(W) - 1) * (W.max(axis=-1) / W.min(axis=-1)).max()),
    relation=at_least,
    tight=({"q": law(1, 0), "shared": mask("10"), "W": matrix("3 1", "1 3")},),
    note="In each row the smallest entry over the sum is least when all the others are the largest. Here W = exp(Ω/τ).",
)
