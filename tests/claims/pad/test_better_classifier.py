"""`pad.better-classifier`: cases by hand and mutations."""

from dataclasses import replace

import numpy as np
import pytest

from simspec.claims.deciding.search import check_exact
from simspec.claims.pad.parts import (
    ahead_of,
    along,
    bits,
    draw_process,
    overrides,
    process_of,
    replacement_value,
    run_pad,
)
from tests.claims.cases import claims_of, getter
from tests.claims.pad.cases import SMALL, _some, assert_broken

get = getter(claims_of("pad.better-classifier"))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        (
            "pad.better-classifier-sharp",  # the path of the rule before
            {
                "instances": lambda draw: _unflagged(draw),
                "rhs": lambda target, draft, step, utility, horizon, flags, removed: _old_path(
                    process_of(target, draft, step, utility, horizon), flags, removed
                ),
            },
        ),
        ("pad.better-classifier-corrected", {"instances": lambda draw: _some(draw, "removed"), "assumes": {}}),
        ("pad.better-classifier-sharp", {"rhs": lambda utility: utility[0] * 0}),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)


def _old_path(process, flags, removed):
    old = run_pad(process, flags)
    p, d = process.target, process.draft
    each = [
        (overrides(p, d, ~out) * (after - replacement_value(p, d, after))).sum(axis=-1)
        for out, after in zip(removed, ahead_of(process, old.values), strict=True)
    ]
    return along(old, each)


def _unflagged(draw):
    """Speculative decoding on longer texts, and flags taken away at several positions."""
    process = draw_process(draw, (2, 3), (2, 3), (2, 2))
    flags = np.ones((process["horizon"], *process["target"].shape), dtype=bool)
    return {**process, "flags": flags, "removed": bits(draw, *flags.shape)}


def test_removing_flags_at_several_positions() -> None:
    """The identity itself on the instances on which its mutation fails."""
    check = check_exact(replace(get("pad.better-classifier-sharp"), instances=_unflagged), SMALL, seed=0)
    assert check.exact is not None and check.exact.violations == 0
