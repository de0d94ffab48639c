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
    p.add_argument("names", nargs="*", metavar="NAME", help="figures (rdk.pruning) or papers (rdk); by default all")
    p.add_argument("--list", action="store_true", help="say what each figure is, a line each, and stop")
    p.add_argument("--rerun", action="store_true", help="simulate the rows again, and draw those")
    p.add_argument("--effort", default="default", help="of a rerun: quick, default or deep (default: default)")
    p.add_argument("--seed", type=int, default=0, metavar="N", help="of a rerun (default 0)")
    p.add_argument("--out", type=Path, default=Path("report/figures"), metavar="DIR", help="default report/figures")
    p.add_argument("--format", default="svg,png", metavar="LIST", help="of svg, png, pdf (default svg,png)")


def run(args: argparse.Namespace) -> int:
    """Draw, and simulate before that where it is asked for."""
    from simspec.figures.gallery import find, picture, rerun, root, store, stored

    from rich.console import Console
    from rich.progress import Progress

    from simspec.engine.show.plots import save
    from simspec.files import write_text

    chosen = find(args.names)
    if args.list:
        name, source = (2 + max(len(getattr(figure, field)) for figure in chosen) for field in ("name", "source"))
        for figure in chosen:
            print(f"{figure.name:<{name}}{figure.source:<{source}}{figure.title}")
        return 0
    formats = args.format.split(",")
    if wrong := [name for name in formats if name not in _FORMATS]:
        raise ValueError(f"--format: {wrong[0]!r}; expected some of {', '.join(_FORMATS)}")
    with Progress(console=Console(stderr=True), transient=True) as shown:
        drawn = shown.add_task("drawing", total=len(chosen))
        for figure in chosen:
            if args.rerun:
                rows, manifest = rerun(figure, args.effort, args.seed, _progress(shown, figure.name))
                store(figure, rows, manifest, args.out / "data")
            else:
                rows, _ = stored(figure)
            canvas = picture(figure, rows)
            for ending in formats:
                save(canvas, args.out / f"{figure.file}.{ending}", palette=True)
            shown.advance(drawn)
            if not shown.console.is_terminal:
                print(f"{figure.name}: drawn", flush=True)
    if args.out.resolve() == root():
        from simspec.figures.page import page

        write_text(page(), root() / "README.md")
    print(f"{len(chosen)} figure{'s' * (len(chosen) != 1)} in {args.out}")
    return 0


def _progress(shown: Any, name: str) -> Callable[[int, int], None]:
    """What tells a bar how many cells of a figure's study are simulated."""
    task = shown.add_task(f"simulating {name}", total=None)

    def told(done: int, of: int) -> None:
        shown.update(task, completed=done, total=of, visible=done < of)

    return told
