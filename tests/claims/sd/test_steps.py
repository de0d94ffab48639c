"""Every sd.* claim: verdict, counterexample, and the mutation that must refute it."""

from dataclasses import replace
from fractions import Fraction as F
from functools import partial

import numpy as np
import pytest

from simspec.claims import find
from simspec.claims.deciding.decide import decide
from simspec.claims.deciding.search import EFFORTS, check_draw, check_exact
from simspec.claims.deciding.shrink import violated
from simspec.claims.draw import FloatDraw
from simspec.claims.words import law
from simspec.laws import normalise, overlap
from simspec.methods import SD, output_law
from tests.claims.cases import claims_of

CLAIMS = claims_of(
    "sd.acceptance",
    "sd.lossless",
    "sd.kernel-redistribution",
    "sd.inverse-proportional",
    "sd.block-length",
    "sd.speedup",
    "sd.speedup-monotone",
)

REFUTED = {"sd.inverse-proportional"}
QUICK = EFFORTS["quick"]


def get(name):
    return next(c for c in CLAIMS if c.name == name)


def test_lossless_by_hand() -> None:
    claim = get("sd.lossless")
    p, q = law("1/2", "1/2"), law("3/4", "1/4")
    one_step = {"p": p, "q": q, "gamma": 1, "length": 1, "halts": None, "peeks": None}
    assert output_law(SD, p, q).tolist() == [F(1, 2), F(1, 2)]
    assert not violated(claim.slack(one_step))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_verdict(claim) -> None:
    trials = check_exact(claim, QUICK, seed=0)
    assert decide(claim, trials) == ("refuted" if claim.name in REFUTED else "holds")
    assert trials.not_needed == ()
    undefined = {"α is below one"}  # at α = 1 the printed formula is 0/0: there is nothing to compare
    assert set(claim.outside) == set(claim.assumes) - undefined, "every assumption is shown to be needed"


@pytest.mark.parametrize("claim", [c for c in CLAIMS if "float" in c.sources], ids=lambda c: c.name)
def test_floats_agree(claim) -> None:
    check, worst, _ = check_draw(claim, FloatDraw(7, vocab=2_000, rows=4), "synthetic")
    assert check.instances > 0
    assert (check.violations == 0) is (claim.name not in REFUTED), worst


def test_counterexample_to_inverse_proportionality_by_hand() -> None:
    found = check_exact(get("sd.inverse-proportional"), QUICK, seed=0).counterexample
    products = []
    for p, q in ((found["p"], found["q"]), (found["p2"], found["q2"])):
        alpha = sum(min(a, b) for a, b in zip(p.tolist(), q.tolist(), strict=True))
        products.append(alpha * (1 - alpha))
    assert products[0] != products[1]
    assert found["p"].shape == (2,)


def test_gain_of_redistribution_by_hand() -> None:
    claim = get("sd.kernel-redistribution-sharp")
    p, q = law("1/2", "1/4", "1/4"), law("0", "1/2", "1/2")  # the kernel is 1/4 on each of the last two tokens
    everything = {"p": p, "q": q, "share": law(1, 1, 1), "onto": law(1, 0, 0)}
    half_lost = {"p": p, "q": q, "share": law(1, 1, 1), "onto": law("1/2", "1/2", 0)}
    # half of the last token's kernel, and no other
    one_token = {**half_lost, "share": law(0, 0, "1/2"), "onto": law(1, 0, 0)}
    gains = [F(1, 2), F(1, 4), F(1, 8)]
    assert [claim.sides(i) for i in (everything, half_lost, one_token)] == [(gain, gain) for gain in gains]


def test_corrections_are_listed_and_exist() -> None:
    for claim in CLAIMS:
        for name in claim.corrected_by:
            assert name in {c.name for c in CLAIMS}
    assert [c.name for c in find(["sd.inverse-proportional"])] == [
        "sd.inverse-proportional",
        "sd.inverse-proportional-corrected",
    ]


MUTATIONS = {
    "wrong residual": ("sd.lossless", SD._replace(residual=lambda p, d: p)),
    "residual of the transposed difference": (
        "sd.lossless",
        SD._replace(residual=lambda p, d: normalise(np.maximum(d - p, 0), otherwise=p)),
    ),
    "keeps every draft": ("sd.lossless", SD._replace(keep=lambda p, d: d)),
}


def test_a_missing_renormalisation_is_no_law() -> None:
    claim = get("sd.lossless")
    method = SD._replace(residual=lambda p, d: np.maximum(p - d, 0))
    broken = replace(claim, lhs=partial(claim.lhs, method=method), outside={})
    with pytest.raises(ValueError, match=r"residual\(p, d\): row .* sums to"):
        check_exact(broken, QUICK, seed=0)


@pytest.mark.parametrize("what", MUTATIONS)
def test_breaking_the_rule_breaks_the_claim(what) -> None:
    name, method = MUTATIONS[what]
    claim = get(name)
    broken = replace(claim, lhs=partial(claim.lhs, method=method), outside={})
    assert decide(broken, check_exact(broken, QUICK, seed=0)) == "refuted"


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("sd.acceptance", {"lhs": lambda p, q: np.stack([np.maximum(p, q).sum(axis=-1)] * 2)}),
        ("sd.kernel-redistribution", {"lhs": lambda p, q, onto: overlap(p, onto)}),
        ("sd.kernel-redistribution-sharp", {"rhs": lambda p, q, share, onto: np.minimum(p, share * onto).sum(axis=-1)}),
        ("sd.inverse-proportional-corrected", {"lhs": lambda p, q: overlap(p, q)}),
        ("sd.block-length", {"rhs": lambda alpha, gamma: (1 - alpha**gamma) / (1 - alpha)}),
        ("sd.block-length-corrected", {"rhs": lambda alpha, gamma: 1 + gamma * alpha}),
        ("sd.speedup", {"lhs": lambda p, q, gamma, t_p, t_q: overlap(p, q) * t_p / (gamma * t_q + t_p)}),
        ("sd.speedup-monotone", {"rhs": lambda accepted, more, gamma, cost, slower: np.array([more, accepted])}),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    broken = replace(get(name), tight=(), outside={}, **changes)
    assert decide(broken, check_exact(broken, QUICK, seed=0)) == "refuted"
