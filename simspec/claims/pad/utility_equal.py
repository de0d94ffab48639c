"""With every pivot found, PAD's expected utility equals the target's.

`pad.utility-equal`, with its correction: PAD, A.1.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, F, broken, identity, law, shifted
from simspec.claims.claim import Printed
from simspec.claims.pad.parts import (
    ahead_of,
    flagged,
    fork,
    in_blocks,
    on_process,
    process_of,
    replacement_value,
    run_pad,
    true_pivots,
)
from simspec.claims.pad.utility import ALL, MISSED, RECALL, RECALLED, SOFT, no_pivot_missed
from simspec.methods import Process, values

__all__ = ["unequal"]

_FORK = fork(law("1/2", "1/2", 0), law(0, "1/2", "1/2"), F(1, 2))

UTILITY_EQUAL = identity(
    name="pad.utility-equal",
    statement="With 100 % recall on pivots the utility is equal to the target's",
    reference="PAD, A.1",
    instances=no_pivot_missed,
    assumes=RECALLED,
    lhs=on_process(lambda process, flags: run_pad(process, flags).utility),
    rhs=on_process(lambda process: values(process)[0][0]),
    against=(
        {
            **_FORK,
            "flags": true_pivots(process_of(**_FORK)),
        },
    ),
    outside={RECALL: MISSED},
    within=({**SOFT, "flags": true_pivots(process_of(**SOFT))},),
    corrected_by=("pad.utility-equal-corrected",),
    note="It can be lower (pad.utility-preserved), and higher: a draft that is kept although speculative decoding rejects it can "
    "be worth more than what would replace it.",
    printed=Printed(
        place="PAD, A.1",
        text="produces an output with the same utility as the target model",
        read="In expectation, with 100 % recall on pivots as defined.",
    ),
)

UNEQUAL = "every token worth more or less than its replacement is called a pivot"


def unequal(process: Process) -> Array:
    """Tokens worth more or less than what would replace them, at every position and state, (T, S, V)."""
    p = process.target
    d = process.draft
    return np.stack([after != replacement_value(p, d, after) for after in ahead_of(process, values(process))])


UTILITY_EQUAL_CORRECTED = identity(
    name="pad.utility-equal-corrected",
    statement=r"If every $x$ with $U(s, x) \ne \sum_y r(y)\, U(s, y)$, $r = \mathrm{norm}((p - d)_+)$, is called a pivot, the "
    "utility is equal to the target's at every context",
    reference="correction of PAD, A.1",
    instances=lambda draw: flagged(draw, unequal),
    assumes={UNEQUAL: on_process(lambda process, flags: bool(flags[unequal(process)].all()))},
    lhs=on_process(lambda process, flags: run_pad(process, flags).values),
    rhs=on_process(values),
    sources=("exact",),
    tight=({**MISSED, "flags": ALL},),
    outside={UNEQUAL: MISSED},
    note="Then an override changes nothing; what is left to override are tokens that do not matter. One draft a position. "
    "In blocks: pad.utility-equal-corrected.block.",
    broken=[shifted(F(1, 100))],
)

UTILITY_EQUAL_BLOCK = identity(
    name="pad.utility-equal-corrected.block",
    statement=r"In blocks of $\gamma$ drafts, after which the target adds a token of its own: if every $x$ worth more or less "
    "than its replacement is called a pivot, the utility is equal to the target's at every context",
    reference="correction of PAD, A.1, as section 2 drafts",
    instances=in_blocks(lambda draw: flagged(draw, unequal)),
    assumes=UTILITY_EQUAL_CORRECTED.assumes,
    lhs=on_process(lambda process, flags, gamma: run_pad(process, flags, gamma=gamma).values),
    rhs=on_process(values),
    sources=("exact",),
    tight=({**MISSED, "flags": ALL, "gamma": 2},),
    outside={UNEQUAL: {**MISSED, "gamma": 2}},
    note="By induction over the tokens to come, for every number of drafts left in the block.",
    broken=[broken("flags in blocks, outside the assumption", instances=in_blocks(flagged), assumes={})],
)
