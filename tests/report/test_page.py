"""The page: complete, escaped, self-contained, the same bytes for the same verdicts, and clear about bad input."""

from __future__ import annotations

import html as html_module
import re
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from simspec.claims.printed import printed
from simspec.figures.gallery import links
from simspec.report import render, write
from simspec.report.page import KINDS, VERDICTS
from simspec.report.proofs import render_proofs
from tests.report.sample import IN_COQ, claim, many, sample

ROOT = Path(__file__).parents[2]
VOID = {"meta", "link", "input", "wbr", "br"}


class Page(HTMLParser):
    """Collects ids, links, tags with their attributes, and whether every element is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack and self.stack[-1] == tag, f"</{tag}> closes {self.stack[-3:]}"
        self.stack.pop()


def section(html: str, name: str) -> str:
    return re.search(rf'<details class="claim" id="{re.escape(name)}".*?</details>', html, re.DOTALL).group()  # type: ignore[union-attr]


def one(**facts: Any) -> dict[str, Any]:
    return sample() | {"claims": [claim("sd.one", "identity", "holds", "$a$") | facts]}


def test_the_first_sentence_counts_statements_by_their_origin(tmp_path: Path) -> None:
    """A statement of a paper, a correction, and a claim of a user's own file."""
    names = ("sd.acceptance", "rdk.any-drafter-corrected", "own.mine")
    claims = [claim(name, "identity", "holds", "$a$") for name in names]
    write(sample() | {"claims": [*claims[:2], claims[2] | {"place": "mine.py:MINE"}]}, tmp_path / "index.html")
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "for 3 claims (1 printed by the five papers, 1 own, 1 of your own) about speculative decoding, which" in text


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({}, "proved (checked now by simspec's own rules; Coq's answer is on record): SMT. Coq 8.16.1 accepts"),
        ({"asked_now": True}, "proved (checked now, also by Coq): SMT. Coq 8.16.1 accepts"),
    ],
)
def test_what_was_checked_now_is_said_of_whoever_checked_it(facts, words) -> None:
    """Where the rules were run and Coq was not, its answer is the one on record."""
    proof = {
        "kind": "SMT",
        "file": "sd/one.py",
        "scope": "all",
        "checked_now": True,
        "whole": True,
        "coq": {**IN_COQ, **facts},
    }
    run = one(verdict="proved", proof=[proof])
    assert words.replace(": SMT", ": SMT, all") in html_module.unescape(section(render(run), "sd.one"))
    recorded = {"kind": "SMT", "file": "sd/one.py", "scope": "all", "whole": True, "steps": [["it is", "SMT", "a"]]}
    proofs = html_module.unescape(render_proofs(run, {"versions": {}, "proofs": {"sd.one": [recorded]}}))
    assert words.removeprefix("proved (").partition(")")[0] in proofs


def test_every_claim_has_a_section_with_its_facts() -> None:
    html = render(sample())
    for c in sample()["claims"]:
        part = section(html, c["id"])
        assert f'data-verdict="{c["verdict"]}"' in part and VERDICTS[c["verdict"]][1] in part
    proved = section(html, "sd.acceptance")
    assert "proved (recorded, versions sympy 1.13): symbolic, every V" in proved
    assert "derived (checked now): SMT, V = 3" in proved
    assert "Coq 8.16.1 accepts the whole derivation: 6 lemmas" in proved
    assert "12,502" in proved and "−3.1 × 10⁻¹⁶" in proved
    assert "All 51 recorded slacks are 0 within rounding" in proved
    assert "simspec verify sd.acceptance --effort default --seed 0" in proved
    refuted = section(html, "sd.inverse-proportional")
    assert "<mfrac><mn>1</mn><mn>2</mn></mfrac>" in refuted
    assert '<a href="#sd.inverse-proportional-corrected">' in refuted and "<code>sd.elsewhere</code>" in refuted
    assert "<h4>Corrected by</h4>" in refuted
    assert "<h4>Sharpened by</h4>" in section(render(one(corrected_by=["sd.elsewhere"])), "sd.one")

    measured = section(html, "rdk.real-pruning")
    assert "0.093 to 0.133" in measured and "95 %" in measured and "unigram 0.094" in measured
    assert "Acceptance against pruning" in measured and "Criterion" in measured
    bound = section(html, "rdk.worst-case")
    assert "The bound is reached" in bound and "needed: an instance" in bound and "no instance is listed" in bound


