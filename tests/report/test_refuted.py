"""The page of refuted statements: each of them once, with what is true in its place."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from simspec.claims import registry
from simspec.claims.deciding.verify import expected
from simspec.claims.printed import counted
from simspec.report.refuted import WEIGHTS, main, page

ROOT = Path(__file__).parents[2]


def test_every_refuted_claim_has_one_weight() -> None:
    refuted = {name for name, verdict in expected()["verdicts"].items() if verdict == "refuted"}
    assert Counter(name for names in WEIGHTS.values() for name in names) == Counter(refuted)


def test_the_page_says_what_holds_instead() -> None:
    text, verdicts = page(), expected()["verdicts"]
    for names in WEIGHTS.values():
        for name in names:
            part = text.split(f"### `{name}`\n")[1].split("\n### ")[0].split("\n## ")[0]
            corrections = registry()[name].corrected_by
            assert corrections and registry()[name].statement in part
            assert all(f"- instead, {verdicts[n]}: `{n}`" in part for n in corrections)
            assert any(verdicts[n] in ("proved", "derived", "holds") for n in corrections)


def test_the_page_opens_with_every_refuted_claim_by_paper() -> None:
    contents = page().split("\n## ")[0]
    names = [name for weighted in WEIGHTS.values() for name in weighted]
    assert all(f"[`{name}`](#{name.replace('.', '')})" in contents for name in names)
    assert contents.index("`rdk.any-drafter`") < contents.index("`ears.support`") < contents.index("`folk.q-one`")


def test_the_page_counts_the_claims_by_their_origin() -> None:
    refuted = [registry()[name] for name, verdict in expected()["verdicts"].items() if verdict == "refuted"]
    assert f"The page lists {counted(refuted)}." in page() and f"{len(refuted)} claims (" in counted(refuted)


def test_the_page_on_record_is_that_of_the_claims(tmp_path) -> None:
    assert main([str(tmp_path / "page.md")]) == 0
    assert (ROOT / "docs" / "refuted.md").read_text(encoding="utf-8") == (tmp_path / "page.md").read_text(
        encoding="utf-8"
    )
