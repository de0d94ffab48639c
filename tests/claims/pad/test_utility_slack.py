"""`pad.utility-slack`: cases by hand and mutations."""

import pytest

from tests.claims.cases import get


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("pad.utility-slack", 0),
        ("pad.utility-slack", 1),
        ("pad.utility-slack.printed", 1),
    ],
)
def test_the_prices_of_an_override_cannot_be_lower(name, at) -> None:
    """In the tight instances a missed pivot costs 1, a tolerated token ε, a printed non-pivot α = 1/2."""
    claim = get(name)
    smaller, larger = claim.sides(claim.tight[at])
    assert smaller[0] == larger[0] > 0
