"""Calling one more non-pivot by its name lowers neither acceptance nor expected utility.

`pad.better-classifier`, with its correction and its sharper form: PAD, after Lemma 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, identity, law, other_claim
from simspec.claims.claim import Printed, call
from simspec.claims.pad.blocks import phase_gaps, phase_visits
from simspec.claims.pad.parts import (
    ahead_of,
    along,
    bits,
    flagged,
    fork,
    in_blocks,
    on_process,
    overrides,
    process_of,
    replacement_value,
    run_pad,
    some_flags,
    true_pivots,
    unflagged,
)
from simspec.claims.pad.utility import ALL, AT, NONE, PIVOT, RECALL, SOFT, own_gaps
from simspec.methods import Process
from simspec.methods.pad.process import Run

PAYS = "after each token whose flag is removed the rule's own value is at least that of its own replacement"


def _utility_and_rates(run: Run) -> Array:
    return np.concatenate([[run.utility], run.acceptance.ravel()])


def _one_less(draw: Draw) -> Instance:
    """Flags with every pivot among them, and one more on a first token that is no pivot, to be removed."""
    instance = flagged(draw, true_pivots, forks=0)
    free = np.flatnonzero(~on_process(true_pivots)(**instance)[0, 0])
    removed = np.zeros(instance["flags"].shape, dtype=bool)
    removed[0, 0, free[draw.integer(0, len(free) - 1)]] = True
    return {**instance, "flags": instance["flags"] | removed, "removed": removed}


_RECALLED = on_process(lambda process, flags, removed: bool((flags & ~removed)[true_pivots(process)].all()))
_AFTER = on_process(lambda process, flags, removed: _utility_and_rates(run_pad(process, flags & ~removed)))
_BEFORE = on_process(lambda process, flags: _utility_and_rates(run_pad(process, flags)))

# the counterexample of Lemma 1, reached from all pivots by calling the coin what it is
_COIN: dict[str, Any] = {
    **fork(law("1/2", "1/2", 0), law(0, "1/2", "1/2"), F(1, 2)),
    "flags": np.ones((2, 4, 3), dtype=bool),
    "removed": np.array([[[False, False, True]] + [[False] * 3] * 3, [[False] * 3] * 4]),
}

BETTER_CLASSIFIER = bound(
    name="pad.better-classifier",
    statement="At 100 % recall, calling one more non-pivot “non-pivot” lowers neither the acceptance rate at any context nor the "
    "expected utility",
    reference="PAD, after Lemma 1",
    instances=_one_less,
    assumes={RECALL: _RECALLED},
    lhs=_AFTER,
    rhs=_BEFORE,
    relation=at_least,
    outside={RECALL: {**PIVOT, "flags": ALL, "removed": AT}},
    against=(_COIN,),
    within=({**_COIN, **SOFT},),
    corrected_by=("pad.better-classifier-corrected", "pad.better-classifier-sharp"),
    note="Acceptance does not fall at any context (over a whole text it can: pad.acceptance-trajectory). Utility does fall, "
    "from all pivots (SD) to the counterexample of Lemma 1 by one label.",
    printed=Printed(
        place="PAD 3.2, after Lemma 1",
        text="better classifiers reject fewer non-pivots, increasing efficiency while maintaining utility",
        read="One more non-pivot called so lowers neither the acceptance nor the utility.",
    ),
)


def _some_less(draw: Draw) -> Instance:
    """Arbitrary flags, and some of those whose removal pays."""
    instance = flagged(draw)
    pays = on_process(own_gaps)(**instance) >= 0
    return {**instance, "removed": instance["flags"] & pays & bits(draw, *instance["flags"].shape)}


_PAYS = on_process(lambda process, flags, removed: bool((own_gaps(process, flags)[removed] >= 0).all()))

BETTER_CLASSIFIER_CORRECTED = bound(
    name="pad.better-classifier-corrected",
    statement=r"For any flags, removing any set of them lowers neither acceptance at any context nor utility when, at each, the "
    r"rule's own value after the token is at least that after its replacement, $W(s, x) \ge \sum_y r(y)\, W(s, y)$ "
    r"(one draft a position)",
    reference="correction of PAD, after Lemma 1",
    instances=_some_less,
    assumes={PAYS: _PAYS},
    lhs=_AFTER,
    rhs=_BEFORE,
    relation=at_least,
    tight=({**PIVOT, "flags": ALL, "removed": NONE},),
    outside={PAYS: {**PIVOT, "flags": ALL, "removed": AT}},
    corrected_by=("pad.better-classifier-sharp",),
    note="Policy improvement: by pad.better-classifier-sharp the change of utility is a sum, along the new rule's path, of "
    "overrides times W(x) − W_r, with W of the old rule. Comparing x with the average U(s), as printed, is not enough. "
    "In blocks: pad.better-classifier-corrected.block.",
    broken=[broken("instances outside the assumption", instances=lambda draw: some_flags(draw, "removed"), assumes={})],
)


def _changed(draw: Draw) -> Instance:
    instance = flagged(draw)
    return {**instance, "removed": instance["flags"] & bits(draw, *instance["flags"].shape)}


def _improvement(process: Process, flags: Array, removed: Array) -> Any:
    target = process.target
    draft = process.draft
    worth = own_gaps(process, flags)
    losses = [(overrides(target, draft, ~out) * gap).sum(axis=-1) for out, gap in zip(removed, worth, strict=True)]
    return along(run_pad(process, flags & ~removed), losses)


def _old_path(process: Process, flags: Array, removed: Array) -> Array:
    old = run_pad(process, flags)
    p = process.target
    d = process.draft
    each = [
        (overrides(p, d, ~out) * (after - replacement_value(p, d, after))).sum(axis=-1)
        for out, after in zip(removed, ahead_of(process, old.values), strict=True)
    ]
    return along(old, each)


BETTER_CLASSIFIER_SHARP = identity(
    name="pad.better-classifier-sharp",
    statement=r"Removing a set $F$ of flags changes the utility by exactly $\sum_t E_{\mathrm{new}} \sum_{x \in F} (d(x) - "
    r"p(x))_+ \big(W(x) - \sum_y r(y)\, W(y)\big)$, with $W$ the values of the rule before and the path of the rule "
    r"after (one draft a position)",
    reference="own statement",
    instances=_changed,
    lhs=on_process(
        lambda process, flags, removed: run_pad(process, flags & ~removed).utility - run_pad(process, flags).utility
    ),
    rhs=on_process(_improvement),
    sums=16,
    note="Performance difference of two rules: their laws at a context differ by the freed overrides, taken from the residual. "
    "In blocks: pad.better-classifier-sharp.block.",
    broken=[
        broken(
            "the path of the rule before",
            instances=lambda draw: unflagged(draw),
            rhs=lambda target, draft, step, utility, horizon, flags, removed: _old_path(
                process_of(target, draft, step, utility, horizon), flags, removed
            ),
        ),
        broken("zero in place of the bound", rhs=lambda utility: utility[0] * 0),
    ],
)


PAYS_BLOCK = (
    "whatever is kept of a block, after each token whose flag is removed PAD's own value is its replacement's at least"
)


def _rates_and_utility(process: Process, flags: Array, gamma: int) -> Array:
    return _utility_and_rates(run_pad(process, flags, gamma=gamma))


def _pay_in_block(draw: Draw) -> Instance:
    instance = in_blocks(flagged)(draw)
    pays = (on_process(phase_gaps)(**instance) >= 0).all(axis=1)
    return {**instance, "removed": instance["flags"] & pays & bits(draw, *instance["flags"].shape)}


def _pays(gaps: Array, removed: Array) -> bool:
    return bool((np.where(removed[:, None], gaps, 0) >= 0).all())


BETTER_CLASSIFIER_BLOCK = bound(
    name="pad.better-classifier-corrected.block",
    statement=r"In blocks of $\gamma$ drafts, after which the target adds a token of its own: for any flags, removing any set of "
    r"them lowers neither acceptance at any context nor utility when at each, however many drafts of the block are kept, the "
    r"rule's own value after the token is at least that after its replacement, $W_{j+1}(s, x) \ge \sum_y r(y)\, W_0(s, y)$",
    reference="correction of PAD, after Lemma 1, as section 2 drafts",
    instances=_pay_in_block,
    assumes={
        PAYS_BLOCK: on_process(lambda process, flags, removed, gamma: _pays(phase_gaps(process, flags, gamma), removed))
    },
    lhs=on_process(lambda process, flags, removed, gamma: _rates_and_utility(process, flags & ~removed, gamma)),
    rhs=on_process(_rates_and_utility),
    relation=at_least,
    tight=({**PIVOT, "flags": ALL, "removed": NONE, "gamma": 2},),
    outside={PAYS_BLOCK: {**PIVOT, "flags": ALL, "removed": AT, "gamma": 2}},
    note="$W_j$ is the rule's own value with $j$ drafts of the block kept. A token may be worth its replacement early in a block "
    "and not late in it, since a replacement begins a new block.",
    broken=[
        broken(
            "instances outside the assumption",
            instances=in_blocks(lambda draw: some_flags(draw, "removed")),
            assumes={},
        )
    ],
)


def _improvement_in_block(process: Process, flags: Array, removed: Array, gamma: int) -> Any:
    """Freed overrides times their gaps, over the states that the rule after verifies a draft at, by the drafts kept."""
    gaps = phase_gaps(process, flags, gamma)
    p = process.target
    d = process.draft
    visits = phase_visits(process, flags & ~removed, gamma)
    freed = np.stack([overrides(p, d, ~out) for out in removed])
    return (visits[:, :-1] * (freed[:, None] * gaps).sum(axis=-1)).sum()


BETTER_CLASSIFIER_SHARP_BLOCK = identity(
    name="pad.better-classifier-sharp.block",
    statement=r"In blocks of $\gamma$ drafts, after which the target adds a token of its own: removing a set $F$ of flags "
    r"changes the utility by exactly $\sum_t E_{\mathrm{new}} \sum_{x \in F} (d(x) - p(x))_+ \big(W_{j+1}(x) - \sum_y r(y)\, "
    r"W_0(y)\big)$ over the positions at which a draft is verified, $j$ the drafts kept before it in its block, with $W_j$ the "
    r"values of the rule before and the path of the rule after",
    reference="own statement, as section 2 drafts",
    instances=in_blocks(_changed),
    lhs=on_process(
        lambda process, flags, removed, gamma: (
            run_pad(process, flags & ~removed, gamma=gamma).utility - run_pad(process, flags, gamma=gamma).utility
        )
    ),
    rhs=on_process(_improvement_in_block),
    sums=16,
    note="As pad.better-classifier-sharp, with the phase of the block as a part of the state.",
    broken=[
        broken(
            "the rule's own value after an accepted draft, taken at the start of a block",
            instances=lambda draw: {**unflagged(draw), "gamma": 1},
            rhs=lambda gamma, **instance: call(other_claim("pad.better-classifier-sharp").rhs, instance),
        )
    ],
)
