"""Which part of a sampler is wrong, from features of what it emits: no law of a known fault is compared.

Laws to look at are `probes`: each separates causes that look alike on others.  Of the first token y, let k(y) be the
mass with which it is emitted as a kept draft, and r(y) that of a token drawn after a refusal.  A lossless rule of one
draft has k <= min(p, q); whatever k it keeps, r = p - k mends it.

What implies a part, in the order in which it is asked; what is certain comes first:

- The tokens are right, and stand in another order, under other ids or after another call: bookkeeping.
- As many of several drafts are accepted as another rule of their tests says; k is min(p, q) times a share, or without some
  tokens, and r is right: stopping.  The share is a ratio that was tested before: uniforms.
- k / min(1, p/q) is a law, or drafts of p = q are all accepted and are not q: drafts are not drawn from the report.
- Tests and refusals are those of another target for each draft law, or of another draft law for each target.  Then no token is
  both refused and recovered; at p = q a wrong test refuses, and p comes after it: reported/sampled against uniforms.
- k is right and r is another row's, or one id's: bookkeeping; r is any other law: residual.
- k is wrong and r is right; or texts change with the order of ids: uniforms.
- Tests, refusals and the bonus of two drafts follow from rows of the call, not all from their own: bookkeeping.
- The second draft, after a first that is accepted, and the first of several are asked the same.  Where p = q at the first
  place no random number of its test can choose the second draft: if that has another law, it was not drawn from the report.

Parts with one law cannot be told apart: a target mixed with the draft law is a test that passes refused drafts now and then; a
refused draft that is emitted is a residual with its sign turned; a test of p and q is a stop that depends on both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import combinations, permutations

import numpy as np

from simspec.audit.diagnosis.acceptance import (
    accepts_apart,
    accepts_for_another_call,
    accepts_other_ids,
    draws_from_another_law,
    drops_drafts,
    first_law,
    gives_up_passed_drafts,
    is_first_wrong,
    is_residual_alone_wrong,
    is_right_with_one,
    is_test_alone_wrong,
    last_masses,
    overlap_masses,
    recovers_apart,
    recovers_certain_drafts_wrong,
    recovers_one_id,
    recovers_other_ids,
    twos,
)
from simspec.audit.diagnosis.emission import (
    depends_on_draft,
    draws_depend,
    emits_from_another_row,
    emits_in_another_order,
    follows_draft,
    gives_up_after_draft,
    goes_wrong_late,
    has_row_of_another_place,
    is_end_alone_wrong,
    is_row_of_another_place,
    recovers_without_token,
    stops_elsewhere,
)
from simspec.audit.diagnosis.observations import SIGMAS, Observation
from simspec.audit.diagnosis.places import (
    draws_second_from_another_law,
    emits_second_too_often,
    first_drafts_of_several,
    has_second_ids_exchanged,
    is_second_right_for_other_laws,
    passes_first_test_again,
    reads_rows_of_another_place,
    second_drafts,
    stops_before_second,
)
from simspec.audit.diagnosis.reported import (
    contradicts_draft_law,
    is_right_for_other_laws,
    verifies_by_another_draft_law,
)
from simspec.audit.evidence import text_law
from simspec.audit.pairs import Pair
from simspec.laws import Array
from simspec.methods.block import Prefix
from simspec.methods.block.verification import block_verifier
from simspec.methods.sd import SD
from simspec.methods.verifier.match import exact_match
from simspec.methods.verifier.verifier import Verifier, by_rows, from_method, outcomes

__all__ = ["differ", "part_of"]

MOST_ORDERED = 4
"""Most tokens of laws that are compared in every order of their tokens."""
RARE = 1 / 32
"""Mass below which a draft that the target never says is kept by the ends of a uniform, not by its test."""


def part_of(observations: Sequence[Observation]) -> str:
    """The part that is wrong, from features on several pairs with drafts, asked in turn; numerics where none shows.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]
    >>> part_of([Observation(pair, {(0,): 1.0})])  # the most likely token of p, whatever was drafted
    'reported/sampled'
    """
    return next((part_name for part_name, wrong in QUESTIONS if wrong(observations)), "numerics")


def _with(observations: Iterable[Observation], gamma: int) -> list[Observation]:
    """What was seen with one draft, or with more."""
    return [observation for observation in observations if (observation.pair.gamma == 1) == (gamma == 1)]


def _singles(observations: Sequence[Observation]) -> Sequence[Observation]:
    """What was seen with one draft; all where there is none of these."""
    return _with(observations, 1) or observations


# --- what was told --------------------------------------------------------------------------------------------------


def _another_target(observations: Sequence[Observation]) -> bool:
    """After a refusal a token comes that the target never says there."""
    return any(
        mass > SIGMAS * observation.sigma(np.zeros(1))[0] and observation.pair.p[len(tokens) - 1][tokens[-1]] == 0
        for observation in observations
        for tokens, mass in observation.ends.items()
        if len(tokens) <= observation.pair.gamma
    )


def _sure(observations: Sequence[Observation]) -> bool:
    """The token that ends a call is always the target's most likely one, the bonus too, where less likely ones are possible."""
    ends = [
        (observation.pair.p[len(tokens) - 1], tokens, observation.pair.gamma)
        for observation in observations
        for tokens in observation.ends
    ]
    open_ = [
        (law[tokens[-1]] == law.max(), len(tokens) > gamma) for law, tokens, gamma in ends if _has_less_likely(law)
    ]
    alone = any(
        (observation.first(True) + observation.first(False)).max() > 1 - 1e-12
        for observation in observations
        if _has_less_likely(observation.pair.p[0])
    )
    return all(right for right, _ in open_) and (alone or any(full for _, full in open_))


