"""Processors by hand: two tokens, a penalty that forbids repetition, masks that look one token ahead, seeds and counters."""

from __future__ import annotations

from fractions import Fraction as F
from math import log

import numpy as np
import pytest

from simspec.claims.authoring import exact, law, mask
from simspec.claims.process.logprobs import reported
from simspec.claims.process.mask_law import GRAMMAR, LAWS, allowed_mass, conditioned, masked
from simspec.claims.process.overshoot import best_output, fresh_output
from simspec.claims.process.parts import target, two_tokens
from simspec.claims.process.residual_only import first_token
from simspec.claims.process.seed import joint
from simspec.claims.process.shared_drafts import both_accept
from simspec.claims.process.shared_drafts import joint as samples
from simspec.claims.process.stale import HALVES
from simspec.claims.process.stop_string import ended
from simspec.claims.process.truncation_lossy import accepts_likely
from simspec.laws import tv
from simspec.methods import output_law
from tests.claims.cases import assert_broken, get

HALF = law("1/2", "1/2")
FORBIDS = {"p": HALVES, "q": HALVES, "factor": F(0), "gamma": 1, "length": 2, "same": 0}
"""Uniform laws and a penalty that forbids every token that the text has: the processed target never repeats itself."""


def test_a_forbidden_token_is_repeated_by_an_accepted_draft() -> None:
    """Half of all drafts would repeat: as p = q every draft is accepted, and each half of the second tokens is wrong."""
    wanted = two_tokens(target(HALVES, F(0)))
    assert wanted.tolist() == [0, F(1, 2), F(1, 2), 0]
    assert get("process.prefix").sides(FORBIDS)[0].tolist() == wanted.tolist()
    for name in ("process.stale", "process.bonus"):
        emitted = get(name).sides(FORBIDS)[0]
        assert emitted.tolist() == [F(1, 4)] * 4
        assert tv(emitted, wanted) == F(1, 2)
    one = {"p": HALVES, "q": HALVES, "factor": F(0), "last": 0}
    assert get("process.stale-corrected").sides(one) == get("process.bonus-corrected").sides(one) == (F(1, 2), F(1, 2))


def test_a_draft_that_is_never_accepted_does_no_harm() -> None:
    """The draft says only what the processed target forbids after the token before: nothing is accepted, all is right."""
    never = {"p": HALVES, "q": np.stack([law(1, 0)] * 3), "factor": F(0), "last": 1}
    assert get("process.stale-corrected").sides(never) == (0, 0)


def test_stale_and_raw_laws_differ_after_a_text() -> None:
    """After token 0 only token 1 is allowed, and half accepted; then both are forbidden, so that the raw law is the right one."""
    after = {"p": HALVES, "q": HALVES, "factor": F(0), "last": 1}
    stale = get("process.stale-corrected").sides(after)
    raw = get("process.bonus-corrected").sides(after)
    assert (stale, raw) == ((F(1, 4), F(1, 4)), (0, 0))


def test_truncation_of_the_residual_alone() -> None:
    """p = q = (1/2, 1/2): every draft is accepted, the second token too, which top-1 would never emit."""
    assert first_token(HALF, HALF, 1).tolist() == [F(1, 2), F(1, 2)]
    assert get("process.residual-only-corrected").sides({"p": HALF, "q": HALF, "k": 1}) == (F(1, 2), F(1, 2))


def test_order_of_samplers() -> None:
    """(2/3, 1/3) squared is (4/5, 1/5): min-p at 1/2 and top-p at 3/4 keep both tokens before, and one after."""
    p = law("2/3", "1/3")
    for name, share in (("process.order.min-p", F(1, 2)), ("process.order.top-p", F(3, 4))):
        before, after = get(name).sides({"p": p, "n": 2, "share": share})
        assert (before.tolist(), after.tolist()) == ([F(4, 5), F(1, 5)], [1, 0])


