"""Synthetic pruning: four tokens by hand, every scheme against its method, tuning on rows of its own."""

from __future__ import annotations

import numpy as np
import pytest

from simspec import methods
from simspec.engine.estimates.statistics import Mean
from simspec.engine.row_values import gather
from simspec.laws import overlap, softmax
from simspec.methods import acceptance_rate
from simspec.methods.rdk.affinity import affine, exponential, normalised
from simspec.methods.tli import restricted, tli, unigram_mixture
from simspec.studies.rdk import pruning
from simspec.studies.rdk.pruning import HIGH, KEPT, ORDERS, READINGS, TUNED_AT, VARIANTS, synthetic_pruning

P = np.array([0.125, 0.5, 0.25, 0.125])
Q = np.array([0.25, 0.25, 0.5, 0.0])
PRIOR = np.array([0.4, 0.3, 0.2, 0.1])


def test_four_tokens_by_hand():
    step = pruning._step(P, Q, PRIOR, key=0, row=0)
    half = KEPT.index(0.5)
    target, frequency, worst = (ORDERS.index(o) for o in ("target", "frequency", "worst"))
    # kept {1, 2}: none 1/4 + 1/4; TLI has (1/3, 2/3): 1/3 + 1/4; s = (1/3)(0.3) + (2/3)(0.2)
    assert step.none[target, half] == pytest.approx(0.5)
    assert step.tli[target, half] == pytest.approx(1 / 3 + 1 / 4)
    assert step.tilt["prior"][target][half] == pytest.approx(0.1 + 0.4 / 3)
    assert step.tilt["leaking"][target][half] == pytest.approx(0.5 / 3 + 0.5 / 3)
    # kept {0, 1}: none 1/8 + 1/4; TLI (1/2, 1/2): 1/8 + 1/2
    assert (step.none[frequency, half], step.tli[frequency, half]) == (pytest.approx(0.375), pytest.approx(0.625))
    # kept {0, 3}: TLI is token 0 alone: 1/8
    assert (step.none[worst, half], step.tli[worst, half]) == (pytest.approx(0.125), pytest.approx(0.125))
    assert step.uniform == pytest.approx(0.125 + 0.25 + 0.25 + 0.125)
    assert step.none[:, 0] == pytest.approx([float(overlap(P, Q))] * 4)


def test_a_random_order_is_averaged_over_its_windows():
    a, b = P.astype(np.float32), Q.astype(np.float32)
    # kept {0, 1}: (1/2, 1/2) gives 1/8 + 1/2; kept {2, 3}: (1, 0) gives 1/4
    assert pruning._kept(a, b, 2, 1, windowed=True) == pytest.approx((0.625 + 0.25) / 2)
    assert pruning._tilt(b, a, 2, windowed=True).tolist() == [0.3125, 0.25]  # (1/2)(1/8) + (1/2)(1/2); 1/4
    assert pruning._tilt(np.zeros(4, np.float32), a, 2, windowed=False).tolist() == [0.3125]
    # a kept set without draft mass is drafted from uniformly: {3} gives min(1/8, 1)
    assert pruning._kept(a[3:], b[3:], 1, 1, windowed=False) == pytest.approx(0.125)


