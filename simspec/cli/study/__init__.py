"""The `simspec study` commands: their options, and `run`; those that only read are in `simspec.cli.study.reading`.

Every command reads or fills one directory of results; what a study is and how it runs is `simspec.studies`.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simspec.cli.study import listing
from simspec.cli.study import reading as read
from simspec.interrupts import status_of

if TYPE_CHECKING:
    from simspec.engine.estimates.stopping import Rule
    from simspec.engine.store.goal import Goal
    from simspec.engine.store.results import Store
    from simspec.engine.study import Study

__all__ = ["add_commands"]

STUDY = "name of a study (simspec study list), FILE.py:OBJECT or module:OBJECT"


def add_commands(commands: Any, command: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the commands to a group of subparsers; `command(group, name, summary, example)` makes one."""
    for name, (work, summary, example, add) in COMMANDS.items():
        p = command(commands, name, summary, f"simspec study {name} {example}".strip())
        add(p)
        p.set_defaults(run=work)


def _merging(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "target", type=Path, metavar="TARGET", help="directory that receives the results; created if it does not exist"
    )
    p.add_argument("sources", type=Path, nargs="+", metavar="SOURCE", help="directories to read; they are not changed")
    _accepting(p)


def _folder(p: argparse.ArgumentParser) -> None:
    p.add_argument("dir", type=Path, metavar="DIR")


def _rebuilding(p: argparse.ArgumentParser) -> None:
    _folder(p)
    _accepting(p)


def _showing(p: argparse.ArgumentParser) -> None:
    _directory(p)
    p.add_argument("--all", action="store_true", help="print all lines (by default, a long table is cut)")
    _jsoning(p)


def _jsoning(p: argparse.ArgumentParser) -> None:
    p.add_argument("--json", action="store_true", help="write JSON instead of a table")


def _replaying(p: argparse.ArgumentParser) -> None:
    p.add_argument("study", metavar="STUDY", help=STUDY)
    p.add_argument(
        "--cell",
        required=True,
        metavar="JSON|INDEX",
        help="number of the cell, or JSON with enough of its parameters to identify it",
    )
    p.add_argument("--row", type=int, required=True, metavar="N", help="number of the replication, counted from 0")
    p.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the run (default 0)")
    where = "results that the replication belongs to (default results/STUDY, if it exists)"
    p.add_argument("--dir", type=Path, metavar="DIR", help=where)
    _accepting(p)
    p.add_argument("--pdb", action="store_true", help="stop in the debugger at the start of the simulation")


def _plotting(p: argparse.ArgumentParser) -> None:
    _directory(p)
    p.add_argument("--x", metavar="PARAM", help="parameter on the x axis (default: the first varying number)")
    p.add_argument("--y", metavar="MEASURE", help="measure on the y axis, such as alpha or kept[0]")
    p.add_argument("--hue", metavar="PARAM", help="parameter shown by colour (default: the next varying parameter)")
    p.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="PARAM=VALUE",
        help="plot only cells with this value; may be repeated",
    )
    p.add_argument(
        "-o", "--out", type=Path, metavar="FILE", help="file to write: .svg, .png or .pdf (default DIR/plot.svg)"
    )


def _accepting(p: argparse.ArgumentParser) -> None:
    option_help = (
        "continue although the code has changed since the stored rows were made; use it only if the new "
        "code makes the same rows"
    )
    p.add_argument("--accept-code", action="store_true", help=option_help)


def _directory(p: argparse.ArgumentParser) -> None:
    p.add_argument("dir", type=Path, metavar="DIR", help="directory with results of simspec study run")
    p.add_argument("--study", metavar="STUDY", help="the study, if DIR does not record how to read its results")
    p.add_argument("--of", metavar="MEASURE", help="show only this measure")


