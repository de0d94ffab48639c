"""What relaxed acceptance does to the utility of a text, on families of decision processes with known pivots.

Expected utilities are exact for each process, by backward induction; a row is one process drawn from its family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.kernels import random as philox
from simspec.methods.ears.acceptance import ears, fresh
from simspec.methods.method import Method
from simspec.methods.pad.families import FAMILIES
from simspec.methods.pad.pivots import pad, replacement_pivots
from simspec.methods.pad.process import Process, Rule, evaluate, values
from simspec.methods.sd import SD
from simspec.studies.pad.problems import NAMES, Pairs, Sources, make_problem, once

__all__ = ["BETAS", "CAREFUL", "relaxed_utility", "true_pivots"]

BETAS = (0.05, 0.1, 0.15, 0.2)
"""Tolerances, beside 0, of the first experiment that the paper proposes."""
CAREFUL: Mapping[str, Mapping[str, float]] = {
    "needle": {"slip": 0.1, "draft_slip": 0.1},
    "recoverable": {"slip": 0.1, "draft_slip": 0.1, "mend": 0.3, "draft_mend": 0.3},
    "counting": {"good": 0.5, "draft_good": 0.5},
}
"""A draft that gives the tokens that matter the target's mass: it errs elsewhere only."""
VOCAB = 16
"""Tokens to which given laws are cut."""
STATES: Mapping[str, int] = {"answer": 12, "random": 16}
"""Steps of an answer and states of a random automaton with given laws; contexts of the other families are 8."""


def true_pivots(process: Process) -> Rule:
    """The rule that keeps every draft worth at least what would replace it, by the target's own values.

    >>> from simspec.methods.pad.families import needle
    >>> process = needle(1)
    >>> run = evaluate(process, true_pivots(process))
    >>> bool(run.utility >= values(process)[0, process.start])
    True
    """

    def rule(t: int, here: Any, after: Any) -> Method:
        return pad(replacement_pivots(process.target, process.draft, after))

    return rule


def _one(process: Process, betas: Sequence[float], printed: float) -> dict[str, float]:
    """Utility and share of accepted drafts of each rule on one process."""
    rules: dict[str, Rule | Method] = {f"ears {b:g}": ears(b) for b in betas}
    rules |= {"sd": SD, "fresh": replace(ears(printed), residual=fresh), "pad": true_pivots(process)}
    measures = {"target": float(values(process)[0, process.start])}
    for name, rule in rules.items():
        run = evaluate(process, rule)
        measures |= {name: float(run.utility), f"{name} share": float(run.share)}
    return measures


def _problem(cell: Cell, key: int, number: int, pairs: Pairs | None) -> Process:
    """Process of a cell: of a family with its own laws, or a problem with the laws of `pairs`."""
    name = cell["family"]
    horizon = cell["horizon"]
    if "laws" in cell:
        return make_problem({**cell, "vocab": VOCAB, "states": STATES.get(name, 8)}, key, number, pairs).process
    options: Mapping[str, Any] = CAREFUL[name] if cell["draft"] == "careful" else {}
    return FAMILIES[name](philox.make_key(key, "process", number), horizon=horizon, **options)


def relaxed_utility(
    rows: int,
    beside: int,
    horizons: Sequence[int] = (16, 64),
    betas: Sequence[float] = BETAS,
    printed: float = 0.1,
    sources: Sources | None = None,
) -> Study:
    """Expected utility of the target, of speculative decoding, of EARS at each tolerance, and of PAD with true pivots.

    Values of a process: ``target``, ``sd``, ``ears 0.05``, …, ``fresh`` (EARS with a fresh draw from the target after a
    rejection), ``pad`` (expected utility), and ``sd share``, … (the expected share of accepted drafts, one draft a
    position).  Cells with ``draft`` "careful" have the draft of `CAREFUL` in place of the family's own, weaker one.

    Parameters
    ----------
    rows : processes of each family at the first horizon
    beside : processes of each family at the other horizons, and with a careful draft
    horizons : tokens of a text
    betas : tolerances
    printed : the tolerance of ``fresh``
    sources : {laws: vocabulary size -> pairs}, optional
        each adds `rows` problems of every family (`make_problem`) with these laws, cut to `VOCAB` tokens, at the first
        horizon; their cells name the ``laws``, and ``draft`` is "of the laws".
    """
    laws_of = once(sources)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        pairs = laws_of(cell["laws"], VOCAB) if "laws" in cell else None
        measured = [_one(_problem(cell, rows.key, n, pairs), betas, printed) for n in rows.numbers]
        return {name: np.array([f[name] for f in measured]) for name in measured[0]}

    grid = [{"family": family, "horizon": horizons[0], "draft": "weaker", "rows": rows} for family in FAMILIES]
    grid += [{"family": f, "horizon": h, "draft": "weaker", "rows": beside} for h in horizons[1:] for f in FAMILIES]
    grid += [{"family": f, "horizon": horizons[0], "draft": "careful", "rows": beside} for f in CAREFUL]
    real: Cell = {"horizon": horizons[0], "draft": "of the laws", "rows": rows}
    grid += [{"family": f, "laws": laws, **real} for laws in sources or () for f in NAMES]
    return Study(
        name="ears-utility",
        question="How much expected utility does a tolerance cost?",
        grid=tuple(grid),
        simulate=simulate,
        summary="expected utility and share of accepted drafts, exact for each process",
        rows=max(rows, beside),
    )
