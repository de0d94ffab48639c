"""Uniforms at the ends of [0, 1): a test that is closed where it should be open shows at 0 and nowhere else."""

from __future__ import annotations

import numpy as np

from simspec.audit.calling import Broken, CallMonitor, Late, UniformSampler, called_with_uniforms
from simspec.audit.drafting import Drafts, given_drafts
from simspec.audit.evidence import text_law
from simspec.audit.levels import Laws
from simspec.audit.pairs import Pair
from simspec.methods.verifier.verifier import Facts

__all__ = ["AT_ENDS", "by_grid", "impossible", "impossible_at_ends"]

LAST_SINGLE = 1 - 2.0**-24
LAST_DOUBLE = 1 - 2.0**-53
AT_ENDS = (2.0**-53, 2.0**-24)
"""Probability that a uniform is exactly 0: in double precision, and in single."""
RANDOM = 8
"""Values of the other uniforms that are tried with one at an end."""
MOST = 4096
"""Most drafts that are tried."""


def by_grid(pair: Pair, uniforms: int, bits: int) -> float:
    """TV that uniforms on a grid of 2^-bits alone may cost: each uniform is cut at most V - 1 times, at least once.

    >>> by_grid(Pair("", np.array([[0.5, 0.5]]), np.zeros((0, 2))), 1, 8) == 2.0**-8
    True
    """
    return min(uniforms * max(pair.vocab - 1, 1) * 2.0**-bits, 1.0)


def impossible(facts: Facts) -> str:
    """The likeliest of the texts that a sampler emits and the target never says, and how likely it is; "" for none.

    >>> from simspec.methods.block import Outcome
    >>> from simspec.methods.verifier.verifier import by_rows, facts
    >>> impossible(facts([Outcome(1.0, (0,), 0)], by_rows([[0.0, 1.0]]), 0))
    'emits the text (0,), which the target never emits, with probability 1'
    """
    never = {text: mass for text, mass in facts.law.items() if mass and not facts.target.get(text, 0)}
    if not never:
        return ""
    text = max(never, key=lambda text: (never[text], text))
    return f"emits the text {text}, which the target never emits, with probability {float(never[text]):.3g}"


def impossible_at_ends(
    sampler: UniformSampler,
    pair: Pair,
    uniforms: int,
    drawn: Laws | Drafts | None = None,
    monitor: CallMonitor | None = None,
) -> str:
    """What a sampler emits that the target never says where uniforms are exactly 0 or nearly 1; "" for nothing.

    >>> p, q = np.array([[0.0, 1.0], [0.5, 0.5]]), np.array([[0.5, 0.5]])
    >>> def closed(p, q, drafts, uniforms):
    ...     kept = uniforms[:, 0] * q[0, drafts[:, 0]] <= p[0, drafts[:, 0]]
    ...     return np.stack([np.where(kept, drafts[:, 0], 1), np.where(kept, uniforms[:, 1] >= 0.5, -1)], axis=1)
    >>> impossible_at_ends(closed, Pair("", p, q), 2)
    'emits token 0 at position 0, which the target never emits there, if uniforms are exactly 0'
    """
    monitor = monitor or CallMonitor()
    drafts, _ = given_drafts(pair.q, drawn)
    drafts = drafts[:MOST]
    rng = np.random.default_rng(0)
    for name, value in (("exactly 0", 0.0), ("just below 1", LAST_SINGLE)):
        u = rng.random((uniforms + 1, RANDOM, uniforms))
        u[np.arange(uniforms), :, np.arange(uniforms)] = value
        u[uniforms] = value
        points = np.tile(u.reshape(-1, uniforms), (len(drafts), 1))
        rows = np.repeat(drafts, (uniforms + 1) * RANDOM, axis=0)
        tokens = called_with_uniforms(sampler, pair.p, pair.q, rows, points, monitor)
        for ending in np.unique(tokens, axis=0):
            text = tuple(ending[ending >= 0].tolist())
            for i in range(len(text)):
                if text_law(pair.p[: i + 1])[text[: i + 1]] == 0:
                    return (
                        f"emits token {text[i]} at position {i}, which the target never emits there, if uniforms are "
                        f"{name}"
                    )
    try:
        called_with_uniforms(sampler, pair.p, pair.q, drafts, np.full((len(drafts), uniforms), LAST_DOUBLE), monitor)
    except Late:
        raise
    except Broken as fault:
        monitor.note("edge", f"{fault}, if uniforms are 1 - 2^-53")
    return ""
