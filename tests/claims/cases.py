"""What the tests of claims share: a claim by its id, what its quick trials find, formulas broken on purpose."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from simspec.claims import registry, statement_of
from simspec.claims.claim import Claim
from simspec.claims.deciding.decide import decide
from simspec.claims.deciding.proved import record, whole
from simspec.claims.deciding.search import EFFORTS, Trials, check_exact, explore
from simspec.claims.deciding.shrink import violated

QUICK = EFFORTS["quick"]
UNSHRUNK = QUICK._replace(shrink=0)  # whether there is a counterexample, and not how small one can be


def get(name: str) -> Any:
    """A claim by its id; without a type for the checker, since its parts may be None."""
    return registry()[name]


def claims_of(*statements: str) -> list[Claim]:
    """Claims of some statements, with all that stands beside them; in this order."""
    return [c for name in statements for c in registry().values() if statement_of(c.name) == name]


@cache
def trials(name: str) -> Trials:
    """What the quick exact trials of a claim find, tried once in a session.

    As in `verify`, a claim with a proof is tried less; that the record is about its formulas is for the tests of proofs.
    """
    proved = whole(record()["proofs"].get(name, ()))
    return check_exact(get(name), QUICK.when_settled() if proved else QUICK, seed=0)


def counterexample(name: str) -> Any:
    """The counterexample that the quick exact trials find."""
    found = trials(name).counterexample
    assert found is not None
    return found


def assert_broken(claim: Claim, **changes: Any) -> None:
    """A claim with a formula broken on purpose is refuted: the tries end with the first that does."""
    mutant = replace(claim, **{"tight": (), "outside": {}, "against": (), **changes})
    if mutant.instances is None or {"tight", "outside", "against"} & set(changes) or "exact" not in mutant.sources:
        verdict = decide(mutant, check_exact(mutant, UNSHRUNK, seed=0))
        assert verdict == "refuted", f"{claim.name} with {[*changes]} broken"
    else:
        tries = explore(mutant, UNSHRUNK, np.random.default_rng([0, *mutant.name.encode()]))
        assert any(violated(slack) for _, _, _, slack in tries), f"{claim.name} with {[*changes]} broken"
