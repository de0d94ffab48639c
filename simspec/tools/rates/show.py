"""How a table of rates is shown: in a terminal, as JSON, as HTML in a notebook, and as a picture."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from simspec.checks import needs
from simspec.engine.estimates.clusters import longer_side, too_few
from simspec.engine.estimates.estimators import Conditional, estimator_name
from simspec.engine.estimates.intervals import Interval
from simspec.engine.estimates.stopping import ONE_LOOK
from simspec.engine.show.picture import Picture
from simspec.html import Html, number, table, tag
from simspec.laws import overlap
from simspec.tools.kinds import kind_facts, kind_sentence
from simspec.tools.rates.table import Rates, RatesTable, meanings_of, shown_columns
from simspec.tools.reading import Pairs

__all__ = [
    "ESTIMATOR",
    "cell_text",
    "clusters_of",
    "count_text",
    "estimator_lines",
    "interval_text",
    "picture",
    "plain",
    "plain_interval",
    "plot_rates",
    "print_rates",
    "rates_html",
    "without_intervals",
]


ESTIMATOR = estimator_name(Conditional())
"""Estimator of every mean: no draft is drawn, as the pair of distributions says what drawing gives on average."""


def rates_html(rows: RatesTable) -> Html:
    """What a notebook shows: the table, each value with its interval, and what the columns mean."""
    names = shown_columns(rows)
    lines = [[row.rule, *(interval_text(row.values[name]) for name in names)] for row in rows]
    sentence = kind_sentence(rows.pairs.kind)
    lines_below = [*meanings_of(rows, names), *estimator_lines(rows), *([sentence] if sentence else [])]
    below = (tag("div", line) for line in lines_below)
    return tag("div", tag("div", repr(rows)), table(["rule", *names], lines), *below)


def interval_text(value: Interval | None) -> str:
    """Estimate and the ends of its interval, as a notebook shows them; empty where there is no value.

    >>> interval_text(Interval(0.5, 0.25, 0.75, 0.95))
    '0.5 [0.25, 0.75]'
    """
    if value is None:
        return ""
    ends = f" [{number(value.low)}, {number(value.high)}]" if np.isfinite(value[1:3]).all() else ""
    return ("∞" if np.isinf(value.estimate) else number(value.estimate)) + ends


def plot_rates(rows: RatesTable) -> Picture:
    """Acceptance against bias, as `simspec rates --plot` draws it."""
    return Picture(picture(rows, rows.pairs), f"rates of {rows.pairs.source}")


def picture(rows: Sequence[Rates], pairs: Pairs) -> Any:
    r"""Figure: acceptance against bias, with the best that any rule can do on drafts from q.

    The line is :math:`\alpha = \sum_x \min(p_x, q_x) + \mathrm{TV}` (claim ``ears.best-tradeoff``); rules that draft
    from another law than q can lie on either side of it.

    >>> from simspec.tools.rates import rates
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> picture(rates(half, ["sd"]), half).axes[0].get_xlabel()
    'total variation from the target'
    """
    (mpl,) = needs("drawing", "matplotlib.figure")

    from simspec.engine.show.plots import COLOURS

    drawn = mpl.Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = drawn.subplots()
    parts = [np.asarray(overlap(pairs.p[rows], pairs.q[rows]), dtype=np.float64) for rows in pairs.parts()]
    base = float(np.concatenate(parts).mean())
    reach = max([row.values["tv"].estimate for row in rows if row.values["tv"]] + [0.05]) * 1.15
    ends = [0, min(reach, 1 - base), reach], [base, min(1.0, base + reach), min(1.0, base + reach)]
    axes.plot(*ends, color="0.4", linestyle="--", linewidth=1, label="best on drafts from q")
    for at, row in enumerate(rows):
        x = row.values["tv"]
        y = row.values["acceptance"]
        if x is None or y is None:
            continue
        colour = COLOURS[at % len(COLOURS)]
        marker = "osD^vP*X"[at % 8]
        size = max(3.0, 9 - at)  # smaller above larger: rules at one place are all seen
        axes.errorbar(
            x.estimate, y.estimate, _bars(y), _bars(x), fmt=marker, color=colour, label=row.rule, ms=size, lw=1
        )
    axes.set_xlabel("total variation from the target")
    axes.set_ylabel("acceptance")
    axes.set_title(
        f"{pairs.source}: {len(pairs.p)} pair{'s' if len(pairs.p) != 1 else ''} of distributions", fontsize=9
    )
    axes.spines[["top", "right"]].set_visible(False)
    drawn.legend(loc="outside right center", fontsize=8, frameon=False)
    return drawn


def _bars(value: Interval) -> Any:
    ends = [[value.estimate - value.low], [value.high - value.estimate]]
    return ends if np.isfinite(ends).all() else None


def plain(row: Rates, pairs: Pairs) -> dict[str, Any]:
    """A row for JSON: what is no number is None, and an infinite one the text "inf".

    Beside the quantities: which estimator their means are of, what that saved for the acceptance, what the intervals promise
    (None where there are none) and over how many documents or rows they are; of a source with both kinds of text, which was read.
    """
    measured = {name: plain_interval(mean) for name, mean in row.values.items()}
    count, noun = clusters_of(pairs)
    valid = None if without_intervals(pairs) else ONE_LOOK
    estimator = {"estimator": ESTIMATOR, "saving": row.saving, "valid": valid, "interval_over": {noun: count}}
    return {"rule": row.rule} | kind_facts(pairs.kind) | measured | estimator


def plain_interval(value: Interval | None) -> dict[str, Any] | None:
    """An interval for JSON.

    >>> plain_interval(Interval(float("inf"), float("nan"), float("inf"), 0.95))
    {'estimate': 'inf', 'interval': [None, 'inf']}
    """

    def plain_number(x: float) -> float | str | None:
        return None if math.isnan(x) else x if math.isfinite(x) else "inf"

    if value is None:
        return None
    return {"estimate": plain_number(value.estimate), "interval": [plain_number(value.low), plain_number(value.high)]}


def print_rates(rows: RatesTable, gamma: int, cost: float) -> None:
    """The table as `simspec rates` prints it, and under it what the columns mean."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from simspec.engine.show.columns import print_fitting

    pairs = rows.pairs
    count, vocab = pairs.p.shape
    title = f"{pairs.source}: {count_text(count, 'pair')} of distributions over {count_text(vocab, 'token')}"
    listed = Table(title=Text(title, "table.title"), box=None)  # brackets of a name are no markup
    names = shown_columns(rows)
    listed.add_column("rule")
    for name in names:
        listed.add_column(name, justify="right")
    for row in rows:
        listed.add_row(Text(row.rule), *(cell_text(row.values[name], name) for name in names))
    console = Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else 160)
    print_fitting(console, listed)
    for meaning in meanings_of(rows, names):
        console.print(f"  {meaning}")
    units, noun = clusters_of(pairs)
    tv = rows[0].values["tv"]
    assert tv is not None  # every rule has one
    interval = f"± the longer side of the {tv.level:.0%} interval over {count_text(units, noun)}"
    console.print(f"  γ = {gamma}, cost = {cost:g}; {without_intervals(pairs) or interval}", soft_wrap=True)
    for line in estimator_lines(rows):
        console.print(f"  {line}", soft_wrap=True)
    if sentence := kind_sentence(pairs.kind):
        console.print(f"  {sentence}", soft_wrap=True)


