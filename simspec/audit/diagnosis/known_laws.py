"""The exact laws of the zoo's members on given laws, each computed once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from simspec.audit.evidence import log_wealth, text_law
from simspec.audit.levels import Laws, is_tree, model_of
from simspec.audit.pairs import Pair
from simspec.laws import Array
from simspec.methods.block import Prefix, block_outcomes
from simspec.methods.sd import SD
from simspec.methods.verifier.verifier import Facts, facts, outcomes

__all__ = [
    "DRAFTS",
    "as_array",
    "biased_members",
    "calls_needed",
    "hardest",
    "known_facts",
    "repaired_facts",
    "small_enough",
    "speculative_facts",
]

Key: TypeAlias = tuple[bool, tuple[tuple[tuple[int, ...], bytes], ...]]
"""Whether laws are levels of a tree, and the shape and masses of each array."""
TEXTS = 27
DRAFTS = 2
"""Most texts and drafts of laws on which the members are compared: trees of three levels take minutes."""
LOOKS = tuple(250 * 2**k for k in range(16))


def biased_members() -> list[str]:
    """Names of the members whose law is not the target's.

    >>> "zero_coin" in biased_members(), "match_emit" in biased_members()
    (True, False)
    """
    from simspec.audit.zoo import MEMBERS

    return [name for name, member in MEMBERS.items() if member.kind in ("fault", "lossy")]


def small_enough(pairs: Iterable[Pair], limit: int = 6) -> list[Pair]:
    """The first pairs with drafts and few texts.

    >>> from simspec.audit.pairs import revealing
    >>> [pair.name for pair in small_enough(revealing(2, 2), limit=2)]
    ['uneven', 'two ways to recover']
    """
    flat = (pair for pair in pairs if not is_tree(pair.p))
    return [pair for pair in flat if 0 < pair.gamma <= DRAFTS and 1 < pair.vocab ** (pair.gamma + 1) <= TEXTS][:limit]


def known_facts(name: str, pair: Pair) -> Facts | None:
    """Law, acceptance and lengths of a member on a pair, in floats; None where it has none there, or drafts are many.

    >>> from simspec.audit.pairs import revealing
    >>> float(known_facts("zero_coin", revealing(1, 2)[0]).acceptance)
    1.0
    """
    return None if is_tree(pair.p) or pair.gamma > DRAFTS else _facts(name, _key(pair.p), _key(pair.q), False)


def repaired_facts(name: str, pair: Pair) -> Facts | None:
    """The same of the member as it is after its repair, on laws by prefix too.

    >>> from simspec.audit.pairs import revealing
    >>> float(repaired_facts("tree_stale_bonus", revealing(1, 2, prefixes=True)[0]).tv)
    0.0
    """
    return _facts(name, _key(pair.p), _key(pair.q), True)


def _key(laws: Laws) -> Key:
    """Laws as what can be looked up."""
    levels = [laws] if isinstance(laws, np.ndarray) else laws
    return is_tree(laws), tuple((level.shape, level.tobytes()) for level in levels)


def _laws(key: Key) -> Any:
    """Laws of a key."""
    levels = tuple(np.frombuffer(masses).reshape(shape) for shape, masses in key[1])
    return levels if key[0] else levels[0]


@lru_cache(maxsize=1024)
def _facts(name: str, p: Key, q: Key, repaired: bool) -> Facts | None:
    """Return the exact law, acceptance and lengths of a zoo member on given laws; None where it has none there."""
    from simspec.audit.zoo import MEMBERS, exact_facts, verifier

    member = MEMBERS[name]
    if repaired:
        if getattr(member, "repair", None) is None:
            return None
        member = member.repaired()
    try:
        # the first entry of a key says whether the laws form a tree
        if not p[0] and not q[0]:
            return exact_facts(member, _laws(p), _laws(q))
        target = model_of(_laws(p))
        gamma = len(_laws(p)) - 1
        (drafting, judge) = verifier(member)
        return facts(outcomes(judge, target, model_of(_laws(q)), gamma, drafting), target, gamma)
    except (ValueError, ZeroDivisionError, IndexError):
        return None


def speculative_facts(pair: Pair) -> Facts:
    """Law, acceptance and lengths of speculative decoding on a pair.

    >>> from simspec.audit.pairs import revealing
    >>> float(speculative_facts(revealing(1, 2)[0]).acceptance)
    0.5
    """
    target = model_of(pair.p)
    return facts(list(block_outcomes(SD, target, model_of(pair.q), (), pair.gamma)), target, pair.gamma)


def as_array(law: dict[Prefix, float], pair: Pair) -> Array:
    """A law of texts as an array with an axis for each token.

    >>> as_array({(1,): 1.0}, Pair("", np.array([[0.5, 0.5]]), np.zeros((0, 2)))).tolist()
    [0.0, 1.0]
    """
    out = np.zeros((pair.vocab,) * (pair.gamma + 1))
    for text, mass in law.items():
        out[text] = float(mass)
    return out


def calls_needed(law: Array, pair: Pair, error: float) -> int | None:
    """About how many calls show that texts have `law` and not the target's, at the looks of an audit; None beyond 8 million.

    The wealth is computed at the expected counts; a text that the target never says is seen once 1/mass calls are made.

    >>> pair = Pair("", np.array([[0.5, 0.5]]), np.zeros((0, 2)))
    >>> calls_needed(np.array([0.75, 0.25]), pair, 1e-6), calls_needed(np.array([0.5, 0.5]), pair, 1e-6)
    (250, None)
    """
    possible = text_law(pair.p) > 0
    for calls in LOOKS:
        counts = np.where(possible, calls * law, np.floor(calls * law))
        if log_wealth(counts, pair.p) - np.log(2) >= -np.log(error):
            return calls
    return None


def hardest(pairs: Iterable[Pair], error: float) -> tuple[str, int] | None:
    """The known fault that is hardest to see on these pairs, and the calls on the pair that shows it best.

    >>> from simspec.audit.pairs import revealing
    >>> name, calls = hardest(revealing(1, 2)[:3], 1e-6)
    >>> calls >= 250
    True
    """
    calls_by_fault: dict[str, int] = {}
    some = small_enough(pairs)
    for name in biased_members():
        needed = [
            calls
            for number, pair in enumerate(some, start=1)
            if (facts := known_facts(name, pair)) is not None
            and (calls := calls_needed(as_array(facts.law, pair), pair, error / (number * (number + 1)))) is not None
        ]
        if needed:
            calls_by_fault[name] = min(needed)
    return max(calls_by_fault.items(), key=lambda item: item[1], default=None)
