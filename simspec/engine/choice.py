"""Which estimator a run uses: the study's own rows, or what the study offers in their place where that pays.

A study may offer an estimator with less variance (`Study.steadier`): a pure function of the study's form and of what is asked.
What is stored decides over it: rows that exist are always continued, never thrown away.
"""

from __future__ import annotations

import os
from pathlib import Path

from simspec.checks import nearest
from simspec.engine.estimates.stopping import Rule
from simspec.engine.store.manifest import read_manifest
from simspec.engine.store.results import Store
from simspec.engine.study import Cell, Request, Study

__all__ = ["ESTIMATORS", "advice", "chosen_estimator", "stored_grid"]

ESTIMATORS = ("auto", "plain")
"""What a run can be asked for: the estimator that pays, or the study's own rows."""


def chosen_estimator(
    study: Study,
    stop: Rule | None,
    level: float = 0.95,
    device: str = "cpu",
    stored: tuple[Cell, ...] = (),
    estimator: str = "auto",
) -> tuple[Study, Rule | None]:
    """The study to simulate and the rule that stops it, both as given where nothing else pays or is asked for.

    Parameters
    ----------
    study : Study
    stop : rule or None
        in the bounds of the study's own measures.
    level : float
        confidence of an interval.
    device : "cpu" or "gpu"
    stored : tuple of cells
        the grid of results that are to be continued; empty where there are none.
    estimator : "auto" or "plain"

    Raises
    ------
    ValueError
        for another estimator.

    Examples
    --------
    >>> from simspec.studies.catalogue import acceptance
    >>> from simspec.engine.estimates.stopping import HalfWidth
    >>> chosen_estimator(acceptance(), HalfWidth("alpha", 0.01))[1]
    HalfWidth(name='alpha', value=0.01, low=0, high=1)
    """
    if estimator not in ESTIMATORS:
        raise ValueError(
            f"estimator: {estimator!r}{nearest(str(estimator), ESTIMATORS)}; expected one of {', '.join(ESTIMATORS)}"
        )
    if estimator == "plain" or study.steadier is None:
        return study, stop
    return study.steadier(study, Request(stop, level, device, stored))


def advice(
    study: Study, stop: Rule | None, level: float = 0.95, device: str = "cpu", stored: tuple[Cell, ...] = ()
) -> str:
    """One line on why a study's own rows are simulated and which command is faster; empty where nothing is.

    >>> from simspec.studies.catalogue import catalogue
    >>> from simspec.engine.estimates.stopping import HalfWidth
    >>> line = advice(catalogue()["relaxed-curves"], HalfWidth("alpha", 0.001))
    >>> line.partition(":")[0], line.rpartition(": ")[2]
    ('whole rows', 'simspec study run acceptance --half-width 0.001 --of alpha')
    """
    return "" if study.advice is None else study.advice(study, Request(stop, level, device, stored))


def stored_grid(store: Store | str | os.PathLike[str] | None, study: Study) -> tuple[Cell, ...]:
    """The grid of what a store holds, where the choice of an estimator depends on it; empty where nothing is stored.

    >>> from simspec.studies.catalogue import acceptance
    >>> stored_grid(None, acceptance())
    ()
    """
    if store is None or study.steadier is None:
        return ()
    there = read_manifest(store.path if isinstance(store, Store) else Path(store))
    return there.grid if there else ()
