"""Claims about C-SQS: thresholds by hand, both readings of an empty set, how sharp the bounds are, verdicts, mutations."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.claims.csqs.parts import ONE, averages, steps
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.decide import decide
from simspec.claims.deciding.search import check_exact
from simspec.claims.deciding.shrink import violated
from simspec.claims.sqs.parts import flat
from simspec.claims.words import law
from simspec.methods.csqs.conformal import draft_thresholds
from tests import strategies
from tests.claims.cases import QUICK, assert_broken, assert_floats, assert_verdict, claims_of, counterexample, getter
from tests.claims.csqs.cases import KEEP_TOP, LITERAL

CLAIMS = claims_of(
    "csqs.direction",
    "csqs.telescoping",
    "csqs.step",
    "csqs.threshold-range",
    "csqs.beyond-one",
    "csqs.sum-bound",
    "csqs.average-dropped",
    "csqs.asymptotic",
    "csqs.sqrt-rate",
    "csqs.checkpoint",
)

get = getter(CLAIMS)
REFUTED = {
    "csqs.telescoping",
    "csqs.threshold-range.any-start",
    "csqs.threshold-range.keep-top",
    "csqs.beyond-one",
    "csqs.average-dropped",
    "csqs.checkpoint",
}


def plain_path(laws, start, eta, alpha, keep_top):
    """Thresholds and dropped masses in loops over plain fractions."""
    beta, betas, dropped = start, [start], []
    for masses in laws:
        kept = [m for m in masses if m >= beta]
        if not kept and keep_top:
            kept = [max(masses)]
        dropped.append(1 - sum(kept))
        beta = beta - eta * (dropped[-1] - alpha)
        betas.append(beta)
    return betas, dropped


def test_three_tokens_by_hand() -> None:
    """β = ½ keeps the first of (½, ¼, ¼) and drops ½; η = ½, α = ¼: β falls by ⅛ twice; ¼ keeps all, β rises by ⅛."""
    q = np.stack([law("1/2", "1/4", "1/4")] * 3)
    steps_of = {"q": q, "start": F(1, 2), "step_size": F(1, 2), "dropped_target": F(1, 4)}
    betas, dropped = plain_path(q.tolist(), F(1, 2), F(1, 2), F(1, 4), True)
    assert betas == [F(1, 2), F(3, 8), F(1, 4), F(3, 8)] and dropped == [F(1, 2), F(1, 2), 0]
    assert draft_thresholds(*steps_of.values(), keep_top=True).thresholds.tolist() == betas
    assert get("csqs.telescoping-corrected").sides(steps_of)[0].tolist() == [1, 1]
    assert get("csqs.average-dropped").sides(steps_of)[0][KEEP_TOP].tolist() == [F(1, 2), F(1, 2), F(1, 3)]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_verdict(claim) -> None:
    assert_verdict(claim, "refuted" if claim.name in REFUTED else "holds")


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_floats_agree(claim) -> None:
    assert_floats(claim, claim.name in REFUTED)


@given(st.data())
def test_runs_follow_the_plain_definition(data) -> None:
    n = data.draw(strategies.vocabularies())
    laws = data.draw(strategies.batches(n, rows=data.draw(st.integers(1, 6))))
    start, eta, alpha = data.draw(st.fractions(-1, 2, max_denominator=9)), F(data.draw(st.integers(1, 9)), 4), F(1, 3)
    for keep_top in (False, True):
        out = draft_thresholds(laws, start, eta, alpha, keep_top)
        assert (out.thresholds.tolist(), out.dropped.tolist()) == plain_path(laws.tolist(), start, eta, alpha, keep_top)


# --- refutations, in both readings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("reading", [LITERAL, KEEP_TOP])
@pytest.mark.parametrize(
    "name", ["csqs.telescoping", "csqs.threshold-range.any-start", "csqs.average-dropped", "csqs.checkpoint"]
)
def test_each_reading_refutes(name, reading) -> None:
    claim = get(name)
    tall = name == "csqs.threshold-range.any-start" or name == "csqs.average-dropped"
    alone = replace(
        claim,
        lhs=lambda **instance: claim.sides(instance)[0][reading],
        rhs=lambda **instance: claim.sides(instance)[1] if tall else claim.sides(instance)[1][reading],
    )
    assert decide(alone, check_exact(alone, QUICK, seed=0)) == "refuted"


@pytest.mark.parametrize("size", [1, 2, 5])
def test_the_sharp_bounds_are_approached(size) -> None:
    """Flat laws, β₁ = 1/V + 10⁻⁶, one token, η = 4: what is left is 10⁻⁶/η and nothing more."""
    edge, near = F(1, size), F(1, 10**6)
    instance = {"q": np.stack([flat(size)]), "start": edge + near, "step_size": F(4), "dropped_target": F(1, 8)}
    slack = get("csqs.average-dropped-sharp").slack(instance)[:, 0].ravel().tolist()
    assert slack[LITERAL] == near / 4
    assert slack[KEEP_TOP] == (near / 4 if 4 * (1 - edge - F(1, 8)) > edge else slack[KEEP_TOP]) > 0
    low = get("csqs.threshold-range.literal-sharp").slack(instance).tolist()
    assert low[LITERAL] == near


def test_keep_top_has_no_upper_bound() -> None:
    q = np.concatenate([ONE] * 50)
    betas = draft_thresholds(q, F(1), F(1), F(1, 2), keep_top=True).thresholds
    assert betas[-1] == 1 + 50 * F(1, 2)
    assert max(draft_thresholds(q, F(1), F(1), F(1, 2), keep_top=False).thresholds) == F(3, 2)


def test_counterexample_to_telescoping_drops_nothing() -> None:
    found = counterexample(get("csqs.telescoping"))
    assert found["q"].tolist() == [[1]]
    lhs, rhs = get("csqs.telescoping").sides(found)
    assert lhs.tolist() == [0, 0] and rhs.tolist() == [2 * found["dropped_target"]] * 2


def test_fitted_exponent() -> None:
    (shown,) = get("csqs.asymptotic").evidence(Data(effort="quick"))
    assert shown.estimate == pytest.approx(-1, abs=0.3)


# --- mutations -------------------------------------------------------------------------------------------------------


def _without(value):
    """A right side with the term of β₁ and η taken out."""
    return lambda **instance: value(**{**instance, "start": 0 * instance["start"]})


def _small_range(step_size, dropped_target):
    return np.array([[step_size * (1 - dropped_target)], [F(1)]])


def _falls_short(q, start, step_size, dropped_target):
    rhs = get("csqs.average-dropped-sharp").rhs(q, start, step_size, dropped_target)
    return rhs - step_size / 100 / (step_size * np.arange(1, len(q) + 1))


MUTATIONS = [
    ("csqs.direction", {"lhs": get("csqs.direction").rhs, "rhs": get("csqs.direction").lhs}),
    ("csqs.telescoping-corrected", {"rhs": get("csqs.telescoping").rhs}),
    ("csqs.step", {"rhs": lambda step_size: step_size * np.array([[F(3, 4)], [F(3, 4)]])}),
    (
        "csqs.step-sharp",
        {
            "rhs": lambda q, step_size, dropped_target: (
                step_size * (1 - F(2, q.shape[-1]) - dropped_target) + 0 * q[0, 0]
            )
        },
    ),
    (
        "csqs.threshold-range.any-start-corrected",
        {"rhs": _without(get("csqs.threshold-range.any-start-corrected").rhs)},
    ),
    ("csqs.threshold-range.any-start-corrected", {"rhs": get("csqs.threshold-range.any-start").rhs}),
    ("csqs.threshold-range.literal", {"rhs": _small_range}),
    ("csqs.threshold-range.literal", {"assumes": {}, "instances": steps}),
    (
        "csqs.threshold-range.literal",
        {"lhs": get("csqs.threshold-range.keep-top").lhs},
    ),
    ("csqs.threshold-range.literal-sharp", {"rhs": lambda start: np.array([-min(start, 0)] * 2)}),
    ("csqs.threshold-range.keep-top-sharp", {"assumes": {}, "instances": steps}),
    (
        "csqs.threshold-range.keep-top-sharp",
        {"rhs": lambda start, step_size, dropped_target: max(start, F(1, 4) + step_size * dropped_target)},
    ),
    ("csqs.beyond-one-corrected", {"assumes": {}, "instances": lambda draw: {"q": draw.law(2), "threshold": F(1, 2)}}),
    ("csqs.sum-bound", {"rhs": lambda q, dropped_target: dropped_target * np.arange(1, len(q) + 1)}),
    ("csqs.average-dropped-corrected", {"assumes": {}, "instances": steps}),
    ("csqs.average-dropped-sharp", {"rhs": lambda dropped_target: dropped_target}),
    ("csqs.average-dropped-sharp", {"rhs": _without(get("csqs.average-dropped-sharp").rhs)}),
    ("csqs.asymptotic", {"rhs": lambda dropped_target: dropped_target}),
    ("csqs.asymptotic-sharp", {"assumes": {}, "instances": lambda draw: {**steps(draw), "keep_top": True}}),
    ("csqs.sqrt-rate", {"rhs": lambda root, start, c, d: get("csqs.sqrt-rate").rhs(root, start, c, d) / 2}),
    ("csqs.checkpoint-corrected", {"lhs": get("csqs.checkpoint").lhs}),
]


@pytest.mark.parametrize(("name", "changes"), MUTATIONS, ids=[f"{i}-{n}" for i, (n, _) in enumerate(MUTATIONS)])
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)


@given(st.data())
def test_bounds_on_longer_texts(data) -> None:
    """Beyond the lengths of the exact search: twelve tokens, up to six words."""
    n = data.draw(strategies.vocabularies())
    laws = data.draw(strategies.batches(n, rows=3))[data.draw(st.lists(st.integers(0, 2), min_size=12, max_size=12))]
    instance = {
        "q": laws,
        "start": data.draw(st.fractions(-1, 2, max_denominator=12)),
        "step_size": data.draw(st.fractions(F(1, 8), 12, max_denominator=8)),
        "dropped_target": data.draw(st.fractions(F(1, 16), F(15, 16), max_denominator=16)),
    }
    for name in ("any-start-corrected", "literal-sharp"):
        assert not violated(get(f"csqs.threshold-range.{name}").slack(instance))
    assert not violated(get("csqs.average-dropped-sharp").slack(instance))
    assert averages(np.array([F(1), F(0)], dtype=object)).tolist() == [1, F(1, 2)]
