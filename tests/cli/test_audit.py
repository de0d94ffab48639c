"""`simspec audit` as a user types it."""

from __future__ import annotations

import json

import pytest

from simspec import cli

SAMPLERS = """
from simspec.audit.reference import speculative

number = 3

def stale(p, q, n, rng):
    return speculative(p * 0 + p[:1], q, n, rng)

def broken(p, q, n, rng):
    return None
"""


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.py").write_text(SAMPLERS)
    (tmp_path / "fails.py").write_text("1 / 0\n")
    return tmp_path / "mine.py"


def test_an_honest_sampler_ends_with_0(mine, capsys) -> None:
    assert cli.main(["audit", f"{mine}:speculative", "--gamma", "1", "--calls", "20000"]) == 0
    assert "speculative: lossless within TV 0.0" in capsys.readouterr().out


def test_a_biased_sampler_ends_with_1(mine, capsys) -> None:
    assert cli.main(["audit", f"{mine}:stale", "--calls", "4000"]) == 1
    out = capsys.readouterr().out
    assert "biased by TV" in out and "target p = [(" in out


def test_too_few_calls_end_with_3(capsys) -> None:
    assert cli.main(["audit", "simspec.audit.reference:speculative", "--calls", "500"]) == 3
    assert "not decided" in capsys.readouterr().out


def test_what_is_broken_ends_with_1(mine, capsys) -> None:
    assert cli.main(["audit", f"{mine}:broken", "--calls", "500"]) == 1
    assert "broken: returns shape ()" in capsys.readouterr().out


def test_json_and_markdown(mine, tmp_path, capsys) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    told = ["audit", f"{mine}:stale", "--calls", "1000", "--no-edges", "--json", "-", "--markdown", str(summary)]
    assert cli.main(told) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["verdict"] == "biased"
    assert report["shown"]["tv"][0] >= 0 and len(report["shown"]["p"]) == len(report["shown"]["q"]) + 1
    text = summary.read_text()
    assert text.startswith("before\n### simspec audit") and "| uneven | 2 | 3 | 1,000 |" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mine"], "sampler: 'mine'; expected FILE.py:NAME"),
        (["no/file.py:f"], "sampler: no file no/file.py"),
        (["no_such_module:f"], "sampler: module 'no_such_module' cannot be loaded (ModuleNotFoundError"),
        (["FAILS:f"], "fails.py cannot be loaded (ZeroDivisionError"),
        (["MINE:nothing"], "is not there; expected a Callable"),
        (["MINE:number"], "is a int; expected a Callable"),
        (["MINE:stale", "--gamma", "-1"], "gamma: -1"),
        (["MINE:stale", "--calls", "0"], "calls: 0"),
        (["MINE:stale", "--error", "0"], "error: 0"),
        (["MINE:stale", "--seed", "-1"], "--seed: -1"),
    ],
)
def test_bad_usage_ends_with_2(mine, arguments, words, capsys) -> None:
    arguments = [a.replace("MINE", str(mine)).replace("FAILS", str(mine.with_name("fails.py"))) for a in arguments]
    assert cli.main(["audit", *arguments]) == 2
    assert words in capsys.readouterr().err