def _has_less_likely(law: Array) -> bool:
    """Whether some tokens are possible and less likely than the most likely ones."""
    return bool(((law > 0) & (law < law.max())).any())


def _reports_another_law(observations: Sequence[Observation]) -> bool:
    """A draft is accepted more often than it is drawn from the draft law, whose masses matter: no test does that."""
    is_above = any(
        observation.above(observation.first(True), observation.pair.q[0]) for observation in _singles(observations)
    )
    return is_above and not _ignores_draft_law(observations) and not _bonus(observations)


def _another_target_law(observations: Sequence[Observation]) -> bool:
    """The first token has one wrong law for a target, whatever the masses of the draft law: that of another target."""
    alike = [
        (a, b)
        for a, b in combinations(_with(observations, 1), 2)
        if np.array_equal(a.pair.p[0], b.pair.p[0]) and not np.array_equal(a.pair.q, b.pair.q)
    ]
    is_wrong = any(is_first_wrong(a) and is_first_wrong(b) for a, b in alike)
    same = not any(
        _is_apart(first_law(a), first_law(b), a.sigma(first_law(a)), b.sigma(first_law(b))) for a, b in alike
    )
    return is_wrong and same and not _ignores_draft_law(observations)


def _another_reported_law(observations: Sequence[Observation]) -> bool:
    """Tests and refusals are those of speculative decoding with one wrong draft law, whatever the target."""
    for a, b in combinations(_with(observations, 1), 2):
        if not np.array_equal(a.pair.q, b.pair.q) or np.array_equal(a.pair.p[0], b.pair.p[0]):
            continue
        if not (accepts_apart(a) and accepts_apart(b)):
            continue
        first = _implied(a)
        second = _implied(b)
        if first is None or second is None or _is_apart(first[0], second[0], first[1], second[1]):
            continue
        alike = [c for c in _with(observations, 1) if np.array_equal(c.pair.q, a.pair.q)]
        if any(contradicts_draft_law(observation, *first) for observation in alike):
            continue
        if any(_is_apart(law, a.pair.q[0], sigma, 0 * sigma) for law, sigma in (first, second)):
            return True
    return False


