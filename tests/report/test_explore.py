"""The explorable page: what the generator makes is what is shipped, whole and without the network."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from simspec.claims import registry
from simspec.claims.claim import margin
from simspec.claims.deciding.proved import record
from simspec.claims.deciding.verify import expected
from simspec.figures.marks import colour
from simspec.laws import check_law
from simspec.methods.registry import kinds
from simspec.report.explore import render
from simspec.report.explore.__main__ import main
from simspec.report.explore.counterexamples import ELSEWHERE, VIEWS, counterexamples, fragment, recorded
from simspec.report.explore.rules import DIALS, FAMILIES, SHOWN
from tests.claims.test_printed import PLACES as PAPERS

RULES = {kind.name: kind for kind in kinds("token") if not kind.needs}

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def page() -> str:
    return render()


def test_the_page_shipped_is_the_one_made(page: str) -> None:
    """`python -m simspec.report.explore docs/explore.html` makes it again."""
    assert (ROOT / "docs" / "explore.html").read_text(encoding="utf-8") == page == render()


def test_the_command_writes_it(page: str, tmp_path: Path) -> None:
    assert main([str(tmp_path / "a.html")]) == 0
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page


def addresses(text: str) -> list[str]:
    """What a browser could fetch: names of namespaces are no addresses."""
    found = re.findall(r"(?:https?:)?//[\w.-]+\.[a-z]+[^\s\"']*", text)
    found += re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?(?!#|data:|\$)[\w./]+", text)
    return [f for f in found if "www.w3.org/" not in f and f != "url(#stripes"]


def test_nothing_is_fetched_and_the_page_is_small(page: str) -> None:
    assert addresses(page) == []
    assert len(page.encode()) <= 200_000
    assert "default-src 'none'" in page


@pytest.mark.parametrize(
    "text", ['<script src="x.js">', "see https://example.org/a", '<a href="page.html">', "url(font.woff2)"]
)
def test_an_address_is_noticed(text: str) -> None:
    assert addresses(text) != []


def test_every_parameter_has_a_dial_and_every_dial_a_range() -> None:
    for name, shown in SHOWN.items():
        assert set(re.findall(r"\{(\w+)\}", shown.python)) == set(shown.dials), name
        assert shown.family in FAMILIES and shown.hint and colour(shown.series, 0) == colour(shown.series, 1)
    assert {dial for shown in SHOWN.values() for dial in shown.dials} | {"residual", "gamma"} == set(DIALS)
    for dial in DIALS.values():
        if dial.kind in ("number", "whole"):
            low, default, high = map(Fraction, (dial.low, dial.default, dial.high))
            assert low <= default <= high and ((high - low) / Fraction(dial.step)).denominator == 1
        if dial.kind == "choice":
            assert dial.default in dict(dial.options)


def _of_its_papers(kind) -> bool:
    """Whether a rule is of the five papers, and not one that `simspec rates` alone offers."""
    method, _ = kind.parts(*(1 for _ in kind.numbers))
    modules = {getattr(f, "__module__", "") for f in (*method.maps, kind.make)}
    if method.origin is not None and hasattr(method.origin.call, "function"):
        modules.add(method.origin.call.function.__module__)
    return not any(re.search(r"methods\.(relaxed|coupling|stop)\.", module) for module in modules)


def test_every_exact_rule_that_has_a_name_is_shown() -> None:
    """`ears-fresh` and `lenience-levelled` are a rule and a residual; an entropy is no fraction; a greedy draft has no bars.

    Those of `simspec.methods.relaxed`, `coupling` and `stop` are offered by `simspec rates` alone.
    """
    assert {name for name, kind in RULES.items() if _of_its_papers(kind)} - set(SHOWN) == {
        "ears-fresh",
        "ears-entropy",
        "greedy",
        "lenience-levelled",
    }


def test_every_counterexample_that_is_a_pair_of_laws_is_shown() -> None:
    proofs = record()["proofs"]
    refuted = [
        name
        for name, verdict in expected()["verdicts"].items()
        if verdict == "refuted" and name.split(".")[0] in PAPERS  # rules of others: in docs/cases and notebook 09
    ]
    pairs = [
        n
        for n in refuted
        for e in proofs.get(n, [])
        if e["kind"] == "counterexample" and {"p", "q"} <= {*e["instance"]}
    ]
    assert set(pairs) == (set(VIEWS) | set(ELSEWHERE)) - {"sqs.positive-counts"}
    assert set(VIEWS) <= set(refuted) and not set(VIEWS) & set(ELSEWHERE)


@pytest.mark.parametrize("name", VIEWS)
def test_a_counterexample_refutes_its_claim(name: str) -> None:
    claim, instance = registry()[name], recorded(name)
    assert claim.broken_assumptions(instance) == [] and margin(claim.slack(instance)) < 0
    for law in ("p", "q"):
        assert law not in instance or check_law(instance[law], law) is not None
    (shown,) = (c for c in counterexamples() if c["id"] == name)
    assert shown["sides"][0] != shown["sides"][1] and shown["views"]


def test_an_address_holds_whole_numbers() -> None:
    state = {
        "p": ["1/2", "1/3", "1/6"],
        "flags": [True, False],
        "M": [["1/2", "1/2"], ["0", "1"]],
        "beta": Fraction(1, 2),
    }
    assert fragment(state) == "p=3,2,1&flags=10&M=1,1;0,1&beta=1/2"
