"""`simspec study` as a user types it: exit status, messages, files; and the tour of studies."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simspec import cli
from simspec.engine import devices
from simspec.engine import run as engine
from simspec.engine.store.results import Store
from simspec.studies.catalogue import find
from tests.engine.study_files import COINS

ROOT = Path(__file__).parents[2]
TOUR = ROOT / "docs" / "tours" / "studies.md"
ESCAPE = "\x1b"
LIMIT = 900
"""Seconds after which something hangs; nothing is decided by it."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    Path("coins.py").write_text(COINS)
    return tmp_path


def study(*words: object) -> int:
    return cli.main(["study", *map(str, words)])


# A shell that runs the tests in the background lets its children ignore Ctrl-C, and they theirs: hear it again.
AS_TYPED = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from simspec.cli import main
raise SystemExit(main())
"""


def start(*words: object, **options) -> subprocess.Popen:
    command = [sys.executable, "-c", AS_TYPED, "study", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, text=True, env=environment, **options)


def totals(folder: Path | str, name: str = "coins.py:coins") -> list:
    """What a directory says of a study: rows and statistics of every cell."""
    return [(r.rows, r.totals) for r in engine.results(find(name), folder)]


def rows_of(text: str) -> list[str]:
    """Lines of the table in an output."""
    return [line.rstrip() for line in text.splitlines() if re.match(r" +\d+ ", line)]


def test_list(capsys) -> None:
    assert study("list") == 0
    out = capsys.readouterr().out
    assert re.search(r"^acceptance +36 cells  How does", out, re.MULTILINE)
    assert "measures alpha, kept, accepted, accepted on a path, length" in out


def test_a_sure_coin(capsys) -> None:
    assert study("run", "coins.py:sure", "--rows", 200, "--of", "heads") == 0
    out, err = capsys.readouterr()
    heading = ["cell", "rows", "heads", "interval", "95", "%", "valid", "estimator", "saves", "decided"]
    assert out.splitlines()[0].split() == heading
    (row,) = rows_of(out)
    assert re.fullmatch(r" +0 +200 +1\.\d+ +\[0\.9\d+, 1\.\d+\] +every law +single draws +nothing +yes", row)
    assert "every cell: bias = 1" in out
    assert "1 of 1 cells decided" in err and "results in results/coins-sure" in err
    assert ESCAPE not in out + err
    assert {p.name for p in Path("results/coins-sure").iterdir()} >= {"manifest.json", "run.json"}


STEADIED = """
from dataclasses import replace

def tails(cell, rows, device):
    return {**flip(cell, rows, device), "heads": np.zeros(len(rows.numbers), bool)}

