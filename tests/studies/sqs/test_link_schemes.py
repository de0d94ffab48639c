"""Schemes and times of a link: a link by hand, what a parameter does, passes without a draft, and refusals."""

import math
from typing import Any

import numpy as np
import pytest

from simspec.engine.study import simulate
from simspec.kernels.link import sort_contexts
from simspec.studies.sqs import link_schemes as schemes
from simspec.studies.sqs.edge_cloud import edge_cloud
from simspec.studies.sqs.link_schemes import (
    SCHEMES,
    STEP_SIZES,
    STEPS,
    TIMES,
    Times,
    check_times,
    dense,
    draws,
    run_scheme,
    simulate_link,
    threshold,
    top_k,
)

FLAT = np.full((1, 4), 0.25)
TIME = {"by hand": Times(draft=1.0, rate=10.0, verify=4.0)}


def test_a_link_by_hand() -> None:
    """V = K = 4, l = 4: C(7, 3) = 35 points, 6 bits; two drafts in 15 bits, all accepted: 2 + 1.2 + 4 s for 3 tokens."""
    values = simulate_link(FLAT, FLAT, top_k(4, resolution=4, budget=15), TIME, batches=5)
    assert values["drafts"] == 2 and values["tokens"] == 3 and values["bits per draft"] == 6
    assert values["by hand batch latency"] == pytest.approx(7.2)
    assert values["by hand latency"] == pytest.approx(2.4)
    assert values["resampling"] == values["discarded"] == values["idle"] == 0


def test_a_threshold_pays_for_the_law_that_does_not_fit() -> None:
    """The same laws kept by a threshold: 8 bits, one draft in 15, and one pass that found the second too long."""
    held = simulate_link(FLAT, FLAT, threshold(0.1, 0.0, resolution=4, budget=15), TIME, batches=5)
    assert held["drafts"] == 1
    assert held["by hand batch latency"] == pytest.approx((1 + 1) * 1.0 + 8 / 10 + 4)


@pytest.mark.parametrize(("step_size", "passes"), [(0.0, 2), (1e-3, 3)])
def test_a_moving_threshold_pays_for_the_law_of_the_new_token(step_size, passes) -> None:
    """At most two drafts, both accepted: the threshold moves over the third law, which no draft needs."""
    scheme = threshold(0.1, step_size, resolution=4, budget=100)
    values = simulate_link(FLAT, FLAT, scheme, TIME, batches=5, longest=2)
    assert values["drafts"] == 2
    assert values["by hand batch latency"] == pytest.approx(passes * 1.0 + 2 * 8 / 10 + 4)


def test_nothing_extra_is_paid_after_a_rejection_or_for_a_fixed_size() -> None:
    p, q = np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])
    for scheme in (threshold(0.1, 1e-3, budget=1e4), top_k(1), dense()):
        values = simulate_link(p, q, scheme, {"draft": Times(1.0, math.inf, 0.0)}, batches=3, longest=2)
        assert values["draft batch latency"] == values["drafts"] == 2 and values["resampling"] == 1


def test_no_draft_fits() -> None:
    values = simulate_link(FLAT, FLAT, top_k(2, budget=0), TIME, batches=3)
    assert values["drafts"] == 0 and values["idle"] == 1 and values["by hand latency"] == 4


def test_every_parameter_of_a_scheme_acts() -> None:
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.full(50, 0.2), size=(2, 20))
    base: dict[str, Any] = {"first": 0.05, "step_size": 0.01, "dropped_target": 0.05, "resolution": 20, "budget": 300}
    reference = simulate_link(p, q, threshold(**base))
    for name, value in {
        "first": 0.2,
        "step_size": 0.1,
        "dropped_target": 0.3,
        "resolution": 50,
        "budget": 600,
    }.items():
        assert (
            simulate_link(p, q, threshold(**{**base, name: value}))["bits per token"] != reference["bits per token"]
        ), name
    assert simulate_link(p, q, threshold(**base)) == reference


def test_the_sweep_of_step_sizes_moves_thresholds_differently() -> None:
    study = edge_cloud(schemes=STEPS, temperatures=(1.0,), paired=True)
    values = simulate(study, study.grid[0], 0, range(2))
    ends = [values[f"threshold; {name}"].tolist() for name in STEPS]
    assert len(STEPS) == len(STEP_SIZES) == len({str(e) for e in ends})


def test_times_and_schemes_of_a_study_are_the_users() -> None:
    mine = {"mine": Times(0.02, 5e4, 0.3)}
    study = edge_cloud(schemes={"K = 8": top_k(8, budget=500)}, temperatures=(1.0,), times=mine, longest=(4,))
    values = simulate(study, study.grid[0], 0, range(2))
    drafts, bits, tokens = values["drafts"], values["bits per token"], values["tokens"]
    np.testing.assert_allclose(values["mine batch latency"], drafts * 0.02 + bits * tokens / 5e4 + 0.3)
    assert (bits * tokens <= 500).all() and (drafts <= 4).all()
    assert "slow uplink latency" not in values
    assert set(study.measures) <= set(values) and getattr(study.stop, "name", "") == "mine latency"


