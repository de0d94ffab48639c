"""What the titles of RDK's figures say is in their stored rows; so is what their forms promise."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from simspec.figures import rows
from simspec.figures.table import Points
from simspec.studies.rdk.affinity import KINDS

FAMILIES = ("Student-t", "normal")


def column(points: Points, name: str) -> np.ndarray:
    return np.array(points.column(name))


@pytest.mark.parametrize("name", ["rdk.logit-statistics", "rdk.probability-histogram"])
def test_a_histogram_holds_every_position_once(name) -> None:
    found = rows(name)
    for panel in found.panels():
        for series in found.of(panel).series():
            y = column(found.of(panel, series), "y")
            assert y.sum() == pytest.approx(1) and y[0] == y[-1] == 0
            assert (np.diff(column(found.of(panel, series), "x")) >= 0).all()


def test_the_mean_probability_is_fixed_and_the_least_spans_orders() -> None:
    found = rows("rdk.probability-histogram")
    for bank, vocab in (("smollm2", 49_152), ("wiki", 16_384), ("stories", 2_048), ("gpt2", 50_257)):
        edges = column(found.of("mean probability", bank), "x")
        assert edges.min() < 1 / vocab < edges.max() and len(edges) == 3  # one bin, and its outline
        least = column(found.of("least probability", bank), "x")
        assert least.max() > 1e4 * least.min()


def test_carried_shares_rise_to_one_and_a_small_share_of_the_vocabulary_carries_most() -> None:
    found = rows("rdk.token-frequency")
    names = ["SmolLM2, its answers", "SmolLM2, wiki's texts", "wiki", "stories"]
    assert [name.partition(":")[0] for name in found.panels()] == names
    for panel in found.panels():
        same, others = found.of(panel, "ranked by the same text"), found.of(panel, "ranked by other texts")
        assert (np.diff(column(same, "y")) >= 0).all() and same[-1].y == others[-1].y == 1
        assert (column(same, "y") > column(others, "y") - 1e-3).all()  # folds of unequal length
        assert min(p.x for p in others if p.low > 0.5) < 0.1


def test_logits_are_heavy_above_and_light_below_and_gaussian_ones_on_the_diagonal() -> None:
    found = rows("rdk.logit-quantiles")
    for family in FAMILIES:
        control = found.of("Gaussian logits", family)
        assert np.abs(column(control, "x") - column(control, "y")).max() < 0.2
    for bank in ("smollm2", "wiki", "stories"):
        off = {
            name: np.abs(column(found.of(bank, name), "x") - column(found.of(bank, name), "y")).max()
            for name in FAMILIES
        }
        assert (off["Student-t"] < 0.5) == (bank == "smollm2") and off["normal"] > 0.6
    for bank in ("wiki", "stories"):
        normal, student = found.of(bank, "normal"), found.of(bank, "Student-t")
        assert normal[-1].low > normal[-1].x + 0.5  # heavier above than a normal
        assert student[0].low > student[0].x + 0.5  # lighter below than the Student-t


def test_no_family_fits_the_probabilities() -> None:
    found = rows("rdk.probability-quantiles")
    for panel in found.panels()[:5]:
        assert min(found.of(panel, "Student-t").column("x")) < 0 < min(found.of(panel, "normal").column("y"))
    assert min(found.of("Kolmogorov–Smirnov distance").column("low")) > 0.05


def test_at_one_temperature_some_rows_are_sharp_and_others_uniform() -> None:
    found = rows("rdk.affinity")
    for (bank, vocab), kind in product({"wiki": 16_384, "SmolLM2": 49_152, "stories": 2_048}.items(), KINDS):
        spread = column(found.of(f"{bank}, {kind}: rows", "τ = 0.01"), "y")
        assert spread.min() < 2
        if kind != "logits":
            assert spread.max() > 0.97 * vocab
        near = found.of(f"{bank}: entries near zero", kind)
        assert near[0].y == 0 and near[-1].y > near[0].high
        shown = found.of(f"{bank}, {kind}: map")
        assert max(p.z for p in shown) <= np.log10(vocab).round(3) and min(p.z for p in shown) == -4


def test_exact_rdk_of_small_models_beats_tli_and_seldom_a_fixed_law_that_of_smollm2_hardly_tli() -> None:
    found = rows("rdk.real-pruning")
    small = Points(p for p in found if not p.panel.startswith("SmolLM2"))
    exact, other, static = (column(small.of(series=s), "y") for s in ("RDK", "TLI", "static mixture"))
    assert len(exact) == 18 and (exact > other).all() and (exact < static).mean() > 0.8
    assert len(found.panels()) == 9 and len(found) - len(small) > 80
    rdk, tli = (found.of("SmolLM2, 4-bit draft: frequency", name) for name in ("RDK", "TLI"))
    assert all(p.y < q.y + 0.005 for p, q in zip(rdk, tli, strict=True))
    hindsight, static = (column(found.of(series=s), "y") for s in ("static mixture, hindsight", "static mixture"))
    assert (hindsight > static - 1e-6).all()


def test_on_models_linear_time_rdk_is_near_the_level_of_the_unigram_law() -> None:
    """Within 0.01 of it for the small models, 0.03 for SmolLM2, over whose few answers the interval holds the unigram's level."""
    found = rows("rdk.model-pruning")
    assert [name.partition(", V")[0] for name in found.panels()] == ["SmolLM2, 4-bit draft", "wiki", "stories"]
    linear, unigram, exact, mixture = (
        column(found.of(series=name), "y") for name in ("RDK, linear time", "unigram", "RDK", "TLI with unigram")
    )
    assert len(linear) == 9 and np.abs(linear - unigram)[3:].max() < 0.01 and np.abs(linear - unigram).max() < 0.03
    of_smollm2 = found.of(found.panels()[0], "RDK, linear time")
    assert all(p.low < level < p.high for p, level in zip(of_smollm2, unigram[:3], strict=True))
    is_above = (exact > mixture + 1e-3).reshape(3, 3)
    assert not is_above[:2].any() and is_above[2].sum() == 2


def test_both_pictures_of_pruned_models_show_the_same_acceptance() -> None:
    dots, curves = rows("rdk.real-pruning"), rows("rdk.model-pruning")
    for panel in curves.panels():
        bank = panel.rpartition(", V")[0]
        for name in ("TLI", "RDK", "no transfer", "TLI with unigram"):
            own = dots.of(f"{bank}: frequency", name)
            assert [p[3:6] for p in own] == [p[3:6] for p in curves.of(panel, name)]