def _implied(observation: Observation) -> tuple[Array, Array] | None:
    """The draft law t with which speculative decoding accepts and refuses like that, and its standard deviation.

    Where a draft y is refused now and then, it is accepted with p(y)/t(y).  What is missing there, the sum c of t - p, is
    drawn after a refusal in proportion to p - t, so that t(y) = p(y) - c r(y), with r the law after a refusal.  None where
    a token that is refused is drawn after a refusal too, none is seen after one, or a mass would be negative: no law explains
    that.
    """
    p = observation.pair.p[0]
    q = observation.pair.q[0]
    accepted = observation.first(True)
    refused = observation.first(False)
    is_tested = accepted < q - SIGMAS * observation.sigma(q)
    if not is_tested.any() or (accepted[is_tested] <= 0).any():
        return None
    if not refused.any():
        return None
    if (refused[is_tested] > SIGMAS * observation.sigma(refused)[is_tested]).any():
        return None
    safe = np.where(is_tested, accepted, 1)
    tested_law = p * q / safe
    tested_sigma = tested_law * observation.sigma(accepted) / safe
    missing = float((tested_law - p)[is_tested].sum())
    missing_sigma = float(np.sqrt((tested_sigma[is_tested] ** 2).sum()))
    after = refused / refused.sum()
    after_sigma = observation.sigma(refused) / refused.sum()
    law = np.where(is_tested, tested_law, p - missing * after)
    sigma = np.where(is_tested, tested_sigma, np.hypot(missing * after_sigma, missing_sigma * after))
    return None if (law < -SIGMAS * sigma).any() else (law, sigma)


def _is_apart(a: Array, b: Array, sigma_a: Array, sigma_b: Array) -> bool:
    return bool((abs(a - b) > SIGMAS * np.hypot(sigma_a, sigma_b)).any())


def _narrow(observations: Sequence[Observation]) -> bool:
    """A draft that every test must pass, since p >= q, is never kept, and others are: it is not drafted."""
    return any(
        (
            (observation.first(True) == 0)
            & (observation.pair.p[0] >= observation.pair.q[0])
            & (observation.pair.q[0] > 1 / 16)
        ).any()
        and observation.first(True).any()
        for observation in _singles(observations)
    )


def _ignores_draft_law(observations: Sequence[Observation]) -> bool:
    """Nothing changes where the masses of the draft law do, but not their order: the verifier does not look at them."""
    alike = [
        (a, b)
        for a, b in combinations(_with(observations, 1), 2)
        if np.array_equal(a.pair.p, b.pair.p)
        and not np.array_equal(a.pair.q, b.pair.q)
        and np.array_equal(np.argsort(a.pair.q), np.argsort(b.pair.q))
    ]
    return bool(alike) and not any(differ(a, b) for a, b in alike)


def differ(a: Observation, b: Observation) -> bool:
    """Whether two samplers, or one on two pairs, emit otherwise."""
    shares = np.array(
        [[observation.ends.get(tokens, 0.0) for tokens in {**a.ends, **b.ends}] for observation in (a, b)]
    )
    middle = shares.mean(axis=0)
    return bool((abs(shares[0] - shares[1]) > SIGMAS * np.hypot(a.sigma(middle), b.sigma(middle))).any())


# --- which place ----------------------------------------------------------------------------------------------------


def _bonus(observations: Sequence[Observation]) -> bool:
    """The first token is right with one draft, and what follows a block that was kept to its end is not."""
    ones = _singles(observations)
    return not any(map(is_first_wrong, ones)) and any(map(_end_wrong, ones))


def _end_wrong(observation: Observation) -> bool:
    """Whether the token after a block that was kept to its end has another law than the target's last row."""
    last = last_masses(observation, len(observation.pair.p))
    return observation.differs(last, last.sum() * observation.pair.p[-1])


def _untested(observations: Sequence[Observation]) -> bool:
    """With one draft it is always accepted, also where the target never says it; of several, one is refused now and then."""
    ones = _singles(observations)
    always = not any(observation.differs(observation.first(True), observation.pair.q[0]) for observation in ones)
    never = any(((observation.pair.p[0] == 0) & (observation.first(True) > RARE)).any() for observation in ones)
    return (
        always
        and never
        and any(observation.lengths()[:-1].sum() > RARE for observation in observations if observation.pair.gamma > 1)
    )


