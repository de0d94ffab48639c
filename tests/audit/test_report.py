"""The report of an audit as a table, a picture and HTML."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from simspec.audit import Finding, Pair, Report, Verdict
from simspec.notebook import html, plot

HALF, BAD = np.array([[0.5, 0.5]] * 2), "<b>broken</b>"
ONE = Finding(Pair("one & two", HALF, HALF[:1]), 100, 0.5, (0.0, 0.0625))
TWO = Finding(Pair("two", HALF, HALF[:1]), 50, 20.0, (0.25, 0.5), BAD)
MADE = Report(Verdict.BIASED, TWO, TWO, 50, (ONE, TWO), 150, 0.05, 1e-6)


def test_a_report_is_a_sequence_of_its_findings() -> None:
    assert len(MADE) == 2 and MADE[1] is TWO and list(MADE) == [ONE, TWO] and MADE[:1] == (ONE,)
    assert MADE.verdict is Verdict.BIASED and MADE.exit_status == 1
    assert pickle.loads(pickle.dumps(MADE)).words() == MADE.words()


def test_its_table_holds_intervals_and_faults() -> None:
    assert [row["tv.high"] for row in MADE.records()] == [0.0625, 0.5]
    assert MADE.to_csv().splitlines()[1] == "one & two,1,2,100,0.0,0.0625,0.5,"
    pytest.importorskip("pandas")
    assert MADE.frame()["fault"].tolist() == ["", BAD]


def test_a_notebook_shows_it() -> None:
    shown = html(MADE)
    assert shown is not None
    assert "one &amp; two" in shown and "0.250 to 0.500" in shown and "biased by TV" in shown and BAD not in shown
    lines = plot(MADE).axes[0].get_lines()
    assert [list(line.get_xdata()) for line in lines[:2]] == [[0.0, 0.0625], [0.25, 0.5]]
    assert lines[0].get_color() != lines[1].get_color() and plot(MADE)._repr_png_()[1:4] == b"PNG"
    assert repr(MADE).startswith("Report(biased by TV 0.250 to 0.500")
