"""What the files of tasc.* claims are tested for, beside what `tests.claims.rdk_cases` asks of any claim."""

from collections.abc import Iterable
from importlib import import_module

from simspec.claims.claim import Claim

MODULES = ("tasc", "tasc_tokens", "tasc_tables")


def assert_corrections(claims: Iterable[Claim]) -> None:
    """Refuted claims name corrections that exist; corrections and sharper statements are named by some claim."""
    every = [c for m in MODULES for c in import_module(f"simspec.claims.{m}").CLAIMS]
    names = [c.name for c in every]
    assert len(set(names)) == len(names)
    for claim in claims:
        assert set(claim.corrected_by) <= set(names)
        if claim.name.endswith(("-corrected", "-sharp")):
            assert any(claim.name in c.corrected_by for c in every)
