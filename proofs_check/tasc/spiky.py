"""tasc.spiky: two flat drafters on different halves of the target's tokens gain by mixing."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F

from proofs_check.language import Refutation, laws
from simspec.claims.claim import Instance
from simspec.claims.tasc.spiky import SPIKY
from simspec.laws import exact


def mirrored(apart: bool = True) -> Iterator[Instance]:
    """Targets that are flat over V tokens, a drafter in thirds and its mirror (or itself), λ = 1/2; V = 1 to 6."""
    for vocab in range(1, 7):
        flat = exact([1] * vocab) / vocab
        for c in laws(vocab, 3):
            yield {"p": flat, "c": c, "r": c[::-1] if apart else c, "mix": F(1, 2)}


PROOFS = (
    Refutation(
        SPIKY,
        mirrored,
        scope="flat targets of up to six tokens, drafters in thirds that mirror each other, λ = 1/2",
        repaired={"the drafters err on the same tokens (one law)": lambda: mirrored(apart=False)},
    ),
)
