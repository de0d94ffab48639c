"""`simspec rates FILE --drafts …` as a user types it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from simspec import cli


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A target alone, a pair, and two drafts, six rows each."""
    half, near, sure = (np.array([law] * 6) for law in ([0.5, 0.5], [0.75, 0.25], [1.0, 0.0]))
    np.savez(tmp_path / "target.npz", p=half)
    np.savez(tmp_path / "pair.npz", p=half, q=near)
    np.savez(tmp_path / "near.npz", q=near)
    np.savez(tmp_path / "sure.npz", q=sure)
    monkeypatch.chdir(tmp_path)


def test_tables_of_drafts_differences_and_policies(home, capsys) -> None:
    assert cli.main(["rates", "target.npz", "--drafts", "near.npz", "sure.npz", "--policy", "all"]) == 0
    out = capsys.readouterr().out
    for words in (
        "target.npz: 2 drafts on 6 contexts over 2 tokens, rule sd",
        "paired differences of acceptance, intervals that hold together at 95%",
        "near − sure",
        "+0.2500",
        "near is accepted most often: the intervals put it above every other draft up to a level of ",
        "leader   all drafts",
        "ucb      its own draft",
        "over 100 orders of these documents (seed 0)",
    ):
        assert words in out, words


def test_the_draft_of_a_pair_is_compared_too_and_drafts_have_names(home, capsys) -> None:
    assert cli.main(["rates", "pair.npz", "--drafts", "other=sure.npz", "--rule", "ears:0.1", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [draft["draft"] for draft in facts["drafts"]] == ["pair", "other"] and facts["rule"] == "ears:0.1"
    assert "policies" not in facts and facts["best"] == "pair"


def test_one_policy_with_its_options(home, capsys) -> None:
    options = ["--policy", "explore:1", "--orders", "3", "--seed", "2", "--json"]
    assert cli.main(["rates", "target.npz", "--drafts", "near.npz", "--drafts", "sure.npz", *options]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [row["policy"] for row in facts["policies"]] == ["explore:1"]
    assert (facts["orders"], facts["seed"]) == (3, 2)
    assert facts["policies"][0]["fixed"]["estimate"] == pytest.approx(0.25 / 6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["target.npz", "--drafts", "near.npz"], "drafts: only 'near'; expected two or more to compare"),
        (["target.npz", "--drafts", "near.npz", "near.npz"], "drafts: 'near.npz' is listed twice"),
        (["target.npz", "--drafts", "near.npz", "gone.npz"], "gone.npz"),
        (["target.npz"], "target.npz: holds p; expected p and q, or target and draft"),
        (["pair.npz", "--policy", "ucb"], "--policy: chooses among several drafts; expected --drafts DRAFT DRAFT too"),
        (["pair.npz", "--drafts", "sure.npz", "--policy", "ubc"], "policy: 'ubc', the nearest is ucb; expected one of"),
        (
            ["pair.npz", "--drafts", "sure.npz", "--rule", "sd", "--rule", "ears:1"],
            "--rule: sd, ears:1; expected one rule",
        ),
        (["pair.npz", "--drafts", "sure.npz", "--rule", "block"], "rule: 'block' judges the drafts of a step together"),
        (["pair.npz", "--drafts", "sure.npz", "--plot", "a.svg"], "--plot: draws rules, not drafts"),
        (["pair.npz", "--drafts", "sure.npz", "--policy", "ucb", "--orders", "1"], "orders: 1"),
    ],
)
def test_bad_input_exits_2_with_one_line(home, arguments, message, capsys) -> None:
    assert cli.main(["rates", *arguments]) == 2
    out, err = capsys.readouterr()
    line = next(line for line in err.splitlines() if message in line)
    assert line.startswith("simspec") and out == ""
