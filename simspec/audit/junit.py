"""JUnit XML, which CI systems show: a suite for each thing that was audited, a case for each way in which it was tried."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.etree import ElementTree

__all__ = ["Case", "Suite", "document"]


class Case(NamedTuple):
    """A case: its name, what it came to ("" passed, "failure", "error" or "skipped"), a message in a line, and the whole text."""

    name: str
    outcome: str = ""
    message: str = ""
    text: str = ""


class Suite(NamedTuple):
    """Cases of one thing that was audited, and what was printed about it."""

    name: str
    cases: Sequence[Case]
    output: str = ""


def document(suites: Iterable[Suite]) -> str:
    """The XML of suites; failures and errors are counted here.

    >>> xml = document([Suite("mine", [Case("first"), Case("second", "failure", "biased")])])
    >>> 'tests="2" failures="1" errors="0"' in xml, '<failure message="biased" />' in xml
    (True, True)
    """
    root = ElementTree.Element("testsuites", name="simspec audit")
    for suite in suites:
        outcomes = [case.outcome for case in suite.cases]
        counts = {
            "tests": len(outcomes),
            "failures": outcomes.count("failure"),
            "errors": outcomes.count("error"),
            "skipped": outcomes.count("skipped"),
        }
        element = ElementTree.SubElement(root, "testsuite", name=suite.name)
        for name, number in counts.items():
            element.set(name, str(number))
        for case in suite.cases:
            testcase = ElementTree.SubElement(element, "testcase", classname=suite.name, name=case.name)
            if case.outcome:
                outcome = ElementTree.SubElement(testcase, case.outcome, message=case.message)
                outcome.text = case.text or None
        if suite.output:
            ElementTree.SubElement(element, "system-out").text = suite.output
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
