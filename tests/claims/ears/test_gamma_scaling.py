"""`ears.gamma-scaling`: cases by hand."""

from fractions import Fraction as F

import numpy as np

from simspec.claims.authoring import law
from simspec.claims.deciding.data import Data
from simspec.claims.draw import RealDraw
from simspec.claims.ears.gamma_scaling import _DEAD_END, BETAS, GAMMAS, _mean_tokens, _measured_ratios, _ratio
from simspec.methods import SD, ears
from tests.claims.cases import get


def test_block_lengths_by_hand() -> None:
    """p = (1/2, 1/2), q = (1, 0): a = 1/2, at β = 1/2 a' = 3/4; γ = 2: 1 + 1/2 + 1/4 against 1 + 3/4 + 9/16."""
    p, q = law("1/2", "1/2"), law(1, 0)
    assert _mean_tokens(SD, p, q, 2) == F(7, 4)
    assert _mean_tokens(ears(F(1, 2)), p, q, 2) == F(37, 16)
    assert _ratio(1)(p, q, F(1, 2), 1) == F(37, 28) > _ratio(0)(p, q, F(1, 2), 1) == F(7, 6)


def test_a_pardoned_token_can_lead_to_a_dead_end() -> None:
    """SD: 1 + 1/2 (+ 1/2) tokens; EARS: 1 + 3/4 (+ 1/2): the ratio falls from 7/6 to 9/8."""
    instance = _DEAD_END
    assert get("ears.gamma-scaling").sides(instance) == (F(9, 8), F(7, 6))


def test_measured_ratios() -> None:
    """One row for each β and γ; 1 at β = 0; rising with γ and with β, as acceptance is the same at each step."""
    found = _measured_ratios(Data(effort="quick"))
    ratios = np.array([e.estimate for e in found]).reshape(len(BETAS), len(GAMMAS))
    assert (ratios[0] == 1).all()
    assert (np.diff(ratios, axis=0) > 0).all() and (np.diff(ratios[1:], axis=1) > 0).all()
    assert all(e.interval is not None and e.interval[0] <= e.estimate <= e.interval[1] for e in found)


def test_a_bank_without_a_draft_has_no_ratios(monkeypatch) -> None:
    from simspec.logits.bank import MissingPart

    class NoDraft(RealDraw):
        def pair(self, vocab):
            raise MissingPart("bank: no draft")

    monkeypatch.setattr("simspec.claims.ears.gamma_scaling.RealDraw", NoDraft)
    assert _measured_ratios(Data(effort="quick")) == []
