"""`simspec texts`: how repetitive a task is, and what n-gram drafts and added tokens could gain on it."""

from __future__ import annotations

import argparse
import json
import math
import shlex
from pathlib import Path
from typing import Any

from simspec.checks import check_extra

__all__ = ["add_arguments", "run"]

LIBRARY = "library:"
MOST_N = 16
"""Longest n-gram that can be asked for."""
UNSAVED = ("source", "save", "json", "recorded", "licence", "origin", "command", "run")
"""Arguments that a saved command leaves out."""

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
    _check(args)
    check_extra("simspec texts", "texts" if args.tokenizer else "measure", "measure")
    from rich.console import Console
    from rich.progress import Progress

    from simspec.studies.tasc.corpus_statistics import table
    from simspec.studies.tasc.task_gains import draft_gains, encode, savings
    from simspec.studies.tasc.task_record import measured, predicted

    with Progress(console=Console(stderr=True), transient=True) as progress:

        def shown(name: str) -> Any:
            task = progress.add_task(name, total=None)
            return lambda completed, total: progress.update(task, completed=completed, total=total)

        reading = progress.add_task("reading", total=None)
        model = _model(args)
        corpus = _corpus(args)
        encoded = encode(corpus, args.held_out, args.seed, args.texts, args.tokenizer)
        progress.remove_task(reading)
        row = None
        missing = ""
        try:
            (row,) = table([corpus], args.resamples, progress=shown("counting bigrams"))
        except ValueError as error:  # labels of one word have no bigrams; the rest can be measured all the same
            if not (args.gamma or args.budget):
                raise
            missing = str(error).removeprefix("corpora: ")
        drafts = {"n_max": args.n_max, "gamma": args.gamma, "mix": args.mix}
        gains = draft_gains(encoded, **drafts, progress=shown("drafting")) if args.gamma else {}
        budgets = sorted({math.ceil(args.budget / 2), args.budget} - {0})
        saved = savings(encoded, budgets, args.n_max, progress=shown("adding tokens")) if budgets else []
        entry = measured(corpus, row, encoded, gains, saved)
        if model is not None:
            entry["sampling"] = _sampling(args, corpus, model, shown("the model writes"))
        if args.renyi:
            from simspec.studies.tasc.task_predict import predictions

            parts = {"share": args.held_out, "seed": args.seed, "texts": args.texts, "tokenizer": args.tokenizer}
            results = predictions(corpus, **parts, resamples=args.resamples, progress=shown("spending budgets"))
            entry["prediction"] = predicted(
                results, encoded.unit if args.tokenizer else "byte-pair encoding, 2,000 tokens"
            )
    if args.save:
        _save(args, entry)
    if args.json:
        print(json.dumps(entry, indent=1))
    else:
        from simspec.tools.texts.show import show

        show(corpus, row or missing, encoded, gains, saved, entry, args)
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


def _corpus(args: argparse.Namespace) -> Any:
    from simspec.logits.corpora import read_corpus, standard_library
    from simspec.studies.tasc.task_gains import evenly

    if args.source.startswith(LIBRARY):
        if args.input or args.output:
            raise ValueError("--input, --output: a library corpus has no fields; leave both out")
        corpus = standard_library(args.source.removeprefix(LIBRARY))
        corpus = corpus._replace(name=args.name or corpus.name)
    else:
        corpus = read_corpus(args.source, args.input, args.output, args.name)
    return corpus if args.pairs is None else evenly(corpus, args.pairs)


def _model(args: argparse.Namespace) -> Any:
    if args.model is None:
        return None
    from simspec.logits.capture.models import load_model

    return load_model(args.model, "--model")


def _sampling(args: argparse.Namespace, corpus: Any, model: Any, progress: Any) -> dict[str, Any]:
    from simspec.studies.tasc.ngram_model import ModelTarget
    from simspec.studies.tasc.task_model import model_gains
    from simspec.studies.tasc.task_record import sampled

    number_of_texts = args.model_pairs + 1  # one more text, on which the study's weights are tried
    target = ModelTarget(
        model, notify=lambda texts_written: progress(min(texts_written, number_of_texts), number_of_texts)
    )
    return sampled(model_gains(corpus, target, args.model_pairs, args.gamma, args.seed), model.facts, args.gamma)


def _save(args: argparse.Namespace, entry: dict[str, Any]) -> None:
    """Write an entry with what it takes to measure it again; of paths the names alone."""
    from simspec.logits.capture.models import file_digest
    from simspec.studies.tasc.task_record import add_task, versions
    from simspec.version import __version__

    file = None
    if not args.source.startswith(LIBRARY):
        file = {"name": Path(args.source).name, "sha256": file_digest(Path(args.source))}
    packages = ["numpy", "scipy", "tokenizers", *(["torch", "transformers"] if args.model else [])]
    provenance = {
        "file": file,
        "origin": args.origin,
        "licence": args.licence,
        "command": _command(args),
        "versions": {"simspec": __version__, **versions(*packages)},
    }
    add_task(args.save, entry | provenance)


def _command(args: argparse.Namespace) -> str:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = ["simspec", "texts", args.source if args.source.startswith(LIBRARY) else Path(args.source).name]
    for name, value in vars(args).items():
        if name in UNSAVED or value == parser.get_default(name):
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            local = name in ("tokenizer", "model") and Path(value).exists()
            shown_value = (
                "/".join(Path(value).resolve().parts[-2 if name == "tokenizer" else -1 :]) if local else str(value)
            )
            words.append(shlex.quote(shown_value))
    return " ".join(words)


def _check(args: argparse.Namespace) -> None:
    """Refuse options of `simspec texts` that are out of range or do not fit together."""
    if not args.source:
        raise ValueError(
            "FILE: missing; expected a file of pairs, library:tagging or library:docstrings, or --recorded"
        )
    for name, value, minimum in (
        ("--budget", args.budget, 0),
        ("--n-max", args.n_max, 2),
        ("--gamma", args.gamma, 0),
        ("--texts", args.texts, 2),
        ("--resamples", args.resamples, 2),
        ("--pairs", args.pairs, 2),
        ("--model-pairs", args.model_pairs, 2),
    ):
        # None is an option that was not given
        if value is not None and value < minimum:
            raise ValueError(f"{name}: {value}; expected {minimum} or more")
    if args.n_max > MOST_N:
        raise ValueError(
            f"--n-max: {args.n_max}; expected at most {MOST_N}, because all n-grams up to this length are "
            "held in memory"
        )
    if not 0 <= args.mix <= 1:
        raise ValueError(f"--mix: {args.mix}; expected a weight between 0 and 1")
    if not 0 < args.held_out < 1:
        raise ValueError(f"--held-out: {args.held_out}; expected a share between 0 and 1, both excluded")
    if args.tokenizer and not Path(args.tokenizer).is_file():
        raise ValueError(f"--tokenizer: no file {args.tokenizer!r}; expected the path of a tokenizer.json")
    if args.model and not args.gamma:
        raise ValueError("--gamma: 0; expected at least one draft token with --model")
    for name, text in (("--origin", args.origin), ("--licence", args.licence)):
        if text and not args.save:
            raise ValueError(f"{name}: {text!r} is stored by --save only; give --save FILE.json too")
    if args.save:
        _check_save(Path(args.save))


def _check_save(path: Path) -> None:
    """Before anything is measured."""
    from simspec.studies.tasc.task_record import read_tasks

    if not path.parent.is_dir():
        raise ValueError(f"--save: no folder {str(path.parent)!r}; expected a file in an existing folder")
    if path.exists():
        read_tasks(path)
