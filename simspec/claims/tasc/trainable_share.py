"""500 added tokens raise the trainable parameters of Qwen2.5-3B with adapters by 6 %.

`tasc.trainable-share`, with its correction: TASC, 4.2 and B.2.
"""

from __future__ import annotations

from simspec.claims.authoring import OWN_FIGURES, Draw, F, Instance, at_most, identity, shifted
from simspec.claims.claim import Printed

__all__ = ["adapters", "share"]

QWEN_3B = {"layers": 36, "width": 2048, "inner": 11008, "keys": 256, "vocabulary": 151_936}
"""Sizes in the published configuration of Qwen2.5-3B; keys: two heads of 128."""

READINGS = ("rows of the embedding", "rows of embedding and head", "embedding and head retrained")
"""What is trained beside the low-rank adapters: the printed sentence leaves it open, B.2 says the third."""


def adapters(rank: int, layers: int, width: int, inner: int, keys: int) -> int:
    """Weights of low-rank adapters of all projections of attention and feed-forward layers, as B.2 describes them.

    >>> adapters(1, 1, 2, 3, 1)
    29
    """
    square = 2 * width
    narrow = width + keys
    wide = width + inner
    return rank * layers * (2 * square + 2 * narrow + 3 * wide)


def share(reading: str, tokens: int, rank: int) -> F:
    """Rise of the number of trained weights by added tokens, over what is trained without them."""
    sizes = {name: QWEN_3B[name] for name in ("layers", "width", "inner", "keys")}
    trained = adapters(rank, **sizes)
    rows = tokens * QWEN_3B["width"]
    if reading == "embedding and head retrained":
        return F(2 * rows, trained + 2 * QWEN_3B["vocabulary"] * QWEN_3B["width"])
    return F(rows * (1 + (reading == "rows of embedding and head")), trained)


def _reading(draw: Draw) -> Instance:
    return {"reading": READINGS[draw.integer(0, 2)], "tokens": 500, "rank": 16}


SHARE = identity(
    name="tasc.trainable-share",
    statement=r"With adapters of rank 16, 500 added tokens increase the trainable parameters of Qwen2.5-3B by 6 %, within "
    "rounding, whatever is trained beside the adapters: the new rows of the embedding, of embedding and head, or both whole",
    reference="TASC, 4.2 and B.2",
    instances=_reading,
    lhs=lambda reading, tokens, rank: abs(share(reading, tokens, rank) - F(6, 100)),
    rhs=lambda: F(1, 200),
    relation=at_most,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("tasc.trainable-share-corrected",),
    note="No reading gives 6 %: 3.4 %, 6.8 %, and 0.3 % where embedding and head are retrained, as B.2 says. The sizes are "
    "those of the model's published configuration.",
    printed=Printed(
        place="TASC 4.2",
        text="adding 500 new tokens results in an increase of the total trainable parameters by 6%",
        read="With adapters as B.2 describes them; the new rows of the embedding, of embedding and head, or "
        "both whole.",
    ),
)

SHARE_CORRECTED = identity(
    name="tasc.trainable-share-corrected",
    statement="The rise is 1000/29232 (3.4 %) if the new rows of the embedding are trained, twice that (6.8 %) with those of the "
    "head, and below 0.4 % where embedding and head are retrained whole",
    reference="correction of TASC, 4.2",
    instances=_reading,
    lhs=lambda reading, tokens, rank: share(reading, tokens, rank),
    rhs=lambda reading: dict(zip(READINGS, (F(1000, 29232), F(2000, 29232), F(4, 1000)), strict=True))[reading],
    relation=at_most,
    sources=("exact",),
    broken=[shifted(F(1, 1000))],
)
