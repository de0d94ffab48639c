"""The formulas of pad.* claims, broken on purpose: each change must refute its claim."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np

from simspec.claims.claim import at_most, call
from simspec.claims.pad.cost_negligible import DRAFT, TARGET, forward
from simspec.claims.pad.label_noise import ENOUGH, ends
from simspec.claims.pad.parts import (
    ahead_of,
    along,
    bits,
    chain,
    classifier_last,
    described,
    draw_process,
    flagged,
    in_blocks,
    overrides,
    process_of,
    replacement_value,
    run_pad,
)
from simspec.claims.pad.table1 import COST, PRINTED
from simspec.laws import overlap
from simspec.methods import SD, accepted_mass, fresh, output_law, pad, values
from tests.claims.cases import broken, get, shifted
from tests.claims.pad.cases import _some


def _unflagged(draw):
    """Speculative decoding on longer texts, and flags taken away at several positions."""
    process = draw_process(draw, (2, 3), (2, 3), (2, 2))
    flags = np.ones((process["horizon"], *process["target"].shape), dtype=bool)
    return {**process, "flags": flags, "removed": bits(draw, *flags.shape)}


def _overridden(draw):
    """The same with these flags taken away."""
    case = _unflagged(draw)
    return {**{k: v for k, v in case.items() if k != "removed"}, "flags": case["flags"] & ~case["removed"]}


def _old_path(process, flags, removed):
    old = run_pad(process, flags)
    p, d = process.target, process.draft
    each = [
        (overrides(p, d, ~out) * (after - replacement_value(p, d, after))).sum(axis=-1)
        for out, after in zip(removed, ahead_of(process, old.values), strict=True)
    ]
    return along(old, each)


def _below(p, q, limit):
    """Mass that speculative decoding keeps of the guarded tokens."""
    return np.where(p < limit, np.minimum(p, q), 0).sum()


def _limited(draw):
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q, "limit": draw.number(0, 1), "flags": np.ones(p.shape, dtype=bool)}


def _against_average(process, flags):
    table = values(process)
    each = [
        (overrides(process.target, process.draft, flag) * (here[:, None] - after)).sum(axis=-1)
        for here, after, flag in zip(table, ahead_of(process, table), flags, strict=False)
    ]
    return along(run_pad(process, flags), each)


def _one_side_halved(name, place):
    """The larger sides of a chain with one of them halved."""

    def rhs(target, draft, step, utility, horizon, flags, epsilon):
        process = {"target": target, "draft": draft, "step": step, "utility": utility, "horizon": horizon}
        larger = get(name).rhs(**process, flags=flags, epsilon=epsilon)
        return np.array([side / 2 if i == place else side for i, side in enumerate(larger)], dtype=object)

    return rhs


def _drawn_again(flags):
    """PAD with a fresh draw from the target after a rejection."""
    return replace(pad(flags), residual=fresh)


MUTATIONS = [
    shifted("pad.speedup-proportional-corrected", F(1, 100)),
    shifted("pad.utility-equal-corrected", F(1, 100)),
    shifted("pad.labels-suffice.rule", F(1, 100)),
    shifted("pad.abstract-speedup-corrected", F(1, 1000)),
    broken("pad.cost-negligible", rhs=lambda: np.array([forward(DRAFT)] * 2, dtype=object)),
    broken("pad.cost-negligible", assumes={}, instances=lambda draw: {"width": draw.integer(1, 3 * TARGET.hidden)}),
    broken("pad.strict-rule.block", instances=in_blocks(flagged), assumes={}),
    broken("pad.utility-kept.block", instances=in_blocks(flagged), assumes={}),
    broken("pad.pathwise-corrected.block", instances=in_blocks(flagged), assumes={}),
    broken("pad.utility-equal-corrected.block", instances=in_blocks(flagged), assumes={}),
    broken("pad.utility-slack.block", rhs=_one_side_halved("pad.utility-slack.block", 1)),
    broken("pad.utility-slack.printed.block", rhs=_one_side_halved("pad.utility-slack.printed.block", 2)),
    # overrides along the path of one draft a position
    broken(
        "pad.utility-slack-sharp.block",
        instances=lambda draw: {**_overridden(draw), "gamma": 1},
        rhs=lambda gamma, **instance: call(get("pad.utility-slack-sharp").rhs, instance),
    ),
    # the rule's own value after a kept draft taken at the start of a block
    broken(
        "pad.better-classifier-sharp.block",
        instances=lambda draw: {**_unflagged(draw), "gamma": 1},
        rhs=lambda gamma, **instance: call(get("pad.better-classifier-sharp").rhs, instance),
    ),
    broken(
        "pad.better-classifier-corrected.block",
        instances=in_blocks(lambda draw: _some(draw, "removed")),
        assumes={},
    ),
    broken("pad.flip-utility-corrected.block", instances=in_blocks(lambda draw: _some(draw, "flips")), assumes={}),
    broken("pad.utility-preserved.block", instances=in_blocks(flagged), assumes={}),
    broken(
        "pad.utility-preserved.block",
        lhs=lambda target, draft, step, utility, horizon, flags, gamma: (
            run_pad(process_of(target, draft, step, utility, horizon), flags, _drawn_again, gamma).values
        ),
    ),
    broken(
        "pad.acceptance-trajectory-corrected", rhs=lambda target, draft: np.array([overlap(target, draft).max(), 0])
    ),
    broken(
        "pad.acceptance-trajectory-sharp",
        rhs=lambda target, draft, flags: overrides(target, draft, flags[0])[0].sum() * F(1, len(flags)),
    ),
    # the path of the rule before
    broken(
        "pad.better-classifier-sharp",
        instances=lambda draw: _unflagged(draw),
        rhs=lambda target, draft, step, utility, horizon, flags, removed: _old_path(
            process_of(target, draft, step, utility, horizon), flags, removed
        ),
    ),
    broken("pad.better-classifier-corrected", instances=lambda draw: _some(draw, "removed"), assumes={}),
    broken("pad.better-classifier-sharp", rhs=lambda utility: utility[0] * 0),
    broken(
        "pad.guardrail.every-corrected",
        lhs=lambda p, q, limit: output_law(pad(np.ones(p.shape, dtype=bool), limit, "every"), p, q),
    ),
    broken(
        "pad.guardrail.every-sharp",
        rhs=lambda p, q, limit: np.stack([_below(p, q, limit) * F(1, 2), limit * (p < limit).sum()]),
    ),
    broken("pad.guardrail.every-sharp", rhs=lambda p, q, limit: np.stack([_below(p, q, limit), limit])),
    broken("pad.guardrail.override", lhs=lambda p, q: output_law(pad(np.zeros(p.shape, dtype=bool)), p, q)),
    broken("pad.label-noise-corrected", instances=lambda draw: {"rollouts": ENOUGH - 40, "cover": ends()}),
    broken("pad.label-noise-sharp", relation=at_most),
    broken("pad.label-noise-sharp", instances=lambda draw: {"rollouts": ENOUGH}, assumes={}),
    broken("pad.sd-preserves", rhs=lambda draft, step, utility, horizon: chain(draft, step) @ utility),
    # the classifier is asked about drafts that SD accepts
    broken(
        "pad.two-descriptions",
        lhs=lambda p, q, flags: np.concatenate(
            [m := described(lambda f, passes: passes & ~f, p, q, flags), m[3:], (m[0] + m[1])[None]]
        ),
    ),
    broken("pad.all-pivots-is-sd", rhs=lambda p, q: np.stack([p, q])),
    broken("pad.all-pivots-is-sd", instances=lambda draw: _limited(draw), assumes={}),
    broken("pad.accepted-not-pivot-corrected", rhs=lambda p, q: np.stack([p.sum() * 0, overlap(p, q)])),
    broken(
        "pad.replacement-law-corrected",
        lhs=lambda p, q, flags: np.append(output_law(pad(flags), p, q) - accepted_mass(SD, p, q), [0]),
    ),
    broken("pad.acceptance", lhs=lambda p, q, flags: accepted_mass(pad(flags), p, q).sum() - overlap(p, q) / 8),
    broken("pad.acceptance", instances=lambda draw: {**_limited(draw), "every": True}, assumes={}),
    broken("pad.acceptance-sharp", rhs=lambda p, q, flags: np.stack([np.maximum(q - p, 0).sum()] * 2)),
    broken("pad.soundness-flip", lhs=lambda p, q, flips: described(classifier_last, p, q, flips)[:2]),
    broken("pad.strict-rule", instances=flagged, assumes={}),
    broken(
        "pad.strict-rule",
        lhs=lambda target, draft, step, utility, horizon, flags: (
            run_pad(process_of(target, draft, step, utility, horizon), flags).values
        ),
    ),
    broken("pad.table1", rhs=lambda: F(1, 20)),
    broken("pad.table1", instances=lambda draw: {"rows": PRINTED, "cost": F(1, 2)}),
    broken("pad.table1", instances=lambda draw: {"rows": PRINTED, "cost": F(1, 3)}),
    broken("pad.table1", instances=lambda draw: {"rows": PRINTED, "cost": F(1, 8)}),
    broken("pad.table1", instances=lambda draw: {"rows": PRINTED[:, ::-1], "cost": COST}),
    broken("pad.table1-sharp", instances=lambda draw: {"rows": PRINTED[:4], "cost": COST}),
    broken("pad.pathwise-corrected", instances=flagged, assumes={}),
    broken("pad.flip-utility-corrected", instances=lambda draw: _some(draw, "flips"), assumes={}),
    broken("pad.utility-kept", instances=flagged, assumes={}),
    # a power a little lower
    broken(
        "pad.utility-kept",
        instances=lambda draw: get("pad.utility-kept").tight[0],
        rhs=lambda target, draft, step, utility, horizon: (
            values(process_of(target, draft, step, utility, horizon)) * F(1, 2) + F(1, 50)
        ),
    ),
    broken("pad.utility-preserved-corrected", instances=flagged, assumes={}),
    broken(
        "pad.utility-preserved-corrected", instances=lambda draw: get("pad.utility-preserved").against[0], assumes={}
    ),
    broken(
        "pad.utility-preserved-sharp", rhs=lambda target, horizon: target[:, :1].T * 0 + np.zeros((horizon, 1), int)
    ),
    broken("pad.utility-slack", rhs=lambda epsilon, horizon: epsilon * horizon),
    broken("pad.utility-slack", lhs=lambda target, draft, step, utility, horizon, flags, epsilon: F(1)),
    broken("pad.utility-slack", rhs=_one_side_halved("pad.utility-slack", 1)),
    broken("pad.utility-slack.printed", rhs=_one_side_halved("pad.utility-slack.printed", 1)),
    broken("pad.utility-slack.printed", rhs=_one_side_halved("pad.utility-slack.printed", 2)),
    broken("pad.utility-slack-sharp", rhs=lambda utility: utility[0] * 0),
    # overrides priced against the average of the target instead of the replacement
    broken(
        "pad.utility-slack-sharp",
        lhs=lambda target, draft, step, utility, horizon, flags: _against_average(
            process_of(target, draft, step, utility, horizon), flags
        ),
    ),
    # the price of the printed definition left out
    broken(
        "pad.utility-slack.printed",
        rhs=lambda epsilon, horizon: epsilon * horizon,
        instances=lambda draw: get("pad.utility-slack.printed").tight[1],
    ),
    # one position's accepts in place of a text's
    broken("pad.envelope", rhs=lambda **text: get("pad.envelope").rhs(**text) / 2),
    broken("pad.envelope", lhs=get("pad.envelope").rhs, rhs=get("pad.envelope").lhs),
    broken("pad.envelope.positions", rhs=lambda **text: get("pad.envelope.positions").rhs(**text) / 2),
]
