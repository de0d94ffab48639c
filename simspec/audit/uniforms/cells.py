"""What a sampler does, as a list of cells: boxes of uniforms, for each draft, on which it emits the same tokens.

A box is probed at points that fall, on every axis, once into each gap between the places that the laws suggest, and at
as many random ones.  Where two points differ, one coordinate after the other is changed until the tokens change: that is
an axis that cuts.  The cuts on a line along it are located, all boxes at once, and the box is split there: first a look
on both sides of each place in the interval where a cut is likely, which is one that the laws suggest or one where another
box was cut, then a search that looks at 15 points within each interval at a time.  A box without differences is a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.audit.uniforms.cuts import Cut, on_grid, recognised
from simspec.laws import Array

__all__ = ["Cells", "Look", "cells_of"]

Look = Callable[[NDArray[np.int64], Array], NDArray[np.int64]]
"""(index of the draft of each call (n,), uniforms (n, C)) -> a number for the tokens that each call emits."""

Hints = tuple[NDArray[np.int64], Array]

EXTRA = 16
"""Random points of each box, beside those between suggested places."""
POINTS = 15
"""Points within an interval that are tried at once."""
NARROW = 2.0**-46
"""Width to which a cut is located."""
ASIDE = np.array([-(2.0**-22), -(2.0**-47), 2.0**-47, 2.0**-22])
"""How far from a likely place of a cut is looked: for code in single precision, and in double."""
LIKELY = 3
"""Most likely places within an interval that are looked at before points at even distances are."""
GENERATIONS = 64
"""Most splits of a box after one another."""
MOST = 30
"""Most boxes of a draft at once, on average; beyond it those left are undecided."""


class Cells(NamedTuple):
    """Boxes in which a sampler always emits the same tokens, as far as it was probed.

    Attributes
    ----------
    draft : int (m,); index of the draft
    low, high : int (m, C); the sides of the box, indices into `cuts`
    code : int (m,); a number for the tokens emitted; -1 where a box was left undecided
    cuts : tuple of Cut; the first two are 0 and 1
    """

    draft: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    code: NDArray[np.int64]
    cuts: tuple[Cut, ...]

    def predicted(self, draft: NDArray[np.int64], uniforms: Array) -> NDArray[np.int64]:
        """Codes of calls with given drafts (n,) and uniforms (n, C); -1 where a uniform lies too near a cut to say."""
        at = np.array([float(cut.at) for cut in self.cuts])
        margin = np.array([cut.margin for cut in self.cuts])
        low = (at + margin)[self.low]
        high = (at - margin)[self.high]
        low[self.low == 0] = 0.0
        high[self.high == 1] = 1.0
        codes = np.full(len(draft), -1)
        for draft_number in np.unique(draft):
            calls = np.flatnonzero(draft == draft_number)
            boxes = np.flatnonzero(self.draft == draft_number)
            u = uniforms[calls][:, None]
            inside = ((low[boxes] <= u) & (u < high[boxes])).all(axis=2)
            codes[calls] = np.where(inside.any(axis=1), self.code[boxes[inside.argmax(axis=1)]], -1)
        return codes

    def volumes(self) -> list[Fraction]:
        """Probability of each box, from fractions."""
        at = [cut.at for cut in self.cuts]
        volume_by_box: dict[bytes, Fraction] = {}
        volumes = []
        for low, high in zip(self.low, self.high, strict=True):
            key = low.tobytes() + high.tobytes()
            if key not in volume_by_box:
                volume = Fraction(1)
                for a, b in zip(low.tolist(), high.tolist(), strict=True):
                    if (a, b) != (0, 1):
                        volume *= at[b] - at[a]
                volume_by_box[key] = volume
            volumes.append(volume_by_box[key])
        return volumes


class _Places:
    """Cuts by number, each fraction once."""

    def __init__(self, suggestions: list[Fraction], grid: int) -> None:
        self.known, self.grid = suggestions, grid
        self.cuts = [Cut(Fraction(0)), Cut(Fraction(1))]
        self.number = {Fraction(0): 0, Fraction(1): 1}
        self._floats = np.array([[0.0, 0.0], [1.0, 0.0]])

    def likely(self) -> Array:
        """Where a cut may lie, in order: the suggestions, and the cuts known by now."""
        return np.unique([float(place) for place in (*self.known, *(cut.at for cut in self.cuts[2:]))])

    def between(self, low: float, high: float) -> int:
        """The number of the cut that lies between two floats."""
        return self.of(on_grid(high, self.grid) if self.grid else recognised(low, high, self.known))

    def of(self, cut: Cut) -> int:
        if cut.at not in self.number:
            self.number[cut.at] = len(self.cuts)
            self.cuts.append(cut)
        number = self.number[cut.at]
        if cut.margin > self.cuts[number].margin and number > 1:
            self.cuts[number] = cut
        return number

    def inside(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> tuple[Array, Array]:
        """The sides of boxes as floats, moved inwards so far that rounding cannot cross them."""
        at = np.array([float(cut.at) for cut in self.cuts])
        margin = np.array([cut.margin for cut in self.cuts])
        return at[low] + margin[low], at[high] - margin[high]


def cells_of(
    look: Look,
    drafts: int,
    uniforms: int,
    suggestions: list[Fraction],
    hints: Hints | None = None,
    seed: int = 0,
    grid: int = 0,
    later: Sequence[Fraction] = (),
) -> Cells:
    """Cells of a sampler for each of `drafts` drafts, with `uniforms` uniforms a call.

    Parameters
    ----------
    look : what the sampler does, as a number for the tokens
    suggestions : places in (0, 1), in order, where uniforms may be cut
    hints : drafts (h,) and uniforms (h, C) that are to be looked at too
    later : more places, at which cuts are recognised, but between which nothing is probed
    grid : int; `look` rounds uniforms down to multiples of 2^-grid, so that it cuts there and nowhere else; 0 where it does not

    >>> found = cells_of(lambda draft, u: (3 * u[:, 0] >= 1).astype(int), 1, 2, [])
    >>> [str(v) for v in found.volumes()], found.code.tolist()
    (['1/3', '2/3'], [0, 1])
    """
    rng = np.random.default_rng(seed)
    places = _Places(sorted({*suggestions, *later}), grid)
    row = np.arange(drafts)
    low = np.zeros((drafts, uniforms), dtype=np.int64)
    high = np.ones((drafts, uniforms), dtype=np.int64)
    ended_boxes: list[tuple[NDArray[np.int64], ...]] = []
    for generation in range(GENERATIONS):
        a, b = places.inside(low, high)
        points = _probes(a, b, suggestions, rng)
        points = points if hints is None else _look_there(points, hints, row, (a, b))
        codes = _looked(look, row, points)
        same = (codes == codes[:, :1]).all(axis=1) | (b <= a).any(axis=1)
        is_last = len(row) > MOST * (drafts + 20) or generation == GENERATIONS - 1
        ended = np.ones_like(same) if is_last else same
        ended_boxes.append((row[ended], low[ended], high[ended], np.where(same, codes[:, 0], -1)[ended]))
        if ended.all():
            break
        row, low, high = (x[~ended] for x in (row, low, high))
        row, low, high = _split(look, (row, low, high), points[~ended], codes[~ended], places)
    of, sides_low, sides_high, code = (np.concatenate(parts) for parts in zip(*ended_boxes, strict=True))
    return Cells(of, sides_low, sides_high, code, tuple(places.cuts))


def _look_there(points: Array, hints: Hints, row: NDArray[np.int64], sides: tuple[Array, Array]) -> Array:
    """Points, and as many hints as there is room for in the boxes in which they lie."""
    low, high = sides
    hinted = np.repeat(points[:, :1], min(EXTRA, len(hints[0])), axis=1)
    used = np.zeros(len(row), dtype=np.int64)
    for draft, uniform in zip(*hints, strict=True):
        inside = (row == draft) & ((low < uniform) & (uniform < high)).all(axis=1) & (used < hinted.shape[1])
        hinted[inside, used[inside]] = uniform
        used += inside
    return np.concatenate([points, hinted], axis=1)


def _looked(look: Look, row: NDArray[np.int64], points: Array) -> NDArray[np.int64]:
    """`look` at points (m, k, C) of the drafts (m,): codes (m, k)."""
    m, k, uniforms = points.shape
    return look(np.repeat(row, k), points.reshape(m * k, uniforms)).reshape(m, k)


def _probes(low: Array, high: Array, suggestions: list[Fraction], rng: np.random.Generator) -> Array:
    """Points (m, k, C) in boxes (m, C): on each axis one in each gap between known places, the rest stratified."""
    sides = np.array([0.0, *(float(x) for x in suggestions), 1.0])
    gaps = (sides[1:] + sides[:-1]) / 2
    m, uniforms = low.shape
    k = len(gaps) + EXTRA
    place = np.argsort(
        rng.random((m, k, uniforms)), axis=1
    )  # each axis goes through all of them, in an order of its own
    spread = (place + rng.random((m, k, uniforms))) / k
    spread = low[:, None] + spread * (high - low)[:, None]
    if len(gaps):
        gap = gaps[np.minimum(place, len(gaps) - 1)]
        fits = (place < len(gaps)) & (gap > low[:, None]) & (gap < high[:, None])
        spread = np.where(fits, gap, spread)
    return spread


def _split(
    look: Look,
    boxes: tuple[NDArray[np.int64], ...],
    points: Array,
    codes: NDArray[np.int64],
    places: _Places,
) -> tuple[NDArray[np.int64], ...]:
    """Boxes whose points differ, split at all cuts on a line along an axis that cuts."""
    row, _, _ = boxes
    axis, base = _axis(look, row, points, codes)
    box = np.arange(len(row))
    along = np.sort(points[box, :, axis], axis=1)
    line = np.repeat(base[:, None], along.shape[1], axis=1)
    line[box, :, axis] = along
    codes_on_line = _looked(look, row, line)
    at, change = np.nonzero(codes_on_line[:, 1:] != codes_on_line[:, :-1])
    between = _located(
        look,
        row[at],
        (base[at], axis[at]),
        (along[at, change], along[at, change + 1]),
        codes_on_line[at, change],
        places.likely(),
    )
    numbers = np.array([places.between(a, b) for a, b in zip(*between, strict=True)], dtype=np.int64)
    return _children(boxes, axis, at, numbers)


def _children(
    boxes: tuple[NDArray[np.int64], ...], axis: NDArray[np.int64], at: NDArray[np.int64], cuts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], ...]:
    """Each box split along its axis at its cuts, which come in order; `at` says to which box a cut belongs."""
    row, low, high = boxes
    parts = np.bincount(at, minlength=len(row)) + 1
    parent = np.repeat(np.arange(len(row)), parts)
    new_low = low[parent]
    new_high = high[parent]
    slot = np.arange(len(at)) + at  # the child on the left of a cut
    new_high[slot, axis[at]] = cuts
    new_low[slot + 1, axis[at]] = cuts
    wide = new_low[np.arange(len(parent)), axis[parent]] != new_high[np.arange(len(parent)), axis[parent]]
    return row[parent][wide], new_low[wide], new_high[wide]


def _axis(
    look: Look, row: NDArray[np.int64], points: Array, codes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Array]:
    """For each box an axis along which the tokens change, the first that is found, and a point where they do."""
    m, _, uniforms = points.shape
    box = np.arange(m)
    different = codes != codes[:, :1]
    best = np.full(m, uniforms)
    base = points[:, 0].copy()
    for differing in (different.argmax(axis=1), different.shape[1] - 1 - different[:, ::-1].argmax(axis=1)):
        walk = np.repeat(points[:, :1], uniforms + 1, axis=1)
        for j in range(uniforms):
            walk[:, j + 1 :, j] = points[box, differing, j][:, None]
        codes_on_walk = _looked(look, row, walk)
        axis = (codes_on_walk[:, 1:] != codes_on_walk[:, :-1]).argmax(axis=1)
        better = axis < best
        best = np.where(better, axis, best)
        base = np.where(better[:, None], walk[box, axis], base)
    return best, base


def _located(
    look: Look,
    row: NDArray[np.int64],
    line: tuple[Array, NDArray[np.int64]],
    between: tuple[Array, Array],
    left_code: NDArray[np.int64],
    likely: Array,
) -> tuple[list[float], list[float]]:
    """Intervals no wider than NARROW in which the tokens first change from `left_code`, all searched at once."""
    base, axis = line
    low, high = (x.copy() for x in between)
    while True:
        wide = np.flatnonzero(high - low > NARROW)
        if not len(wide):
            return low.tolist(), high.tolist()
        inner = [_inner(a, b, likely) for a, b in zip(low[wide].tolist(), high[wide].tolist(), strict=True)]
        of = np.repeat(wide, [len(x) for x in inner])
        places = np.concatenate(inner)
        points = base[of]
        points[np.arange(len(of)), axis[of]] = places
        changed = look(row[of], points) != left_code[of]
        last = np.cumsum([len(x) for x in inner])
        for interval, begin, end in zip(wide.tolist(), [0, *last[:-1].tolist()], last.tolist(), strict=True):
            first = begin + int(changed[begin:end].argmax()) if changed[begin:end].any() else end
            low[interval] = places[first - 1] if first > begin else low[interval]
            high[interval] = places[first] if first < end else high[interval]


def _inner(low: float, high: float, likely: Array) -> Array:
    """Points inside an interval, in order: on both sides of its likely places where these are few, else at even distances."""
    inside = likely[np.searchsorted(likely, low, "right") : np.searchsorted(likely, high, "left")]
    if 0 < len(inside) <= LIKELY:
        beside = np.unique(inside[:, None] + ASIDE)
        beside = beside[(low < beside) & (beside < high)]
        if len(beside):
            return beside
    return low + np.arange(1, POINTS + 1) / (POINTS + 1) * (high - low)
