"""Pairs for studies: the draft's laws on the target's vocabulary, and correlated logits."""

import numpy as np
import pytest

from simspec.laws import softmax
from simspec.logits import open_bank
from simspec.logits.bank import MissingPart
from simspec.methods import tli
from simspec.studies.pairs import bank_laws, draft_laws, synthetic_logits
from tests.studies.fakes import FakeBank


class HalfShared(FakeBank):
    """A draft that shares the first two of four tokens."""

    def __init__(self) -> None:
        super().__init__(vocab=4)
        self.shared = np.array([True, True, False, False])

    def draft_on_target(self, q):
        return np.where(self.shared, q, 0)


def test_unshared_tokens_are_dropped_by_hand() -> None:
    bank = HalfShared()
    z = np.log([[0.4, 0.1, 0.3, 0.2]])
    np.testing.assert_allclose(draft_laws(bank, z), [[0.8, 0.2, 0, 0]])
    np.testing.assert_allclose(draft_laws(bank, z), tli(bank.shared).propose(softmax(z)))


def test_a_draft_that_is_certain_of_an_unshared_token_is_uniform_on_the_shared() -> None:
    """At temperature 0 all mass is on token 2, which is not shared: as `tli` proposes, whichever study asks."""
    bank = HalfShared()
    assert draft_laws(bank, np.array([[0.0, 1.0, 3.0, 2.0]]), temperature=0).tolist() == [[0.5, 0.5, 0, 0]]
    stories = open_bank("stories")
    _, q = bank_laws(stories, temperature=0)
    assert (q[:, ~stories.shared] == 0).all()
    np.testing.assert_allclose(q.sum(axis=-1), 1)


def test_a_bank_without_a_draft_is_refused() -> None:
    with pytest.raises(MissingPart, match="'fake' has no draft"):
        bank_laws(FakeBank(draft=False))


def test_rows_of_synthetic_logits_do_not_depend_on_their_block() -> None:
    cell = {"vocab": 7, "scale": 2.0, "rho": 0.5, "df": 5}
    for whole, part in zip(synthetic_logits(cell, 3, 6), synthetic_logits(cell, 3, 2, first_row=4), strict=True):
        np.testing.assert_array_equal(whole[4:], part)
