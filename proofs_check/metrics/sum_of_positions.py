"""metrics.sum-of-positions: the two sums over steps and positions are exchanged."""

from __future__ import annotations

from typing import Any

from proofs_check.language import Derivation, Proof, eq, total
from proofs_check.metrics._runs import COUNTS, N, accepts, k, numbers, positions, s, summed
from simspec.claims.metrics.sum_of_positions import SUM_OF_POSITIONS


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every run, whatever its steps draft."""
    a = d.weights("a", s)
    of = positions(d, a)
    rates = total(total(of.at[s, k], s, upto=N) / N, k, upto=of.G)
    d.qed(d.derive("sums exchanged", eq(constant + summed(a) / N, 1 + sign * rates), of.together))


def _values(drafted: Any, accepted: Any) -> dict[str, Any]:
    longest_draft = int(max(drafted))
    return numbers(
        accepted,
        drafted,
        at=accepts(accepted, longest_draft),
        G=longest_draft,
        ranges={"k": range(1, longest_draft + 1)},
    )


PROOF = Proof(SUM_OF_POSITIONS, prove, drop=COUNTS, bind=_values)
