"""With every pivot found, PAD's text is worth at least the target's text with the same random seed.

`pad.pathwise`, with its correction: PAD A.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, at_least, bound, broken
from simspec.claims.claim import Printed
from simspec.claims.pad.blocks import round_values
from simspec.claims.pad.parts import (
    ahead_of,
    flagged,
    in_blocks,
    on_process,
    process_of,
    relative_pivots,
    run_pad,
    true_pivots,
)
from simspec.claims.pad.utility import ALL, MISSED, RECALL, RECALLED, RELATIVE, RELATIVE_RECALLED, SOFT, no_pivot_missed
from simspec.methods import Process, output_law, pad, values


def _best_coupling(process: Process, flags: Array) -> Any:
    """Largest probability, over all couplings, that PAD's binary utility is at least the target's."""
    pad_wins = run_pad(process, flags).utility
    target_wins = values(process)[0][0]
    # one uniform seed, success below the expected utility, fails where the target succeeds and PAD does not
    return 1 - (target_wins - min(pad_wins, target_wins))


PATHWISE = bound(
    name="pad.pathwise",
    statement="At 100 % recall, for every random seed PAD's output has at least the utility of the target's completion with that "
    "seed: some coupling of the two has $P(u_{\\mathrm{PAD}} \\ge u_{\\mathrm{target}}) = 1$",
    reference="PAD A.1",
    instances=no_pivot_missed,
    assumes=RECALLED,
    lhs=on_process(_best_coupling),
    rhs=lambda utility: utility[0] * 0 + 1,
    relation=at_least,
    outside={RECALL: MISSED},
    within=({**SOFT, "flags": true_pivots(process_of(**SOFT))},),
    corrected_by=("pad.pathwise-corrected",),
    note="Under any coupling P(u_PAD < u_target) ≥ U(target) − U(PAD), with equality for the best one, so the statement is "
    "Lemma 1 over again and fails with it. “Does not decrease” holds for expectations, not for every completion.",
    printed=Printed(
        place="PAD A.1",
        text="this proof is for any sampling with any random seed",
        read="Seed by seed, the output has at least the utility of the target’s own.",
    ),
)


def _completions(process: Process, flags: Array) -> Array:
    laws = (output_law(pad(f), process.target, process.draft) for f in flags)
    return np.stack([(o * u).sum(-1) for o, u in zip(laws, ahead_of(process, values(process)), strict=True)])


PATHWISE_CORRECTED = bound(
    name="pad.pathwise-corrected",
    statement=r"With every token worth less than its replacement flagged, the target's expected utility of what PAD has "
    r"written does not fall in expectation: $E[U(s_{t+1}) \mid s_t] \ge U(s_t)$ at every context (one draft a position)",
    reference="correction of PAD A.1, inductive step",
    instances=lambda draw: flagged(draw, relative_pivots),
    assumes=RELATIVE_RECALLED,
    lhs=on_process(_completions),
    rhs=on_process(lambda process: values(process)[:-1]),
    relation=at_least,
    tight=({**MISSED, "flags": ALL},),
    outside={RELATIVE: MISSED},
    note="A submartingale in place of a promise for every seed; its end points give U(PAD) ≥ U(target), and then utilities that "
    "are binary can be coupled so that PAD's is never the lower one. "
    "In blocks: pad.pathwise-corrected.block.",
    broken=[broken("flags outside the assumption", instances=flagged, assumes={})],
)

PATHWISE_BLOCK = bound(
    name="pad.pathwise-corrected.block",
    statement=r"With every token worth less than its replacement flagged, the target's expected utility of what PAD has written "
    r"does not fall over a block: up to the first rejection, or after $\gamma$ kept drafts and the target's own token, "
    r"$E[U(s') \mid s] \ge U(s)$ at every context",
    reference="correction of PAD A.1, inductive step, as section 2 drafts",
    instances=in_blocks(lambda draw: flagged(draw, relative_pivots)),
    assumes=RELATIVE_RECALLED,
    lhs=on_process(lambda process, flags, gamma: round_values(process, flags, gamma)[:, 0]),
    rhs=on_process(values),
    relation=at_least,
    tight=({**MISSED, "flags": ALL, "gamma": 2},),
    outside={RELATIVE: {**MISSED, "gamma": 2}},
    note="By induction over the drafts left in the block. A text that ends within a block ends it.",
    broken=[broken("flags in blocks, outside the assumption", instances=in_blocks(flagged), assumes={})],
)
