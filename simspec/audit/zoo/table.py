"""What is known of each member of the zoo: its exact bias, how soon an audit sees it, and what its repair costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from statistics import median_low
from typing import Any, NamedTuple

import numpy as np

from simspec.audit.calling import Sampler, called, completed, ended
from simspec.audit.diagnosis.features import part_of
from simspec.audit.diagnosis.observations import Observation, probes
from simspec.audit.evidence import log_repeat, log_wealth
from simspec.audit.pairs import Pair, revealing
from simspec.audit.zoo.member import Member, black_box, called_once, exact_facts, shown_tv
from simspec.laws import exact
from simspec.methods.block import Prefix
from simspec.methods.verifier.chance import every

__all__ = ["COMMON", "Price", "Row", "Setting", "looks", "needed", "part_named", "price", "row", "settings_of", "table"]

COMMON = revealing(2, 3)[0]
"""The laws on which all members have their price: two drafts, three tokens, no two masses of a row equal."""
RUNS = 9
"""Audits of each member; the calls told are their median."""
MOST = 10_000
"""Most calls of one of them."""


class Price(NamedTuple):
    """What a rule does on given laws.

    Attributes
    ----------
    acceptance : chance that at least one draft is accepted
    length : expected tokens of a call
    """

    acceptance: Any
    length: Any


class Row(NamedTuple):
    """A member and its figures; exact, but for the calls, the divergence, and rules with logarithms or roots.

    Attributes
    ----------
    member : Member
    tv : total variation from the target on its laws, of two calls together where generators are frozen
    kl : divergence of its law from the target's there, in nats; infinite where it emits what the target never says
    calls : calls until an audit sees it there, the median of several; None where it does not
    here, mended_here : price on its laws, as it is and repaired
    common, mended_common : price on the common laws
    common_tv : total variation there
    """

    member: Member
    tv: Any
    kl: float
    calls: int | None
    here: Price
    mended_here: Price
    common: Price
    mended_common: Price
    common_tv: Any


class Setting(NamedTuple):
    """A member with other values of its parameters: total variation on its own laws and on the common ones, price there."""

    words: str
    tv: Any
    common_tv: Any
    common: Price


def settings_of(member: Member) -> tuple[Setting, ...]:
    """What other values of its parameters do.

    >>> from simspec.audit.zoo import MEMBERS
    >>> [(found.words, str(found.tv)) for found in settings_of(MEMBERS["ensemble"])]
    [('w = 1/4', '3/4'), ('w = 1/2', '1/2'), ('w = 3/4', '1/4'), ('w = 1', '0')]
    """
    settings = []
    for rule in member.settings:
        variant = member.by(rule)
        tv = exact_facts(variant, exact(member.laws.p), exact(member.laws.q)).tv
        common = exact_facts(variant, exact(COMMON.p), exact(COMMON.q))
        settings.append(Setting(rule.words, tv, common.tv, Price(common.acceptance, common.length)))
    return tuple(settings)


def price(member: Member, pair: Pair) -> Price:
    """Exact acceptance and expected tokens of a member on laws.

    >>> from simspec.audit.zoo import MEMBERS
    >>> print(*price(MEMBERS["zero_coin"], MEMBERS["zero_coin"].laws))
    1 2
    """
    member_facts = exact_facts(member, exact(pair.p), exact(pair.q))
    return Price(member_facts.acceptance, member_facts.length)


def looks(limit: int) -> list[int]:
    """Calls at which the evidence is looked at: a tenth more each time.

    >>> looks(30)
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 23, 26, 29, 30]
    """
    look_counts = [1]
    while look_counts[-1] < limit:
        look_counts.append(min(look_counts[-1] + max(look_counts[-1] // 10, 1) + (look_counts[-1] >= 10), limit))
    return look_counts


def needed(sampler: Sampler, pair: Pair, seed: int = 0, most_calls: int = MOST, error: float = 1e-6) -> int | None:
    """Calls after which the evidence of the audit against a sampler suffices, on one pair of laws; None if never.

    Parameters
    ----------
    sampler : (p, q, n, rng) -> tokens
    pair : laws
    seed : int; of the generators
    most_calls : int; most calls
    error : float; chance that a lossless sampler is ever called biased

    >>> from simspec.audit.zoo import MEMBERS, black_box
    >>> fault = MEMBERS["first_unverified"]
    >>> needed(black_box(fault), fault.laws)
    1
    """
    p = pair.p
    q = pair.q
    limit = math.log(2) - math.log(error)  # half of the stake is on frozen generators
    random = [np.random.default_rng([seed, purpose]) for purpose in range(3)]
    tokens, others = (called(sampler, p, q, most_calls // 2, rng) for rng in random[:2])
    repeats = [n for n in looks(len(tokens)) if n <= 64]
    repeated = [log_repeat(tokens[:n], others[:n], p) for n in repeats]
    at = looks(most_calls // 2 * 2)
    all_ = np.concatenate([tokens, others])
    new = [completed(ended(all_[a:b], pair.vocab), p, random[2]) for a, b in pairwise([0, *at])]
    wealth = log_wealth(np.cumsum(new, axis=0), p)
    sufficient_calls = [2 * n for n, paid in zip(repeats, repeated, strict=True) if paid >= limit]
    sufficient_calls += [n for n, paid in zip(at, wealth, strict=True) if paid >= limit]
    return min(sufficient_calls, default=None)


def part_named(member: Member) -> str:
    """The part that an audit names which knows no member, from what it emits on laws made for that; "" where no bias shows.

    >>> from simspec.audit.zoo import MEMBERS
    >>> part_named(MEMBERS["gumbel_reuse"]), part_named(MEMBERS["match_emit"])
    ('uniforms', '')
    """
    if member.frozen:
        return "uniforms"  # by the copy of a batch
    if member.kind in ("honest", "report"):
        return ""
    observations = []
    for pair in probes():
        ends: dict[Prefix, float] = {}
        for weight, (tokens, _) in every(partial(called_once, member, pair.p.tolist(), pair.q.tolist())):
            ends[tokens] = ends.get(tokens, 0.0) + float(weight)
        observations.append(Observation(pair, ends))
    return part_of(observations)


def row(member: Member) -> Row:
    """The figures of one member.

    >>> from simspec.audit.zoo import MEMBERS
    >>> found = row(MEMBERS["gumbel_reuse"])
    >>> print(found.tv, *found.here, *found.mended_here)
    1/12 1/2 3/2 1/2 3/2
    """
    p = exact(member.laws.p)
    q = exact(member.laws.q)
    common = exact_facts(member, exact(COMMON.p), exact(COMMON.q))
    mended = member.repaired()
    calls_by_seed = [needed(black_box(member), member.laws, seed) for seed in range(RUNS)]
    missed = [calls for calls in calls_by_seed if calls is None]
    return Row(
        member=member,
        tv=shown_tv(member, p, q),
        kl=exact_facts(member, p, q).kl,
        calls=None if missed else median_low([calls for calls in calls_by_seed if calls is not None]),
        here=price(member, member.laws),
        mended_here=price(mended, member.laws),
        common=Price(common.acceptance, common.length),
        mended_common=price(mended, COMMON),
        common_tv=common.tv,
    )


def table(members: Sequence[Member] | None = None) -> tuple[Row, ...]:
    """The figures of all members, or of some.

    >>> from simspec.audit.zoo import MEMBERS
    >>> [(found.member.number, str(found.tv)) for found in table([MEMBERS["ears"], MEMBERS["match_emit"]])]
    [('L4', '1/4'), ('H2', '0')]
    """
    from simspec.audit.zoo import MEMBERS

    return tuple(row(member) for member in (MEMBERS.values() if members is None else members))
