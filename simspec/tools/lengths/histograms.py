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
    most = max((drafts for drafts, steps in table.items() if steps), default=0)
    if most > MOST_DRAFTS:
        raise ValueError(f"{place}: {name} has a step with {most}; expected at most {MOST_DRAFTS}")
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


def reached_by_all(part: Mapping[str, Any], place: str, said: Counts) -> tuple[int, ...] | None:
    """Steps that accept at least 1, 2, ... drafts, from every list and histogram of a record: all say the same."""
    lists = []
    if (by_length := part.get("acceptance_histogram_by_draft_length")) is not None:
        lists.append(_by_draft_length(by_length, place, said))
    if part.get("per_step_accepted") is not None:
        lists.append(_by_step(part, place, said))
    if (histogram := part.get("acceptance_histogram")) is not None:
        name = "acceptance_histogram"
        lists.append(reached_by_table(histogram_table(histogram, place, name), place, name, said))
    if len({tuple(filter(None, reached)) for reached in lists}) > 1:
        raise ValueError(f"{place}: steps that accept 1, 2, … drafts are {str(lists)[:200]}; expected one such list")
    return max(lists, key=len, default=None)


def reached_by_table(table: Mapping[int, int], place: str, name: str, said: Counts) -> tuple[int, ...]:
    """Steps that accept at least 1, 2, ... drafts, from a histogram of the steps and drafts that the record counts."""
    _agree(place, name, (sum(table.values()), sum(k * v for k, v in table.items())), said)
    return at_least(table)


def _by_step(record: Mapping[str, Any], place: str, said: Counts) -> tuple[int, ...]:
    """Steps that accept at least 1, 2, ... drafts, from the lists of what each step accepted and drafted."""
    accepted, drafted = record["per_step_accepted"], record.get("per_step_drafted")
    for name, values in (("per_step_accepted", accepted), ("per_step_drafted", drafted if drafted is not None else [])):
        if not isinstance(values, list) or not all(
            isinstance(v, int) and not isinstance(v, bool) and v >= 0 for v in values
        ):
            raise ValueError(f"{place}: {name} is {ascii(values)[:80]}; expected a list of whole numbers")
        if max(values, default=0) > MOST_DRAFTS:
            raise ValueError(f"{place}: {name} has a step with more than {MOST_DRAFTS}; expected at most so many")
    _agree(place, "per_step_accepted", (len(accepted), sum(accepted)), said)
    if drafted is not None:
        if len(drafted) != len(accepted) or any(a > d for a, d in zip(accepted, drafted, strict=True)):
            raise ValueError(
                f"{place}: per_step_drafted does not fit per_step_accepted; expected a list as long, none of it smaller"
            )
        _drafted(place, "per_step_drafted", sum(drafted), said)
    return at_least(Counter(accepted))


def _by_draft_length(tables: Any, place: str, said: Counts) -> tuple[int, ...]:
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
    _drafted(place, name, drafted, said)
    return reached_by_table(steps_by_accepted, place, name, said)


def _agree(place: str, name: str, held: tuple[int, int], said: Counts) -> None:
    if held != said[:2]:
        raise ValueError(
            f"{place}: {name} holds {held[0]} steps with {held[1]} accepted drafts; expected {said.steps} and {said.accepted}"
        )


def _drafted(place: str, name: str, held: int, said: Counts) -> None:
    if said.drafted is not None and held != said.drafted:
        raise ValueError(f"{place}: {name} holds {held} drafts; expected {said.drafted}")


def _key(name: Any) -> int:
    """A number of drafts as a name in JSON, or -1 where it is none."""
    text = str(name)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else -1
