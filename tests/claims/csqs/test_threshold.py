"""Claims about C-SQS: thresholds by hand, both readings of an empty set, how sharp the bounds are."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.claims.authoring import law
from simspec.claims.csqs.parts import HALVES, ONE, averages
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.decide import decide
from simspec.claims.deciding.search import check_exact
from simspec.claims.deciding.shrink import violated
from simspec.claims.sqs.parts import flat
from simspec.methods.csqs.conformal import draft_thresholds
from tests import strategies
from tests.claims.cases import QUICK, counterexample, get

LITERAL, KEEP_TOP = 0, 1


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


@given(st.data())
def test_runs_follow_the_plain_definition(data) -> None:
    n = data.draw(strategies.vocabularies())
    laws = data.draw(strategies.batches(n, rows=data.draw(st.integers(1, 6))))
    start, eta, alpha = data.draw(strategies.fractions(-1, 2, 9)), F(data.draw(st.integers(1, 9)), 4), F(1, 3)
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
    found = counterexample("csqs.telescoping")
    assert found["q"].tolist() == [[1]]
    lhs, rhs = get("csqs.telescoping").sides(found)
    assert lhs.tolist() == [0, 0] and rhs.tolist() == [2 * found["dropped_target"]] * 2


def test_fitted_exponent() -> None:
    (shown,) = get("csqs.asymptotic").evidence(Data(effort="quick"))
    assert shown.estimate == pytest.approx(-1, abs=0.3)


# --- mutations -------------------------------------------------------------------------------------------------------


def _falls_short(q, start, step_size, dropped_target):
    rhs = get("csqs.average-dropped-sharp").rhs(q, start, step_size, dropped_target)
    return rhs - step_size / 100 / (step_size * np.arange(1, len(q) + 1))


@given(st.data())
def test_bounds_on_longer_texts(data) -> None:
    """Beyond the lengths of the exact search: twelve tokens, up to six words."""
    n = data.draw(strategies.vocabularies())
    laws = data.draw(strategies.batches(n, rows=3))[data.draw(st.lists(st.integers(0, 2), min_size=12, max_size=12))]
    instance = {
        "q": laws,
        "start": data.draw(strategies.fractions(-1, 2, 12)),
        "step_size": data.draw(strategies.fractions(F(1, 8), 12, 8)),
        "dropped_target": data.draw(strategies.fractions(F(1, 16), F(15, 16), 16)),
    }
    for name in ("any-start-corrected", "literal-sharp"):
        assert not violated(get(f"csqs.threshold-range.{name}").slack(instance))
    assert not violated(get("csqs.average-dropped-sharp").slack(instance))
    assert averages(np.array([F(1), F(0)], dtype=object)).tolist() == [1, F(1, 2)]


def test_theorem_2_fails_at_one_flat_law_by_hand() -> None:
    """½ is dropped (keep-top) or all (literal), η = 16, α = ⅛, β₁ = 1: the bound is ⅛ + (1 + 1 + 2)/16 = ⅜."""
    instance = {"q": HALVES, "start": F(1), "step_size": F(16), "dropped_target": F(1, 8)}
    lhs, rhs = get("csqs.average-dropped").sides(instance)
    assert lhs.ravel().tolist() == [1, F(1, 2)] and rhs.tolist() == [F(3, 8)]


def test_theorem_2_fails_as_soon_as_its_condition_does() -> None:
    """α = ¼, so η ≤ 2 is the condition; at 2.04 a flat law over 200 tokens breaks the bound, from a start above 1/200."""
    q = np.stack([flat(200)])
    instance = {"q": q, "start": F(1, 200) + F(1, 10_000), "step_size": F(51, 25), "dropped_target": F(1, 4)}
    assert violated(get("csqs.average-dropped").slack(instance)[LITERAL])
    assert get("csqs.average-dropped-corrected").broken(instance) != []
    assert get("csqs.average-dropped-corrected").broken({**instance, "step_size": F(2)}) == []


def test_checkpoint_by_hand() -> None:
    """(½, ¼, ¼) at each position, one of two drafts accepted: line 12 repeats β₂ = ⅜; with the new token it is ¼."""
    q = np.stack([law("1/2", "1/4", "1/4")] * 3)[None]
    instance = {"q": q, "accepted": np.array([1]), "start": F(1, 2), "step_size": F(1, 2), "dropped_target": F(1, 4)}
    printed, wanted = get("csqs.checkpoint").sides(instance)
    assert printed.tolist() == [F(3, 8)] * 2 and wanted.tolist() == [F(1, 4)] * 2
    assert get("csqs.checkpoint-corrected").sides(instance)[0].tolist() == [F(1, 4)] * 2
    for accepted, beta in ((0, F(3, 8)), (2, F(3, 8))):
        changed = {**instance, "accepted": np.array([accepted])}
        assert get("csqs.checkpoint-corrected").sides(changed)[0].tolist() == [beta] * 2


def test_counterexample_to_the_checkpoint_accepts_a_draft() -> None:
    assert counterexample("csqs.checkpoint")["accepted"].tolist() == [1]
