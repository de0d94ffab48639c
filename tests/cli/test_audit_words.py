"""What `simspec audit` and `simspec advise` say of words that cannot be heeded, and how they list what they know."""

from __future__ import annotations

import re

import pytest

from simspec import cli
from simspec.report import kinds

REFUSED = {
    "a vocabulary that is too large": (
        ["audit", "rrs:2", "--vocab", "300000"],
        "--vocab: 300000; expected at most 256000",
    ),
    "a processor of no kind": (
        ["audit", "rrs:2", "--processor", "nonsense"],
        "--processor: 'nonsense'; expected temperature:T, top-k:K, top-p:P, min-p:P, presence:A",
    ),
    "a report of a function in no folder": (
        ["audit", "rrs:2", "--junit", "none/a.xml"],
        "--junit: 'none/a.xml': the folder 'none' does not exist; expected the path of a file",
    ),
    "a report of an engine in no folder": (
        ["audit", "http://127.0.0.1:9", "--reference", "self", "--json", "/none/a.json"],
        "--json: '/none/a.json': the folder '/none' does not exist; expected the path of a file",
    ),
    "a folder as a report": (["audit", "rrs:2", "--markdown", "."], "--markdown: '.' is a folder; expected the path"),
    "steps in no file": (
        ["advise", "wiki", "--steps", "none.csv"],
        "--steps: 'none.csv': No such file or directory; expected a CSV file with the columns batch, tokens and milliseconds",
    ),
    "a policy of no kind": (
        ["advise", "none.npz", "--policy", "nonsense"],
        "--policy: 'nonsense'; expected fixed:4, heuristic, moving:64 or confidence:0.4",
    ),
    "a policy that is misspelt": (["advise", "none.npz", "--policy", "movin:3"], "'movin:3', the nearest is moving"),
    "a policy without its number": (
        ["advise", "none.npz", "--policy", "fixed:x"],
        "--policy: 'fixed:x'; expected a number up to 1e+09 after the colon, such as fixed:4",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_heeded_is_named_by_its_option_before_anything_is_measured(
    name, tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    words, message = REFUSED[name]
    assert cli.main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and message in captured.err, captured.err
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("words", [["--seconds", "3"], ["--seconds=3"]])
def test_the_old_name_of_a_time_limit_says_the_new_ones(words, capsys) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["audit", "rrs:2", *words])
    assert end.value.code == 2
    error = capsys.readouterr().err
    assert "--seconds: unknown; expected --call-timeout S" in error and "--within S" in error


def test_names_and_texts_of_the_list_stand_apart(capsys) -> None:
    assert cli.main(["audit", "--list"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line and not line.startswith("and the")]
    starts = {match.end() for line in lines if (match := re.match(r"(?:--form )?\S+ {2,}", line))}
    assert len(starts) == 1 and sum(line.startswith("--form ") for line in lines) > 10
    assert all(re.match(r"(?:--form )?\S+ {2,}\S", line) for line in lines), lines


def test_the_counts_of_givens_have_help(capsys) -> None:
    with pytest.raises(SystemExit) as end:
        kinds.main(["--help"])
    assert end.value.code == 0 and "usage: python -m simspec.report.kinds" in capsys.readouterr().out
