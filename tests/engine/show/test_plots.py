"""Pictures of a study: what lies on which axis, that marks and bands are the numbers, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.run import CellResult, Estimate
from simspec.engine.show.plots import COLOURS, axes_of, figure, save
from simspec.studies import Study, cross


def results(grid) -> list[CellResult]:
    return [
        CellResult(cell, f"{i:02x}", 10, 1, i > 0, {"m": Estimate(i, i - 1, i + 2), "k[0]": Estimate(0, 0, 0)}, {}, 0.9)
        for i, cell in enumerate(grid)
    ]


def drawn(grid, **options):
    study = Study("s", "What is asked?", tuple(grid), lambda c, r, d: {})
    return figure(study, results(grid), **options)


GRID = cross(n=(3, 1, 2), kind=("u", "v"), size=(1, 100))


def test_axes_are_chosen() -> None:
    done = results(GRID)
    assert axes_of(done, None, None, None) == ("n", "m", "kind", ["size"])
    assert axes_of(done, "kind", "k[0]", None) == ("kind", "k[0]", "n", ["size"])  # two panels, not three
    assert axes_of(done, None, None, "n") == ("size", "m", "n", ["kind"])
    assert axes_of(results([{}]), None, None, None) == ("", "m", None, [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("z", None, None), "--x: 'z'"),
        ((None, "z", None), "--y: 'z'"),
        ((None, None, "z"), "--hue: 'z'; expected one of n"),
    ],
)
def test_unknown_axes_are_refused(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        axes_of(results(GRID), *options)


def test_marks_and_bands_are_the_numbers_in_order_of_x() -> None:
    picture = drawn(GRID)
    panels = picture.get_axes()
    assert [axes.get_title() for axes in panels] == ["size = 1", "size = 100"]
    (first, second) = panels[0].get_lines()
    assert list(first.get_xdata()) == [1, 2, 3] and list(first.get_ydata()) == [4, 8, 0]  # of kind u, size 1
    assert list(second.get_ydata()) == [6, 10, 2]
    assert [first.get_color(), second.get_color()] == list(COLOURS[:2])
    corners = panels[0].collections[0].get_paths()[0].vertices
    assert {(x, y) for x, y in corners} >= {(1, 3), (1, 6), (2, 7), (2, 10), (3, -1), (3, 2)}
    (legend,) = picture.legends
    assert [text.get_text() for text in legend.get_texts()] == ["u", "v"] and legend.get_title().get_text() == "kind"
    assert picture.get_suptitle() == "What is asked?\nbands: 90 % confidence sequences; 1 of 12 cells undecided"


def test_text_along_x_has_bars_side_by_side() -> None:
    picture = drawn(cross(kind=("u", "v"), n=(1, 2)), x="kind")
    (axes,) = picture.get_axes()
    assert [label.get_text() for label in axes.get_xticklabels()] == ["u", "v"]
    places = sorted(x for c in axes.containers for x in c[0].get_xdata())
    assert np.allclose(places, [-0.125, 0.125, 0.875, 1.125])


def test_wide_ranges_are_logarithmic() -> None:
    assert drawn(cross(n=(1, 100))).get_axes()[0].get_xscale() == "log"
    assert drawn(cross(n=(1, 20))).get_axes()[0].get_xscale() == "linear"
    assert drawn(cross(n=(0, 100))).get_axes()[0].get_xscale() == "linear"


def test_one_cell_without_parameters() -> None:
    assert len(drawn([{}]).get_axes()) == 1


def test_too_many_panels_are_refused() -> None:
    with pytest.raises(ValueError, match="16 panels, one for each c, d; expected at most 12"):
        drawn(cross(a=(1, 2, 3, 4, 5), b=(1, 2, 3, 4, 5), c=(1, 2, 3, 4), d=(1, 2, 3, 4)))


@pytest.mark.parametrize("name", ["a.svg", "a.png"])
def test_the_same_numbers_make_the_same_file(name, tmp_path) -> None:
    for folder in ("one", "two"):
        save(drawn(GRID), tmp_path / folder / name)
    assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_another_kind_of_file_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match="expected a name that ends in .svg"):
        save(drawn(GRID), tmp_path / "a.jpg")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path) -> None:
    from matplotlib.figure import Figure

    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"-o: .*file/a.svg cannot be written \("):
        save(Figure(), tmp_path / "file" / "a.svg")


def test_a_palette_makes_a_smaller_png_of_nearly_the_same_colours(tmp_path) -> None:
    from PIL import Image

    picture = drawn(GRID)
    save(picture, tmp_path / "all.png")
    save(picture, tmp_path / "few.png", palette=True)
    assert (tmp_path / "few.png").stat().st_size < 0.6 * (tmp_path / "all.png").stat().st_size
    whole, few = (np.asarray(Image.open(tmp_path / f"{name}.png").convert("RGB"), dtype=int) for name in ("all", "few"))
    assert whole.shape == few.shape and (few[0, 0] == 255).all()
    assert (np.abs(whole - few).max(axis=-1) > 12).mean() < 0.01
