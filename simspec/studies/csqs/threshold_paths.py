r"""C-SQS along whole texts of synthetic laws: how near the mean dropped mass comes to its target.

The laws of a text are drawn in the kernel, one after the other, and forgotten; how fast the mean approaches the target is
known whatever the laws (`dropped_bounds`), how near it is on given ones is what is measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from simspec.engine.estimates.statistics import Mean
from simspec.engine.estimates.stopping import HalfWidth
from simspec.engine.study import Cell, Rows, Study, cross
from simspec.kernels.thresholds import Draws, Model, Rule, synthetic_paths
from simspec.laws import Array

__all__ = ["HELD", "dropped_bounds", "threshold_paths"]

HELD = 1e-12
"""A step size at which the threshold stays where it began: the control."""


def dropped_bounds(first: float, step_size: float, dropped_target: float, length: int) -> tuple[float, float]:
    r"""Smallest and largest mean dropped mass of a text of T tokens, whatever its laws, when Eq. 6 is read literally.

    The updates add up to :math:`\beta_1 - \beta_{T+1} = \eta \sum_n (\alpha_n - \alpha)`.  From a threshold of at most 0
    it rises, from one above 1 it falls, so :math:`\beta_{T+1}` is at least :math:`\min(\beta_1, -\eta(1 - \alpha))` and
    at most :math:`\max(\beta_1, 1 + \eta\alpha)`.

    Parameters
    ----------
    first, step_size, dropped_target : numbers; :math:`\beta_1`, η > 0, α in [0, 1]
    length : int; T, at least 1

    Returns
    -------
    (low, high), cut to [0, 1]

    >>> dropped_bounds(0.5, 0.5, 0.5, 2)  # 0.5 - (1.25 - 0.5) / 1 and 0.5 + (0.5 + 0.25) / 1, both cut
    (0.0, 1.0)
    >>> low, high = dropped_bounds(0.5, 0.5, 0.5, 200)
    >>> round(low, 6), round(high, 6)
    (0.4925, 0.5075)
    """
    if not step_size > 0 or not 0 <= dropped_target <= 1 or length < 1:
        raise ValueError(
            f"step_size, dropped_target, length: {step_size}, {dropped_target}, {length}; "
            "expected a positive number, a mass between 0 and 1, and at least one token"
        )
    highest = max(first, 1 + step_size * dropped_target)
    lowest = min(first, -step_size * (1 - dropped_target))
    low, high = ((first - end) / (step_size * length) + dropped_target for end in (highest, lowest))
    return max(0.0, low), min(1.0, high)


def _simulate(cell: Cell, rows: Rows, device: str) -> dict[str, Array]:
    """Return each path's mean dropped and kept mass, and the bounds that hold for the former whatever the laws."""
    vocab = int(cell["vocab"])
    length = int(cell["length"])
    number = len(rows.numbers)
    first, step_size, target = (float(cell[name]) for name in ("first", "step_size", "dropped_target"))
    paths = synthetic_paths(
        # a row is a path of `length` laws: it begins at draw number row * length
        Draws(rows.key, range(rows.numbers.start * length, rows.numbers.stop * length, length)),
        length,
        vocab,
        Model(float(cell.get("df", math.inf)), scale=float(cell["scale"])),
        Rule(first, step_size, target, keep_top=False),
    )
    low, high = dropped_bounds(first, step_size, target, length)
    return {
        "dropped": paths.dropped.mean(axis=1).clip(0, 1),
        "kept": paths.kept.mean(axis=1) / vocab,
        "low": np.full(number, low),
        "high": np.full(number, high),
    }


def threshold_paths(
    vocabs: Sequence[int] = (2048,), lengths: Sequence[int] = (64, 256), targets: Sequence[float] = (5e-4, 0.05)
) -> Study:
    r"""Mean dropped mass and kept tokens of C-SQS over texts of synthetic laws, beside what holds for any laws.

    Cells: ``family`` (Gaussian or Student-t logits, these with ``df``), ``scale``, ``vocab``; ``length`` T of a text;
    ``first`` threshold, ``step_size`` η and ``dropped_target`` α.  A row is a text.  Values: ``dropped``, mean over its
    tokens; ``kept``, mean share of the vocabulary; ``low`` and ``high``, the same for every row: `dropped_bounds`.
    The control is a threshold that is held (η = `HELD`): what it drops follows the laws and not the target.

    Parameters
    ----------
    vocabs, lengths : numbers of tokens
    targets : dropped masses α

    >>> from simspec.engine.row_values import gather
    >>> study = threshold_paths(vocabs=(16,), lengths=(4,))
    >>> values = gather(study, rows=2)[0].values
    >>> len(study.grid), bool((values["low"] <= values["dropped"]).all() and (values["dropped"] <= values["high"]).all())
    (16, True)
    """
    families = ({"family": "gaussian"}, {"family": "student-t", "df": 8.0})
    rest = cross(
        scale=(2.5,),
        vocab=tuple(vocabs),
        length=tuple(lengths),
        first=(0.01,),
        step_size=(HELD, 1e-3, 1e-2, 1e-1),
        dropped_target=tuple(targets),
    )
    return Study(
        name="threshold-paths",
        question="How close does the mean mass that C-SQS drops come to its target?",
        grid=tuple({**family, **cell} for family in families for cell in rest),
        simulate=_simulate,
        summary="mean dropped mass and share of tokens kept over a text, and bounds that hold for any laws",
        rows=16,
        measures=dict.fromkeys(("dropped", "kept", "low", "high"), Mean()),
        stop=HalfWidth("dropped", 0.02),
    )