def test_summary_counts() -> None:
    html = render(sample())
    total = re.search(r"<tfoot>.*?</tfoot>", html, re.DOTALL).group()  # type: ignore[union-attr]
    assert [int(n) for n in re.findall(r'<td class="n">(\d+)</td>', total)] == [1, 3, 2, 1, 1, 1, 1]
    assert len(VERDICTS) == 8 and len(KINDS) == 6


def test_elements_are_closed_ids_unique_and_links_lead_somewhere() -> None:
    page = Page(render(sample()))
    assert page.stack == []
    ids = [a["id"] for _, a in page.found if "id" in a]
    assert len(ids) == len(set(ids))
    links = [a["href"] or "" for tag, a in page.found if tag == "a"]
    assert links and all(h.startswith("#") and h[1:] in ids for h in links)


def test_nothing_is_fetched() -> None:
    html = render(sample())
    assert "default-src 'none'" in html
    for tag, attributes in Page(html).found:
        assert tag not in {"iframe", "object", "embed", "img"}
        assert "src" not in attributes
        if tag == "link":
            assert attributes["href"] == "data:,"
    assert not re.search(r"@import|url\(|https?://", html)


@pytest.mark.parametrize("field", ["statement", "source", "note", "message", "criterion", "reproduce"])
def test_text_is_escaped(field: str) -> None:
    html = section(render(one(**{field: "<script>x</script> & <b>"})), "sd.one")
    assert "<script>" not in html and "<b>" not in html
    assert "&lt;script&gt;x&lt;/script&gt; &amp; &lt;b&gt;" in html


def test_nested_text_is_escaped() -> None:
    bad = "<u>&"
    html = section(
        render(
            one(
                assumes={bad: True},
                counterexample={bad: [bad, 1]},
                proof=[{"kind": bad, "scope": bad, "seconds": 1.0, "versions": {bad: bad}}],
                evidence=[{"data": bad, "model": bad, "n": 1, "estimate": 1.0, "control": {bad: 1.0}}],
                plot={"title": bad, "x_label": bad, "y_label": bad, "series": [{"name": bad, "x": [bad], "y": [1]}]},
            )
        ),
        "sd.one",
    )
    assert bad not in html and html.count("&lt;u&gt;&amp;") >= 13


def test_absent_facts_leave_no_trace() -> None:
    bare = {"id": "x.bare", "kind": "bound", "verdict": "holds"}
    verdicts = {"version": "1", "seed": 0, "effort": "quick", "environment": {}, "claims": [bare]}
    part = section(render(verdicts), "x.bare")
    assert re.findall(r"<h4>(.*?)</h4>", part) == ["Verdict"]
    assert "None" not in part
    null = {k: None for k in claim("", "bound", "holds", "") if k not in bare}
    assert section(render(verdicts | {"claims": [bare | null]}), "x.bare") == part
    assert "for 0 claims about" in render(verdicts | {"claims": []})


def test_open_tries_are_no_tries_and_cells_are_counted() -> None:
    """58 of 475 instances decided; of three cells with a bar one holds, one fails, one is open, the fourth decides nothing."""
    exact = {"instances": 475, "violations": 0, "min_slack": 0.0, "data": None, "undecided": 417}
    row = {"data": "a bank", "model": None, "n": 9, "estimate": 0.5, "interval": [0.4, 0.6], "level": 0.95}
    cells = [row | {"control": {"must stay below": bar}} for bar in (0.3, 0.45, 0.7)] + [row | {"control": None}]
    some = [
        claim("sd.one", "bound", "holds", "s", checks={"exact": exact, "float": None, "real": None}),
        claim("sd.two", "empirical", "unsupported", "s", evidence=cells),
    ]
    html = render(sample() | {"claims": some})
    assert "58 decided of 475" in html and "1 of 3 cells holds, 1 fails, 1 is open." in html
    assert "decided of" not in render(sample())


def test_date_is_shown_when_recorded() -> None:
    assert "2026-01-02" in render(sample() | {"date": "2026-01-02"})


