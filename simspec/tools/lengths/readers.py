"""Which reader a log takes, told from its content.  Pure functions; a log that contradicts itself is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from simspec.tools.lengths.json_records import Record, inner, of_profile, parsed, request_records, sglang
from simspec.tools.lengths.llama_lines import REQUEST_MARK, STATISTICS_MARK, llama_lines
from simspec.tools.lengths.prometheus import prometheus
from simspec.tools.lengths.records import Log
from simspec.tools.lengths.server_lines import messages
from simspec.tools.lengths.sglang_lines import sglang_lines
from simspec.tools.lengths.vllm_lines import MARK, vllm_lines

__all__ = ["read"]

_WITHOUT_COUNTS = (
    (
        re.compile(r"^sglang:spec_accept_(length|rate)", re.MULTILINE),
        ("gauges of SGLang, which describe only the last moments; expected its responses, with spec_verify_ct"),
    ),
    (
        re.compile(r"Speculative metrics: Draft acceptance rate"),
        (
            "lines of vLLM before version 1, which count drafts after a rejected one as accepted; expected a "
            "log of a later version"
        ),
    ),
    (
        re.compile(
            r"\A(?:#.*\n|\s)*[^\s{\[#][^\n{]*:[ \t\r]*\n[ \t]+[^\n{]*:[ \t\r]*\n[ \t]+\d+[ \t]*:[ \t]*[\d.]+[ \t\r]*$",
            re.MULTILINE,
        ),
        ("golden lengths by model and number of draft tokens, without steps; expected the run they were computed from"),
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
        log = _of_lines(text, is_cut=is_cut)
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
    log = _of_lines(text, is_cut=is_cut)  # lines that a log driver wrapped in JSON
    if log is not None:
        return log
    if any("acc_len" in r for r in records):
        raise ValueError(
            "log: acc_len holds lengths at every position of a text, not a run; expected the verification "
            "steps of a run"
        )
    raise ValueError(
        f"log: records with the fields {_names(records[0])}; expected vLLM metrics or records by request, AIPerf records, SGLang "
        "responses, a profile, or the log of vLLM or llama.cpp"
    )


def _of_lines(text: str, *, is_cut: bool) -> Log | None:
    """Counts of a text that is read by its lines; None where no line is known."""
    formats: list[tuple[str, Callable[[str], Log]]] = []
    if re.search(r"^(?:vllm|llamacpp):spec_decode_num_", text, re.MULTILINE):
        formats.append(("counters", prometheus))
    if any(messages(text, MARK)):
        formats.append(("vLLM's log", vllm_lines))
    if any(_is_of_llama(m.text) for m in messages(text, REQUEST_MARK, STATISTICS_MARK)):
        formats.append(("llama.cpp's log", partial(llama_lines, is_cut=is_cut)))
    if len(formats) > 1:
        raise ValueError(
            f"log: both {' and '.join(name for name, _ in formats)}, which may count the same tokens twice; "
            "expected only one of them"
        )
    if formats:
        return formats[0][1](text)
    sglang_lines(text)
    for form, why in _WITHOUT_COUNTS:
        if form.search(text):
            raise ValueError(f"log: {why}; `simspec.tools.lengths.converted` converts such a number on its own")
    return None


def _is_of_llama(message: str) -> bool:
    """Whether a message is a line of llama.cpp about its drafts."""
    if message.startswith(STATISTICS_MARK):
        return "#gen tokens" in message or "#acc tokens" in message
    return re.match(r"draft acceptance(?: rate)?\s*=", message) is not None


def _names(record: Any) -> str:
    """Names of the fields of a record, escaped: a log is text that strangers wrote."""
    return ascii(", ".join(sorted(map(str, record))))[1:-1][:200] or "none"
