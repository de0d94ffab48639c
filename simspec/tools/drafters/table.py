"""The tables of `simspec.tools.drafters`: a row for each draft, the differences of all pairs, and the draft that leads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from simspec.engine.estimates.intervals import Interval
from simspec.html.results import Tabular
from simspec.laws import Array
from simspec.methods.known import Known
from simspec.tools.rates.table import numbers_of
from simspec.tools.reading import Pairs

__all__ = ["POLICY_COLUMNS", "Choice", "Comparison", "Difference", "Draft", "DraftsTable", "PoliciesTable"]


class Draft(NamedTuple):
    """A draft's name, and each quantity of `simspec.tools.rates.COLUMNS` with its interval (None where it cannot be given)."""

    name: str
    values: dict[str, Interval | None]


class Difference(NamedTuple):
    """By how much the first draft is accepted more often than the second; the intervals of a table hold together."""

    first: str
    second: str
    interval: Interval


@dataclass(frozen=True)
class Comparison:
    """What a comparison of drafts says beside the rates of each.

    Attributes
    ----------
    differences : of all pairs of drafts, in the order of the rows
    best : the draft with the largest mean acceptance
    confidence : the largest level at which simultaneous intervals put it above every other; None for too few documents
    accepted : (n, K) acceptance of each draft at each context
    pairs : the target's rows with the first draft
    rule : name of the rule
    """

    differences: list[Difference]
    best: str
    confidence: float | None
    accepted: Array
    pairs: Pairs
    rule: str


class DraftsTable(Tabular, list[Draft]):
    """The rows of `draft_rates`, a list, with their comparison; a notebook shows it as tables with intervals."""

    def __init__(self, rows: Iterable[Draft], comparison: Comparison) -> None:
        super().__init__(rows)
        self.comparison = comparison

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: not what else the source knows, functions of an open file, which a table does not ask."""
        pairs = self.comparison.pairs._replace(known=Known())
        return {"comparison": Comparison(**{**vars(self.comparison), "pairs": pairs})}

    @property
    def best(self) -> str:
        """The draft with the largest mean acceptance."""
        return self.comparison.best

    @property
    def confidence(self) -> float | None:
        """The level at which the intervals of all pairs put `best` above every other; None for too few documents."""
        return self.comparison.confidence

    @property
    def differences(self) -> list[Difference]:
        """All paired differences of acceptance, with intervals that hold together."""
        return self.comparison.differences

    def records(self) -> list[dict[str, Any]]:
        """Rows of numbers: the draft, then each quantity with the ends of its interval."""
        return [{"draft": row.name, **numbers_of(row.values)} for row in self]

    def __repr__(self) -> str:
        names = ", ".join(row.name for row in self)
        count = len(self.comparison.accepted)
        return f"DraftsTable({self.comparison.pairs.source}: {count:,} contexts, rule {self.comparison.rule}; {names})"


POLICY_COLUMNS = {
    "acceptance": "mean acceptance of the drafts that the policy used",
    "fixed": "regret: acceptance of the best single draft, known in hindsight, minus that of the policy",
    "segment": "the same against the best draft of each document, which no policy knows when the document begins",
}
"""What each column of policies means."""


class Choice(NamedTuple):
    """A policy's name, whether it reads the acceptance of drafts that were not used, and its means over orders of documents."""

    policy: str
    is_full: bool
    acceptance: Interval
    fixed: Interval
    segment: Interval


class PoliciesTable(Tabular, list[Choice]):
    """The rows of `run_policies`, a list, with the comparison of drafts that they ran on; a notebook shows it as a table."""

    def __init__(self, rows: Iterable[Choice], drafts: DraftsTable, orders: int, seed: int) -> None:
        super().__init__(rows)
        self.drafts = drafts
        self.orders = orders
        self.seed = seed

    def records(self) -> list[dict[str, Any]]:
        """Rows of numbers: the policy, what it reads, then acceptance and regret with the ends of their intervals."""
        rows = []
        for row in self:
            values: dict[str, Interval | None] = {name: getattr(row, name) for name in POLICY_COLUMNS}
            rows.append({"policy": row.policy, "full": row.is_full, **numbers_of(values)})
        return rows

    def __repr__(self) -> str:
        return f"PoliciesTable({self.drafts!r}: {self.orders} orders; {', '.join(row.policy for row in self)})"
