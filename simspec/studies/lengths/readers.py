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


ROUNDED = 0.0051
"""How far a mean may be from its counts."""


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
    """Records of vLLM or AIPerf, one for each request; a histogram is a list, or a mapping from drafts to steps.

    Whatever else a record says of its counts is compared with them: the lists of steps, the histograms, the means.
    """
    counts = []
    for number, record in enumerate(map(_inner, records), 1):
        steps, accepted = (_count(record, name, number) for name in ("num_spec_steps", "num_accepted_draft_tokens"))
        drafted = _count(record, "num_draft_tokens", number) if "num_draft_tokens" in record else None
        whole, found = Counts(steps, accepted, drafted), []
        if (by_length := record.get("acceptance_histogram_by_draft_length")) is not None:
            found.append(_by_draft_length(by_length, number, whole))
        if record.get("per_step_accepted") is not None:
            found.append(_by_step(record, number, whole))
        if (histogram := record.get("acceptance_histogram")) is not None:
            found.append(_reached(histogram, number, "acceptance_histogram", whole))
        if len({tuple(filter(None, reached)) for reached in found}) > 1:
            raise ValueError(f"record {number}: steps that accept 1, 2, … drafts are {found}; expected one such list")
        reached = max(found, key=len, default=None)
        _means(record, number, whole, ("mean_acceptance_length", "draft_acceptance_rate"))
        counts.append(_checked(whole._replace(reached=reached), number))
    return Log("vLLM or AIPerf, by request", tuple(counts), by_request=True)


def sglang(records: Sequence[Record]) -> Log:
    """Responses of SGLang: completion tokens over verify steps, as it prints them.

    The token of the prefill and what the limit cuts are in that number (claim ``metrics.length.request-corrected``).
    Where each response has the counts of its drafts these are read in its place: they are without either.
    """
    counted = all("spec_accepted_drafts" in _inner(r) for r in records)
    counts = []
    for number, record in enumerate(map(_inner, records), 1):
        steps, tokens = (_count(record, name, number) for name in ("spec_verify_ct", "completion_tokens"))
        if tokens < steps:
            raise ValueError(f"record {number}: {tokens} completion tokens in {steps} verify steps; expected no fewer")
        whole, reached = Counts(steps, tokens - steps), None
        _means(record, number, whole, ("spec_accept_length",))
        if counted:
            drafted = _count(record, "spec_proposed_drafts", number) if "spec_proposed_drafts" in record else None
            whole = Counts(steps, _count(record, "spec_accepted_drafts", number), drafted)
            _means(record, number, whole, ("spec_accept_rate",))
            if (histogram := record.get("spec_accept_histogram")) is not None:
                reached = _reached(histogram, number, "spec_accept_histogram", whole)
        counts.append(_checked(whole._replace(reached=reached), number))
    name = "SGLang, by request" if counted else "SGLang, by request, the tokens of prefill and cut steps counted"
    return Log(name, tuple(counts), by_request=True)


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
        told = [float(m) for m in record.get("marginal_accept_rates", [])]
        if any(abs(m - at / steps) > ROUNDED for m, at in zip(told, reached, strict=False)):
            raise ValueError(f"record {number}: marginal_accept_rates {told} are not those of its histogram")
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


def _table(histogram: Any, number: int, name: str) -> dict[int, int]:
    """Steps by their accepted drafts."""
    try:
        pairs = histogram.items() if isinstance(histogram, Mapping) else enumerate(histogram)
        return {int(k): int(v) for k, v in pairs}
    except (TypeError, ValueError):
        raise ValueError(f"record {number}: {name} is {histogram!r}; expected numbers of steps") from None


def _at_least(table: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(sum(v for k, v in table.items() if k >= i) for i in range(1, max([*table, 0]) + 1))


def _reached(histogram: Any, number: int, name: str, said: Counts) -> tuple[int, ...]:
    table = _table(histogram, number, name)
    _agree(number, name, (sum(table.values()), sum(k * v for k, v in table.items())), said)
    return _at_least(table)


def _by_step(record: Record, number: int, said: Counts) -> tuple[int, ...]:
    kept, drafted = record["per_step_accepted"], record.get("per_step_drafted")
    for name, values in (("per_step_accepted", kept), ("per_step_drafted", drafted or [])):
        if not isinstance(values, list) or not all(isinstance(v, int) and v >= 0 for v in values):
            raise ValueError(f"record {number}: {name} is {values!r}; expected a list of whole numbers")
    _agree(number, "per_step_accepted", (len(kept), sum(kept)), said)
    if drafted is not None:
        if len(drafted) != len(kept) or any(a > d for a, d in zip(kept, drafted, strict=True)):
            raise ValueError(
                f"record {number}: per_step_drafted does not fit per_step_accepted; expected a list as long, "
                "none of it smaller"
            )
        _drafted(number, "per_step_drafted", sum(drafted), said)
    return _at_least({a: kept.count(a) for a in {*kept}})


def _by_draft_length(tables: Any, number: int, said: Counts) -> tuple[int, ...]:
    """Steps by accepted drafts, summed over the numbers of drafts for which there is a histogram each."""
    name = "acceptance_histogram_by_draft_length"
    pairs = tables.items() if isinstance(tables, Mapping) else enumerate(tables)
    whole: dict[int, int] = {}
    drafted = 0
    for length, table in ((int(length), _table(histogram, number, name)) for length, histogram in pairs):
        if any(v and k > length for k, v in table.items()):
            raise ValueError(f"record {number}: {name} has steps that accept more than the {length} drafts they have")
        drafted += length * sum(table.values())
        for k, v in table.items():
            whole[k] = whole.get(k, 0) + v
    _drafted(number, name, drafted, said)
    return _reached(whole, number, name, said)


def _agree(number: int, name: str, found: tuple[int, int], said: Counts) -> None:
    if found != said[:2]:
        raise ValueError(
            f"record {number}: {name} holds {found[0]} steps with {found[1]} accepted drafts; expected {said[0]} and {said[1]}"
        )


def _drafted(number: int, name: str, found: int, said: Counts) -> None:
    if said.drafted is not None and found != said.drafted:
        raise ValueError(f"record {number}: {name} holds {found} drafts; expected {said.drafted}")


def _means(record: Record, number: int, said: Counts, names: Sequence[str]) -> None:
    """Refuse means that are not those of the counts, to the two digits that a log may round them to."""
    for name in names:
        above, below, plus = (
            (said.accepted, said.drafted, 0) if name.endswith("rate") else (said.accepted, said.steps, 1)
        )
        value = record.get(name)
        if not below or not isinstance(value, float | int):
            continue
        if not abs(value - plus - above / below) < ROUNDED:
            raise ValueError(
                f"record {number}: {name} is {value}; expected {plus + above / below:.6g}, as its counts say"
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
