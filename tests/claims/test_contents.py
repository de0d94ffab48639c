"""The claims' folders: every id is found at its path, and the contents pages say what is there."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from simspec.claims import PAPERS, file_of, module_of, registry, stated, statement_of

ROOT = Path(__file__).parents[2]
FOLDERS = {paper: import_module(f"simspec.claims.{paper}") for paper in PAPERS}


@pytest.mark.parametrize("paper", PAPERS)
def test_contents_hold_every_claim_that_is_written(paper) -> None:
    folder = ROOT / "simspec" / "claims" / paper
    modules = [import_module(f"simspec.claims.{paper}.{path.stem}") for path in sorted(folder.glob("[!_]*.py"))]
    written = {claim.name for module in modules for claim in stated(module) if claim.name.startswith(f"{paper}.")}
    assert sorted(written) == sorted(name for name in registry() if name.startswith(f"{paper}."))
    statements = [statement for _, statement, _ in FOLDERS[paper].CONTENTS]
    assert sorted(set(map(statement_of, written))) == sorted(statements)


@pytest.mark.parametrize("paper", PAPERS)
def test_a_file_is_named_for_its_statement_unless_the_contents_page_says_so(paper) -> None:
    page = FOLDERS[paper]
    for number, statement, module in page.CONTENTS:
        assert number, f"{statement} has no number"
        if statement != f"{paper}.{module.replace('_', '-')}":
            assert f"`{module}.py` holds" in page.__doc__ and f"`{statement}`" in page.__doc__


def test_every_id_is_found_at_its_path() -> None:
    for name in registry():
        assert f'"{name}"' in (ROOT / file_of(name)).read_text(encoding="utf-8"), (
            f"{name} is not written in {file_of(name)}"
        )
        assert module_of(name).split(".")[0] == name.split(".")[0]


def test_readings_and_corrections_belong_to_their_statement() -> None:
    assert statement_of("pad.utility-slack.printed") == statement_of("pad.utility-slack-sharp") == "pad.utility-slack"
    assert statement_of("csqs.threshold-range.any-start-corrected") == "csqs.threshold-range"
    assert statement_of("rdk.worst-case-acceptance-sharp") != statement_of("rdk.worst-case-sharp")


# --- the first line of a claim's file ---------------------------------------------------------------------------------

CITED = re.compile(
    r"`[^`]*`|\b(?:RDK|EARS|PAD|C-SQS|SQS|TASC|Theorem|Lemma|Definition|Eqs?|Table|Figure|Fig|App|Appendix|Section|own)\b"
    r"|\b(?:with|its|readings?|corrections?|sharper|form|forms|and|where|that|is|attained|statements?|own|two|in|after|before)\b"
    r"|et al\.|\(?\d[\d.,–]*\)?|#\d+"
)
"""What ids and citations are made of, with the words that join them."""


def is_sentence(line: str) -> bool:
    """Whether a line says something: five words or more beside ids, citations and what joins them, and a full stop."""
    words = re.findall(r"[^\W\d_]{2,}", CITED.sub(" ", line))
    return line.endswith(".") and len(words) >= 4 and not re.match(r"[`$\\]", line)


def test_what_a_sentence_is() -> None:
    assert is_sentence("The acceptance rate is the overlap of target and draft.")
    for line in (
        "`sd.acceptance`: RDK, Definitions 2.1, 2.2 and Lemma 2.3.",
        "`rdk.never-worse`, with its correction and its sharper form: RDK, end of Theorem 5.1.",
        "RDK, Theorem 5.1 (restored).",
        "The acceptance rate is the overlap of target and draft",
    ):
        assert not is_sentence(line), line


@pytest.mark.parametrize("module", dict.fromkeys(module_of(name) for name in registry()))
def test_a_claims_file_begins_with_the_claim_in_a_sentence(module) -> None:
    first = str(import_module(f"simspec.claims.{module}").__doc__).splitlines()[0]
    assert is_sentence(first), first
    assert len(first) <= 125 and not set(first) & set("$\\"), first
