"""Records in JSON to counts: vLLM's and AIPerf's by request, SGLang's responses, and profiles.

Fields are those seen in public code and documentation in 2026.  Whatever else a record says of its counts is compared with them.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from simspec.tools.lengths.histograms import at_least, histogram_table, reached_by_all, reached_by_table
from simspec.tools.lengths.printed import possible_rates
from simspec.tools.lengths.records import Counts, Log, checked, whole
from simspec.tools.lengths.remarks import Remarks

__all__ = ["Record", "inner", "of_profile", "parsed", "request_records", "sglang"]

Record = Mapping[str, Any]

ROUNDED = 0.0051
"""How far a mean may be from its counts: records round it to two digits."""
EMITTED = ("completion_tokens", "num_emitted_tokens", "emitted_tokens", "num_output_tokens", "output_tokens")
"""Names of the number of tokens that a request was given."""
POSITION_RATES = (
    "per_position_acceptance_rate",
    "per_position_acceptance_rates",
    "acceptance_rate_per_position",
    "acceptance_rates_per_position",
    "position_acceptance_rates",
    "marginal_accept_rates",
)
SGLANG_ACCEPTED = ("spec_accepted_drafts", "spec_num_correct_drafts", "spec_accepted_tokens", "spec_accept_token_num")
SGLANG_DRAFTED = ("spec_proposed_drafts", "spec_num_proposed_drafts", "spec_draft_tokens", "spec_draft_token_num")
SGLANG_HISTOGRAM = ("spec_accept_histogram", "spec_correct_drafts_histogram")
SGLANG_COUNTED = (*SGLANG_ACCEPTED, *SGLANG_DRAFTED, *SGLANG_HISTOGRAM)
"""Fields of which one says that a response has the counts of its drafts."""
PLACES = (
    ("metrics", "speculative_decoding"),
    ("speculative_decoding",),
    ("meta_info",),
    ("sglext", "spec_tokens_details"),
    ("usage",),
)
"""Where a record keeps what is about speculative decoding."""


def parsed(text: str) -> list[Record]:
    """Objects of a JSON file, an array of them, or one on each line.

    Raises ValueError for text that is no JSON, and for an object in which a name stands twice.

    >>> parsed('{"a": 1}\\n{"a": 2}')
    [{'a': 1}, {'a': 2}]
    """
    try:
        try:
            whole_file = _json(text)
            objects = whole_file if isinstance(whole_file, list) else [whole_file]
        except json.JSONDecodeError:
            # Not splitlines: it also divides at characters that JSON allows inside of a string.
            objects = [_json(line) for line in text.split("\n") if line.strip()]
    except json.JSONDecodeError as error:
        raise ValueError(
            f"log: neither JSON nor JSON lines nor counters nor a log with lines about drafts ({error}); expected one of "
            'them: vLLM prints "SpecDecoding metrics" unless it is started with --disable-log-stats, llama.cpp "draft acceptance"'
        ) from None
    except RecursionError:
        raise ValueError("log: JSON nested too deeply; expected objects, one a request") from None
    if not objects or not all(isinstance(r, dict) for r in objects):
        raise ValueError("log: no records; expected JSON objects, one a request")
    return objects


def _json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_object, parse_int=_integer)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, whose names each stand once: of two values for a counter neither is the right one."""
    value = dict(pairs)
    if len(value) < len(pairs):
        name = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"log: {name[:80]!a} stands twice in an object; expected it once")
    return value


def _integer(text: str) -> int | float:
    """An integer; Python refuses to read those of thousands of digits, which are no counts."""
    return int(text) if len(text) < 400 else math.inf


def inner(record: Record) -> Record:
    """The part of a record that is about speculative decoding.

    >>> inner({"meta_info": {"spec_verify_ct": 2}})
    {'spec_verify_ct': 2}
    """
    for path in PLACES:
        section: Any = record
        for name in path:
            section = section.get(name) if isinstance(section, Mapping) else None
        if isinstance(section, Mapping) and {"num_spec_steps", "spec_verify_ct"} & set(section):
            return section
    return record


