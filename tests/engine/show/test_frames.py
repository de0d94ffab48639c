"""Results as tables of other libraries: the type of a column of parameters is that of its values."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.show.frames import to_pandas, to_xarray
from simspec.engine.store.results import Store
from simspec.engine.store.segment import Block, canonical


@pytest.fixture
def folder(tmp_path):
    """Two cells whose parameters differ in kind, and what was counted in them."""
    cells = (
        {"size": 1, "name": "a", "on": True, "mixed": 1, "part": 0.5},
        {"size": 2, "name": "b", "on": False, "mixed": "x", "part": 2},
    )
    with Store(tmp_path) as store:
        for place, cell in enumerate(cells):
            store.append(Block(f"{place:032x}", canonical(cell), 0, 10, {"kept.n": 10, "kept.hits": 4 + place}, 0.5))
    return tmp_path


def test_columns_of_xarray(folder) -> None:
    """Whole and broken numbers together are numbers; numbers and text together stay what they are."""
    read = to_xarray(folder)
    kinds = {name: column.dtype.kind for name, column in read.coords.items() if str(name).startswith("cell.")}
    assert kinds == {"cell.size": "i", "cell.name": "U", "cell.on": "b", "cell.mixed": "O", "cell.part": "f"}
    order = np.argsort(read["cell.size"].values)
    assert read["cell.part"].values[order].tolist() == [0.5, 2] and read["cell.mixed"].values[order].tolist() == [
        1,
        "x",
    ]
    assert read["kept.hits"].values[order].tolist() == [4, 5]


def test_columns_of_pandas(folder) -> None:
    read = to_pandas(folder).sort_values("cell.size")
    assert read["cell.part"].tolist() == [0.5, 2] and read["cell.mixed"].tolist() == [1, "x"]
    assert read["kept.hits"].tolist() == [4, 5]
