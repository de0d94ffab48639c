"""What the papers print: short, placed, behind every claim that reads a paper, and shown with it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from simspec.claims import PAPERS, find, registry, statement_of
from simspec.claims.printed import ORIGINS, counted, origin, page, printed, sentences
from simspec.cli import main
from simspec.html.formulas import to_html

ROOT = Path(__file__).parents[2]
WORDS = 25
"""Words of a quotation, at most."""
PLACES = {"sd": "RDK|PAD", "rdk": "RDK", "ears": "EARS", "pad": "PAD", "sqs": "SQS", "csqs": "SQS", "tasc": "TASC"}
"""Whose sentences the statements of a paper read; the other papers' statements are not the papers'."""
OWN = ("own statement", "Leviathan", "correction of Leviathan")
"""What the reference of a claim begins with that reads none of the five papers."""


def claims() -> list[str]:
    """Claims of the papers."""
    return [name for name in registry() if name.split(".")[0] in PLACES]


def missing() -> set[str]:
    """Those of them without a sentence."""
    return {name for name in claims() if printed(name) is None}


def test_only_own_statements_and_another_works_formula_have_no_sentence() -> None:
    assert {n: registry()[n].reference for n in missing() if not registry()[n].reference.startswith(OWN)} == {}


@pytest.mark.parametrize(
    ("statement", "printed_id", "own_ids"),
    [
        ("csqs.alpha-reduces-k", "csqs.alpha-reduces-k", ("csqs.alpha-reduces-k.path", "csqs.alpha-reduces-k.average")),
        ("ears.threshold-proportional", "ears.threshold-proportional", ("ears.threshold-proportional.literal",)),
        ("rdk.mean-probability", "rdk.mean-probability", ("rdk.mean-probability.concentrated",)),
    ],
)
def test_a_stronger_reading_than_the_printed_one_is_an_own_statement(statement, printed_id, own_ids) -> None:
    """What the paper prints leads, and what it does not print is no verdict about it."""
    first, *_ = (claim.name for claim in find([statement]))
    assert first == printed_id and printed(first) is sentences()[statement]
    for name in own_ids:
        assert registry()[name].printed is None and printed(name) is None and origin(registry()[name]) == "own"


def test_the_page_says_which_share_has_one() -> None:
    share = f"{counted(registry()[name] for name in claims())},\n{len(claims()) - len(missing())} are based on"
    assert f"Of the {len(claims())} claims (" in page() and share in page()
    assert re.findall("^## (.*)$", page(), re.MULTILINE) == [PAPERS[paper] for paper in PAPERS if paper in PLACES]
    assert (ROOT / "docs" / "printed.md").read_text(encoding="utf-8") == page(), "run: make readme"


@pytest.mark.parametrize(
    ("record", "word"),
    [
        ({"id": "sd.lossless", "source": "PAD 2"}, "printed by the five papers"),
        ({"id": "rdk.any-drafter-corrected", "source": "correction of RDK 4"}, "own"),
        ({"id": "block.lossless", "source": "Sun et al. 2024, Theorem 1"}, "by other works"),
        ({"id": "own.mine", "source": "PAD 2", "place": None}, "of your own"),
        ({"id": "sd.older-version", "source": None}, "of unknown source"),
        ({"id": "sd.older-version"}, "of unknown source"),
    ],
)
def test_a_record_of_a_claim_says_where_the_claim_is_from(record, word) -> None:
    assert origin(record) == word and counted([record]) == f"1 claim (1 {word})"


def test_the_origins_add_up_to_the_claims_and_records_agree_with_claims() -> None:
    everything = registry().values()
    numbers = dict.fromkeys(ORIGINS, 0)
    for claim in everything:
        assert origin(claim) == origin({"id": claim.name, "source": claim.reference}), claim.name
        numbers[origin(claim)] += 1
    words = ", ".join(f"{number} {word}" for word, number in numbers.items() if number)
    assert counted(everything) == f"{len(everything)} claims ({words})" and numbers["of unknown source"] == 0


def test_every_sentence_is_behind_a_claim_and_short() -> None:
    known = {*registry(), *map(statement_of, registry())}
    assert {*sentences()} <= known
    for name, found in sentences().items():
        assert 2 <= len(found.text.replace("…", " ").split()) <= WORDS, name
        assert found.text == found.text.strip() and "  " not in found.text, name
        assert not found.restored.endswith(".") and found.read.endswith("."), name
        for text in (found.read, found.restored):
            assert "$" not in re.sub(r"<[^>]*>", "", to_html(text))


def test_the_place_names_the_paper() -> None:
    assert {*PLACES} == {name.split(".")[0] for name in sentences()} <= {*PAPERS}
    for name, found in sentences().items():
        assert re.match(rf"({PLACES[name.split('.')[0]]})\b", found.place), name


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("rdk.never-worse-sharp", "rdk.never-worse"),
        ("ears.fidelity.fresh-corrected", "ears.fidelity"),
        ("csqs.threshold-range.literal", "csqs.threshold-range"),
    ],
)
def test_corrections_and_readings_share_their_statements_sentence(name, key) -> None:
    assert printed(name) is sentences()[key]


def test_own_statements_and_unknown_names_have_none() -> None:
    assert printed("rdk.gain") is None and printed("nothing.at-all") is None


def test_the_command_shows_it(capsys) -> None:
    assert main(["claims", "rdk.percentage"]) == 0
    assert "as printed: “pruning to 0.00025% of the vocabulary" in capsys.readouterr().out
    assert main(["claims", "--json", "rdk.percentage", "rdk.gain"]) == 0
    rows = {row["id"]: row["printed"] for row in json.loads(capsys.readouterr().out)}
    assert rows["rdk.percentage"]["place"] == "RDK 6.2" and rows["rdk.gain"] is None