def test_what_is_not_as_shipped_is_part_of_the_cell() -> None:
    """Results are filed by cell: another budget or other times under the same name must not meet the shipped ones."""
    shipped = edge_cloud(schemes={"K = 8": SCHEMES["K = 8"]}).grid
    assert "parameters" not in shipped[0] and "times" not in shipped[0]
    other = edge_cloud(schemes={"K = 8": top_k(8, budget=500)}).grid
    late = edge_cloud(schemes={"K = 8": SCHEMES["K = 8"]}, times={"slow uplink": Times(0.1, 1e5, 0.05)}).grid
    paired = edge_cloud(schemes={"K = 8": top_k(8, budget=500)}, paired=True).grid
    assert other[0] != shipped[0] != late[0] and "schemes" in paired[0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: threshold(0.1, step_size=-1), "step_size: -1; expected a positive number, or 0"),
        (lambda: threshold(0.1, step_size=math.nan), "step_size: nan"),
        (lambda: threshold(0.1, dropped_target=1.5), "dropped_target: 1.5; expected a mass"),
        (lambda: threshold(math.nan), "first: nan; expected a threshold"),
        (lambda: top_k(8, resolution=0), "resolution: 0; expected an integer >= 1"),
        (lambda: dense(budget=-1), "budget: -1; expected bits"),
        (lambda: dense(budget=math.inf), "budget: inf; expected bits"),
        (lambda: check_times({}), "times: {}; expected one setting"),
        (lambda: check_times({"a": Times(-1, 1, 1)}), "times: 'a' has draft -1"),
        (lambda: check_times({"a": Times(1, 1, math.nan)}), "times: 'a' has verify nan"),
        (lambda: edge_cloud(times={"a": Times(1, 0, 1)}), "times: 'a' has rate 0"),
        (lambda: edge_cloud(schemes={}), "schemes: .*expected one or more"),
        (lambda: edge_cloud(longest=(0,)), "longest: .*expected one or more"),
        (lambda: simulate_link(FLAT, FLAT, top_k(5)), "k: 5; expected a number of tokens between 1 and 4"),
        (lambda: simulate_link(FLAT[0], FLAT[0], top_k(2)), "p: shape .*expected both"),
        (lambda: simulate_link(FLAT, FLAT * 2, top_k(2)), "q: "),
        (lambda: simulate_link(FLAT, FLAT, top_k(2), longest=0), "longest: 0; expected a whole number >= 1"),
    ],
)
def test_bad_parameters_are_refused(make, message) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_line_12_as_printed_does_not_need_the_law_of_the_new_token() -> None:
    scheme = {**threshold(0.1, 1e-3, resolution=4, budget=100), "printed": True}
    contexts, drawn = sort_contexts(FLAT[None], FLAT[None]), draws(0, range(1), 3, 2)
    values = run_scheme(scheme, contexts, *drawn, TIME)
    assert values["by hand batch latency"].tolist() == pytest.approx([2 + 1.6 + 4])
    assert set(TIMES) == {"slow uplink", "fast uplink"}


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        ({}, "scheme: None; expected 'top-k', 'threshold' or 'dense'"),
        (None, "scheme: None"),
        ("dense", "scheme: 'dense'; expected"),
        ({"scheme": ["dense"]}, r"scheme: \['dense'\]"),
        ({"scheme": "other"}, "scheme: 'other'"),
        ({"scheme": "dense"}, "scheme: 'dense' has resolution None; expected a number, as dense gives it"),
        ({"scheme": "dense", "resolution": 4}, "scheme: 'dense' has budget None"),
        ({"scheme": "dense", "resolution": 4, "budget": "9"}, "scheme: 'dense' has budget '9'"),
        ({"scheme": "dense", "resolution": 0, "budget": 9}, "resolution: 0"),
        ({"scheme": "dense", "resolution": 4, "budget": np.nan}, "budget: nan"),
        ({"scheme": "top-k", "resolution": 4, "budget": 9}, "scheme: 'top-k' has k None"),
        ({"scheme": "threshold", "resolution": 4, "budget": 9}, "scheme: 'threshold' has threshold None"),
        (schemes.threshold(0.1) | {"step_size": -1}, "step_size: -1"),
        (schemes.threshold(0.1) | {"threshold": np.nan}, "first: nan"),
    ],
)
def test_a_scheme_that_no_function_made_is_refused_by_name(scheme, message) -> None:
    law = np.array([[0.5, 0.25, 0.25]])
    with pytest.raises(ValueError, match=message):
        schemes.simulate_link(law, law, scheme)
