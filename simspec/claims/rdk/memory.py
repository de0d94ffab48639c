"""`rdk.memory`, with its correction: RDK 4."""

from __future__ import annotations

from simspec.claims.authoring import OWN_FIGURES, Draw, Instance, at_most, equal, exact, identity
from simspec.claims.claim import Printed

__all__ = ["dense", "linear"]

VOCABULARIES = {"128K": 128_256, "200K": 200_000}
"""Vocabularies that the paper names: llama-3.1's, and that of 6.2."""
SIZES = {"float32": 4, "float16": 2}
DEVICE = 80 * 10**9
"""Bytes of the largest common GPU when the paper was written."""


def _some_form(draw: Draw) -> Instance:
    vocab = list(VOCABULARIES)[draw.integer(0, 1)]
    return {"vocabulary": vocab, "number": list(SIZES)[draw.integer(0, 1)]}


def dense(vocabulary: str, number: str) -> int:
    """Bytes of a dense V × V matrix.

    >>> dense("200K", "float32")
    160000000000
    """
    return VOCABULARIES[vocabulary] ** 2 * SIZES[number]


def linear(vocabulary: str, number: str) -> int:
    """Bytes of the two vectors of the linear form.

    >>> linear("200K", "float32")
    1600000
    """
    return 2 * VOCABULARIES[vocabulary] * SIZES[number]


MEMORY = identity(
    name="rdk.memory",
    statement="The affinity matrix of the named vocabularies can be loaded into the memory of a GPU: a dense one, in float32 or "
    "float16, takes at most 80 GB",
    reference="RDK 4",
    instances=_some_form,
    lhs=dense,
    rhs=lambda: DEVICE,
    relation=at_most,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("rdk.memory-corrected",),
    note="In float16 at 200,000 tokens it fills that memory to the last byte, so that no model fits beside it. No "
    "device is named; 80 GB was the largest common one.",
    printed=Printed(
        place="RDK 4",
        text="calculated once at preprocessing time, and it can be loaded into GPU memory once",
        read="Bytes of a dense matrix at the vocabularies that the paper names, beside 80 GB.",
    ),
)

_TENTHS: dict[tuple[str, str], int] = {
    ("128K", "float32"): 658,
    ("200K", "float32"): 1600,
    ("128K", "float16"): 329,
    ("200K", "float16"): 800,
}

MEMORY_CORRECTED = identity(
    name="rdk.memory-corrected",
    statement=r"Dense, the matrix takes 65.8 and 160 GB in float32, 32.9 and 80 GB in float16, to a tenth of a GB; the linear "
    r"form takes two vectors, $V/2$ times less",
    reference="correction of RDK 4",
    instances=_some_form,
    lhs=lambda vocabulary, number: exact(
        [round(dense(vocabulary, number) / 10**8), linear(vocabulary, number) * VOCABULARIES[vocabulary] // 2]
    ),
    rhs=lambda vocabulary, number: exact([_TENTHS[vocabulary, number], dense(vocabulary, number)]),
    relation=equal,
    sources=("exact",),
)