def _refused_draft_emitted(observations: Sequence[Observation]) -> bool:
    """Drafts are refused, and yet the first token has the draft law, also where the target never says it.

    Where texts of one draft are right that is asked of those of several.
    """
    ones = _with(observations, 2) if is_right_with_one(observations) else _singles(observations)
    has_draft_law = not any(observation.differs(first_law(observation), observation.pair.q[0]) for observation in ones)
    is_tested = any(observation.differs(observation.first(True), observation.pair.q[0]) for observation in ones)
    return has_draft_law and is_tested and any(map(is_first_wrong, ones))


def _mixed(observations: Sequence[Observation]) -> bool:
    """Of several drafts all is right with equal rows, and not with unequal ones: a row stands for another."""
    equal = [observation for observation in _with(observations, 2) if _equal_rows(observation.pair)]
    others = [observation for observation in _with(observations, 2) if not _equal_rows(observation.pair)]
    return (
        bool(equal)
        and not any(
            observation.biased() or is_first_wrong(observation) or _second_apart(observation) for observation in equal
        )
        and _accepts_as_a_rule(equal)
        and any(observation.biased() for observation in others)
    )


def _equal_rows(pair: Pair) -> bool:
    return bool((pair.p == pair.p[0]).all() and (pair.q == pair.q[0]).all())


def _other_row_after_refusal(observations: Sequence[Observation]) -> bool:
    """Drafts are accepted right; after a refusal the token has the target's law at another place."""
    ones = [observation for observation in _with(observations, 1) if observation.first(False).any()]
    return any(map(recovers_apart, ones)) and not any(
        accepts_apart(observation)
        or observation.differs(
            observation.first(False), observation.first(False).sum() * observation.pair.p[observation.pair.gamma]
        )
        for observation in ones
    )


def _ends_alike(observations: Sequence[Observation]) -> bool:
    """With one draft accepted drafts are right, and the token that ends a call has one law, refused or not: that of another call.

    Neither the residual nor the last row has it.
    """
    ones = [observation for observation in _with(observations, 1) if 0 < observation.lengths()[-1] < 1]
    return (
        any(map(recovers_apart, ones))
        and any(map(_end_wrong, ones))
        and not any(accepts_apart(observation) or _ends_apart(observation) for observation in ones)
    )


def _ends_apart(observation: Observation) -> bool:
    """Whether the token after an accepted draft has another law than that after a refused one."""
    accepted, refused = (observation.first(True).sum(), observation.first(False).sum())
    last = last_masses(observation, 2)
    after_refusal = observation.first(False)
    return _is_apart(
        last / accepted,
        after_refusal / refused,
        observation.sigma(last) / accepted,
        observation.sigma(after_refusal) / refused,
    )


def _none_accepted(observations: Sequence[Observation]) -> bool:
    """With one draft no call is as long as it can be, also where the target says each draft more often than it is drawn."""
    ones = _with(observations, 1)
    return (
        bool(ones)
        and any(map(is_first_wrong, ones))
        and not any(observation.lengths()[-1] for observation in ones)
        and all(overlap_masses(observation).sum() > RARE for observation in ones)
    )


def _refuses_all(observations: Sequence[Observation]) -> bool:
    """The same, and what is emitted is what follows a refused draft: drafts are given up whatever their tests say."""
    return _none_accepted(observations) and not any(map(recovers_apart, _with(observations, 1)))


def _several(observations: Sequence[Observation]) -> bool:
    """Drafts are certain; none is kept too often, and yet the first token is wrong: more is drawn for it than once."""
    return _narrow(observations) and any(map(is_first_wrong, _singles(observations)))


# --- uniform, residual, stopping ---------------------------------------------------------------------------------------


def _order(observations: Sequence[Observation]) -> bool:
    """Laws with their tokens in another order give other texts than these in that order: a draw uses a uniform again."""
    return any(
        differ(a._replace(ends=_reordered(a, order)), b)
        for a, b in combinations(observations, 2)
        for order in _orders(a.pair, b.pair)
    )


