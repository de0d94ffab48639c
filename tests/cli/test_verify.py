"""`simspec verify` as a user types it: claims of one's own, fewer claims, a bank, what it is at, and going on when stopped."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from simspec import cli
from simspec.claims.chosen import choose
from simspec.claims.deciding import verify as verify_module
from simspec.claims.deciding.kept import NAME
from simspec.cli.verify import _At
from tests.claims.outside_cases import folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return folder(tmp_path, monkeypatch)


def decided(out: Path) -> dict[str, str]:
    return {c["id"]: c["verdict"] for c in json.loads((out / "verdicts.json").read_text())["claims"]}


def test_a_claim_of_ones_own_gets_a_verdict_and_a_page(here, capsys) -> None:
    assert cli.main(["verify", "mine.py:own.false", "mine.py:TRUE", "--effort", "quick"]) == 0
    assert decided(here / "report") == {"own.false": "refuted", "own.true": "holds"}
    page = (here / "report" / "index.html").read_text()
    assert "simspec verify mine.py:TRUE --effort quick --seed 0" in page and "own.false" in page
    out, err = capsys.readouterr()
    (line,) = [line for line in err.splitlines() if "own.true" in line and "no counterexample" in line]
    extent = re.search(
        "no counterexample in (.*) exact trials, (up to [0-9]+ tokens, denominators up to [0-9]+)$", line
    )
    assert extent is not None and f"Exact trials: {extent[1]}, {extent[2]}." in page
    assert out.startswith("2 claims (2 of your own): 1 refuted, 1 holds; read ") and "changed" not in err


def test_the_last_line_counts_the_claims_by_their_origin(here, capsys) -> None:
    ids = ["sd.speedup-monotone", "sd.kernel-redistribution-sharp", "mine.py:TRUE"]
    assert cli.main(["verify", *ids, "--effort", "quick"]) == 0
    line = "3 claims (1 printed by the five papers, 1 own, 1 of your own): 2 proved, 1 holds; read report/index.html"
    assert capsys.readouterr().out.strip() == line


def test_a_crash_in_it_is_one_line_with_its_place(here, capsys) -> None:
    assert cli.main(["verify", "mine.py:own.crash", "--effort", "quick"]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert (
        last.startswith("simspec: error: own.crash: ZeroDivisionError: ")
        and "(mine.py:20); rerun: simspec verify " in last
    )


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["SD", "--verdict", "Refuted"], {"sd.inverse-proportional"}),
        (["sd", "--kind", "identity", "--kind", "bound", "--source", "lemma 2.3"], {"sd.acceptance"}),
    ],
)
def test_fewer_claims(here, words, names) -> None:
    assert cli.main(["verify", *words, "--effort", "quick"]) < 2
    assert set(decided(here / "report")) == names


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kind", "law"], "--kind: 'law'; expected one of identity"),
        (["sd", "--verdict", "inconclusive"], "--verdict inconclusive: none of"),
        (["--bank", "missing.safetensors"], "missing.safetensors"),
        (["mine.py:nothing"], "claim: 'mine.py:nothing' is not there; expected a Claim, such as mine.py:TRUE"),
    ],
)
def test_what_leaves_nothing_is_said(here, capsys, words, said) -> None:
    assert cli.main(["verify", *words, "--effort", "quick"]) == 2
    err = capsys.readouterr().err
    assert said in err and len(err.strip().splitlines()) == 1
    assert not (here / "report").exists()


def test_with_a_bank_only_what_it_can_change(here, capsys) -> None:
    words = ["verify", "sd.acceptance", "sqs.lossless", "mine.py:TRUE", "--bank", "stories", "--effort", "quick"]
    cli.main(words)
    assert set(decided(here / "report")) == {"own.true"}
    said = capsys.readouterr().err
    assert "deciding 1 of " in said and "those that depend on a bank" in said and "(--all decides them too)" in said
    cli.main(["verify", "sd.acceptance", "--bank", "stories", "--effort", "quick"])
    assert set(decided(here / "report")) == {"sd.acceptance"}
    assert "none of the chosen claims depends on a bank; deciding them anyway" in capsys.readouterr().err
    cli.main([*words, "--all"])
    assert {"sd.acceptance", "sqs.lossless", "own.true"} <= set(decided(here / "report"))
    assert "those that depend on a bank" not in capsys.readouterr().err


def test_a_stopped_run_goes_on_where_it_was(here, capsys, monkeypatch) -> None:
    ids = ["sd.acceptance", "csqs.telescoping", "sd.inverse-proportional", "mine.py:TRUE"]
    names = [c.claim.name for c in choose(ids)]
    work, seen = verify_module.verify_claim, []
    before = names.index("sd.inverse-proportional")

    def stopping(one, data):
        seen.append(one.claim.name)
        if seen == names[: before + 1]:
            raise KeyboardInterrupt
        return work(one, data)

    monkeypatch.setattr(verify_module, "verify_claim", stopping)
    words = ["verify", *ids, "--effort", "quick"]
    assert cli.main(words) == 130
    said = capsys.readouterr().err
    assert f"{before} verdicts are stored in {Path('report', NAME)}; run the same command to continue" in said
    assert [p.name for p in (here / "report").iterdir()] == [NAME]
    assert cli.main(words) < 2
    assert (
        f"reusing {before} of {len(names)} verdicts from a run with the same code, seed, effort and banks ("
        in capsys.readouterr().err
    )
    assert seen == [*names[: before + 1], *names[before:]]
    assert list(decided(here / "report")) == names


def test_another_run_starts_anew(here, monkeypatch, capsys) -> None:
    def stop(one, data):
        if one.claim.name == "sd.inverse-proportional":
            raise KeyboardInterrupt
        return work(one, data)

    work = verify_module.verify_claim
    with monkeypatch.context() as patched:
        patched.setattr(verify_module, "verify_claim", stop)
        assert cli.main(["verify", "sd.acceptance", "sd.inverse-proportional", "--effort", "quick"]) == 130
    cli.main(["verify", "sd.acceptance", "--effort", "quick", "--seed", "1"])
    assert "reusing" not in capsys.readouterr().err


def test_an_unchanged_second_run_decides_nothing_and_leaves_the_pages(here, capsys, monkeypatch) -> None:
    def never(*_):
        raise AssertionError("written again")

    words = ["verify", "sd.acceptance", "sd.inverse-proportional", "--effort", "quick"]
    assert cli.main(words) < 2  # 1 where a proof is not on record yet
    before, pages = decided(here / "report"), here / "report" / "index.html"
    with monkeypatch.context() as patched:
        patched.setattr("simspec.report.write", never)  # what decides is part of the key, so it is not replaced here
        capsys.readouterr()
        assert cli.main(words) < 2
        err = capsys.readouterr().err
        assert (
            "reusing 3 of 3 verdicts from a run with the same code, seed, effort and banks (--fresh decides all again)"
            in err
        )
    assert decided(here / "report") == before
    pages.unlink()
    assert cli.main(words) < 2 and pages.is_file()  # what is missing is made again


def test_fresh_decides_anew(here, capsys, monkeypatch) -> None:
    words = ["verify", "sd.acceptance", "--effort", "quick"]
    assert cli.main(words) < 2
    seen, work = [], verify_module.verify_claim
    monkeypatch.setattr(verify_module, "verify_claim", lambda one, data: seen.append(one.claim.name) or work(one, data))
    capsys.readouterr()
    assert cli.main([*words, "--fresh"]) < 2
    assert seen == ["sd.acceptance"] and "reusing" not in capsys.readouterr().err


def test_what_is_tried_less_is_said(here, capsys) -> None:
    assert cli.main(["verify", "rdk.percentage", "--effort", "quick"]) < 2
    said = capsys.readouterr().err
    assert (
        "claims with a recorded proof or counterexample: 25 exact trials instead of 120, 4 real contexts instead of 16"
        in said
    )
    assert cli.main(["verify", "rdk.long-tail", "--effort", "quick"]) < 2  # measured, not tried
    assert "counterexample on record" not in capsys.readouterr().err


def test_progress_names_what_it_is_at() -> None:
    at = _At(choose(["sd.acceptance", "sd.lossless"]), workers=1)
    assert at.words() == "deciding sd.acceptance"
    assert at.words("sd.acceptance") == "deciding sd.lossless"
    assert at.words("sd.lossless") == "deciding claims"


def test_progress_of_several_processes_names_a_task_each() -> None:
    at = _At(choose(["sd.acceptance", "rdk.long-tail", "rdk.frequent-quarter", "sd.lossless"]), workers=2)
    assert at.words() == "deciding rdk.long-tail …, sd.acceptance"
    assert at.words("sd.acceptance") == "deciding rdk.long-tail …, sd.lossless"


def test_the_command_line_sees_no_other_path_of_modules(here) -> None:
    """A file's folder joins the path, once."""
    for _ in range(2):
        cli.main(["verify", "mine.py:TRUE", "--effort", "quick"])
    assert sys.path.count(str(here)) <= 1


