"""The `simspec` command; each of its commands is a module here."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from simspec import guarding
from simspec.cli.lazy import LazyParser
from simspec.interrupts import heard, status_of
from simspec.version import __version__

__all__ = ["main", "parser"]

COMMANDS = (
    (
        "verify",
        "decide claims and write report/verdicts.json and report/index.html",
        (
            "simspec verify rdk --effort quick --out report\n         simspec verify mine.py:POWER\n\nexit "
            "status: 0 every verdict is the recorded one; 1 a verdict changed; 2 bad usage, bad input or a "
            "crashed check"
        ),
    ),
    (
        "claims",
        "list claims, show a claim in full, or write the files of a new claim",
        "simspec claims --source 'Theorem 5.1'\n         simspec claims new rdk.my-claim",
    ),
    (
        "cite",
        "print the references of claims as BibTeX, or the verdicts of a paper as a LaTeX table",
        "simspec cite rdk.worst-case\n         simspec cite --latex rdk > verdicts.tex",
    ),
    (
        "new",
        (
            "write a template for your own rule, claim, study or proof; in a clone, also for a claim or a "
            "paper of the registry"
        ),
        "simspec new claim my-bound --out my_bound.py\n         simspec new paper medusa --title 'Medusa'",
    ),
    (
        "rates",
        "measure acceptance, bias and speed-up of rules on your own distributions or logits",
        "simspec rates logits.npz --rule ears:0.1 --rule mine.py:power:0.9 --gamma 5\n         simspec rates heads.npz",
    ),
    (
        "trees",
        "find the best tree of draft tokens for a given number of nodes",
        "simspec trees --bank wiki --nodes 64 --depth 8",
    ),
    (
        "advise",
        (
            "recommend a rule and a number of draft tokens for a pair of models or a logit bank, with the "
            "expected speed-up"
        ),
        (
            "simspec advise --bank wiki --cost 0.1\n         simspec advise gpt2-medium gpt2 --text articles.txt\n"
            "         simspec advise heads.npz --cost 0.05 --verify-cost 0.01\n"
            "         simspec advise pair.npz --middle middle.npz --middle-cost 0.3\n"
            "         simspec advise gpt2-medium gpt2 --text articles.txt --batches 1,4,16\n"
            "         simspec advise wiki --endpoint http://127.0.0.1:8000 --endpoint-alone http://127.0.0.1:8001 --batches 1,4"
        ),
    ),
    (
        "audit",
        "test whether a sampler or a running engine emits the target distribution, and measure its bias if it does not",
        (
            "simspec audit mine.py:sampler --gamma 3 --markdown summary.md\n"
            "         simspec audit http://127.0.0.1:8000 --reference http://127.0.0.1:8001\n\n"
            "exit status: 0 lossless on every pair of distributions tried; 1 biased, rows of a batch depend on each "
            "other, or no tokens returned; 3 undecided; 2 bad usage.  Of an engine: 0 the same distribution, or rounding; "
            "1 the distribution differs, or the engine reports wrong numbers"
        ),
    ),
    (
        "numerics",
        "test whether two arrays of logits differ by rounding or by a fault, and measure a model's rounding",
        (
            "simspec numerics prefill.npy decode.npy --rounding 0.05\n         simspec numerics model.gguf\n\n"
            "exit status: 0 equal, or explained by --rounding; 1 rows differ by more; 2 bad usage or bad input"
        ),
    ),
    (
        "lengths",
        "read acceptance lengths and acceptance rates from the log of an engine",
        "simspec lengths server.log --cost 0.05\n         simspec lengths requests.jsonl --synthetic rates.json",
    ),
    (
        "texts",
        "measure how repetitive a task is, and how much n-gram drafts and new tokens would save",
        "simspec texts pairs.jsonl --input question --output answer",
    ),
    (
        "capture",
        "record the logits of your own models in a logit bank",
        "simspec capture --target gpt2 --draft distilgpt2 --text book.txt --contexts 300 -o gpt2.safetensors",
    ),
    (
        "pair",
        "measure a target and a draft in chat and write one page: acceptance, lengths, speed, claims",
        (
            "simspec pair smollm2 quantised:4 --chat prompts.jsonl --out mine\n\n"
            "killed or interrupted, the same command goes on with the parts that are missing"
        ),
    ),
    ("study", "run and resume Monte Carlo studies, and read their results", "simspec study run acceptance"),
    (
        "figures",
        "draw the papers' figures from stored rows, or simulate the rows again",
        "simspec figures rdk.pruning --format svg\n         simspec figures rdk --rerun --effort quick --out mine",
    ),
    ("report", "write index.html again from a verdicts.json", "simspec report report/verdicts.json"),
    (
        "diff",
        "list what changed between two verdicts.json files: verdicts, counterexamples, estimates",
        (
            "simspec diff old/verdicts.json report/verdicts.json\n\nexit status: 0 nothing changed; 1 "
            "something changed; 2 bad usage or bad input"
        ),
    ),
    (
        "bench",
        "print where the benchmarks are: the repository has them, the installed package does not",
        "simspec bench    # in a clone: python -m benchmarks tv --json tv.json",
    ),
    (
        "completion",
        "print a shell script that completes commands, options and names in bash or zsh",
        (
            "source <(simspec completion bash)\n         "
            "simspec completion zsh > _simspec    # in a folder of zsh's fpath"
        ),
    ),
)
"""Name, what it does, an example."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status (0 as recorded, 1 a verdict changed, 2 bad input or a crash)."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without Greek letters still gets the rest
    args = parser().parse_args(argv)
    args.given = sys.argv[1:] if argv is None else [*argv]  # for commands that print another one to paste
    guarding.begin()
    try:
        with heard(), guarding.staying():
            try:
                return args.run(args)
            finally:
                guarding.check_guarded()
    except (SystemExit, GeneratorExit) as error:  # a command returns its status: who raises one is code of a user's
        if isinstance(error.__context__, BrokenPipeError):  # which rich turns into its own
            return 0
        from simspec.loading import ended

        print(f"simspec: error: {ended(f'simspec {args.command}', error)}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read the output has closed it: nothing is left to say
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - until the process ends
        return 0
    except (ValueError, OSError) as error:
        from simspec.html.escaping import visible

        # names of files and models are of anyone's making: nothing in them moves the cursor or hides the rest
        print(f"simspec: error: {visible(str(error))}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        from simspec.checks import EXTRAS, missing

        if str(error.name).partition(".")[0] not in EXTRAS:
            raise
        print(f"simspec: error: {missing(f'simspec {args.command}', error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as error:
        print("simspec: interrupted; files of earlier runs are unchanged", file=sys.stderr)
        return status_of(error)


def parser() -> LazyParser:
    """The parser of every command; a command's module is loaded when its arguments are asked for.

    >>> parser().parse_args(["rates", "--rules"]).rules
    True
    """
    command_parser = LazyParser(
        prog="simspec",
        description="Test speculative decoding: audit samplers, choose a method, decide claims from papers.",
        epilog=(
            "example: simspec audit mine.py:sampler\n         simspec advise wiki\n         simspec verify "
            "sd rdk.tli-vs-none --effort quick"
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command_parser.add_argument("--version", action="version", version=f"simspec {__version__}")
    commands = command_parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary, example in COMMANDS:
        _command(commands, name, summary, example).declare = partial(_add, f"simspec.cli.{name}")
    return command_parser


def _add(place: str, parser: argparse.ArgumentParser) -> None:
    """The arguments and the work of a command; `study` has commands of its own."""
    work = import_module(place)
    if hasattr(work, "add_commands"):
        within = parser.add_subparsers(dest="subcommand", required=True, metavar="COMMAND")
        work.add_commands(within, _command)
    else:
        work.add_arguments(parser)
        parser.set_defaults(run=work.run)


def _command(commands: Any, name: str, summary: str, example: str) -> LazyParser:
    return commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"example: {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
