"""What the command line loads before it works: help and the parsing of any command load nothing heavy."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simspec import cli
from simspec.cli.lazy import LazyParser
from tests.test_import import loaded

HEAVY = {"numba", "scipy", "matplotlib", "pandas", "pyarrow", "torch", "rich", "jinja2"}
LINES = {
    "verify": "verify sd",
    "claims": "claims",
    "cite": "cite",
    "advise": "advise --bank wiki",
    "trees": "trees --bank wiki",
    "audit": "audit mine.py:sampler",
    "new": "new rule soft",
    "rates": "rates wiki",
    "lengths": "lengths metrics.txt",
    "numerics": "numerics a.npy b.npy",
    "pair": "pair t d --chat x.jsonl --out d",
    "texts": "texts pairs.jsonl",
    "capture": "capture --target t --text x.txt -o b.safetensors",
    "figures": "figures --list",
    "report": "report verdicts.json",
    "diff": "diff old.json new.json",
    "completion": "completion bash",
    "study": "study run acceptance",
    "bench": "bench tv",
}
"""A line for each command."""
WITHIN = [f"study {name} {rest}" for name, rest in {
    "list": "", "status": "d", "merge": "a b", "compact": "d", "rebuild": "d",
    "replay": "acceptance --cell 0 --row 0", "plot": "d",
}.items()]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("advisex wiki", "invalid choice: 'advisex', the nearest is advise; expected one of verify, claims,"),
        ("study rn acceptance", "invalid choice: 'rn', the nearest is run; expected one of list, run,"),
        (
            "verify sd --effort quik",
            "invalid choice: 'quik', the nearest is quick; expected one of quick, default, deep",
        ),
        ("qqq", "invalid choice: 'qqq'; expected one of verify, claims,"),
    ],
)
def test_a_misspelt_choice_is_answered_with_the_nearest(words, message, capsys) -> None:
    with pytest.raises(SystemExit):
        cli.parser().parse_args(words.split())
    assert message in capsys.readouterr().err


@pytest.fixture(scope="module")
def brought() -> dict[str, set[str]]:
    """What the parsing of each line loads that no line before it has, in one fresh interpreter; the first one starts it."""
    code = f"""
import json, sys
from simspec.cli import parser
told, before = {{}}, set()
for words in {[*LINES.values(), *WITHIN]!r}:
    parser().parse_args(words.split())
    told[words], before = sorted(set(sys.modules) - before), set(sys.modules)
print(json.dumps(told))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {words: {name.partition(".")[0] for name in found} for words, found in json.loads(run.stdout).items()}


def test_help_loads_nothing_but_the_parser() -> None:
    silent = "import contextlib, io; from simspec.__main__ import main; import sys; sys.argv = ['simspec', '--help']"
    found = loaded(f"{silent}\nwith contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main()")
    assert found.isdisjoint(HEAVY | {"numpy"})


@pytest.mark.parametrize("words", [*LINES.values(), *WITHIN])
def test_parsing_a_command_loads_nothing_heavy(words, brought) -> None:
    assert brought[words].isdisjoint(HEAVY)


def test_every_command_has_a_line_here() -> None:
    assert {name for name, _, _ in cli.COMMANDS} == set(LINES)


def test_a_heavy_module_would_be_seen() -> None:
    assert "scipy" in loaded("from simspec.cli import parser; import scipy")


def test_arguments_are_declared_once_and_when_they_are_needed() -> None:
    calls = []

    def declare(parser: argparse.ArgumentParser) -> None:
        calls.append(parser.prog)
        parser.add_argument("--n", type=int)

    whole = LazyParser(prog="a")
    commands = whole.add_subparsers(dest="command")
    for name in ("b", "c"):
        commands.add_parser(name).declare = declare
    assert calls == []
    assert whole.parse_args(["b", "--n", "3"]).n == 3
    assert calls == ["a b"]
    assert whole.parse_args(["b", "--n", "4"]).n == 4
    whole.declare_all()
    assert calls == ["a b", "a c"]


def _options(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.Action]]:
    """Options of a parser and of its commands, each with the command that has it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _options(command)
        else:
            yield from ((parser.prog, action) for option in action.option_strings if option == "--prompts")


def test_prompts_are_a_file_of_texts_in_every_command() -> None:
    """A prompt a line, whichever command reads it: a number of prompts and recorded token ids have options of their own."""
    options = dict(_options(cli.parser().declare_all()))
    assert {"simspec audit", "simspec numerics"} <= set(options)
    for command, action in options.items():
        assert (action.type, action.metavar) == (Path, "FILE"), command
        assert "one a line" in action.help, command