def test_a_profile_says_where_the_time_went(here, capsys) -> None:
    assert cli.main(["verify", "sd.acceptance", "--effort", "quick", "--profile"]) < 2
    said = capsys.readouterr().err
    assert "searching for counterexamples" in said and "writing the report" in said and "100 %" in said
    spent = json.loads((here / "report" / "profile.json").read_text())
    assert spent["search"] > 0 and spent["report"] > 0 and spent["wall"] > 0


BALLS = """
from simspec.claims.balls import enclose, power
from simspec.claims.authoring import bound


def laws(draw):
    return {"p": draw.law(draw.vocab())}


words = {"statement": "it holds", "reference": "nobody", "instances": laws}
EQUAL = bound(name="own.equal", lhs=lambda p: power(p, 1).sum(axis=-1), rhs=lambda: 1, **words)
MIXED = bound(name="own.mixed", lhs=lambda p: power(p, 2).sum(axis=-1) - p.sum(axis=-1), rhs=lambda: 0, **words)
"""


def test_what_balls_leave_open_is_said(here, capsys) -> None:
    (here / "balls.py").write_text(BALLS, encoding="utf-8")
    assert cli.main(["verify", "balls.py:EQUAL", "--effort", "quick"]) == 0
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "own.equal" in line]
    assert "holds" in line and line.endswith(" slacks are balls (certified enclosures) that contain 0")


def test_a_fraction_beside_a_ball_is_told_with_the_cure(here, capsys) -> None:
    (here / "balls.py").write_text(BALLS, encoding="utf-8")
    assert cli.main(["verify", "balls.py:MIXED", "--effort", "quick"]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert "(balls.py:12); enclose the fraction beside a ball (`simspec.claims.balls.enclose`); rerun:" in last
