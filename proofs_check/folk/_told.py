"""A verifier that is told the law it was drawn from, whatever that is: the step is lossless."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proofs_check.folk._one_step import NORMED, residual, step
from proofs_check.language import Derivation, Proof
from simspec.claims.claim import Claim

__all__ = ["proof"]


def _prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every target law and every law that is drawn from and told."""
    d.qed(step(d, sign=sign, constant=constant).lossless)


def proof(claim: Claim, told: Callable[..., Any]) -> Proof:
    """The proof for a rule, with the law told as a function of the instance."""

    def bind(**instance: Any) -> dict[str, Any]:
        return residual(instance["p"], told(**instance))

    return Proof(claim, _prove, drop=NORMED, bind=bind)
