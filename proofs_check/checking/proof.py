"""How proofs and refutations are checked.

A proof's conclusion is compared with the claim's own `lhs` and `rhs` on exact instances, so that it cannot be about another
formula; every given is evaluated there too, so that it cannot be about fewer instances.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from proofs_check.checking.agreement import disagreement
from proofs_check.checking.evasion import leaning, narrowing
from proofs_check.checking.plain import without_texts
from proofs_check.checking.unchanged import check_unchanged
from proofs_check.checking.written import Proof, Refutation
from proofs_check.rules.derivation import Derivation, Unproved
from simspec.claims.claim import Claim, Instance
from simspec.claims.deciding.shrink import violated
from simspec.claims.draw import ExactDraw
from simspec.claims.rational import ratio

__all__ = [
    "Proof",
    "Refutation",
    "check",
    "check_refutation",
    "counterexample_to_repaired",
    "disagreement",
    "first",
    "instances",
    "laws",
    "leaning",
    "narrowing",
]


def check(proof: Proof, mutation: str | None = None) -> Derivation:
    """Run a proof, as it stands or with one of its mutations.

    Raises
    ------
    Unproved
    """
    dropped: str | None = None
    arguments: Mapping[str, Any] = {}
    if mutation is not None and mutation.startswith("without "):
        dropped = mutation.removeprefix("without ")
    elif mutation is not None:
        change = proof.mutations[mutation]
        dropped, arguments = (change, {}) if isinstance(change, str) else (None, change)
    d = Derivation(proof.claim.name, dropped)
    with without_texts():
        proof.prove(d, **arguments)
    if dropped is not None and dropped not in d.givens:
        raise ValueError(f"{proof.claim.name}: there is no given called {dropped!r} to leave out")
    if unlisted := sorted(d.assumed - set(proof.claim.assumes)):
        raise Unproved(f"{proof.claim.name}: the proof assumes {unlisted[0]!r}, which the claim does not")
    if (proof.bind is None) != (not d.conclusions):
        raise ValueError(
            f"{proof.claim.name}: conclusions are compared with the claim's; expected a bind for them, or neither"
        )
    if not d.conclusions and not d.enumerated:
        raise Unproved(f"{proof.claim.name}: the proof ends without a conclusion")
    return d


def check_refutation(refutation: Refutation) -> Instance:
    """The counterexample: the first of its instances inside the assumptions of certainly negative slack."""
    return first(refutation.claim, refutation.among())


def counterexample_to_repaired(refutation: Refutation, repair: str) -> Instance:
    """What must not be found once something is added or changed; see `first`."""
    repaired = refutation.repaired[repair]
    claim, among = repaired if isinstance(repaired, tuple) else (repaired, repaired)
    return first(
        claim if isinstance(claim, Claim) else refutation.claim,
        refutation.among() if isinstance(among, Claim) else among(),
    )


# --- instances ------------------------------------------------------------------------------------------------------


def instances(claim: Claim, number: int, seed: int = 0) -> Iterator[Instance]:
    """Exact instances inside the assumptions of a claim: its listed ones, then random ones."""
    yield from claim.tight
    rng = np.random.default_rng(seed)
    count = 0
    for _ in range(50 * number):
        if count == number or claim.instances is None:
            return
        instance = claim.draw(ExactDraw(rng=rng))
        is_inside = not claim.broken_assumptions(instance)
        check_unchanged()
        if is_inside:
            count += 1
            yield instance


def laws(vocab: int, denominator: int) -> Iterator[np.ndarray]:
    """All laws over `vocab` tokens whose masses are multiples of 1/denominator.

    >>> [[str(m) for m in p] for p in laws(2, 2)]
    [['0', '1'], ['1/2', '1/2'], ['1', '0']]
    """
    for counts in product(range(denominator + 1), repeat=vocab):
        if sum(counts) == denominator:
            yield np.array([ratio(c, denominator) for c in counts], dtype=object)


def first(claim: Claim, ordered: Iterable[Instance]) -> Instance:
    """The first instance inside the assumptions whose slack is certainly negative.

    Raises
    ------
    Unproved
        when there is none.
    """
    for instance in ordered:
        if not claim.broken_assumptions(instance) and violated(claim.slack(instance)):
            return instance
    raise Unproved(f"{claim.name}: no counterexample among the instances")


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    """A result, and how many seconds it took."""
    start = time.perf_counter()
    result = action()
    return result, time.perf_counter() - start
