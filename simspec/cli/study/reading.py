"""What the `simspec study` commands read: status, merge, compact, replay and plot; and what they print of results."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simspec.engine.cells import CellResult
    from simspec.engine.study import Cell, Study

__all__ = [
    "check_seed",
    "compact",
    "folder_of",
    "merge",
    "plot",
    "print_failures",
    "print_json",
    "print_table",
    "rebuild",
    "replay",
    "results_json",
    "say",
    "showing",
    "status",
]

LARGE = 200
"""Longest table that is printed without being asked for."""


def folder_of(reference: str) -> Path:
    """Where the results of a study are kept that is not told."""
    return Path("results") / reference.rpartition("/")[2].replace(":", "-").replace(".py-", "-")


def check_seed(seed: int) -> None:
    """Refuse a seed that is no 64-bit number."""
    if not 0 <= seed < 2**64:
        raise ValueError(f"--seed {seed}: expected a number from 0 to 2**64 - 1")


def say(text: str) -> None:
    """A line to stderr, at once."""
    print(text, file=sys.stderr, flush=True)


def print_table(study: Study, results: Sequence[CellResult], measure: str | None, everything: bool) -> None:
    """Print the cells that have rows to stdout: framed on a terminal, plain columns in a file."""
    from rich.console import Console

    from simspec.engine.show.columns import print_fitting
    from simspec.engine.show.live import constant, estimator_notes, found_columns, labels, table

    shown_results = [r for r in results if r.rows or r.error]
    lines = max(1, len(labels(shown_results, measure)))
    count = len(shown_results) if everything else min(len(shown_results), max(1, LARGE // lines))
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=10_000, soft_wrap=True)
    if shown_results:
        cells = table(study, shown_results[:count], measure, plain=not console.is_terminal)
        if console.is_terminal:
            print_fitting(console, cells, last=found_columns(cells))
        else:
            console.print(cells)
    if same := constant(study.grid):
        print("every cell: " + ", ".join(f"{name} = {json.dumps(value)}" for name, value in same.items()))
    for note in estimator_notes(shown_results):
        print(note)
    names = list(dict.fromkeys(n for r in shown_results for n in r.estimates))
    if hidden := len(names) - len(labels(shown_results, measure)) if measure is None else 0:
        print(f"{hidden} more measures per cell, such as {names[-1]}: choose them with --of")
    if count < len(shown_results):
        print(f"{len(shown_results) - count:,} more cells: show them with simspec study status --all")
    if len(shown_results) < len(results):
        print(f"{len(results) - len(shown_results):,} cells have no rows yet")


def print_json(content: object) -> None:
    """Print JSON to stdout."""
    print(json.dumps(content, indent=1, ensure_ascii=False))


def results_json(study: Study, seed: int, results: Sequence[CellResult], measure: str | None) -> dict[str, Any]:
    """What the tables say, as plain data: for each cell its rows and, of each measure, mean and interval."""
    cells = [
        {
            "cell": dict(result.cell),
            "rows": result.rows,
            "decided": result.decided,
            "level": result.level,
            "error": result.error,
            "warning": result.warning,
            "estimates": {
                name: {"mean": estimate.mean, "interval": [estimate.low, estimate.high]} | _estimator(result, name)
                for name, estimate in result.estimates.items()
                if measure is None or name == measure or name.startswith(f"{measure}[")
            },
        }
        for result in results
    ]
    return {"study": study.name, "question": study.question, "seed": seed, "cells": cells}


def _estimator(result: CellResult, name: str) -> dict[str, Any]:
    """How an estimate came about, what that saved, and what its interval promises."""
    estimator = result.estimators.get(name)
    if estimator is None:
        return {}
    savings = {"saving": estimator.saving, "saving_above": estimator.saving_above}
    return {"valid": estimator.validity, "estimator": estimator.name, **savings}


def print_failures(study: Study, results: Sequence[CellResult], reference: str, seed: int, folder: Path) -> int:
    """Say of each failed cell what failed and what replays it, and of each other what its rows give away; the exit status."""
    for i, result in enumerate(results):
        if result.warning and not result.error:
            say(f"simspec: warning: cell {i}: {result.warning}")
    place = "" if folder == folder_of(reference) else f" --dir {shlex.quote(str(folder))}"
    failed = [(i, r) for i, r in enumerate(results) if r.error]
    for i, result in failed:
        last = (result.error or "").strip().splitlines()[-1]
        row = f"--row {result.blocks * study.rows}{place}"
        replay = f"\n  replay: simspec study replay {reference} --seed {seed} --cell {i} {row} --pdb"
        say(f"simspec: cell {i} failed: {last}{'' if last.startswith('control:') else replay}")
    return 1 if failed else 0


@contextmanager
def showing(action: str) -> Iterator[Callable[[int, int], None]]:
    """A callback that shows how many files are read, on a terminal and when it takes more than a moment."""
    from rich.console import Console
    from rich.progress import Progress

    start = time.monotonic()
    console = Console(stderr=True)
    last_message = start
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(action, total=None, visible=False)

        def show(files_read: int, of: int) -> None:
            nonlocal last_message
            now = time.monotonic()
            bar.update(task, completed=files_read, total=of, visible=now - start > 1)
            if not console.is_terminal and now - last_message > 5:
                last_message = now
                say(f"{action} file {files_read:,} of {of:,}")

        yield show


def _read(args: argparse.Namespace) -> tuple[Study, int, str, list[CellResult], Any]:
    """Study as the directory records it, seed, where it was found, results, and the store."""
    from simspec.engine import run as engine
    from simspec.engine.store.goal import recorded
    from simspec.engine.store.results import Store
    from simspec.studies.catalogue import catalogue, find

    study, seed, goal = recorded(args.dir)
    reference = goal.reference if goal else "STUDY"
    same_studies = [
        s for s in catalogue().values() if s.name == study.name and {*_parameters(study)} <= {*_parameters(s)}
    ]
    if args.study or not goal:
        if not args.study and not same_studies:
            raise ValueError(f"DIR: {args.dir} does not record how to read its results; name the study with --study")
        named = find(args.study) if args.study else same_studies[0]
        if (named.name, named.rows) != (study.name, study.rows):
            raise ValueError(
                f"--study: {named.name!r} with {named.rows} rows a block; expected {study.name!r} with {study.rows}"
            )
        study = named
        reference = args.study or reference
    with showing("reading") as progress:
        store = Store(args.dir, progress=progress)
        level, together = (goal.level, goal.simultaneous) if goal else (0.95, False)
        results = engine.results(study, store, seed=seed, stop=study.stop, level=level, simultaneous=together)
    return study, seed, reference, results, store


def status(args: argparse.Namespace) -> int:
    """`simspec study status`."""
    from simspec.engine.estimates.wording import stop_in_words
    from simspec.engine.show.live import duration

    study, seed, reference, results, _ = _read(args)
    files = list(args.dir.glob("segment-*.parquet"))
    if args.json:
        print_json(results_json(study, seed, results, args.of))
        return print_failures(study, results, reference, seed, args.dir)
    decided = sum(r.decided for r in results)
    rows = sum(r.rows for r in results)
    print(f"{study.name}: {study.question}")
    print(f"{decided} of {len(results)} cells decided, {rows:,} rows used, seed {seed}, {study.rows} rows a block")
    print(f"each cell {stop_in_words(study.stop)}")
    if files:
        age = max(0.0, time.time() - max(p.stat().st_mtime for p in files if p.exists()))
        print(f"{len(files)} segments, {sum(p.stat().st_size for p in files):,} bytes, the last {duration(age)} ago")
    print_table(study, results, args.of, args.all)
    return print_failures(study, results, reference, seed, args.dir)


def merge(args: argparse.Namespace) -> int:
    """`simspec study merge`."""
    from simspec.engine.store import goal
    from simspec.engine.store.manifest import read_manifest, unrecorded
    from simspec.engine.store.results import merge as united
    from simspec.files import write_file

    notes = {folder: unrecorded(read_manifest(folder)) for folder in (args.target, *args.sources)}
    with showing("reading") as progress:
        count = united(args.sources, args.target, progress, args.accept_code)
    for folder, note in notes.items():
        if note:
            say(f"{folder}: {note}")
    record = args.target / goal.FILE
    for source in args.sources:  # segments do not say how they are read
        if not record.exists() and (source / goal.FILE).exists():
            write_file(record, (source / goal.FILE).read_bytes())
    print(f"{count} segments added to {args.target}; show the results with simspec study status {args.target}")
    return 0


def compact(args: argparse.Namespace) -> int:
    """`simspec study compact`."""
    from simspec.engine.store.results import compact as rewritten

    before = len(list(args.dir.glob("segment-*.parquet"))) if args.dir.is_dir() else 0
    with showing("reading") as progress:
        path = rewritten(args.dir, progress)
    print(
        f"{before} segments became {path.name}, {path.stat().st_size:,} bytes" if path else f"{args.dir}: no segments"
    )
    return 0


def rebuild(args: argparse.Namespace) -> int:
    """`simspec study rebuild`."""
    from simspec.engine.store.manifest import FILE
    from simspec.engine.store.results import rebuild_manifest

    rebuilt = rebuild_manifest(args.dir, args.accept_code)
    print(
        f"{args.dir / FILE}: {rebuilt.study}, {len(rebuilt.grid)} cells, seed {rebuilt.seed}, {rebuilt.block_size} rows a block"
    )
    return 0


def _cell(text: str, study: Study) -> Cell:
    """Return the cell that --cell names: by number, or by parameters in JSON that fit exactly one cell."""
    from simspec.checks import nearest
    from simspec.engine.store.segment import canonical

    expectation = (
        f'--cell {text if len(text) <= 80 else text[:77] + "..."}: expected a number, or JSON such as {{"vocab": 1000}}'
    )
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # no JSON, an integer of thousands of digits, or lists in lists in lists
        raise ValueError(expectation) from None
    # true and false are integers to Python
    if isinstance(value, int) and not isinstance(value, bool):
        if not 0 <= value < len(study.grid):
            raise ValueError(f"--cell {value}: expected a number from 0 to {len(study.grid) - 1}")
        return study.grid[value]
    if not isinstance(value, dict):
        raise ValueError(expectation)
    parameters = _parameters(study)
    for name in value:
        if name in parameters:
            continue
        near = nearest(name, parameters)
        raise ValueError(f"--cell {text}: no parameter {name!r}{near}; expected one of {', '.join(parameters)}")
    # a full match wins, since another cell may hold the same parameters and more
    same = [cell for cell in study.grid if canonical(cell) == canonical(value)]
    matching = same or [
        c for c in study.grid if all(n in c and canonical(c[n]) == canonical(v) for n, v in value.items())
    ]
    if len(matching) != 1:
        raise ValueError(f"--cell {text}: matches {len(matching)} cells of the study; expected exactly one")
    return matching[0]


def _parameters(study: Study) -> list[str]:
    """Names of the parameters of a study's cells; with its name they identify it, since its question may be worded anew."""
    return list(dict.fromkeys(name for cell in study.grid for name in cell))


