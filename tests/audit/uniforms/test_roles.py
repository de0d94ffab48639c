"""Which uniforms both accept drafts and draw tokens: samplers whose uniforms have known roles, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit.pairs import Pair
from simspec.audit.uniforms.roles import shared_uniforms

THIRDS = np.full((2, 3), 1 / 3)
PAIR = Pair("thirds", THIRDS, THIRDS[:1])
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