def _running(p: argparse.ArgumentParser) -> None:
    """Add the options of `simspec study run` to its parser."""
    p.add_argument("study", metavar="STUDY", help=STUDY)
    p.add_argument("--dir", type=Path, metavar="DIR", help="directory for the results (default results/STUDY)")
    p.add_argument("--seed", type=int, default=0, metavar="N", help="seed of all random numbers (default 0)")
    _accepting(p)
    _jsoning(p)
    goal = p.add_argument_group("stopping rule for each cell (default: the rule of the study)")
    exclusive_group = goal.add_mutually_exclusive_group()
    exclusive_group.add_argument("--half-width", type=float, metavar="X", help="stop if half the interval is at most X")
    exclusive_group.add_argument(
        "--relative", type=float, metavar="X", help="stop if half the interval is at most X times the mean"
    )
    exclusive_group.add_argument(
        "--above", type=float, metavar="V", help="stop if the interval lies entirely above or below V"
    )
    goal.add_argument("--of", metavar="MEASURE", help="measure that the stopping rule uses")
    goal.add_argument(
        "--rows", type=int, metavar="N", help="number of replications; with another rule, the largest number"
    )
    option_help = "replications for all cells together, given to the widest intervals until all are within --half-width"
    goal.add_argument("--budget", type=int, metavar="N", help=option_help)
    goal.add_argument(
        "--seconds", type=float, metavar="S", help="start no new block after S seconds (not reproducible)"
    )
    goal.add_argument(
        "--level", type=float, default=0.95, metavar="L", help="confidence level of the intervals (default 0.95)"
    )
    goal.add_argument("--simultaneous", action="store_true", help="apply the level to all cells together")
    option_help = (
        "auto: where the study offers an estimator with less variance and it pays, use it (the table says which); plain: "
        "always the study's own rows (default auto)"
    )
    goal.add_argument("--estimator", choices=("auto", "plain"), default="auto", help=option_help)
    where = p.add_argument_group("where to run (default: in this process)")
    option_help = (
        "number of local worker processes (uses Dask; its scheduler listens on the loopback interface "
        "without authentication)"
    )
    where.add_argument("--workers", type=int, default=1, metavar="N", help=option_help)
    where.add_argument("--scheduler", metavar="ADDRESS", help="address of a Dask cluster, such as tcp://host:8786")
    where.add_argument(
        "--shard", default="0/1", metavar="I/N", help="run the I-th of N parts; merge the parts afterwards"
    )
    where.add_argument(
        "--device", choices=("cpu", "gpu"), default="cpu", help="device of the simulation's arrays (default cpu)"
    )


def _run(args: argparse.Namespace) -> int:
    """Run a study until its cells are decided, print the results and return the exit status."""
    from simspec.checks import check_extra
    from simspec.engine import run as engine
    from simspec.engine.pools import on_workers
    from simspec.engine.show.live import Live
    from simspec.studies.catalogue import find

    folder = args.dir or read.folder_of(args.study)
    named = find(args.study)
    asked_goal = _goal(args, named)
    # before any work starts: a missing package should not end a run after minutes
    check_extra("simspec study run", "studies", "measure")
    study, goal = _chosen(args, named, asked_goal, folder)
    options: dict[str, Any] = {
        "stop": goal.stop,
        "level": goal.level,
        "simultaneous": goal.simultaneous,
        "max_rows": _most(args),
    }
    options |= {"seconds": args.seconds, "shard": _shard(args.shard), "device": args.device}
    # the estimator is chosen: nothing is left for the run to choose
    options |= {"accept_code": args.accept_code, "estimator": "plain"}
    pool = on_workers(engine.work, engine.lost, args.workers, args.scheduler)
    start = time.monotonic()
    store = _opened(args, study, goal, folder)
    try:
        with pool as opened, Live(study, args.of) as live:
            results = engine.run(study, store, seed=args.seed, pool=opened, progress=live, **options)
    except KeyboardInterrupt as error:
        read.say(
            f"\nsimspec: interrupted; all finished blocks are stored in {folder}. Run the same command to continue."
        )
        return status_of(error)
    if args.json:
        read.print_json(read.results_json(study, args.seed, results, args.of))
    else:
        read.print_table(study, results, args.of, everything=False)
    decided = sum(r.decided for r in results)
    took = time.monotonic() - start
    notes = [f"{decided} of {len(results)} cells decided in {took:.1f} s; results in {folder}"]
    if options["shard"] != (0, 1):  # a part decides no cell, so that none being decided tells nothing
        notes = [f"part {args.shard} done in {took:.1f} s; results in {folder}"]
        notes.append("merge the parts with simspec study merge to decide the cells")
    if args.seconds is not None and took >= args.seconds and decided < len(results):
        notes.append("stopped by --seconds; another run may stop at another row")
    read.say("; ".join(notes))
    return read.print_failures(study, results, args.study, args.seed, folder)


