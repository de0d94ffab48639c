"""A picture of one step of a method: what its three maps make of two laws, token by token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from simspec.html import COLOURS, Html, Shown, bars, columns, entry, table, tag
from simspec.laws import Array, exact, unchecked
from simspec.laws.arrays import shape
from simspec.laws.showing import legend, names_of
from simspec.methods.method import Method, one_step

__all__ = ["method_html", "show_step"]

ACCEPTED = COLOURS[2]
REJECTED = COLOURS[1]
REDRAWN = COLOURS[0]
SIZES = (4, 2, 3, *range(5, 17), 1)
"""Tokens of the examples that are tried: a method may be made for one vocabulary."""
ROUNDING = 1e-12
"""A total variation of floats that is not worth showing."""
HEAD = ("token", "target p", "draft q", "drawn d", "kept k", "rejected", "redrawn", "emitted")


def show_step(method: Method, p: Array, q: Array, labels: Sequence[str] | None = None) -> Shown:
    """One step on two laws: mass drawn, kept, rejected and redrawn of each token, and what is emitted.

    Parameters
    ----------
    method : Method
    p, q : laws (V,); target law and draft law
    labels : V texts, optional; what the tokens are called

    Raises ValueError as `simspec.methods.output_law`, and for a batch of laws.

    >>> from simspec.laws import exact
    >>> from simspec.methods import SD
    >>> show_step(SD, exact(np.array([0.5, 0.5])), exact(np.array([0.75, 0.25])), labels=["yes", "no"])
    token  target p  draft q  drawn d  kept k  rejected  redrawn  emitted
    yes         1/2      3/4      3/4     1/2       1/4        0      1/2
    no          1/2      1/4      1/4     1/4         0      1/4      1/2
    accepted 3/4; total variation of what is emitted from the target 0
    """
    step = one_step(method, p, q)
    if step.target.ndim != 1 or step.reported.ndim != 1:
        raise ValueError(f"p: shape {shape(p)}; expected one law, (V,): choose a row")
    alpha = step.accepted.sum()
    emitted = step.output
    rejected = np.maximum(step.reported - step.accepted, 0)  # rounding can go below
    redrawn = np.maximum((1 - alpha) * step.residual, 0)
    parts = (step.target, np.asarray(q), step.reported, step.accepted, rejected, redrawn, emitted)
    lines = [
        [token, *map(entry, masses)] for token, *masses in zip(names_of(labels, len(emitted)), *parts, strict=True)
    ]
    largest = max(float(x.max()) for x in (step.target, step.reported, emitted))
    bar_cells = [
        bars([[(k, ACCEPTED), (lost, REJECTED)], [(k, ACCEPTED), (redrawn_mass, REDRAWN)]], largest, mark=target_mass)
        for target_mass, k, lost, redrawn_mass in zip(step.target, step.accepted, rejected, redrawn, strict=True)
    ]
    summary = (
        f"accepted {entry(alpha)}; total variation of what is emitted from the target {_distance(emitted, step.target)}"
    )
    key = [
        (ACCEPTED, "kept"),
        (REJECTED, "rejected (above: what is drawn)"),
        (REDRAWN, "redrawn (below: what is emitted)"),
    ]
    page = tag(
        "div",
        table([*HEAD, ""], [[*line, bar] for line, bar in zip(lines, bar_cells, strict=True)]),
        legend([*key, ("currentColor", "the line: target")]),
        tag("div", summary),
    )
    return Shown(f"{columns(HEAD, lines)}\n{summary}", page)


def _distance(a: Array, b: Array) -> str:
    tv = unchecked.tv(a, b)
    return entry(tv) if tv == 0 or tv > ROUNDING else "0 to rounding"


def _examples() -> Iterator[tuple[Array, Array]]:
    """Laws of several sizes, first as fractions, then as floats: p falls linearly, q is p moved on by one token."""
    for kind in (exact, lambda x: x.astype(np.float64)):
        for vocab in SIZES:
            p = np.array([Fraction(2 * (vocab - n), vocab * (vocab + 1)) for n in range(vocab)])
            yield kind(p), kind(np.roll(p, 1))


def method_html(method: Method) -> Html:
    """What a notebook shows of a method: its maps on the first example that they apply to."""
    for p, q in _examples():
        try:
            step_view = show_step(method, p, q)
        except (ValueError, TypeError, ArithmeticError, AttributeError, LookupError):
            continue
        return tag("div", tag("b", method), " propose, accept and residual on an example", Html(step_view.html))
    return tag(
        "div",
        tag("b", method),
        " its maps apply to none of the examples; simspec.methods.show_step(method, p, q) shows yours",
    )
