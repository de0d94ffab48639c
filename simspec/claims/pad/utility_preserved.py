"""A classifier that finds every pivot keeps PAD's expected utility at the target's or above.

`pad.utility-preserved`, with its readings, its correction and its sharper form: PAD, Lemma 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from simspec.claims.authoring import (
    Array,
    Claim,
    Draw,
    F,
    Instance,
    at_least,
    bound,
    broken,
    identity,
    law,
    matrix,
    other_claim,
)
from simspec.claims.claim import Printed
from simspec.claims.pad.parts import (
    ahead_of,
    flagged,
    fork,
    in_blocks,
    on_process,
    overrides,
    process_of,
    relative_pivots,
    replacement_value,
    run_pad,
    softened,
    true_pivots,
)
from simspec.claims.pad.utility import ALL, MISSED, RECALL, RECALLED, RELATIVE, RELATIVE_RECALLED, SOFT, no_pivot_missed
from simspec.methods import Method, Process, fresh, output_law, pad, values


def _ties(process: Process) -> Array:
    return true_pivots(process, ties=True)


def _caught(process: dict[str, Any], recall: Callable[[Process], Array] = true_pivots) -> Instance:
    """An instance written by hand, with a classifier that makes no error."""
    return {**process, "flags": recall(process_of(**process))}


def _no_worse(name: str, statement: str, reference: str, note: str, **changes: Any) -> Claim:
    """Lemma 1 in one of its readings."""
    settings: dict[str, Any] = {
        "instances": no_pivot_missed,
        "assumes": RECALLED,
        "lhs": on_process(lambda process, flags: run_pad(process, flags).utility),
        "outside": {RECALL: MISSED},
        "corrected_by": ("pad.utility-preserved-corrected", "pad.utility-preserved-sharp", "pad.strict-rule"),
    }
    return bound(
        name=name,
        statement=statement,
        reference=reference,
        note=note,
        rhs=on_process(lambda process: values(process)[0][0]),
        relation=at_least,
        **{**settings, **changes},
    )


UTILITY_PRESERVED = _no_worse(
    "pad.utility-preserved",
    r"A classifier with 100 % recall on pivots ($U(s, x) < U(s)$) gives $U(\mathrm{PAD}) \ge U(\mathrm{target})$",
    "PAD, Lemma 1",
    "A non-pivot is worth at least the target's average, but what it displaces is the residual, which can be worth more than the "
    "average: the average counts tokens that SD accepts anyway, pivots among them.",
    against=(_caught(fork(law("1/2", "1/2", 0), law(0, "1/2", "1/2"), F(1, 2))),),
    within=(_caught(SOFT),),
    corrected_by=(
        *("pad.utility-preserved-corrected", "pad.utility-preserved-sharp", "pad.strict-rule"),
        *("pad.utility-kept", "pad.utility-slack"),
    ),
    printed=Printed(
        place="PAD, Lemma 1",
        text="it never labels a pivot as non-pivot",
        read="Then the expected utility is at least the target’s; variants with ties, fresh draws, tolerance "
        "and guardrail.",
        restored="the recall (100 %) and the tolerance (zero), from A.1",
    ),
)

UTILITY_TIES = _no_worse(
    "pad.utility-preserved.ties",
    r"A classifier with 100 % recall on pivots, a token that leaves the utility as it is counted as one too "
    r"($U(s, x) \le U(s)$), gives $U(\mathrm{PAD}) \ge U(\mathrm{target})$",
    "PAD, Lemma 1, the other reading of Definition 3",
    "A token can be worth more than the average and less than the residual.",
    instances=lambda draw: flagged(draw, _ties, forks=0),
    assumes={RECALL: on_process(lambda process, flags: bool(flags[_ties(process)].all()))},
    against=(_caught(fork(law("1/2", "1/2", 0), law(0, "1/2", "1/2"), F(3, 4)), _ties),),
    within=(_caught(softened(fork(law("1/2", "1/2", 0), law(0, "1/2", "1/2"), F(3, 4))), _ties),),
)

UTILITY_FRESH = _no_worse(
    "pad.utility-preserved.fresh",
    r"A classifier with 100 % recall on pivots ($U(s, x) < U(s)$) gives $U(\mathrm{PAD}) \ge U(\mathrm{target})$ when a "
    r"rejected token is replaced by a draw from the target, as A.1 has it",
    "PAD, Lemma 1, with the replacement of A.1",
    "SD-accepted pivots keep their mass min(p, d) and the replacement adds p once more, so pivots become likelier than under the "
    "target.",
    lhs=on_process(lambda process, flags: run_pad(process, flags, lambda f: replace(pad(f), residual=fresh)).utility),
    within=(_caught(softened(fork(law("1/2", 0, "1/2"), law(0, 0, 1), F(0)))),),
)

PRINTED_LIMIT = F(1, 10_000)


def _guarded_utility(process: Process, flags: Array) -> Any:
    def utility(reading: str) -> Any:
        return run_pad(process, flags, lambda f: pad(f, PRINTED_LIMIT, reading)).utility

    return max(utility("override"), utility("every"))


UTILITY_GUARDED = _no_worse(
    "pad.utility-preserved.guardrail",
    r"A classifier with 100 % recall on pivots ($U(s, x) < U(s)$) and the guardrail (limit $10^{-4}$) give "
    r"$U(\mathrm{PAD}) \ge U(\mathrm{target})$ in at least one of the guardrail's readings",
    "PAD, Lemma 1 with 3.3's guardrail",
    "The overridden token can be likely under the target; both readings lose on one instance.",
    lhs=on_process(_guarded_utility),
    against=(_caught(fork(law("1/4", "1/2", "1/4"), law(0, "1/2", "1/2"), F(1, 2))),),
    outside={RECALL: {**MISSED, "target": matrix("1/2 1/2", "1 0")}},
    within=(_caught(softened(fork(law("1/4", "1/2", "1/4"), law(0, "1/2", "1/2"), F(1, 2)))),),
)


def _missing_tolerant(draw: Draw) -> Instance:
    epsilon = draw.number(0, F(1, 4))
    return {**flagged(draw, lambda process: true_pivots(process, epsilon), forks=0), "epsilon": epsilon}


UTILITY_TOLERANT = _no_worse(
    "pad.utility-preserved.tolerance",
    r"100 % recall on $\epsilon$-pivots ($U(s, x) < U(s) - \epsilon$) gives $U(\mathrm{PAD}) \ge U(\mathrm{target}) - "
    r"\epsilon$, Definition 2",
    "PAD, Lemma 1, extended to Definition 2 with ε > 0",
    "As without a tolerance; and what a single token may lose adds up over the text, also when judged against the "
    "replacement.",
    instances=_missing_tolerant,
    assumes={RECALL: on_process(lambda process, flags, epsilon: bool(flags[true_pivots(process, epsilon)].all()))},
    against=({**_caught(fork(law("1/2", "1/2", 0), law(0, "1/2", "1/2"), F(1, 2))), "epsilon": F(1, 10)},),
    outside={RECALL: {**MISSED, "epsilon": F(1, 10)}},
    lhs=on_process(lambda process, flags, epsilon: run_pad(process, flags).utility + epsilon),
    within=({**_caught(SOFT), "epsilon": F(1, 10)},),
    corrected_by=("pad.utility-slack", "pad.utility-slack.printed"),
)

UTILITY_CORRECTED = bound(
    name="pad.utility-preserved-corrected",
    statement=r"Judge against the replacement: if every $x$ with $U(s, x) < \sum_y r(y)\, U(s, y)$, $r = \mathrm{norm}((p - "
    r"d)_+)$, is called a pivot, then at every context $U(\mathrm{PAD}, s) \ge U(\mathrm{target}, s)$",
    reference="correction of PAD, Lemma 1",
    instances=lambda draw: flagged(draw, relative_pivots),
    assumes=RELATIVE_RECALLED,
    lhs=on_process(lambda process, flags: run_pad(process, flags).values),
    rhs=on_process(values),
    relation=at_least,
    tight=({**MISSED, "flags": ALL},),
    outside={RELATIVE: MISSED},
    note="Backward induction: the rule's value is Σ o W' ≥ Σ o U' = U + Σ g(x)(U(x) − U_r) ≥ U, each override gaining. It "
    "accepts at least as often as SD at every context (pad.acceptance). One draft a position; in blocks: "
    "pad.utility-preserved.block.",
    broken=[
        broken("flags outside the assumption", instances=flagged, assumes={}),
        broken(
            "the counterexample to the printed form",
            instances=lambda draw: other_claim("pad.utility-preserved").against[0],
            assumes={},
        ),
    ],
)


def _drawn_again(flags: Array) -> Method:
    """PAD with a fresh draw from the target after a rejection."""
    return replace(pad(flags), residual=fresh)


UTILITY_BLOCK = bound(
    name="pad.utility-preserved.block",
    statement=r"In blocks of $\gamma$ drafts, after which the target adds a token of its own: if every $x$ worth less than its "
    r"replacement is called a pivot, then at every context $U(\mathrm{PAD}, s) \ge U(\mathrm{target}, s)$",
    reference="correction of PAD, Lemma 1, as section 2 drafts",
    instances=in_blocks(lambda draw: flagged(draw, relative_pivots)),
    assumes=RELATIVE_RECALLED,
    lhs=on_process(lambda process, flags, gamma: run_pad(process, flags, gamma=gamma).values),
    rhs=on_process(values),
    relation=at_least,
    tight=({**MISSED, "flags": ALL, "gamma": 2},),
    outside={RELATIVE: {**MISSED, "gamma": 2}},
    note="By induction over the tokens to come, for every number of drafts left in the block: a kept draft leads one draft "
    "further, a replacement and the target's own token to a new block, and in each case what follows is worth U at least.",
    broken=[
        broken("flags in blocks, outside the assumption", instances=in_blocks(flagged), assumes={}),
        broken(
            "a fresh draw from the target after a rejection",
            lhs=lambda target, draft, step, utility, horizon, flags, gamma: (
                run_pad(process_of(target, draft, step, utility, horizon), flags, _drawn_again, gamma).values
            ),
        ),
    ],
)


def _one_step(process: Process, flags: Array) -> Array:
    table = values(process)
    laws = (output_law(pad(flag), process.target, process.draft) for flag in flags)
    after = ahead_of(process, table)
    return np.stack([(o * u).sum(axis=-1) - h for o, u, h in zip(laws, after, table[:-1], strict=True)])


def _gains(process: Process, flags: Array) -> Array:
    target = process.target
    draft = process.draft
    after = ahead_of(process, values(process))
    flagged_steps = zip(after, flags, strict=True)
    return np.stack(
        [(overrides(target, draft, f) * (u - replacement_value(target, draft, u))).sum(-1) for u, f in flagged_steps]
    )


UTILITY_SHARP = identity(
    name="pad.utility-preserved-sharp",
    statement=r"One step of PAD before the target's text changes the utility by exactly $\sum_x g(x)\,(U(s, x) - U_r(s))$, $g$ "
    r"the overrides, $U_r$ the value of the replacement: it preserves utility at $s$ if and only if that sum is not negative",
    reference="own statement, the weakest condition of PAD, Lemma 1",
    instances=flagged,
    lhs=on_process(_one_step),
    rhs=on_process(_gains),
    sums=8,
    note="The law of the step is p + g − (Σg)·r. If the sum is not negative at every context, U(PAD) ≥ U(target) by induction, "
    "so single overrides may lose as long as those of one context gain on average.",
    broken=[
        broken(
            "zero in place of the bound", rhs=lambda target, horizon: target[:, :1].T * 0 + np.zeros((horizon, 1), int)
        )
    ],
)
