"""`pad.strict-rule`: cases by hand and mutations."""

import pytest

from simspec.claims.pad.parts import flagged, process_of, run_pad
from tests.claims.cases import claims_of, getter
from tests.claims.pad.cases import assert_broken

get = getter(claims_of("pad.strict-rule"))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("pad.strict-rule", {"instances": flagged, "assumes": {}}),
        (
            "pad.strict-rule",
            {
                "lhs": lambda target, draft, step, utility, horizon, flags: (
                    run_pad(process_of(target, draft, step, utility, horizon), flags).values
                )
            },
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
