"""Works: the five papers with number and version, an entry for everything the code names, and BibTeX of a claim."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from simspec.claims import PAPERS, find, registry
from simspec.claims.references import cited, find_works, mentioned, page, works
from simspec.cli import main

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"\b([A-Z][a-z]+(?:-[A-Z][a-z]+)?) (?:et al\.|and ([A-Z][a-z]+))[, (]*((?:19|20)\d\d)")


def test_each_paper_has_one_entry_with_its_number() -> None:
    for paper in set(PAPERS) & {"rdk", "ears", "pad", "sqs", "csqs", "tasc"}:
        (own,) = find_works([paper])
        assert re.fullmatch(r"\d{4}\.\d{5}(v\d+)?", own.fields["eprint"])
    assert [w.key for w in find_works(["sd"])] == ["leviathan2023", "chen2023"]


def test_a_thread_is_found_by_its_project_and_number() -> None:
    (claim,) = find(["cost.geometric"])
    assert [w.names for w in cited(claim)] == [["Leviathan", "Kalman", "Matias"], ["llama.cpp"]]
    assert mentioned("llama.cpp") == mentioned("allama.cpp #1") == []
    assert works()["llama.cpp2026"].address.endswith("llama.cpp")


def test_every_claim_rests_on_something() -> None:
    for claim in registry().values():
        assert cited(claim), claim.name


def test_entries_are_whole_and_keys_tell_author_and_year() -> None:
    assert len(works()) == (ROOT / "simspec" / "claims" / "references.bib").read_text(encoding="utf-8").count("\n@") + 1
    for work in works().values():
        assert {"author", "title", "year"} <= set(work.fields)
        plain = unicodedata.normalize("NFKD", work.names[0]).encode("ascii", "ignore").decode().lower()
        assert work.key.startswith(plain.replace("-", "").replace(" ", "")) and work.fields["year"] in work.key
        assert ("eprint" in work.fields) == (work.fields.get("archiveprefix") == "arXiv")


def unknown(text: str) -> set[tuple[str, str]]:
    """Authors and years that a text names and no entry has."""
    return {(m[1], m[3]) for m in NAMED.finditer(text) if not mentioned(m[0])}


def test_what_the_code_names_has_an_entry() -> None:
    texts = [
        p.read_text(encoding="utf-8") for folder in ("simspec", "proofs_check") for p in (ROOT / folder).rglob("*.py")
    ]
    texts += [claim.reference + ". " + claim.note for claim in registry().values()]
    assert set().union(*map(unknown, texts)) == set()
    assert unknown("as Nobody et al. (2001) have it") == {("Nobody", "2001")}


def test_the_page_is_generated() -> None:
    assert (ROOT / "docs" / "references.md").read_text(encoding="utf-8") == page()


def test_cite_prints_bibtex(capsys) -> None:
    assert main(["cite", "csqs.two-sided"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("@misc{bhattacharjee2025sqs,") and "2510.09942" in out
    assert main(["cite", "--text", "tasc"]) == 0
    assert "Tsur, Adar and Levy (2026)" in capsys.readouterr().out
    assert main(["cite", "nothing.at-all"]) == 2
    assert "nothing.at-all" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["Box and Muller (1958)", "(Salmon et al. 2011)", "Witten and Bell 1991"])
def test_a_mention_is_found(text) -> None:
    assert len(mentioned(text)) == 1


def test_the_title_of_a_paper_stands_in_its_entry_only() -> None:
    root = Path(__file__).parents[2]
    files = [*(root / "simspec" / "claims").rglob("*.py"), *(root / "simspec" / "methods").rglob("*.py")]
    texts = {file: " ".join(file.read_text(encoding="utf-8").split()) for file in files if file.name != "references.py"}
    for work in works().values():
        if work.fields.get("keywords"):
            title = work.fields["title"].replace("{", "").replace("}", "")
            assert not [file for file, text in texts.items() if title in text], title


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("timor2025", "timor2025rdk"),
        ("rkd", "rdk"),
        ("rdk.worst-cas", "rdk.worst-case"),
        ("Leviathan2032", "leviathan2023"),
    ],
)
def test_a_mistyped_name_is_answered_with_the_nearest(name, nearest, capsys) -> None:
    assert main(["cite", name]) == 2
    said = capsys.readouterr().err
    assert f"NAME: {name!r} is not a work, paper or claim; nearest: " in said and nearest in said
    if "." in name or name == "rkd":
        for command in ("claims", "verify"):
            assert main([command, name]) == 2
            assert nearest in capsys.readouterr().err
