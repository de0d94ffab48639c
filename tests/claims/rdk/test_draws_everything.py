"""`rdk.draws-everything`: cases by hand and mutations."""

import pytest

from simspec.claims.rdk.parts import proposed
from simspec.methods import tli
from tests.claims.cases import assert_broken, claims_of, getter

get = getter(claims_of("rdk.draws-everything"))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("rdk.draws-everything", {"lhs": lambda q, shared: (tli(shared).propose(q) > 0).sum(axis=-1)}),
        (
            "rdk.draws-everything-sharp",
            {"rhs": lambda W: 2 / (2 + (len(W) - 1) * (W.max(axis=-1) / W.min(axis=-1)).max())},
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)


def test_zero_entries_leave_tokens_undrawn() -> None:
    claim = get("rdk.draws-everything")
    (instance,) = claim.outside.values()
    assert proposed(instance["q"], instance["shared"], instance["M"]).tolist() == [1, 0]
