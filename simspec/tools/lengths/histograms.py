"""Histograms of verify steps by accepted drafts, and lists of the steps themselves, in JSON; all of a record say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from simspec.tools.lengths.records import MOST_DRAFTS, Counts, whole

__all__ = ["at_least", "histogram_table", "reached_by_all", "reached_by_table"]


def histogram_table(histogram: Any, place: str, name: str) -> dict[int, int]:
    """Steps by their accepted drafts, from a list or from a mapping whose names are whole numbers."""
    if isinstance(histogram, Mapping):
        pairs = [(_key(k), v) for k, v in histogram.items()]
    elif isinstance(histogram, list):
        pairs = list(enumerate(histogram))
    else:
        pairs = [(-1, 0)]
    table: dict[int, int] = {}
    for drafts, steps in pairs:
        if drafts < 0 or drafts in table:
            raise ValueError(f"{place}: {name} is {ascii(histogram)[:80]}; expected numbers of steps")
        table[drafts] = whole(steps, f"{place}: {name}, expected numbers of steps: the one at {drafts}")
    longest = max((drafts for drafts, steps in table.items() if steps), default=0)
    if longest > MOST_DRAFTS:
        raise ValueError(f"{place}: {name} has a step with {longest}; expected at most {MOST_DRAFTS}")
    return {drafts: steps for drafts, steps in table.items() if drafts <= MOST_DRAFTS}


def at_least(table: Mapping[int, int]) -> tuple[int, ...]:
    """Steps that accept at least 1, 2, ... drafts."""
    longest = max([*table, 0])
    sums = []
    total = 0
    for drafts in range(longest, 0, -1):
        total += table.get(drafts, 0)
        sums.append(total)
    return tuple(reversed(sums))


def reached_by_all(section: Mapping[str, Any], place: str, stated_counts: Counts) -> tuple[int, ...] | None:
    """Steps that accept at least 1, 2, ... drafts, from every list and histogram of a record: all say the same."""
    lists = []
    if (by_length := section.get("acceptance_histogram_by_draft_length")) is not None:
        lists.append(_by_draft_length(by_length, place, stated_counts))
    if section.get("per_step_accepted") is not None:
        lists.append(_by_step(section, place, stated_counts))
    if (histogram := section.get("acceptance_histogram")) is not None:
        name = "acceptance_histogram"
        lists.append(reached_by_table(histogram_table(histogram, place, name), place, name, stated_counts))
    if len({tuple(filter(None, reached)) for reached in lists}) > 1:
        raise ValueError(f"{place}: steps that accept 1, 2, … drafts are {str(lists)[:200]}; expected one such list")
    return max(lists, key=len, default=None)


def reached_by_table(table: Mapping[int, int], place: str, name: str, stated_counts: Counts) -> tuple[int, ...]:
    """Steps that accept at least 1, 2, ... drafts, from a histogram of the steps and drafts that the record counts."""
    _agree(place, name, (sum(table.values()), sum(k * v for k, v in table.items())), stated_counts)
    return at_least(table)


def _by_step(record: Mapping[str, Any], place: str, stated_counts: Counts) -> tuple[int, ...]:
    """Steps that accept at least 1, 2, ... drafts, from the lists of what each step accepted and drafted."""
    accepted = record["per_step_accepted"]
    drafted = record.get("per_step_drafted")
    for name, values in (("per_step_accepted", accepted), ("per_step_drafted", drafted if drafted is not None else [])):
        if not isinstance(values, list) or not all(
            isinstance(v, int) and not isinstance(v, bool) and v >= 0 for v in values
        ):
            raise ValueError(f"{place}: {name} is {ascii(values)[:80]}; expected a list of whole numbers")
        if max(values, default=0) > MOST_DRAFTS:
            raise ValueError(f"{place}: {name} has a step with more than {MOST_DRAFTS}; expected at most so many")
    _agree(place, "per_step_accepted", (len(accepted), sum(accepted)), stated_counts)
    if drafted is not None:
        if len(drafted) != len(accepted) or any(a > d for a, d in zip(accepted, drafted, strict=True)):
            raise ValueError(
                f"{place}: per_step_drafted does not fit per_step_accepted; expected a list as long, none of it smaller"
            )
        _drafted(place, "per_step_drafted", sum(drafted), stated_counts)
    return at_least(Counter(accepted))


def _by_draft_length(tables: Any, place: str, stated_counts: Counts) -> tuple[int, ...]:
    """Steps by accepted drafts, summed over the numbers of drafts for which there is a histogram each."""
    name = "acceptance_histogram_by_draft_length"
    if isinstance(tables, Mapping):
        pairs = [(_key(k), v) for k, v in tables.items()]
    else:
        pairs = list(enumerate(tables)) if isinstance(tables, list) else [(-1, [])]
    steps_by_accepted: Counter[int] = Counter()
    drafted = 0
    for length, histogram in pairs:
        if length < 0:
            raise ValueError(f"{place}: {name} is {ascii(tables)[:80]}; expected numbers of steps by numbers of drafts")
        table = histogram_table(histogram, place, name)
        if any(steps and accepted > length for accepted, steps in table.items()):
            raise ValueError(f"{place}: {name} has steps that accept more than the {length} drafts they have")
        drafted += length * sum(table.values())
        steps_by_accepted.update(table)
    _drafted(place, name, drafted, stated_counts)
    return reached_by_table(steps_by_accepted, place, name, stated_counts)


def _agree(place: str, name: str, totals: tuple[int, int], stated_counts: Counts) -> None:
    if totals != stated_counts[:2]:
        raise ValueError(
            f"{place}: {name} holds {totals[0]} steps with {totals[1]} accepted drafts; expected "
            f"{stated_counts.steps} and {stated_counts.accepted}"
        )


def _drafted(place: str, name: str, total: int, stated_counts: Counts) -> None:
    if stated_counts.drafted is not None and total != stated_counts.drafted:
        raise ValueError(f"{place}: {name} holds {total} drafts; expected {stated_counts.drafted}")


def _key(name: Any) -> int:
    """A number of drafts as a name in JSON, or -1 where it is none."""
    text = str(name)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else -1
