"""What the title of the rounding figure says, on the stored rows."""

from __future__ import annotations

from simspec.figures.gallery import rows
from simspec.numerics import tv_bound
from simspec.studies.numerics.measurement import FORMATS


def test_no_position_is_above_the_bound() -> None:
    stored = rows("theory.rounding")
    assert stored.panels() == list(FORMATS)
    assert all(p.y <= float(tv_bound(p.x)) * (1 + 1e-6) for p in stored)


def test_half_the_bound_would_be_exceeded() -> None:
    """The negative control: some position is above tanh(ε/8)."""
    assert any(p.y > float(tv_bound(p.x / 4)) for p in rows("theory.rounding"))
