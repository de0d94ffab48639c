"""How tight each proved bound is: relative slack of every one, on random fractions, synthetic and real laws.

The picture: relative slack of every proved bound: where its instances lie, source by source, and the tightest that is known.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.claims import registry
from simspec.claims.claim import Claim, Instance, at_most
from simspec.claims.deciding.verify import expected
from simspec.claims.draw import Draw, ExactDraw, FloatDraw, RealDraw
from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.table import Point, Points
from simspec.logits.bank import Bank, open_bank

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SLACK", "bound_slack", "proved_bounds", "relative"]

SOURCES = {"exact": "fractions", "float": "synthetic logits", "real": "real logits"}
_PAPERS = ("sd", "rdk", "ears", "pad", "sqs", "csqs", "tasc")


def proved_bounds() -> list[Claim]:
    """The papers' claims of kind "bound" whose recorded verdict is that they are proved, paper by paper.

    >>> all(claim.kind == "bound" for claim in proved_bounds())
    True
    """
    verdicts = expected()["verdicts"]
    bounds = [name for name, c in registry().items() if c.kind == "bound" and name.partition(".")[0] in _PAPERS]
    return [registry()[name] for name in bounds if verdicts[name] in ("proved", "derived")]


def relative(claim: Claim, instance: Instance) -> np.ndarray:
    r"""Slack of a bound :math:`a \le b` over its larger side, of each of its parts on one instance.

    :math:`(b - a)/\max(|a|, |b|)`, and 1 where the sides differ in sign: from 0, equality, to 1, no information.  Parts
    whose sides are both zero say nothing, and are left out; so are sides that are infinite.

    >>> from fractions import Fraction as F
    >>> relative(Claim("x", "bound", "", "", lambda a: a, at_most, lambda b: b), {"a": F(1, 4), "b": F(1, 2)}).tolist()
    [0.5]
    """
    sides = [np.asarray(side, dtype=object) for side in claim.sides(instance)]
    small, large = sides if claim.relation is at_most else sides[::-1]
    pairs = np.array([(float(a), float(b)) for a, b in np.broadcast(small, large)]).reshape(-1, 2)
    scale = np.abs(pairs).max(axis=1)
    pairs = pairs[np.isfinite(scale) & (scale > 0)]
    scale = scale[np.isfinite(scale) & (scale > 0)]
    return np.clip((pairs[:, 1] - pairs[:, 0]) / scale, 0, 1)


def _source_draw(source: str, bank: Bank, key: int, row: int, vocab: int) -> Draw:
    seed = int(np.random.SeedSequence([key, row]).generate_state(1)[0])
    if source == "exact":
        return ExactDraw(rng=np.random.default_rng(seed))
    return FloatDraw(seed, vocab, rows=2, matrix=24) if source == "float" else RealDraw(bank, seed, 8, matrix=24)


def _one(claim: Claim, draw: Draw) -> tuple[float, float]:
    """Median and least relative slack of one draw's instances; NaN where it says nothing."""
    try:
        instance: Any = claim.draw(draw)
    except ValueError:  # the bank has no such part; or rounding left a law that is made negative masses
        return np.nan, np.nan
    slacks = relative(claim, instance) if not claim.broken_assumptions(instance) else np.empty(0)
    return (float(np.median(slacks)), float(slacks.min())) if slacks.size else (np.nan, np.nan)


