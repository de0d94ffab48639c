"""The price beside the verdict: what a sampler keeps and gains as it is, repaired, and beside speculative decoding."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from simspec.audit.diagnosis.known_laws import DRAFTS, known_facts, repaired_facts, speculative_facts
from simspec.audit.diagnosis.repair import are_same_drafts, repair_of_drafts, rule_of_drafts
from simspec.audit.drafting import Drafts, drafting_of, drafts_by
from simspec.audit.pairs import Pair
from simspec.laws import Array
from simspec.methods.block import latency
from simspec.methods.verifier.verifier import Facts

__all__ = ["Pace", "Price", "measured", "pace_of", "price"]


class Pace(NamedTuple):
    """How fast a sampler is on one pair of laws.

    Attributes
    ----------
    acceptance : probability that at least one draft is kept: that a call emits more than one token
    length : mean number of tokens of a call
    speedup : tokens in the time of one target call
    within : float; acceptance lies within this, length within gamma times this; 0 where they are exact
    """

    acceptance: Any
    length: Any
    speedup: Any
    within: float = 0.0

    def words(self) -> str:
        """In one line.

        >>> Pace(0.5, 1.5, 1.4).words()
        'a draft is accepted in 0.500 of the calls, mean acceptance length 1.500, speed-up 1.400'
        """
        off = f" (± {self.within:.3f})" if self.within else ""
        acceptance, length, speed = (f"{float(x):.3f}" for x in self[:3])
        return (
            f"a draft is accepted in {acceptance}{off} of the calls, mean acceptance length {length}, speed-up {speed}"
        )


class Price(NamedTuple):
    """Paces on the same laws.

    Attributes
    ----------
    pair : Pair
    cost : float; draft time over target time
    as_is, repaired, speculative : Pace; the sampler, what mends it, and speculative decoding; `repaired` is None where
        there is nothing to mend
    mended : str; which rule `repaired` is
    """

    pair: Pair
    cost: float
    as_is: Pace
    speculative: Pace
    repaired: Pace | None = None
    mended: str = ""

    def lines(self) -> list[str]:
        """The table in words."""
        lines = [f"price on the pair “{self.pair.name}”, if a draft step costs {self.cost:g} of a target step:"]
        lines.append(f"  this sampler: {self.as_is.words()}")
        if self.repaired is not None:
            lines.append(f"  repaired ({self.mended}): {self.repaired.words()}")
        return [*lines, f"  speculative decoding: {self.speculative.words()}"]

    def plain(self) -> dict[str, Any]:
        """For JSON; exact numbers as floats."""
        paces = {"as_is": self.as_is, "repaired": self.repaired, "speculative": self.speculative}
        return {
            "laws": self.pair.name,
            "cost": self.cost,
            "mended": self.mended,
            **{name: [float(x) for x in pace] if pace else None for name, pace in paces.items()},
        }


def pace_of(facts: Facts, gamma: int, cost: float) -> Pace:
    """The pace of a verifier whose outcomes are known.

    >>> from simspec.audit.pairs import revealing
    >>> pace_of(speculative_facts(revealing(1, 2)[0]), 1, 0.5).words()
    'a draft is accepted in 0.500 of the calls, mean acceptance length 1.500, speed-up 1.000'
    """
    return Pace(1 - facts.lengths[0], facts.length, float(facts.length) / latency(gamma, cost))


def measured(lengths: Array, cost: float, error: float) -> Pace:
    r"""The pace of a sampler of which lengths were counted: lengths[i] calls emitted i + 1 tokens.

    The interval is Hoeffding's, :math:`\sqrt{\ln(2/a)/(2n)}` for what lies in [0, 1].

    >>> import numpy as np
    >>> measured(np.array([500, 500]), 0.0, 1e-3).words()
    'a draft is accepted in 0.500 (± 0.062) of the calls, mean acceptance length 1.500, speed-up 1.500'
    """
    calls = int(lengths.sum())
    gamma = len(lengths) - 1
    mean = float((lengths * range(1, gamma + 2)).sum()) / calls
    within = math.sqrt(math.log(2 / error) / (2 * calls))
    return Pace(1 - float(lengths[0]) / calls, mean, mean / latency(gamma, cost), within)


EXACT = 1e-9
"""How far the acceptance of a member of the zoo may be from one that is known exactly."""


def price(pair: Pair, as_is: Pace, cost: float, fault: str | None = None, drafts: Drafts | None = None) -> Price:
    """The price of a sampler, as it is and repaired; the repair gets the drafts that the sampler gets.

    Parameters
    ----------
    fault : str or None; the member of the zoo whose law the sampler has, "" where it has none's; None where there is
        nothing to mend
    drafts : all drafts of the sampler, where they are known; else one path from the draft laws is supposed

    >>> from simspec.audit.pairs import revealing
    >>> pair = revealing(1, 2)[0]
    >>> price(pair, Pace(1, 2, 2), 0.0, "").mended
    'speculative decoding'
    """
    speculative = pace_of(speculative_facts(pair), pair.gamma, cost)
    if fault is None:
        return Price(pair, cost, as_is, speculative)
    if fault and pair.gamma <= DRAFTS and _is_like(fault, pair, as_is, drafts):
        mended = repaired_facts(fault, pair)
        if mended is not None:
            return Price(pair, cost, as_is, speculative, pace_of(mended, pair.gamma, cost), f"the repair of {fault}")
    rule = "speculative decoding" if drafts is None else rule_of_drafts(pair, drafts)
    if drafts is None or rule == "speculative decoding":
        return Price(pair, cost, as_is, speculative, speculative, rule)
    return Price(pair, cost, as_is, speculative, pace_of(repair_of_drafts(pair, drafts), pair.gamma, cost), rule)


def _is_like(fault: str, pair: Pair, as_is: Pace, drafts: Drafts | None) -> bool:
    """Whether a member of the zoo keeps as many drafts as the sampler, and its repair drafts as the sampler does."""
    from simspec.audit.zoo import MEMBERS

    member_facts = known_facts(fault, pair)
    if member_facts is None or abs(float(member_facts.acceptance - as_is.acceptance)) > as_is.within + EXACT:
        return False
    if drafts is None:
        return True
    return are_same_drafts(drafts_by(drafting_of(MEMBERS[fault].repaired().drafts), pair.q), drafts)