offers = replace(sure, steadier=lambda study, request: (replace(study, simulate=tails, steadier=None), request.stop))
"""


@pytest.mark.parametrize(("estimator", "mean"), [("auto", 0), ("plain", 1)])
def test_the_estimator_that_is_asked_for_is_run(estimator, mean, capsys) -> None:
    Path("coins.py").write_text(COINS + STEADIED)
    assert study("run", "coins.py:offers", "--rows", 200, "--of", "heads", "--estimator", estimator, "--json") == 0
    (result,) = json.loads(capsys.readouterr().out)["cells"]
    assert round(result["estimates"]["heads"]["mean"], 1) == mean


def test_running_again_goes_on(capsys) -> None:
    assert study("run", "coins.py:coins", "--dir", "d") == 0
    first = totals("d")
    out, err = capsys.readouterr()
    assert "0 rows in d" in err
    assert study("run", "coins.py:coins", "--dir", "d") == 0
    again, err = capsys.readouterr()
    assert again == out and totals("d") == first
    found = re.search(r"([\d,]+) rows in d;", err)
    assert found and int(found[1].replace(",", "")) >= sum(rows for rows, _ in first)
    assert study("run", "coins.py:coins", "--dir", "d", "--half-width", 0.02, "--of", "heads") == 0
    out, _ = capsys.readouterr()
    assert totals("d")[0] == first[0]  # at the study's own goal nothing has moved
    assert study("run", "coins.py:coins", "--dir", "fresh", "--half-width", 0.02, "--of", "heads") == 0
    assert rows_of(capsys.readouterr().out) == rows_of(out)


@pytest.mark.parametrize(
    ("options", "decided"),
    [
        (["--relative", "0.2", "--of", "sum"], 2),
        (["--above", "0.4", "--of", "both[1]"], 2),
        (["--above", "0.25", "--of", "heads", "--rows", "1000"], 1),  # the coin whose bias is 0.25 is never decided
        (["--rows", "300", "--simultaneous", "--level", "0.8"], 2),
        (["--budget", "1000", "--of", "heads"], 2),
        (["--budget", "1000", "--half-width", "0.02", "--of", "heads"], 0),  # for which the rows do not suffice
    ],
)
def test_goals(options, decided, capsys) -> None:
    assert study("run", "coins.py:coins", *options) == 0
    out, err = capsys.readouterr()
    assert f"{decided} of 2 cells decided" in err
    assert f"interval {90 if '--simultaneous' in options else 95} %" in out  # of two cells, 1 - (1 - 0.8) / 2 each


def test_a_budget_is_of_all_cells_together(capsys) -> None:
    assert study("run", "coins.py:coins", "--dir", "d", "--budget", 3000, "--of", "sum") == 0
    before = rows_of(capsys.readouterr().out)
    assert sum(r.rows for r in engine.results(find("coins.py:coins"), "d", stop=Never())) == 3000
    assert study("status", "d", "--of", "sum") == 0  # which reads the goal that was recorded
    assert rows_of(capsys.readouterr().out) == before


def test_a_goal_is_in_the_unit_of_the_measure() -> None:
    assert study("run", "coins.py:coins", "--dir", "d", "--half-width", 0.1, "--of", "sum") == 0  # of values up to 2
    for result in engine.results(find("coins.py:coins"), "d", stop=Never()):
        assert (result.estimates["sum"].high - result.estimates["sum"].low) / 2 <= 0.1


class Never:
    """A rule that never fires: results use every block."""

    reproducible = True

    def fired(self, blocks, level=0.95):
        return None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "nothing"], "study: 'nothing' is not known; expected one of acceptance, blocks, pruning"),
        (["run", "missing.py:s"], "no file missing.py"),
        (
            ["run", "acceptnce"],
            "study: 'acceptnce' is not known, the nearest is acceptance; expected one of acceptance, blocks",
        ),
        (
            ["run", "coins.py:coins", "--of", "head"],
            "--of head, the nearest is heads: expected one of heads, sum, both",
        ),
        (
            ["replay", "coins.py:coins", "--cell", '{"biasx": 1}', "--row", "0"],
            "no parameter 'biasx', the nearest is bias; expected one of bias",
        ),
        (["run", "coins.py:coin"], "is not there; expected a Study, such as coins.py:coins"),
        (["run", "coins.py:coins", "--seed", "-1"], "--seed -1: expected"),
        (["run", "coins.py:coins", "--rows", "0"], "--rows 0: expected"),
        (["run", "coins.py:coins", "--seconds", "0"], "--seconds 0.0: expected"),
        (["run", "coins.py:coins", "--level", "95"], "--level 95.0: expected"),
        (["run", "coins.py:coins", "--half-width", "0.1"], "--half-width: name the measure with --of: heads, sum"),
        (["run", "coins.py:coins", "--half-width", "-1", "--of", "sum"], "value: -1.0; expected a positive"),
        (["run", "coins.py:coins", "--budget", "0", "--of", "sum"], "--budget 0: expected a number of replications"),
        (
            ["run", "coins.py:coins", "--budget", "9", "--above", "1", "--of", "sum"],
            "--budget 9: expected a number of replications",
        ),
        (["run", "coins.py:coins", "--budget", "900", "--of", "sum", "--shard", "0/2"], "shard: 0/2; expected 0/1"),
        (["run", "coins.py:coins", "--of", "tails"], "--of tails: expected one of heads, sum, both"),
        (["run", "coins.py:coins", "--shard", "2/2"], "--shard 2/2: expected I/N"),
        (["run", "coins.py:coins", "--shard", "\u0661/\u0663"], "--shard \u0661/\u0663: expected I/N"),
        (["run", "coins.py:coins", "--shard", "0/1000000000"], "--shard 0/1000000000: expected I/N"),
        (["run", "coins.py:coins", "--shard", "1" * 5000 + "/4"], "expected I/N"),
        (["run", "coins.py:coins", "--workers", "1000000000"], "workers: 1000000000; expected at most 1024"),
        (["run", "coins.py:bracketed"], "measures: 'a[b]' of study 'bracketed'; expected text without brackets"),
        (["replay", "coins.py:coins", "--cell", "[" * 100_000, "--row", "0"], "expected a number, or JSON"),
        (["replay", "coins.py:coins", "--cell", "1" * 5000, "--row", "0"], "expected a number, or JSON"),
        (["replay", "coins.py:coins", "--cell", '{"a":' * 100_000, "--row", "0"], "expected a number, or JSON"),
        (["run", "coins.py:coins", "--workers", "0"], "workers: 0; expected at least one"),
        (["run", "coins.py:coins", "--device", "gpu"], "device: 'gpu'; study 'coins' runs on cpu only"),
        (["run", "coins.py:coins", "--dir", "coins.py"], "coins.py is a file; expected a directory"),
        (["status", "missing"], "DIR: missing; expected a directory of results"),
        (["status", "."], "has no manifest"),
        (["merge", "all", "missing"], "sources: missing; expected a directory"),
        (["compact", "missing"], "path: missing; expected a directory"),
        (["replay", "coins.py:coins", "--cell", "2", "--row", "0"], "--cell 2: expected a number from 0 to 1"),
        (["replay", "coins.py:coins", "--cell", "{", "--row", "0"], "--cell {: expected a number, or JSON"),
        (["replay", "coins.py:coins", "--cell", "{}", "--row", "0"], "--cell {}: matches 2 cells of the study"),
        (["replay", "coins.py:coins", "--cell", "[1]", "--row", "0"], "--cell [1]: expected a number, or JSON"),
        (["replay", "coins.py:coins", "--cell", "0", "--row", "-1"], "--row -1: expected"),
        (["plot", "missing"], "DIR: missing; expected a directory of results"),
    ],
)
def test_bad_input_exits_2_with_one_line_and_leaves_nothing(words, message, capsys, folder) -> None:
    assert study(*words) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert len(err.strip().splitlines()) == 1 and not out
    assert {p.name for p in folder.iterdir()} <= {"coins.py", "__pycache__"}


def test_brackets_in_a_cell_are_shown_as_they_are(capsys) -> None:
    assert study("run", "coins.py:named", "--rows", 100, "--dir", "d", "--of", "heads") == 0
    assert study("status", "d", "--of", "heads") == 0
    out, _ = capsys.readouterr()
    for value in ("wiki [dev]", "wiki [test]", "[/nope]", "$\\frac"):
        assert out.count(value) == 2, out
    assert study("plot", "d", "--x", "corpus", "--y", "heads", "-o", "a.svg") == 0
    assert study("plot", "d", "--hue", "corpus", "--y", "heads", "-o", "b.svg") == 0


def test_a_gpu_that_is_not_there_is_said_before_anything_runs(monkeypatch, capsys, folder) -> None:
    def missing(device):
        raise ValueError("device: no usable GPU")

    monkeypatch.setattr(devices, "use", missing)
    assert study("run", "acceptance", "--device", "gpu") == 2
    assert capsys.readouterr().err == "simspec: error: device: no usable GPU\n"
    assert not (folder / "results").exists()


def test_two_goals_at_once_are_bad_usage(capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        study("run", "coins.py:coins", "--half-width", 1, "--above", 1)
    assert stop.value.code == 2
    assert "not allowed with" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["list", "run", "status", "merge", "rebuild", "compact", "replay", "plot"])
def test_help_shows_an_example(command, capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        study(command, "--help")
    assert stop.value.code == 0
    assert f"example: simspec study {command}" in capsys.readouterr().out


def test_a_failed_cell_exits_1_and_says_how_to_replay_it(capsys) -> None:
    assert study("run", "coins.py:broken", "--rows", 300, "--dir", "d") == 1
    out, err = capsys.readouterr()
    assert "cell 1 failed: RuntimeError: a coin cannot be like that" in err
    states = [row.split()[-1] for row in rows_of(out)]
    assert states[0] == "yes" and states[-1] == "failed"
    hint = re.search(r"replay: simspec (study replay .*) --pdb", err)
    assert hint and cli.main(shlex.split(hint[1])) == 1
    assert 'raise RuntimeError("a coin cannot be like that")' in capsys.readouterr().err
    assert study("status", "d") == 1
    assert "cell 1 failed: RuntimeError" in capsys.readouterr().err
    Path("coins.py").write_text(COINS.replace("> 1:", "> 9:"))
    assert study("run", "coins.py:broken", "--rows", 300, "--dir", "d") == 2
    assert "--accept-code" in capsys.readouterr().err
    assert study("run", "coins.py:broken", "--rows", 300, "--dir", "d", "--accept-code") == 0


def test_shards_merged_are_the_whole(capsys) -> None:
    for part in range(2):
        assert study("run", "coins.py:coins", "--rows", 1000, "--shard", f"{part}/2", "--dir", f"part-{part}") == 0
    err = capsys.readouterr().err
    assert "merge the parts with simspec study merge" in err and "cells decided in" not in err
    assert study("merge", "all", "part-0", "part-1") == 0
    assert study("run", "coins.py:coins", "--rows", 1000, "--dir", "whole") == 0
    capsys.readouterr()
    assert study("status", "all") == 0
    merged = capsys.readouterr().out
    assert study("status", "whole") == 0
    assert rows_of(capsys.readouterr().out) == rows_of(merged) != []
    assert totals("all") == totals("whole") != totals("part-0")


def test_merging_what_disagrees_is_refused(capsys) -> None:
    assert study("run", "coins.py:coins", "--dir", "one") == 0
    assert study("run", "coins.py:coins", "--dir", "two", "--seed", 1) == 0
    assert study("merge", "all", "one", "two") == 2
    assert "seed" in capsys.readouterr().err
    assert not Path("all").exists() or not list(Path("all").iterdir())


def test_compact_keeps_every_number(capsys) -> None:
    for rows in (100, 200, 300):
        assert study("run", "coins.py:coins", "--dir", "d", "--rows", rows) == 0
    before = totals("d")
    assert study("compact", "d") == 0
    assert "3 segments became segment-" in capsys.readouterr().out
    assert len(list(Path("d").glob("segment-*"))) == 1 and totals("d") == before


def test_a_replayed_row_is_that_row(capsys) -> None:
    whole = find("coins.py:coins")
    values = engine.simulate(whole, whole.grid[1], 7, range(200, 300))
    assert study("replay", "coins.py:coins", "--cell", '{"bias": 0.5}', "--row", 250, "--seed", 7) == 0
    out = capsys.readouterr().out
    assert 'row 250 of {"bias": 0.5}' in out
    shown = dict(line.split(" = ") for line in out.splitlines()[1:])
    assert {n: json.loads(v) for n, v in shown.items()} == {n: v[50].tolist() for n, v in values.items()}


def test_replay_under_the_debugger() -> None:
    words = ["replay", "coins.py:coins", "--cell", "1", "--row", "3", "--pdb"]
    done = start(*words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = done.communicate("p rows.numbers\nc\n", timeout=LIMIT)
    assert "range(3, 4)" in out and "heads = " in out and not err


def test_a_time_limit_says_that_it_is_not_reproducible(capsys) -> None:
    assert study("run", "coins.py:slow", "--seconds", 0.3, "--rows", 3000, "--dir", "d") == 0
    out, err = capsys.readouterr()
    assert "0 of 2 cells decided" in err and "stopped by --seconds; another run may stop at another row" in err
    assert {row.split()[-1] for row in rows_of(out)} == {"no"}


def test_status_while_it_runs_then_ctrl_c_then_on(capsys, monkeypatch) -> None:
    said = re.compile(r"^0/2 cells decided, .* rows/s, at most .* left, .* so far; cell \d", re.MULTILINE)
    with Path("err").open("w") as err_file:
        running = start("run", "coins.py:slow", "--dir", "d", stdout=subprocess.PIPE, stderr=err_file)
        try:
            limit = time.monotonic() + LIMIT
            while not (list(Path("d").glob("segment-*")) and said.search(Path("err").read_text())):
                assert time.monotonic() < limit, Path("err").read_text()
                time.sleep(0.1)
            assert study("status", "d", "--study", "coins.py:slow") == 0
            out, _ = capsys.readouterr()
            assert "coins: How often heads?" in out and "0 of 2 cells decided" in out and len(rows_of(out)) >= 4
            running.send_signal(signal.SIGINT)
            out, _ = running.communicate(timeout=LIMIT)
        finally:
            running.kill()
    err = Path("err").read_text()
    assert running.returncode == 130
    assert "interrupted; all finished blocks are stored in d. Run the same command to continue." in err
    assert "files of earlier runs" not in err and "Traceback" not in err and ESCAPE not in out + err
    kept = Store("d")
    there = max(int(kept.done(design).max()) + 1 for design in kept.designs())
    assert there > 10
    most = 100 * (there + 3)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    assert study("run", "coins.py:slow", "--dir", "d", "--rows", most) == 0
    assert study("run", "coins.py:slow", "--dir", "afresh", "--rows", most) == 0
    assert totals("d", "coins.py:slow") == totals("afresh", "coins.py:slow")


def test_status_of_results_that_python_wrote(capsys) -> None:
    engine.run(find("coins.py:coins"), "d")
    assert study("status", "d") == 2
    assert "name the study with --study" in capsys.readouterr().err
    assert study("status", "d", "--study", "coins.py:coins") == 0
    assert "2 of 2 cells decided" in capsys.readouterr().out
    assert study("status", "d", "--study", "blocks") == 2
    assert "--study: 'blocks' with 512 rows a block; expected 'coins' with 100" in capsys.readouterr().err


def test_a_terminal_gets_a_display_that_moves() -> None:
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    options = {"stdout": subprocess.DEVNULL, "stderr": slave}
    with start("run", "coins.py:slow", "--rows", 1000, "--dir", "d", **options) as running:
        os.close(slave)
        seen = b""
        while True:
            try:
                data = os.read(master, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            if not data:
                break
            seen += data
    os.close(master)
    text = seen.decode()
    assert running.returncode == 0 and ESCAPE in text
    assert re.search("[01]/2 cells decided, [1-9][0-9,]* rows", text) and "interval 95 %" in text


def test_workers_change_nothing() -> None:
    pytest.importorskip("distributed")
    assert study("run", "coins.py:coins", "--dir", "here") == 0
    done = start("run", "coins.py:coins", "--dir", "there", "--workers", 2, stderr=subprocess.PIPE)
    _, err = done.communicate(timeout=LIMIT)
    assert done.returncode == 0, err
    assert totals("here") == totals("there")


@pytest.mark.parametrize(("name", "first"), [("a.svg", b"<?xml"), ("a.png", b"\x89PNG"), ("sub/a.pdf", b"%PDF")])
def test_plot(name, first, capsys, folder) -> None:
    assert study("run", "coins.py:coins", "--dir", "d") == 0
    assert study("plot", "d", "-o", name) == 0
    assert capsys.readouterr().out.splitlines()[-1] == name
    assert Path(name).read_bytes().startswith(first)
    assert not list(folder.rglob("*.partial"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "a.txt"], "-o: a.txt; expected a name that ends in .svg, .png, .pdf"),
        (["--x", "colour"], "--x: 'colour'; expected one of bias"),
        (["--x", "biasx"], "--x: 'biasx', the nearest is bias; expected one of bias"),
        (["--where", "biasx=3"], "--where biasx=3, the nearest is bias: expected PARAM=VALUE with one of bias"),
        (["--where", "colour=3"], "--where colour=3: expected PARAM=VALUE with one of bias"),
        (["--y", "tails"], "--y: 'tails'; expected one of heads, sum, both[0], both[1]"),
        (["--where", "bias"], "--where bias: expected PARAM=VALUE"),
        (["--where", "bias=3"], "has no results where bias=3"),
    ],
)
def test_plot_refuses(options, message, capsys) -> None:
    assert study("run", "coins.py:coins", "--dir", "d") == 0
    before = set(Path("d").iterdir())
    assert study("plot", "d", *options) == 2
    assert message in capsys.readouterr().err
    assert set(Path("d").iterdir()) == before


def test_the_tutorial(capsys) -> None:
    part = TOUR.read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n# temperature.py\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)
    assert len(code.splitlines()) <= 20
    Path("temperature.py").write_text(code)
    commands = [line.split("  #")[0] for line in re.findall("^simspec (study .*)$", part, re.MULTILINE)]
    assert len(commands) == 10
    for command in commands:
        assert cli.main(shlex.split(command)) == 0, command
    assert "8 of 8 cells decided" in capsys.readouterr().out
    assert Path("temperature.svg").stat().st_size > 1000
