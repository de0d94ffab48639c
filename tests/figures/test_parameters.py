"""Parameters of a figure's study: which there are, what is refused, and what a simulation with other values leaves behind."""

from __future__ import annotations

import pytest

from simspec import cli
from simspec.figures.gallery import figures, find, rerun, rows
from simspec.figures.parameters import check_values, defaults, read_values
from simspec.figures.table import load
from simspec.studies.rdk.pruning import KEPT, synthetic_pruning

PRUNING = figures()["rdk.pruning"]


@pytest.mark.parametrize("name", sorted(figures()))
def test_every_effort_gives_values_that_may_be_set(name) -> None:
    figure = figures()[name]
    assert set(figure.sizes) <= {"quick", "deep"}
    for effort in ("default", "deep"):
        values = defaults(figure, effort)
        assert check_values(figure, values) == values


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            ["vocab"],
            "--set: 'vocab'; expected PARAMETER=VALUE; of rdk.pruning, expected one of vocab, temperature, rows, tuning",
        ),
        (
            ["vocabb=3"],
            "--set vocabb: no parameter of rdk.pruning, the nearest is vocab; expected one of vocab, temperature, rows, tuning",
        ),
        (["colour=3"], "--set colour: no parameter of rdk.pruning; expected one of vocab, temperature, rows, tuning"),
        (["vocab=many"], "--set vocab: 'many'; expected a whole number of at least 16 (default 200000)"),
        (["vocab=15"], "--set vocab: 15; expected a whole number of at least 16 (default 200000)"),
        (["vocab=1e5"], "--set vocab: 100000.0; expected a whole number of at least 16 (default 200000)"),
        (["rows=1"], "--set rows: 1; expected a whole number of at least 2 (default 24)"),
        (["temperature=0"], "--set temperature: 0; expected a number above 0 (default 1)"),
        (["temperature=nan"], "--set temperature: nan; expected a number above 0 (default 1)"),
        (["rows=3", "rows=4"], "--set rows: given twice, 3 and 4; expected one value"),
    ],
)
def test_a_value_that_does_not_fit_is_named(texts, message) -> None:
    with pytest.raises(ValueError) as refused:
        read_values(PRUNING, texts)
    assert str(refused.value) == message


def test_what_a_figure_has_no_parameter_for_is_refused_before_anything_is_simulated(tmp_path, capsys) -> None:
    words = ["figures", "rdk.pruning", "pad.table1", "--set", "vocab=300", "--out", str(tmp_path)]
    assert cli.main(words) == 2
    assert capsys.readouterr().err == "simspec: error: --set vocab: no parameter of pad.table1; it has none\n"
    assert not list(tmp_path.iterdir())


def test_other_values_are_simulated_and_stand_beside_the_others(tmp_path, capsys) -> None:
    words = ["figures", "rdk.pruning", "--effort", "quick", "--format", "png", "--out", str(tmp_path)]
    assert cli.main([*words, "--set", "vocab=300", "--set", "temperature=0.6"]) == 0
    assert cli.main(words) == 0
    said = capsys.readouterr().out
    assert "rdk.pruning: simulated with vocab = 300, temperature = 0.6: " in said
    picture = tmp_path / "rdk/pruning_vocab=300_temperature=0.6.png"
    assert picture.read_bytes() != (tmp_path / "rdk/pruning.png").read_bytes()
    made, manifest = load(tmp_path / "data/rdk.pruning_vocab=300_temperature=0.6.parquet")
    assert manifest["set"] == {"vocab": 300, "temperature": 0.6}
    assert manifest["command"].endswith("--effort quick --seed 0 --set vocab=300 --set temperature=0.6")
    assert max(made.column("x")) == 300 and len(made.panels()) == 6


def test_the_shipped_rows_are_those_of_the_default_values() -> None:
    assert max(rows("rdk.pruning").column("x")) == defaults(PRUNING)["vocab"]
    plain, tempered = synthetic_pruning(1000), synthetic_pruning(1000, temperature=0.5)
    assert "temperature" not in plain.grid[0] and tempered.grid[0]["temperature"] == 0.5


def test_a_lower_temperature_makes_unlike_laws_and_a_lower_uniform_plateau() -> None:
    """Σ min(p, 1/V) falls as p grows sharper: of 2 rows a cell, on average over three cells of equal means."""
    level = {}
    for temperature in (1, 0.5):
        made, _ = rerun(PRUNING, "quick", values={"temperature": temperature, "vocab": 1000})
        level[temperature] = [p.y for p in made.of(series="uniform")][:: len(KEPT)]
    assert sum(level[0.5]) < sum(level[1]) - 0.1


def test_more_contexts_than_a_bank_has_are_refused() -> None:
    (front,) = find(["ears.front"])
    with pytest.raises(ValueError, match="rows: more than 300; expected at most 300, the contexts of the bank wiki"):
        rerun(front, "quick", values={"rows": 301, "vocab": 16})


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("rdk.prunning", "rdk.pruning"), ("rdk/pruning", "rdk.pruning"), ("pruning", "rdk.pruning"), ("tacs", "tasc")],
)
def test_a_misspelt_figure_is_told_its_nearest(name, nearest) -> None:
    with pytest.raises(ValueError) as refused:
        find([name])
    start = f"figure: {name!r}, the nearest is {nearest}; expected a name of `simspec figures --list`, or one of rdk,"
    assert str(refused.value).startswith(start)
