"""The formulas of sd.* claims, broken on purpose: each change must refute its claim."""

from dataclasses import replace
from functools import partial

import numpy as np

from simspec.laws import normalise, overlap
from simspec.methods import SD
from tests.claims.cases import broken, get


def _by(**changes):
    """The left side of `sd.lossless` under another rule."""
    return partial(get("sd.lossless").lhs, method=replace(SD, **changes))


MUTATIONS = [
    broken("sd.lossless", lhs=_by(residual=lambda p, d: p)),
    broken("sd.lossless", lhs=_by(residual=lambda p, d: normalise(np.maximum(d - p, 0), otherwise=p))),
    broken("sd.lossless", lhs=_by(accept=lambda p, d: d)),
    broken("sd.acceptance", lhs=lambda p, q: np.stack([np.maximum(p, q).sum(axis=-1)] * 2)),
    broken("sd.kernel-redistribution", lhs=lambda p, q, onto: overlap(p, onto)),
    broken("sd.kernel-redistribution-sharp", rhs=lambda p, q, share, onto: np.minimum(p, share * onto).sum(axis=-1)),
    broken("sd.inverse-proportional-corrected", lhs=lambda p, q: overlap(p, q)),
    broken("sd.block-length", rhs=lambda alpha, gamma: (1 - alpha**gamma) / (1 - alpha)),
    broken("sd.block-length-corrected", rhs=lambda alpha, gamma: 1 + gamma * alpha),
    broken("sd.speedup", lhs=lambda p, q, gamma, t_p, t_q: overlap(p, q) * t_p / (gamma * t_q + t_p)),
    broken("sd.speedup-monotone", rhs=lambda accepted, more, gamma, cost, slower: np.array([more, accepted])),
]
