"""Scripts written only to see which searches they need that find nothing."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from proofs_check.checking.listed import listed
from proofs_check.checking.proof import Proof
from proofs_check.coq.check import Harder, harder_steps, traced
from proofs_check.coq.export import exported
from proofs_check.coq.terms import NotExported
from proofs_check.coq.vain import forget, met
from simspec.claims.deciding.in_coq import coq_record

__all__ = ["met_by"]


def met_by(task: tuple[str, int]) -> frozenset[str]:
    """Hashes of the vain searches that writing the script of one derivation meets."""
    forget()
    file, place = task
    proof = listed()[file][place]
    assert isinstance(proof, Proof)
    with suppress(NotExported):
        exported(traced(proof), *_harder().get(task, Harder()))
    return met()


@cache
def _harder() -> dict[tuple[str, int], Harder]:
    """Which steps of which derivations need harder scripts, as the record says."""
    return harder_steps(coq_record(fresh=True)["derivations"])
