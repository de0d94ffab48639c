"""Pivot-aware decoding written out draft by draft and coin by coin in plain fractions."""

from collections.abc import Iterator
from fractions import Fraction as F
from math import comb
from typing import Any

from simspec.claims.authoring import law
from simspec.claims.pad.parts import flagged, fork, process_of


def texts(case: Any, flags: Any, rule: str = "pad", state: int = 0, t: int = 0) -> Iterator[tuple[F, int, int]]:
    """(probability, accepted drafts, last state) of every way a text can be written.

    `rule`: "pad", "fresh" (replacements from the target) or "strict" (no pivot accepted, replacements from the target).
    """
    if t == case["horizon"]:
        yield F(1), 0, state
        return
    p, q = case["target"][state].tolist(), case["draft"][state].tolist()
    tokens = range(len(p))
    left = [max(p[y] - q[y], F(0)) for y in tokens]
    for x in tokens:
        if not q[x]:
            continue
        chance = min(F(1), p[x] / q[x])
        accept = F(1) if not flags[t][state][x] else F(0) if rule == "strict" else chance
        if accept:
            for mass, count, end in texts(case, flags, rule, int(case["step"][state][x]), t + 1):
                yield q[x] * accept * mass, count + 1, end
        if accept < 1:
            for y in tokens:
                share = left[y] / sum(left) if rule == "pad" else p[y]
                if share:
                    for mass, count, end in texts(case, flags, rule, int(case["step"][state][y]), t + 1):
                        yield q[x] * (1 - accept) * share * mass, count, end


def worth(case: Any, flags: Any, rule: str = "pad") -> F:
    """Expected utility, by enumeration."""
    ways = list(texts(case, flags, rule))
    assert sum(mass for mass, _, _ in ways) == 1
    return sum((mass * case["utility"][end] for mass, _, end in ways), start=F(0))


def share(case: Any, flags: Any) -> F:
    """Expected share of accepted drafts, by enumeration."""
    return sum((mass * count for mass, count, _ in texts(case, flags)), start=F(0)) / case["horizon"]


def everything(case: Any) -> list[list[list[bool]]]:
    """Flags that call every token a pivot: the rule is speculative decoding."""
    states, tokens = case["target"].shape
    return [[[True] * tokens] * states] * case["horizon"]


def target_worth(case: Any, state: int = 0, t: int = 0) -> F:
    """Expected utility under the target, by enumeration."""
    if t == case["horizon"]:
        return case["utility"][state]
    p, step = case["target"][state].tolist(), case["step"][state].tolist()
    return sum((m * target_worth(case, s, t + 1) for m, s in zip(p, step, strict=True) if m), start=F(0))


def binary(case: Any) -> bool:
    """Whether the utility of every text is 0 or 1."""
    return set(case["utility"].tolist()) <= {0, 1}


def plain_label(base: F, candidate: F, rollouts: int) -> F:
    """P(X_c < 0.9 X_b) from the definition, every pair of counts."""

    def mass(value: F, n: int) -> F:
        return comb(rollouts, n) * value**n * (1 - value) ** (rollouts - n)

    counts = range(rollouts + 1)
    return sum((mass(base, b) * mass(candidate, c) for b in counts for c in counts if 10 * c < 9 * b), start=F(0))


LEMMA = fork(law("1/2", "1/2", 0), law(0, "1/2", "1/2"), F(1, 2))


def _flags(case: Any, pivots: Any) -> Any:
    return pivots(process_of(**case))


def _some(draw, name):
    instance = flagged(draw)
    return {
        **instance,
        "flags": instance["flags"] if name == "removed" else ~instance["flags"],
        name: instance["flags"],
    }
