"""A reader for each format: text of a log to its counts.  Pure functions; a record that contradicts itself is refused.

Fields are those seen in public code and documentation in 2026.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simspec.studies.lengths.records import Counts, Log

__all__ = ["of_profile", "prometheus", "read", "request_records", "sglang"]

Record = Mapping[str, Any]

_WITHOUT_COUNTS = (
    (
        re.compile(r"^sglang:spec_accept_(length|rate)", re.MULTILINE),
        "gauges of SGLang, which tell of the last moments only; expected its responses, with spec_verify_ct",
    ),
    (
        re.compile(r"\A(#.*\n|\s)*[^\s{\[#][^\n{]*:\s*\n\s+[^\n{]*:\s*\n\s+\d+\s*:\s*[\d.]+\s*$", re.MULTILINE),
        "golden lengths by model and number of drafts, without steps; expected the run that they come from",
    ),
)
"""Numbers of engines that hold no counts, and why none follow from them."""
_LINE = re.compile(r"^vllm:spec_decode_num_(\w+?)(?:_total)?(\{[^}]*\})?\s+(\S+)")


def read(text: str) -> Log:
    """Counts of a log in any of the formats, told from its content.

    Raises
    ------
    ValueError
        for a format that is not known, a record without its fields, or one that contradicts itself, with its number.

    >>> read('{"num_spec_steps": 2, "num_accepted_draft_tokens": 2, "num_draft_tokens": 4}').counts
    (Counts(steps=2, accepted=2, drafted=4, reached=None),)
    """
    if re.search(r"^vllm:spec_decode_", text, re.MULTILINE):
        return prometheus(text)
    for form, why in _WITHOUT_COUNTS:
        if form.search(text):
            raise ValueError(f"log: {why}; `simspec.studies.lengths.converted` takes such a number by itself")
    records = _records(text)
    for fits, reader in _READERS:
        if all(fits(r) for r in records):
            return reader(records)
    if any("acc_len" in r for r in records):
        raise ValueError(
            "log: acc_len, lengths at every position of a text, is no run; expected the verify steps of one"
        )
    raise ValueError(
        f"log: records with the fields {', '.join(sorted(records[0]))[:200] or 'none'}; expected vLLM metrics or records by "
        "request, AIPerf records, SGLang responses, or a profile"
    )


def prometheus(text: str) -> Log:
    """vLLM's counters as Prometheus scrapes them, summed over engines: one count for the whole run.

    >>> prometheus("vllm:spec_decode_num_drafts_total 2\\nvllm:spec_decode_num_accepted_tokens_total 3").counts[0].accepted
    3
    """
    sums: dict[str, float] = {}
    places: dict[int, float] = {}
    for name, labels, value in (m.groups() for line in text.splitlines() if (m := _LINE.match(line))):
        if name == "accepted_tokens_per_pos":
            place = re.search(r'position="(\d+)"', labels or "")
            if place is None:
                raise ValueError(f"log: {name} without a position in {labels}; expected one")
            places[int(place[1])] = places.get(int(place[1]), 0) + float(value)
        else:
            sums[name] = sums.get(name, 0) + float(value)
    if missing := [n for n in ("drafts", "accepted_tokens") if n not in sums]:
        raise ValueError(f"log: no vllm:spec_decode_num_{missing[0]}; expected vLLM's counters of speculative decoding")
    reached = tuple(int(places.get(i, 0)) for i in range(max(places) + 1)) if places else None
    drafted = int(sums["draft_tokens"]) if "draft_tokens" in sums else None
    whole = Counts(int(sums["drafts"]), int(sums["accepted_tokens"]), drafted, reached)
    return Log("vLLM, Prometheus", (_checked(whole, 0),), by_request=False)


def request_records(records: Sequence[Record]) -> Log:
    """Records of vLLM or AIPerf, one for each request; a histogram is a list, or a mapping from drafts to steps."""
    counts = []
    for number, record in enumerate(map(_inner, records), 1):
        steps, accepted = (_count(record, name, number) for name in ("num_spec_steps", "num_accepted_draft_tokens"))
        drafted = _count(record, "num_draft_tokens", number) if "num_draft_tokens" in record else None
        by_step = record.get("per_step_accepted")
        histogram = record.get("acceptance_histogram")
        reached = None
        if by_step is not None:
            reached = tuple(sum(a >= i for a in by_step) for i in range(1, max([*by_step, 0]) + 1))
            _agree(number, "per_step_accepted", (len(by_step), sum(by_step)), (steps, accepted))
        elif histogram is not None:
            pairs = histogram.items() if isinstance(histogram, Mapping) else enumerate(histogram)
            table = {int(k): int(v) for k, v in pairs}
            reached = tuple(sum(v for k, v in table.items() if k >= i) for i in range(1, max([*table, 0]) + 1))
            _agree(
                number,
                "acceptance_histogram",
                (sum(table.values()), sum(k * v for k, v in table.items())),
                (steps, accepted),
            )
        counts.append(_checked(Counts(steps, accepted, drafted, reached), number))
    return Log("vLLM or AIPerf, by request", tuple(counts), by_request=True)


def sglang(records: Sequence[Record]) -> Log:
    """Responses of SGLang: completion tokens over verify steps, as it prints them.

    The token of the prefill and what the limit cuts are in that number (claim ``metrics.length.request-corrected``).
    """
    counts = []
    for number, record in enumerate(map(_inner, records), 1):
        steps, tokens = (_count(record, name, number) for name in ("spec_verify_ct", "completion_tokens"))
        if tokens < steps:
            raise ValueError(f"record {number}: {tokens} completion tokens in {steps} verify steps; expected no fewer")
        counts.append(Counts(steps, tokens - steps))
    return Log("SGLang, by request", tuple(counts), by_request=True)


def of_profile(records: Sequence[Record]) -> Log:
    """A profile with a histogram of steps by accepted drafts, or by emitted tokens: whichever gives its own mean."""
    counts = []
    for number, record in enumerate(records, 1):
        histogram = [int(v) for v in record["acceptance_length_histogram"]]
        steps, total = sum(histogram), sum(k * v for k, v in enumerate(histogram))
        mean = float(record["mean_accept_length"])
        bonus = next((b for b in (0, 1) if steps and abs(total / steps + 1 - b - mean) < 1e-6), None)
        if bonus is None:
            raise ValueError(
                f"record {number}: mean_accept_length {mean} is not that of its histogram; expected one of them to be wrong"
            )
        by_accepted = histogram[bonus:]
        reached = tuple(sum(by_accepted[i:]) for i in range(1, len(by_accepted)))
        counts.append(Counts(steps, sum(reached), None, reached))
    return Log("profile", tuple(counts), by_request=False)


def _inner(record: Record) -> Record:
    """The part of a record that is about speculative decoding."""
    for path in (("metrics", "speculative_decoding"), ("speculative_decoding",), ("meta_info",), ("usage",)):
        inner: Any = record
        for name in path:
            inner = inner.get(name) if isinstance(inner, Mapping) else None
        if isinstance(inner, Mapping) and {"num_spec_steps", "spec_verify_ct"} & set(inner):
            return inner
    return record


_READERS: tuple[tuple[Callable[[Record], bool], Callable[[Sequence[Record]], Log]], ...] = (
    (lambda r: "num_spec_steps" in _inner(r), request_records),
    (lambda r: "spec_verify_ct" in _inner(r), sglang),
    (lambda r: "acceptance_length_histogram" in r and "mean_accept_length" in r, of_profile),
)


def _records(text: str) -> list[Record]:
    """Objects of a JSON file, an array of them, or one on each line."""
    try:
        whole = json.loads(text)
        found = whole if isinstance(whole, list) else [whole]
    except json.JSONDecodeError:
        try:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
        except json.JSONDecodeError as error:
            raise ValueError(f"log: neither JSON nor JSON lines nor vLLM's counters ({error})") from None
    if not found or not all(isinstance(r, dict) for r in found):
        raise ValueError("log: no records; expected JSON objects, one a request")
    return found


def _count(record: Record, name: str, number: int) -> int:
    value = record.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"record {number}: {name} is {value!r}; expected a whole number that is not negative")
    return value


def _agree(number: int, name: str, found: tuple[int, int], said: tuple[int, int]) -> None:
    if found != said:
        raise ValueError(
            f"record {number}: {name} holds {found[0]} steps with {found[1]} accepted drafts; expected {said[0]} and {said[1]}"
        )


def _checked(c: Counts, number: int) -> Counts:
    """Refuse counts that no run has."""
    if c.drafted is not None and c.accepted > c.drafted:
        raise ValueError(
            f"record {number}: {c.accepted} of {c.drafted} drafts accepted; expected no more than were drafted"
        )
    if c.reached is not None and (sum(c.reached) != c.accepted or list(c.reached) != sorted(c.reached, reverse=True)):
        raise ValueError(
            f"record {number}: positions {c.reached} with {c.accepted} accepted drafts; expected their sum, not rising"
        )
    if c.reached and c.reached[0] > c.steps:
        raise ValueError(
            f"record {number}: {c.reached[0]} of {c.steps} steps accept a draft; expected no more than there are"
        )
    return c
