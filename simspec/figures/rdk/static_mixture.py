"""Beyond RDK's figures: the best fixed masses on pruned tokens against every scheme, on real logits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from simspec.engine.estimates.intervals import documents
from simspec.engine.study import Result, Study
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point
from simspec.logits.bank import open_bank
from simspec.studies.rdk.static_gain import static_gain

__all__ = ["STATIC_MIXTURE"]

_SERIES = {
    "uniform": "uniform",
    "unigram": "unigram",
    "linear": "RDK, linear time",
    "exact": "RDK",
    "mixture": "TLI + unigram",
    "static other": "static mixture",
    "static known": "static, ceiling",
}
_BANKS = ("wiki", "stories")


def _study(effort: str) -> Study:
    shares = (0.01,) if effort == "quick" else (0.25, 0.05, 0.01, 0.0025)
    names = _BANKS[1:] if effort == "quick" else _BANKS
    parts = [static_gain(open_bank(name), name, shares, ("frequency",)) for name in names]
    by_name = dict(zip(names, parts, strict=True))
    return replace(
        parts[0],
        grid=tuple(cell for part in parts for cell in part.grid),
        simulate=lambda cell, rows, device: by_name[cell["data"]].simulate(cell, rows, device),
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        values, panel = result.values, f"{result.cell['data']}, V = {result.cell['vocab']:,}"
        for name, series in _SERIES.items():
            gain = documents(values[name] - values["tli"], values["document"])
            yield point(panel, series, 100 * result.cell["kept"] / result.cell["vocab"], gain)


STATIC_MIXTURE = Figure(
    name="rdk.static-mixture",
    title="What is gained over TLI on real logits: fixed masses on pruned tokens beside RDK",
    source="beyond the papers",
    study=_study,
    compact=_compact,
    data="300 contexts of each of the banks wiki and stories; tokens kept by their frequency in other documents; parameters "
    "tuned on other documents; fixed masses of the other half of the documents, and as their ceiling those that are best for "
    "the very contexts",
    intervals="95 % each, of the paired difference: bootstrap over documents",
    claims=("rdk.static-mixture", "rdk.real-pruning", "rdk.real-controls"),
    shape=(1, 2),
    size=(10.5, 4.4),
)
