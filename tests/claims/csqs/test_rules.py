"""Claims about rules for C-SQS's threshold: how sharp they are, what beats what."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.claims.authoring import law
from simspec.claims.deciding.shrink import violated
from simspec.claims.sqs.parts import flat
from simspec.laws import exact
from simspec.methods.csqs.conformal import draft_thresholds
from simspec.methods.csqs.threshold_rules import best_fixed_threshold
from simspec.methods.csqs.thresholds import ranked
from tests import strategies
from tests.claims.cases import get

# --- how sharp they are ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 6])
def test_a_flat_law_throws_the_threshold_to_its_floor(size) -> None:
    """β₁ = 1/V + ε, η = 4, α = ⅛: down by η(1 − α), or by η(1 − 1/V − α); ε is what is left."""
    near = F(1, 10**6)
    instance = {"q": np.stack([flat(size)]), "start": F(1, size) + near, "step_size": F(4), "dropped_target": F(1, 8)}
    assert get("csqs.lowest-threshold").slack(instance).tolist() == [near, near]
    assert get("csqs.largest-excess").slack(instance).ravel().tolist() == [near / 4, near / 4]


@pytest.mark.parametrize("tokens", [1, 2, 5])
def test_two_sided_constants_are_attained_at_every_length(tokens) -> None:
    """Certain tokens from the lowest start, ηα T = 1 + η; and from the middle, ηα T = (1 + η)/2: nothing is dropped."""
    q, eta = np.stack([law(1)] * tokens), F(2)
    for name, width in (("csqs.two-sided", 1 + eta), ("csqs.two-sided-best-start", (1 + eta) / 2)):
        alpha = width / (eta * tokens)
        if alpha <= 1:
            instance = {"q": q, "start": -eta * (1 - alpha), "step_size": eta, "dropped_target": alpha}
            assert get(name).slack(instance)[-1] == 0


def test_no_rule_misses_a_certain_token_by_less_than_the_budget_rule() -> None:
    """α = ½ and one certain token: all or nothing is dropped, so every rule is off by ½, which is what b = ½ promises."""
    instance = {"q": np.stack([law(1)]), "budget": F(1, 2), "dropped_target": F(1, 2)}
    above, below = get("csqs.budget-rule").sides(instance)
    assert above[0] == F(1, 2) and below.ravel().tolist() == [F(1, 2), F(1, 2)]


@given(st.data())
def test_no_sets_at_all_keep_fewer_where_probabilities_differ(data) -> None:
    """Every choice of sets that meets the target, by enumeration; all probabilities are different."""
    weights = data.draw(st.lists(st.integers(1, 60), min_size=6, max_size=6, unique=True))
    q = exact(np.array(weights).reshape(2, 3))
    q = q / q.sum(axis=-1, keepdims=True)
    if len(set(q.ravel().tolist())) < 6:
        return
    target = data.draw(strategies.fractions(0, 1, 12))
    for keep_top in (False, True):
        best = best_fixed_threshold(ranked(q), target, keep_top)
        fewest = min(
            sum(chosen)
            for bits in range(64)
            for chosen in [[bits >> k & 1 for k in range(6)]]
            if not keep_top or (any(chosen[:3]) and any(chosen[3:]))
            if sum(m for m, c in zip(q.ravel().tolist(), chosen, strict=True) if not c) <= 2 * target
        )
        assert best.kept.sum() == fewest


@pytest.mark.parametrize("keep_top", [False, True])
def test_the_best_fixed_threshold_keeps_fewer_tokens_than_the_adaptive_one(keep_top) -> None:
    """Thirty laws without ties, and as the target what C-SQS has dropped on average."""
    q = np.random.default_rng(0).dirichlet(np.full(40, 0.3), size=30)
    out = draft_thresholds(q, 0.1, 0.05, 0.1, keep_top)
    best = best_fixed_threshold(ranked(q), out.dropped.mean(), keep_top)
    assert best.dropped.mean() <= out.dropped.mean() and best.kept.sum() < out.masks.sum()


def test_ties_are_what_a_fixed_threshold_cannot_share() -> None:
    """Eight laws with the same four tokens: the adaptive threshold drops the two of an eighth now and then, a fixed one never."""
    q = np.stack([law("1/2", "1/4", "1/8", "1/8")] * 8)
    out = draft_thresholds(q, F(1, 8), F(1, 4), F(1, 8), keep_top=True)
    best = best_fixed_threshold(ranked(q), out.dropped.sum() / F(8))
    unused = out.dropped.sum() - best.dropped.sum()
    assert best.kept.sum() == 32 > out.masks.sum() == 32 - unused / best.threshold


# --- mutations -------------------------------------------------------------------------------------------------------


@given(st.data())
def test_bounds_on_longer_texts(data) -> None:
    """Beyond the lengths of the exact search: twelve tokens."""
    n = data.draw(strategies.vocabularies(low=2))
    laws = data.draw(strategies.batches(n, rows=3))[data.draw(st.lists(st.integers(0, 2), min_size=12, max_size=12))]
    instance = {
        "q": laws,
        "start": data.draw(strategies.fractions(-1, 2, 12)),
        "step_size": data.draw(strategies.fractions(F(1, 8), 12, 8)),
        "dropped_target": data.draw(strategies.fractions(F(1, 16), F(15, 16), 16)),
        "budget": data.draw(strategies.fractions(0, 1, 16)),
        "threshold": data.draw(strategies.fractions(F(1, 16), 1, 16)),
    }
    for name in ("lowest-threshold", "largest-excess", "two-sided-best-start", "budget-rule", "adaptive-against-fixed"):
        assert not violated(get(f"csqs.{name}").slack(instance))


LITERAL, KEEP_TOP = 0, 1


@pytest.mark.parametrize("size", [2, 3, 6])
def test_many_small_steps_lead_to_the_other_floor(size) -> None:
    """V − 1 tokens just below β, η(V − 1) = ¼: β comes down to α/(V − 1) from above and no further."""
    alpha, eta, beta = F(1, 8 * size), F(1, 4 * (size - 1)), F(1, size)
    start, texts = beta, []
    for _ in range(40):
        least = (beta * F(9999, 10_000)).limit_denominator(10**6)
        texts.append([least] * (size - 1) + [1 - (size - 1) * least])
        beta -= eta * ((size - 1) * least - alpha)
    instance = {"q": exact(np.array(texts, dtype=object)), "start": start, "step_size": eta, "dropped_target": alpha}
    out = draft_thresholds(*instance.values(), keep_top=False)
    assert out.thresholds[-1] == beta and (out.masks.sum(axis=-1) == 1).all()
    assert 0 <= beta - alpha / (size - 1) < F(1, 1000)
    slack = get("csqs.largest-excess").slack(instance)
    assert not violated(slack) and slack[LITERAL, -1] < F(1, 1000) / eta