def request_records(records: Sequence[Record], *, is_cut: bool = False) -> Log:
    """Records of vLLM or AIPerf, one for each request; a histogram is a list, or a mapping from drafts to steps.

    Parameters
    ----------
    records : list of records
    is_cut : bool
        whether the last step of a request may have accepted drafts that it did not emit, since the text ended before

    Raises
    ------
    ValueError
        for a record that contradicts itself, with its number.

    >>> request_records([{"num_spec_steps": 2, "num_accepted_draft_tokens": 2}]).counts
    (Counts(steps=2, accepted=2, drafted=None, reached=None),)
    """
    remarks = Remarks("records")
    counts = []
    for number, record in enumerate(records, 1):
        place = f"record {number}"
        section = inner(record)
        steps = _count(section, "num_spec_steps", place)
        accepted = _count(section, "num_accepted_draft_tokens", place)
        drafted = _count(section, "num_draft_tokens", place) if "num_draft_tokens" in section else None
        stated_counts = checked(Counts(steps, accepted, drafted), place)
        stated_counts = checked(stated_counts._replace(reached=reached_by_all(section, place, stated_counts)), place)
        if section.get("num_spec_tokens") is not None:
            _within_gamma(_count(section, "num_spec_tokens", place), stated_counts, place)
        _compare_emitted(record, section, stated_counts, place, remarks, is_cut=is_cut)
        _quotients(
            section, place, stated_counts, remarks, length="mean_acceptance_length", rate="draft_acceptance_rate"
        )
        counts.append(stated_counts)
    return Log("vLLM or AIPerf, by request", tuple(counts), by_request=True, notes=tuple(remarks.notes()))


def sglang(records: Sequence[Record], *, is_cut: bool = False) -> Log:
    """Responses of SGLang: completion tokens over verify steps, as it prints them.

    The token of the prefill and what the limit cuts are in that number (claim ``metrics.length.request-corrected``).
    Where each response has the counts of its drafts these are read in its place: they are without either.

    Parameters
    ----------
    records : list of records
    is_cut : bool
        whether the last step of a request may have accepted drafts that it did not emit, since the text ended before

    Raises
    ------
    ValueError
        for a record that contradicts itself, with its number.

    >>> sglang([{"spec_verify_ct": 2, "completion_tokens": 5}]).counts
    (Counts(steps=2, accepted=3, drafted=None, reached=None),)
    """
    remarks = Remarks("records")
    counts = []
    parts = [inner(record) for record in records]
    has_counts = [any(section.get(name) is not None for name in SGLANG_COUNTED) for section in parts]
    for number, (record, section) in enumerate(zip(records, parts, strict=True), 1):
        place = f"record {number}"
        steps = _count(section, "spec_verify_ct", place)
        emitted = _emitted(record, section, place)
        if not emitted:
            raise ValueError(f"{place}: no completion_tokens; expected it beside spec_verify_ct")
        tokens = emitted[0][1]
        if tokens < steps:
            raise ValueError(f"{place}: {tokens} completion tokens in {steps} verify steps; expected no fewer")
        if any(has_counts) and not has_counts[number - 1] and steps:
            raise ValueError(f"{place}: no {SGLANG_ACCEPTED[0]}, which other records have; expected it in all of them")
        if steps == 0 and tokens > 1:
            raise ValueError(
                f"{place}: {tokens} completion tokens in 0 verify steps; expected one token, of the prefill"
            )
        stated_counts = Counts(steps, tokens - steps if steps else 0)
        if any(has_counts):
            stated_counts = _sglang_counts(section, steps, place)
        _compare_emitted(record, section, stated_counts, place, remarks, is_cut=is_cut)
        _quotients(
            section, place, stated_counts, remarks, length="spec_accept_length", rate="spec_accept_rate", emitted=tokens
        )
        counts.append(stated_counts)
    name = "SGLang, by request"
    if not any(has_counts):
        name += ", the tokens of prefill and cut steps counted"
    return Log(name, tuple(counts), by_request=True, notes=tuple(remarks.notes()))


