"""`rdk.minimise-kernel`, with its readings: RDK 2."""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, identity, law
from simspec.claims.claim import Printed
from simspec.laws import overlap
from simspec.methods import drafter_kernel

__all__ = ["square"]


def _two_drafts(draw: Draw) -> Instance:
    vocab = draw.vocab()
    p, q = draw.pair(vocab)
    _, q2 = draw.pair(vocab)
    return {"p": p, "q": q, "q2": q2}


def _first_shorter(draw: Draw) -> Instance:
    two = dict(_two_drafts(draw))
    if square(two["p"], two["q"]) > square(two["p"], two["q2"]):
        two["q"], two["q2"] = two["q2"], two["q"]
    return two


def square(p: Array, q: Array) -> Any:
    """‖k‖₂², k = (q − p)₊.

    >>> square(law("1/2", "1/2"), law(1, 0))
    Fraction(1, 4)
    """
    return (drafter_kernel(p, q) ** 2).sum(axis=-1)


SENTENCE = Printed(
    place="RDK 2",
    text="minimizing … is equivalent to maximizing the acceptance rate (Lemma 2.3)",
    read="Of any two drafts the one with the smaller kernel accepts more, by each norm.",
    restored=r"what is minimised: $\lVert k \rVert$, $k = (q - p)_+$",
)

L1 = identity(
    name="rdk.minimise-kernel.l1",
    statement=r"Minimising $\lVert k \rVert_1$, $k = (q - p)_+$, is maximising the acceptance: of two drafts one accepts as much "
    "more as its kernel is smaller",
    reference="RDK 2, with the ℓ1 norm",
    instances=_two_drafts,
    lhs=lambda p, q, q2: overlap(p, q) - overlap(p, q2),
    rhs=lambda p, q, q2: drafter_kernel(p, q2).sum(axis=-1) - drafter_kernel(p, q).sum(axis=-1),
    sources=("exact",),
    printed=SENTENCE,
)

SHORTER = "the first kernel is no longer than the second"

L2 = bound(
    name="rdk.minimise-kernel.l2",
    statement=r"Minimising the Euclidean norm of $k = (q - p)_+$ is maximising the acceptance: a draft with a smaller "
    r"$\lVert k \rVert_2$ accepts at least as often",
    reference="RDK 2, with the ℓ2 norm",
    instances=_first_shorter,
    assumes={SHORTER: lambda p, q, q2: square(p, q) <= square(p, q2)},
    lhs=lambda p, q: overlap(p, q),
    rhs=lambda p, q2: overlap(p, q2),
    relation=at_least,
    sources=("exact",),
    against=({"p": law(0, 0, 1), "q": law("2/5", "2/5", "1/5"), "q2": law("3/5", 0, "2/5")},),
    outside={SHORTER: {"p": law(1, 0), "q": law(0, 1), "q2": law(1, 0)}},
    within=({"p": law("1/10", "1/10", "4/5"), "q": law("2/5", "2/5", "1/5"), "q2": law("3/5", "1/10", "3/10")},),
    corrected_by=("rdk.minimise-kernel.l1",),
    note="A norm that weighs large excesses more than small ones prefers many small ones. The text names no norm.",
    printed=SENTENCE,
)
