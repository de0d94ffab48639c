"""The page of audited packages: verdicts of what is there, earlier rows and commands of what is not."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from simspec.audit import revealing
from simspec.audit.adapters import FORMS, Adapted, packages
from simspec.audit.adapters.judging import Asked
from simspec.audit.adapters.packages import Row, main, page, rows_of
from simspec.audit.adapters.targets import TARGETS, Target
from simspec.audit.reference import speculative

ROOT = Path(__file__).parents[3]
HERE = Target("here.sampler", "simspec", "0", "tests.audit.adapters.stale", "verify", "numpy")
GONE = Target("gone.sampler", "no-such-package", "1.0", "no_such_module", "f", "numpy")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    monkeypatch.setattr(packages, "interpret", lambda: None)
    asked = Asked(pairs=revealing(1, 2)[:2], calls=500, tv_limit=0.3)
    monkeypatch.setattr(packages, "plans", lambda target: [("exact", Asked(exact=True)), ("black box", asked)])


def test_what_is_there_is_audited_and_what_is_not_is_listed(tmp_path, capsys) -> None:
    path = tmp_path / "audited.md"
    assert main([str(path)], targets=[HERE, GONE]) == 0
    (row,) = rows_of(path.read_text())
    assert (row.sampler, row.mode, row.laws) == ("here.sampler", "black box", "1 pair, γ ≤ 1, V ≤ 2")
    assert row.options == "none" and row.calls.replace(",", "").isdigit() and float(row.seconds) < 600
    assert date.fromisoformat(row.date) <= datetime.now(UTC).date()
    assert row.verdict.startswith("biased by TV") and "smallest distributions p = (" in row.verdict
    assert "\n- gone.sampler\n" in path.read_text()
    assert "expected it installed: pip install no-such-package==1.0" in capsys.readouterr().err


def test_raw_rows_are_shown_where_a_processor_was_asked_for(tmp_path, monkeypatch) -> None:
    """The sampler ignores the temperature 0 that it is audited with."""
    monkeypatch.setitem(FORMS, "raw", lambda function: Adapted(speculative, processor="temperature:0"))
    path = tmp_path / "audited.md"
    assert main([str(path)], targets=[HERE._replace(form="raw")]) == 0
    (row,) = rows_of(path.read_text())
    assert row.options == "temperature:0" and row.verdict.startswith("biased by TV")
    assert "smallest distributions p = (0." in row.verdict


def test_earlier_rows_of_what_is_not_there_stay(tmp_path) -> None:
    path = tmp_path / "audited.md"
    before = Row("gone.sampler", "1.0", "none", "exact", "2 pairs", "9", "1", "2026-11-29", "lossless \\| so")
    path.write_text(page([before], ["here.sampler"]))
    assert main([str(path), "gone"], targets=[HERE, GONE]) == 0
    assert rows_of(path.read_text()) == [before]
    assert "\n- here.sampler\n" in path.read_text()


def test_the_page_that_ships_names_known_samplers_only() -> None:
    rows = rows_of((ROOT / "docs/audited.md").read_text(encoding="utf-8"))
    assert rows and {row.sampler for row in rows} <= {target.name for target in TARGETS}
    assert {row.mode for row in rows} == {"exact", "black box"}
