"""What each rule accepts for the same number of drafted tokens: on a chain, as children of one node, and on a tree.

Two ends, between which texts lie whose neighbours are alike: all levels of a call have the laws of one context, or each
level has those of a context of its own, independent of the others.  Nodes of one level always share their laws, so that
a tree accepts, level by level, with the rates of its children, and only a block has to be followed along drawn paths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from simspec.engine.estimates.statistics import Mean
from simspec.engine.estimates.stopping import HalfWidth
from simspec.engine.study import Cell, Rows, Study, Values, cross
from simspec.kernels import random as philox
from simspec.laws import Array, overlap, softmax
from simspec.logits.bank import Bank, MissingPart
from simspec.methods.block.survival import ratios
from simspec.methods.coupling import list_match, match_probability, minhash_probability
from simspec.methods.multi.acceptance import match_acceptance, rrs_acceptance, rrsw_acceptance
from simspec.methods.multi.greedy import greedy_acceptance, spechub_acceptance
from simspec.methods.multi.kseq import kseq_acceptance
from simspec.methods.multi.thresholds import optimal_acceptance
from simspec.methods.tree.best import accepted_drafts, best_tree
from simspec.methods.tree.levels import mean_levels
from simspec.methods.tree.rates import rates_of_drawn, rates_of_top
from simspec.methods.tree.shapes import Shape, nodes
from simspec.studies.pairs import bank_laws, draft_laws, synthetic_logits

__all__ = [
    "ALIKE",
    "BUDGETS",
    "CHILDREN",
    "RULES",
    "STRIDE",
    "child_rates",
    "drafted_on_bank",
    "drafted_tokens",
    "drafts_by_rule",
    "fitted_trees",
    "path_drafts",
    "rates_by_depth",
    "rates_of_children",
    "rrsw_by_row",
    "traversal_drafts",
    "tuned_laws",
]

BUDGETS = (1, 2, 4, 8)
"""Tokens drafted for one call of the target."""
ALIKE = ("one a call", "one a level")
"""Contexts of a call."""
CHILDREN = 4
"""Most children of a node of a tree."""
PATHS = 32
"""Drafted paths that are followed for each context, for block verification."""
FITTED = 40
"""Contexts that trees are fitted on; none of them is measured."""
_WAYS = 16
"""Ways to be refused that are drawn for each pair of laws, for drafts without replacement."""
STRIDE = 37
"""Contexts from one level of a call to the next, where each has one of its own."""
TREES_DRAWN = 8
"""Trees that are drawn for each call, for traversal verification."""
_TOKEN = 2
_NODE = 3
"""Purposes of the draws of a path and of a tree; target and draft logits take 0 and 1."""

_CHAINS: dict[str, Callable[[Array, Array], Array]] = {"gumbel": match_probability, "minhash": minhash_probability}


def _spechub(p: Array, q: Array, budget: int) -> Any:
    """SpecHub is a rule for two drafts: one is tested by itself, and what is beyond two is not drafted."""
    return overlap(p, q).clip(0, 1) if budget == 1 else spechub_acceptance(p, q)


_FLAT: dict[str, Callable[..., Any]] = {
    "match": match_acceptance,
    "rrs": rrs_acceptance,
    "k-seq": kseq_acceptance,
    "greedy drafts": greedy_acceptance,
    "spechub": _spechub,
    "gumbel list": list_match,
    "best, drawn with replacement": partial(optimal_acceptance, drafts="iid"),
    "best, without": partial(optimal_acceptance, drafts="swor"),
}
_TREES = ("rrs", "rrsw", "top")
_TRAVERSED = {"tree, traversal": "rrs", "tree, traversal without": "rrsw"}
"""Rules that judge a tree as a whole, and the rule that the tree was fitted for."""
RULES = ("token", "block", "hsd-naive", *_CHAINS, *_FLAT, "rrsw", *(f"tree, {rule}" for rule in _TREES), *_TRAVERSED)
"""Rules by name: on a chain, for the drafts of one step, on a fitted tree."""


def rrsw_by_row(p: Array, q: Array, k: int, numbers: Sequence[int]) -> Array:
    """Acceptance without replacement, (n,); the draws of a pair of laws, for more than two drafts, belong to its number.

    Parameters
    ----------
    p, q : (n, V) laws
    k : int >= 1; drafts
    numbers : (n)

    >>> rrsw_by_row(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), 2, [0]).tolist()
    [1.0]
    """
    acceptances = [rrsw_acceptance(a, b, k, _WAYS, number) for a, b, number in zip(p, q, numbers, strict=True)]
    return np.array(acceptances)


def child_rates(rule: str, p: Array, q: Array, numbers: Sequence[int], limit: int = CHILDREN) -> Array:
    r"""Probability that child j of a node is the one that is accepted, (n, most).

    Parameters
    ----------
    rule : "rrs" or "rrsw", recursive rejection with and without replacement; "top", the most likely tokens of q, accepted
        with their own target mass (target-only verification)
    p, q : (n, V) laws
    numbers : (n) their numbers, to which draws belong ("rrsw" beyond two children)

    >>> p, q = np.array([[0.25, 0.75]]), np.array([[0.75, 0.25]])
    >>> child_rates("rrs", p, q, [0], 2).tolist(), child_rates("top", p, q, [0], 2).tolist()
    ([[0.5, 0.125]], [[0.25, 0.75]])
    """
    if rule == "top":
        return rates_of_top(p, q, min(limit, p.shape[-1]))
    if rule == "rrs":
        return np.clip(rates_of_drawn(p, q, limit), 0, 1)
    accepted = np.stack([rrsw_by_row(p, q, k, numbers) for k in range(1, limit + 1)], axis=-1)
    return np.clip(np.diff(np.maximum.accumulate(accepted, axis=-1), axis=-1, prepend=0), 0, 1)


def path_drafts(p: Array, q: Array, gamma: int, rows: Rows, paths: int = PATHS) -> dict[str, Array]:
    r"""Mean accepted drafts of rules that judge a chain as a whole, over drawn paths of ratios :math:`p(x_i)/q(x_i)`, (n,).

    Block verification reaches level i with :math:`r_i = \min(1, r_{i-1}\,p/q)` (claim ``block.reach``), naive
    hierarchical verification with :math:`\min(1, \prod_{j\le i} p/q)` (claim ``block.hsd-lossless.naive``), for which it
    calls the target for every token after the branch.  Capped hierarchical verification keeps what the block keeps.

    Parameters
    ----------
    p, q : (n, L, V) laws of each level; L is gamma, or 1 for one pair at all levels
    rows : key and numbers (n) that the draws belong to

    >>> law = np.array([[[0.25, 0.75]]])
    >>> {rule: found.tolist() for rule, found in path_drafts(law, law, 3, Rows(1, range(1))).items()}
    {'block': [3.0], 'hsd-naive': [3.0]}
    """
    u = philox.uniform(rows.key, rows.numbers, range(paths * gamma), _TOKEN).reshape(len(p), gamma, paths)
    reached = np.ones((len(p), paths))
    product = np.ones((len(p), paths))
    block = np.zeros((len(p), paths))
    naive = np.zeros((len(p), paths))
    for level in range(gamma):
        target, draft = (laws[:, level % laws.shape[1]] for laws in (p, q))
        ratio = ratios(target, draft, u[:, level])
        reached = np.minimum(1, reached * ratio)
        product = product * ratio
        block += reached
        naive += np.minimum(1, product)
    return {"block": block.mean(axis=-1), "hsd-naive": naive.mean(axis=-1)}


def traversal_drafts(p: Array, q: Array, shape: Shape, replace: bool, rows: Rows, trees: int = TREES_DRAWN) -> Array:
    """Mean accepted drafts of traversal verification on a tree, over trees that are drawn, (n,).

    Parameters
    ----------
    p, q : (n, L, V) laws of each level; L is the tree's height or more, or 1 for one pair at all levels
    shape : the tree; of no nodes nothing is accepted
    replace : whether a node's children are independent
    rows : key and numbers (n) that the draws belong to

    >>> law = np.array([[[0.25, 0.75]]])
    >>> traversal_drafts(law, law, (((),), ()), True, Rows(1, range(1))).round(9).tolist()
    [2.0]
    """
    count = nodes(shape)
    if not count:
        return np.zeros(len(p))
    u = philox.uniform(rows.key, rows.numbers, range(trees * count), _NODE).reshape(len(p), trees, count)
    target, draft = (partial(_level, laws) for laws in (p, q))
    level_masses = mean_levels(target, draft, shape, u, replace)
    return np.asarray(
        (level_masses * np.arange(level_masses.shape[1])).sum(axis=-1)
    )  # row by row: a product of matrices looks at all


def _level(laws: Array, level: int) -> Array:
    return np.asarray(laws[:, level % laws.shape[1]])


def rates_by_depth(rates: Array) -> Array:
    """Mean rates of children at each depth, given that first children were accepted so far: what a tree is fitted to, (D, K).

    Parameters
    ----------
    rates : (n, D, K) of n contexts

    >>> rates_by_depth(np.array([[[1.0, 0.0]] * 2, [[0.0, 1.0]] * 2])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    first = np.concatenate([np.ones_like(rates[:, :1, 0]), rates[:, :-1, 0]], axis=1)
    weight = np.cumprod(first, axis=1)[..., None]
    total = weight.sum(axis=0)
    return np.clip((weight * rates).sum(axis=0) / np.where(total > 0, total, 1), 0, 1)


def rates_of_children(p: Array, q: Array, numbers: Sequence[int]) -> dict[str, Array]:
    """Rates of children under each rule of a tree, (n, K)."""
    return {rule: child_rates(rule, p, q, numbers) for rule in _TREES}


def fitted_trees(rates: dict[str, Array], budget: int) -> dict[str, Shape]:
    """For each rule the tree that is best at the mean rates of some calls; rates (n, budget, K) or (n, 1, K)."""
    shapes = {}
    for rule, rule_rates in rates.items():
        levels = np.broadcast_to(rule_rates, (len(rule_rates), budget, rule_rates.shape[-1]))
        shapes[rule] = best_tree(budget, rates_by_depth(levels)).shape
    return shapes


def drafts_by_rule(
    p: Array,
    q: Array,
    budget: int,
    rates: dict[str, Array],
    shapes: dict[str, Shape],
    rows: Rows,
    rules: Sequence[str] = RULES,
) -> dict[str, Array]:
    """Mean accepted drafts of each rule, for each call: laws (n, L, V) and rates (n, L, K) of its levels."""
    alpha = np.broadcast_to(np.clip(overlap(p, q), 0, 1), (len(p), budget))
    accepted_by_rule: dict[str, Array] = {
        "token": np.cumprod(alpha, axis=1).sum(axis=1),
        **path_drafts(p, q, budget, rows),
    }
    for name, matched in ((name, matched) for name, matched in _CHAINS.items() if name in rules):
        accepted_by_rule[name] = np.cumprod(np.broadcast_to(matched(p, q).clip(0, 1), (len(p), budget)), axis=1).sum(
            axis=1
        )
    for name, acceptance in ((name, acceptance) for name, acceptance in _FLAT.items() if name in rules):
        accepted_by_rule[name] = np.asarray(acceptance(p[:, 0], q[:, 0], budget))
    if "rrsw" in rules:
        accepted_by_rule["rrsw"] = rrsw_by_row(p[:, 0], q[:, 0], budget, rows.numbers)
    for rule, shape in shapes.items():
        levels = np.broadcast_to(rates[rule], (len(p), budget, rates[rule].shape[-1]))
        accepted_by_rule[f"tree, {rule}"] = np.array([accepted_drafts(shape, row) for row in levels])
    for name, rule in _TRAVERSED.items():
        if rule in shapes and name in rules:
            accepted_by_rule[name] = traversal_drafts(p, q, shapes[rule], rule == "rrs", rows)
    return accepted_by_rule


def drafted_tokens() -> Study:
    """Mean accepted drafts of a call, for each rule, at equal numbers of drafted tokens, on synthetic laws.

    Cells: ``contexts``, one of `ALIKE`; ``rho``, correlation of draft and target logits; ``budget``, drafted tokens;
    ``scale`` of the logits, inverse to a temperature; ``vocab``.  Values: a number for each of `RULES` and each call, exact
    but for ``block`` and ``hsd-naive`` (drawn paths), traversal (drawn trees), ``gumbel list`` (an integral) and ``rrsw``
    beyond two drafts.

    >>> len(drafted_tokens().grid)
    48
    """
    return Study(
        name="drafted-tokens",
        question="How many drafts does each rule accept for the same number of drafted tokens?",
        grid=cross(contexts=ALIKE, rho=(0.5, 0.9, 0.99), scale=(2.0, 4.0), vocab=(4096,), budget=BUDGETS),
        simulate=_synthetic,
        summary="mean accepted drafts of a call, on a chain, for one step and on a tree",
        rows=16,
        measures={rule: Mean(0, max(BUDGETS)) for rule in RULES},
        stop=HalfWidth("block", 0.2, 0, max(BUDGETS)),
    )


def _synthetic(cell: Cell, rows: Rows, device: str) -> Values:
    budget = int(cell["budget"])
    p, q, rates = _synthetic_calls(cell, rows, budget if cell["contexts"] == ALIKE[1] else 1)
    return drafts_by_rule(p, q, budget, rates, _synthetic_shapes(tuple(sorted(cell.items())), rows.key), rows)


def _synthetic_calls(cell: Cell, rows: Rows, levels: int) -> tuple[Array, Array, dict[str, Array]]:
    """Laws (n, levels, V), and rates of children: level i of row n has the pair of laws of number n * levels + i."""
    places = range(rows.numbers.start * levels, rows.numbers.stop * levels)
    p, q = (softmax(z) for z in synthetic_logits(cell, Rows(rows.key, places)))
    rates = {
        rule: rule_rates.reshape(-1, levels, rule_rates.shape[-1])
        for rule, rule_rates in rates_of_children(p, q, places).items()
    }
    return p.reshape(-1, levels, p.shape[-1]), q.reshape(-1, levels, q.shape[-1]), rates


@lru_cache(maxsize=32)
def _synthetic_shapes(cell: tuple[tuple[str, Any], ...], key: int) -> dict[str, Shape]:
    """Trees for a cell, from pairs of laws far beyond any that is measured."""
    cell_values = dict(cell)
    first = 2**31 // max(BUDGETS)
    budget = int(cell_values["budget"])
    levels = budget if cell_values["contexts"] == ALIKE[1] else 1
    return fitted_trees(
        _synthetic_calls(cell_values, Rows(key, range(first, first + FITTED // levels)), levels)[2], budget
    )


def drafted_on_bank(
    bank: Bank, temperatures: tuple[float, ...] = (1.0,), contexts: int | None = None, fitted: int = FITTED
) -> Study:
    """The same on the contexts of a bank, with trees fitted on its tuning contexts.

    Level i of call n in contexts of its own has the context of number n + 37 i, of those measured.  Values as those of
    `drafted_tokens`, and the ``document`` of each call's first context.

    Parameters
    ----------
    bank : Bank; a pair, with tuning contexts
    temperatures : numbers > 0
    contexts : how many of the bank's; by default all
    fitted : most tuning contexts that trees are fitted on

    Raises MissingPart for a bank without a draft or without tuning contexts.
    """
    if bank.tuning_index is None or bank.tuning_draft([0]) is None:
        raise MissingPart(f"bank: {bank.name!r} has no tuning contexts with a draft; expected a captured pair")
    count = min(contexts or bank.contexts, bank.contexts)
    tuned = min(fitted, len(bank.tuning_index.document))

    @lru_cache(maxsize=2)
    def known(temperature: float) -> tuple[dict[str, Array], dict[str, Array]]:
        """Rates of children in tuning contexts and in those that are measured, (n, K)."""
        measured = rates_of_children(*bank_laws(bank, np.arange(count), temperature), range(count))
        return rates_of_children(*tuned_laws(bank, tuned, temperature), range(count, count + tuned)), measured

    @lru_cache(maxsize=32)
    def shapes(temperature: float, budget: int, levels: int) -> dict[str, Shape]:
        at = (np.arange(tuned)[:, None] + 7 * np.arange(levels)) % tuned
        return fitted_trees({rule: rates[at] for rule, rates in known(temperature)[0].items()}, budget)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        budget = int(cell["budget"])
        temperature = cell["temperature"]
        levels = 1 if cell["contexts"] == ALIKE[0] else budget
        at = (np.array(rows.numbers)[:, None] + STRIDE * np.arange(levels)) % count
        p, q = (x.reshape(*at.shape, -1) for x in bank_laws(bank, at.reshape(-1), temperature))
        rates = {rule: values[at] for rule, values in known(temperature)[1].items()}
        values = drafts_by_rule(p, q, budget, rates, shapes(temperature, budget, levels), rows)
        return {**values, "document": np.asarray(bank.documents)[rows.numbers].astype(np.float64)}

    return Study(
        name="drafted-on-bank",
        question="How many drafts does each rule accept for the same number of drafted tokens?",
        grid=cross(contexts=ALIKE, temperature=temperatures, budget=BUDGETS, rows=(count,)),
        simulate=simulate,
        summary="mean accepted drafts of a call, on a chain, for one step and on a tree",
        rows=count,
    )


def tuned_laws(bank: Bank, count: int, temperature: float) -> tuple[Array, Array]:
    """Laws (n, V) of the tuning contexts that trees are fitted on.

    Parameters
    ----------
    bank : Bank; a pair, with tuning contexts
    count : how many of them
    temperature : number > 0
    """
    q = draft_laws(bank, bank.tuning_draft(slice(count)).astype(np.float64), temperature)
    return softmax(bank.tuning_target(slice(count)).astype(np.float64), temperature), q
