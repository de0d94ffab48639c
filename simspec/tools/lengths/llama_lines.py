"""llama.cpp's log: a line for each request, and lines of statistics that add up since the server started.

Both kinds count the same tokens.  The lines of requests are used where they print a mean length, since intervals over requests
follow from them; otherwise the last line of statistics of each drafter.  Requests that drafted nothing have no line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from simspec.tools.lengths.printed import (
    Printed,
    Rounded,
    StepRange,
    counts_of,
    counts_of_all,
    integer,
    rounded,
    steps_note,
)
from simspec.tools.lengths.records import Log
from simspec.tools.lengths.remarks import Remarks
from simspec.tools.lengths.server_lines import Message, RepeatedLines, messages

__all__ = ["REQUEST_MARK", "STATISTICS_MARK", "Request", "Statistics", "llama_lines"]

REQUEST_MARK = "draft acceptance"
RATES_MARK = "acc per pos ="
TIMING_MARK = "eval time ="
STATISTICS_MARK = "statistics "
REQUEST = re.compile(
    r"draft acceptance(?: rate)?\s*=\s*(?P<rate>\S{1,40})\s*"
    r"\(\s*(?P<accepted>\S{1,40}) accepted\s*/\s*(?P<drafted>\S{1,40}) generated\)"
    r"(?P<rest>.*)",
    re.ASCII,
)
MEAN = re.compile(r",\s*mean (?:acceptance length|len)\s*=\s*([^,\s]+)", re.ASCII)
RATES = re.compile(r"(?:acceptance rate per position|acc per pos)\s*=\s*\(([^()]*)\)", re.ASCII)
TIMING = re.compile(r"eval time\s*=\s*\S{1,40} ms\s*/\s*(\d{1,16}) tokens\b.*", re.ASCII)
"""Time of a request after its prompt, and the tokens that it emitted in it; the same line of the prompt begins with "prompt"."""
STATISTICS = re.compile(r"statistics\s+(?P<drafter>[\w.+-]{1,64}):\s*(?P<fields>#.*)", re.ASCII)


class Request(NamedTuple):
    """A line of a request: what stands before it, what it prints, its rate, and the tokens that its timing line counts."""

    prefix: str
    printed: Printed
    rate: Rounded | None
    emitted: int | None = None


class Statistics(NamedTuple):
    """A line of statistics.

    Attributes
    ----------
    printed : Printed
    counters : by their names; none of them ever goes down
    """

    printed: Printed
    counters: dict[str, int]


def llama_lines(text: str, *, is_cut: bool = False) -> Log:
    """Counts of the requests that llama.cpp's log reports, or of its statistics where those of requests have no length.

    Parameters
    ----------
    text : str
    is_cut : bool
        whether the last step of a request may have accepted drafts that it did not emit, since the text ended before

    Raises
    ------
    ValueError
        for a line that contradicts itself or lacks a field, with its number; for statistics that go down, or that count less
        than the requests before them; for a request that accepts more than its timing line says it emitted; where no line
        has a length.

    >>> line = "draft acceptance = 0.50000 (    2 accepted /     4 generated), mean len =  2.00"
    >>> llama_lines(line).counts
    (Counts(steps=2, accepted=2, drafted=4, reached=None),)
    """
    repeated = RepeatedLines()
    requests: list[Request] = []
    statistics: dict[str, Statistics] = {}
    emitted: dict[tuple[str, ...], int] = {}
    requests_before = 0
    for message in messages(text, REQUEST_MARK, RATES_MARK, STATISTICS_MARK, TIMING_MARK):
        if repeated.is_repeated(message):
            continue
        if message.text.startswith(RATES_MARK):
            _add_rates(requests, message)
        elif message.text.startswith(STATISTICS_MARK):
            requests_before = _add_statistics(statistics, message, requests, requests_before)
        elif message.text.startswith(TIMING_MARK):
            _add_timing(emitted, message)
        elif "=" in message.text:
            requests.append(_request(message, emitted.pop(tuple(_slot(message.prefix)), None)))
    _totals(requests[:requests_before], statistics)
    requests = [request for request in requests if request.printed.drafted]
    for request in requests:
        _check_emitted(request, 1, is_cut=is_cut)  # what a request accepts, it accepts in one step at least
    has_lengths = [request.printed.mean is not None or bool(request.printed.rates) for request in requests]
    has_steps = any(r.printed.accepted or r.printed.rates for r in requests)
    if requests and all(has_lengths) and (has_steps or not statistics):
        log = _of_requests(requests, bool(statistics), is_cut=is_cut)
    elif statistics:
        log = _of_statistics(statistics, requests)
    elif requests:
        raise ValueError(_without_length(requests))
    else:
        log = Log("llama.cpp", (), by_request=True)
    return log._replace(notes=(*log.notes, *repeated.notes()))


def _add_timing(emitted: dict[tuple[str, ...], int], message: Message) -> None:
    """Keep the tokens that a request emitted, by its slot and task; older builds count runs, which are not tokens."""
    line = TIMING.fullmatch(message.text)
    if line is not None:
        emitted[tuple(_slot(message.prefix))] = integer(line[1], f"{message.place}: tokens of the eval time")


def _check_emitted(request: Request, steps: int, *, is_cut: bool) -> None:
    """Refuse more accepted drafts, and a token for each step, than the timing line says that the request emitted.

    The prompt's own token, and steps without drafts, are emitted too, so an honest request emits at least as many.
    """
    accepted, drafted = request.printed[1:3]
    if request.emitted is None or accepted + steps <= request.emitted:
        return
    most_of_a_step = len(request.printed.rates) or drafted
    if is_cut and accepted + steps - request.emitted <= most_of_a_step:
        return
    cure = "" if is_cut else " (--cut allows drafts of the last step that the end of the text cuts off)"
    raise ValueError(
        f"{request.printed.place}: {accepted} accepted drafts and a token more for each of at least {steps} steps, and its eval "
        f"time is that of {request.emitted} tokens; expected no more than were emitted{cure}"
    )


def _request(message: Message, emitted: int | None) -> Request:
    """What the line of a request prints."""
    place = message.place
    line = REQUEST.fullmatch(message.text)
    if line is None:
        raise ValueError(
            f"{place}: {message.text[:60]!a}; expected draft acceptance = 0.62500 (150 accepted / 240 generated)"
        )
    accepted = integer(line["accepted"], f"{place}: accepted")
    drafted = integer(line["drafted"], f"{place}: generated")
    rate = rounded(line["rate"], f"{place}: draft acceptance")
    match = MEAN.search(line["rest"])
    mean = rounded(match[1], f"{place}: mean acceptance length") if match and drafted else None
    rates = _rates(line["rest"], place)
    if "mean" in line["rest"] and mean is None and drafted:
        raise ValueError(f"{place}: {line['rest'][:60]!a}; expected mean acceptance length = 2.88")
    if accepted > drafted:
        raise ValueError(f"{place}: {accepted} of {drafted} drafts accepted; expected no more than were drafted")
    if drafted and rate is None:
        raise ValueError(f"{place}: draft acceptance is not a number, of {drafted} drafts; expected a number")
    return Request(message.prefix, Printed(place, accepted, drafted, mean, rates), rate, emitted)


def _rates(text: str, place: str) -> tuple[Rounded, ...]:
    """Rates by position, where a line prints them."""
    match = RATES.search(text)
    if match is None:
        if "per pos" in text:
            raise ValueError(f"{place}: {text[-60:]!a}; expected acceptance rate per position = (0.825, 0.600)")
        return ()
    if not match[1].strip():
        return ()
    rates = []
    for rate in match[1].split(","):
        number = rounded(rate.strip(), f"{place}: acceptance rate per position")
        if number is None:
            raise ValueError(f"{place}: acceptance rate per position is {rate.strip()!a}; expected a number")
        rates.append(number)
    return tuple(rates)


def _add_rates(requests: list[Request], message: Message) -> None:
    """Rates on a line of their own belong to the request of the last line, where that has the same slot and task."""
    if requests and _slot(requests[-1].prefix) == _slot(message.prefix) and not requests[-1].printed.rates:
        printed = requests[-1].printed
        requests[-1] = requests[-1]._replace(printed=printed._replace(rates=_rates(message.text, message.place)))


def _slot(prefix: str) -> list[str]:
    """Slot and task of a line."""
    return re.findall(r"(?:id|task)\s+(\d+)", prefix, re.ASCII)


def _add_statistics(
    statistics: dict[str, Statistics], message: Message, requests: list[Request], requests_before: int
) -> int:
    """Keep the last statistics of each drafter; the number of requests before the last of them."""
    line = STATISTICS.fullmatch(message.text)
    if line is None:
        return requests_before  # statistics of something else
    latest = _statistics(message.place, line["fields"])
    before = statistics.get(line["drafter"])
    for name, value in before.counters.items() if before else ():
        if latest.counters.get(name, value) < value:
            raise ValueError(
                f"{message.place}: {name} of {line['drafter']} goes down from {value} to {latest.counters[name]}, and these "
                "statistics only grow; expected the log of one start of a server: split it where the server was restarted"
            )
    statistics[line["drafter"]] = latest
    return len(requests)


def _statistics(place: str, text: str) -> Statistics:
    """Counters of a line of statistics, and what they say of the steps: its drafter was called so often to accept."""
    fields: dict[str, str] = {}
    for entry in re.split(r",\s*(?=#|dur)", text):
        name, _, value = entry.partition("=")
        if name.strip() in fields:
            raise ValueError(f"{place}: {name.strip()[:40]!a} stands twice in the line; expected it once")
        fields[name.strip()] = value.strip()
    counters = _counters(place, fields)
    steps = counters["#calls to accept"]
    mean = None
    if "#mean acc len" in fields and steps:
        mean = rounded(fields["#mean acc len"], f"{place}: #mean acc len")
    rates: tuple[Rounded, ...] = ()
    if "#acc rate/pos" in fields and steps:
        rates = _rates(f"acc per pos = {fields['#acc rate/pos']}", place)
    if rates and not rates[0].low * steps <= counters["#acc drafts"] <= rates[0].high * steps:
        raise ValueError(
            f"{place}: {counters['#acc drafts']} accepted drafts in {steps} steps, and a rate of {float(rates[0].value):g} at "
            "the first position; expected their quotient"
        )
    return Statistics(Printed(place, counters["#acc tokens"], counters["#gen tokens"], mean, rates, steps), counters)


def _counters(place: str, fields: Mapping[str, str]) -> dict[str, int]:
    """Counters of a line of statistics, where they can be those of a run."""
    counters = {}
    for name in ("#gen drafts", "#acc drafts", "#gen tokens", "#acc tokens"):
        if name not in fields:
            raise ValueError(f"{place}: no {name} in a line of statistics; expected it, with a number")
        counters[name] = integer(fields[name], f"{place}: {name}")
    drafts, accepted_drafts, drafted, accepted = counters.values()
    calls = [integer(number, f"{place}: #calls") for number in fields.get("#calls(b,g,a)", "").split()]
    if len(calls) not in (0, 3):
        raise ValueError(f"{place}: #calls(b,g,a) holds {len(calls)} numbers; expected 3")
    if "#calls" in fields and integer(fields["#calls"], f"{place}: #calls") < drafts:
        raise ValueError(f"{place}: {drafts} drafts in {fields['#calls']} calls; expected no more than calls")
    steps = calls[2] if calls else drafts
    counters["#calls to accept"] = steps
    if accepted > drafted:
        raise ValueError(f"{place}: {accepted} of {drafted} drafts accepted; expected no more than were drafted")
    if not accepted_drafts <= min(accepted, drafts, steps) or (accepted and not accepted_drafts):
        raise ValueError(
            f"{place}: {accepted_drafts} drafts with an accepted token among {drafts} drafts, in {steps} steps with {accepted} "
            "accepted tokens; expected no more than any of these, and one where a token is accepted"
        )
    if drafted - accepted < drafts - accepted_drafts:
        raise ValueError(
            f"{place}: {accepted} of {drafted} drafted tokens accepted, and {drafts - accepted_drafts} drafts of which none is; "
            "expected at least a token that is not accepted for each of these"
        )
    return counters


def _totals(requests: list[Request], statistics: dict[str, Statistics]) -> None:
    """Refuse statistics that count less than the requests before them."""
    of_requests = sum(request.printed.accepted for request in requests)
    of_statistics = sum(latest.printed.accepted for latest in statistics.values())
    if statistics and of_requests > of_statistics:
        raise ValueError(
            f"log: requests accept {of_requests} drafts, and the statistics after them count {of_statistics}; expected all of "
            "them there: several slots or servers count apart in this log, split it"
        )


def _of_requests(requests: list[Request], has_statistics: bool, *, is_cut: bool) -> Log:
    """Counts by request, whose rates are compared with them."""
    remarks = Remarks("lines")
    ranges = counts_of_all([request.printed for request in requests])
    for request, of_line in zip(requests, ranges, strict=True):
        _compare(request, of_line, remarks)
        _check_emitted(request, of_line.fewest, is_cut=is_cut)
    notes = [steps_note(ranges)]
    if has_statistics:
        notes.append("the lines of requests are counted; the statistics repeat their tokens and are not added")
    counts = tuple(of_line.counts for of_line in ranges)
    return Log("llama.cpp, lines of requests", counts, by_request=True, notes=(*notes, *remarks.notes()))


def _compare(request: Request, of_line: StepRange, remarks: Remarks) -> None:
    """Compare the mean and the rate of a line with its counts."""
    printed = request.printed
    if printed.mean is not None and not of_line.has_bonus:
        remarks.add(
            "the mean acceptance length is printed without the bonus token, which is added here",
            f"{printed.place} says {float(printed.mean.value):g}",
        )
    if request.rate is not None:
        tolerance = float(request.rate.high - request.rate.value)
        remarks.add_rate(printed.place, "draft acceptance", float(request.rate.value), of_line.counts, tolerance)


def _of_statistics(statistics: dict[str, Statistics], requests: list[Request]) -> Log:
    """Counts of the last statistics of each drafter, added up: a step has its drafts from one of them."""
    for request in requests:
        place, accepted, drafted = request.printed[:3]
        if request.rate is not None and not request.rate.low * drafted <= accepted <= request.rate.high * drafted:
            raise ValueError(
                f"{place}: draft acceptance is {float(request.rate.value):g}; expected {accepted / drafted:.6g}, as its counts "
                "say"
            )
    counts = tuple(counts_of(latest.printed).counts for latest in statistics.values() if latest.printed.steps)
    notes = [
        f"the last statistics of each of {len(statistics)} drafters are counted, over all requests since the start"
    ]
    if requests:
        notes.append("lines of requests repeat their tokens and are not added: not all of them print a mean length")
    return Log("llama.cpp, lines of statistics", counts, by_request=False, notes=tuple(notes))


def _without_length(requests: list[Request]) -> str:
    """What is left to say where only tokens are printed."""
    accepted = sum(request.printed.accepted for request in requests)
    drafted = sum(request.printed.drafted for request in requests)
    return (
        f"log: lines of llama.cpp without a mean length: {accepted} of {drafted} drafts accepted, a rate of "
        f"{accepted / max(drafted, 1):.3f}, and no length follows from it; expected its statistics too (llama-server -lv 4), or "
        "a version that prints the mean length"
    )
