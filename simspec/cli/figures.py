"""`simspec figures`: draw the gallery from its stored rows, or simulate the rows again."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["add_arguments", "run"]

_FORMATS = ("svg", "png", "pdf")


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    p.add_argument(
        "names", nargs="*", metavar="NAME", help="figures (rdk.pruning) or papers (rdk) to draw (default: all)"
    )
    p.add_argument("--list", action="store_true", help="list the figures and their parameters, and exit")
    p.add_argument("--rerun", action="store_true", help="simulate the rows again before drawing")
    p.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PARAMETER=VALUE",
        help=(
            "simulate with another value of a parameter of the figure's study, such as vocab=150000; may be repeated"
        ),
    )
    p.add_argument(
        "--effort",
        choices=("quick", "default", "deep"),
        default="default",
        help="how many rows to simulate with --rerun or --set (default: default)",
    )
    p.add_argument("--seed", type=int, default=0, metavar="N", help="seed of a simulation (default 0)")
    p.add_argument(
        "--out",
        type=Path,
        default=Path("report/figures"),
        metavar="DIR",
        help="folder to write to (default report/figures)",
    )
    p.add_argument(
        "--format",
        default="svg,png",
        metavar="LIST",
        help="comma-separated formats from svg, png and pdf (default svg,png)",
    )


def run(args: argparse.Namespace) -> int:
    """Draw, and simulate before that where it is asked for."""
    from rich.console import Console
    from rich.progress import Progress

    from simspec.checks import nearest
    from simspec.engine.show.plots import save
    from simspec.figures.gallery import find, picture, rerun, root, store, stored, suffix
    from simspec.figures.parameters import in_words, read_values
    from simspec.files import write_text

    chosen_figures = find(args.names)
    if args.list:
        _list(chosen_figures)
        return 0
    formats = args.format.split(",")
    if wrong := [name for name in formats if name not in _FORMATS]:
        raise ValueError(f"--format: {wrong[0]!r}{nearest(wrong[0], _FORMATS)}; expected some of {', '.join(_FORMATS)}")
    values = {figure.name: read_values(figure, args.set) for figure in chosen_figures}
    with Progress(console=Console(stderr=True), transient=True) as progress_bar:
        drawing_task = progress_bar.add_task("drawing", total=len(chosen_figures))
        for figure in chosen_figures:
            own = values[figure.name]
            if args.rerun or own:
                rows, manifest = rerun(figure, args.effort, args.seed, _progress(progress_bar, figure.name), own)
                store(figure, rows, manifest, args.out / "data")
            else:
                rows, manifest = stored(figure)
            canvas = picture(figure, rows, own)
            place = args.out / f"{figure.file}{suffix(own)}"
            for ending in formats:
                save(canvas, place.with_name(f"{place.name}.{ending}"), palette=True)
            progress_bar.advance(drawing_task)
            if own:
                print(f"{figure.name}: simulated with {in_words(own)}: {place}.{formats[0]}", flush=True)
            elif not progress_bar.console.is_terminal:
                print(f"{figure.name}: drawn", flush=True)
    if args.out.resolve() == root() and not args.set:
        from simspec.figures.page import page

        write_text(page(), root() / "README.md")
    print(f"{len(chosen_figures)} figure{'s' * (len(chosen_figures) != 1)} in {args.out}")
    return 0


def _list(chosen: list[Any]) -> None:
    """Name, source, title and parameters of each figure."""
    from simspec.figures.parameters import defaults

    name, source = (2 + max(len(getattr(figure, field)) for figure in chosen) for field in ("name", "source"))
    for figure in chosen:
        own = ", ".join(defaults(figure))
        settable = f"  [{own}]" if own else ""
        print(f"{figure.name:<{name}}{figure.source:<{source}}{figure.title}{settable}")


def _progress(progress_bar: Any, name: str) -> Callable[[int, int], None]:
    """A function that shows how many cells of a figure's study are simulated."""
    task = progress_bar.add_task(f"simulating {name}", total=None)

    def show(cells_done: int, of: int) -> None:
        progress_bar.update(task, completed=cells_done, total=of, visible=cells_done < of)

    return show
