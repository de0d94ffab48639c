"""`pad.utility-kept`: own statement: what PAD, Lemma 1 keeps as printed."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, at_least, bound, law
from simspec.claims.pad.parts import flagged, fork, in_blocks, on_process, run_pad, true_pivots
from simspec.claims.pad.utility import MISSED, RECALL, RECALLED
from simspec.methods import Process, values


def _powers(process: Process) -> Array:
    return np.stack([here**2 ** (process.horizon - t) for t, here in enumerate(values(process))])


def _squared(chance: F) -> dict[str, Any]:
    """A text worth `chance` that one override of a printed non-pivot makes worth its square."""
    return {
        **fork(law(chance, 1 - chance, 0), law(0, 1 - chance, chance), chance),
        "utility": law(0, 1, 0, chance),
        "horizon": 1,
        "flags": np.array([[[False, True, False]] + [[True] * 3] * 3]),
    }


UTILITY_KEPT = bound(
    name="pad.utility-kept",
    statement=r"At 100 % recall on pivots as printed PAD keeps at least the square of the target's expected utility over one "
    r"position, and over $h$ positions $U(\mathrm{PAD}, s) \ge U(s)^{2^h}$: what the target can do, PAD can (one draft "
    r"a position)",
    reference="own statement: what PAD, Lemma 1 keeps as printed",
    instances=lambda draw: flagged(draw, true_pivots, forks=1),
    assumes=RECALLED,
    lhs=on_process(lambda process, flags: run_pad(process, flags).values),
    rhs=on_process(_powers),
    relation=at_least,
    tight=(_squared(F(1, 2)), _squared(F(1, 3))),
    outside={RECALL: MISSED},
    note="With a what SD accepts of U and 1 − α ≥ U − a the rest, a step whose overrides are worth U(s) at least keeps a + "
    "(1 − α)U ≥ U². Then Jensen's inequality, h squarings deep. One position attains U² for every U, so that a quarter is "
    "lost at most, at U = 1/2; two positions lose 2/5 in a known instance worth 3/5, where this allows 3/5 − (3/5)⁴. "
    "In blocks: pad.utility-kept.block.",
)

UTILITY_KEPT_BLOCK = bound(
    name="pad.utility-kept.block",
    statement=r"In blocks of $\gamma$ drafts, after which the target adds a token of its own: at 100 % recall on pivots as "
    r"printed, over $h$ positions $U(\mathrm{PAD}, s) \ge U(s)^{2^h}$",
    reference="own statement: what PAD, Lemma 1 keeps as printed, as section 2 drafts",
    instances=in_blocks(lambda draw: flagged(draw, true_pivots, forks=1)),
    assumes=RECALLED,
    lhs=on_process(lambda process, flags, gamma: run_pad(process, flags, gamma=gamma).values),
    rhs=on_process(_powers),
    relation=at_least,
    tight=({**_squared(F(1, 2)), "gamma": 1}, {**_squared(F(1, 3)), "gamma": 2}),
    outside={RECALL: {**MISSED, "gamma": 2}},
    note="A draft keeps the square, as in pad.utility-kept, and the target's own token all of it.",
)