def _orders(a: Pair, b: Pair) -> list[tuple[int, ...]]:
    """Orders of the tokens of one pair of laws that make it another; not the order in which they are.

    All orders are tried where tokens are few, else from the last to the first and moved on by one.  Two tokens with one draft
    mass are no case: the choice of the first of them is no use of a uniform.
    """
    if a.p.shape != b.p.shape or a.q.shape != b.q.shape:
        return []
    own = tuple(range(a.vocab))
    few = [own[::-1], own[1:] + own[:1], own[-1:] + own[:-1]]
    tries = permutations(own) if a.vocab <= MOST_ORDERED and not _has_ties(a.q) else few
    return [
        order
        for order in tries
        if order != own and np.array_equal(a.p[:, list(order)], b.p) and np.array_equal(a.q[:, list(order)], b.q)
    ]


def _has_ties(rows: Array) -> bool:
    return any(len(np.unique(row)) < len(row) for row in rows)


def _reordered(observation: Observation, order: tuple[int, ...]) -> dict[Prefix, float]:
    """Ends with the names that tokens have in an order: its token `order[x]` is called x."""
    name = {token: place for place, token in enumerate(order)}
    return {tuple(name[token] for token in tokens): mass for tokens, mass in observation.ends.items()}


def _rare(observations: Sequence[Observation]) -> bool:
    """All that is wrong is that a draft which the target never says is kept now and then."""
    laws = [(observation, observation.law(), text_law(observation.pair.p)) for observation in observations]
    impossible = max(float(law[target == 0].sum()) for _, law, target in laws)
    off = max(
        float((abs(law - target) - SIGMAS * observation.sigma(target)).max()) for observation, law, target in laws
    )
    return 0 < impossible < RARE and off < RARE / 2


def _over(observations: Sequence[Observation]) -> bool:
    """With one draft a token is kept more often than the target says it: no residual mends that."""
    return any(
        observation.above(observation.first(True), observation.pair.p[0]) for observation in _singles(observations)
    )


def _uniforms_alone(observations: Sequence[Observation]) -> bool:
    """What is kept is not min(p, q), and a refusal draws from (p - q)+ as if it were."""
    wrong = [observation for observation in _singles(observations) if is_first_wrong(observation)]
    return any(map(accepts_apart, wrong)) and not any(map(recovers_apart, wrong))


def _left(pair: Pair) -> Array:
    """(p - q)+ of the first token, divided by its sum."""
    residual = np.maximum(pair.p[0] - pair.q[0], 0)
    return residual / residual.sum() if residual.any() else residual


def _undivided(observations: Sequence[Observation]) -> bool:
    """Drafts are accepted right; after a refusal p - q is not divided by its sum, and the last token gets what is missing."""
    ones = [observation for observation in _singles(observations) if observation.first(False).any()]
    return any(map(recovers_apart, ones)) and not any(
        accepts_apart(observation) or _undivided_apart(observation) for observation in ones
    )


def _undivided_apart(observation: Observation) -> bool:
    refused = observation.first(False)
    weights = np.maximum(observation.pair.p[0] - observation.pair.q[0], 0)
    weights[-1] += 1 - weights.sum()
    return observation.differs(refused, refused.sum() * weights)


def _noise(observations: Sequence[Observation]) -> bool:
    """Drafts are kept right; refusals shun what the draft law has, and are right where it has none: its noise is used again."""
    ones = _singles(observations)
    wrong = [observation for observation in ones if recovers_apart(observation)]
    return bool(wrong) and not any(map(accepts_apart, ones)) and all(map(_shuns_drafts, wrong))


def _shuns_drafts(observation: Observation) -> bool:
    refused = observation.first(False)
    residual = _left(observation.pair)
    some = residual > 0
    late = observation.pair.q[0][some] / residual[some]
    excess = (refused - refused.sum() * residual)[some]
    return bool(np.ptp(late) > 0 and excess[late.argmin()] > 0 > excess[late.argmax()])


def _after_refusal(observations: Sequence[Observation]) -> bool:
    """On all laws drafts are kept as by one lossless rule, and yet texts are wrong."""
    return any(observation.biased() for observation in observations) and _accepts_as_a_rule(observations)


