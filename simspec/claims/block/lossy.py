"""The best accepted length at a given total variation of a whole block is concave in it.

`block.lossy-concave` and `block.lossy-price`, with a correction: what total variation buys over a whole block.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, Instance, at_most, bound, broken, exact, law, swapped
from simspec.claims.block.optimal import verifier_of
from simspec.claims.block.other import always
from simspec.claims.block.parts import EXAMPLE, accepted, contexts, emitted, ended, target_law
from simspec.laws import Scalar, tv
from simspec.methods.block import Outcome
from simspec.methods.block.verification import block_verifier

__all__ = ["apart", "coin", "ways"]

EARLY = block_verifier(early=True)


def _coins(draw: Draw) -> Instance:
    """A verifier that keeps shares of prefixes or stops early, and with probability w one that keeps every draft."""
    instance = contexts(draw, most=2)
    shares = exact([draw.number(0, 1) for _ in range(2 * instance["gamma"])])
    return {**instance, "shares": shares if draw.integer(0, 2) else None, "w": draw.number(0, 1)}


def ways(p: Array, q: Array, gamma: int, shares: Array | None) -> list[Outcome]:
    """How the first verifier of an instance ends: by its shares; without them it is a block that stops early, a biased rule."""
    return ended(EARLY if shares is None else verifier_of(p, shares, True), p, q, gamma)


def coin(p: Array, q: Array, gamma: int, shares: Array | None, w: Scalar) -> list[Outcome]:
    """How a coin between it and the rule that keeps every draft ends."""
    partial_outcomes = ways(p, q, gamma, shares)
    full_outcomes = ended(always, p, q, gamma)
    return [
        o._replace(probability=weight * o.probability)
        for weight, outcomes in ((1 - w, partial_outcomes), (w, full_outcomes))
        for o in outcomes
        if weight
    ]


def apart(found: list[Outcome], p: Array, length: int) -> Any:
    """Total variation of the law of the next tokens from the target's."""
    return tv(emitted(found, p, length), target_law(p, length))


def _mean(p: Array, q: Array, gamma: int, shares: Array | None, w: Scalar) -> Array:
    partial_outcomes = ways(p, q, gamma, shares)
    full_outcomes = ended(always, p, q, gamma)
    return exact(
        [
            (1 - w) * apart(partial_outcomes, p, gamma + 1) + w * apart(full_outcomes, p, gamma + 1),
            (1 - w) * accepted(partial_outcomes) + w * accepted(full_outcomes),
        ]
    )


def _mixed(p: Array, q: Array, gamma: int, shares: Array | None, w: Scalar) -> Array:
    outcomes = coin(p, q, gamma, shares, w)
    return exact([apart(outcomes, p, gamma + 1), accepted(outcomes)])


CONCAVE = bound(
    name="block.lossy-concave",
    statement=r"A coin between two verifiers has at most the mean of their total variations and the mean of their $E[\tau]$: so "
    r"the best $E[\tau]$ at a total variation $t$ is concave in $t$",
    reference="own statement",
    instances=_coins,
    lhs=_mixed,
    rhs=_mean,
    relation=at_most,
    sources=("exact",),
    tight=({**EXAMPLE, "shares": law(1, 1, 1, 1), "w": law("1/2", "1/2")[0]},),
    note="The exact curve of small instances: simspec.methods.block.lossy.",
    broken=[swapped()],
)


def _over_block(p: Array, q: Array, gamma: int, shares: Array | None, w: Scalar) -> Any:
    block = accepted(ended(block_verifier(), p, q, gamma))
    return block + gamma * apart(coin(p, q, gamma, shares, w), p, gamma + 1)


def _kept(p: Array, q: Array, gamma: int, shares: Array | None, w: Scalar) -> Any:
    return accepted(coin(p, q, gamma, shares, w))


PRICE = bound(
    name="block.lossy-price",
    statement=r"Total variation buys at most $\gamma$ drafts for one: no verifier has $E[\tau]$ above that of block verification "
    r"by more than $\gamma\,\mathrm{TV}$ of the next $\gamma + 1$ tokens",
    reference="own statement",
    instances=_coins,
    lhs=_kept,
    rhs=_over_block,
    relation=at_most,
    sources=("exact",),
    against=({**EXAMPLE, "shares": law(1, 1, 1, 1), "w": law(1)[0]},),
    corrected_by=("block.lossy-price-corrected",),
    note="A verifier that keeps every draft has total variation 1/3 in the example: 2 drafts, not 11/9 + 2/3. What block "
    "verification cannot take back of a low prefix, a lossy rule can.",
)


def _by_prefix(p: Array, q: Array, gamma: int, shares: Array | None, w: Scalar) -> Any:
    """Σ_i of what the laws of i tokens share, and of the total variation of the first i."""
    outcomes = coin(p, q, gamma, shares, w)
    total = 0 * p[0, 0]
    for length in range(1, gamma + 1):
        total = total + (1 - tv(target_law(p, length), target_law(q, length))) + apart(outcomes, p, length)
    return total


PRICE_CORRECTED = bound(
    name="block.lossy-price-corrected",
    statement=r"No verifier has $E[\tau]$ above "
    r"$\sum_{i \le \gamma} \bigl(\sum_{x^i} \min(P(x^i), Q(x^i)) + \mathrm{TV}_i\bigr)$, $\mathrm{TV}_i$ being that of the "
    r"first $i$ tokens: above the mass shared by all prefixes by at most $\gamma\,\mathrm{TV}$",
    reference="own statement",
    instances=_coins,
    lhs=_kept,
    rhs=_by_prefix,
    relation=at_most,
    sources=("exact",),
    tight=({**EXAMPLE, "shares": law(1, 1, 1, 1), "w": law(1)[0]},),
    broken=[broken("w/9 is added", lhs=lambda p, q, gamma, shares, w: accepted(coin(p, q, gamma, shares, w)) + w / 9)],
)