def test_masks_that_cost_different_masses() -> None:
    """After token 0 a mask leaves 1/4 of the target, after token 1 all of it: 1/8 to 1/4 to 1/4 are given as 1/2, 1/4, 1/4."""
    assert masked(LAWS, GRAMMAR).tolist() == [F(1, 2), 0, F(1, 4), F(1, 4)]
    assert conditioned(LAWS, GRAMMAR).tolist() == [F(1, 5), 0, F(2, 5), F(2, 5)]
    assert allowed_mass(LAWS, GRAMMAR).tolist() == [F(1, 4), F(1, 4), 1, 1]


def test_a_grammar_that_the_target_never_meets() -> None:
    never = {"p": np.stack([law(1, 0)] * 3), "grammar": np.stack([mask("00"), mask("01")])}
    assert get("process.mask-law-corrected").slack(never).tolist() == [0] * 4
    assert get("process.mask-law").slack(never).tolist() == [0] * 4


def test_acceptance_of_likely_tokens() -> None:
    """p = (1/2, 1/4, 1/4), θ = 1/4: all are likely; a draft that is sure of the last is kept, at 3/4 from the target."""
    p, q = law("1/2", "1/4", "1/4"), law(0, 0, 1)
    assert output_law(accepts_likely(F(1, 4)), p, q).tolist() == q.tolist()
    assert get("process.truncation-lossy").sides({"p": p, "q": q, "theta": F(1, 4)}) == (F(3, 4), F(3, 4))
    assert get("process.truncation-lossy.most").sides({"p": p, "q": q, "theta": F(1, 4)}) == (F(3, 4), F(3, 4))


def test_overshoot_by_two_residuals() -> None:
    p, kept = law("1/4", "3/4"), law("1/2", 0)
    assert best_output(p, kept).tolist() == [F(1, 2), F(1, 2)]
    assert fresh_output(p, kept).tolist() == [F(5, 8), F(3, 8)]
    instance = {"p": p, "kept": kept, "c": F(2)}
    assert get("process.overshoot").sides(instance) == (F(1, 4), F(1, 4))
    assert get("process.overshoot.fresh").sides(instance) == (F(3, 8), F(3, 8))


def test_one_seed_two_requests() -> None:
    """Targets (1/2, 1/2) and (1/4, 3/4) without rejections: the first quarter of the uniforms gives token 0 to both."""
    other = law("1/4", "3/4")
    assert joint([(HALF, HALF), (other, other)]).tolist() == [[F(1, 4), F(1, 4)], [0, F(1, 2)]]
    assert joint([(HALF, HALF), (other, other)], seeds=2).tolist() == [[F(1, 8), F(3, 8)]] * 2
    assert get("process.seed.dependence").slack({"p": HALF, "other": other}).tolist() == [0] * 4


def test_reported_log_probabilities() -> None:
    """p = (1/2, 1/2), q = (1, 0): half the tokens are accepted drafts and reported as certain, half at −ln 2."""
    assert float(reported(HALF, law(1, 0))) == pytest.approx(-log(2) / 2)
    assert float(reported(HALF, HALF)) == 0


def test_charged_tokens() -> None:
    run = {"drafted": exact([3, 3]), "accepted": exact([3, 0])}
    assert get("process.usage").sides(run) == (8, 5)
    assert get("process.usage-corrected").sides(run) == (F(8, 5), F(8, 5))


def test_a_stop_token_among_drafts() -> None:
    """The draft says it half of the time, the target a quarter: half of all steps end the text."""
    assert ended(law("1/4", "3/4"), HALF).tolist() == [F(1, 2), F(3, 4)]


def test_samples_that_share_a_draft() -> None:
    """p = (1/4, 3/4), q = (1/2, 1/2): the first draft is accepted half of the time by each, the second always."""
    p = law("1/4", "3/4")
    assert both_accept(p, HALF) == F(1, 2) * F(1, 4) + F(1, 2) == F(5, 8) > F(3, 4) ** 2
    assert samples(p, HALF).tolist() == [[F(1, 8), F(1, 8)], [F(1, 8), F(5, 8)]]


@pytest.mark.parametrize(
    "name", ["process.prefix", "process.mask-draft", "process.overshoot", "process.stop-string-corrected"]
)
def test_breaking_a_formula_breaks_the_claim(name: str) -> None:
    claim = get(name)
    for slip in claim.broken:
        assert_broken(claim, **slip.changes(claim))
