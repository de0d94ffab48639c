"""`csqs.checkpoint`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np

from simspec.claims.words import law
from tests.claims.cases import counterexample, get


def test_checkpoint_by_hand() -> None:
    """(½, ¼, ¼) at each position, one of two drafts accepted: line 12 repeats β₂ = ⅜; with the new token it is ¼."""
    q = np.stack([law("1/2", "1/4", "1/4")] * 3)[None]
    instance = {"q": q, "accepted": np.array([1]), "start": F(1, 2), "step_size": F(1, 2), "dropped_target": F(1, 4)}
    printed, wanted = get("csqs.checkpoint").sides(instance)
    assert printed.tolist() == [F(3, 8)] * 2 and wanted.tolist() == [F(1, 4)] * 2
    assert get("csqs.checkpoint-corrected").sides(instance)[0].tolist() == [F(1, 4)] * 2
    for accepted, beta in ((0, F(3, 8)), (2, F(3, 8))):
        changed = {**instance, "accepted": np.array([accepted])}
        assert get("csqs.checkpoint-corrected").sides(changed)[0].tolist() == [beta] * 2


def test_counterexample_to_the_checkpoint_accepts_a_draft() -> None:
    assert counterexample("csqs.checkpoint")["accepted"].tolist() == [1]
