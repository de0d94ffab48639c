"""What calls of rules for whole drafts cost and keep, by the position in the text where they begin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspec.laws import Array
from simspec.methods.registry import REGISTRY
from simspec.methods.speed import step_time
from simspec.methods.steps import step_starts
from simspec.studies.joint.survival import share, survival
from simspec.tools.reading import Pairs

__all__ = ["along"]


def along(pairs: Pairs, names: Sequence[str], gamma: int, cost: float) -> dict[tuple[str, str], Array]:
    """At each row what a call that begins there costs and keeps, texts read in their order.

    Parameters
    ----------
    pairs : laws
    names : of rules that have `along` in the registry
    gamma : int >= 0; drafts per target call
    cost : number >= 0; draft time / target time

    The columns (n,), by name of the rule and of the column: `share`, the accepted drafts over the most; `begins`, target calls
    that begin there, to a token of the text; and of a rule that writes on `time`, of these calls and their drafts.

    >>> law = np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])
    >>> found = along(Pairs(*law, np.array([0]), "by hand"), ["block"], 1, 0.1)
    >>> {column: round(float(values[0]), 6) for (_, column), values in found.items()}
    {'share': 1.0, 'begins': 0.666667}
    """
    order = pairs.order()
    rows = len(pairs.p)
    survived: dict[str, Array] = {}

    def of(name: str) -> Array:
        if name not in survived:
            laws = ((section, pairs.p[order[section]], pairs.q[order[section]]) for section in pairs.parts())
            survived[name] = survival(name, laws, rows, gamma)
        return survived[name]

    measures = {}
    for name in names:
        rule_survival = of(name)
        measured = REGISTRY[name].along
        assert measured is not None  # of every rule that is measured along a text
        columns = {"share": share(rule_survival, of(measured.best))}
        if measured.writes_on and gamma:
            columns |= _writing_on(rule_survival, gamma, cost)
        else:
            columns["begins"] = step_starts(rule_survival, [gamma])[:, 0]
        for column, values in columns.items():
            measures[name, column] = np.empty(rows)
            measures[name, column][order] = values
    return measures


def _writing_on(survived: Array, gamma: int, cost: float) -> dict[str, Array]:
    """Target calls and their time of rounds that emit gamma tokens, or one more where all drafts are kept.

    After the kept drafts a round asks the target, and the draft, for every token but the first.
    """
    call_survival = np.ones_like(survived)
    call_survival[:, -1] = survived[:, -1]
    begins = step_starts(call_survival, [gamma])[:, 0]
    extra_calls = gamma - survived.sum(axis=1) - (1 - survived[:, -1])
    return {
        "begins": begins * (1 + extra_calls),
        "time": begins * (step_time(gamma, cost) + extra_calls * step_time(1, cost)),
    }
