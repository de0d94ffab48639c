"""Over a whole text, PAD accepts at least the share of drafts that speculative decoding accepts.

`pad.acceptance-trajectory`, with its correction and its sharper form: PAD 3.2, read over a text.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, broken, identity, law, matrix
from simspec.claims.claim import Printed
from simspec.claims.pad.parts import (
    ahead_of,
    along,
    bits,
    chain,
    draw_process,
    flagged,
    on_process,
    overrides,
    replacement_value,
    run_pad,
    softened,
)
from simspec.laws import overlap
from simspec.methods import SD, Process, evaluate

# the target's token leads to state 1, where the models agree for ever; the draft's, kept once, to state 2, where they never do
_LED_ASTRAY: dict[str, Any] = {
    "target": matrix("1 0", "1 0", "1 0"),
    "draft": matrix("0 1", "1 0", "0 1"),
    "step": np.array([[1, 2], [1, 1], [2, 2]]),
    "utility": law(0, 0, 0),
    "horizon": 3,
    "flags": np.stack([np.array([[False, False], [False, False], [False, True]])] * 3),
}
# the same with a ruinous token in state 2, a utility that makes it the only pivot, and a classifier that makes no error
_LED_ASTRAY_SURELY: dict[str, Any] = {
    "target": matrix("1 0", "1 0", "1 0", "1 0"),
    "draft": matrix("0 1", "1 0", "0 1", "1 0"),
    "step": np.array([[1, 2], [1, 1], [2, 3], [3, 3]]),
    "utility": law(1, 1, 1, 0),
    "horizon": 3,
    "flags": np.stack([np.array([[False, False], [False, False], [False, True], [False, False]])] * 3),
}


def _parting(draw: Draw) -> Instance:
    """Exact: three states, two tokens, three positions, and flags that do not depend on the position."""
    if not draw.exact:
        return flagged(draw, longest=3)
    process = draw_process(draw, (3, 3), (3, 3), (2, 2))
    return {**process, "flags": np.stack([bits(draw, *process["target"].shape)] * 3)}


ACCEPTANCE_TRAJECTORY = bound(
    name="pad.acceptance-trajectory",
    statement="Over a whole generation PAD's expected share of accepted drafts is at least SD's (one draft a position)",
    reference="PAD 3.2, read over a text",
    instances=_parting,
    lhs=on_process(lambda process, flags: run_pad(process, flags).share),
    rhs=on_process(lambda process: evaluate(process, SD).share),
    relation=at_least,
    against=(_LED_ASTRAY, _LED_ASTRAY_SURELY),
    within=(softened(_LED_ASTRAY),),
    corrected_by=("pad.acceptance-trajectory-corrected", "pad.acceptance-trajectory-sharp"),
    note="One override can lead into contexts where the models disagree, and cost more accepts there than the one it won: it "
    "takes a pair of later positions at least, so texts of three tokens. In blocks of any number of drafts the share falls the "
    "same way, over longer texts.",
    printed=Printed(
        place="PAD 3.2",
        text="always accepting tokens deemed not pivotal (…), leading to a higher token acceptance rate",
        read="Over a whole generation, along texts that the rule itself writes.",
    ),
)


def _path_average(process: Process, flags: Array) -> Array:
    path = run_pad(process, flags)
    horizon = process.horizon
    rates = overlap(process.target, process.draft)
    sd_share = evaluate(process, SD).share if (rates == rates[0]).all() or horizon <= 2 else path.share
    return np.stack([along(path, [rates] * horizon) / horizon, sd_share])


def _level(draw: Draw) -> Instance:
    """Half of the exact processes have one acceptance rate in all states: the same masses, tokens renamed."""
    instance = flagged(draw, longest=3)
    if draw.exact and draw.integer(0, 1):
        p = instance["target"]
        q = instance["draft"]
        turns = [draw.integer(0, p.shape[-1] - 1) for _ in range(len(p))]
        return {
            **instance,
            **{k: np.stack([np.roll(x[0], n) for n in turns]) for k, x in (("target", p), ("draft", q))},
        }
    return instance


ACCEPTANCE_TRAJECTORY_CORRECTED = bound(
    name="pad.acceptance-trajectory-corrected",
    statement="PAD's expected share is at least SD's acceptance rate averaged over the contexts that PAD itself visits; it is at "
    "least SD's share when SD accepts equally often in every context, and for texts of at most two tokens",
    reference="correction of PAD 3.2, read over a text",
    instances=_level,
    lhs=on_process(lambda process, flags: np.stack([run_pad(process, flags).share] * 2)),
    rhs=on_process(_path_average),
    relation=at_least,
    tight=({**_LED_ASTRAY, "flags": np.ones((3, 3, 2), dtype=bool)},),
    corrected_by=("pad.acceptance-trajectory-sharp",),
    note="At each visited context PAD accepts SD's rate and its overrides. By pad.acceptance-trajectory-sharp the rest "
    "follows: an override wins one accept, and what can be lost later is zero when rates are equal, at most one with one "
    "position left.",
    broken=[
        broken(
            "the largest overlap in place of the mean",
            rhs=lambda target, draft: np.array([overlap(target, draft).max(), 0]),
        )
    ],
)


def _accepts_to_go(process: Process) -> Array:
    """Expected number of drafts that SD accepts from each position and state to the end, (T + 1, S)."""
    moves = chain(process.target, process.step)
    rates = overlap(process.target, process.draft)
    table = [rates * 0]
    for _ in range(process.horizon):
        table.append(rates + moves @ table[-1])
    return np.stack(table[::-1])


def _won_and_lost(process: Process, flags: Array) -> Any:
    target = process.target
    draft = process.draft
    changes = []
    for later, flag in zip(ahead_of(process, _accepts_to_go(process)), flags, strict=True):
        worth = 1 + later - replacement_value(target, draft, later)
        changes.append((overrides(target, draft, flag) * worth).sum(axis=-1))
    return along(run_pad(process, flags), changes) / process.horizon


ACCEPTANCE_TRAJECTORY_SHARP = identity(
    name="pad.acceptance-trajectory-sharp",
    statement=r"PAD's share minus SD's is $\frac1T \sum_t E_{\mathrm{PAD}} \sum_x g(x)\,\big(1 + A(x) - \sum_y r(y) A(y)\big)$ "
    r"with $g$ the overrides and $A$ the accepts that SD would still have after a token: an override pays unless it costs more "
    r"than one later accept",
    reference="own statement, in place of PAD 3.2 read over a text",
    instances=lambda draw: flagged(draw, longest=3),
    lhs=on_process(lambda process, flags: run_pad(process, flags).share - evaluate(process, SD).share),
    rhs=on_process(_won_and_lost),
    sums=16,
    note="Performance difference: along PAD's path the law of a step is p + g − (Σg)·r, and A − ΣpA is SD's rate at each "
    "context.",
    broken=[
        broken(
            "overrides of the first position only",
            rhs=lambda target, draft, flags: overrides(target, draft, flags[0])[0].sum() * F(1, len(flags)),
        )
    ],
)
