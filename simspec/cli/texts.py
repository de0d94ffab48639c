"""`simspec texts`: how repetitive a task is, and what n-gram drafts and added tokens could gain on it."""

from __future__ import annotations

import argparse
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from simspec.checks import check_extra

__all__ = ["add_arguments", "run"]

OPTIONS: tuple[tuple[str, str, Any, str], ...] = (
    ("--input", "FIELD", None, "field of a record that holds the input (default: chosen by its name)"),
    ("--output", "FIELD", None, "field of a record that holds the output (default: chosen by its name)"),
    ("--tokenizer", "FILE", None, "a tokenizer.json (default: every word is a token)"),
    ("--budget", "M", 1000, "largest number of new tokens; 0 adds none (default %(default)s)"),
    ("--n-max", "N", 4, "length of the longest n-gram (default %(default)s)"),
    ("--gamma", "N", 8, "number of draft tokens per target step; 0 drafts none (default %(default)s)"),
    ("--mix", "W", 0.75, "weight of the drafter learnt from the corpus (default %(default)s)"),
    ("--held-out", "SHARE", 0.2, "share of the pairs held out for testing (default %(default)s)"),
    ("--texts", "N", 200, "largest number of pairs to test on (default %(default)s)"),
    ("--resamples", "N", 100, "number of bootstrap samples for the bigram statistics (default %(default)s)"),
    ("--seed", "N", 0, "seed of the split (default %(default)s)"),
    ("--name", "NAME", None, "name of the task (default: the name of the file)"),
    (
        "--model",
        "FOLDER",
        None,
        (
            "folder of a language model (needs the extra capture); also measures drafts on texts that the "
            "model writes, with sampling verification"
        ),
    ),
    ("--model-pairs", "N", 20, "number of pairs for which the model writes (default %(default)s)"),
    ("--save", "FILE.json", None, "also write the measurements to this file, under the name of the task"),
    ("--origin", "TEXT", None, "source of the corpus, stored with --save"),
    ("--licence", "TEXT", None, "licence of the corpus, stored with --save"),
)
"""Flag, what its value is called, its default, what it means."""


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    option_help = "pairs of input and output; or library:tagging, library:docstrings, built from the sources of Python"
    p.add_argument(
        "source", metavar="FILE", nargs="?", help=f".jsonl, .json, .conllu or tab-separated text: {option_help}"
    )
    for flag, metavar, default, summary in OPTIONS:
        p.add_argument(
            flag, metavar=metavar, type=str if default is None else type(default), default=default, help=summary
        )
    p.add_argument(
        "--pairs", type=int, metavar="N", help="use only N pairs, at equal distances in the file (default: all)"
    )
    option_help = "also test whether Rényi entropy predicts output lengths as tokens are added"
    p.add_argument("--renyi", action="store_true", help=option_help)
    p.add_argument("--json", action="store_true", help="write JSON instead of tables")
    option_help = (
        "print stored measurements and measure nothing (default FILE.json: measurements on public "
        "corpora, which do not ship)"
    )
    p.add_argument("--recorded", nargs="?", const="", metavar="FILE.json", help=option_help)


def run(args: argparse.Namespace) -> int:
    """Measure, then print tables or JSON; or print what was recorded."""
    if args.recorded is not None:
        return _recorded(args)
    from simspec.cli.progress import progress
    from simspec.tools.texts import Request, texts

    request = Request(**{field.name: getattr(args, field.name) for field in fields(Request)})
    _check_saved(args)
    check_extra("simspec texts", "texts" if args.tokenizer else "measure", "measure")
    with progress() as report_progress:
        measured = texts(request, report_progress)
    if args.save:
        from simspec.tools.texts.save import save

        save(measured, Path(args.save), args.origin, args.licence)
    if args.json:
        print(json.dumps(measured.entry, indent=1))
    else:
        from simspec.tools.texts.show import show

        show(measured)
    return 0


def _recorded(args: argparse.Namespace) -> int:
    from simspec.studies.tasc.task_record import SHIPPED, read_tasks

    if args.source or args.save:
        raise ValueError("--recorded: measures nothing; leave FILE and --save out")
    tasks = read_tasks(args.recorded or SHIPPED)
    if args.json:
        print(json.dumps(tasks, indent=1))
    else:
        from simspec.tools.texts.show import show_recorded

        show_recorded(tasks)
    return 0


def _check_saved(args: argparse.Namespace) -> None:
    """Refuse, before anything is measured, what cannot be saved."""
    for name, text in (("--origin", args.origin), ("--licence", args.licence)):
        if text and not args.save:
            raise ValueError(f"{name}: {text!r} is stored by --save only; give --save FILE.json too")
    if args.save:
        from simspec.tools.texts.save import check_place

        check_place(Path(args.save))