def _accepts_as_a_rule(observations: Sequence[Observation]) -> bool:
    """Whether drafts are kept as by one lossless rule."""
    return any(
        not any(_accepts_unlike(observation, rule) for observation in observations) for rule in range(len(RULES))
    )


def _accepts_unlike(observation: Observation, rule: int) -> bool:
    """Whether kept drafts have another law than those of a rule."""
    right = _law_accepted_by(rule, observation.pair.p.shape, observation.pair.p.tobytes(), observation.pair.q.tobytes())
    observed = _accepted_law((tokens, mass) for tokens, mass in observation.ends.items())
    shares, masses = (np.array([law.get(prefix, 0.0) for prefix in {**right, **observed}]) for law in (observed, right))
    return observation.differs(shares, masses)


@lru_cache(maxsize=256)
def _law_accepted_by(rule: int, shape: tuple[int, int], p: bytes, q: bytes) -> dict[Prefix, float]:
    rows = np.frombuffer(p).reshape(shape)
    drafts = np.frombuffer(q).reshape(-1, shape[1])
    rule_outcomes = outcomes(RULES[rule], by_rows(rows), by_rows(drafts), len(drafts))
    return _accepted_law((outcome.tokens, float(outcome.probability)) for outcome in rule_outcomes)


def _accepted_law(ends: Iterable[tuple[Prefix, float]]) -> dict[Prefix, float]:
    """Probability of each sequence of kept drafts."""
    law: dict[Prefix, float] = {}
    for tokens, mass in ends:
        law[tokens[:-1]] = law.get(tokens[:-1], 0.0) + mass
    return law


RULES: tuple[Verifier, ...] = (from_method(SD)[1], block_verifier(), exact_match)
"""Lossless rules of one path, by what they keep: speculative decoding, block verification, exact match."""


def _dependent_tests(observations: Sequence[Observation]) -> bool:
    """With one draft all is right; of two the second's test depends on which draft the first test accepted."""
    return is_right_with_one(observations) and any(map(_second_depends, _two_drafts(observations)))


def _second_test(observations: Sequence[Observation]) -> bool:
    """With one draft all is right, of two the first test too; the second draft is not accepted as its test says."""
    return is_right_with_one(observations) and any(map(_second_apart, _two_drafts(observations)))


def _two_drafts(observations: Sequence[Observation]) -> list[Observation]:
    """What was seen with two drafts; nothing where the first is not accepted as in speculative decoding."""
    several = twos(observations)
    return [] if any(map(accepts_apart, several)) else several


def _second(observation: Observation) -> Array:
    """Mass (V, V) of each two drafts that are both accepted."""
    both = np.zeros((observation.pair.vocab,) * 2)
    for tokens, mass in observation.ends.items():
        if len(tokens) > 2:
            both[tokens[:2]] += mass
    return both


def _second_apart(observation: Observation) -> bool:
    accepted = observation.first(True)[:, None]
    share = np.minimum(observation.pair.p[1], observation.pair.q[1])
    both = _second(observation)
    return _is_apart(both, accepted * share, observation.sigma(both), observation.sigma(accepted) * share)


def _second_depends(observation: Observation) -> bool:
    """Whether the second draft is accepted more often after one first draft than after another."""
    accepted = observation.first(True)
    rows = np.flatnonzero(accepted > RARE)
    both = _second(observation)
    shares = both[rows] / accepted[rows, None]
    sigmas = np.hypot(observation.sigma(both)[rows], shares * observation.sigma(accepted)[rows, None])
    sigmas = sigmas / accepted[rows, None]
    return any(_is_apart(shares[a], shares[b], sigmas[a], sigmas[b]) for a, b in combinations(range(len(rows)), 2))


def _residual(observations: Sequence[Observation]) -> bool:
    """With one draft the first token is wrong, though none is kept too often."""
    return any(map(is_first_wrong, _with(observations, 1)))


def _accepts_too_often(observations: Sequence[Observation]) -> bool:
    """With one draft all is right; of several the first ones are kept more often than the target says them."""
    return any(
        _prefix_over(observation, length)
        for observation in _with(observations, 2)
        for length in range(1, len(observation.pair.p))
    )


