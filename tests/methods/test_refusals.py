"""Constructors and long requests: what is no argument is an error that names it, what cannot fit or end is refused."""

from __future__ import annotations

import numpy as np
import pytest

from simspec import methods
from simspec.methods import SD, evaluate
from simspec.methods.block import block_outcomes, efficiency, mean_acceptance_length, text_law
from simspec.methods.csqs.conformal import draft_thresholds
from simspec.methods.csqs.thresholds import check_rates, kept_count, ranked, threshold_path
from simspec.methods.ears.texts import expected_bias
from simspec.methods.pad.families import FAMILIES
from simspec.methods.pad.pivots import flagged
from simspec.methods.pad.prefixes import prefix_process, tree
from simspec.methods.pad.process import Process, values
from simspec.methods.sqs.payload import dense_bits, payload_bits, subset_bits
from simspec.methods.tasc.drafters import PromptNgrams, ngrammys, train

HALF = np.array([0.5, 0.5])
MASK = np.array([True, False])
ONE = np.array([1.0])
NOTHING = (None, float("nan"), [1, [2]], "x")


@pytest.mark.parametrize("bad", NOTHING, ids=repr)
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (methods.ears, "tolerance"),
        (methods.lenience, "factor"),
        (methods.mixture, "weight"),
        (lambda x: methods.typical(epsilon=x), "epsilon"),
        (lambda x: methods.typical(delta=x), "delta"),
        (methods.levelled, "method"),
        (lambda x: methods.sqs(x, 4), "k"),
        (lambda x: methods.sqs(2, x), "resolution"),
        (lambda x: methods.csqs(x, 4).propose(HALF), "threshold"),
        (lambda x: methods.tli(x), "shared"),
        (lambda x: methods.static(MASK, x), "extra"),
        (lambda x: methods.static(x, np.array([0, 0.25])), "shared"),
        (lambda x: methods.static_mixture(HALF, HALF, x), "shared"),
        (lambda x: methods.static_mixture(x, HALF, MASK), "p"),
        (lambda x: methods.unigram_mixture(MASK, x, 0.5), "unigram"),
        (lambda x: methods.unigram_mixture(MASK, HALF, x), "mix"),
        (methods.dense, "M"),
        (lambda x: methods.affine(HALF, 0, x), "temperature"),
        (lambda x: methods.affine(x, 0, 1), "prior"),
        (lambda x: methods.evaluate(x, SD), "process"),
    ],
)
def test_what_is_no_argument_is_named(make, name, bad) -> None:
    with pytest.raises(ValueError, match=rf"^{name}\b"):
        make(bad)


@pytest.mark.parametrize("bad", NOTHING, ids=repr)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", ["vocab", "horizon", "correlation", "scale"])
def test_a_family_names_its_arguments(family, name, bad) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: "):
        FAMILIES[family](1, **{name: bad})


def test_a_static_mixture_takes_one_mask_for_all_contexts() -> None:
    p = np.array([[0.5, 0.5], [1.0, 0.0]])
    with pytest.raises(ValueError, match=r"shared: shape \(2, 2\); expected one element per token, \(2,\)"):
        methods.static_mixture(p, p, np.array([[True, False], [False, True]]))
    with pytest.raises(ValueError, match=r"shared: shape \(3,\)"):
        methods.static_mixture(p, p, np.array([True, False, True]))
    with pytest.raises(ValueError, match=r"p, q: shapes \(2, 2\), \(1, 2\); expected \(N, V\) for both"):
        methods.static_mixture(p, p[0], MASK)
    with pytest.raises(ValueError, match="p, q: .* at least one context"):
        methods.static_mixture(p[:0], p[:0], MASK)


