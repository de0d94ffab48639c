"""Pictures that a notebook shows by itself, without pyplot."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest
from matplotlib.figure import Figure

from simspec.engine.show.picture import Picture

CODE = """
import sys
from matplotlib.figure import Figure
from IPython.core.formatters import DisplayFormatter
from simspec.engine.show.picture import Picture
data, _ = DisplayFormatter().format(Picture(Figure(), "a figure"))
print(sorted(data), "matplotlib.pyplot" in sys.modules)
"""


def test_a_fresh_kernel_shows_it() -> None:
    pytest.importorskip("IPython")
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['image/png', 'text/plain'] False"


def test_it_has_the_names_of_its_figure() -> None:
    figure = Figure()
    axes = figure.subplots()
    picture = Picture(figure, "a figure")
    assert picture.axes == [axes] and not hasattr(picture, "_repr_html_")
    assert pickle.loads(pickle.dumps(picture)).what == "a figure"


def test_it_is_written_by_the_ending_of_the_name(tmp_path) -> None:
    picture = Picture(Figure(), "a figure")
    picture.save(tmp_path / "a.svg")
    assert "<svg" in (tmp_path / "a.svg").read_text()
    with pytest.raises(ValueError, match="expected a name that ends in"):
        picture.save(tmp_path / "a.txt")
