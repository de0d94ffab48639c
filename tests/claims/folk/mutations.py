"""The formulas of folk.* claims, broken on purpose: each change must refute its claim."""

import numpy as np

from simspec.claims.folk.block_prefix import PREFIX
from simspec.claims.folk.parts import at_top, off, top
from simspec.claims.folk.resample_p import FRESH
from simspec.laws import overlap
from simspec.methods import SD, output_law
from tests.claims.cases import broken, get, swapped


def _told(law):
    """Drafts from a law of q, the verifier told q."""
    return lambda p, q, **rest: output_law(SD, p, q, drawn=law(q, **rest))


MUTATIONS = [
    broken("folk.block-gamma-two-corrected", lhs=lambda p, q: np.stack([p, q - p])),
    broken("folk.block-one-hot-corrected", lhs=lambda masses: np.append(masses, masses[0])),
    broken("folk.block-prefix-corrected", lhs=PREFIX.lhs),
    broken("folk.argmax-draft.any-corrected", lhs=lambda p, q: at_top(p, q)),
    broken("folk.argmax-draft.same-law", **swapped("folk.argmax-draft.same-law")),
    broken("folk.drop-probs-corrected", rhs=lambda p, q: overlap(p, q)),
    broken("folk.one-hot-better.needs", lhs=lambda p, q: at_top(q, q)),
    broken("folk.one-hot-better.enough-corrected", rhs=lambda p, q: np.maximum(at_top(p, q) - at_top(q, q), 0)),
    broken("folk.one-hot-vs-match-corrected", lhs=lambda p, q: np.append(q, at_top(p, q))),
    broken("folk.q-one-corrected", lhs=lambda p, candidates: off(p, np.eye(len(p), dtype=int)[candidates[0]])),
    broken("folk.eagle-greedy-corrected", lhs=lambda p: p[0]),
    broken("folk.match-bias.target-corrected", lhs=lambda p, q: p * q / (p * q).sum() if (p * q).sum() else q),
    broken("folk.match-bias.fresh", rhs=lambda p, q: np.append(p * (1 + q - (p * p).sum()), (p * p).sum())),
    broken("folk.sampled-match-price", rhs=lambda p: np.array([p.sum(), (p * p).sum()])),
    broken("folk.greedy-draft-match-corrected", lhs=lambda p, q: top(q)),
    broken("folk.same-token-or-corrected", rhs=lambda p, q: np.maximum(q - p, 0).sum(axis=-1)),
    broken("folk.residual-at-x-corrected", rhs=lambda p, q: q),
    broken("folk.told-raw-corrected", lhs=_told(lambda q, k: top(q))),
    broken("folk.told-softmax-corrected", lhs=_told(top)),
    broken("folk.resample-p.some", lhs=lambda p, q: abs(p - q).sum()),
    broken("folk.resample-p.every-corrected", lhs=lambda p, q: abs(output_law(FRESH, p, q) - p).sum(axis=-1)),
    broken("folk.noise-reuse-corrected", lhs=get("folk.noise-reuse").lhs),
    broken("folk.zero-coin-corrected", **swapped("folk.zero-coin-corrected")),
    broken("folk.own-samples-corrected", lhs=get("folk.own-samples").lhs),
    broken("folk.residual-zero.real", lhs=lambda p, q: 2 * np.maximum(p - q, 0).sum(axis=-1)),
    broken("folk.residual-zero.float32-corrected", rhs=lambda p, q: np.maximum(q - p, 0).sum()),
    broken("folk.lean-residual-corrected", lhs=get("folk.lean-residual").lhs),
]