def _prefix_over(observation: Observation, length: int) -> bool:
    accepted = np.zeros((observation.pair.vocab,) * length)
    for tokens, mass in observation.ends.items():
        accepted[tokens[:length]] += mass if len(tokens) > length else 0
    return observation.above(accepted, text_law(observation.pair.p[:length]))


def _too_short(observations: Sequence[Observation]) -> bool:
    """With one draft all is right; of several the first is kept too seldom."""
    return any(map(is_first_wrong, _with(observations, 2)))


def _of_several(question: Callable[[Sequence[Observation]], bool], observations: Sequence[Observation]) -> bool:
    """What is asked of one draft, of the first of two where calls with one are right."""
    first_drafts = first_drafts_of_several(observations)
    return bool(first_drafts) and question(first_drafts)


FIRST_OF_SEVERAL = tuple(
    (part_name, partial(_of_several, question))
    for part_name, question in (
        ("stopping", drops_drafts),
        ("stopping", gives_up_passed_drafts),
        ("reported/sampled", draws_from_another_law),
        ("reported/sampled", is_right_for_other_laws),
        ("residual", is_residual_alone_wrong),
        ("uniforms", is_test_alone_wrong),
    )
)
"""Parts that are wrong at the first place of several drafts only, and what shows it."""

QUESTIONS: tuple[tuple[str, Callable[[Sequence[Observation]], bool]], ...] = (
    ("reported/sampled", _sure),
    ("uniforms", _rare),
    ("stopping", _refuses_all),
    ("bookkeeping", _none_accepted),
    ("bookkeeping", emits_in_another_order),
    ("stopping", stops_elsewhere),
    ("uniforms", passes_first_test_again),
    ("stopping", stops_before_second),
    ("reported/sampled", follows_draft),
    ("uniforms", draws_depend),
    ("bookkeeping", has_second_ids_exchanged),
    ("reported/sampled", draws_second_from_another_law),
    ("bookkeeping", reads_rows_of_another_place),
    ("reported/sampled", is_second_right_for_other_laws),
    ("bookkeeping", emits_second_too_often),
    *FIRST_OF_SEVERAL,
    ("residual", _undivided),
    ("bookkeeping", has_row_of_another_place),
    ("bookkeeping", _other_row_after_refusal),
    ("bookkeeping", _ends_alike),
    ("bookkeeping", accepts_other_ids),
    ("bookkeeping", recovers_other_ids),
    ("bookkeeping", recovers_one_id),
    ("bookkeeping", accepts_for_another_call),
    ("stopping", drops_drafts),
    ("stopping", gives_up_passed_drafts),
    ("residual", recovers_certain_drafts_wrong),
    ("reported/sampled", draws_from_another_law),
    ("reported/sampled", _reports_another_law),
    ("reported/sampled", _another_target_law),
    ("reported/sampled", _another_reported_law),
    ("reported/sampled", verifies_by_another_draft_law),
    ("reported/sampled", is_right_for_other_laws),
    ("residual", recovers_without_token),
    ("bookkeeping", is_end_alone_wrong),
    ("uniforms", _order),
    ("uniforms", depends_on_draft),
    ("bookkeeping", _bonus),
    ("bookkeeping", _untested),
    ("bookkeeping", _refused_draft_emitted),
    ("uniforms", _noise),
    ("uniforms", _uniforms_alone),
    ("bookkeeping", _mixed),
    ("bookkeeping", emits_from_another_row),
    ("residual", lambda observations: is_residual_alone_wrong(second_drafts(observations))),
    ("residual", _after_refusal),
    ("bookkeeping", is_row_of_another_place),
    ("stopping", gives_up_after_draft),
    ("uniforms", _dependent_tests),
    ("uniforms", lambda observations: is_test_alone_wrong(second_drafts(observations))),
    ("stopping", _second_test),
    ("reported/sampled", _another_target),
    ("uniforms", _over),
    ("bookkeeping", _several),
    ("residual", _residual),
    ("uniforms", _accepts_too_often),
    ("stopping", _too_short),
    ("bookkeeping", goes_wrong_late),
)
"""Parts, and what shows that they are wrong, in the order in which they are asked."""
