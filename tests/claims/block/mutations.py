"""The formulas of block.* claims, broken on purpose: each change must refute its claim."""

from __future__ import annotations

from fractions import Fraction as F

from simspec.claims.block.lossy import coin
from simspec.claims.block.parts import accepted, emitted, ended, expected, token_ends
from simspec.claims.block.stop import stopping
from simspec.methods.block.hierarchical import hierarchical_package
from simspec.methods.block.verification import block_verifier
from tests.claims.cases import broken, get, swapped

EARLY, RESIDUAL = block_verifier(early=True), block_verifier(token_residual=True)


def _law(verifier):
    """The law of γ + 1 tokens under another verifier."""
    return lambda p, q, gamma: emitted(ended(verifier, p, q, gamma), p, gamma + 1)


def _kept(verifier):
    return lambda p, q, gamma: accepted(ended(verifier, p, q, gamma))


def _stopped(p, q, gamma, halts):
    return emitted(ended(EARLY, p, q, gamma, stopping(halts)), p, gamma + 1)


MUTATIONS = [
    broken("block.lossless", lhs=_law(EARLY)),
    broken("block.lossless", lhs=_law(RESIDUAL)),
    broken("block.never-worse", lhs=_kept(EARLY)),
    broken("block.optimal", rhs=lambda p, q, gamma: accepted(token_ends(p, q, gamma)) / 2),
    broken("block.off-path", rhs=lambda p, q, gamma: accepted(token_ends(p, q, gamma)) / 2),
    broken("block.reach", rhs=lambda p, q, gamma, at: expected(p, q, gamma, lambda path: path.token[at])),
    broken("block.example", lhs=lambda p, q, gamma: accepted(ended(EARLY, p, q, gamma))),
    broken("block.example-ideal.one-token-corrected", rhs=lambda: F(12, 9)),
    broken("block.example-ideal.any", rhs=lambda: F(11, 9)),
    broken("block.stop", lhs=_stopped),
    broken("block.token-residual-corrected", lhs=_law(EARLY)),
    broken("block.cumprod-corrected", instances=get("block.cumprod").instances),
    broken("block.hsd-lossless.naive", lhs=_law(hierarchical_package)),
    broken("block.hsd-lossless.capped", lhs=_law(EARLY)),
    broken("block.hsd-lossless.package-corrected", instances=get("block.hsd-lossless.package").instances),
    broken("block.lossy-concave", **swapped("block.lossy-concave")),
    broken(
        "block.lossy-price-corrected", lhs=lambda p, q, gamma, shares, w: accepted(coin(p, q, gamma, shares, w)) + w / 9
    ),
    broken("block.hsd-more.naive", lhs=get("block.hsd-more.capped").lhs),
    broken("block.hsd-more.capped-corrected", rhs=lambda p, q, gamma, at: expected(p, q, gamma, lambda x: x.token[at])),
    broken("block.whole-corrected", **swapped("block.whole-corrected")),
    broken("block.gamma-one", rhs=lambda p, q: get("block.gamma-one").lhs(q, p)),
    broken("block.one-hot.draft", instances=get("block.never-worse").instances),
    broken("block.one-hot.target", instances=get("block.never-worse").instances),
    broken("block.hsd-laws-corrected", lhs=get("block.hsd-laws").lhs),
    broken("block.hsd-laws.one-call", lhs=get("block.hsd-laws").lhs),
    broken("block.gain-when", rhs=lambda gamma: int(gamma > 1)),
    broken("block.gain-least", **swapped("block.gain-least")),
    broken("block.gain-most", rhs=lambda: 0),
    broken("block.gain-two", rhs=lambda p, q, gamma: expected(p, q, gamma, lambda x: (1 - x.token[1]) / 4)),
]
"""Each with the id of its claim."""
