"""The page of what exact mode finds: a sample of it anew, its sums, and that it is written in parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simspec.audit.pairs import for_exact
from simspec.audit.zoo import MEMBERS, detected
from simspec.audit.zoo.detected import Row, in_order, is_found, largest_tv, main, member_row, mutant_row, page, rows_of
from simspec.audit.zoo.mutants import FAMILIES, PARTS, Mutant, drafts_of_family, mutants, tv_of
from simspec.audit.zoo.pair_search import SHOWS, candidate

PAGE = Path(__file__).parents[2] / "docs" / "cases" / "detected.md"
HONEST = tuple(forms[0] for forms in PARTS.values())


def names(cell: str) -> list[str]:
    return [] if cell == "–" else cell.split("<br>")


def test_nothing_that_shows_is_missed_and_the_sums_are_right() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = rows_of(text)
    assert page(rows) == text
    assert {row.kind for row in rows} == {*FAMILIES, "zoo: fault", "zoo: lossy", "zoo: honest", "zoo: report"}
    mutant_rows = [row for row in rows if row.kind in FAMILIES]
    assert [(row.kind, row.numbers, row.audited) for row in mutant_rows] == [
        (kind, "0 to 59", "60") for kind in FAMILIES
    ]
    for row in rows:
        assert names(row.missed) == []
        assert int(row.audited) == int(row.found) + len(names(row.hidden))
    zoo = [row for row in rows if row.kind.startswith("zoo")]
    assert sum(int(row.audited) for row in zoo) == len(MEMBERS)
    assert {row.found for row in zoo if row.kind in ("zoo: honest", "zoo: report")} == {"0"}


@pytest.mark.parametrize(("kind", "first"), [("chains", 0), ("siblings", 2)])
def test_a_sample_of_the_page_anew(kind, first) -> None:
    """Mutants of the page's own seed that take seconds: found where they show.  The control is the honest verifier."""
    row = mutant_row(kind, first, 2)
    assert (row.kind, row.numbers, row.audited, names(row.missed)) == (kind, f"{first} to {first + 1}", "2", [])
    assert int(row.found) >= 1
    honest = Mutant(FAMILIES[kind][0], HONEST)
    assert not is_found(honest) and largest_tv(honest, 2) < 1e-12


@pytest.mark.parametrize("first", [2, 11, 34])
def test_a_sample_of_trees_anew(first) -> None:
    row = mutant_row("trees", first, 1)
    assert row[2:] == ("1", "1", "–", "–")


def test_pairs_that_show_a_mutant_with_few_drafts_come_first_and_none_of_them_is_left_out() -> None:
    """In the second of 60 the last sibling's test draws the last token too, which pairs with one sibling left never show."""
    mutant = mutants("trees", 2, detected.SEED)[1]
    pairs = [*for_exact(2), candidate(2, 5, np.random.default_rng(0))]
    ordered = in_order(mutant, pairs)
    family = mutant.family
    showing = [
        pair for pair in pairs if tv_of(mutant._replace(family=family._replace(gamma=pair.gamma)), pair) >= SHOWS
    ]
    assert 0 < len(showing) < len(ordered) < len(pairs)
    names_of = [{pair.name for pair in part} for part in (showing, ordered[: len(showing)])]
    assert names_of[0] == names_of[1]
    drawn = drafts_of_family(family)
    drafts = [len(drawn(pair.q).tokens) if pair.gamma else 1 for pair in ordered]
    assert drafts == [*sorted(drafts[: len(showing)]), *sorted(drafts[len(showing) :])]
    assert max(drafts[len(showing) :]) <= detected.MOST_DRAFTS < max(drafts)


def test_mutants_that_are_not_found_are_told_by_what_they_show(monkeypatch) -> None:
    """With an audit that finds nothing, those that show are missed and the others hidden, with their largest TV."""
    monkeypatch.setattr(detected, "is_found", lambda mutant: False)
    shows = iter([SHOWS, 0.9 * SHOWS])
    monkeypatch.setattr(detected, "largest_tv", lambda mutant: next(shows))
    row = mutant_row("trees", 3, 2)
    first, second = mutants("trees", 5, detected.SEED)[3:]
    assert row == Row("trees", "3 to 4", "2", "0", f"{first.name} (1.0e-03)", f"{second.name} (9.0e-04)")


def test_members_of_the_zoo_are_told_by_their_kind() -> None:
    """One that is always the same generator is audited as a black box; an honest one has nothing to be found."""
    faults = [MEMBERS["zero_coin"], MEMBERS["frozen_seed"]]
    assert member_row("fault", faults)[:4] == ("zoo: fault", "F07 to F08", "2", "2")
    honest = member_row("honest", [MEMBERS["match_emit"]])
    assert honest[2:] == ("1", "0", "–", "H2 match_emit: lossless")


def test_parts_of_the_page_are_written_in_order_and_the_others_stay(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(
        detected, "mutant_row", lambda kind, first, number: Row(kind, f"{first} to {first + number - 1}", *"22––")
    )
    where = tmp_path / "detected.md"
    for first in (10, 2, 10):
        assert main([str(where), "trees", str(first), "2"]) == 0
    assert main([str(where), "chains", "0", "2"]) == 0
    assert [row[:2] for row in rows_of(where.read_text(encoding="utf-8"))] == [
        ("chains", "0 to 1"),
        ("trees", "2 to 3"),
        ("trees", "10 to 11"),
    ]
    with pytest.raises(SystemExit):
        main([str(where), "webs"])


def test_a_row_of_the_zoo_replaces_that_of_fewer_members(monkeypatch, tmp_path) -> None:
    where = tmp_path / "detected.md"
    for last in ("F15", "F18"):
        monkeypatch.setattr(
            detected, "member_row", lambda kind, last=last: Row(f"zoo: {kind}", f"F01 to {last}", *"22––")
        )
        assert main([str(where), "zoo"]) == 0
    assert {row.numbers for row in rows_of(where.read_text(encoding="utf-8"))} == {"F01 to F18"}


def test_the_candidates_have_small_denominators() -> None:
    """What "shows" means: pairs with denominators up to 32 of two to five tokens."""
    seen = []
    monkey = pytest.MonkeyPatch()
    monkey.setattr(detected, "tv_of", lambda mutant, pair: seen.append(pair) or 0.0)
    largest_tv(Mutant(FAMILIES["siblings"][0], HONEST), 3)
    monkey.undo()
    assert {pair.vocab for pair in seen} == {2, 3, 4, 5} and {pair.gamma for pair in seen} == {1}
    drawn = [pair for pair in seen if pair.name == "candidate"]
    assert len(drawn) == 4 * 3 and len(seen) > len(drawn)
    for row in (row for pair in drawn for row in (*pair.p, *pair.q)):
        assert any(np.allclose(row * parts, np.rint(row * parts), atol=1e-9) for parts in range(1, 33))
