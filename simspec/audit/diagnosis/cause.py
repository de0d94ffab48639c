"""The likely cause of a bias: the member of the zoo whose exact law is nearest to what was seen, else the part by features.

The verdict does not depend on this.  What was seen is compared on several pairs of laws at once; a member fits where on
each pair the difference from its law of texts and lengths is no larger than chance (or rounding) explains.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from simspec.audit.diagnosis.features import part_of
from simspec.audit.diagnosis.known_laws import DRAFTS, as_array, biased_members, known_facts
from simspec.audit.diagnosis.observations import Observation
from simspec.audit.evidence import text_law
from simspec.audit.laws_in_words import pair_lines
from simspec.audit.levels import is_tree
from simspec.checks import needs
from simspec.laws import Array

__all__ = ["Diagnosis", "diagnose", "plain_cause", "unbiased"]

SMOOTH = 1e-4
"""Share of the uniform law that is mixed into a member's, so that one impossible text does not outweigh all others."""
SURE = 1e-4
"""About the probability that the right member is said not to fit, on one pair."""
NEAR = 0.25
"""A known fault is near where its law is off by at most this part of the bias, the largest TV from the target."""
ROUNDING = 1e-3
"""Largest exact TV that is called numerics where no known fault has the law: that of a part of a step is larger on some pair."""
LINES = 5
TEXT = "text "
"""How a line about a text begins."""
MOST_CODE = 25
"""Most lines of code that are shown."""
MISMATCH = "reported/sampled"
"""The part that is wrong where the verifier is passed other probabilities than tokens are sampled from."""
DRAFT_MISMATCH = "the draft probabilities passed to the verifier are not those the drafts were sampled from"
TARGET_MISMATCH = "the target probabilities that the verifier uses are not those that were requested"
TARGET_FAULTS = frozenset({"processor_on_bonus_only", "argmax_target"})
"""Members of the zoo that are passed the right draft probabilities, and use other target probabilities."""


class Diagnosis(NamedTuple):
    """The likely cause.

    Attributes
    ----------
    part : reported/sampled, uniforms, residual, stopping, bookkeeping, numerics or, where rows are processed, processor
    nearest : str; the nearest member of the zoo
    fits : bool; whether its law explains what was seen; if not, the part comes from features (`part_of`)
    distance : float; the largest TV between its law and what was seen
    bias : float; the largest TV between the target's law and what was seen
    lines : the five texts that show it best: the target, what was seen, and the nearest member where it is near
    code : str; the lines of the nearest member that do it, where it fits
    also : other members that fit as well
    needed : int or None; about how many calls the nearest member needs to be seen
    laws : the pair of laws of these texts, in words: those on which the bias is largest
    """

    part: str
    nearest: str
    fits: bool
    distance: float
    lines: tuple[str, ...]
    code: str = ""
    also: tuple[str, ...] = ()
    needed: int | None = None
    bias: float = 0.0
    laws: tuple[str, ...] = ()

    @property
    def is_near(self) -> bool:
        """Whether the nearest member fits, or is off by at most `NEAR` of the bias.

        >>> far = Diagnosis("uniforms", "zero_coin", False, 0.3, (), bias=0.4)
        >>> far.is_near, far._replace(distance=0.1).is_near, far.words()[0]
        (False, True, 'likely cause: uniforms; no known fault is near')
        """
        return bool(self.nearest) and (self.fits or self.distance <= NEAR * self.bias)

    def words(self) -> list[str]:
        """In a few lines."""
        head = [f"likely cause: {self.part}{self._known()}"]
        if self.part == MISMATCH:
            head.append(f"  {self._mismatch()}")
        if self.also:
            head.append(f"  other faults with this distribution: {', '.join(self.also)}")
        if self.needed is not None:
            head.append(f"  detecting {self.nearest} takes about {self.needed:,} calls")
        before = [line for line in self.lines if not line.startswith(TEXT)]
        texts = [line for line in self.lines if line.startswith(TEXT)]
        return [*head, *(f"  {line}" for line in (*before, *(self.laws if texts else ()), *texts))]

    def _known(self) -> str:
        """Which known fault has this law, or nearly."""
        if not self.nearest:
            return ""
        if self.fits:
            return f"; {self.nearest} has this distribution"
        if self.is_near:
            return f"; {self.nearest} is the nearest known fault, but differs by TV {self.distance:.3f}"
        return "; no known fault is near"

    def _mismatch(self) -> str:
        """Which probabilities do not agree; where no member fits, it may be either."""
        if not self.fits:
            return f"{DRAFT_MISMATCH}, or {TARGET_MISMATCH}"
        return TARGET_MISMATCH if self.nearest in TARGET_FAULTS else DRAFT_MISMATCH

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {**self._asdict(), "lines": list(self.lines), "also": list(self.also), "laws": list(self.laws)}


def plain_cause(part: str, line: str) -> Diagnosis:
    """A cause that was found without comparing known faults, in one line.

    >>> plain_cause("uniforms", "steps share random numbers").words()
    ['likely cause: uniforms', '  steps share random numbers']
    """
    return Diagnosis(part, "", False, 0.0, (line,))


