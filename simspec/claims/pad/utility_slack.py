"""PAD loses at most ε for each rightly called override, and the missed pivots that it overrides.

`pad.utility-slack`, with its readings and its sharper form: own statement.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, bound, broken, identity, law, matrix, other_claim
from simspec.claims.claim import call
from simspec.claims.pad.parts import (
    ahead_of,
    along,
    flagged,
    fork,
    in_blocks,
    on_process,
    overrides,
    process_of,
    relative_pivots,
    replacement_value,
    run_pad,
    true_pivots,
    unflagged,
)
from simspec.claims.pad.utility import RUINED
from simspec.laws import Scalar, overlap
from simspec.methods import Process, values


def _tolerant(draw: Draw) -> Instance:
    return {**flagged(draw), "epsilon": draw.number(0, 1) * draw.integer(0, 1)}


def _loss(process: Process, flags: Array, gamma: int | None = None) -> Any:
    return values(process)[0][0] - run_pad(process, flags, gamma=gamma).utility


def _account(process: Process, flags: Array, gamma: int | None = None) -> Any:
    target = process.target
    draft = process.draft
    losses = [
        (overrides(target, draft, flag) * (replacement_value(target, draft, after) - after)).sum(axis=-1)
        for after, flag in zip(ahead_of(process, values(process)), flags, strict=True)
    ]
    return along(run_pad(process, flags, gamma=gamma), losses)


def _sides(
    process: Process, flags: Array, epsilon: Scalar, printed: bool, gamma: int | None = None
) -> tuple[Array, Array]:
    """The smaller and the larger sides of the chain of inequalities, from overrides priced along PAD's path.

    A missed pivot costs 1, any other override the tolerance (and SD's rate); then the same with the most overrides that
    can be called rightly.
    """
    path = run_pad(process, flags, gamma=gamma)
    rate = overlap(process.target, process.draft)
    lost = true_pivots(process, epsilon) if printed else relative_pivots(process, epsilon)
    price, allowance = (epsilon + rate, 1 - rate) if printed else (epsilon, 1)
    paid = []
    upper_terms = []
    for flag, miss in zip(flags, lost, strict=True):
        overridden = overrides(process.target, process.draft, flag)
        missed = np.where(miss, overridden, 0).sum(axis=-1)
        paid.append(missed + price * np.where(miss, 0, overridden).sum(axis=-1))
        upper_terms.append(missed + price * allowance)
    lower_sum = along(path, paid)
    largest = along(path, upper_terms)
    loss = _loss(process, flags, gamma)
    if not printed:
        return np.stack([loss, lower_sum]), np.stack([lower_sum, largest])
    quarters = along(path, [4 * rate * (1 - rate)] * process.horizon)
    drafts = process.horizon if gamma is None else path.drafting.sum()
    return np.stack([loss, lower_sum, quarters]), np.stack([lower_sum, largest, drafts + 0 * quarters])


def _side(place: int, printed: bool) -> Callable[..., Any]:
    return on_process(
        lambda process, flags, epsilon, gamma=None: _sides(process, flags, epsilon, printed, gamma)[place]
    )


_HALVED: dict[str, Any] = {
    "target": matrix("1 0", "1 0", "1/2 1/2"),
    "draft": matrix("0 1", "1 0", "1/2 1/2"),
    "step": np.array([[0, 2], [1, 1], [0, 1]]),
    "utility": law(1, 0, 0),
    "horizon": 2,
    "flags": np.array([[[False, False]] * 3, [[True, True]] * 3]),
    "epsilon": F(1, 2),
}
# each of two overrides loses half a text
_STAIRS: dict[str, Any] = {
    "target": matrix("1 0", "1 0", "1 0"),
    "draft": matrix("0 1", "0 1", "0 1"),
    "step": np.array([[0, 1], [1, 2], [2, 2]]),
    "utility": law(1, "1/2", 0),
    "horizon": 2,
    "flags": np.zeros((2, 3, 2), dtype=bool),
    "epsilon": F(1, 2),
}
_QUARTER: dict[str, Any] = {
    **fork(law("1/2", "1/2", 0), law(0, "1/2", "1/2"), F(1, 2)),
    "flags": np.array([[[False, True, False]] + [[True] * 3] * 3, [[True] * 3] * 4]),
    "epsilon": F(0),
}
_TOLERATED: dict[str, Any] = {
    **fork(law("1/2", "1/2", 0), law(0, "1/2", "1/2"), F(1, 4)),
    "flags": np.array([[[False, True, False]] + [[True] * 3] * 3, [[True] * 3] * 4]),
    "epsilon": F(1, 4),
}

UTILITY_SLACK = bound(
    name="pad.utility-slack",
    statement=r"With pivots judged against the replacement ($U(x) < U_r - \epsilon$), $U(\mathrm{target}) - U(\mathrm{PAD}) \le "
    r"\epsilon\, N + M \le T\epsilon + M$, where along PAD's own path $N$ is the expected number of overrides called rightly and "
    r"$M$ that of overrides of missed pivots (one draft a position)",
    reference="own statement",
    instances=_tolerant,
    lhs=_side(0, False),
    rhs=_side(1, False),
    tight=(RUINED, _HALVED, _STAIRS),
    corrected_by=("pad.utility-slack-sharp",),
    note="In pad.utility-slack-sharp an override called rightly loses at most ε and any other at most 1. Both prices are "
    "attained, and so is Tε by T overrides that lose ε each (ε ≤ 1/T). "
    "In blocks: pad.utility-slack.block.",
    broken=[
        broken("ε times the horizon", rhs=lambda epsilon, horizon: epsilon * horizon),
        broken("a constant left side", lhs=lambda target, draft, step, utility, horizon, flags, epsilon: F(1)),
        Broken("the second side is halved", lambda claim: {"rhs": _one_side_halved(claim, 1)}),
    ],
)


def _against_average(process: Process, flags: Array) -> Array:
    table = values(process)
    each = [
        (overrides(process.target, process.draft, flag) * (here[:, None] - after)).sum(axis=-1)
        for here, after, flag in zip(table, ahead_of(process, table), flags, strict=False)
    ]
    return along(run_pad(process, flags), each)


UTILITY_ACCOUNT = identity(
    name="pad.utility-slack-sharp",
    statement=r"$U(\mathrm{target}) - U(\mathrm{PAD}) = \sum_t E_{\mathrm{PAD}} \sum_x g(x)\,(U_r - U(x))$, with $g$ the "
    r"overrides, $U(x)$ the target's expected utility after $x$ and $U_r = \sum_y r(y)\, U(y)$ that of the replacement "
    r"(one draft a position)",
    reference="own statement: the exact loss, for any flags",
    instances=flagged,
    lhs=on_process(_loss),
    rhs=on_process(_account),
    sums=16,
    note="Performance difference: U(target) − U(PAD) telescopes along PAD's path into Σ(p − o)U, and o = p + g − (Σg)·r. "
    "In blocks: pad.utility-slack-sharp.block.",
    broken=[
        broken("zero in place of the bound", rhs=lambda utility: utility[0] * 0),
        broken(
            "overrides priced against the target's average, not the replacement",
            lhs=lambda target, draft, step, utility, horizon, flags: _against_average(
                process_of(target, draft, step, utility, horizon), flags
            ),
        ),
    ],
)

UTILITY_SLACK_PRINTED = bound(
    name="pad.utility-slack.printed",
    statement=r"With pivots as printed ($U(x) < U(s) - \epsilon$) an override called rightly can lose $\epsilon + \alpha$, with "
    r"$\alpha$ SD's acceptance rate at the context: $U(\mathrm{target}) - U(\mathrm{PAD}) \le \sum_t "
    r"E_{\mathrm{PAD}}[(\epsilon + \alpha_t) n_t] + M$, $n_t$ the overrides called rightly, and at most $\sum_t "
    r"E_{\mathrm{PAD}}[(\epsilon + \alpha_t)(1 - \alpha_t)] + M$; at 100 % recall ($M = 0$) and $\epsilon = 0$ that is $\sum_t "
    r"E[\alpha_t (1 - \alpha_t)] \le T/4$ (one draft a position)",
    reference="own statement: what PAD, Lemma 1 costs as printed",
    instances=_tolerant,
    lhs=_side(0, True),
    rhs=_side(1, True),
    tight=(RUINED, _QUARTER, _TOLERATED),
    corrected_by=("pad.utility-slack", "pad.utility-kept"),
    note="U(s) = Σ min(p, d)U + (1 − α)U_r ≥ (1 − α)U_r, so U_r − U(s) ≤ αU_r ≤ α; overrides have mass at most 1 − α. A single "
    "override costs a quarter in the smallest counterexample to pad.utility-preserved, which attains α(1 − α); with a tolerance "
    "ε ≤ 1 − α one override attains (ε + α)(1 − α). "
    "In blocks: pad.utility-slack.printed.block.",
    broken=[
        Broken("the second side is halved", lambda claim: {"rhs": _one_side_halved(claim, 1)}),
        Broken("the third side is halved", lambda claim: {"rhs": _one_side_halved(claim, 2)}),
        Broken(
            "the price of the printed definition is left out",
            lambda claim: {"rhs": lambda epsilon, horizon: epsilon * horizon, "instances": lambda draw: claim.tight[1]},
        ),
    ],
)

BLOCKS = "own statement, as section 2 drafts"


def _one_side_halved(claim: Any, place: int) -> Callable[..., Array]:
    """The larger sides of a chain with one of them halved."""

    def rhs(**instance: Any) -> Array:
        larger = call(claim.rhs, instance)
        return np.array([side / 2 if i == place else side for i, side in enumerate(larger)], dtype=object)

    return rhs


UTILITY_SLACK_BLOCK = bound(
    name="pad.utility-slack.block",
    statement=r"In blocks of $\gamma$ drafts, after which the target adds a token of its own, with pivots judged against the "
    r"replacement ($U(x) < U_r - \epsilon$): $U(\mathrm{target}) - U(\mathrm{PAD}) \le \epsilon\, N + M \le \epsilon\, D + M$, "
    r"where along PAD's own path $D$ is the expected number of drafts verified, $N$ that of overrides called rightly and $M$ "
    r"that of overrides of missed pivots",
    reference=BLOCKS,
    instances=in_blocks(_tolerant),
    lhs=_side(0, False),
    rhs=_side(1, False),
    tight=({**RUINED, "gamma": 1}, {**_STAIRS, "gamma": 2}),
    note="What a block's last token costs is nothing: the target writes it. D is at most T, and at most γ for each call of the "
    "target.",
    broken=[Broken("the second side is halved", lambda claim: {"rhs": _one_side_halved(claim, 1)})],
)


def _overridden(draw: Draw) -> Instance:
    """The same with these flags taken away."""
    case = unflagged(draw)
    return {**{k: v for k, v in case.items() if k != "removed"}, "flags": case["flags"] & ~case["removed"]}


UTILITY_ACCOUNT_BLOCK = identity(
    name="pad.utility-slack-sharp.block",
    statement=r"In blocks of $\gamma$ drafts, after which the target adds a token of its own: $U(\mathrm{target}) - "
    r"U(\mathrm{PAD}) = \sum_t E_{\mathrm{PAD}} \sum_x g(x)\,(U_r - U(x))$ over the positions at which a draft is verified, "
    r"with $g$ the overrides, $U(x)$ the target's expected utility after $x$ and $U_r$ that of the replacement",
    reference=f"{BLOCKS}: the exact loss, for any flags",
    instances=in_blocks(flagged),
    lhs=on_process(_loss),
    rhs=on_process(_account),
    sums=16,
    note="The target's expected utility is the same wherever a block stands, so that only the positions count at which the rule "
    "differs from the target.",
    broken=[
        broken(
            "overrides along the path of one draft a position",
            instances=lambda draw: {**_overridden(draw), "gamma": 1},
            rhs=lambda gamma, **instance: call(other_claim("pad.utility-slack-sharp").rhs, instance),
        )
    ],
)

UTILITY_SLACK_PRINTED_BLOCK = bound(
    name="pad.utility-slack.printed.block",
    statement=r"In blocks of $\gamma$ drafts, after which the target adds a token of its own, with pivots as printed ($U(x) < "
    r"U(s) - \epsilon$): $U(\mathrm{target}) - U(\mathrm{PAD}) \le \sum_t E_{\mathrm{PAD}}[(\epsilon + \alpha_t) n_t] + M \le "
    r"\sum_t E_{\mathrm{PAD}}[(\epsilon + \alpha_t)(1 - \alpha_t)] + M$ over the positions at which a draft is verified, $n_t$ "
    r"the overrides called rightly; at 100 % recall ($M = 0$) and $\epsilon = 0$ that is $\sum_t E[\alpha_t (1 - \alpha_t)]$, "
    r"at most a quarter of the expected number of drafts verified",
    reference=f"{BLOCKS}: what PAD, Lemma 1 costs as printed",
    instances=in_blocks(_tolerant),
    lhs=_side(0, True),
    rhs=_side(1, True),
    tight=({**RUINED, "gamma": 1}, {**_QUARTER, "gamma": 1}, {**_TOLERATED, "gamma": 1}),
    note="As pad.utility-slack.printed, whose prices hold at each draft that is verified.",
    broken=[Broken("the third side is halved", lambda claim: {"rhs": _one_side_halved(claim, 2)})],
)
