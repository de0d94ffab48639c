"""What every rule accepts over depth and number of siblings: chains of drafts, and K siblings a level.

`simspec.studies.joint.budgets` asks where so many drafted tokens are best spent; here depth and siblings are axes of their own,
and there is a value for every rule: lossless, stopping, and relaxed, these with what they cost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from simspec.engine.estimates.statistics import Mean
from simspec.engine.estimates.stopping import HalfWidth
from simspec.engine.study import Cell, Rows, Study, Values, cross
from simspec.laws import Array, overlap, softmax, tv, unchecked
from simspec.logits.bank import Bank, MissingPart
from simspec.methods.method import acceptance_rate, output_law
from simspec.methods.registry import REGISTRY, first_alone, rule
from simspec.methods.tree.shapes import Shape
from simspec.studies.joint.budgets import ALIKE, path_drafts, rrsw_by_row, traversal_drafts
from simspec.studies.pairs import bank_laws, synthetic_logits

__all__ = [
    "DEPTHS",
    "LOSSLESS",
    "RELAXED",
    "SIBLINGS",
    "SIDES",
    "STOPPING",
    "chain_drafts",
    "drafted_chains",
    "drafted_siblings",
    "sibling_drafts",
]

DEPTHS = (1, 2, 4, 8)
"""Levels of a call."""
SIDES = tuple((k, depth) for k in DEPTHS for depth in DEPTHS if k * depth <= max(DEPTHS))
"""Siblings of a level and levels, of at most eight drafted tokens."""
LOSSLESS = ("sd", "greedy", "match", "gumbel", "minhash")
"""Lossless rules of one token, by the names of `simspec rates`."""
STOPPING = ("top-stop:0.3", "entropy-stop:0.3", "p-min-kept:0.3", "p-min-one-hot:0.3", "p-min-rejected:0.3")
"""Lossless rules that end a draft early, so that less is drafted than the depth allows."""
RELAXED = (
    *("ears:0.1", "ears-fresh:0.1", "lenience:0.8", "mixture:0.1", "ensemble:0.9", "cactus:0.01", "typical:0.09,0.3"),
    *("cascade-opt:0.2", "cascade-tok3:0.2", "fsd-js:0.1", "thresholds:0.5,0.9", "p-min:0.3"),
    *("strict", "additive:0.1", "multiplicative:0.8", "top:3"),
)
"""Rules that change the law; each has a value for its total variation from the target at a step."""
WHOLE = ("block", "hsd-naive")
"""Rules that judge a chain as a whole."""
SIBLINGS = ("rrs", "rrsw", "kseq", "spechub", "greedy-drafts", "target-only", "sample", "traversal", "traversal-swor")
"""Rules for K siblings, by their names without K."""
_STRIDE = 37
"""Contexts from one level of a call to the next, where each has one of its own."""


def _goes_on(name: str, q: Array) -> Array:
    """Probability that another token is drafted after the one that q draws (`p-min`), or one from q at all."""
    kind = name.split(":")[0]
    threshold = float(name.split(":")[1])
    if kind == "top-stop":
        return np.asarray(q.max(axis=-1) >= threshold, dtype=float)
    if kind == "entropy-stop":
        return np.asarray(1 - np.sqrt(0.2 * unchecked.entropy(q)) >= threshold, dtype=float)
    return np.asarray(np.where(q >= threshold, q, 0).sum(axis=-1).clip(0, 1))


def chain_drafts(p: Array, q: Array, depth: int, rows: Rows) -> dict[str, Array]:
    r"""Mean accepted drafts of a chain under every rule, (n,), exact but for `WHOLE`, which follow drawn paths.

    :math:`\sum_{i \le \gamma} \prod_{j \le i} a_j`, :math:`a_j` the acceptance of level j, which counts what is not drafted as
    not accepted.  ``drafted NAME``: tokens that a rule of `STOPPING` drafts, those that it drops among them.  ``tv NAME``: mean
    over the levels of a relaxed rule's total variation from the target at a step.

    Parameters
    ----------
    p, q : (n, L, V) laws of each level; L is depth, or 1 for one pair at all levels
    depth : int >= 1; most drafts
    rows : key and numbers (n) that the draws belong to

    >>> p, q = np.array([[[0.5, 0.5]]]), np.array([[[0.75, 0.25]]])
    >>> found = chain_drafts(p, q, 2, Rows(1, range(1)))
    >>> [float(found[name][0]) for name in ("sd", "top-stop:0.3", "drafted top-stop:0.3", "lenience:0.8", "tv lenience:0.8")]
    [1.3125, 1.3125, 2.0, 1.640625, 0.125]
    """
    columns = path_drafts(p, q, depth, rows)
    for name in (*LOSSLESS, *STOPPING, *RELAXED):
        method = rule(name).method
        columns[name] = _reached(np.clip(acceptance_rate(method, p, q), 0, 1), depth)
        if name in RELAXED:
            columns[f"tv {name}"] = np.clip(tv(output_law(method, p, q), p), 0, 1).mean(axis=1)
    for name in STOPPING:
        on = np.broadcast_to(_goes_on(name, q), (len(q), depth))
        dropped = name.startswith("p-min")  # the token that ends the draft was drafted
        columns[f"drafted {name}"] = dropped + np.cumprod(on[:, : depth - dropped], axis=1).sum(axis=1)
    return columns


def _reached(rates: Array, depth: int) -> Array:
    """Levels reached: the sum of the products of the rates (n, L) so far."""
    return np.asarray(np.cumprod(np.broadcast_to(rates, (len(rates), depth)), axis=1).sum(axis=1))


def sibling_drafts(p: Array, q: Array, k: int, depth: int, rows: Rows) -> dict[str, Array]:
    r"""Mean accepted levels of K siblings a level, the first of which has those of the next, under each of `SIBLINGS`, (n,).

    :math:`\sum_{i \le \gamma} f_1 \cdots f_{i-1}\,a_i`, :math:`a_i` the acceptance of level i and :math:`f_i` that of its
    first sibling alone; of traversal a mean over drawn trees.  With one sibling all are rules of a chain.  SpecHub has two
    siblings, or one, and drafts no more.

    Parameters
    ----------
    p, q : (n, L, V) laws of each level; L is depth, or 1 for one pair at all levels
    k, depth : int >= 1; siblings of a level, and levels
    rows : key and numbers (n) that the draws belong to

    >>> p, q = np.array([[[0.5, 0.5]]]), np.array([[[0.75, 0.25]]])
    >>> found = sibling_drafts(p, q, 2, 2, Rows(1, range(1)))
    >>> [float(found[name][0]) for name in ("rrs", "rrsw", "target-only")]  # 13/16 (1 + 3/4), 1 + 3/4, 1 + 1/2
    [1.421875, 1.75, 1.5]
    """
    levels = p.shape[1]
    count = len(p)
    numbers = range(rows.numbers.start * levels, rows.numbers.stop * levels)
    flat = p.reshape(count * levels, -1), q.reshape(count * levels, -1)
    columns = {}
    for name in SIBLINGS:
        if name.startswith("traversal"):
            shape: Shape = ()
            for _ in range(depth):
                shape = (shape, *((),) * (k - 1))
            columns[name] = traversal_drafts(p, q, shape, name == "traversal", rows)
            continue
        alone, any_ = (np.clip(x, 0, 1).reshape(count, levels) for x in _siblings(name, *flat, k, numbers))
        alone, any_ = (np.broadcast_to(x, (count, depth)) for x in (alone, any_))
        before = np.cumprod(np.concatenate([np.ones((count, 1)), alone[:, :-1]], axis=1), axis=1)
        columns[name] = (before * any_).sum(axis=1)
    return columns


def _siblings(name: str, p: Array, q: Array, k: int, numbers: Sequence[int]) -> tuple[Array, Array]:
    """How often the first of K siblings is the one that is accepted, and how often one of them is."""
    if name == "spechub" and k == 1:
        return overlap(p, q), overlap(p, q)
    siblings = REGISTRY[name].siblings
    assert siblings is not None  # of all in SIBLINGS
    alone = first_alone(name if siblings.fixed else f"{name}:{k}")[1]
    assert alone is not None  # of all but bounds and traversal
    any_ = rrsw_by_row(p, q, k, numbers) if name == "rrsw" else siblings.acceptance(p, q, k)
    return np.asarray(alone(p, q)), np.asarray(any_)


def _chain(p: Array, q: Array, cell: Cell, rows: Rows) -> Values:
    return chain_drafts(p, q, int(cell["depth"]), rows)


def _sides(p: Array, q: Array, cell: Cell, rows: Rows) -> Values:
    return sibling_drafts(p, q, int(cell["k"]), int(cell["depth"]), rows)


Drafts = Callable[[Array, Array, Cell, Rows], Values]


class _Source(NamedTuple):
    """Synthetic laws, or the first contexts of a bank."""

    bank: Bank | None = None
    contexts: int = 0

    def laws(self, cell: Cell, rows: Rows) -> tuple[Array, Array]:
        """Laws (n, levels, V) of some rows."""
        levels = int(cell["depth"]) if cell["contexts"] == ALIKE[1] else 1
        shape = len(rows.numbers), levels, -1
        if self.bank is None:
            places = range(rows.numbers.start * levels, rows.numbers.stop * levels)
            p, q = (softmax(z) for z in synthetic_logits(cell, Rows(rows.key, places)))
        else:
            at = (np.array(rows.numbers)[:, None] + _STRIDE * np.arange(levels)) % self.contexts
            p, q = bank_laws(self.bank, at.reshape(-1), cell["temperature"])
        return p.reshape(shape), q.reshape(shape)


def _simulate(drafts: Drafts, source: _Source, cell: Cell, rows: Rows, device: str) -> Values:
    columns = drafts(*source.laws(cell, rows), cell, rows)
    if source.bank is None:
        return columns
    return {**columns, "document": np.asarray(source.bank.documents)[rows.numbers].astype(np.float64)}


def _synthetic(axes: Sequence[Cell]) -> tuple[Cell, ...]:
    laws = cross(contexts=ALIKE, rho=(0.5, 0.9, 0.99), scale=(2.0, 4.0), vocab=(4096,))
    return tuple({**law, **axis} for law in laws for axis in axes)


def _on(
    bank: Bank | None,
    study: Study,
    drafts: Drafts,
    axes: Sequence[Cell],
    temperatures: Sequence[float],
    contexts: int | None,
) -> Study:
    """The same study on a bank's contexts, or as it is where there is no bank."""
    if bank is None:
        return study
    if bank.draft([0]) is None:
        raise MissingPart(f"bank: {bank.name!r} has no draft; expected a captured pair")
    count = min(contexts or bank.contexts, bank.contexts)
    laws = cross(contexts=ALIKE, temperature=tuple(temperatures), rows=(count,))
    return replace(
        study,
        name=f"{study.name}-on-bank",
        grid=tuple({**law, **axis} for law in laws for axis in axes),
        simulate=partial(_simulate, drafts, _Source(bank, count)),
        rows=count,
        measures={},
        stop=None,
    )


