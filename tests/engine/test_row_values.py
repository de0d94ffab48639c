"""Rows gathered on a pool are the rows of the plain run, whatever the blocks and the order."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from simspec.engine.pools import Here, on_workers
from simspec.engine.row_values import gather, lost_rows, rows_of
from simspec.engine.study import Result, Study, simulate
from simspec.kernels import random as philox
from tests.requirements import require


def _draws(cell, rows, device):
    u = philox.uniform(rows.key, rows.numbers, range(3))
    return {"u": u, "sum": u.sum(axis=1) * cell["scale"]}


STUDY = Study("draws", "?", ({"scale": 1}, {"scale": 2, "rows": 4}), _draws, rows=7)


def plain(study: Study, seed: int = 0) -> list[Result]:
    """Each cell at once."""
    rows = (range(min(study.rows, cell.get("rows", study.rows))) for cell in study.grid)
    return [Result(cell, simulate(study, cell, seed, some)) for cell, some in zip(study.grid, rows, strict=True)]


def _same(a, b) -> bool:
    return all(
        x.cell == y.cell and all((x.values[n] == y.values[n]).all() for n in y.values)
        for x, y in zip(a, b, strict=True)
    )


def test_three_rows_by_hand() -> None:
    study = Study("rows", "?", ({},), lambda c, rows, d: {"y": np.array(rows.numbers, dtype=float)}, rows=3)
    assert gather(study)[0].values["y"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("block", [None, 1, 2, 5])
def test_blocks_do_not_matter(block) -> None:
    assert _same(gather(STUDY, seed=3, block=block), plain(STUDY, seed=3))
    assert [len(r.values["u"]) for r in gather(STUDY, block=block)] == [7, 4]
    assert not _same(gather(STUDY, seed=3, block=block), plain(STUDY, seed=4))


class Shuffled(Here):
    """Returns results in another order than tasks came."""

    def __iter__(self) -> Iterator[object]:
        results = list(super().__iter__())
        random.Random(1).shuffle(results)
        yield from results


def test_order_does_not_matter_and_progress_counts() -> None:
    seen: list[tuple[int, int]] = []
    found = gather(STUDY, block=2, pool=Shuffled(rows_of, lost_rows), progress=lambda *at: seen.append(at))
    assert _same(found, plain(STUDY)) and _same(gather(STUDY), found)
    assert seen == [(i, 6) for i in range(1, 7)]


def test_workers_do_not_matter() -> None:
    require("dask")
    with on_workers(rows_of, lost_rows, workers=2) as pool:
        assert _same(gather(STUDY, block=3, pool=pool), plain(STUDY))


def test_a_failing_row_raises() -> None:
    failing = Study("bad", "?", ({},), lambda c, r, d: {"y": 1 / np.zeros(0)[:1]}, rows=2)
    with pytest.raises(ValueError, match="expected 2 rows"):
        gather(failing)
    with pytest.raises(ValueError, match="rows: 0"):
        gather(STUDY, rows=0)
