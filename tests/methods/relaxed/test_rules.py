"""Relaxed rules: by hand, against the audit's zoo, which is written apart, and the long road on small laws."""

from __future__ import annotations

from fractions import Fraction as F
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings

from simspec.audit.zoo import relaxed as zoo
from simspec.audit.zoo import trees
from simspec.claims.authoring import law
from simspec.laws import exact, overlap, tv
from simspec.methods import SD, acceptance_rate, bias, output_law
from simspec.methods.joint import Verifier, by_nodes, by_program, by_rows, facts, from_method, outcomes
from simspec.methods.names import rule
from simspec.methods.relaxed import (
    cactus,
    cactus_verifier,
    cascade,
    covered,
    ensemble,
    fuzzy,
    greedy,
    opt_law,
    raised,
    strict,
    thresholds,
    thresholds_verifier,
    tok3_law,
    top,
    typical_argmax,
)
from simspec.methods.relaxed.named import NAMED
from tests.strategies import fractions, pairs

DELTAS = fractions(0, 2, 8)
HALF, FAR = law("1/2", "1/2"), law(1, 0)


def of(verifier: Verifier, p, q):
    """Facts of one draft: its outcomes, and a bonus token from the same target."""
    return facts(outcomes(verifier, by_rows([p, p]), by_rows([q]), 1), by_rows([p, p]), 1)


@given(pairs(high=4), DELTAS)
@settings(max_examples=25, deadline=None)
def test_the_mean_residual_has_the_outcomes_of_the_residual_of_each_token(pair, delta) -> None:
    p, q = pair
    mean, told = of(from_method(cactus(delta))[1], p, q), of(cactus_verifier(delta), p, q)
    assert (mean.law, mean.acceptance) == (told.law, told.acceptance)
    rounded = output_law(cactus(float(delta)), p.astype(float), q.astype(float))
    np.testing.assert_allclose(rounded, output_law(cactus(delta), p, q).astype(float), atol=1e-9)


def test_raised_by_hand() -> None:
    """δ = 1/8: √(¼ · ¼) = 1/4 on a mass of 1/2; a mass of 0 or 1 stays; a root that is irrational is below."""
    assert raised(HALF, F(1, 8)).tolist() == [F(3, 4)] * 2
    assert raised(FAR, 5).tolist() == [1, 0]
    (h, _) = raised(law("1/3", "2/3"), F(1, 2))
    assert 0 < (h - F(1, 3)) ** 2 <= F(2, 9) < (h - F(1, 3) + F(1, 2**60)) ** 2
    assert raised(np.float32([0.5, 0.5]), 0.125).dtype == np.float32


def test_rows_are_apart_and_large_vocabularies_are_laws() -> None:
    rng = np.random.default_rng(0)
    p, q = (
        rng.dirichlet(np.full(3000, 0.1), 4).reshape(2, 2, -1),
        rng.dirichlet(np.full(3000, 0.1), 4).reshape(2, 2, -1),
    )
    out = output_law(cactus(0.5), p, q)
    np.testing.assert_allclose(out[1, 0], output_law(cactus(0.5), p[1, 0], q[1, 0]), atol=1e-15)
    np.testing.assert_allclose(out.sum(axis=-1), 1)
    np.testing.assert_allclose(bias(cactus(0.5), p, q), acceptance_rate(cactus(0.5), p, q) - overlap(p, q), atol=1e-12)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (cactus_verifier(F(1, 8)), partial(zoo.cactus, delta=F(1, 8))),
        (from_method(ensemble(F(3, 4)))[1], partial(zoo.ensemble, w=F(3, 4))),
        (from_method(typical_argmax(F(1, 4), 1))[1], partial(zoo.typical, eps=F(1, 4), alpha=1)),
    ],
    ids=["cactus", "ensemble", "typical"],
)
def test_rules_are_those_of_the_zoo(ours, theirs) -> None:
    for p, q in ((HALF, FAR), (law("1/2", "1/2", 0), law("1/4", "1/2", "1/4")), (law("7/8", "1/8"), HALF)):
        (mine, other) = (of(v, p, q) for v in (ours, by_program(theirs)))
        assert {k: float(v) for k, v in mine.law.items()} == pytest.approx({k: float(v) for k, v in other.law.items()})
        assert float(mine.acceptance) == pytest.approx(float(other.acceptance))


