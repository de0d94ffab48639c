"""The page of an honest sampler: what it says, and that a wrong one would be told."""

from __future__ import annotations

import re
from pathlib import Path

from simspec.audit import false_alarms, revealing
from simspec.audit.false_alarms import Sizes, chi_square_alarms, main, page
from tests.audit.samplers import stale_row

PAGE = Path(__file__).parents[2] / "docs" / "cases" / "honest.md"


def rows(text):
    """Cells of the lines of all tables."""
    lines = [re.split(r" \| ", line[2:-2]) for line in text.splitlines() if line.startswith("| ")]
    return [cells for cells in lines if cells[0] not in ("j", "distributions")]


def test_a_million_calls_and_a_hundred_thousand_runs_are_on_the_page() -> None:
    """Each number of alarms is at most the level times the runs and five sigmas; the chi-square's is above that."""
    found = rows(PAGE.read_text(encoding="utf-8"))
    called = [cells for cells in found if len(cells) == 8]
    assert [cells[1] for cells in called] == [pair.name for pair in revealing(2, 3)]
    assert {cells[4] for cells in called} == {"1,000,000"}
    assert all(float(cells[6]) < float(cells[7]) and float(cells[5]) < 0.01 for cells in called)
    assert "Verdict: **lossless**" in PAGE.read_text(encoding="utf-8")
    alarms = [cells for cells in found if len(cells) == 5]
    assert len(alarms) == 6
    for _, level, count, _, theirs in alarms:
        most = float(level) * 1e5 + 5 * (float(level) * 1e5) ** 0.5
        assert 0 <= int(count.replace(",", "")) <= most < 1e5 * float(theirs)


def test_the_page_is_what_the_command_writes(tmp_path, monkeypatch) -> None:
    small = page(Sizes(500, 200), revealing(1, 2)[:2])
    assert [cells[1] for cells in rows(small)[:2]] == ["uneven", "two ways to recover"]
    monkeypatch.setattr(false_alarms, "page", lambda: small)
    assert main([str(tmp_path / "honest.md")]) == 0
    assert (tmp_path / "honest.md").read_text(encoding="utf-8") == small


def test_a_biased_sampler_would_be_told(monkeypatch) -> None:
    monkeypatch.setattr(false_alarms, "speculative", stale_row)
    assert "Verdict: **biased**" in page(Sizes(500, 50), revealing(1, 2)[:1])


def test_a_chi_square_at_every_look_alarms_too_often() -> None:
    """At one look it holds its level: at most 5 % of 2000 and five sigmas; at nine it does not."""
    pair, runs = revealing(1, 2)[0], 2000
    most = 0.05 * runs + 5 * (0.05 * 0.95 * runs) ** 0.5
    assert chi_square_alarms(pair, 0.05, runs, looks=1, first=1000) <= most < chi_square_alarms(pair, 0.05, runs)