def test_ids_in_notes_become_links_but_not_within_words() -> None:
    part = section(render(sample()), "sd.acceptance")
    assert '<a href="#sd.inverse-proportional">sd.inverse-proportional</a>.' in part
    assert "href" not in section(render(one(note="see sd.nowhere and a.b")), "sd.one").replace('href="#sd.one"', "")


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"verdict": "true"}, "sd.one: verdict 'true'; expected one of proved"),
        ({"kind": "lemma"}, "sd.one: kind 'lemma'; expected one of identity"),
        ({"statement": r"$\foo$"}, r"sd.one: cannot be shown: formula \$\\foo\$: unknown command \\foo"),
        ({"note": "open $x"}, "sd.one: cannot be shown: .*not closed"),
        ({"plot": {"title": "T", "series": [{"name": "a", "x": [1], "y": []}]}}, "sd.one: cannot be shown: .*lengths"),
    ],
)
def test_bad_claims_are_named(facts: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        render(one(**facts))


def test_missing_fields_and_double_ids_are_named() -> None:
    with pytest.raises(ValueError, match="'seed' is missing"):
        render({k: v for k, v in sample().items() if k != "seed"})
    with pytest.raises(ValueError, match="claim 0 .*lacks 'verdict'"):
        render(sample() | {"claims": [{"id": "a", "kind": "bound"}]})
    with pytest.raises(ValueError, match="two claims are called sd.acceptance"):
        render(sample() | {"claims": sample()["claims"][:1] * 2})


def test_160_claims_are_small_quick_and_the_same_bytes_again() -> None:
    verdicts = many(160)
    start = time.process_time()
    html = render(verdicts)
    assert time.process_time() - start < 5
    assert len(html.encode()) < 5_000_000
    assert html == render(many(160))


def test_write_replaces_the_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "index.html"
    for _ in range(2):
        write(sample(), path)
    said = {name: found for c in sample()["claims"] if (found := printed(name := c["id"]))}
    assert path.read_text(encoding="utf-8") == render(sample(), links(path.parent), said)
    assert [p.name for p in path.parent.iterdir()] == ["index.html"]


def test_a_claim_links_to_the_figures_that_show_it(tmp_path) -> None:
    name = sample()["claims"][0]["id"]
    html = render(sample(), {name: [("sd.<one>", "../figures/sd/one.png")]})
    assert '<a href="../figures/sd/one.png">sd.&lt;one&gt;</a>' in section(html, name)
    assert "../figures" not in render(sample())
    (tmp_path / "report").mkdir()
    write(one(id="rdk.plateau-flat"), tmp_path / "report" / "index.html")
    html = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    (address,) = [a["href"] for tag, a in Page(html).found if tag == "a" and str(a.get("href")).endswith("pruning.png")]
    assert (tmp_path / "report" / str(address)).resolve() == ROOT / "figures" / "rdk" / "pruning.png"


def test_the_printed_sentence_stands_in_the_section_of_a_claim_that_ships(tmp_path) -> None:
    ships, outside = claim("rdk.worst-case", "bound", "holds", "$a$"), claim("rdk.never-worse", "bound", "holds", "$a$")
    write(sample() | {"claims": [ships, outside | {"place": "mine.py:CLAIM"}]}, tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    shown = section(html, "rdk.worst-case")
    assert "As printed" in shown and "in the worst case, the error is at most" in shown and "Restored:" in shown
    assert "As printed" not in section(html, "rdk.never-worse")  # of one's own, whatever its name
    assert "As printed" not in render(sample())


def test_a_theorem_shows_the_claims_about_its_printed_proof() -> None:
    """Their verdicts and formulas, where the run decided them too; else only their ids."""
    theorem = one(proof_steps=["sd.two"])
    alone = section(render(theorem), "sd.one")
    assert "<h4>Printed proof</h4>" in alone and "<code>sd.two</code>" in alone and "#sd.two" not in alone
    step = claim("sd.two", "identity", "refuted", "$a < b$")
    shown = section(render(theorem | {"claims": [*theorem["claims"], step]}), "sd.one")
    assert '<a href="#sd.two"><code>sd.two</code></a>' in shown and "refuted" in shown and "&lt;" in shown
