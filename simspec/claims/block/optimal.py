"""No lossless verifier of one drafted path accepts more drafts on average than block verification.

`block.optimal` and `block.off-path`: Sun et al. 2024 (2403.10444), Theorem 2; Thomas and Pal 2026 (2602.16961), abstract.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from simspec.claims.authoring import Array, Draw, Instance, at_most, bound, broken, exact, law
from simspec.claims.block.other import always, sharing
from simspec.claims.block.parts import EXAMPLE, accepted, contexts, emitted, ended, target_law, token_ends
from simspec.laws import Scalar
from simspec.methods.block import Prefix
from simspec.methods.block.verification import block_verifier
from simspec.methods.verifier.verifier import Verifier

__all__ = ["LOSSLESS_RULE", "place", "verifier_of"]

LOSSLESS_RULE = "the verifier is lossless"


def _on_path(draw: Draw) -> Instance:
    instance = contexts(draw)
    return {**instance, "shares": exact([draw.number(0, 1) for _ in range(2 * instance["gamma"])])}


def _anywhere(draw: Draw) -> Instance:
    instance = contexts(draw)
    vocab = instance["p"].shape[-1]
    gamma = instance["gamma"]
    return {**instance, "shares": exact([draw.number(0, 1) for _ in range(sum(vocab**i for i in range(1, gamma + 1)))])}


def place(prefix: Prefix, vocab: int) -> int:
    """Number of a text that is not empty among all texts, the shorter first."""
    number = sum(vocab**i for i in range(1, len(prefix)))
    return number + sum(x * vocab**i for i, x in enumerate(reversed(prefix)))


def verifier_of(p: Array, shares: Array | None, on_path: bool) -> Verifier:
    """Of a table of shares: by position and whether P ≥ Q there, or by prefix; without a table every draft is kept."""
    if shares is None:
        return always
    vocab = p.shape[-1]

    def share(prefix: Prefix, ratio: Scalar) -> Fraction:
        at = 2 * (len(prefix) - 1) + int(ratio >= 1) if on_path else place(prefix, vocab)
        return Fraction(shares[at])

    return sharing(share)


def _other(on_path: bool) -> Any:
    return lambda p, q, gamma, shares: accepted(ended(verifier_of(p, shares, on_path), p, q, gamma))


def _lossless(on_path: bool) -> Any:
    def holds(p: Array, q: Array, gamma: int, shares: Array | None) -> bool:
        outcomes = ended(verifier_of(p, shares, on_path), p, q, gamma)
        return bool((emitted(outcomes, p, gamma + 1) == target_law(p, gamma + 1)).all())

    return holds


def _block(p: Array, q: Array, gamma: int) -> Any:
    return accepted(ended(block_verifier(), p, q, gamma))


ONES: Instance = {**EXAMPLE, "shares": law(1, 1, 1, 1)}

OPTIMAL = bound(
    name="block.optimal",
    statement=r"No lossless verifier that emits $X^\tau$ and one more token, with decisions depending on $X$ and the laws along "
    r"it, has a larger $E[\tau]$ than block verification",
    reference="Sun et al. 2024 (2403.10444), Theorem 2",
    instances=_on_path,
    assumes={LOSSLESS_RULE: _lossless(True)},
    lhs=_other(True),
    rhs=_block,
    relation=at_most,
    sources=("exact",),
    tight=(ONES,),
    outside={LOSSLESS_RULE: {**EXAMPLE, "shares": None}},
    note="What a lossless verifier keeps of a prefix is at most what was drafted of it, and at most what it keeps of the prefix "
    "before times the target's next law: the smaller of the two is what the block keeps.",
    broken=[
        broken(
            "half of the tokens that token-wise verification accepts",
            rhs=lambda p, q, gamma: accepted(token_ends(p, q, gamma)) / 2,
        )
    ],
)

OFF_PATH = bound(
    name="block.off-path",
    statement=r"No lossless verifier that emits $X^\tau$ and one more token has a larger $E[\tau]$ than block verification, "
    r"even if it uses target and draft laws at prefixes that were not drafted",
    reference="Thomas and Pal 2026 (2602.16961), abstract",
    instances=_anywhere,
    assumes={LOSSLESS_RULE: _lossless(False)},
    lhs=_other(False),
    rhs=_block,
    relation=at_most,
    sources=("exact",),
    tight=({**EXAMPLE, "shares": law(1, 1, 1, 1, 1, 1)},),
    outside={LOSSLESS_RULE: {**EXAMPLE, "shares": None}},
    note="The argument for rules along the path uses nothing of the path: it holds for every joint law of drafts, τ and the last "
    "token. Of small instances the linear program says the same, with a rational certificate (simspec.methods.block.optimum).",
    broken=[
        broken(
            "half of the tokens that token-wise verification accepts",
            rhs=lambda p, q, gamma: accepted(token_ends(p, q, gamma)) / 2,
        )
    ],
)
