"""How an advice is shown: in a terminal, as JSON, Markdown or a page of HTML, in a notebook, and as a picture."""

from __future__ import annotations

import json
import math
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.checks import needs
from simspec.engine.estimates.clusters import longer_side, too_few
from simspec.engine.estimates.intervals import Interval
from simspec.engine.show.picture import Picture
from simspec.html import Html, table, tag
from simspec.tools.advise.batches import BatchAdvice, numbers_of
from simspec.tools.advise.engines import engine_sentence, engines
from simspec.tools.advise.policies import policy_lines
from simspec.tools.advise.table import COLUMNS, COUNTED, Advice, Row, break_even
from simspec.tools.kinds import kind_facts, kind_sentence

if TYPE_CHECKING:
    from simspec.tools.advise.running import Checked

__all__ = [
    "advice_html",
    "batch_lines",
    "cell",
    "further_lines",
    "json_text",
    "markdown",
    "page",
    "picture",
    "plot_advice",
    "print_advice",
]


def cell(row: Row, name: str) -> str:
    """What the table shows of a row in a column of `COLUMNS`."""
    if name in ("independent", "lasting"):
        value = getattr(row, name)
        return "" if value is None else f"{value:.2f}"
    if name == "tv":
        return "lossless" if row.lossless else f"{row.tv.estimate:.3f}"
    if name == "pays from":
        return "never" if row.pays_from is None else "" if math.isnan(row.pays_from) else f"{row.pays_from:.2f}"
    if name in ("drafted", "levels"):
        value = getattr(row, name)
        return str(row.gamma if value is None else value)
    if name == "bits":
        return "" if row.bits is None else f"{row.bits.estimate:,.0f}"
    if name in ("T", "top_p"):
        return f"{row.temperature if name == 'T' else row.top_p:g}"
    if name in ("rule", "gamma"):
        return str(getattr(row, name))
    value = getattr(row, name)
    half = longer_side(value)
    digits = 2 if name in ("tokens", "speedup") else 3
    return f"{value.estimate:.{digits}f}" + (f" ±{half:.{digits}f}" if math.isfinite(half) else "")


def markdown(advice: Advice) -> str:
    """The table of a terminal and the sentence as Markdown."""
    names = advice.columns
    lines = [*_sentences(advice), "", "| " + " | ".join(names) + " |", "|---" * len(names) + "|"]
    lines += ["| " + " | ".join(cell(row, name) for name in names) + " |" for row in advice]
    if further := further_lines(advice):
        lines += ["", "```text", *"\n".join(further).strip("\n").split("\n"), "```"]
    return "\n".join(lines) + "\n"


def _sentences(advice: Advice) -> list[str]:
    """The advice, and the kind of text that it rests on where the source has both."""
    sentence = kind_sentence(advice.kind)
    return [advice.sentence(), *([sentence] if sentence else [])]


def further_lines(advice: Advice) -> list[str]:
    """What stands below the advice: at the counted cost, by batch size and load, and by policy, where there are these."""
    counted = advice.counted_sentence()
    lines = [f"\n{counted}"] if counted else []
    lines += [] if advice.batches is None else batch_lines(advice.batches)
    return lines + (policy_lines(advice.policies, advice.policy_rule) if advice.policies else [])


def page(advice: Advice) -> str:
    """The same as a page of HTML."""
    head = Html('<!doctype html><meta charset="utf-8">')
    return f"{head}{tag('title', advice.source)}{advice_html(advice)}\n"


def advice_html(advice: Advice) -> Html:
    """What a notebook shows: the sentence, the table, and what its columns mean."""
    lines = [[cell(row, name) for name in advice.columns] for row in advice]
    meanings = (tag("div", f"{name}: {COLUMNS[name]}") for name in advice.columns)
    further = "\n".join(further_lines(advice)).strip("\n")
    below = [tag("pre", further)] if further else []
    return tag(
        "div", *(tag("p", sentence) for sentence in _sentences(advice)), table(advice.columns, lines), *meanings, *below
    )


def plot_advice(advice: Advice) -> Picture:
    """Speed against drafts a call, as `simspec advise --plot` draws it."""
    return Picture(picture(advice), f"advice for {advice.source}")


