"""vLLM's log: its "SpecDecoding metrics" lines, one for each interval of about ten seconds, whose counts add up."""

from __future__ import annotations

import re

from simspec.tools.lengths.printed import Printed, Rounded, StepRange, counts_of_all, integer, rounded, steps_note
from simspec.tools.lengths.records import Log
from simspec.tools.lengths.remarks import Remarks
from simspec.tools.lengths.server_lines import Message, RepeatedLines, messages

__all__ = ["MARK", "vllm_lines"]

MARK = "SpecDecoding metrics:"
FIELD = re.compile(r"([A-Z][\w /-]{0,60}):\s*(.*)", re.ASCII | re.DOTALL)
RATES = ("Avg Draft acceptance rate", "Draft acceptance rate")
"""Name of the rate in later and in earlier versions."""


def vllm_lines(text: str) -> Log:
    """Counts of the intervals that vLLM's log reports.

    The lines print accepted and drafted tokens, and of the steps a mean length and rates by position
    (`simspec.tools.lengths.printed`).  Intervals without a draft are left out.

    Raises
    ------
    ValueError
        for a line that contradicts itself or lacks a field, with its number; for lines of versions that print no length.

    >>> line = "SpecDecoding metrics: Mean acceptance length: 1.50, Accepted: 2 tokens, Drafted: 4 tokens"
    >>> vllm_lines(line).counts
    (Counts(steps=4, accepted=2, drafted=4, reached=None),)
    """
    repeated = RepeatedLines()
    remarks = Remarks("lines")
    lines = []
    rates = []
    without_length = []
    empty = 0
    for message in messages(text, MARK):
        if repeated.is_repeated(message):
            continue
        printed, rate = _printed(message)
        if printed.drafted == 0:
            empty += 1
        elif printed.mean is None and not printed.rates:
            without_length.append(printed)
        else:
            lines.append(printed)
            rates.append(rate)
    if without_length:
        accepted = sum(printed.accepted for printed in without_length)
        drafted = sum(printed.drafted for printed in without_length)
        raise ValueError(
            f"log: {len(without_length)} lines of vLLM, the first line {without_length[0].place.split()[-1]}, print no mean "
            f"acceptance length: {accepted} of {drafted} drafts accepted, a rate of {accepted / max(drafted, 1):.3f}, and no "
            "length follows from it; expected lines of a later version, or vLLM's counters (curl its /metrics)"
        )
    intervals = counts_of_all(lines)
    for printed, rate, interval in zip(lines, rates, intervals, strict=True):
        _compare(printed, rate, interval, remarks)
    notes = [steps_note(intervals)] if intervals else []
    if empty:
        notes.append(f"lines of intervals without a draft are left out: {empty:,}")
    counts = tuple(interval.counts for interval in intervals)
    return Log("vLLM, lines of its log", counts, by_request=False, notes=(*notes, *repeated.notes(), *remarks.notes()))


def _printed(message: Message) -> tuple[Printed, Rounded | None]:
    """What a line says, and the rate that it prints."""
    place = message.place
    fields = _fields(message)
    accepted = integer(fields["Accepted"].removesuffix(" tokens"), f"{place}: Accepted")
    drafted = integer(fields["Drafted"].removesuffix(" tokens"), f"{place}: Drafted")
    if accepted and not drafted:
        raise ValueError(f"{place}: {accepted} of 0 drafts accepted; expected no more than were drafted")
    mean = None
    if "Mean acceptance length" in fields:
        mean = rounded(fields["Mean acceptance length"], f"{place}: Mean acceptance length")
        if drafted and mean is None:
            raise ValueError(f"{place}: Mean acceptance length is not a number, of {drafted} drafts; expected a number")
    rates = []
    for text in re.split(r",\s*", fields.get("Per-position acceptance rate", "")):
        number = rounded(text, f"{place}: Per-position acceptance rate") if text else None
        if number is not None:
            rates.append(number)
        elif drafted and text:
            raise ValueError(
                f"{place}: Per-position acceptance rate is {text[:40]!a} of {drafted} drafts; expected a number"
            )
    name = next((name for name in RATES if name in fields), None)
    rate = rounded(fields[name].removesuffix("%"), f"{place}: {name}", unit=100) if name else None
    return Printed(place, accepted, drafted, mean, tuple(rates)), rate


def _fields(message: Message) -> dict[str, str]:
    """Fields of a line by their names, each once; those that are not known are later versions'."""
    place = message.place
    fields: dict[str, str] = {}
    for entry in re.split(r",\s*(?=[A-Z])", message.text[len(MARK) :].strip()):
        field = FIELD.fullmatch(entry)
        if field is None:
            raise ValueError(f'{place}: {entry[:60]!a} after "{MARK}"; expected fields such as Accepted: 312 tokens')
        if field[1] in fields:
            raise ValueError(f"{place}: {field[1]} stands twice in the line; expected it once")
        fields[field[1]] = field[2].strip()
    for name in ("Accepted", "Drafted"):
        if name not in fields:
            raise ValueError(f'{place}: no {name} in the "{MARK}" line; expected it, with a number of tokens')
    return fields


def _compare(printed: Printed, rate: Rounded | None, interval: StepRange, remarks: Remarks) -> None:
    """Compare the mean and the rate of a line with its counts."""
    if printed.mean is not None and not interval.has_bonus:
        remarks.add(
            "the mean acceptance length is printed without the bonus token, which is added here",
            f"{printed.place} says {float(printed.mean.value):g}",
        )
    if rate is not None:
        tolerance = float(rate.high - rate.value)
        remarks.add_rate(printed.place, "Draft acceptance rate", float(rate.value), interval.counts, tolerance)