def _goal(args: argparse.Namespace, study: Study) -> Goal:
    """What is asked of the run, once all options are checked."""
    from simspec.engine.devices import use
    from simspec.engine.estimates.stopping import Rows
    from simspec.engine.scheduling import check_whole
    from simspec.engine.store.goal import Goal
    from simspec.engine.study import check_device

    if not study.grid or not study.measures:
        raise ValueError(f"study: {args.study!r} has no {'measures' if study.grid else 'cells'}; expected at least one")
    check_device(study, args.device)
    if args.scheduler is None:  # else the workers' machines decide
        use(args.device)
    limit = _most(args)
    rule = _rule(args, study)
    check_whole(rule or study.stop, _shard(args.shard))
    read.check_seed(args.seed)
    if not 0 < args.level < 1:
        raise ValueError(f"--level {args.level}: expected a confidence between 0 and 1")
    if args.seconds is not None and not args.seconds > 0:
        raise ValueError(f"--seconds {args.seconds}: expected a positive number")
    names = tuple(dict.fromkeys(name for cell in study.grid for name in cell))
    return Goal(args.study, study.measures, rule or study.stop or Rows(limit), args.level, args.simultaneous, names)


def _chosen(args: argparse.Namespace, study: Study, goal: Goal, folder: Path) -> tuple[Study, Goal]:
    """The study with the estimator that the run uses, and what is asked of it."""
    from dataclasses import replace

    from simspec.engine.choice import advice, chosen_estimator, stored_grid

    stored = stored_grid(folder, study)
    run_study, stop = chosen_estimator(study, goal.stop, goal.level, args.device, stored, args.estimator)
    if run_study is study:
        if args.estimator == "auto" and (line := advice(study, goal.stop, goal.level, args.device, stored)):
            read.say(line)
        return study, goal
    names = tuple(dict.fromkeys(name for cell in run_study.grid for name in cell))
    return run_study, replace(goal, measures=run_study.measures, stop=stop, parameters=names)


def _opened(args: argparse.Namespace, study: Study, goal: Goal, folder: Path) -> Store:
    """The store of the run, with its goal written beside it, and a word on what is there."""
    from simspec.engine.design import manifest
    from simspec.engine.store.goal import write_goal
    from simspec.engine.store.manifest import read_manifest, unrecorded
    from simspec.engine.store.results import Store

    plan = manifest(study, args.seed)
    with read.showing("reading") as progress:
        store = Store(folder, manifest=plan, progress=progress, accept_code=args.accept_code)
        note = unrecorded(read_manifest(folder))
        write_goal(folder, plan, goal, args.accept_code)
        before = int(sum(store.blocks(d)["rows"].sum() for d in store.designs() if store.done(d).size))
    if note:
        read.say(f"{folder}: {note}; it is recorded from now on")
    heading = f"{args.study}: {len(study.grid)} cells, seed {args.seed}, {before:,} rows in {folder}"
    read.say(f"{heading}; press Ctrl-C to stop, finished blocks are kept")
    return store


