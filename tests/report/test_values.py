"""Instances as tables: what can be counted and read off."""

from __future__ import annotations

from simspec.report.values import instance, value


def test_fraction_by_hand() -> None:
    assert value("1/4") == '<math title="0.25"><mfrac><mn>1</mn><mn>4</mn></mfrac></math>'
    assert value("-1/4").count("<mo>−</mo>") == 1
    assert [value(v) for v in ("3", "-3", True, None, "x<y")] == ["3", "−3", "true", "none", "x&lt;y"]


def test_vectors_of_one_length_share_a_table() -> None:
    html = instance({"p": ["1", "0"], "weights": ["1", "2", "3"], "q": ["1/2", "1/2"]})
    assert html.count("<table") == 2
    first, second = html.split("</table>")[:2]
    assert "<i>p</i>" in first and "<i>q</i>" in first and "token" in first
    assert "weights" in second and "entry" in second


def test_matrices_are_grids_and_more_axes_one_grid_each() -> None:
    html = instance({"M": [["1", "0"], ["0", "1"]], "tables": [[["1"], ["2"]], [["3"], ["4"]], [["5"], ["6"]]]})
    assert html.count('class="grid"') == 4
    assert "<sub>2</sub>" in html


def test_long_vectors_and_matrices_are_cut_and_counted() -> None:
    assert "… 24 more" in instance({"p": ["1/40"] * 40})
    html = instance({"M": [["0"] * 20] * 30})
    assert html.count("… 4 more") == 16 and "… 14 more rows" in html


def test_names() -> None:
    html = instance({"gamma": 2, "t_p": "1/2", "p2": "1", "step_size": "1", "inner": {"x": [1]}, "empty": []})
    assert all(s in html for s in ("<i>γ</i> = 2", "<i>t</i><sub>p</sub>", "<i>p</i><sub>2</sub>", "<i>step size</i>"))
    assert "<i>inner</i>:" in html
