"""Claims about blocks and texts of EARS: hand cases, verdicts, necessity, mutations."""

import pytest

from tests.claims.cases import assert_corrections, claims_of, getter
from tests.claims.ears.cases import assert_claim

CLAIMS = claims_of("ears.sequence-bias", "ears.gamma-scaling")

get = getter(CLAIMS)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_verdict(claim) -> None:
    assert_claim(claim, set())


def test_corrections() -> None:
    assert_corrections(CLAIMS)
