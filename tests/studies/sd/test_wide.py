"""Acceptance at wide vocabularies: the limit by hand and by quadrature, controls, and rows of the stored laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from simspec.cli import main
from simspec.engine import run as engine
from simspec.engine.choice import advice, chosen_estimator
from simspec.engine.study import Rows, simulate
from simspec.kernels import random as philox
from simspec.laws import overlap, softmax
from simspec.studies import Control, HalfWidth, Mean, Study, levels
from simspec.studies.ears.relaxed import relaxed_curves
from simspec.studies.levels import LEVELS, WHOLE_ROWS
from simspec.studies.pairs import synthetic_logits
from simspec.studies.sd.wide import VOCAB, gaussian_limit, heavy_tails, to_first_order, wide_vocabulary


def test_limit_by_hand() -> None:
    assert gaussian_limit(1, 1) == gaussian_limit(0, -1) == 1
    assert gaussian_limit(2, -1) == pytest.approx(2 * stats.norm.cdf(-2))
    assert gaussian_limit(2, 0.5) == pytest.approx(2 * stats.norm.cdf(-1))


@pytest.mark.parametrize(("scale", "rho"), [(1.0, 0.0), (2.0, 0.9), (0.5, -0.5)])
def test_limit_is_the_mean_of_the_smaller_of_two_log_normals(scale, rho) -> None:
    """By quadrature over X; given X, Y is normal, and the mean of min(e^x, e^Y) has a closed form."""
    rest = scale * np.sqrt(1 - rho**2)

    def inner(x: float) -> float:
        z = (x - rho * x) / rest
        below = np.exp(rho * x + rest**2 / 2) * stats.norm.cdf(z - rest)
        return (below + np.exp(x) * stats.norm.sf(z)) * np.exp(-(scale**2) / 2) * stats.norm.pdf(x / scale) / scale

    ends = scale * np.array([-12, 12]) + [0, scale**2]
    assert gaussian_limit(scale, rho) == pytest.approx(integrate.quad(inner, *ends, limit=200)[0], rel=1e-7)


@pytest.mark.parametrize(
    ("scale", "rho", "message"),
    [(-1, 0, "scale: -1"), (np.inf, 0, "scale: inf"), (1, 1.1, "rho: 1.1"), (1, np.nan, "rho")],
)
def test_limit_refuses(scale, rho, message) -> None:
    with pytest.raises(ValueError, match=message):
        gaussian_limit(scale, rho)


def test_controls_and_the_limit() -> None:
    """Over 40 seeds Gaussian cells came within 0.0041 of the limit, and Student-t ones with rho < 0.9 no nearer than 0.07."""
    for cell in wide_vocabulary(vocabs=(20_000,)).grid + heavy_tails(vocabs=(20_000,)).grid:
        found = simulate(wide_vocabulary(), cell, 0, range(32))
        alpha, limit = found["alpha"], found["limit"]
        assert (limit == gaussian_limit(cell["scale"], cell["rho"])).all() and alpha.shape == limit.shape == (32,)
        if cell["rho"] == 1:
            assert (alpha > 1 - 1e-6).all() and (alpha <= 1).all()
        elif cell["family"] == "gaussian":
            assert abs(alpha.mean() - limit[0]) < 0.01
        elif cell["rho"] < 0.9:
            assert abs(alpha.mean() - limit[0]) > 0.03


def test_a_row_is_that_of_the_stored_laws_at_full_width() -> None:
    study = heavy_tails()
    cell = dict(study.grid[-2])
    assert cell["vocab"] == VOCAB and cell["df"] == 4
    alpha = simulate(study, cell, 5, range(2, 3))["alpha"]
    key = philox.make_key(5, "heavy-tails", cell)
    assert abs(alpha - overlap(*map(softmax, synthetic_logits(cell, Rows(key, range(2, 3)))))) < 1e-5
    assert alpha == simulate(study, cell, 5, range(1, 4))["alpha"][1]


@pytest.mark.parametrize(("scale", "rho"), [(1.0, 0.9), (0.5, 0.0), (1.5, -0.5)])
def test_the_first_order_has_the_mean_of_the_limit_and_what_it_leaves_hardly_varies(scale, rho) -> None:
    """Five standard errors of 2,000 rows, false alarm 6e-7 each; the limit of other logits is more than six off."""
    target, draft = synthetic_logits({"vocab": 500, "scale": scale, "rho": rho}, Rows(1, range(2000)))
    first, alpha = to_first_order(target, draft, scale, rho), overlap(softmax(target), softmax(draft))
    error = first.std() / np.sqrt(len(first))
    assert abs(first.mean() - gaussian_limit(scale, rho)) < 5 * error
    assert abs(first.mean() - gaussian_limit(1.03 * scale, rho)) > 6 * error
    assert (alpha - first).var() < alpha.var() / 2


@pytest.mark.parametrize("broken", [False, True])
def test_a_study_takes_the_limit_as_control_and_refuses_another(broken) -> None:
    """The steadied mean is within its interval of the plain one's, which it is inside; a limit that is wrong is told."""

    def simulate(cell, rows, device):
        target, draft = synthetic_logits(cell, rows)
        first = to_first_order(target, draft, cell["scale"], cell["rho"])
        return {"alpha": overlap(softmax(target), softmax(draft)), "first order": first}

    limit = Control(
        "alpha", "first order", lambda cell: gaussian_limit((1.2 if broken else 1) * cell["scale"], cell["rho"])
    )
    measures = {"alpha": Mean(), "first order": Mean(), "steadied": Mean(0, 2)}
    grid = ({"vocab": 2000, "scale": 1.0, "rho": 0.9},)
    (found,) = engine.run(
        Study("limit", "?", grid, simulate, rows=250, measures=measures, control={"steadied": limit}), max_rows=3000
    )
    if broken:
        assert "which excludes" in (found.error or "")
        return
    plain, steadied = (found.estimates[name] for name in ("alpha", "steadied"))
    assert found.error is None and plain.low < steadied.mean < plain.high and abs(steadied.mean - plain.mean) < 1e-3


