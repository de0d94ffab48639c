"""`pad.utility-slack`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.pad.parts import ahead_of, along, overrides, process_of, run_pad
from simspec.methods import values
from tests.claims.cases import claims_of, getter
from tests.claims.pad.cases import assert_broken

get = getter(claims_of("pad.utility-slack"))


def _one_side_halved(name, place):
    """The larger sides of a chain with one of them halved."""

    def rhs(target, draft, step, utility, horizon, flags, epsilon):
        larger = get(name).rhs(target, draft, step, utility, horizon, flags, epsilon)
        return np.array([side / 2 if i == place else side for i, side in enumerate(larger)], dtype=object)

    return rhs


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("pad.utility-slack", {"rhs": lambda epsilon, horizon: epsilon * horizon}),
        ("pad.utility-slack", {"lhs": lambda target, draft, step, utility, horizon, flags, epsilon: F(1)}),
        ("pad.utility-slack", {"rhs": _one_side_halved("pad.utility-slack", 1)}),
        ("pad.utility-slack.printed", {"rhs": _one_side_halved("pad.utility-slack.printed", 1)}),
        ("pad.utility-slack.printed", {"rhs": _one_side_halved("pad.utility-slack.printed", 2)}),
        ("pad.utility-slack-sharp", {"rhs": lambda utility: utility[0] * 0}),
        (
            "pad.utility-slack-sharp",  # overrides priced against the average of the target instead of the replacement
            {
                "lhs": lambda target, draft, step, utility, horizon, flags: _against_average(
                    process_of(target, draft, step, utility, horizon), flags
                )
            },
        ),
        (
            "pad.utility-slack.printed",  # the price of the printed definition left out
            {
                "rhs": lambda epsilon, horizon: epsilon * horizon,
                "instances": lambda draw: get("pad.utility-slack.printed").tight[1],
            },
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)


def _against_average(process, flags):
    table = values(process)
    each = [
        (overrides(process.target, process.draft, flag) * (here[:, None] - after)).sum(axis=-1)
        for here, after, flag in zip(table, ahead_of(process, table), flags, strict=False)
    ]
    return along(run_pad(process, flags), each)


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