def diagnose(observations: Sequence[Observation], without: Collection[str] = ()) -> Diagnosis | None:
    """The likely cause of what was seen on several pairs; None where no pair has drafts; some members can be left out.

    >>> from simspec.audit.diagnosis.observations import Observation
    >>> from simspec.audit.pairs import revealing
    >>> pair = revealing(1, 2)[0]  # p = (1/4, 3/4), q = (3/4, 1/4); every draft is kept
    >>> found = diagnose([Observation(pair, {(0, 0): 0.5625, (0, 1): 0.1875, (1, 0): 0.1875, (1, 1): 0.0625})])
    >>> found.fits, "zero_coin" in (found.nearest, *found.also)
    (True, True)
    """
    observations = [
        observation
        for observation in observations
        if observation.pair.gamma and observation.ends and not is_tree(observation.pair.p)
    ]
    if not observations:
        return None
    short_observations = [observation for observation in observations if observation.pair.gamma <= DRAFTS]
    comparisons = [
        comparison
        for name in biased_members()
        if name not in without
        and not _member(name).frozen  # the law of one call is the target's
        and short_observations
        and (comparison := _compared(name, short_observations)) is not None
    ]
    ranked = sorted(
        comparisons, key=lambda comparison: round(comparison[0], 9)
    )  # equal laws in the order of the zoo: faults first
    nearest = ""
    fits = False
    distance = 1.0
    if ranked:
        _, nearest, distance, fits = ranked[0]
    worst = max(observations, key=_bias)
    is_rounding = _bias(worst) < ROUNDING and not any(observation.calls for observation in observations)
    wrong_part = _member(nearest).part if fits else "numerics" if is_rounding else part_of(observations)
    also = tuple(name for _, name, _, fit in ranked[1:] if fit and fits)
    cause = Diagnosis(wrong_part, nearest, fits, distance, (), _code(nearest) if fits else "", also, bias=_bias(worst))
    laws = (f"on the pair “{worst.pair.name}”:", *pair_lines(worst.pair))
    return cause._replace(lines=_lines(worst, nearest if cause.is_near else ""), laws=laws)


def _member(name: str) -> Any:
    from simspec.audit.zoo import MEMBERS

    return MEMBERS[name]


def _compared(name: str, observations: Sequence[Observation]) -> tuple[float, str, float, bool] | None:
    """How unlikely what was seen is under a member's law, in nats a call; its name, largest distance, and whether it fits."""
    cost = 0.0
    distance = 0.0
    fits = True
    for observation in observations:
        facts = known_facts(name, observation.pair)
        if facts is None:
            return None
        law = observation.law()
        member_law = as_array(facts.law, observation.pair)
        lengths = observation.lengths()
        own_lengths = np.array([float(x) for x in facts.lengths])
        cost += _divergence(law.ravel(), member_law.ravel()) + _divergence(lengths, own_lengths)
        fits &= _fits(law.ravel(), member_law.ravel(), observation) and _fits(lengths, own_lengths, observation)
        distance = max(distance, _tv(law, member_law))
    return cost, name, distance, fits


def _fits(shares: Array, law: Array, observation: Observation) -> bool:
    """Whether shares may come from a law: by the likelihood ratio's chi-square, or to rounding where they are exact."""
    if not observation.calls:
        return _tv(shares, law) <= observation.slack + 1e-9
    if (shares[law <= 0] > 0).any():
        return False
    (special,) = needs("a diagnosis", "scipy.special")
    some = shares > 0
    ratio = 2 * observation.calls * float((shares[some] * np.log(shares[some] / law[some])).sum())
    return bool(special.chdtrc(max((law > 0).sum() - 1, 1), max(ratio, 0.0)) >= SURE)


def _divergence(shares: Array, law: Array) -> float:
    law = (1 - SMOOTH) * law + SMOOTH / law.size
    some = shares > 0
    return float((shares[some] * np.log(shares[some] / law[some])).sum())


def _tv(a: Array, b: Array) -> float:
    return float(np.abs(a - b).sum()) / 2


def _bias(observation: Observation) -> float:
    """TV of what was seen from the target."""
    return _tv(observation.law(), text_law(observation.pair.p))


def _lines(observation: Observation, nearest: str) -> tuple[str, ...]:
    """The texts whose mass differs most from the target's."""
    law = observation.law()
    target = text_law(observation.pair.p)
    facts = known_facts(nearest, observation.pair) if nearest else None
    member_law = None if facts is None else as_array(facts.law, observation.pair)
    order = np.argsort(-np.abs(law - target), axis=None, kind="stable")[:LINES]
    lines = []
    for place in order:
        text = tuple(int(token) for token in np.unravel_index(place, law.shape))
        if law[text] == target[text]:
            break
        member = "" if member_law is None else f", {nearest} {member_law[text]:.4f}"
        lines.append(f"{TEXT}{text}: target {target[text]:.4f}, observed {law[text]:.4f}{member}")
    return tuple(lines)


def _code(name: str) -> str:
    """Lines of the functions that show a member, where the zoo names them."""
    functions: tuple[Callable[..., Any], ...] = getattr(_member(name), "shown", ())
    try:
        text = "\n".join(inspect.getsource(function).rstrip() for function in functions)
    except (OSError, TypeError):
        return ""
    return "\n".join(text.splitlines()[:MOST_CODE])


def unbiased(observations: Sequence[Observation]) -> bool:
    """Whether no pair without a tree shows a bias beyond chance.

    >>> from simspec.audit.diagnosis.observations import Observation
    >>> from simspec.audit.pairs import revealing
    >>> unbiased([Observation(revealing(0, 2)[0], {(0,): 0.25, (1,): 0.75})])
    True
    """
    return not any(observation.biased() for observation in observations if not is_tree(observation.pair.p))