def _laws(vocab: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    prior = softmax(-np.log(np.arange(1, vocab + 1.0)))
    z = np.log(prior) + rng.normal(size=vocab)
    return softmax(z), softmax(z + rng.normal(size=vocab)), prior


@pytest.mark.parametrize("level", [0, 2, HIGH[0], HIGH[-1]])
@pytest.mark.parametrize("order", ["target", "frequency", "worst"])
def test_schemes_are_the_methods(order, level):
    p, q, prior = _laws()
    step = pruning._step(p, q, prior, key=0, row=0)
    count = pruning._counts(len(p))[level]
    ranking = {"target": np.argsort(-p), "frequency": np.arange(len(p)), "worst": np.argsort(p)}[order]
    mask = methods.keep_first(ranking, count)
    o = ORDERS.index(order)
    assert step.none[o, level] == pytest.approx(acceptance_rate(restricted(mask), p, q), abs=1e-5)
    assert step.tli[o, level] == pytest.approx(acceptance_rate(tli(mask), p, q), abs=1e-5)
    mixed = acceptance_rate(unigram_mixture(mask, prior, 0.3), p, q)
    assert pruning._mixture(step, o, level, 0.3) == pytest.approx(mixed, abs=1e-5)
    v = tli(mask).propose(q)
    for reading, stands in (("prior", prior), ("leaking", p)):
        s = float(v @ stands)
        assert step.tilt[reading][o][level] == pytest.approx(s, rel=1e-5)
        for name, form in (("affine", affine), ("normalised", normalised), ("exponential", exponential)):
            temperature = float(stands.max()) / len(p) * 1.5
            expected = overlap(p, form(stands, stands, temperature)(v))
            assert pruning._rdk(step, reading, name, s / temperature) == pytest.approx(float(expected), abs=2e-5)


def test_leaking_can_return_the_target_itself():
    p, q, prior = _laws()
    step = pruning._step(p, q, prior, key=0, row=0)
    assert pruning._rdk(step, "leaking", "affine", float(len(p))) == pytest.approx(1, abs=1e-6)
    assert pruning._rdk(step, "leaking", "affine", 0.0) == pytest.approx(step.uniform)


def test_equal_means_leave_the_uniform_drafter():
    p, q, _ = _laws()
    step = pruning._step(p, q, np.full(len(p), 1 / len(p)), key=0, row=0)
    assert step.flat
    uniform = float(overlap(p, np.full(len(p), 1 / len(p))))
    for name in VARIANTS:
        assert pruning._rdk(step, "prior", name, 7.0) == pytest.approx(uniform, abs=1e-6)
    # frequency is a random order then: what is kept by chance is the kept share of the overlap
    assert step.none[ORDERS.index("frequency")] == pytest.approx(np.array(KEPT)[:7] * float(overlap(p, q)), abs=2e-3)


SMALL = synthetic_pruning(2000, logits=((10, 1),), tilt=(1,), rho=(0.9,), rows=4, tuning=3)


def test_tuned_mixture_is_at_least_its_endpoints_on_the_tuning_rows():
    cell = SMALL.grid[0]
    choice = pruning._tuned(tuple(sorted(cell.items())), 11)
    steps = pruning._steps(cell, 11, range(pruning._TUNING_ROWS, pruning._TUNING_ROWS + cell["tuning"]))
    for order in range(len(ORDERS)):
        means = [
            np.mean([pruning._mixture(s, order, TUNED_AT, w) for s in steps]) for w in (choice.weight[order], 0.0, 1.0)
        ]
        assert means[0] >= max(means[1:])


def test_every_affine_temperature_gives_a_law():
    cell = SMALL.grid[0]
    for step in pruning._steps(cell, 11, range(3)):
        for reading, stands in (("prior", step.prior), ("leaking", step.p)):
            lowest = pruning._temperatures("affine", reading, stands, 1e-9).min()
            largest = max(float(s.max()) for line in step.tilt[reading] for s in line)
            assert largest / lowest <= len(step.p) * (1 + 1e-6)


def test_rows_are_different_draws():
    values = gather(SMALL)[0].values
    assert len(set(values["uniform"].tolist())) == 4 and values["none"].shape == (4, len(ORDERS), len(KEPT))


def test_acceptance_is_a_share_and_none_falls_as_tokens_go():
    values = gather(SMALL)[0].values
    for name in ("none", "tli", "mixture", *(f"rdk {reading}" for reading in READINGS)):
        assert (values[name] >= 0).all() and (values[name] <= 1 + 1e-5).all()
    assert (np.diff(values["none"], axis=-1) <= 1e-6).all()
    assert (values["tli"] >= values["none"] - 1e-6).all()


def test_rounding_above_one_is_clipped_and_nothing_more():
    """44 float32 roundings at V = 2**17; whoever is further above 1 is refused where values become integers."""
    most = 1.01 * 44 * 2.0**-24
    assert pruning._rounding(2**17) == pytest.approx(most)
    rates = pruning._clipped([0.5, 1.0, 1 + 0.99 * most, 1 + 1.01 * most, np.nan, -1e-9], 2**17)
    assert rates[:3].tolist() == [0.5, 1, 1] and rates[3] == 1 + 1.01 * most
    assert np.isnan(rates[4]) and rates[5] == -1e-9
    with pytest.raises(ValueError, match="expected every value between 0 and 1"):
        Mean().reduce("none", rates[3:4])


@pytest.mark.parametrize("vocab", [2, 100, 1000, 50_000])
def test_sums_stay_within_the_derived_rounding(vocab):
    """Laws flat and steep; a bound a hundredth as large does not hold (negative control)."""
    rng = np.random.default_rng(vocab)
    sums = [float(softmax(scale * rng.normal(size=vocab)).astype(np.float32).sum()) for scale in (0, 0.1, 1, 3) * 25]
    assert max(sums) <= 1 + pruning._rounding(vocab)
    assert vocab == 2 or max(sums) > 1 + pruning._rounding(vocab) / 100
