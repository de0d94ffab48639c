"""`csqs.average-dropped`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np

from simspec.claims.csqs.parts import HALVES
from simspec.claims.deciding.shrink import violated
from simspec.claims.sqs.parts import flat
from tests.claims.cases import get
from tests.claims.csqs.cases import LITERAL


def test_theorem_2_fails_at_one_flat_law_by_hand() -> None:
    """½ is dropped (keep-top) or all (literal), η = 16, α = ⅛, β₁ = 1: the bound is ⅛ + (1 + 1 + 2)/16 = ⅜."""
    instance = {"q": HALVES, "start": F(1), "step_size": F(16), "dropped_target": F(1, 8)}
    lhs, rhs = get("csqs.average-dropped").sides(instance)
    assert lhs.ravel().tolist() == [1, F(1, 2)] and rhs.tolist() == [F(3, 8)]


def test_theorem_2_fails_as_soon_as_its_condition_does() -> None:
    """α = ¼, so η ≤ 2 is the condition; at 2.04 a flat law over 200 tokens breaks the bound, from a start above 1/200."""
    q = np.stack([flat(200)])
    instance = {"q": q, "start": F(1, 200) + F(1, 10_000), "step_size": F(51, 25), "dropped_target": F(1, 4)}
    assert violated(get("csqs.average-dropped").slack(instance)[LITERAL])
    assert get("csqs.average-dropped-corrected").broken(instance) != []
    assert get("csqs.average-dropped-corrected").broken({**instance, "step_size": F(2)}) == []
