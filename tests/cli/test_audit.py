"""`simspec audit` as a user types it."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from simspec import cli
from simspec.audit.adapters import FORMS, TARGETS, Adapted, Target, judging
from simspec.loading import load
from tests.small_banks import write_small_bank

SAMPLERS = """
import time
import numpy as np
from simspec.audit.reference import speculative

number = 3

def stale(p, q, n, rng):
    return speculative(p * 0 + p[:1], q, n, rng)

def broken(p, q, n, rng):
    return None

def slow(p, q, n, rng):
    time.sleep(3)
    return speculative(p, q, n, rng)

def verify(p, q, drafts, rng):
    return speculative(p[0], q[0], len(drafts), rng)

def with_uniforms(p, q, drafts, uniforms):
    kept = uniforms[:, 0] * q[0, drafts[:, 0]] < p[0, drafts[:, 0]]
    left = np.maximum(p[0] - q[0], 0)
    def draw(law):
        return (uniforms[:, 1:] * law.sum() >= law.cumsum()[None]).sum(axis=1)
    refused = draw(left if left.any() else p[0])
    return np.stack([np.where(kept, drafts[:, 0], refused), np.where(kept, draw(p[1]), -1)], axis=1)

def one_sibling(p, q, drafts, uniforms):
    taken = uniforms[:, 0] <= p[0, drafts[:, 0, 0]]
    other = np.where(drafts[:, 0, 0] == 0, 1, 0)
    return np.stack([np.where(taken, drafts[:, 0, 0], other), np.where(taken, uniforms[:, 1] >= p[1, 0], -1)], axis=1)

def by_prefix(p, q, n, rng):
    first = (rng.random(n) >= p[0][0]).astype(int)
    return np.stack([first, (rng.random(n) >= p[1][first, 0]).astype(int)], axis=1)

def ragged(p, q, drafts, uniforms):
    return with_uniforms(p, q, np.maximum(drafts, 0), uniforms)

def some_form(a, b, c, d):
    return speculative(a[0], b[0], len(c), d)

def stale_with_uniforms(p, q, drafts, uniforms):
    return with_uniforms(p[[0, 0]], q, drafts, uniforms)
"""
SMALL = ["--gamma", "1", "--vocab", "2", "--no-edges"]


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
    assert "undecided" in capsys.readouterr().out


def test_the_command_that_decides_is_printed_and_decides(mine, capsys) -> None:
    """The number of calls is computed: a quarter of them still decides nothing (the negative control)."""
    words = ["audit", f"{mine}:speculative", *SMALL]
    assert cli.main([*words, "--calls", "500"]) == 3
    out, err = capsys.readouterr()
    calls = int(re.search(r"`--calls (\d+)`", out)[1])
    assert f"to decide it, run: simspec {shlex.join(words)} --calls {calls}" in err
    assert cli.main([*words, "--calls", str(calls)]) == 0
    assert cli.main([*words, "--calls", str(calls // 4)]) == 3


def test_calls_go_on_until_it_is_decided(mine, capsys, monkeypatch) -> None:
    words = ["audit", f"{mine}:speculative", "--gamma", "1", "--vocab", "2", "--calls", "auto"]
    assert cli.main([*words, "--tv-limit", "0.1", "--json", "-"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert all(finding["tv"][1] <= 0.1 for finding in report["tried"])
    assert len({finding["calls"] for finding in report["tried"]}) > 1  # a pair that is decided is called no more
    assert cli.main(["audit", f"{mine}:stale", *SMALL, "--calls", "auto"]) == 1
    monkeypatch.setattr("simspec.audit.sequential.AUTO", 1000)
    assert cli.main(words) == 3
    with pytest.raises(SystemExit):
        cli.main([*words[:-1], "many"])
    assert "'many'; expected a number of calls, or auto" in capsys.readouterr().err


def test_where_time_ended_no_number_of_calls_is_advised(mine, capsys) -> None:
    """A call takes longer than all of the audit may; without --within the command that decides is printed."""
    assert cli.main(["audit", f"{mine}:slow", *SMALL, "--calls", "500", "--within", "1"]) == 3
    out, err = capsys.readouterr()
    assert "use a larger --within" in out and "to decide it" not in err


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


def test_known_samplers_and_forms_are_listed_with_versions(capsys, monkeypatch) -> None:
    monkeypatch.setattr(Target, "version", property(lambda t: "9.9" if t.name == "transformers" else None))
    assert cli.main(["audit", "--list"]) == 0
    out = capsys.readouterr().out
    assert f"_speculative_sampling: 9.9 (tested with {TARGETS[0].tried})" in out
    assert "rejection_step: not installed: pip install flashspec==0.3.1 torch" in out
    assert out.count("--form ") == len(FORMS) and out.count("not installed") == len(TARGETS) - 1


def test_a_function_of_another_form(mine, capsys) -> None:
    told = ["--form", "numpy", *SMALL, "--calls", "2000", "--tv-limit", "0.2"]
    assert cli.main(["audit", f"{mine}:verify", *told]) == 0
    assert cli.main(["audit", f"{mine}:speculative", *told]) == 2
    err = capsys.readouterr().err
    assert "speculative takes (p, q, n, rng); expected (p, q, drafts, rng)" in err and "leave out --form" in err


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("verify", [], "verify takes (p, q, drafts, rng); expected (p, q, n, rng)"),
        ("verify", [], "--form numpy"),
        ("with_uniforms", [], "add --exact, or --form uniforms"),
        ("verify", ["--exact"], "add --form numpy"),
        ("speculative", ["--exact"], "leave out --form and --exact"),
        ("some_form", [], "returns tokens when it is called with (p, q, drafts, rng): add --form numpy"),
        ("some_form", ["--form", "one"], "add --form numpy"),
    ],
)
def test_a_sampler_of_another_form_is_told_its_form(mine, name, options, words, capsys) -> None:
    """By the names of what it takes, or by what it returns; it is not called broken."""
    assert cli.main(["audit", f"{mine}:{name}", *SMALL, *options]) == 2
    out, err = capsys.readouterr()
    assert words in err and "broken" not in out


ENDS = """
import os
from os import {} as leave
def sampler(p, q, n, rng):
    {}
    leave(0)
