"""What `simspec texts` prints."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simspec.tools.texts.table import Measured

__all__ = ["DRAFTERS", "show", "show_recorded"]

DRAFTERS = {
    "corpus": "n-grams of the training outputs",
    "prompt": "n-grams of the input and of the text written so far",
    "mixed": "both, weighted by --mix",
}
"""Where each drafter's n-grams come from."""
WIDTH = 160


def _console() -> Any:
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else WIDTH)


def _print(console: Any, table: Any) -> None:
    """Print a table with its title and notes; columns that do not fit the console go below."""
    from rich.table import Table
    from rich.text import Text

    from simspec.engine.show.columns import print_fitting

    console.print()
    console.print(table.title, markup=False)
    listed = Table(box=None)
    for number, name in enumerate(table.columns):
        listed.add_column(name, justify="right" if number else "left")
    for cells in table.rows:
        listed.add_row(*map(Text, cells))
    print_fitting(console, listed)
    for note in table.notes:
        console.print(f"  {note}", markup=False, soft_wrap=True)


def show_recorded(tasks: Any) -> None:
    """Print every table of a record, and where its corpora come from."""
    from simspec.tools.texts.table import origins, tables

    console = _console()
    console.print("recorded measurements; ± half of the 95 % bootstrap interval over pairs")
    for table in tables(tasks):
        _print(console, table)
    console.print()
    for line in origins(tasks):
        console.print(line, markup=False, soft_wrap=True)


def _bigram_table(row: Any) -> Any:
    from rich.table import Table

    listed = Table(box=None, title="word bigrams", title_justify="left")
    for name in ("", "input", "output", "output against input"):
        listed.add_column(name, justify="right" if name else "left")
    for prefix, size in (("", "all"), ("equal ", "equal numbers")):
        v = {name: row.values[f"{prefix}{name}"] for name in ("input entropy", "output entropy", "entropy change")}
        cells = [_number(v["input entropy"], 2), _number(v["output entropy"], 2), _number(v["entropy change"], 1, "%")]
        listed.add_row(f"entropy, bits; {size}", *cells)
        v = {name: row.values[f"{prefix}{name}"] for name in ("input cover", "output cover", "cover ratio")}
        cells = [_number(v["input cover"], 0), _number(v["output cover"], 0), f"1 / {_number(v['cover ratio'], 2)}"]
        listed.add_row(f"cover 80 %; {size}", *cells)
    return listed


def show(measured: Measured) -> None:
    """Print what was measured on one corpus."""
    from simspec.studies.tasc.task_record import repeated
    from simspec.tools.texts.table import prediction_table, sampling_table

    console = _console()
    request = measured.request
    encoded = measured.encoded
    _print_bigrams(console, measured)
    console.print(
        (
            f"learnt from {len(encoded.train):,} outputs, tested on {len(encoded.outputs):,} outputs of other "
            f"inputs ({repeated(encoded):.0%} of them also occur in the training outputs), in {encoded.unit}"
        ),
        markup=False,
    )
    if measured.gains:
        console.print(f"n-gram drafts, {request.gamma} per target step, greedy match with held-out outputs")
        for name, i in measured.gains.items():
            console.print(f"  {name:<8}{_number(i, 2)} tokens per target step; {DRAFTERS[name]}")
    if measured.savings:
        console.print(f"added tokens (merge reward, n-grams up to {request.n_max})")
        for s in measured.savings:
            console.print(
                f"  {s.added:>6,}  outputs {_number(s.held_out, 2)} times shorter ({s.train:.2f} on the training "
                "outputs)"
            )
        console.print(
            "entropy of the held-out tokens / log of the vocabulary size, before -> after the tokens are added"
        )
        for s in measured.savings:
            sides = [f"{side}s {_number(b, 3)} -> {_number(a, 3)}" for side, (b, a) in s.entropy.items()]
            console.print(f"  {s.added:>6,}  {', '.join(sides) or '-'}")
    console.print("± half of the 95 % bootstrap interval over pairs")
    tasks = {measured.corpus.name: measured.entry}
    for table in (sampling_table(tasks), prediction_table(tasks)):
        if table.rows:
            _print(console, table)
    if request.renyi and not measured.entry["prediction"]["settings"]:
        console.print(
            "too few tokens can be added to measure how lengths change with them (three numbers of tokens are needed)"
        )


def _print_bigrams(console: Any, measured: Measured) -> None:
    """Print the title and the statistics of the bigrams, or why they cannot be counted."""
    from simspec.engine.show.columns import print_fitting

    title = f"{measured.corpus.source}: {len(measured.corpus.inputs):,} pairs"
    if measured.row is None:
        console.print(f"{title}; {measured.missing}", markup=False)
        return
    counts = ", ".join(f"{n:,} bigrams in the {side}s" for side, n in measured.row.bigrams.items())
    console.print(f"{title}, {counts}", markup=False)
    print_fitting(console, _bigram_table(measured.row))
    console.print(
        "  entropy: of the distribution of word bigrams; cover 80 %: number of different bigrams that "
        "make up 80 % of the occurrences"
    )
    console.print("  equal numbers: the longer side is thinned to as many bigrams as the shorter")


def _number(i: Any, digits: int, unit: str = "") -> str:
    if not math.isfinite(i.estimate):
        return "-"
    scale = 100 if unit == "%" else 1
    half = (i.high - i.low) / 2 * scale
    text = f"{i.estimate * scale:,.{digits}f}" + (f" ±{half:,.{digits}f}" if math.isfinite(half) else "")
    return f"{text} %" if unit else text
