"""Claims on speculative decoding itself: cases by hand."""

from dataclasses import replace
from fractions import Fraction as F
from functools import partial

import numpy as np
import pytest

from simspec.claims.authoring import law
from simspec.claims.deciding.search import check_draw, check_exact
from simspec.claims.deciding.shrink import violated
from simspec.claims.draw import FloatDraw
from simspec.methods import SD, output_law
from tests.claims.cases import QUICK, counterexample, get


def test_lossless_by_hand() -> None:
    claim = get("sd.lossless")
    p, q = law("1/2", "1/2"), law("3/4", "1/4")
    one_step = {"p": p, "q": q, "gamma": 1, "length": 1, "halts": None, "peeks": None}
    assert output_law(SD, p, q).tolist() == [F(1, 2), F(1, 2)]
    assert not violated(claim.slack(one_step))


def test_counterexample_to_inverse_proportionality_by_hand() -> None:
    found = counterexample("sd.inverse-proportional")
    products = []
    for p, q in ((found["p"], found["q"]), (found["p2"], found["q2"])):
        alpha = sum(min(a, b) for a, b in zip(p.tolist(), q.tolist(), strict=True))
        products.append(alpha * (1 - alpha))
    assert products[0] != products[1]
    assert found["p"].shape == (2,)
    check, _, _ = check_draw(get("sd.inverse-proportional"), FloatDraw(7, vocab=2_000, rows=4), "synthetic")
    assert check.violations > 0


def test_gain_of_redistribution_by_hand() -> None:
    claim = get("sd.kernel-redistribution-sharp")
    p, q = law("1/2", "1/4", "1/4"), law("0", "1/2", "1/2")  # the kernel is 1/4 on each of the last two tokens
    everything = {"p": p, "q": q, "share": law(1, 1, 1), "onto": law(1, 0, 0)}
    half_lost = {"p": p, "q": q, "share": law(1, 1, 1), "onto": law("1/2", "1/2", 0)}
    # half of the last token's kernel, and no other
    one_token = {**half_lost, "share": law(0, 0, "1/2"), "onto": law(1, 0, 0)}
    gains = [F(1, 2), F(1, 4), F(1, 8)]
    assert [claim.sides(i) for i in (everything, half_lost, one_token)] == [(gain, gain) for gain in gains]


def test_a_missing_renormalisation_is_no_law() -> None:
    claim = get("sd.lossless")
    method = SD._replace(residual=lambda p, d: np.maximum(p - d, 0))
    broken = replace(claim, lhs=partial(claim.lhs, method=method), outside={})
    with pytest.raises(ValueError, match=r"residual\(p, d\): row .* sums to"):
        check_exact(broken, QUICK, seed=0)
