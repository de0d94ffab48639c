"""The search finds what is false, and only that: exact trials, floats with a derived allowance, tightness, necessity."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims import registry
from simspec.claims.claim import Claim, at_most, equal
from simspec.claims.csqs.parts import STEP, TARGET, TIMES
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.decide import decide
from simspec.claims.deciding.explore import PRINTED, WHOLE, at_printed
from simspec.claims.deciding.recorded import expected
from simspec.claims.deciding.search import EFFORTS, Check, Trials, allowance, check_draw, check_exact, try_claim
from simspec.claims.deciding.shrink import confirm, rationalise, shrink, size, undecided, violated
from simspec.claims.draw import ExactDraw, FloatDraw
from simspec.claims.ears.parts import BETA
from simspec.laws import exact, overlap, tv

QUICK = EFFORTS["quick"]


def pairs(draw):
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


TRUE = Claim("t.true", "bound", "", "", lhs=overlap, rhs=lambda p: p.sum(axis=-1), relation=at_most, instances=pairs)
FALSE = replace(TRUE, name="t.false", rhs=lambda p, q: tv(p, q))  # overlap <= TV fails at p = q
NARROW = replace(  # fails only where three masses are distinct and the draft is a point: found by search, not by luck
    TRUE,
    name="t.narrow",
    lhs=lambda p, q: (np.minimum(p, q) * 4).sum(axis=-1) * 0 + (len(set(p.tolist())) == 3 and max(q) == 1) * 1,
    rhs=lambda p: p.sum() * 0,
)


def test_smallest_counterexample_of_a_false_bound_is_one_token() -> None:
    trials = check_exact(FALSE, QUICK, seed=0)
    assert decide(FALSE, trials) == "refuted"
    assert {k: v.tolist() for k, v in trials.counterexample.items()} == {"p": [F(1)], "q": [F(1)]}
    assert trials.exact.violations > 0


def test_true_bound_holds_and_is_tight() -> None:
    trials = check_exact(TRUE, QUICK, seed=0)
    assert decide(TRUE, trials) == "holds"
    assert trials.exact.violations == 0
    assert trials.exact.min_slack == 0
    assert trials.tightness["ratio"] == 1
    assert overlap(**trials.tightness["instance"]) == 1


def test_narrow_violation_is_found_and_shrunk() -> None:
    trials = check_exact(NARROW, EFFORTS["default"], seed=0)
    assert decide(NARROW, trials) == "refuted"
    assert trials.counterexample["p"].shape == (3,)


def test_the_same_seed_finds_the_same_counterexample() -> None:
    first, second = (check_exact(NARROW, EFFORTS["default"], seed=3).counterexample for _ in range(2))
    assert {k: v.tolist() for k, v in first.items()} == {k: v.tolist() for k, v in second.items()}


def test_exact_elements_are_fractions_or_integers() -> None:
    draw = ExactDraw(rng=np.random.default_rng(0))
    for value in (draw.law(4), draw.matrix(3), draw.weights(3), np.array([draw.number(0, 1)])):
        assert all(isinstance(v, (int, F)) for v in value.ravel().tolist())
    assert draw.law(5).sum() == 1
    assert (draw.matrix(3).sum(axis=1) == 1).all()


def test_replaying_the_recorded_choices_gives_the_same_instance() -> None:
    draw = ExactDraw(rng=np.random.default_rng(1))
    first = pairs(draw)
    again = pairs(ExactDraw(draw.recorded))
    assert all((first[k] == again[k]).all() for k in first)


def test_assumption_that_is_not_needed_is_an_error() -> None:
    unneeded = replace(
        TRUE,
        assumes={"p starts heavy": lambda p: 2 * p[..., 0] >= 1},
        instances=lambda draw: {"p": exact([F(1), F(0)]), "q": draw.law(2)},
        outside={"p starts heavy": {"p": exact([F(1, 4), F(3, 4)]), "q": exact([F(1), F(0)])}},
    )
    trials = check_exact(unneeded, QUICK, seed=0)
    assert trials.not_needed == ("p starts heavy",)
    assert decide(unneeded, trials) == "error"


def test_listed_instance_must_satisfy_the_assumptions() -> None:
    listed = replace(TRUE, assumes={"never": lambda p: False}, tight=({"p": exact([1]), "q": exact([1])},))
    with pytest.raises(ValueError, match="breaks the assumption 'never'"):
        check_exact(listed, QUICK, seed=0)


def test_instances_must_mostly_satisfy_the_assumptions() -> None:
    outside = replace(TRUE, assumes={"never": lambda p: False}, outside={})
    with pytest.raises(ValueError, match="most of its instances violate its assumption 'never'"):
        check_exact(outside, QUICK, seed=0)


def test_a_slack_that_is_no_number_is_an_error() -> None:
    from flint import arb

    assert violated(arb(-1)) and not violated(arb(0, 1))
    assert undecided(arb(0, 1)) and not undecided(arb(1))
    for value in (arb("nan"), float("nan")):
        with pytest.raises(ValueError, match="not finite"):
            violated(value)


def test_the_search_meets_larger_vocabularies_and_counts_different_instances() -> None:
    sizes: dict[int, int] = {}
    seen = set()

    def noted(draw):
        instance = pairs(draw)
        sizes[len(instance["p"])] = sizes.get(len(instance["p"]), 0) + 1
        seen.add(str(instance))
        return instance

    trials = check_exact(replace(TRUE, instances=noted), EFFORTS["default"], seed=0)
    total = sum(sizes.values())
    assert trials.exact is not None and trials.exact.instances > 0.7 * total
    assert sizes[1] < 0.3 * total
    assert sum(n for v, n in sizes.items() if v >= 4) > 0.3 * total


def test_batches_count_rows_not_entries() -> None:
    identity = replace(TRUE, relation=equal, lhs=lambda p: p, rhs=lambda p: p)
    check, _, _ = check_draw(identity, FloatDraw(0, vocab=500, rows=4), "synthetic")
    assert check.instances == 4
    off = replace(identity, rhs=lambda p: p + (p == p.max()))  # one entry of the batch is off
    check, _, _ = check_draw(off, FloatDraw(0, vocab=500, rows=4), "synthetic")
    assert check.violations == 1


def test_float_check_allows_rounding_and_nothing_more() -> None:
    identity = replace(TRUE, relation=equal, rhs=lambda p, q: 1 - tv(p, q))
    check, worst, _ = check_draw(identity, FloatDraw(0, vocab=500, rows=4), "synthetic")
    assert (check.instances, check.violations, worst) == (4, 0, None)
    off = replace(identity, rhs=lambda p, q: 1 - tv(p, q) + 1e-9)  # a thousand times the allowance at V = 500
    check, worst, _ = check_draw(off, FloatDraw(0, vocab=500, rows=4), "synthetic")
    assert check.violations == 4
    assert worst["p"].shape == (500,)


def test_allowance_by_hand() -> None:
    instance = {"p": np.full((2, 84), 1 / 84)}
    assert allowance(TRUE, instance, np.array([3.0]), 1.0) == 4 * 100 * np.finfo(np.float64).eps * 3


def test_float_violation_is_confirmed_small_and_exact() -> None:
    p, q = np.full(600, 1 / 600), np.full(600, 1 / 600)
    found = confirm(FALSE, {"p": p, "q": q}, budget=2000)
    assert found is not None
    assert violated(FALSE.slack(found))
    assert found["p"].shape == (1,)
    assert isinstance(found["p"][0], F)


def test_float_violation_that_is_rounding_is_not_confirmed() -> None:
    broken_only_in_floats = replace(
        TRUE,
        relation=equal,
        lhs=lambda p: p.sum(axis=-1) + (0 if p.dtype == object else 1e-3),
        rhs=lambda p: p.sum() * 0 + 1,
    )
    instance = {"p": np.array([0.5, 0.5]), "q": np.array([0.5, 0.5])}
    assert confirm(broken_only_in_floats, instance, budget=200) is None
    trial = try_claim(broken_only_in_floats, "quick", 0, Data())
    assert (
        trial.exact.violations == 0
        and f'{TRUE.name} cancel in floats, write `sources=("exact",)` in it' in trial.unconfirmed
    )
    alone = try_claim(replace(broken_only_in_floats, sources=("exact",)), "quick", 0, Data())
    assert alone.unconfirmed is None and decide(broken_only_in_floats, alone) == "holds"
    trials = Trials(synthetic=Check(1, 1, -1e-3), unconfirmed="not confirmed")
    assert decide(broken_only_in_floats, trials) == "error"


def test_rationalise_keeps_laws_laws() -> None:
    out = rationalise({"p": np.array([0.3, 0.3, 0.4]), "x": 0.25, "mask": np.array([True])}, 10)
    assert out["p"].tolist() == [F(3, 10), F(3, 10), F(2, 5)]
    assert out["x"] == F(1, 4)
    assert out["mask"].tolist() == [True]


def test_shrink_lowers_the_choices() -> None:
    rng = np.random.default_rng(0)
    while True:
        draw = ExactDraw(rng=rng)
        if violated(FALSE.slack(pairs(draw))):
            break
    instance, choices = shrink(FALSE, draw.recorded, 500)
    assert size(instance) == (2, 4)
    assert sum(choices) <= sum(draw.recorded)


def test_nothing_tried_is_an_error() -> None:
    assert decide(TRUE, Trials()) == "error"


def test_proof_makes_holds_proved_but_never_refuted() -> None:
    trials = check_exact(TRUE, QUICK, seed=0)
    rules = {"kind": "symbolic", "whole": True, "coq": None}
    coq = {**rules, "coq": {"coq": "8.16.1", "steps": 2, "admitted": [], "whole": True}}
    some = {**rules, "coq": {"coq": "8.16.1", "steps": 2, "admitted": ["sum_1"], "whole": False}}
    assert decide(TRUE, trials, [some, coq]) == "proved"
    assert decide(TRUE, trials, [rules, some]) == "derived"
    assert decide(TRUE, trials, [{**coq, "whole": False}]) == decide(TRUE, trials) == "holds"
    assert decide(FALSE, check_exact(FALSE, QUICK, seed=0), [{"kind": "symbolic"}]) == "refuted"


def test_a_paper_s_own_parameters_are_tried_beside_the_random_ones() -> None:
    """β = 1/10 and the like are tried by every run, on instances inside the assumptions; what is false there alone is found."""
    claim = registry()["ears.bias-bound.residual"]
    values = [value for setting in PRINTED["ears"] for value in setting.values()]
    assert all(set(setting) == {BETA} for setting in PRINTED["ears"])
    found = list(at_printed(claim, 0))
    assert {i["beta"] for i in found} == set(values) and not any(claim.broken_assumptions(i) for i in found)
    assert [str(i) for i in found] == [str(i) for i in at_printed(claim, 0)]

    assert [set(setting) for setting in PRINTED["csqs"]] == [{STEP, TARGET}] and set(WHOLE["csqs"]) == {TIMES}
    paths = list(at_printed(registry()["csqs.two-sided"], 0))
    assert len(paths) == 4
    assert {(i["step_size"], i["dropped_target"]) for i in paths} == {(F(1, 1000), F(1, 2000))}

    def wrong(beta):  # at the printed 1/20 alone; a random draw's denominator is 8 at most
        return F(int(beta == F(1, 20)))

    only = Claim(
        "ears.own",
        "bound",
        "false at 1/20",
        "",
        wrong,
        at_most,
        lambda beta: 0,
        lambda draw: {"beta": draw.number(*BETA)},
    )
    trials = check_exact(only, EFFORTS["quick"], seed=0)
    assert trials.exact is not None and trials.exact.violations == 4
    assert trials.counterexample == {"beta": F(1, 20)}


def test_a_claim_that_holds_says_how_far_it_was_tried() -> None:
    """Also one about sizes or texts, whose instances have no law: every recorded `holds` names what it went up to."""
    holding = [name for name, verdict in expected()["verdicts"].items() if verdict == "holds"]
    assert holding
    for name in holding:
        trials = try_claim(registry()[name], "quick", 0, Data(effort="quick"))
        assert trials.exact is not None and "up to" in (trials.exact.data or ""), name
        assert trials.exact.instances > 0 and trials.counterexample is None
