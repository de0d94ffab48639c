"""coupling.list-exact: the lemma counts one stream of K."""

from __future__ import annotations

from collections.abc import Iterator

from proofs_check.coupling._lists import SAME, bind, lists
from proofs_check.coupling.list_lemma import same_as_lemma
from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Proof, Refutation, y
from simspec.claims.claim import Instance
from simspec.claims.coupling.list_exact import LIST_EXACT, LIST_EXACT_CORRECTED

__all__ = ["with_drafts"]


def with_drafts(*numbers: int) -> Iterator[Instance]:
    """Pairs of laws by vocabulary and denominator, with one number of drafts after the other."""
    for pair in by_size((1, 2, 3), 2):
        yield from ({**pair, "drafts": number} for number in numbers)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts."""
    v = lists(d, constant)
    _, same = same_as_lemma(d, v, sign)
    d.qed(d.sum("over the tokens", same, y))


PROOFS = (
    Refutation(
        LIST_EXACT,
        lambda: with_drafts(1, 2),
        scope="the first pair by vocabulary and denominator: two drafts of a torn draft law, a target that is sure",
        repaired={"one draft": lambda: with_drafts(1), "of the stream in which Y won": LIST_EXACT_CORRECTED},
    ),
    Proof(LIST_EXACT_CORRECTED, prove, drop=SAME, bind=bind),
)
