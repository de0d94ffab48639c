"""What EARS gains in tokens per call and costs in utility as drafts get longer: decision processes with known utility.

Utilities and calls are exact for each process, in blocks with the target's own token after the last draft.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.kernels import random as philox
from simspec.methods.ears.acceptance import ears
from simspec.methods.pad.families import FAMILIES
from simspec.methods.pad.process import Process, evaluate, values
from simspec.methods.sd import SD
from simspec.studies.pad.problems import Sources, make_problem, once

__all__ = ["GAMMAS", "gamma_accuracy"]

GAMMAS = (1, 3, 5, 10)
"""Drafts per call, of those that the paper proposes up to the length of a text."""
VOCAB = 16
STATES = 8
"""Tokens to which given laws are cut, and contexts of their problems."""


def _one(process: Process, beta: float, gammas: Sequence[int]) -> dict[str, float]:
    measures = {"target": float(values(process)[0, process.start])}
    for gamma in gammas:
        relaxed, plain = (evaluate(process, rule, gamma) for rule in (ears(beta), SD))
        measures[f"utility {gamma}"] = float(relaxed.utility)
        measures[f"gain {gamma}"] = float(plain.calls / relaxed.calls)
    return measures


def gamma_accuracy(
    rows: int, horizon: int = 16, beta: float = 0.1, gammas: Sequence[int] = GAMMAS, sources: Sources | None = None
) -> Study:
    """Utility under EARS, and its tokens per call over those of speculative decoding, at several numbers of drafts.

    Values of a process: ``target`` (expected utility of the target, and of speculative decoding), and for each γ
    ``utility γ`` and ``gain γ``.

    Parameters
    ----------
    rows : processes of each family
    horizon : tokens of a text
    beta : tolerance
    gammas : drafts per call
    sources : {laws: vocabulary size -> pairs}, optional; each adds a cell of random automata with these laws
    """
    laws_of = once(sources)

    def problem(cell: Cell, key: int, number: int) -> Process:
        if "laws" in cell:
            sized = {**cell, "vocab": VOCAB, "states": STATES}
            return make_problem(sized, key, number, laws_of(cell["laws"], VOCAB)).process
        return FAMILIES[cell["family"]](philox.make_key(key, "process", number), horizon=horizon)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        measured = [_one(problem(cell, rows.key, n), beta, gammas) for n in rows.numbers]
        return {name: np.array([f[name] for f in measured]) for name in measured[0]}

    grid = [{"family": family, "horizon": horizon, "rows": rows} for family in FAMILIES]
    grid += [{"family": "random", "horizon": horizon, "laws": laws, "rows": rows} for laws in sources or ()]
    return Study(
        name="ears-gamma-accuracy",
        question="Does EARS gain more, and cost more, with longer drafts?",
        grid=tuple(grid),
        simulate=simulate,
        summary="expected utility and calls, exact for each process",
        rows=rows,
    )
