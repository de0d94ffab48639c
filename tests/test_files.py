"""The generated part of a page is exchanged, the rest of the page never touched."""

from __future__ import annotations

import pytest

from simspec.files import fill

BEGIN, END = "<!-- x:begin -->", "<!-- x:end -->"


def test_only_the_named_part_changes() -> None:
    other = "<!-- y:begin -->kept<!-- y:end -->"
    page = f"before\n{BEGIN}\nstale\n{END}\n{other}\nafter\n"
    assert fill(page, "x", "new") == f"before\n{BEGIN}\nnew\n{END}\n{other}\nafter\n"
    assert fill(fill(page, "x", "new"), "x", "new") == fill(page, "x", "new")


@pytest.mark.parametrize("page", ["", BEGIN, f"{END}{BEGIN}", f"{BEGIN}{END}{BEGIN}{END}"])
def test_a_page_without_one_pair_of_markers_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match="page: expected one <!-- x:begin -->"):
        fill(page, "x", "")
