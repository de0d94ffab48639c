"""folk.noise-reuse: that a token won says that the others were late; noise of its own says nothing."""

from __future__ import annotations

from proofs_check.folk._one_step import by_size
from proofs_check.folk._told import proof
from proofs_check.language import Refutation
from simspec.claims.folk.noise_reuse import NOISE_REUSE, NOISE_REUSE_CORRECTED

PROOFS = (
    Refutation(
        NOISE_REUSE,
        lambda: by_size((3,), 4),
        scope="the first pair over three tokens by the denominator of its masses; with two tokens there is no choice",
        repaired={
            "at most one token is left": lambda: (i for i in by_size((3,)) if sum(i["p"] > i["q"]) < 2),
            "noise of its own": NOISE_REUSE_CORRECTED,
        },
    ),
    proof(NOISE_REUSE_CORRECTED, lambda p, q: q),
)