def of_profile(records: Sequence[Record]) -> Log:
    """A profile with a histogram of steps by accepted drafts, or by emitted tokens: whichever gives its own mean.

    Raises ValueError where neither does, or its rates are not those of the histogram.

    >>> of_profile([{"acceptance_length_histogram": [1, 1], "mean_accept_length": 1.5}]).counts[0].reached
    (1,)
    """
    remarks = Remarks("records")
    counts = []
    for number, record in enumerate(records, 1):
        place = f"record {number}"
        table = histogram_table(record["acceptance_length_histogram"], place, "acceptance_length_histogram")
        steps = sum(table.values())
        total = sum(drafts * n for drafts, n in table.items())
        if not steps:
            raise ValueError(f"{place}: acceptance_length_histogram holds no step; expected one at least")
        mean = _number(record, "mean_accept_length", place, steps)
        if mean is None:
            raise ValueError(f"{place}: mean_accept_length is None; expected the mean of the histogram")
        if abs(total / steps + 1 - mean) <= ROUNDED:
            by_accepted = table
        elif abs(total / steps - mean) <= ROUNDED and not table.get(0):
            by_accepted = {emitted - 1: n for emitted, n in table.items() if n}
        elif abs(total / steps - mean) <= ROUNDED:
            by_accepted = table
            remarks.add(
                "mean_accept_length is without the bonus token, which is added here",
                f"{place} says {mean:g}, and its histogram has steps that accept nothing",
            )
        else:
            raise ValueError(
                f"{place}: mean_accept_length {mean:g} is not that of its histogram; expected {total / steps + 1:.6g}, or "
                f"{total / steps:.6g} where it counts emitted tokens"
            )
        reached = at_least(by_accepted)
        stated_counts = checked(Counts(steps, sum(reached), None, reached), place)
        _rates_by_position(record, place, stated_counts)
        _conditional_rates(record, place, stated_counts)
        counts.append(stated_counts)
    return Log("profile", tuple(counts), by_request=False, notes=tuple(remarks.notes()))


def _sglang_counts(section: Record, steps: int, place: str) -> Counts:
    """Counts of a response that has them by name, or of its histogram."""
    tables = {
        name: histogram_table(section[name], place, name) for name in SGLANG_HISTOGRAM if section.get(name) is not None
    }
    accepted = _alias(section, SGLANG_ACCEPTED, place)
    for table in tables.values():
        accepted = sum(drafts * n for drafts, n in table.items()) if accepted is None else accepted
    if accepted is None and steps:
        raise ValueError(f"{place}: no {SGLANG_ACCEPTED[0]}, and a number of drafts; expected both")
    stated_counts = Counts(steps, accepted or 0, _alias(section, SGLANG_DRAFTED, place))
    for name, table in tables.items():
        stated_counts = stated_counts._replace(reached=reached_by_table(table, place, name, stated_counts))
    return checked(stated_counts, place)


def _count(record: Record, name: str, place: str) -> int:
    return whole(record.get(name), f"{place}: {name}")


def _alias(record: Record, names: Sequence[str], place: str) -> int | None:
    """A count that has had several names; where two of them are there, they are equal."""
    values = {name: _count(record, name, place) for name in names if record.get(name) is not None}
    if len({*values.values()}) > 1:
        raise ValueError(f"{place}: {' and '.join(f'{n} is {v}' for n, v in values.items())}; expected the same number")
    return next(iter(values.values()), None)


def _number(record: Record, name: str, place: str, divisor: int) -> float | None:
    """A quotient that a record prints; None where it is missing, or divides by nothing."""
    value = record.get(name)
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and not divisor and (math.isnan(value) or value in (0, 1)):
        return None
    if not is_number or not math.isfinite(value) or value < 0 or not divisor:
        raise ValueError(
            f"{place}: {name} is {ascii(value)[:40]}, of {divisor} {'steps' if 'length' in name else 'drafts'}; expected a "
            "number that is not negative" + ("" if divisor else ", or none where nothing is counted")
        )
    return float(value)


def _within_gamma(gamma: int, stated_counts: Counts, place: str) -> None:
    """Refuse steps that draft or accept more tokens than the engine was told to draft."""
    largest = max(stated_counts.drafted or 0, stated_counts.accepted)
    if largest > gamma * stated_counts.steps or len([n for n in stated_counts.reached or () if n]) > gamma:
        raise ValueError(
            f"{place}: {stated_counts.accepted} accepted and {stated_counts.drafted or 0} drafted in "
            f"{stated_counts.steps} steps; expected at most num_spec_tokens, {gamma}, a step"
        )


def _quotients(
    section: Record,
    place: str,
    stated_counts: Counts,
    remarks: Remarks,
    *,
    length: str,
    rate: str,
    emitted: int | None = None,
) -> None:
    """Compare means, rates and rates by position with the counts, to the two digits that a log may round them to."""
    mean = _number(section, length, place, stated_counts.steps)
    if mean is not None:
        remarks.add_length(place, length, mean, stated_counts, ROUNDED, emitted)
    share = _number(
        section, rate, place, stated_counts.steps if stated_counts.drafted is None else stated_counts.drafted
    )
    if share is not None and share > 1 + ROUNDED:
        raise ValueError(f"{place}: {rate} is {share:g}; expected between 0 and 1")
    if share is not None:
        remarks.add_rate(place, rate, share, stated_counts, ROUNDED)
    _rates_by_position(section, place, stated_counts)