def _most(args: argparse.Namespace) -> int:
    if args.rows is not None and args.rows < 1:
        raise ValueError(f"--rows {args.rows}: expected at least 1")
    return (args.budget or 1_000_000) if args.rows is None else args.rows


def _shard(text: str) -> tuple[int, int]:
    match = re.fullmatch("([0-9]{1,9})/([0-9]{1,9})", text)
    if not match or not int(match[1]) < int(match[2]):
        raise ValueError(f"--shard {text}: expected I/N with 0 <= I < N < 10**9, such as 0/4")
    return int(match[1]), int(match[2])


def _rule(args: argparse.Namespace, study: Study) -> Rule | None:
    """Return the stopping rule that the options describe, or None for the rule of the study."""
    from simspec.checks import nearest
    from simspec.engine.estimates.sharing import Shared
    from simspec.engine.estimates.statistics import Mean, Share
    from simspec.engine.estimates.stopping import Decision, HalfWidth, RelativeError, Rows

    rule_kinds: dict[str, Any] = {
        "half_width": HalfWidth,
        "relative": RelativeError,
        "above": Decision,
        "budget": Shared,
    }
    option = next((name for name in rule_kinds if getattr(args, name) is not None), None)
    if args.budget is not None and (option not in ("half_width", "budget") or args.budget < 1):
        raise ValueError(f"--budget {args.budget}: expected a number of replications, alone or with --half-width")
    means = [name for name, measure in study.measures.items() if isinstance(measure, Mean | Share)]
    # NAME[I] is one value of a measure of several: the measure is NAME
    if args.of is not None and args.of.partition("[")[0] not in means:
        raise ValueError(f"--of {args.of}{nearest(args.of, means)}: expected one of {', '.join(means)}")
    if option is None:
        return None if args.rows is None else Rows(args.rows)
    if args.of is None and len(means) != 1:
        raise ValueError(f"--{option.replace('_', '-')}: name the measure with --of: {', '.join(means)}")
    name = args.of or means[0]
    measure = study.measures[name.partition("[")[0]]
    low, high = (measure.low, measure.high) if isinstance(measure, Mean) else (0.0, 1.0)
    if args.budget is not None:
        return Shared(name, args.half_width or 0, low, high, rows=args.budget)
    return rule_kinds[option](name, getattr(args, option), low, high)


COMMANDS: dict[str, tuple[Callable[..., int], str, str, Callable[[argparse.ArgumentParser], None]]] = {
    "list": (listing.listed, "list the studies that ship with simspec or are installed", "", _jsoning),
    "run": (
        _run,
        "run or resume a study until every cell meets its stopping rule",
        (
            "acceptance --half-width 0.005 --of alpha --workers 2\n\nexit status: 0 done; 1 a cell failed; 2 "
            "bad usage or bad input; 130 interrupted (143 by SIGTERM,\n129 by SIGHUP): run the same command "
            "to resume"
        ),
        _running,
    ),
    "status": (
        read.status,
        "show the results in a directory, even while another process writes to it",
        "results/acceptance",
        _showing,
    ),
    "merge": (
        read.merge,
        "add the results of other directories to a directory; refuse results that disagree",
        "all shard-0 shard-1",
        _merging,
    ),
    "compact": (read.compact, "rewrite all segments of a directory as one", "results/acceptance", _folder),
    "rebuild": (
        read.rebuild,
        "write the manifest of a directory again from its segments",
        "results/acceptance",
        _rebuilding,
    ),
    "replay": (
        read.replay,
        "simulate one replication and print its values",
        "acceptance --cell 3 --row 100 --pdb",
        _replaying,
    ),
    "plot": (
        read.plot,
        "plot a measure against a parameter",
        "results/acceptance --x rho --y alpha --hue vocab -o alpha.svg",
        _plotting,
    ),
}
"""What each command does, its summary, an example and its options."""
