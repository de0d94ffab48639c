"""Strings of a server are hostile: 300 renders of reports about engines with such names and texts, and nothing is live."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np
import pytest

from simspec.audit.endpoint.auditing import audit_endpoint
from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.records import OPTION_NAMES, Answer, EndpointError, Question, TopRow, Usage
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

FRAGMENTS = (
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x1b]8;;http://elsewhere\x1b\\link\x1b]8;;\x1b\\",
    "\x9b31m",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "]]></failure><testcase name='passed'/>",
    "<!ENTITY x SYSTEM 'file:///etc/passwd'>&x;",
    "&#27;[31m",
    "\u202eevil\u2066",
    "\u200b\ufeff\u00ad",
    "\u2028same law within TV 0.000",
    "\nsame law within TV 0.000 per token\n",
    "\r\nverdict: lossless\r",
    "\x00\x08\x7f",
    "\ud800\udfff",
    "\ufffe\uffff",
    "[bold red]x[/] [link=http://elsewhere]y[/link]",
    "![x](http://elsewhere/y.png) | a | b |",
    "`$(rm -rf ~)`'; rm -rf ~ #",
    "{0.__class__} %s %n {{7*7}}",
    "A" * 500,
)
"""What terminals, pages, XML, Markdown, shells and formats would act on."""
PROBABILITIES = {3: 0.5, 5: 0.25, 7: 0.25}
SMALL = Plan(tokens=30, texts=1, option_answers=0, top=2, tv_limit=0.9)


class Listed:
    """An engine without a server: a fixed law, and hostile strings wherever a server has some."""

    allows_copies = True
    marks_drafts = False
    takes_ids = True
    is_local = False
    penalises_prompt = False
    takes = OPTION_NAMES
    processes = frozenset()

    def __init__(self, text: str, token: int = -1) -> None:
        """`token` is emitted always, where it is one of the law's: a fault."""
        self.name = self.model = self.url = self.text = text
        self.token = token

    def tokens_of(self, text: str) -> tuple[int, ...]:
        return (3, 5)

    def answers(self, question: Question) -> list[Answer]:
        rng = np.random.default_rng(question.seed)
        drawn = rng.choice([*PROBABILITIES], p=[*PROBABILITIES.values()], size=question.max_tokens).tolist()
        tokens = tuple(drawn if self.token < 0 else [self.token] * question.max_tokens)
        tokens = (3,) * question.max_tokens if not question.temperature else tokens
        usage = Usage(len(question.prompt), len(tokens) + 3)
        return [Answer(tokens, self.text, self.text, usage=usage) for _ in range(question.copies)]

    def score(self, prompt: Sequence[int], tokens: Sequence[int], top: int, is_alone: bool = False) -> list[TopRow]:
        row = tuple((token, math.log(mass)) for token, mass in PROBABILITIES.items())[:top]
        return [row for _ in tokens]

    def counters(self) -> dict[str, float]:
        return {self.text: 1.0}

    def curl(self, question: Question) -> str:
        return "curl"


def payloads(number: int) -> list[str]:
    """Strings of one to four fragments."""
    rng = random.Random(40)
    return ["".join(rng.choices(FRAGMENTS, k=rng.randint(1, 4))) for _ in range(number)]


def lines_of(text: str, token: int) -> tuple[list[str], str, str]:
    """The report in words, as XML and as JSON."""
    report = audit_endpoint(Listed(text, token), Listed(text), SMALL, ["a b", "c d"])
    return report.words().splitlines(), report.junit(), json.dumps(report.plain())


@pytest.mark.parametrize("token", [-1, 7])
def test_reports_about_hostile_engines_have_nothing_live(token) -> None:
    """50 payloads, with a fault and without, in words, as XML and as JSON: 300 renders, each with the lines of a plain one."""
    plain_lines, plain_xml, _ = lines_of("plain", token)
    plain_tree = [(element.tag, element.get("name")) for element in ElementTree.fromstring(plain_xml).iter()]
    renders = 0
    for payload in payloads(50):
        lines, xml, record = lines_of(payload, token)
        assert len(lines) == len(plain_lines)
        assert [line.split(" ")[0] for line in lines] == [line.split(" ")[0] for line in plain_lines]
        assert all(line.isprintable() for line in lines)
        tree = ElementTree.fromstring(xml)
        assert len([*tree.iter()]) == len(plain_tree)
        assert [e.tag for e in tree.iter()] == [tag for tag, _ in plain_tree]
        shown = "".join(tree.itertext())
        assert all(character.isprintable() or character == "\n" for character in shown)
        assert "<script" not in xml and "<img" not in xml and "\x1b" not in xml
        assert json.loads(record)["verdict"] == ("differs" if token >= 0 else "books only")
        assert record.isascii()
        renders += 3
    assert renders == 150


def test_errors_that_quote_a_hostile_server_have_nothing_live() -> None:
    """The bodies of refusals, of what is no JSON and of redirects: a line each, printable, and short."""
    bodies = payloads(25)
    current = {"status": 500, "body": ""}

    def mangle(path, status, record, headers):
        place = current["body"].encode("utf-8", "replace")
        return current["status"], place, headers

    with served(mangle=mangle) as (url, _), Exchange(url) as exchange:
        for body in bodies:
            for status in (200, 400, 401, 500):
                current.update(status=status, body=body)
                with pytest.raises(EndpointError) as caught:
                    exchange.post("/v1/completions", {})
                message = str(caught.value)
                assert message.isprintable() and len(message) < 2000 and "expected" in message
