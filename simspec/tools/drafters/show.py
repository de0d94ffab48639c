"""How a comparison of drafts, and of policies, is shown: in a terminal, as JSON, and as HTML in a notebook."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simspec.engine.estimates.clusters import longer_side, too_few
from simspec.engine.estimates.intervals import Interval
from simspec.html import Html, table, tag
from simspec.html.escaping import escaped
from simspec.tools.drafters.table import POLICY_COLUMNS, Difference, DraftsTable, PoliciesTable
from simspec.tools.kinds import kind_facts, kind_sentence
from simspec.tools.rates.show import cell_text, clusters_of, count_text, interval_text, plain_interval
from simspec.tools.rates.table import COLUMNS

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["best_sentence", "drafts_html", "json_text", "policies_html", "print_drafts", "print_policies"]

DRAFT_COLUMNS = ("acceptance", "tv", "tokens", "speedup", "bits")
"""What is shown of each draft; JSON has all columns of `simspec rates`."""
SMALLEST = 0.0005
"""Values below are shown as 0.000."""
SURE = 0.9999
"""Levels above are not told apart: the tails of intervals over documents are not known so far out."""


def best_sentence(rows: DraftsTable) -> str:
    """Which draft leads, and how sure that is.

    >>> from simspec.tools.drafters import draft_rates
    >>> import numpy as np
    >>> even = np.full((6, 2), 0.5)
    >>> drafts = {"even": even, "sure": np.array([[1.0, 0.0]] * 6)}
    >>> best_sentence(draft_rates({"p": even}, drafts)).partition(":")[0]
    'even is accepted most often'
    """
    beginning = f"{escaped(rows.best)} is accepted most often"
    if rows.confidence is None:
        return f"{beginning}; {too_few(*clusters_of(rows.comparison.pairs))}"
    if rows.confidence == 0:
        return f"{beginning}; the intervals put it above every other draft at no level"
    level = f"above {SURE:.2%}" if rows.confidence > SURE else f"of {rows.confidence:.1%}"
    return f"{beginning}: the intervals put it above every other draft up to a level {level}"


def _draft_columns(rows: DraftsTable) -> list[str]:
    """Columns of `DRAFT_COLUMNS` in which some draft has a value that is not shown as 0."""
    estimates = {name: [value.estimate for row in rows if (value := row.values[name])] for name in DRAFT_COLUMNS}
    return [name for name, values in estimates.items() if any(abs(value) >= SMALLEST for value in values)]


def _title(rows: DraftsTable) -> str:
    comparison = rows.comparison
    count, vocab = comparison.pairs.p.shape
    source = escaped(comparison.pairs.source)
    contexts = f"{count_text(count, 'context')} over {count_text(vocab, 'token')}"
    return f"{source}: {count_text(len(rows), 'draft')} on {contexts}, rule {escaped(comparison.rule)}"


def _ends(value: Interval) -> str:
    return f"[{value.low:+.4f}, {value.high:+.4f}]"


def print_drafts(rows: DraftsTable, gamma: int, cost: float) -> None:
    """The tables as `simspec rates --drafts` prints them: each draft's rates, all differences, and which draft leads."""
    from rich.table import Table
    from rich.text import Text

    from simspec.engine.show.columns import print_fitting

    console = _console()
    listed = Table(title=Text(_title(rows), "table.title"), box=None)  # brackets of a name are no markup
    names = _draft_columns(rows)
    listed.add_column("draft")
    for name in names:
        listed.add_column(name, justify="right")
    for row in rows:
        listed.add_row(Text(escaped(row.name)), *(cell_text(row.values[name], name) for name in names))
    print_fitting(console, listed)
    for name in names:
        console.print(f"  {name}: {COLUMNS[name]}", soft_wrap=True)
    count, noun = clusters_of(rows.comparison.pairs)
    level = rows.differences[0].interval.level
    interval = f"± the longer side of the {level:.0%} interval over {count_text(count, noun)}"
    console.print(f"  γ = {gamma}, cost = {cost:g}; {too_few(count, noun) or interval}", soft_wrap=True)
    if sentence := kind_sentence(rows.comparison.pairs.kind):
        console.print(f"  {sentence}", soft_wrap=True)
    console.print()
    _print_differences(console, rows.differences, has_intervals=not too_few(count, noun))
    console.print(best_sentence(rows), soft_wrap=True, markup=False)


def _print_differences(console: Console, differences: Sequence[Difference], *, has_intervals: bool) -> None:
    """A row for each pair of drafts."""
    from rich.table import Table
    from rich.text import Text

    from simspec.engine.show.columns import print_fitting

    level = f", intervals that hold together at {differences[0].interval.level:.0%}" if has_intervals else ""
    listed = Table(title=Text(f"paired differences of acceptance{level}", "table.title"), box=None)
    listed.add_column("drafts")
    listed.add_column("difference", justify="right")
    if has_intervals:
        listed.add_column("interval", justify="right")
    for first, second, interval in differences:
        cells = [f"{interval.estimate:+.4f}", *([_ends(interval)] if has_intervals else [])]
        listed.add_row(Text(f"{escaped(first)} − {escaped(second)}"), *cells)
    print_fitting(console, listed)


