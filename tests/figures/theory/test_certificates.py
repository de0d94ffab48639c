"""What the title of the certificates says, on the stored rows; the radius at a margin by hand."""

from __future__ import annotations

from itertools import pairwise
from math import log

import pytest

from simspec.figures.gallery import rows

RADIUS = "least divergence, by margin"
STEPS = "steps of the wiki bank"


def test_each_further_branch_certifies_more() -> None:
    stored = rows("theory.certificates").of(RADIUS)
    heights = [stored.of(series=name).column("y") for name in stored.series()]
    for fewer, more in pairwise(heights):
        assert fewer[0] == more[0] == 0 and all(a < b for a, b in zip(fewer[1:], more[1:], strict=True))


def test_the_radius_of_a_sure_target_is_the_logarithm_of_the_branches_and_one() -> None:
    stored = rows("theory.certificates").of(RADIUS)
    assert [stored.of(series=name).column("y")[-1] for name in stored.series()] == pytest.approx(
        [log(2), log(3), log(5), log(9)]
    )


def test_a_certificate_is_given_to_fewer_steps_than_are_accepted() -> None:
    stored = rows("theory.certificates").of(STEPS)
    certified, accepted = (stored.of(series=name) for name in ("certified", "accepted"))
    assert [p.label for p in certified] == [p.label for p in accepted]
    assert all(few.high < many.low for few, many in zip(certified, accepted, strict=True))
