"""`pad.better-classifier`: cases by hand and mutations."""

from dataclasses import replace

from simspec.claims.deciding.search import check_exact
from tests.claims.cases import QUICK, get
from tests.claims.pad.mutations import _unflagged


def test_removing_flags_at_several_positions() -> None:
    """The identity itself on the instances on which its mutation fails."""
    check = check_exact(replace(get("pad.better-classifier-sharp"), instances=_unflagged), QUICK, seed=0)
    assert check.exact is not None and check.exact.violations == 0
