"""Reports as JUnit XML, which CI systems show: a suite for each sampler, a case for each pair of laws."""

from __future__ import annotations

from collections.abc import Mapping

from simspec.audit.junit import Case, Suite, document
from simspec.audit.report import Finding, Report, Verdict

__all__ = ["junit", "unfinished"]

WRONG = {
    Verdict.BIASED: "failure",
    Verdict.DEPENDENT: "failure",
    Verdict.BROKEN: "error",
    Verdict.UNDECIDED: "failure",
}


def junit(reports: Mapping[str, Report]) -> str:
    """XML of reports by the name of the sampler.

    The pair on which a fault was seen has the failure (an error where the sampler is broken); a verdict that is not
    decided is a failure of the pair on which least is known.

    >>> from simspec.audit import audit
    >>> from simspec.audit.reference import speculative
    >>> "<failure" in junit({"mine": audit(speculative, gamma=1, calls=250)})
    True
    """
    return document(_suite(name, report) for name, report in reports.items())


def _suite(name: str, report: Report) -> Suite:
    """Cases of a report: the pairs that were tried, and the first that shows a fault."""
    pairs = [*report.tried]
    if not any(finding.pair is report.first.pair for finding in pairs):
        pairs.append(report.first)
    words = report.words()
    cases = []
    for number, finding in enumerate(pairs):
        laws = f"{number + 1}. {finding.pair.name}, gamma {finding.pair.gamma}, V {finding.pair.vocab}"
        if _wrong(report, finding):
            cases.append(Case(laws, WRONG[report.verdict], words.splitlines()[0], words))
        else:
            cases.append(Case(laws))
    return Suite(name, cases, words)


def unfinished(name: str, words: str) -> str:
    """XML of an audit that has no verdict: an error, as it stands until the end of every audit.

    >>> '<error message="ended"' in unfinished("mine", "ended")
    True
    """
    return document([Suite(name, [Case("the audit", "error", words)])])


def _wrong(report: Report, case: Finding) -> bool:
    return report.verdict in WRONG and case.pair is report.first.pair
