"""Which rule, how many drafts, what speed: every rule by name on a pair's own contexts, at every number of drafts.

Acceptance and bias are exact at each context; tokens a call follow exactly from the acceptance along the text
(`simspec.tools.advise.walk`); intervals are over documents.  What is not here: how the laws are read
(`simspec.tools.reading.load`), what is printed (`simspec.cli.advise`), decoding for real (`simspec.tools.advise.running`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from simspec.engine.estimates.clusters import means as means_over_documents
from simspec.engine.estimates.intervals import Interval
from simspec.laws import Array, check_law, unchecked
from simspec.methods.names import Rule, rule, told_of
from simspec.methods.sd import SD
from simspec.methods.step import one_step
from simspec.studies.joint import survival as joint
from simspec.studies.joint.survival import JOINT
from simspec.tools.advise.advice import Advice, Place, Row, break_even
from simspec.tools.advise.drafted import TREES, Drafted, best_trees, side_by_side
from simspec.tools.advise.plan import (
    FREE,
    GAMMAS,
    LINKED,
    RELAXED,
    Plan,
    check,
    default_rules,
    in_order,
    prune,
    truncated,
)
from simspec.tools.advise.walk import calls, independent, lasting
from simspec.tools.reading import Pairs, load

__all__ = [
    "FREE",
    "GAMMAS",
    "LINKED",
    "RELAXED",
    "Advice",
    "Plan",
    "Row",
    "advise",
    "default_rules",
    "in_order",
    "prune",
]

_FLOAT_BITS = 32
"""Bits of one number of a law that is sent as it is."""
Progress = Callable[[str, int, int | None], None]


def advise(source: Any, plan: Plan = Plan(), level: float = 0.95, progress: Progress | None = None) -> Advice:  # noqa: B008
    """Measure every rule of a plan on a pair, and find the number of drafts that makes each fastest.

    Parameters
    ----------
    source : path or name
        as `simspec.tools.reading.load` reads it: a bank, or an ``.npz`` of laws or logits; or the `Pairs` themselves,
        which are laws and have one setting; or a function from temperature to `Pairs`.
    plan : Plan
    level : of the intervals, in (0, 1)
    progress : (what is done, how much of it, of how much) -> None, optional

    Returns
    -------
    Advice
        a row for each setting and rule; of the speed's interval the number of drafts and the bits are taken as given.

    Raises ValueError for a plan that makes no sense, a source that cannot be read, or a rule that it cannot measure.

    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> made = advise(half, Plan(rules=("sd",), gammas=(1, 2), cost=0.25))
    >>> made[0].gamma, made[0].acceptance.estimate, made[0].tokens.estimate, round(made[0].speedup.estimate, 3)
    (2, 0.75, 2.3125, 1.542)
    >>> made.sentence()
    "Draft 2 tokens a call with sd: 2.31 tokens a call, 1.54 times the target's speed at 0.25 target steps a draft."
    """
    check(plan)
    told = progress or (lambda what, done, of: None)
    rows: list[Row] = []
    facts: dict[str, Any] = {
        "cost": plan.cost + plan.verify,
        "link": plan.link,
        "gammas": plan.gammas,
        "pruned": plan.pruned,
    }
    settings = [(t, mass) for t in plan.temperatures for mass in plan.top_ps]
    at_hand: tuple[float, Pairs] | None = None
    for number, (temperature, mass) in enumerate(settings):
        told("reading laws", 0, None)
        if at_hand is None or at_hand[0] != temperature:
            at_hand = temperature, prune(in_order(_read(source, temperature)), plan.pruned)
        pairs = truncated(at_hand[1], mass)
        names = plan.rules or default_rules(pairs, plan.link)
        names = names if plan.rules or not number else names[:2]
        rules = [_named(name, pairs) for name in names]
        made, first = _setting(pairs, rules, (temperature, mass), plan, level, told)
        rows += made
        if not number:
            facts |= _facts(pairs, first, level)
    return Advice(rows, **facts)


def _named(name: str, pairs: Pairs) -> Rule:
    whole = name in JOINT and not JOINT[name].writes_on
    return Rule(name, SD) if whole or name in TREES else rule(name, pairs.known, several=True)


def _read(source: Any, temperature: float) -> Pairs:
    if not isinstance(source, Pairs):
        return source(temperature) if callable(source) else load(source, temperature)
    if temperature != 1:
        raise ValueError(f"temperatures: {temperature}; laws have none, expected 1")
    return source._replace(p=check_law(source.p), q=check_law(source.q, "q"))


def _many(chosen: Rule) -> bool:
    """Whether a rule judges several drafts of a level, so that a call drafts more tokens than it has levels."""
    return chosen.accepts is not None or chosen.name in TREES


def _calls(pairs: Pairs, rules: Sequence[Rule], plan: Plan) -> dict[int, list[Drafted]]:
    """What a call drafts at each number of drafts, of rules for several of a level, by the place of the rule."""
    found = {}
    for number, chosen in enumerate(rules):
        if chosen.name in TREES:
            found[number] = best_trees(chosen.name, pairs, plan.gammas, plan.cost, plan.verify)
        elif chosen.accepts is not None:
            found[number] = side_by_side(chosen, pairs, plan.gammas)
    return found


def _measured(pairs: Pairs, rules: Sequence[Rule], told: Callable[[int, int], None]) -> tuple[Array, Array]:
    """Acceptance and bias (n, rules) at each context."""
    accepted, bias = np.empty((2, len(pairs.p), len(rules)))
    parts = pairs.parts()
    for part, some in enumerate(parts):
        for number, chosen in enumerate(rules):
            if _many(chosen):
                accepted[some, number], bias[some, number] = 0, 0  # filled in by what a call drafts
                continue
            with told_of(chosen):
                method, drafted = chosen.at(some, pairs.q[some])
                done = one_step(method, pairs.p[some], drafted)
            accepted[some, number] = done.kept.sum(axis=-1)
            bias[some, number] = unchecked.tv(done.output, done.target)
            told(part * len(rules) + number + 1, len(parts) * len(rules))
    return accepted.clip(0, 1), bias


def _bits(pairs: Pairs, rules: Sequence[Rule], link: float) -> Array:
    """Bits (n, rules) of one draft on the wire; a law that no rule makes shorter is sent as numbers.  NaN: not sent."""
    count, vocab = pairs.p.shape
    if link == math.inf:
        return np.full((count, len(rules)), np.nan)
    whole = np.full(count, float(_FLOAT_BITS * vocab))
    token = np.full(count, float(max(1, (vocab - 1).bit_length())))
    plain = {r.name: token if r.name in FREE else whole for r in rules}
    return np.stack(
        [plain[r.name] if r.bits is None else np.asarray(r.bits(pairs.q), np.float64) for r in rules], axis=1
    )


def _setting(
    pairs: Pairs, rules: Sequence[Rule], setting: tuple[float, float], plan: Plan, level: float, told: Progress
) -> tuple[list[Row], Array]:
    """Rows of one setting, and the acceptance (n,) of the first rule."""
    what = f"temperature {setting[0]:g}, top-p {setting[1]:g}"
    accepted, bias = _measured(pairs, rules, lambda done, of: told(what, done, of))
    bits = _bits(pairs, rules, plan.link)
    begins = _begins(pairs, rules, accepted, plan.gammas)
    many = _calls(pairs, rules, plan)
    sent = np.where(np.isnan(bits), 0, bits).mean(axis=0) / plan.link
    drafted = np.array([0.0 if r.name in FREE else plan.cost for r in rules])
    costs = drafted + plan.verify + sent  # of a draft, by rule
    gammas = np.asarray(plan.gammas, dtype=np.float64)
    times = 1 + gammas[:, None] * costs
    for n, each_call in many.items():
        begins[:, :, n] = np.stack([joint.calls(one.survived, [one.levels])[:, 0] for one in each_call], axis=1)
        times[:, n] = [1 + one.levels * drafted[n] + one.nodes * (plan.verify + sent[n]) for one in each_call]
    speeds = 1 / begins.mean(axis=0) / times
    best = speeds.argmax(axis=0)
    every = np.arange(len(rules))
    for n, each_call in many.items():
        accepted[:, n] = each_call[best[n]].accepted
    chosen = begins[:, best, every]
    drafts = [many[n][best[n]].levels if n in many else plan.gammas[best[n]] for n in range(len(rules))]
    means = [
        *means_over_documents(accepted, pairs.document, level, (0, 1)),
        *means_over_documents(bias, pairs.document, level),
        *means_over_documents(chosen, pairs.document, level, (1 / (1 + np.array(drafts)), 1)),
        *means_over_documents(np.where(np.isnan(bits), 0, bits), pairs.document, level),
    ]
    alpha, tv, rate, wire = (means[at : at + len(rules)] for at in range(0, 4 * len(rules), len(rules)))
    rows = []
    for n, made in enumerate(rules):
        gamma, tokens = int(plan.gammas[best[n]]), _inverse(rate[n], 1.0)
        call = many[n][best[n]] if n in many else None
        paid = break_even(gamma, float(costs[n])) if call is None else math.nan
        alone = call is None and made.name not in JOINT
        rows.append(
            Row(
                made.name,
                *setting,
                tv[n],
                gamma,
                alpha[n],
                tokens,
                float(independent(accepted[:, n], gamma)) if alone else None,
                float(lasting(accepted[:, n], gamma)) if alone else None,
                _inverse(rate[n], float(times[best[n], n])),
                paid,
                None if np.isnan(bits[:, n]).any() else wire[n],
                tuple(speeds[:, n].tolist()),
                None if call is None else call.nodes,
                None if call is None else call.levels,
            )
        )
    return rows, accepted[:, 0]


def _begins(pairs: Pairs, rules: Sequence[Rule], accepted: Array, gammas: Sequence[int]) -> Array:
    """Probability (n, gammas, rules) that a call begins at each position."""
    begins = calls(accepted, gammas)
    for number, chosen in enumerate(rules):
        if chosen.name in JOINT:
            laws = ((part, pairs.p[part], pairs.q[part]) for part in pairs.parts())
            survived = joint.survival(chosen.name, laws, len(pairs.p), max(gammas))
            begins[:, :, number] = joint.calls(survived, gammas)
    return begins


def _inverse(calls_a_token: Interval, time: float) -> Interval:
    """Tokens in the time of one target call, from target calls a token."""
    made = [1 / (x * time) for x in (calls_a_token.estimate, calls_a_token.high, calls_a_token.low)]
    return Interval(made[0], made[1], made[2], calls_a_token.level)


def _facts(pairs: Pairs, accepted: Array, level: float) -> dict[str, Any]:
    """What the rows were measured on."""
    same = pairs.document[1:] == pairs.document[:-1]
    near = same if pairs.position is None else same & (np.diff(pairs.position) == 1)
    facts = {
        "source": pairs.source,
        "contexts": len(pairs.p),
        "documents": len(np.unique(pairs.document)),
        "apart": pairs.known.shared is not None and not bool(pairs.known.shared.all()),
        "adjacent": float(near.mean()) if len(near) else 0.0,
    }
    return facts if pairs.position is None else facts | {"places": _places(pairs, accepted, level)}


def _places(pairs: Pairs, accepted: Array, level: float) -> list[Place]:
    """Acceptance in the quarters of the positions."""
    assert pairs.position is not None
    edges = np.quantile(pairs.position, [0.25, 0.5, 0.75])
    quarter = np.searchsorted(edges, pairs.position)
    made = []
    for number in np.unique(quarter):
        here = quarter == number
        where = pairs.position[here]
        (interval,) = means_over_documents(accepted[here, None], pairs.document[here], level, (0, 1))
        made.append(Place(int(where.min()), int(where.max()), interval))
    return made
