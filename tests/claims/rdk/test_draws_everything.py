"""`rdk.draws-everything`: cases by hand and mutations."""

from simspec.claims.rdk.parts import proposed
from tests.claims.cases import get


def test_zero_entries_leave_tokens_undrawn() -> None:
    claim = get("rdk.draws-everything")
    (instance,) = claim.outside.values()
    assert proposed(instance["q"], instance["shared"], instance["M"]).tolist() == [1, 0]