"""


@pytest.mark.parametrize(
    "lines",
    [("_exit", "leave(0)"), ("_exit", "os._exit(0)"), ("abort", "raise SystemExit(0)")],
    ids=["name", "attribute", "exit"],
)
def test_a_sampler_that_ends_the_process_is_broken(tmp_path, lines) -> None:
    (tmp_path / "ends.py").write_text(ENDS.format(*lines))
    files = [tmp_path / "out.json", tmp_path / "out.xml"]
    command = ["audit", f"{tmp_path / 'ends.py'}:sampler", *SMALL, "--json", str(files[0]), "--junit", str(files[1])]
    done = subprocess.run([sys.executable, "-m", "simspec", *command], capture_output=True, text=True)
    assert done.returncode == 1 and "would end the process" in done.stdout
    assert json.loads(files[0].read_text())["verdict"] == "broken" and 'errors="1"' in files[1].read_text()


def test_what_ends_the_process_unseen_leaves_a_report(tmp_path) -> None:
    """The library's own `_exit` raises nothing: the files say that there is no verdict.  They do not where there is one."""
    (tmp_path / "ends.py").write_text("import ctypes\ndef sampler(p, q, n, rng):\n    ctypes.CDLL(None)._exit(0)\n")
    files = [tmp_path / "out.json", tmp_path / "out.xml"]
    reports = ["--json", str(files[0]), "--junit", str(files[1])]
    command = ["audit", f"{tmp_path / 'ends.py'}:sampler", *SMALL, *reports]
    subprocess.run([sys.executable, "-m", "simspec", *command], capture_output=True, check=False)
    assert json.loads(files[0].read_text())["fault"].startswith("no verdict") and "no verdict" in files[1].read_text()
    assert cli.main(["audit", "simspec.audit.reference:speculative", *SMALL, "--calls", "250", *reports]) == 3
    assert not any("no verdict" in file.read_text() for file in files)


def test_the_exact_law(mine, capsys) -> None:
    told = ["--exact", "--uniforms", "2", *SMALL]
    assert cli.main(["audit", f"{mine}:with_uniforms", *told]) == 0
    assert "with_uniforms: lossless on each of" in capsys.readouterr().out
    assert cli.main(["audit", f"{mine}:stale_with_uniforms", *told, "--json", "-"]) == 1
    assert json.loads(capsys.readouterr().out)["first"]["exact_tv"] == "1/4"


def test_a_tree_with_uniforms_on_a_grid(mine, capsys) -> None:
    told = ["audit", f"{mine}:one_sibling", *SMALL, "--exact", "--uniforms", "2", "--drafts", "top:1", "--grid", "24"]
    assert cli.main(told) == 1
    assert "biased by TV 1/16777216" in capsys.readouterr().out


def test_laws_by_prefix_and_rows_of_other_lengths(mine, capsys) -> None:
    assert cli.main(["audit", f"{mine}:by_prefix", *SMALL, "--prefixes", "--calls", "1000", "--tv-limit", "0.3"]) == 0
    assert "lossless" in capsys.readouterr().out
    exact = ["audit", f"{mine}:ragged", *SMALL, "--exact", "--uniforms", "2"]
    assert (cli.main(exact), cli.main([*exact, "--ragged"])) == (0, 1)
    assert "emits 2 tokens in a row with 0 draft tokens" in capsys.readouterr().out


def test_a_declared_bias_ends_with_0(mine, capsys) -> None:
    told = ["audit", f"{mine}:stale", *SMALL, "--calls", "4000"]
    assert cli.main([*told, "--max-tv", "0.9"]) == 0
    assert "stale: lossy as declared: TV at most" in capsys.readouterr().out
    assert cli.main([*told, "--max-tv", "0.1"]) == 1


