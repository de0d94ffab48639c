"""`pad.strict-rule`, with its reading in blocks: own statement, the rule that PAD A.1 argues about."""

from __future__ import annotations

from simspec.claims.authoring import at_least, bound
from simspec.claims.pad.parts import in_blocks, on_process, run_pad
from simspec.claims.pad.utility import ALL, MISSED, RECALL, RECALLED, no_pivot_missed
from simspec.methods import strict, values

STRICT_RULE = bound(
    name="pad.strict-rule",
    statement="With pivots as printed, utility is preserved at every context by the stricter rule: accept exactly what is not "
    "called a pivot, reject every pivot, draw the replacement from $p$ (one draft a position)",
    reference="own statement, the rule that PAD A.1 argues about",
    instances=no_pivot_missed,
    assumes=RECALLED,
    lhs=on_process(lambda process, flags: run_pad(process, flags, strict).values),
    rhs=on_process(values),
    relation=at_least,
    tight=({**MISSED, "flags": ALL},),
    outside={RECALL: MISSED},
    note="An accepted token is worth at least U(s) and a replacement is worth U(s) on average, so Σ o U' ≥ U; then induction. It "
    "accepts Σ d over tokens not flagged, which can be less than SD.",
)

STRICT_BLOCK = bound(
    name="pad.strict-rule.block",
    statement=r"The stricter rule preserves utility at every context in blocks of $\gamma$ drafts too, after which the "
    r"target adds a "
    r"token of its own",
    reference="own statement, the rule that PAD A.1 argues about, as section 2 drafts",
    instances=in_blocks(no_pivot_missed),
    assumes=RECALLED,
    lhs=on_process(lambda process, flags, gamma: run_pad(process, flags, strict, gamma).values),
    rhs=on_process(values),
    relation=at_least,
    tight=({**MISSED, "flags": ALL, "gamma": 2},),
    outside={RECALL: {**MISSED, "gamma": 2}},
    note="As pad.utility-preserved.block: what a step of the rule loses nothing by, a block loses nothing by.",
)