@pytest.mark.parametrize(("t_acc", "t_single"), [(F(1, 2), 1), (F(3, 4), F(1, 3)), (1, 1)])
def test_thresholds_of_a_tree_are_those_of_the_zoo(t_acc, t_single) -> None:
    p, paths = law("1/8", "1/4", "5/8"), ((0, 1), (1,), (0, 2))
    mine = outcomes(thresholds_verifier(t_acc, t_single), lambda x: p, lambda x: p, 2, lambda m, g: [(1, paths)])
    assert sum(o.probability for o in mine) == 1
    level = partial(trees.thresholds, single=t_single, acc=t_acc)
    ways = [
        (o.probability, o.tokens) for o in thresholds_verifier(t_acc, t_single)(lambda x: p, lambda x: p, ((1,), (0,)))
    ]
    taken: dict[int, F] = {}
    for mass, tokens in ways:
        taken[tokens[0]] = taken.get(tokens[0], 0) + mass
    theirs = by_nodes(lambda target, draft, x, chance: ((chance.draw(_node(level, p, (1, 0))),), 0))
    assert taken == {o.tokens[0]: o.probability for o in theirs(lambda x: p, lambda x: p, ())}


def _node(level, p, children):
    """Output law of one node under the zoo's rule, from its coin."""
    t_acc, t_single = level.keywords["acc"], level.keywords["single"]
    left, out, c = F(1), [F(0)] * len(p), F(0)
    for s in children:
        c += p[s]
        upto = 1 if p[s] >= t_single else min(c / t_acc, 1)
        out[s] += max(left - (1 - upto), 0)
        left = min(left, 1 - upto)
    rest = [0 if y in children else m for y, m in enumerate(p)]
    return [o + (left * m / sum(rest) if left else 0) for o, m in zip(out, rest, strict=True)]


@given(pairs(high=4), fractions(F(1, 8), 1, 8), fractions(F(1, 8), 1, 8))
@settings(max_examples=20, deadline=None)
def test_one_candidate_has_the_outcomes_of_the_tree_of_one(pair, t_acc, t_single) -> None:
    p, q = pair
    one = of(from_method(thresholds(t_acc, t_single))[1], p, q)
    drafts = [(mass, ((token,),)) for token, mass in enumerate(q) if mass > 0]
    found = outcomes(thresholds_verifier(t_acc, t_single), lambda x: p, lambda x: q, 1, lambda m, g: drafts)
    tree = facts(found, lambda x: p, 1)
    assert (one.law, one.acceptance) == (tree.law, tree.acceptance)


@given(pairs(high=4), fractions(0, 1, 8))
@settings(max_examples=20, deadline=None)
def test_cascades_emit_their_target(pair, alpha) -> None:
    p, q = pair
    for target in (opt_law, tok3_law):
        aim = target(p, q, alpha)
        assert (output_law(cascade(alpha, target), p, q) == aim).all()
        assert acceptance_rate(cascade(alpha, target), p, q) == 1 - tv(aim, q)


def test_opt_defers_by_hand() -> None:
    """max q = 1/2 < 1 − a/2 for a below 1."""
    assert (opt_law(FAR, HALF, F(3, 4)) == FAR).all() and (opt_law(FAR, HALF, 1) == HALF).all()


def test_criteria_by_hand() -> None:
    p, q = law("1/2", "1/8", "3/8"), law(0, "1/4", "3/4")
    rates = [float(acceptance_rate(rule(name).method, p, q)) for name in ("strict", "additive:0.125", "additive:0.1")]
    assert rates == [0, 1, 0]
    assert [float(acceptance_rate(rule(f"{n}").method, p, q)) for n in ("multiplicative:0.75", "top:2", "top:1")] == [
        1,
        1,
        0,
    ]
    assert output_law(strict(), p, q).tolist() == [1, 0, 0]
    assert not covered(p, q, 2) and covered(p, q, 3)
    assert greedy(exact(np.array([1, 1])) / 2).tolist() == [1, 0]


def test_fuzzy_by_hand() -> None:
    half_apart = fuzzy(F(1, 2), tv)
    assert output_law(half_apart, HALF, FAR).tolist() == [1, 0]
    assert output_law(fuzzy(F(1, 4), tv), HALF, FAR).tolist() == HALF.tolist()
    assert output_law(fuzzy(F(1, 4), tv, SD.residual), HALF, FAR).tolist() == [0, 1]


@pytest.mark.parametrize(
    "make",
    [
        lambda: cactus(-1),
        lambda: ensemble(2),
        lambda: cascade(-0.5),
        lambda: fuzzy(float("nan")),
        lambda: top(0),
        lambda: thresholds(0),
        lambda: thresholds_verifier(1, 2),
        lambda: covered(HALF, HALF, 0),
        lambda: rule("additive:-1"),
        lambda: rule("multiplicative:2"),
    ],
)
def test_bad_numbers_are_refused(make) -> None:
    with pytest.raises(ValueError, match="expected"):
        make()


def test_every_name_is_a_rule_with_a_law() -> None:
    p, q = np.array([[0.5, 0.3, 0.2], [1.0, 0.0, 0.0]]), np.array([[0.1, 0.2, 0.7], [0.0, 0.0, 1.0]])
    for name, (numbers, _, _) in NAMED.items():
        made = rule(name + (":" + ",".join("1" for _ in numbers) if numbers else ""))
        np.testing.assert_allclose(output_law(made.method, p, q).sum(axis=-1), 1, err_msg=name)
