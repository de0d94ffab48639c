"""The page on faults of a running engine: each is switched on in the in-process engine, which is then audited over a socket."""

from __future__ import annotations

from pathlib import Path

from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.verdict import EndpointReport
from tests.audit.endpoint.served import served
from tests.audit.endpoint.speculating import FAULTS

__all__ = ["ONLY_UNDER_OPTIONS", "PAGE", "audited", "page", "row"]

PAGE = Path(__file__).parents[3] / "docs" / "cases" / "engines.md"
ONLY_UNDER_OPTIONS = {
    "bonus unprocessed",
    "late penalties",
    "min-p on drafts only",
    "stop at the end of a step",
}
"""Faults that only answers under options show, with stop strings among them."""
HEAD = """# Faults of a running engine

What `simspec audit URL` says of an engine with each of these faults. The engine is a small one that decodes speculatively: a
seeded transformer with 3 draft tokens, a key-value cache and ragged batches, which tests serve on a socket of this machine, with
vLLM's API. Its reference is the same engine without a fault and without drafts. Each audit judges at most 3,000 sampled tokens
at false alarm 0.01. Written by `python -m tests.audit.endpoint`; [the cases](README.md) are faults of one function, and [the
tour](../tours/server.md) audits a server of your own.

"""


def audited(fault: str, reference: str) -> EndpointReport:
    """The report on the engine with a fault; answers under options are asked for where only these show it."""
    with served(fault) as (url, _):
        return audit_url(url, reference, Plan(tokens=3000, option_answers=8 if fault in ONLY_UNDER_OPTIONS else 0))


def row(fault: str, report: EndpointReport) -> str:
    """A line of the table: the fault, the verdict, the sampled tokens that were judged, and what shows it first."""
    shown = [*report.faults, *report.books.lines()][0].replace("|", "\\|")
    return f"| {fault} | {FAULTS[fault]} | {report.verdict} | {report.sampled.wealth.tokens:,} | {shown} |"


def page() -> str:
    """The whole page; some minutes."""
    lines = [
        "| fault | what the engine does | verdict | sampled tokens | what shows it first |",
        "|---|---|---|---:|---|",
    ]
    with served() as (reference, _):
        lines += [row(fault, audited(fault, reference)) for fault in FAULTS]
    return HEAD + "\n".join(lines) + "\n"
