"""The table of best trees: by hand, from laws and files, and at the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from simspec.cli import main
from simspec.methods.tree import accepted_drafts
from simspec.tools.reading import Pairs
from simspec.tools.trees import child_rates, read_rates, trees


def test_shares_by_hand() -> None:
    row = trees([0.5, 0.25], sizes=[3], arity=1)[0]
    assert (row.best, row.chain, row.fixed, row.sequoia, row.tokens) == (1, 0.875, 0.875, 1, 2)
    assert row.held_out is None and trees([0.5, 0.25], sizes=[3], depth=1)[0].best == 0.75


def test_laws_and_halves() -> None:
    """Documents alternate: each half's tree is valued on the other half."""
    p = np.array([[0.5, 0.5, 0], [1, 0, 0], [0.5, 0.5, 0], [1, 0, 0]])
    q = np.array([[0.6, 0.4, 0]] * 4)
    pairs = Pairs(p, q, np.array([0, 1, 2, 3]), "by hand")
    assert child_rates(pairs, 2).tolist() == [[0.5, 0.5], [1, 0], [0.5, 0.5], [1, 0]]
    row = trees(pairs, sizes=[2], children=2)[0]
    assert row.best == row.chain == 0.75 + 0.75**2
    assert row.held_out == (1 + 0.75) / 2
    assert trees((p, q), sizes=[1], rule="iid")[0].best == pytest.approx(np.minimum(p, q).sum() / 4)


def test_children_without_replacement_accept_more(capsys) -> None:
    """Of the shipped bank: never less than independent draws up to the same child, and more of a tree with siblings."""
    assert main(["trees", "stories", "--nodes", "4", "--children", "3", "--rule", "swor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    independent = trees("stories", sizes=[4], children=3, rule="iid")
    upto = np.cumsum(found["rates"]), np.cumsum(independent.rates)
    assert (upto[0] >= upto[1] - 1e-12).all() and upto[0][1] > upto[1][1] + 0.01
    assert found["trees"][-1]["best"] > independent[0].best


def test_laws_at_the_command_line(tmp_path, capsys) -> None:
    laws = np.array([[0.5, 0.3, 0.2], [0.7, 0.2, 0.1]])
    np.savez(tmp_path / "laws.npz", p=laws, q=laws)
    assert main(["trees", str(tmp_path / "laws.npz"), "--nodes", "6", "--children", "3", "--draw"]) == 0
    out = capsys.readouterr().out
    assert "held out" in out and "├─ 1" in out
    assert main(["trees", "--bank", str(tmp_path / "laws.npz"), "--nodes", "6", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert [row["nodes"] for row in made["trees"]] == [1, 2, 4, 6]
    best = made["trees"][-1]
    assert best["best"] == pytest.approx(accepted_drafts(best["shape"], made["rates"]))


def test_measured_shares(tmp_path, capsys) -> None:
    file = tmp_path / "rates.json"
    file.write_text("[[0.5, 0.25], [0.0, 0.0]]")
    assert read_rates(file) == [[0.5, 0.25], [0.0, 0.0]]
    assert main(["trees", "--rates", str(file), "--nodes", "3"]) == 0
    assert "0.750" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["{}", "[]", "[1.5]", "[[0.5], [0.5, 0.1]]", '["a"]', "no"])
def test_bad_shares(tmp_path, text, capsys) -> None:
    file = tmp_path / "rates.json"
    file.write_text(text)
    assert main(["trees", "--rates", str(file)]) == 2
    assert "rates.json" in capsys.readouterr().err


@pytest.mark.parametrize("args", [[], ["wiki", "--bank", "wiki"], ["wiki", "--nodes", "0"]])
def test_bad_arguments(args, capsys) -> None:
    assert main(["trees", *args]) == 2
    assert "error" in capsys.readouterr().err
