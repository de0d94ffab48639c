"""Which uniforms both accept drafts and draw tokens: samplers whose uniforms have known roles, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit.drafting import drafts_named
from simspec.audit.pairs import Pair
from simspec.audit.report import Verdict
from simspec.audit.uniforms.exact_law import exact
from simspec.audit.uniforms.roles import shared_uniforms

THIRDS = np.full((2, 3), 1 / 3)
PAIR = Pair("thirds", THIRDS, THIRDS[:1])
SEVERAL = "uniform {} decides on more than one draft"
SHARED = "uniform {} decides whether drafts are accepted, and also draws a token"


def one_draft(accepts, recovery, bonus):
    """A sampler of one draft from uniforms (n, 3): whether it is accepted, and the token after a refusal or a draft."""

    def sampler(p, q, drafts, uniforms):
        accepted = accepts(uniforms)
        first = np.where(accepted, drafts[:, 0], recovery(uniforms))
        return np.stack([first, np.where(accepted, bonus(uniforms), -1)], axis=1)

    return sampler


def below_half(place):
    return lambda uniforms: uniforms[:, place] < 0.5


def third(place):
    """One of three tokens, token 0 among them."""
    return lambda uniforms: (3 * uniforms[:, place]).astype(int)


def always(token):
    return lambda uniforms: np.full(len(uniforms), token)


@pytest.mark.parametrize(
    ("roles", "shared"),
    [
        ((below_half(0), third(1), third(1)), ()),
        ((below_half(2), third(0), third(1)), ()),
        ((below_half(0), third(0), third(1)), (0,)),  # the uniform of the test draws what follows a refusal
        ((below_half(1), third(0), third(1)), (1,)),  # ... and what follows an accepted draft
        ((lambda uniforms: uniforms[:, 0] < uniforms[:, 1], third(0), third(1)), (0, 1)),
        ((below_half(0), always(0), always(2)), ()),  # it decides the length, and no token
        ((lambda uniforms: uniforms[:, 0] >= 0, third(1), third(0)), ()),  # nothing is refused: no uniform decides that
    ],
)
def test_only_a_uniform_that_accepts_and_draws_is_shared(roles, shared) -> None:
    assert shared_uniforms(one_draft(*roles), PAIR, 3) == tuple(SHARED.format(uniform) for uniform in shared)


def test_drafts_come_from_the_laws_that_are_given() -> None:
    """The sampler shares a uniform after draft 2 only, which the draft law never says."""

    def sampler(p, q, drafts, uniforms):
        accepted = uniforms[:, 0] < 0.5
        recovery = np.where(drafts[:, 0] == 2, 3 * uniforms[:, 0] - 1, 0).astype(int)
        return np.stack([np.where(accepted, drafts[:, 0], recovery), np.where(accepted, 0, -1)], axis=1)

    never = np.array([[0.5, 0.5, 0]])
    assert shared_uniforms(sampler, PAIR, 1, drawn=never) == ()
    assert (
        shared_uniforms(sampler, PAIR, 1) == shared_uniforms(sampler, PAIR, 1, drawn=THIRDS[:1]) == (SHARED.format(0),)
    )


def residual(p, q):
    rest = np.maximum(p - q, 0)
    return rest / rest.sum() if rest.any() else p


def siblings(columns, law_of_last=None):
    """Recursive rejection of two siblings that repeat: uniforms of the two tests, of the last token, and of the bonus."""

    def sampler(p, q, drafts, uniforms):
        tokens = np.full((len(drafts), 2), -1)
        for row, (first, second) in enumerate(drafts[:, :, 0].tolist()):
            u = uniforms[row, columns]
            rest = residual(p[0], q[0])
            last = law_of_last if law_of_last is not None else residual(rest, q[0])
            if u[0] * q[0, first] < p[0, first]:
                tokens[row] = first, int(u[3] * 3)
            elif u[1] * q[0, second] < rest[second]:
                tokens[row] = second, int(u[3] * 3)
            else:
                tokens[row, 0] = min(int((np.cumsum(last) <= u[2] * last.sum()).sum()), 2)
        return tokens

    return sampler


LAWS = Pair("reveals", np.array([[9, 5, 2], [4, 4, 8]]) / 16, np.array([[8, 3, 5]]) / 16)


@pytest.mark.parametrize(
    ("columns", "law", "shared"),
    [
        ([0, 1, 2, 3], None, ()),
        ([0, 1, 2, 2], None, ()),  # the last token has one uniform, whichever it is
        ([0, 1, 2, 3], np.array([1, 1, 1]), ()),  # a wrong residual shares nothing
        ([0, 0, 2, 3], None, (SEVERAL.format(0),)),
        ([0, 1, 0, 3], np.array([1, 1, 1]), (SHARED.format(0),)),
    ],
)
def test_a_uniform_that_tests_two_siblings_is_told_from_those_that_test_and_draw(columns, law, shared) -> None:
    drawn = drafts_named("repeats:2")(LAWS.q)
    assert shared_uniforms(siblings(columns, law), LAWS, 4, drawn=drawn) == shared


NEVER_TWICE = Pair("never twice", np.array([[4, 5, 11], [4, 4, 12]]) / 20, np.array([[0, 5, 15]]) / 20)
"""Of two siblings the second is never kept by the first one's uniform, so that no uniform of this pair decides on both."""


@pytest.mark.parametrize("pair", [LAWS, NEVER_TWICE])
def test_siblings_that_share_a_uniform_have_the_cause_uniforms_and_no_fault_that_is_far_off(pair) -> None:
    """Where the pair that shows the bias does not show the uniform, other pairs do."""
    drawn = drafts_named("repeats:2")
    report = exact(siblings([0, 0, 2, 3]), 1, pairs=[pair], uniforms=4, drawn=drawn, confirmed=2000)
    assert (report.verdict, report.diagnosis.part) == (Verdict.BIASED, "uniforms")
    assert report.diagnosis.lines[0] == SEVERAL.format(0)
    assert not report.diagnosis.is_near
    assert "likely cause: uniforms; no known fault is near" in str(report)