def _process(horizon) -> Process:
    return Process(HALF[None], HALF[None], np.array([[0, 0]]), np.array([1]), 0, horizon)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evaluate(_process(10**9), SD), "horizon: 1000000000; would take"),
        (lambda: values(_process(10**12)), "horizon: 1000000000000; would take .* of memory, expected at most"),
        (lambda: FAMILIES["needle"](1, vocab=2**40), "vocab: 1099511627776; would take .* PiB of memory"),
        (lambda: FAMILIES["needle"](1, period=10**12), "period: 1000000000000; would take .* of memory"),
        (lambda: FAMILIES["counting"](1, needed=10**12), "needed: 1000000000000; would take .* of memory"),
        (lambda: FAMILIES["random"](1, states=10**12), "states: 1000000000000; would take .* of memory"),
        (lambda: FAMILIES["counting"](1, horizon=10**9), "horizon: 1000000000; would take a step for each token"),
        (lambda: prefix_process(lambda x: HALF, lambda x: HALF, len, 10**9), "horizon: "),
        (lambda: prefix_process(lambda x: HALF, lambda x: HALF, len, 10**5), "horizon: 100000 with 2 tokens"),
        (lambda: tree(1, horizon=10**9), "horizon: "),
        (
            lambda: expected_bias(HALF[None], HALF[None], np.array([[0, 0]]), 0, 10**9),
            "length: 1000000000; would take a step for each token, expected at most 1000000",
        ),
        (lambda: PromptNgrams(2, 2**60), "vocab: 1152921504606846976; would take .* of memory"),
        (lambda: train([[0]], 2, vocab=2**60), "vocab: 1152921504606846976; would take .* of memory"),
        (lambda: ngrammys(lambda token: HALF, vocab=2**60), "vocab: 1152921504606846976; would take .* of memory"),
        (lambda: train([[0, 1]], 10**9), "n_max: 1000000000; expected at most"),
        (lambda: PromptNgrams(10**9, 2), "n_max: 1000000000; expected at most"),
        (lambda: payload_bits(10**12, 5 * 10**11, 100), "k: would take the exact binomial of 1000000000000 over"),
        (lambda: payload_bits(10**12, 5 * 10**11, 100, True), "k: would take the exact binomial of 1000000000000 over"),
        (lambda: payload_bits(10**400, 10**399, 10), "k: would take the exact binomial of a number of 1329 bits over"),
        (lambda: dense_bits(2**39, 2**39), "resolution: would take the exact binomial of 1099511627775 over"),
        (lambda: dense_bits(10**5, 10**4000), "resolution: would take the exact binomial of a number of 13288 bits"),
        (lambda: subset_bits(2**62, 2**40), "k: would take the exact binomial of 4611686018427387904 over"),
        (lambda: mean_acceptance_length(0.5, 10**12), "gamma: 1000000000000; would take a step for each draft"),
        (lambda: efficiency(0.5, "x"), "gamma: 'x'; expected a number of drafts"),
        (lambda: list(block_outcomes(SD, lambda x: ONE, lambda x: ONE, (), 10**6)), "gamma: 1000000; expected at most"),
        (lambda: text_law(SD, lambda x: HALF, lambda x: HALF, "x", 1), "length: x; expected a number of tokens"),
        (lambda: FAMILIES["recoverable"](2**31, horizon=2**62), "horizon: 4611686018427387904; would take"),
    ],
)
def test_what_cannot_fit_or_end_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "bad", [float("inf"), -float("inf"), float("nan"), "x", None, np.array([0.5, np.inf])], ids=str
)
def test_a_threshold_that_no_update_brings_back_is_refused(bad) -> None:
    laws = HALF[None]
    for call in (lambda: threshold_path(ranked(laws), bad, 0.1, 0.1), lambda: draft_thresholds(laws, bad, 0.1, 0.1)):
        with pytest.raises(ValueError, match=r"threshold: .*; expected a (finite )?number"):
            call()


@pytest.mark.parametrize("bad", [float("nan"), "x", None, [1, [2]]], ids=str)
def test_a_fixed_threshold_is_any_number(bad) -> None:
    for call in (lambda: kept_count(HALF[None], bad), lambda: flagged(HALF, bad)):
        with pytest.raises(ValueError, match=r"threshold: .*; expected a number"):
            call()
    assert kept_count(HALF[None], float("inf")).tolist() == [1] and kept_count(HALF[None], -float("inf")).tolist() == [
        2
    ]
    assert flagged(HALF, float("inf")).tolist() == [False, False]


@pytest.mark.parametrize("bad", [float("inf"), -float("inf"), float("nan"), "x", None], ids=str)
def test_rates_of_the_update_are_finite_numbers(bad) -> None:
    with pytest.raises(ValueError, match="step_size: .*; expected a positive number"):
        check_rates(bad, 0.5)
    with pytest.raises(ValueError, match="dropped_target: .*; expected a mass"):
        check_rates(0.5, bad)
