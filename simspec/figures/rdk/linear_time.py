"""Beyond RDK's figures: Algorithm 1 against its linear-time forms over τ, in distance, acceptance and operations.

The picture: algorithm 1 against linear time: errors below their bounds, acceptance over the temperature, operations counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.claims.rdk.first_order import FORMS
from simspec.claims.rdk.linear_time import operations
from simspec.claims.rdk.taylor_order import TAYLOR_ORDER_SHARP
from simspec.claims.rdk.taylor_order_general import TAYLOR_ORDER_GENERAL_SHARP
from simspec.engine.estimates.intervals import documents, student
from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.kernels import random as philox
from simspec.laws import Array, normalise, overlap, softmax
from simspec.laws.unchecked import restrict
from simspec.logits import synthetic
from simspec.logits.bank import Bank, open_bank
from simspec.methods.rdk.affinity import exponential, factored, first_order
from simspec.methods.rdk.pruning import most_frequent
from simspec.studies.pairs import bank_laws

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LINEAR_TIME", "linear_time"]

_TAUS = 2.0 ** np.arange(-2, 9)
"""Temperatures of the errors, in units of the largest entry of Omega."""
_COOL = 2.0 ** np.arange(-9, 4)
"""Those of the acceptance rates, in the same unit."""
_SIZES = (8, 16, 32, 64, 128)
_KIND = "logits"


def _rank_one(cell: Cell, rows: Rows) -> Values:
    """Both sides of ``rdk.taylor-order-sharp``: (rows, temperatures, forms)."""
    sides_by_row = []
    for row in rows.numbers:
        draws = philox.Draws(rows.key, range(row, row + 1))
        z = synthetic.gaussian(draws, cell["vocab"], scale=2)
        q = softmax(synthetic.correlated(z, 0.7, draws, location=0, scale=2))[0]
        p = softmax(z)[0]
        omega = p[:, None] * p
        instance = {"p": p, "q": q, "c": p, "omega": omega}
        sides_by_row.append([TAYLOR_ORDER_SHARP.sides({**instance, "tau": t * omega.max()}) for t in _TAUS])
    sides = np.array(sides_by_row, dtype=np.float64)
    return {"error": sides[:, :, 0], "bound": sides[:, :, 1]}


def _real(bank: Bank, cell: Cell, rows: Rows) -> Values:
    """Both sides of ``rdk.taylor-order-general-sharp`` on the covariance of a real target: (rows, temperatures)."""
    assert bank.statistics is not None
    top = np.argsort(-bank.statistics.mean, kind="stable")[: cell["vocab"]]
    U, lam, diag = bank.statistics.factors(_KIND)
    U = U[top]
    diag = diag[top]
    unit = float(((U * U) @ lam + diag).max())
    q = normalise(bank_laws(bank, np.array(rows.numbers))[1][:, top] + 1e-300)
    instances = [[{"U": U, "lam": lam, "diag": diag, "q": v, "tau": t * unit} for t in _TAUS] for v in q]
    sides = np.array([[TAYLOR_ORDER_GENERAL_SHARP.sides(i) for i in several] for several in instances])
    return {"error": sides[:, :, 0], "bound": sides[:, :, 1], "document": np.asarray(bank.documents)[rows.numbers]}


def _accepted(bank: Bank, cell: Cell, rows: Rows) -> Values:
    """Acceptance over the temperature (rows, temperatures); NaN where the first-order form is no law."""
    assert bank.statistics is not None
    mean = bank.statistics.mean / bank.statistics.mean.sum()
    p, q = bank_laws(bank, np.array(rows.numbers))
    v = restrict(q, most_frequent(bank.statistics.counts.sum(axis=0), cell["kept"]))
    U, lam, diag = bank.statistics.factors(_KIND)
    unit = float(((U * U) @ lam + diag).max())

    def rate(r: Array) -> Array:
        return np.where((r >= 0).all(axis=-1), np.minimum(p, r).sum(axis=-1), np.nan)

    exact = [rate(factored(U, lam, diag, float(t * unit))(v)) for t in _COOL]
    linear = [rate(first_order(U, lam, diag, float(t * unit))(v)) for t in _COOL]
    curved = [rate(exponential(mean, mean, float(t * mean.max() ** 2))(v)) for t in _COOL]
    return {
        "exact": np.stack(exact, axis=1),
        "first order": np.stack(linear, axis=1),
        "exponential": np.stack(curved, axis=1),
        "tli": overlap(p, v),
        "unigram": overlap(p, np.broadcast_to(mean, p.shape)),
        "document": np.asarray(bank.documents)[rows.numbers],
    }


def _counted(cell: Cell, rows: Rows) -> Values:
    counts = operations(cell["vocab"], cell["vocab"] // 4, 2)
    return {name: np.full(len(rows.numbers), float(n)) for name, n in counts._asdict().items()}


def linear_time(bank: Bank, vocab: int, contexts: int, kept_tokens: int, rows: int) -> Study:
    """Errors of the linear-time forms, acceptance over τ, and counted operations: cells of four kinds, by ``what``.

    Parameters
    ----------
    bank : Bank; with a draft and statistics
    vocab : tokens of the dense matrices
    contexts : of the bank
    kept_tokens : tokens that the pruned drafter keeps
    rows : synthetic replications
    """
    simulate: dict[str, Callable[[Cell, Rows], Values]] = {
        "rank one": lambda cell, rows: _rank_one(cell, rows),
        "real": partial(_real, bank),
        "acceptance": partial(_accepted, bank),
        "operations": lambda cell, rows: _counted(cell, rows),
    }
    grid = (
        {"what": "rank one", "vocab": vocab, "rows": rows},
        {"what": "real", "vocab": vocab, "rows": min(contexts, 40)},
        {"what": "acceptance", "kept": kept_tokens, "rows": contexts},
        *({"what": "operations", "vocab": size, "rows": 1} for size in _SIZES),
    )
    return Study(
        name="linear-time",
        question="How far is linear-time RDK from Algorithm 1, and at which temperatures is either useful?",
        grid=grid,
        simulate=lambda cell, rows, device: simulate[cell["what"]](cell, rows),
        summary="ℓ1 errors with their proved bounds, acceptance rates, operations",
        rows=max(rows, contexts),
    )


def _study(vocab: int = 256, contexts: int = 300, rows: int = 40, *, kept_tokens: int = 164) -> Study:
    bank = open_bank("wiki")
    return linear_time(bank, vocab, min(contexts, bank.contexts), kept_tokens, rows)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    """Yield the points of the picture: errors and bounds, acceptance over temperature, and operations."""
    exact, real, rates = (next(r for r in results if r.cell["what"] == w) for w in ("rank one", "real", "acceptance"))
    for i, t in enumerate(_TAUS):
        for at, form in enumerate(FORMS):
            for measure in ("error", "bound"):
                values = exact.values[measure][:, i, at]
                yield point("Ω = c pᵀ", f"{form.__name__}, {measure}", t, student(values, 0.95, 0))
        for measure in ("error", "bound"):
            values = real.values[measure][:, i]
            yield point("Ω real", f"first order, {measure}", t, documents(values, real.values["document"]))
    names = {"exact": "RDK", "first order": "first order", "exponential": "exponential"}
    document = rates.values["document"]
    for i, t in enumerate(_COOL):
        for name, series in names.items():
            if np.isfinite(rates.values[name][:, i]).all():
                yield point("acceptance", series, t, documents(rates.values[name][:, i], document))
        for name, series in {"tli": "TLI", "unigram": "unigram"}.items():
            yield point("acceptance", series, t, documents(rates.values[name], document))
    series_of = {"dense": "Algorithm 1", "drafted_rows": "drafted rows only", "first_order": "first order"}
    for result in results:
        if result.cell["what"] == "operations":
            for name, series in {**series_of, "affine": "affine", "normalised": "normalised"}.items():
                # operations are counted, not sampled: they have no interval
                yield Point("operations", series, float(result.cell["vocab"]), float(result.values[name][0]))


_LOOKS = {
    "affine": {"color": "#5E3C99", "marker": "v"},
    "normalised": {"color": "#009E73", "marker": "^"},
    "exponential": {"color": "#0072B2", "marker": "s"},
    "first order": {"color": "#E69F00", "marker": "d"},
    "Algorithm 1": {"color": "#D55E00", "marker": "D"},
    "drafted rows only": {"color": "#D55E00", "marker": "D", "linestyle": "--"},
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw two panels of errors with their bounds, one of acceptance rates and one of operations."""
    _errors(ax[0], rows.of("Ω = c pᵀ"), "Ω = c pᵀ exactly: error of the three forms")
    _errors(ax[1], rows.of("Ω real"), "Ω of real logits: error of the general form")
    _named(ax[2], rows.of("acceptance"))
    ax[2].set_xscale("log", base=2)
    ax[2].set_xlabel("temperature τ / max Ω")
    ax[2].set_ylabel("acceptance rate")
    ax[2].set_ylim(0)
    ax[2].set_title("real logits, 1 % of the tokens kept")
    _named(ax[3], rows.of("operations"))
    ax[3].set_xscale("log", base=2)
    ax[3].set_yscale("log")
    ax[3].set_xlabel("vocabulary V")
    ax[3].set_ylabel("operations of one step")
    ax[3].set_title("operations, counted")
    for axes in ax:
        marks.labelled(axes, 0.06)


