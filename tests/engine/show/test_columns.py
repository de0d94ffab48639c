"""A table in a narrow terminal: no number is cut, and what is left out is named."""

from __future__ import annotations

import io

import pytest
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from simspec.engine.show.columns import print_fitting

NUMBERS = ["113.625", "0.48750", "12,345,678", "−0.0625 ±0.0312"]
NAMES = [f"column {place}" for place in range(len(NUMBERS))]


@pytest.mark.parametrize("width", [24, 40, 60, 80, 160])
def test_no_number_is_cut_and_what_is_left_out_is_named(width) -> None:
    table = Table(title="pairs", box=None)
    table.add_column("rule")
    for place in range(len(NUMBERS)):
        table.add_column(f"column {place}", justify="right")
    table.add_row("speculative decoding", *NUMBERS)
    file = io.StringIO()
    left_out = print_fitting(Console(file=file, width=width), table)
    text = file.getvalue()
    assert "…" not in text and "speculative decoding" in text
    for place, number in enumerate(NUMBERS):
        name = f"column {place}"
        assert (number in text) != (name in left_out)
        assert name in text
    assert ("--json" in text) == bool(left_out)
    assert (width < 80) == bool(left_out)


@pytest.mark.parametrize("width", range(8, 70))
def test_columns_in_the_middle_leave_first_and_a_frame_is_no_wider(width) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for place in range(len(NUMBERS)):
        table.add_column(f"column {place}", justify="right")
    table.add_row(*NUMBERS)
    file = io.StringIO()
    left_out = print_fitting(Console(file=file, width=width), table, last=["column 2", "column 3"])
    text = file.getvalue()
    assert left_out in (
        [],
        ["column 1"],
        ["column 1", "column 3"],
        ["column 1", "column 2", "column 3"],
    )
    assert [name for name, number in zip(NAMES, NUMBERS, strict=True) if number not in text] == left_out or width < 12
    assert "…" not in text
