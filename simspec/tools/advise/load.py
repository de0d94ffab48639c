"""The laws of each setting of a plan, as they are tried: in the order of their text, and as `truncation` leaves them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from simspec.laws import check_law
from simspec.methods.registry import Rule
from simspec.tools.advise.plan import Plan, rules_of
from simspec.tools.advise.truncation import truncated
from simspec.tools.reading import Pairs, load
from simspec.tools.rows_of_laws import RowsOfLaws

__all__ = ["Case", "Progress", "cases"]

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Case:
    """One setting of a plan on a pair: the laws, and the rules that are tried on them.

    Attributes
    ----------
    pairs : laws of target and draft at this setting, in the order of the text
    rules : the rules, a row each
    temperature, top_p : of both models
    """

    pairs: Pairs
    rules: tuple[Rule, ...]
    temperature: float
    top_p: float

    @property
    def title(self) -> str:
        """The setting in words."""
        return f"temperature {self.temperature:g}, top-p {self.top_p:g}"


def cases(source: Any, plan: Plan, progress: Progress | None = None) -> Iterator[Case]:
    """Each setting of a plan, with the laws of a source; laws of one temperature are read once.

    Parameters
    ----------
    source : as `simspec.tools.advise.advise` takes it
    plan : Plan, which was checked; settings after the first take the first two of the default rules
    progress : (what is done, how much of it, of how much) -> None, optional

    Raises ValueError for a source that cannot be read.

    >>> import numpy as np
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> [(case.title, [rule.name for rule in case.rules]) for case in cases(half, Plan(rules=("sd", "block")))]
    [('temperature 1, top-p 1', ['sd', 'block'])]
    """
    is_first = True
    for temperature in plan.temperatures:
        ordered = None
        for mass in plan.top_ps:
            if progress is not None:
                progress("reading laws", 0, None)
            if ordered is None:
                ordered = truncated(_read(source, temperature).in_order(), pruned=plan.pruned)
            pairs = truncated(ordered, top_p=mass)
            yield Case(pairs, rules_of(plan, pairs, is_first), temperature, mass)
            is_first = False


def _read(source: Any, temperature: float) -> Pairs:
    if not isinstance(source, Pairs):
        return source(temperature) if callable(source) else load(source, temperature)
    if temperature != 1:
        raise ValueError(f"temperatures: {temperature}; the source holds distributions, not logits; expected 1")
    if isinstance(source.p, RowsOfLaws):  # laws by their making
        return source
    return source._replace(p=check_law(source.p), q=check_law(source.q, "q"))
