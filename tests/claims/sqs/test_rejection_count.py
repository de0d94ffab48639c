"""`sqs.rejection-count`: cases by hand and mutations."""

from fractions import Fraction as F

from simspec.claims.sqs.texts import Text
from tests.claims.cases import counterexample, get
from tests.claims.sqs.cases import QUARTERS


def test_a_bit_budget_ends_a_batch() -> None:
    """Two tokens of two, ℓ = 4: five lattice points, 3 bits a law; 5 bits carry one draft, 2 bits none."""
    names = ("p", "q", "k", "resolution", "threshold", "step_size", "dropped_target")
    text = Text(**{n: QUARTERS[n] for n in names}, budget=5)
    assert text.bits(()) == 3 and not text.stop((), ()) and text.stop((), (0,))
    count = get("sqs.rejection-count-corrected")
    for budget, rejected in ((5, F(5, 16)), (2, F(0)), (6, F(1, 2))):
        assert count.sides({**QUARTERS, "gamma": 3, "length": 2, "budget": budget}) == (rejected, rejected)


def test_the_counterexample_to_the_count_drafts_and_is_read_as_printed() -> None:
    found = counterexample("sqs.rejection-count")
    assert found["gamma"] == 1 and found["length"] == 2 and found["budget"] is None
