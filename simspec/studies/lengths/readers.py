"""Which reader a log takes, told from its content.  Pure functions; a log that contradicts itself is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from simspec.studies.lengths.json_records import Record, inner, of_profile, parsed, request_records, sglang
from simspec.studies.lengths.prometheus import prometheus
from simspec.studies.lengths.records import Log

__all__ = ["read"]

_WITHOUT_COUNTS = (
    (
        re.compile(r"^sglang:spec_accept_(length|rate)", re.MULTILINE),
        "gauges of SGLang, which tell of the last moments only; expected its responses, with spec_verify_ct",
    ),
    (
        re.compile(r"Decode batch[^\n]{0,400}accept(?:ed)?[ _]len", re.ASCII),
        "lines of SGLang's log, which tell of the last moments only; expected its responses, with spec_verify_ct",
    ),
    (
        re.compile(r"Speculative metrics: Draft acceptance rate"),
        "lines of vLLM before version 1, which count drafts after a refused one as accepted; expected those of a later version",
    ),
    (
        re.compile(r"\A(#.*\n|\s)*[^\s{\[#][^\n{]*:\s*\n\s+[^\n{]*:\s*\n\s+\d+\s*:\s*[\d.]+\s*$", re.MULTILINE),
        "golden lengths by model and number of drafts, without steps; expected the run that they come from",
    ),
)
"""Numbers of engines that hold no counts, and why none follow from them."""
_FORMATS: tuple[tuple[Callable[[Record], bool], Callable[..., Log]], ...] = (
    (lambda r: "num_spec_steps" in inner(r), request_records),
    (lambda r: "spec_verify_ct" in inner(r), sglang),
    (lambda r: "acceptance_length_histogram" in r and "mean_accept_length" in r, of_profile),
)


def read(text: str, *, is_cut: bool = False) -> Log:
    """Counts of a log in any of the formats, told from its content.

    Parameters
    ----------
    text : str
    is_cut : bool
        whether requests may have accepted drafts in their last step that the end of the text cut off: some engines count
        before they cut.  Without it more accepted than emitted tokens are a contradiction

    Raises
    ------
    ValueError
        for a format that is not known, a record or line without its fields, or one that contradicts itself, with its number.

    >>> read('{"num_spec_steps": 2, "num_accepted_draft_tokens": 2, "num_draft_tokens": 4}').counts
    (Counts(steps=2, accepted=2, drafted=4, reached=None),)
    """
    text = text.removeprefix("\ufeff")
    try:
        records = parsed(text)
    except ValueError as error:
        log = _of_lines(text)
        if log is None:
            raise error from None
        return log
    for fits, reader in _FORMATS:
        if not any(fits(r) for r in records):
            continue
        for number, record in enumerate(records, 1):
            if not fits(record):
                raise ValueError(
                    f"record {number}: fields {_names(record)}; expected those that the other records have, which count "
                    "steps and accepted drafts"
                )
        return reader(records) if reader is of_profile else reader(records, is_cut=is_cut)
    if any("acc_len" in r for r in records):
        raise ValueError(
            "log: acc_len, lengths at every position of a text, is no run; expected the verify steps of one"
        )
    raise ValueError(
        f"log: records with the fields {_names(records[0])}; expected vLLM metrics or records by request, AIPerf records, SGLang "
        "responses, or a profile"
    )


def _of_lines(text: str) -> Log | None:
    """Counts of a text that is read by its lines; None where no line is known."""
    if re.search(r"^vllm:spec_decode_num_", text, re.MULTILINE):
        return prometheus(text)
    for form, why in _WITHOUT_COUNTS:
        if form.search(text):
            raise ValueError(f"log: {why}; `simspec.studies.lengths.converted` takes such a number by itself")
    return None


def _names(record: Any) -> str:
    """Names of the fields of a record, escaped: a log is text that strangers wrote."""
    return ascii(", ".join(sorted(map(str, record))))[1:-1][:200] or "none"