def _check_replayed(args: argparse.Namespace, study: Study) -> None:
    """Refuse a row of other results than this study makes; where no directory is named, only what a run has put there."""
    from simspec.engine import run as engine
    from simspec.engine.store.manifest import join, read_manifest

    if args.dir is not None and not args.dir.is_dir():
        raise ValueError(f"--dir: {args.dir} is not a directory; expected a directory with results")
    there = read_manifest(args.dir or folder_of(args.study))
    if args.dir is not None and there is None:
        raise ValueError(f"--dir: {args.dir} has no manifest; expected a directory with results of `simspec study run`")
    requested = (study.name, args.seed, study.rows)
    if there and (args.dir is not None or (there.study, there.seed, there.block_size) == requested):
        join([there, engine.manifest(study, args.seed)], args.accept_code)


def replay(args: argparse.Namespace) -> int:
    """`simspec study replay`."""
    import pdb
    import traceback
    from dataclasses import replace

    import numpy as np

    from simspec.engine import run as engine
    from simspec.engine.choice import chosen_estimator, stored_grid
    from simspec.studies.catalogue import find

    study = find(args.study)
    if stored := stored_grid(args.dir or folder_of(args.study), study):  # rows of the estimator that is stored
        study, _ = chosen_estimator(study, study.stop, stored=stored)
    cell = _cell(args.cell, study)
    check_seed(args.seed)
    number_of_rows = cell.get("rows", 2**63)
    if not 0 <= args.row < number_of_rows:
        raise ValueError(f"--row {args.row}: expected a number from 0 to {number_of_rows - 1}")
    _check_replayed(args, study)
    if args.pdb:
        simulate_rows = study.simulate
        debugger = pdb.Pdb()
        call: Any = debugger.runcall
        study = replace(study, simulate=lambda *values: call(simulate_rows, *values))
    try:
        values = engine.replay(study, cell, args.row, seed=args.seed)
    except Exception as error:
        traceback.print_exc()  # the simulation's own fault: this is what is wanted
        if args.pdb:
            pdb.post_mortem(error.__traceback__)
        return 1
    print(f"{args.study}, seed {args.seed}, row {args.row} of {json.dumps(dict(cell))}")
    for name, value in values.items():
        print(f"{name} = {json.dumps(np.asarray(value).tolist())}")
    return 0


def plot(args: argparse.Namespace) -> int:
    """`simspec study plot`."""
    from simspec.checks import nearest
    from simspec.engine.show.plots import figure, save

    study, _, _, results, _ = _read(args)
    parameters = _parameters(study)
    for text in args.where:
        name, equals, value = text.partition("=")
        if not equals or name not in parameters:
            near = "" if name in parameters else nearest(name, parameters)
            raise ValueError(f"--where {text}{near}: expected PARAM=VALUE with one of {', '.join(parameters)}")
        results = [r for r in results if value in (r.cell.get(name), json.dumps(r.cell.get(name)))]
    if not any(r.estimates for r in results):
        raise ValueError(f"DIR: {args.dir} has no results" + (f" where {', '.join(args.where)}" if args.where else ""))
    out = args.out or args.dir / "plot.svg"
    save(figure(study, results, args.x, args.y or args.of, args.hue), out)
    print(os.fspath(out))
    return 0
