"""Reports as JUnit XML, which CI systems show: a suite for each sampler, a case for each pair of laws."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

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
    root = ElementTree.Element("testsuites", name="simspec audit")
    for name, report in reports.items():
        cases = [*report.tried]
        if not any(case.pair is report.first.pair for case in cases):
            cases.append(report.first)
        wrong = [case for case in cases if _wrong(report, case)]
        suite = ElementTree.SubElement(root, "testsuite", name=name, tests=str(len(cases)))
        kinds = [WRONG[report.verdict] for _ in wrong]
        suite.set("failures", str(kinds.count("failure")))
        suite.set("errors", str(kinds.count("error")))
        for number, case in enumerate(cases):
            laws = f"{number + 1}. {case.pair.name}, gamma {case.pair.gamma}, V {case.pair.vocab}"
            testcase = ElementTree.SubElement(suite, "testcase", classname=name, name=laws)
            if case in wrong:
                outcome = ElementTree.SubElement(
                    testcase, WRONG[report.verdict], message=report.words().splitlines()[0]
                )
                outcome.text = report.words()
        ElementTree.SubElement(suite, "system-out").text = report.words()
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def unfinished(name: str, words: str) -> str:
    """XML of an audit that has no verdict: an error, as it stands until the end of every audit.

    >>> '<error message="ended"' in unfinished("mine", "ended")
    True
    """
    root = ElementTree.Element("testsuites", name="simspec audit")
    suite = ElementTree.SubElement(root, "testsuite", name=name, tests="1", failures="0", errors="1")
    case = ElementTree.SubElement(suite, "testcase", classname=name, name="the audit")
    ElementTree.SubElement(case, "error", message=words)
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _wrong(report: Report, case: Finding) -> bool:
    return report.verdict in WRONG and case.pair is report.first.pair