def drafted_chains(
    bank: Bank | None = None, temperatures: Sequence[float] = (1.0,), contexts: int | None = None
) -> Study:
    """Mean accepted drafts of a chain under every rule of one token, over its depth, on synthetic laws or a bank's.

    Cells: ``contexts``, one of `ALIKE`; ``depth``, of `DEPTHS`; ``rho`` and ``scale`` of synthetic logits, ``vocab``; of a bank
    ``temperature``.  Values as in `chain_drafts`; of a bank also the ``document`` of each call's first context.

    Parameters
    ----------
    bank : Bank, a pair; by default laws are synthetic
    temperatures : numbers > 0; of a bank
    contexts : how many of a bank's; by default all

    Raises MissingPart for a bank without a draft.

    >>> len(drafted_chains().grid)
    48
    """
    axes = cross(depth=DEPTHS)
    values = [*WHOLE, *LOSSLESS, *STOPPING, *RELAXED, *(f"drafted {name}" for name in STOPPING)]
    study = Study(
        name="drafted-chains",
        question="How many drafts of a chain does each rule accept, depending on its depth?",
        grid=_synthetic(axes),
        simulate=partial(_simulate, _chain, _Source()),
        summary="mean accepted drafts of a call",
        rows=4,
        measures={v: Mean(0, max(DEPTHS)) for v in values} | {f"tv {name}": Mean() for name in RELAXED},
        stop=HalfWidth("block", 0.2, 0, max(DEPTHS)),
    )
    return _on(bank, study, _chain, axes, temperatures, contexts)


def drafted_siblings(
    bank: Bank | None = None, temperatures: Sequence[float] = (1.0,), contexts: int | None = None
) -> Study:
    """Mean accepted levels of K siblings a level under every rule for several drafts, over both numbers; as `drafted_chains`.

    Cells: ``k`` and ``depth``, of `SIDES`, and the others of `drafted_chains`.  Values as in `sibling_drafts`.

    >>> len(drafted_siblings().grid)
    120
    """
    axes = tuple({"k": k, "depth": depth} for k, depth in SIDES)
    study = Study(
        name="drafted-siblings",
        question="How many levels does each rule accept, depending on the drafts per level and the number of levels?",
        grid=_synthetic(axes),
        simulate=partial(_simulate, _sides, _Source()),
        summary="mean accepted levels of a call",
        rows=4,
        measures={name: Mean(0, max(DEPTHS)) for name in SIBLINGS},
        stop=HalfWidth("rrs", 0.2, 0, max(DEPTHS)),
    )
    return _on(bank, study, _sides, axes, temperatures, contexts)