GOAL = HalfWidth("alpha", 0.001)


def test_a_narrow_interval_at_full_width_takes_levels_and_keeps_the_limit() -> None:
    """Every cell by levels, without a word from the user; a wide interval by whole rows."""
    study = wide_vocabulary()
    run_study, rule = chosen_estimator(study, GOAL)
    assert all(LEVELS in cell for cell in run_study.grid) and rule.asymptotic
    assert sorted(run_study.measures) == ["alpha", "limit", WHOLE_ROWS]
    assert chosen_estimator(study, HalfWidth("alpha", 0.02)) == (study, HalfWidth("alpha", 0.02))
    assert advice(study, GOAL) == ""


@pytest.mark.parametrize("at", [0, 3, 6, 8])
def test_levels_have_the_mean_of_whole_rows_and_the_limit_of_the_cell(at, monkeypatch) -> None:
    """Five standard errors of the two means, false alarm 6e-7 each, with ρ = 0, 0.9 and 1 among the cells."""
    monkeypatch.setattr(levels, "levels_pay", lambda *request: True)
    study = wide_vocabulary(vocabs=(20_000,))
    run_study, _ = chosen_estimator(study, HalfWidth("alpha", 0.004))
    values = simulate(run_study, run_study.grid[at], 0, range(32))
    whole = simulate(study, study.grid[at], 0, range(500))
    assert values["limit"].tolist() == whole["limit"][:32].tolist()
    error = np.hypot(values["alpha"].std() / np.sqrt(32), whole["alpha"].std() / np.sqrt(500))
    assert abs(values["alpha"].mean() - whole["alpha"].mean()) <= 5 * error + 1e-6


def test_a_study_whose_rows_stay_whole_says_why_and_which_command_is_faster() -> None:
    faster = "simspec study run acceptance --half-width 0.001 --of alpha"
    assert advice(relaxed_curves(), GOAL).endswith(f"for alpha alone: {faster}")
    assert "no levels" in advice(heavy_tails(), GOAL)
    assert "use --device cpu" in advice(wide_vocabulary(), GOAL, device="gpu")
    study = wide_vocabulary()
    assert "another directory (--dir)" in advice(study, GOAL, stored=study.grid)
    assert advice(study, GOAL, stored=chosen_estimator(study, GOAL)[0].grid) == ""
    for rule in (None, HalfWidth("alpha", 0.05), HalfWidth("tv SD[0]", 0.001)):
        assert advice(relaxed_curves(), rule) == advice(heavy_tails(), rule) == ""


def test_the_command_prints_why_rows_are_whole(tmp_path, capsys, monkeypatch) -> None:
    study = relaxed_curves()
    monkeypatch.setattr("simspec.studies.catalogue.catalogue", lambda: {"curves": study})
    options = ["study", "run", "curves", "--half-width", "0.001", "--of", "alpha", "--seconds", "0.01", "--dir"]
    main([*options, str(tmp_path / "a")])
    assert "whole rows: rows of levels" in capsys.readouterr().err
    main([*options, str(tmp_path / "b"), "--estimator", "plain"])
    assert "whole rows" not in capsys.readouterr().err