def test_laws_of_a_bank(mine, tmp_path, capsys) -> None:
    bank = write_small_bank(tmp_path, 7)
    told = ["audit", f"{mine}:speculative", "--bank", bank, "--rows", "2", "--calls", "3000", "--tv-limit", "0.2"]
    assert cli.main([*told, "--json", "-"]) == 0
    tried = json.loads(capsys.readouterr().out)["tried"]
    assert [finding["laws"] for finding in tried] == ["small-7, row 0", "small-7, row 21"]
    assert all(sum(law) == pytest.approx(1) for finding in tried for law in finding["p"] + finding["q"])
    assert cli.main([*told, "--rows", "99"]) == 2
    assert "rows: 99; expected at most 22" in capsys.readouterr().err


def test_a_package_is_judged_by_all_its_samplers(mine, tmp_path, capsys, monkeypatch) -> None:
    """The worst verdict counts: 1 before 3 before 0."""
    named = load(f"{mine}:stale", "sampler", object), load(f"{mine}:speculative", "sampler", object)
    monkeypatch.setattr(judging, "subjects", lambda *given: [
        judging.Subject(f"some.{i}", "1.0", Adapted(f), {"calls": 500, "tv_limit": 0.05}) for i, f in enumerate(named)
    ])  # fmt: skip
    files = [tmp_path / name for name in ("out.xml", "out.md")]
    told = ["audit", "some", *SMALL, "--json", "-", "--junit", str(files[0]), "--markdown", str(files[1])]
    assert cli.main(told) == 1
    reports = json.loads(capsys.readouterr().out)
    assert [(r["sampler"], r["verdict"]) for r in reports] == [("some.0 1.0", "biased"), ("some.1 1.0", "undecided")]
    suites = ElementTree.parse(files[0]).getroot()
    assert [(s.get("name"), s.get("failures"), s.get("errors")) for s in suites] == [
        ("some.0 1.0", "1", "0"),
        ("some.1 1.0", "1", "0"),
    ]
    assert "biased by TV" in suites[0].find("testcase/failure").text
    assert files[1].read_text().count("### simspec audit some.") == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mine"], "sampler: 'mine'; expected FILE.py:NAME"),
        (["blockx"], "sampler: 'blockx', the nearest is block; expected FILE.py:NAME"),
        (["rrss:2"], "sampler: 'rrss:2', the nearest is rrs; expected FILE.py:NAME"),
        (["vllm.prob"], "sampler: 'vllm.prob', the nearest is vllm.probs; expected FILE.py:NAME"),
        (["MINE:stale", "--form", "uniform"], "form: 'uniform', the nearest is uniforms; expected one of numpy"),
        (["no/file.py:f"], "sampler: no file no/file.py"),
        (["no_such_module:f"], "sampler: module 'no_such_module' cannot be loaded (ModuleNotFoundError"),
        (["FAILS:f"], "fails.py cannot be loaded (ZeroDivisionError"),
        (["MINE:nothing"], "is not there; expected a Callable"),
        (["MINE:number"], "is a int; expected a Callable"),
        (["MINE:stale", "--gamma", "-1"], "gamma: -1"),
        (["MINE:stale", "--calls", "0"], "calls: 0"),
        (["MINE:stale", "--error", "0"], "error: 0"),
        (["MINE:stale", "--seed", "-1"], "--seed: -1"),
        ([], "SAMPLER: missing"),
        (["MINE:stale", "--form", "other"], "form: 'other'; expected one of numpy"),
        (["MINE:verify", "--form", "numpy", "--exact"], "cannot be passed"),
        (
            ["MINE:stale", "--uniforms", "2"],
            "--uniforms: 2; expected a positive number of uniforms, together with --exact",
        ),
        (["MINE:stale", "--grid", "8"], "--grid, --ragged: work only with --exact"),
        (["MINE:with_uniforms", "--exact", "--grid", "40"], "grid: 40"),
        (["MINE:with_uniforms", "--exact", "--drafts", "top"], "drafts: 'top'; expected one of top:K"),
        (["MINE:stale", "--max-tv", "2"], "max_tv: 2.0"),
        (["MINE:stale", "--call-timeout", "0"], "call_timeout: 0.0"),
        (["MINE:stale", "--within", "0"], "--within: 0.0"),
        (["MINE:stale", "--within", "0.05"], "expected seconds, one or more; the largest TV is --tv-limit"),
        (["MINE:stale", "--bank", "nowhere"], "nowhere"),
        (["MINE:stale", "--vocab", "4000", "--processor", "top-k:2"], "expected at most 52, or laws of your own"),
    ],
)
def test_bad_usage_ends_with_2(mine, arguments, words, capsys) -> None:
    arguments = [a.replace("MINE", str(mine)).replace("FAILS", str(mine.with_name("fails.py"))) for a in arguments]
    assert cli.main(["audit", *arguments]) == 2
    assert words in capsys.readouterr().err