def picture(advice: Advice) -> Any:
    """Figure: speed against drafts a call; the best number of drafts is marked, with the interval of its speed.

    >>> from simspec.tools.advise import Plan, advise
    >>> from simspec.tools.reading import Pairs
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> picture(advise(half, Plan(rules=("sd",)))).axes[0].get_xlabel()
    'draft tokens per target step'
    """
    (mpl,) = needs("drawing", "matplotlib.figure")

    from simspec.engine.show.plots import COLOURS

    drawn = mpl.Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = drawn.subplots()
    for at, row in enumerate(advice.first):
        colour = COLOURS[at % len(COLOURS)]
        line = "-" if row.lossless else "--"
        axes.plot(advice.gammas, row.speeds, line, color=colour, lw=1.2, label=row.rule)
        ends = [[row.speedup.estimate - row.speedup.low], [row.speedup.high - row.speedup.estimate]]
        bars = ends if np.isfinite(ends).all() else None
        axes.errorbar(row.gamma, row.speedup.estimate, bars, fmt="o", color=colour, ms=4, lw=1)
    axes.axhline(1, color="0.4", lw=0.8, ls=":")
    axes.set_xlabel("draft tokens per target step")
    axes.set_ylabel("speed-up over the target alone")
    axes.set_title(f"{advice.source}: cost {advice.cost:g}; a dashed line marks a lossy rule", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    drawn.legend(loc="outside right center", fontsize=8, frameon=False)
    return drawn


def json_text(advice: Advice, run: Checked | None = None, models: Sequence[str] = ()) -> str:
    """The rows, the advice and the commands of engines as JSON; where the rule was run, what was counted beside it.

    Parameters
    ----------
    advice : Advice
    run : Checked, optional
    models : names of target and draft, which the commands of engines take, or none
    """
    snippets = engines(advice, *models)
    facts: dict[str, Any] = {
        "source": advice.source,
        **kind_facts(advice.kind),
        "contexts": advice.contexts,
        "documents": advice.documents,
        "cost": advice.cost,
        "cost_range": advice.cost_range,
        "advice": advice.sentence(),
        "without_intervals": too_few(advice.documents, "document", advice[0].speedup.level),
        "rows": advice.records(),
        "engine": engine_sentence(advice, snippets, *models[1:]),
        "engines": [snippet._asdict() for snippet in snippets],
    }
    if advice.counted_cost is not None:
        facts["counted"] = {"cost": advice.counted_cost, "advice": advice.counted_sentence()}
    if advice.one_hot is not None:
        facts["one_hot"] = {"sentence": advice.one_hot.sentence(), **numbers_of(advice.one_hot)}
    if advice.policies:
        facts["policies"] = {"rule": advice.policy_rule, "rows": [numbers_of(row) for row in advice.policies]}
    if advice.batches is not None:
        facts["batches"] = advice.batches.plain()
    if run is not None:
        facts["run"] = run.plain()
    return json.dumps(facts, indent=1) + "\n"


def print_advice(advice: Advice, cost: float, verify: float, models: Sequence[str] = ()) -> None:
    """The table as `simspec advise` prints it, the advice, and what each engine is told.

    Parameters
    ----------
    advice : Advice
    cost, verify : time of a draft, and of verifying it, over that of a target step
    models : names of target and draft, or none
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from simspec.engine.show.columns import print_fitting

    console = Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else 160)
    documents = f"{advice.documents:,} document{'s' if advice.documents != 1 else ''}"
    title = f"{advice.source}: {advice.contexts:,} contexts of {documents}"
    listed = Table(title=Text(title, "table.title"), box=None)
    for name in advice.columns:
        listed.add_column(name, justify="left" if name == "rule" else "right")
    for row in advice:
        listed.add_row(*(Text(cell(row, name)) for name in advice.columns))
    print_fitting(console, listed, "--json -")
    lines = [
        *_notes(advice, cost, verify),
        "",
        *_sentences(advice),
        *further_lines(advice),
        *_commands(advice, models),
    ]
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def batch_lines(batches: BatchAdvice) -> list[str]:
    """The advice by batch size and by load as `simspec advise --steps` prints it."""
    fixed = batches.rows[0].fixed_gamma
    names = ["batch", "drafts", "tokens", "speed-up", f"with {fixed} everywhere", "tokens/s", "alone", "pays from"]
    widths = (6, 6, 6, 20, 20, 10, 10, 9)
    lines = [f"\n{batches.sentence()}", _aligned(names, widths)]
    for row in batches.rows:
        needed = "never" if row.pays_from is None else f"{row.pays_from:.2f}"
        speeds = [_range(row.speedup), _range(row.fixed), f"{row.goodput:,.1f}", f"{row.alone:,.1f}"]
        cells = [str(row.batch), str(row.gamma), f"{row.tokens.estimate:.2f}", *speeds, needed]
        lines.append(_aligned(cells, widths))
    if not batches.has_spread:
        lines.append("  some times have fewer than 6 repetitions, so their spread is not in these intervals")
    names = ["load, tokens/s", "drafts", "batch", "ms/token", "batch alone", "ms/token alone"]
    widths_of_loads = (14, 6, 8, 8, 11, 14)
    lines.append(_aligned(names, widths_of_loads))
    for load in batches.loads:
        sizes = [load.batch, load.milliseconds, load.alone_batch, load.alone_milliseconds]
        texts = [f"{size:.1f}" if math.isfinite(size) else "too slow" for size in sizes]
        drafts = "-" if load.gamma is None else str(load.gamma)
        lines.append(_aligned([f"{load.load:,.1f}", drafts, *texts], widths_of_loads))
    return lines


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """A line of a table of text, aligned to the right."""
    return "  " + "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _range(interval: Interval) -> str:
    """A speed with its interval, where it has one."""
    if math.isnan(interval.low) or interval.low == interval.high:
        return f"{interval.estimate:.2f}"
    return f"{interval.estimate:.2f} ({interval.low:.2f} to {interval.high:.2f})"


def _notes(advice: Advice, cost: float, verify: float) -> list[str]:
    """What the columns mean, and what the numbers were measured on."""
    lines = [f"  {name}: {COLUMNS[name]}" for name in advice.columns]
    costs = (
        f"a draft step costs {cost:.3g} target steps, verifying a draft token {verify:.3g}"
        if cost
        else f"verifying a draft token costs {verify:.3g} target steps, drafting it nothing beyond that"
    )
    lines.append(f"  {costs}; {_interval(advice)}")
    if advice.cost_range is not None:
        low, high = advice.cost_range
        lines.append(
            f"  by the spread of the timed steps both cost {low:.3g} to {high:.3g} together; the interval of the speed-up "
            "allows for it"
        )
    if advice.counted_cost is not None:
        lines.append(
            f"  {COUNTED.lower()}: a draft step costs {advice.counted_cost:.3g} target steps, by the bytes of weights that it "
            "reads; models are timed here in float32, whatever their bits"
        )
    for place in advice.places:
        alpha = place.acceptance
        half = longer_side(alpha)
        interval = f" ±{half:.3f}" if math.isfinite(half) else ""
        where = f"{advice[0].rule} at positions {place.first} to {place.last}"
        lines.append(f"  {where}: {alpha.estimate:.3f}{interval}")
    if advice.one_hot is not None:
        lines.append(f"  {advice.one_hot.sentence()}")
    if advice.adjacent < 0.5:
        share = f"{advice.adjacent:.0%} of the contexts follow their neighbour in the text"
        lines.append(f"  correlation between steps cannot be measured here ({share});")
        lines.append(
            "  if neighbouring distributions are similar, the mean acceptance length lies between `lasting` "
            "and `independent`"
        )
    needed = break_even(1, advice.cost)
    condition = "pays at no acceptance rate" if needed is None else f"pays at acceptance rates of {needed:.2f} or more"
    lines.append(f"  one draft token per target step {condition}")
    return lines


def _commands(advice: Advice, models: Sequence[str]) -> list[str]:
    """What each engine is told, with a line before it where the models have no names."""
    snippets = engines(advice, *models)
    lines = [f"\n{sentence}"] if (sentence := engine_sentence(advice, snippets, *models[1:])) else []
    if any(snippet.command for snippet in snippets) and not models:
        lines.append("\nTARGET and DRAFT stand for your models: Hugging Face ids or folders.")
    lines += [f"\n{snippet.engine}\n{textwrap.indent(snippet.text, '  ')}" for snippet in snippets]
    return lines


def _interval(advice: Advice) -> str:
    """What the intervals are over, or why there are none."""
    unit = "document" if advice.documents < advice.contexts else "row"
    level = advice[0].speedup.level
    over = f"± the longer side of the {level:.0%} interval over {advice.documents:,} {unit}s"
    return too_few(advice.documents, unit, level) or over