def _simulate(bank: Bank, cell: Cell, rows: Rows) -> Values:
    claim = registry()[cell["claim"]]
    draws = (_source_draw(cell["source"], bank, rows.key, row, cell["vocab"]) for row in rows.numbers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # underflow in far tails is part of the arithmetic
        draw_slacks = [_one(claim, draw) for draw in draws]
    listed = [relative(claim, instance) for instance in claim.tight]
    tight = min((float(x.min()) for x in listed if x.size), default=np.nan)
    median, least_slacks = np.array(draw_slacks, dtype=np.float64).reshape(-1, 2).T
    return {"median": median, "least": least_slacks, "listed": np.full(len(median), tight)}


def bound_slack(bank: Bank, claims: Sequence[Claim], exact: int, floats: int, vocab: int) -> Study:
    """Relative slack of some bounds on the sources that each can be tried on: a cell a claim and source.

    Values of a row, one draw: ``median`` and ``least`` of its parts and instances; ``listed``, the least of the claim's
    listed equality cases.

    Parameters
    ----------
    bank : Bank; of the real laws
    claims : bounds
    exact, floats : draws of fractions, and of synthetic and real laws
    vocab : tokens of a synthetic law
    """
    draws = {"exact": exact, "float": floats, "real": floats}
    grid = [
        {"claim": claim.name, "source": source, "vocab": vocab, "rows": draws[source]}
        for claim in claims
        for source in SOURCES
        if source in claim.sources
    ]
    return Study(
        name="bound-slack",
        question="How tight is each proved bound?",
        grid=tuple(grid),
        simulate=lambda cell, rows, device: _simulate(bank, cell, rows),
        summary="relative slack of the instances drawn",
        rows=max(draws.values()),
    )


def _study(exact: int = 100, floats: int = 8, vocab: int = 512, *, first_only: bool = False) -> Study:
    bounds = proved_bounds()
    if first_only:
        bounds = [next(claim for claim in bounds if claim.name.startswith(f"{paper}.")) for paper in _PAPERS]
    return bound_slack(open_bank("stories"), bounds, exact, floats, vocab)


_PANELS = {"sd, rdk, tasc": ("sd", "rdk", "tasc"), "ears, pad": ("ears", "pad"), "sqs, csqs": ("sqs", "csqs")}
_HEIGHT_OF = ("real", "float", "exact")
"""Whose median a claim is sorted by: the first of these that there is."""


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    claims: dict[str, dict[str, Values]] = {}
    for result in results:
        claims.setdefault(result.cell["claim"], {})[result.cell["source"]] = result.values
    for panel, papers in _PANELS.items():
        at = 0
        for paper in papers:
            paper_summaries = {
                name: _summary(by_source) for name, by_source in claims.items() if name.startswith(f"{paper}.")
            }
            for name in sorted(paper_summaries, key=lambda n: _height(paper_summaries[n])):
                yield from _points(panel, float(at), name, paper_summaries[name])
                at += 1


def _summary(by_source: dict[str, Values]) -> dict[str, tuple[float, ...]]:
    """Median, 5 % and 95 % quantile of each source's draws, and the least of all instances under "least"."""
    quantiles = {
        source: tuple(np.nanquantile(values["median"], [0.5, 0.05, 0.95]))
        for source, values in by_source.items()
        if np.isfinite(values["median"]).any()
    }
    all_slacks = np.concatenate([x for v in by_source.values() for x in (v["least"], v["listed"])])
    return {**quantiles, "least": (float(np.nanmin(all_slacks)),)}


def _height(summary: dict[str, tuple[float, ...]]) -> float:
    return next((summary[source][0] for source in _HEIGHT_OF if source in summary), 0.0)


def _points(panel: str, at: float, name: str, summary: dict[str, tuple[float, ...]]) -> Iterator[Point]:
    for source, series in SOURCES.items():
        if source in summary:
            y, low, high = (float(v) for v in summary[source])
            yield Point(panel, series, at, y, low, high, label=name)
    yield Point(panel, "tightest instance", at, summary["least"][0], label=name)


_LOOKS = {
    "fractions": {"color": "#777777", "marker": "o", "markersize": 3.5},
    "synthetic logits": {"color": "#0072B2", "marker": "s", "markersize": 3.5},
    "real logits": {"color": "#D55E00", "marker": "D", "markersize": 3.5},
    "tightest instance": {"color": "#000000", "marker": "_", "markersize": 9, "markeredgewidth": 1.6},
}
_SIDE = {"fractions": -0.2, "synthetic logits": 0.0, "real logits": 0.2, "tightest instance": 0.0}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw a place for each claim, paper by paper, tight ones to the left."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        own = rows.of(panel)
        for name, look in _LOOKS.items():
            some = own.of(series=name)
            if some:
                marks.dots(axes, Points(p._replace(x=p.x + _SIDE[name]) for p in some), **look)
        places = dict(zip(own.column("x"), own.column("label"), strict=True))
        papers, names = zip(*(name.split(".", 1) for name in places.values()), strict=True)
        axes.set_xticks(list(places), names, rotation=55, ha="right", rotation_mode="anchor", fontsize=7)
        axes.set_xlim(-0.7, max(places) + 0.7)
        for paper in dict.fromkeys(papers):
            first = papers.index(paper)
            last = len(papers) - 1 - papers[::-1].index(paper)
            axes.text((first + last) / 2, 1.03, paper.upper(), ha="center", va="bottom", fontsize=9, weight="bold")
            if first:
                axes.axvline(first - 0.5, color="0.5", linewidth=0.9).set_gid(marks.GUIDE)
        axes.set_ylabel("relative slack")
        axes.set_ylim(-0.04, 1.12)
    ax[0].legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=4, borderaxespad=0.2)


SLACK = Figure(
    name="all.slack",
    title="How much room each proved bound leaves: little or none at its tightest instance, often nearly all elsewhere",
    source="beyond the papers",
    study=_study,
    sizes={"quick": {"exact": 4, "floats": 1, "vocab": 64, "first_only": True}, "deep": {"exact": 1000, "floats": 40}},
    compact=_compact,
    draw=_draw,
    data="every claim of kind bound that is proved; (b − a) / max(|a|, |b|) of a ≤ b, at most 1, on random laws of few tokens "
    "in fractions, on synthetic laws of 512 tokens and on the contexts of the bank stories, where the claim can be "
    "tried there; the tightest instance may be one of the claim's listed equality cases; sorted by the "
    "median, real before synthetic",
    intervals="not of an estimate: the range of 90 % of the draws, around their median",
    shape=(3, 1),
    size=(11, 11),
)