def _named(axes: Any, rows: Points) -> None:
    for place, name in enumerate(rows.series()):
        marks.curve(axes, rows.of(series=name), place=place, **_LOOKS.get(name, {}))


def _errors(axes: Axes, rows: Points, title: str) -> None:
    """Draw errors (solid) and their proved bounds (dashed) over the temperature, with a τ⁻² guide."""
    for name in rows.series():
        form, what = name.split(", ")
        own = rows.of(series=name)
        if what == "error":
            marks.curve(axes, own, **{"label": form, "linestyle": "-", **_LOOKS[form]})
        else:
            look = {**_LOOKS[form], "marker": "", "linestyle": "--", "linewidth": 1}
            # Matplotlib leaves labels that begin with an underscore out of the legend
            marks.curve(axes, own, band=False, **{**look, "label": f"_{name}"})
    middle = sorted({p.x for p in rows})[len({p.x for p in rows}) // 2]
    top = max((p for p in rows if p.x == middle), key=lambda p: p.y)
    axes.annotate("proved bound", (top.x, top.y), xytext=(4, 4), textcoords="offset points", fontsize=8)
    x = [min(rows.column("x")) * 8, max(rows.column("x"))]
    least = min(rows.column("y")) / 20
    marks.guide(axes, x, [least * (x[1] / at) ** 2 for at in x])
    axes.annotate("τ⁻²", (x[0], least * (x[1] / x[0]) ** 2), color="0.35", fontsize=8, ha="right", va="top")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("temperature τ / max Ω")
    axes.set_ylabel("‖r̂ − Mᵀq′‖₁")
    axes.set_title(title)


LINEAR_TIME = Figure(
    name="rdk.linear-time",
    title="Linear-time RDK keeps its proved order τ⁻², but is a law only where it is nearly uniform",
    source="beyond the papers",
    study=_study,
    sizes={"quick": {"vocab": 32, "contexts": 4, "rows": 3, "kept_tokens": 20}, "deep": {"vocab": 384, "rows": 200}},
    compact=_compact,
    draw=_draw,
    data="Ω = p pᵀ of 256 Gaussian logits of scale 2; Ω the covariance of real logits (bank wiki) on its 256 commonest "
    "tokens, and, for acceptance, on all 16,384 with the drafter pruned to 164 by frequency; operations counted with a "
    "quarter of the tokens drafted and Ω of rank 2; τ in units of the largest entry of Ω (for the exponential form of π πᵀ, "
    "π the mean law)",
    intervals="95 % each: Student-t over replications, bootstrap over documents",
    claims=("rdk.taylor-order", "rdk.taylor-order-general", "rdk.linear-time"),
    shape=(2, 2),
    size=(10, 7.2),
)
