"""`pad.utility-kept`: cases by hand and mutations."""

from fractions import Fraction as F

import pytest

from simspec.claims.pad.parts import flagged, process_of
from simspec.methods import values
from tests.claims.cases import claims_of, getter
from tests.claims.pad.cases import assert_broken

get = getter(claims_of("pad.utility-kept"))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("pad.utility-kept", {"instances": flagged, "assumes": {}}),
        (
            "pad.utility-kept",  # a power a little lower
            {
                "instances": lambda draw: get("pad.utility-kept").tight[0],
                "rhs": lambda target, draft, step, utility, horizon: (
                    values(process_of(target, draft, step, utility, horizon)) * F(1, 2) + F(1, 50)
                ),
            },
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