def _rates_by_position(section: Record, place: str, stated_counts: Counts) -> None:
    """Compare rates by position with the counts."""
    for name in POSITION_RATES:
        rates = section.get(name)
        if rates is None:
            continue
        if not isinstance(rates, list):
            raise ValueError(f"{place}: {name} is {ascii(rates)[:80]}; expected a list of rates")
        numbers = [_number({name: rate}, name, place, stated_counts.steps) for rate in rates]
        possible_rates([number or 0.0 for number in numbers], f"{place}: {name}")
        expected = [count / stated_counts.steps for count in stated_counts.reached or ()] if stated_counts.steps else []
        if stated_counts.reached is None and stated_counts.steps:
            is_wrong = abs(
                sum(number or 0.0 for number in numbers) - stated_counts.accepted / stated_counts.steps
            ) > ROUNDED * max(len(rates), 1)
        else:
            longest = max(len(expected), len(numbers))
            pairs = zip(
                [*expected, *[0.0] * (longest - len(expected))],
                [number or 0.0 for number in numbers] + [0.0] * (longest - len(numbers)),
                strict=True,
            )
            is_wrong = any(abs(rate - number) > ROUNDED for rate, number in pairs)
        if is_wrong:
            raise ValueError(
                f"{place}: {name} {ascii(rates)[:80]} are not those of its histogram and counts; expected "
                f"{', '.join(f'{rate:.3f}' for rate in expected[:8]) or 'rates whose sum is accepted over steps'}"
            )


def _conditional_rates(section: Record, place: str, stated_counts: Counts) -> None:
    """Compare the rates of a position given the one before with the counts; they may rise."""
    rates = section.get("conditional_accept_rates")
    if rates is None:
        return
    if not isinstance(rates, list):
        raise ValueError(f"{place}: conditional_accept_rates is {ascii(rates)[:80]}; expected a list of rates")
    numbers = [stated_counts.steps, *(stated_counts.reached or ())]
    for i, rate in enumerate(rates):
        number = (
            _number({"rate": rate}, "rate", f"{place}: conditional_accept_rates, position {i + 1}", stated_counts.steps)
            or 0.0
        )
        expected = numbers[i + 1] / numbers[i] if i + 1 < len(numbers) and numbers[i] else 0.0
        if abs(number - expected) > ROUNDED:
            raise ValueError(
                f"{place}: conditional_accept_rates at position {i + 1} is {number:g}; expected {expected:.6g}, as its histogram "
                "says"
            )


def _emitted(record: Record, section: Record, place: str) -> list[tuple[str, int]]:
    """Every number of tokens that a record says the request was given."""
    usage = record.get("usage")
    meta = record.get("meta_info")
    numbers = []
    for source in (section, record, usage, meta):
        if not isinstance(source, Mapping):
            continue
        for name in EMITTED:
            value = source.get(name)
            # Under the other names some files keep the tokens themselves.
            if isinstance(value, int | float) or (name == EMITTED[0] and value is not None):
                numbers.append((name, _count(source, name, place)))
    return numbers


def _compare_emitted(
    record: Record, section: Record, stated_counts: Counts, place: str, remarks: Remarks, *, is_cut: bool
) -> None:
    """Refuse more accepted drafts, and a token for each step, than the request was given.

    An engine that counts before it cuts the text at its end may say so of an honest run: the last step accepts drafts that are
    not emitted.  That is believed only where the caller says so, and only for the drafts of one step.
    """
    for name, tokens in _emitted(record, section, place):
        missing = stated_counts.accepted + stated_counts.steps - tokens
        if missing <= 0:
            continue
        longest = len(stated_counts.reached) if stated_counts.reached else stated_counts.accepted
        if not is_cut or missing > longest:
            raise ValueError(
                f"{place}: {stated_counts.accepted} accepted drafts and a token more for each of "
                f"{stated_counts.steps} steps, and {name} is "
                f"{tokens}; expected no more than were emitted"
                + ("" if is_cut else " (--cut allows drafts of the last step that the end of the text cuts off)")
            )
        remarks.add(
            "drafts of the last step that were accepted and not emitted are counted as accepted",
            f"{place}: {missing} of them",
        )