def estimator_lines(rows: RatesTable) -> list[str]:
    """Which estimator the means are of and what that saved, and, where there are intervals, for which laws they are valid.

    >>> from simspec.tools.rates import rates
    >>> rows = rates({"p": [[0.5, 0.5], [1.0, 0.0]], "q": [[0.75, 0.25], [0.25, 0.75]]}, ["sd"])
    >>> for line in estimator_lines(rows):
    ...     print(line)
    estimator: conditional expectation, exact for each pair of distributions
    saves: for acceptance, pairs with a single draw that one pair is worth: sd 2.5
    """
    lines = [f"estimator: {ESTIMATOR}, exact for each pair of distributions"]
    savings = [f"{row.rule} {row.saving:,.{0 if row.saving >= 10 else 1}f}" for row in rows if row.saving is not None]
    if savings:
        lines.append(f"saves: for acceptance, pairs with a single draw that one pair is worth: {', '.join(savings)}")
    else:
        lines.append("saves: not measured: one document or row, or all accept as much")
    if not without_intervals(rows.pairs):
        count, noun = clusters_of(rows.pairs)
        clusters = count_text(count, noun)
        lines.append(f"valid: {ONE_LOOK}: at these {clusters} only, in the limit of many {noun}s; not for every law")
    return lines


def without_intervals(pairs: Pairs) -> str:
    """Why the rows have no intervals; empty where they have."""
    return too_few(*clusters_of(pairs))


def clusters_of(pairs: Pairs) -> tuple[int, str]:
    """How many clusters the intervals are over, and what they are.

    >>> half = np.full((2, 2), 0.5)
    >>> clusters_of(Pairs(half, half, np.array([0, 0]), "by hand"))
    (1, 'document')
    """
    units = len(np.unique(pairs.document))
    return units, "row" if units == len(pairs.p) else "document"


def count_text(number_of: int, name: str) -> str:
    """A number of things in words.

    >>> count_text(1, "row"), count_text(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{number_of:,} {name}{'s' if number_of != 1 else ''}"


def cell_text(value: Interval | None, name: str) -> str:
    """Estimate and the longer side of its interval, as a terminal shows them in a column of this name.

    >>> cell_text(Interval(0.5, 0.25, 0.625, 0.95), "acceptance"), cell_text(Interval(0.5, 0.25, 0.625, 0.95), "bits")
    ('0.500 ±0.250', '0.5 ±0.2')
    """
    if value is None:
        return ""
    digits = 1 if name == "bits" else 3
    text = f"{value.estimate:.{digits}f}" if math.isfinite(value.estimate) else "inf"
    text = text.removeprefix("-") if float(text) == 0 else text
    half = longer_side(value)
    return text if not math.isfinite(half) else f"{text} ±{half:.{digits}f}"
