"""`rdk.no-extra-data`: RDK 4."""

from __future__ import annotations

from simspec.claims.authoring import Draw, Instance, law, mask, matrix, procedure
from simspec.claims.claim import Printed
from simspec.claims.rdk.parts import proposed


def _two_affinities(draw: Draw) -> Instance:
    vocab = draw.vocab(matrix=True)
    return {
        "q": draw.law(vocab),
        "shared": draw.mask(vocab),
        "M": draw.matrix(vocab),
        "M2": draw.matrix(vocab),
    }


NO_EXTRA_DATA = procedure(
    name="rdk.no-extra-data",
    statement="The method needs no additional data: what Algorithm 1 drafts follows from what TLI needs, the draft law and "
    "the shared vocabulary, whatever the affinity",
    reference="RDK 4",
    instances=_two_affinities,
    lhs=lambda q, shared, M: proposed(q, shared, M),
    rhs=lambda q, shared, M2: proposed(q, shared, M2),
    sources=("exact",),
    against=({"q": law(1, 0), "shared": mask("10"), "M": matrix("1 0", "0 1"), "M2": matrix("0 1", "0 1")},),
    within=(
        {
            "q": law("1/2", "1/2"),
            "shared": mask("10"),
            "M": matrix("3/4 1/4", "1/4 3/4"),
            "M2": matrix("1/4 3/4", "1/4 3/4"),
        },
    ),
    corrected_by=("rdk.identity-is-tli",),
    note="The affinity is a further input, of V² numbers or of V in the linear form; section 4 estimates it on training data, "
    "and the limitations call that a preprocessing pass. Only the identity needs no data, and is TLI.",
    printed=Printed(
        place="RDK 4",
        text="This projection method is training-free and does not require any additional data or fine-tuning "
        "of drafters",
        read="The draft law follows from what TLI needs.",
    ),
)
