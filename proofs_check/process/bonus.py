"""process.bonus: only after an accepted draft is the raw law drawn from."""

from __future__ import annotations

from typing import Any

from proofs_check.language import Proof, Refutation
from proofs_check.process._after_draft import NORMED, prove, values
from proofs_check.process._texts import by_size, one_draft, unpenalised
from simspec.claims.process.bonus import BONUS, BONUS_CORRECTED
from simspec.claims.process.parts import target, text_before
from simspec.claims.process.stale import seen
from simspec.laws import Array, Scalar


def _values(p: Array, q: Array, factor: Scalar, last: int) -> dict[str, Any]:
    return values(target(p, factor)(text_before(last)), q[last], p[1:], seen(p, factor, last))


PROOFS = (
    Refutation(
        BONUS,
        by_size,
        scope="the first by the denominator of its masses and the length of the text, with two tokens and one draft a call",
        repaired={
            "nothing is penalised": unpenalised,
            "the first token alone": lambda: (i for i in by_size() if i["length"] == 1),
            "its distance": (BONUS_CORRECTED, one_draft),
        },
    ),
    Proof(BONUS_CORRECTED, prove, drop=NORMED, bind=_values),
)