def _console() -> Console:
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else 160)


def print_policies(rows: PoliciesTable) -> None:
    """The table as `simspec rates --drafts … --policy` prints it, and under it what the columns mean."""
    from rich.table import Table
    from rich.text import Text

    from simspec.engine.show.columns import print_fitting

    console = _console()
    listed = Table(title=Text("policies that choose a draft at each context", "table.title"), box=None)
    listed.add_column("policy")
    listed.add_column("reads")
    for name in POLICY_COLUMNS:
        listed.add_column(name, justify="right")
    for row in rows:
        cells = (_policy_cell(getattr(row, name)) for name in POLICY_COLUMNS)
        listed.add_row(Text(escaped(row.policy)), _reads(row.is_full), *cells)
    print_fitting(console, listed)
    for name, meaning in POLICY_COLUMNS.items():
        console.print(f"  {name}: {meaning}")
    console.print(f"  {_orders(rows)}", soft_wrap=True)


def _policy_cell(value: Interval) -> str:
    """Estimate and the longer side of its interval, to four decimals: regret is small beside acceptance."""
    return f"{value.estimate:.4f} ±{longer_side(value):.4f}"


def _reads(is_full: bool) -> str:
    return "all drafts" if is_full else "its own draft"


def _orders(rows: PoliciesTable) -> str:
    """What the intervals of policies are over."""
    level = rows[0].acceptance.level
    documents = count_text(*clusters_of(rows.drafts.comparison.pairs))
    orders = count_text(rows.orders, "order")
    return f"± the interval at {level:.0%}, all together, over {orders} of {documents} (seed {rows.seed})"


def json_text(rows: DraftsTable, policies: PoliciesTable | None = None) -> str:
    """Drafts, differences, the draft that leads and policies as JSON.

    >>> from simspec.tools.drafters import draft_rates
    >>> table = draft_rates({"p": [[0.5, 0.5]]}, {"sure": [[1, 0]], "even": [[0.5, 0.5]]})
    >>> json.loads(json_text(table))["differences"]
    [{'first': 'sure', 'second': 'even', 'estimate': -0.5, 'interval': [None, None]}]
    """
    facts: dict[str, Any] = {
        "source": rows.comparison.pairs.source,
        **kind_facts(rows.comparison.pairs.kind),
        "rule": rows.comparison.rule,
        "drafts": [
            {"draft": row.name} | {name: plain_interval(value) for name, value in row.values.items()} for row in rows
        ],
        "differences": [
            {"first": first, "second": second, **(plain_interval(interval) or {})}
            for first, second, interval in rows.differences
        ],
        "best": rows.best,
        "confidence": rows.confidence,
    }
    if policies is not None:
        facts |= {
            "policies": [
                {"policy": row.policy, "reads_all_drafts": row.is_full}
                | {name: plain_interval(getattr(row, name)) for name in POLICY_COLUMNS}
                for row in policies
            ],
            "orders": policies.orders,
            "seed": policies.seed,
        }
    return json.dumps(facts, indent=1)


def drafts_html(rows: DraftsTable) -> Html:
    """What a notebook shows: the drafts with intervals, all differences, and which draft leads."""
    names = _draft_columns(rows)
    lines = [[escaped(row.name), *(interval_text(row.values[name]) for name in names)] for row in rows]
    differences = [
        [f"{escaped(first)} − {escaped(second)}", interval_text(interval)]
        for first, second, interval in rows.differences
    ]
    meanings = (tag("div", f"{name}: {COLUMNS[name]}") for name in names)
    return tag(
        "div",
        tag("div", _title(rows)),
        table(["draft", *names], lines),
        *meanings,
        table(["drafts", "paired difference of acceptance"], differences),
        tag("div", best_sentence(rows)),
        *([tag("div", sentence)] if (sentence := kind_sentence(rows.comparison.pairs.kind)) else []),
    )


def policies_html(rows: PoliciesTable) -> Html:
    """What a notebook shows: the policies with acceptance and regret."""
    lines = [
        [escaped(row.policy), _reads(row.is_full), *(interval_text(getattr(row, name)) for name in POLICY_COLUMNS)]
        for row in rows
    ]
    meanings = (tag("div", f"{name}: {meaning}") for name, meaning in POLICY_COLUMNS.items())
    return tag("div", table(["policy", "reads", *POLICY_COLUMNS], lines), *meanings, tag("div", _orders(rows)))
