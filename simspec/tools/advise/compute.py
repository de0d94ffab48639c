"""What `simspec.tools.advise` computes of one setting: a row for each rule, at the number of drafts that makes it fastest.

Pure functions of laws that were loaded and of a plan.  What is not here: how laws are read (`load`), and what is advised and
printed of the rows (`table`, `show`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simspec.engine.estimates.clusters import means as means_over_documents
from simspec.engine.estimates.intervals import Interval
from simspec.laws import Array, unchecked
from simspec.methods.method import one_step
from simspec.methods.registry import Rule, faults_of
from simspec.methods.speed import step_time
from simspec.methods.steps import step_starts
from simspec.studies.joint.survival import survival
from simspec.tools.advise.costs import speed_with_time
from simspec.tools.advise.drafted import Drafted, best_trees, side_by_side
from simspec.tools.advise.load import Case, Progress
from simspec.tools.advise.one_hot import columns, columns_of, compared
from simspec.tools.advise.plan import Plan, is_free
from simspec.tools.advise.table import Place, Row, break_even
from simspec.tools.advise.walk import calls, independent, lasting
from simspec.tools.reading import Pairs
from simspec.tools.speeds import speed_of_steps

__all__ = ["Measured", "compute", "facts_of"]

_FLOAT_BITS = 32
"""Bits of one number of a law that is sent as it is."""


@dataclass(frozen=True)
class Measured:
    """What was computed of one setting.

    Attributes
    ----------
    rows : a row for each rule
    places : acceptance by position of the first row's rule
    rates : acceptance at each position in the order of the text, of the rules that draft and judge one token at a time
    likeliest : (3, n), as `simspec.tools.advise.one_hot.columns`
    """

    rows: list[Row]
    places: list[Place]
    rates: dict[str, Array]
    likeliest: Array


@dataclass(frozen=True)
class _Columns:
    """What one pass over the laws measures at each context.

    Attributes
    ----------
    accepted, tv : acceptance and bias (n, rules); of rules for several drafts zeros, as what they draft decides
    survived : what `survival` returns (n, depth), by the place of each rule that judges whole drafts
    likeliest : (3, n), as `simspec.tools.advise.one_hot.columns`
    """

    accepted: Array
    tv: Array
    survived: dict[int, Array]
    likeliest: Array


@dataclass(frozen=True)
class _Steps:
    """Target steps at each number of drafts, by rule.

    Attributes
    ----------
    begins : probability (n, gammas, rules) that a step begins at each position of the text
    times : time (gammas, rules) of a step with its drafts, over that of the target for one token
    trees : what a step drafts at each number of drafts, of rules for several drafts of a level, by the place of the rule
    """

    begins: Array
    times: Array
    trees: dict[int, list[Drafted]]

    @property
    def speeds(self) -> Array:
        """Tokens of a step over its time (gammas, rules), as `simspec.methods.speed.tree_speedup`."""
        return np.asarray(1 / self.begins.mean(axis=0) / self.times)


@dataclass(frozen=True)
class _Costs:
    """Times (rules,) over that of the target for one token: of a pass of the drafter, of verifying a draft, and of both."""

    draft: Array
    verify: Array
    both: Array


def compute(case: Case, plan: Plan, level: float = 0.95, progress: Progress | None = None) -> Measured:
    """Measure every rule of a setting, and choose the number of drafts that makes it fastest.

    >>> from simspec.tools.advise.load import cases
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> plan = Plan(rules=("sd",), gammas=(1, 2), cost=0.25)
    >>> row = compute(next(cases(half, plan)), plan).rows[0]
    >>> row.gamma, [round(speed, 3) for speed in row.speeds]
    (2, [1.4, 1.542])
    """
    measured = _measured(case, max(plan.gammas), progress)
    accepted = measured.accepted
    bits = _bits(case.pairs, case.rules, plan.link)
    costs = _costs(case.rules, bits, plan)
    steps = _steps(case, measured, costs, plan)
    best = steps.speeds.argmax(axis=0)
    for number, trees in steps.trees.items():
        accepted[:, number] = trees[best[number]].accepted
    rows = _rows(case, plan, level, (accepted, measured.tv, bits), costs, steps, best)
    rates = {row.rule: accepted[:, number] for number, row in enumerate(rows) if row.independent is not None}
    return Measured(rows, _places(case.pairs, accepted[:, 0], level), rates, measured.likeliest)


def _rows(
    case: Case,
    plan: Plan,
    level: float,
    columns: tuple[Array, Array, Array],
    costs: _Costs,
    steps: _Steps,
    best: Array,
) -> list[Row]:
    """A row for each rule at its best number of drafts; the columns (n, rules) are acceptance, bias and bits."""
    accepted, tv, bits = columns
    document = case.pairs.document
    count = len(case.rules)
    trees = {number: drafted[best[number]] for number, drafted in steps.trees.items()}
    gammas = [int(plan.gammas[place]) for place in best]
    levels = [trees[number].levels if number in trees else gammas[number] for number in range(count)]
    begins = steps.begins[:, best, np.arange(count)]
    acceptances = means_over_documents(accepted, document, level, (0, 1))
    tvs = means_over_documents(tv, document, level)
    rates = means_over_documents(begins, document, level, (1 / (1 + np.array(levels)), 1))
    sent = means_over_documents(np.where(np.isnan(bits), 0, bits), document, level)
    speeds = steps.speeds
    rows = []
    for number, rule in enumerate(case.rules):
        tree = trees.get(number)
        gamma = gammas[number]
        nodes = gamma if tree is None else tree.nodes
        time = _time_interval(rule, float(steps.times[best[number], number]), (levels[number], nodes), plan)
        is_alone = tree is None and rule.form != "path"
        row = Row(
            rule=rule.name,
            temperature=case.temperature,
            top_p=case.top_p,
            tv=tvs[number],
            gamma=gamma,
            acceptance=acceptances[number],
            tokens=speed_of_steps(rates[number]),
            independent=float(independent(accepted[:, number], gamma)) if is_alone else None,
            lasting=float(lasting(accepted[:, number], gamma)) if is_alone else None,
            speedup=_speedup(rates[number], time),
            pays_from=break_even(gamma, float(costs.both[number])) if tree is None else math.nan,
            bits=None if np.isnan(bits[:, number]).any() else sent[number],
            speeds=tuple(speeds[:, number].tolist()),
            drafted=None if tree is None else tree.nodes,
            levels=None if tree is None else tree.levels,
            lengths=() if tree is not None else _lengths(steps.begins[:, :, number], document, plan.gammas, level),
        )
        rows.append(row)
    return rows


def _lengths(begins: Array, document: Array, gammas: Sequence[int], level: float) -> tuple[Interval, ...]:
    """Mean acceptance length at each number of drafts, from the probabilities (n, gammas) that a step begins."""
    bounds = (1 / (1 + np.asarray(gammas)), 1)
    return tuple(speed_of_steps(steps) for steps in means_over_documents(begins, document, level, bounds))


def _time_interval(rule: Rule, time: float, drafts: tuple[int, int], plan: Plan) -> Interval:
    """Time of a step with the spread of the costs that were timed; drafts are levels and nodes of a step.

    Both costs are over the same target time, so their errors go the same way, and their distances add up.
    """
    levels, nodes = drafts
    low = high = time
    if plan.cost_range is not None and not is_free(rule.name):
        low += levels * (plan.cost_range[0] - plan.cost)
        high += levels * (plan.cost_range[1] - plan.cost)
    if plan.verify_range is not None:
        low += nodes * (plan.verify_range[0] - plan.verify)
        high += nodes * (plan.verify_range[1] - plan.verify)
    return Interval(time, low, high, math.nan)


def _speedup(steps: Interval, time: Interval) -> Interval:
    """Speed of steps that take a time, whose spread is carried where it has one."""
    if time.low == time.high:
        return speed_of_steps(steps, time.estimate)
    return speed_with_time(speed_of_steps(steps), time)


def _judges_several(rule: Rule) -> bool:
    """Whether a rule judges several drafts of a level, so that a call drafts more tokens than it has levels."""
    return rule.accepts is not None or rule.form == "tree"


def _measured(case: Case, depth: int, progress: Progress | None) -> _Columns:
    """Measure the rules on each context; drafts have at most so many tokens.

    Laws of a large bank are made when they are asked for: once, and not again for every rule.  A rule that judges whole drafts
    takes its statistics from the same pass; only a second such rule makes the laws anew.
    """
    pairs = case.pairs
    rules = case.rules
    count = len(pairs.p)
    accepted, tv = np.empty((2, count, len(rules)))
    likeliest = np.empty((3, count))
    parts = pairs.parts()

    def passed() -> Iterator[tuple[slice, Array, Array]]:
        for part, rows in enumerate(parts):
            p = pairs.p[rows]
            q = pairs.q[rows]
            likeliest[:, rows] = columns_of(p, q)
            for number, rule in enumerate(rules):
                accepted[rows, number], tv[rows, number] = _of_rule(rule, rows, p, q)
                if progress is not None and not _judges_several(rule):
                    progress(case.title, part * len(rules) + number + 1, len(parts) * len(rules))
            yield rows, p, q

    passing = passed()
    survived: dict[int, Array] = {}
    for number in (n for n, rule in enumerate(rules) if rule.form == "path"):
        laws = ((rows, pairs.p[rows], pairs.q[rows]) for rows in parts) if survived else passing
        survived[number] = survival(rules[number].name, laws, count, depth)
    for _ in passing:  # what no rule for whole drafts has asked for
        pass
    return _Columns(accepted.clip(0, 1), tv, survived, likeliest)


def _of_rule(rule: Rule, rows: slice, p: Array, q: Array) -> tuple[Array | int, Array | int]:
    """Acceptance and bias of a rule on some contexts; 0 of a rule for several drafts."""
    if _judges_several(rule):
        return 0, 0
    with faults_of(rule):
        method, drafted = rule.at(rows, q)
        step = one_step(method, p, drafted)
    return step.accepted.sum(axis=-1), unchecked.tv(step.output, step.target)


def _bits(pairs: Pairs, rules: Sequence[Rule], link: float) -> Array:
    """Bits (n, rules) of one draft on the wire; a law that no rule makes shorter is sent as numbers.  NaN: not sent."""
    count, vocab = pairs.p.shape
    if link == math.inf:
        return np.full((count, len(rules)), np.nan)
    whole = np.full(count, float(_FLOAT_BITS * vocab))
    token = np.full(count, float(max(1, (vocab - 1).bit_length())))
    plain = {r.name: token if is_free(r.name) else whole for r in rules}
    columns = []
    for rule in rules:
        bits_of = rule.bits
        if bits_of is None:
            columns.append(plain[rule.name])
        else:
            columns.append(np.concatenate([np.asarray(bits_of(pairs.q[rows]), np.float64) for rows in pairs.parts()]))
    return np.stack(columns, axis=1)


def _costs(rules: Sequence[Rule], bits: Array, plan: Plan) -> _Costs:
    """Times of a draft by rule; what is sent over a wire takes its time for every token."""
    sent = np.where(np.isnan(bits), 0, bits).mean(axis=0) / plan.link
    draft = np.array([0.0 if is_free(rule.name) else plan.cost for rule in rules])
    return _Costs(draft, plan.verify + sent, draft + plan.verify + sent)


def _steps(case: Case, measured: _Columns, costs: _Costs, plan: Plan) -> _Steps:
    """Where steps begin and how long they take, at each number of drafts."""
    pairs = case.pairs
    rules = case.rules
    begins = calls(measured.accepted, plan.gammas)
    times = step_time(np.asarray(plan.gammas, dtype=np.float64)[:, None], costs.both)
    trees = {}
    for number, rule in enumerate(rules):
        if number in measured.survived:
            begins[:, :, number] = step_starts(measured.survived[number], plan.gammas)
        if not _judges_several(rule):
            continue
        if rule.form == "tree":
            trees[number] = best_trees(rule.name, pairs, plan.gammas, plan.cost, plan.verify)
        else:
            trees[number] = side_by_side(rule, pairs, plan.gammas)
        draft = costs.draft[number]
        verify = costs.verify[number]
        columns = [step_starts(tree.survived, [tree.levels])[:, 0] for tree in trees[number]]
        begins[:, :, number] = np.stack(columns, axis=1)
        times[:, number] = [step_time(tree.levels, draft, tree.nodes, verify) for tree in trees[number]]
    return _Steps(begins, times, trees)


def facts_of(pairs: Pairs, level: float = 0.95, likeliest: Array | None = None) -> dict[str, Any]:
    """What laws were measured, as `simspec.tools.advise.table.Advice` takes it; `likeliest` as in `Measured`, if it is known.

    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> facts = facts_of(half)
    >>> facts["source"], facts["contexts"], facts["documents"], facts["apart"], facts["adjacent"]
    ('by hand', 1, 1, False, 0.0)
    """
    is_apart = pairs.known.shared is not None and not bool(pairs.known.shared.all())
    is_same_document = pairs.document[1:] == pairs.document[:-1]
    full, token, confidence = columns(pairs) if likeliest is None else likeliest
    is_next = is_same_document if pairs.position is None else is_same_document & (np.diff(pairs.position) == 1)
    return {
        "source": pairs.source,
        "kind": pairs.kind,
        "contexts": len(pairs.p),
        "documents": len(np.unique(pairs.document)),
        "apart": is_apart,
        "confidence": confidence,
        "one_hot": None if is_apart else compared(full, token, pairs.document, level),
        "adjacent": float(is_next.mean()) if len(is_next) else 0.0,
    }


def _places(pairs: Pairs, accepted: Array, level: float) -> list[Place]:
    """Acceptance in the quarters of the positions; none where the source tells no positions."""
    if pairs.position is None:
        return []
    edges = np.quantile(pairs.position, [0.25, 0.5, 0.75])
    quarter = np.searchsorted(edges, pairs.position)
    places = []
    for number in np.unique(quarter):
        is_here = quarter == number
        positions = pairs.position[is_here]
        (interval,) = means_over_documents(accepted[is_here, None], pairs.document[is_here], level, (0, 1))
        places.append(Place(int(positions.min()), int(positions.max()), interval))
    return places
