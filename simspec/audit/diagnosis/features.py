"""Which part of a sampler is wrong, from features of what it emits: no law of a known fault is compared.

Laws to look at are `probes`: each separates causes that look alike on others.  Of the first token y, let k(y) be the
mass with which it is emitted as a kept draft, and r(y) that of a token drawn after a refusal.  A lossless rule of one
draft has k <= min(p, q); whatever k it keeps, r = p - k mends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from simspec.audit.diagnosis.observations import SIGMAS, Seen
from simspec.audit.evidence import text_law
from simspec.audit.pairs import Pair
from simspec.laws import Array
from simspec.methods.block import Prefix
from simspec.methods.block.verification import block_verifier
from simspec.methods.joint.match import exact_match
from simspec.methods.joint.verifier import Verifier, by_rows, from_method, outcomes
from simspec.methods.sd import SD

__all__ = ["part_of"]

RARE = 1 / 32
"""Mass below which a draft that the target never says is kept by the ends of a coin, not by its test."""


def part_of(seen: Sequence[Seen]) -> str:
    """The part that is wrong, from features on several pairs with drafts, asked in turn; numerics where none shows.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]
    >>> part_of([Seen(pair, {(0,): 1.0})])  # the most likely token of p, whatever was drafted
    'told/drawn'
    """
    return next((part for part, wrong in QUESTIONS if wrong(seen)), "numerics")


def _with(seen: Iterable[Seen], gamma: int) -> list[Seen]:
    """What was seen with one draft, or with more."""
    return [one for one in seen if (one.pair.gamma == 1) == (gamma == 1)]


def _singles(seen: Sequence[Seen]) -> Sequence[Seen]:
    """What was seen with one draft; all where there is none of these."""
    return _with(seen, 1) or seen


# --- what was told --------------------------------------------------------------------------------------------------


def _another_target(seen: Sequence[Seen]) -> bool:
    """After a refusal a token comes that the target never says there."""
    return any(
        mass > SIGMAS * one.sigma(np.zeros(1))[0] and one.pair.p[len(tokens) - 1][tokens[-1]] == 0
        for one in seen
        for tokens, mass in one.ends.items()
        if len(tokens) <= one.pair.gamma
    )


def _sure(seen: Sequence[Seen]) -> bool:
    """The token that ends a call is always the target's most likely one, the bonus too, although others are possible."""
    ends = [(one.pair.p[len(tokens) - 1], tokens, one.pair.gamma) for one in seen for tokens in one.ends]
    open_ = [(law[tokens[-1]] == law.max(), len(tokens) > gamma) for law, tokens, gamma in ends if law.max() < 1]
    alone = any((one.first(True) + one.first(False)).max() > 1 - 1e-12 for one in seen if one.pair.p[0].max() < 1)
    return all(right for right, _ in open_) and (alone or any(full for _, full in open_))


def _told(seen: Sequence[Seen]) -> bool:
    """Some tokens of the draft law are never drafted, and yet its masses matter."""
    return _narrow(seen) and not _untold(seen)


def _narrow(seen: Sequence[Seen]) -> bool:
    """A draft that every test must pass, since p >= q, is never kept, and others are: it is not drafted."""
    return any(
        ((one.first(True) == 0) & (one.pair.p[0] >= one.pair.q[0]) & (one.pair.q[0] > 1 / 16)).any()
        and one.first(True).any()
        for one in _singles(seen)
    )


def _untold(seen: Sequence[Seen]) -> bool:
    """Nothing changes where the masses of the draft law do, but not their order: the verifier does not look at them."""
    alike = [
        (a, b)
        for a, b in combinations(_with(seen, 1), 2)
        if np.array_equal(a.pair.p, b.pair.p)
        and not np.array_equal(a.pair.q, b.pair.q)
        and np.array_equal(np.argsort(a.pair.q), np.argsort(b.pair.q))
    ]
    return bool(alike) and not any(_apart(a, b) for a, b in alike)


def _apart(a: Seen, b: Seen) -> bool:
    shares = np.array([[one.ends.get(tokens, 0.0) for tokens in {**a.ends, **b.ends}] for one in (a, b)])
    middle = shares.mean(axis=0)
    return bool((abs(shares[0] - shares[1]) > SIGMAS * np.hypot(a.sigma(middle), b.sigma(middle))).any())


# --- which place ----------------------------------------------------------------------------------------------------


def _bonus(seen: Sequence[Seen]) -> bool:
    """The first token is right with one draft, and what follows a block that was kept to its end is not."""
    ones = _singles(seen)
    return not any(map(_first_wrong, ones)) and any(map(_end_wrong, ones))


def _first_wrong(one: Seen) -> bool:
    return one.differs(one.first(True) + one.first(False), one.pair.p[0])


def _end_wrong(one: Seen) -> bool:
    """Whether the token after a block that was kept to its end has another law than the target's last row."""
    last = np.zeros(one.pair.vocab)
    for tokens, mass in one.ends.items():
        last[tokens[-1]] += mass if len(tokens) == len(one.pair.p) else 0
    return one.differs(last, last.sum() * one.pair.p[-1])


def _untested(seen: Sequence[Seen]) -> bool:
    """The first draft is always kept, also where the target never says it, and a later one is not."""
    always = not any(one.differs(one.first(True), one.pair.q[0]) for one in seen)
    never = any(((one.pair.p[0] == 0) & (one.first(True) > RARE)).any() for one in seen)
    return always and never and any(one.lengths()[1] > RARE for one in seen if one.pair.gamma > 1)


def _mixed(seen: Sequence[Seen]) -> bool:
    """Of several drafts all is right with equal rows, and not with unequal ones: a row stands for another."""
    equal = [one for one in _with(seen, 2) if _equal_rows(one.pair)]
    others = [one for one in _with(seen, 2) if not _equal_rows(one.pair)]
    return bool(equal) and not any(one.biased() for one in equal) and any(one.biased() for one in others)


def _equal_rows(pair: Pair) -> bool:
    return bool((pair.p == pair.p[0]).all() and (pair.q == pair.q[0]).all())


def _several(seen: Sequence[Seen]) -> bool:
    """Drafts are certain; none is kept too often, and yet the first token is wrong: more is drawn for it than once."""
    return _narrow(seen) and any(map(_first_wrong, _singles(seen)))


# --- coin, residual, stopping ---------------------------------------------------------------------------------------


def _order(seen: Sequence[Seen]) -> bool:
    """Laws with their tokens in another order give other texts than these in that order: a draw uses a coin again."""
    return any(
        _apart(a._replace(ends=_turned(a)), b)
        for a, b in combinations(seen, 2)
        if all(np.array_equal(x[:, ::-1], y) for x, y in ((a.pair.p, b.pair.p), (a.pair.q, b.pair.q)))
    )


def _turned(one: Seen) -> dict[Prefix, float]:
    """Ends with the last token in the place of the first, and so on."""
    return {tuple(one.pair.vocab - 1 - token for token in tokens): mass for tokens, mass in one.ends.items()}


def _rare(seen: Sequence[Seen]) -> bool:
    """All that is wrong is that a draft which the target never says is kept now and then."""
    laws = [(one, one.law(), text_law(one.pair.p)) for one in seen]
    impossible = max(float(law[target == 0].sum()) for _, law, target in laws)
    off = max(float((abs(law - target) - SIGMAS * one.sigma(target)).max()) for one, law, target in laws)
    return 0 < impossible < RARE and off < RARE / 2


def _over(seen: Sequence[Seen]) -> bool:
    """With one draft a token is kept more often than the target says it: no residual mends that."""
    return any(one.above(one.first(True), one.pair.p[0]) for one in _singles(seen))


def _coin_alone(seen: Sequence[Seen]) -> bool:
    """What is kept is not min(p, q), and a refusal draws from (p - q)+ as if it were."""
    wrong = [one for one in _singles(seen) if _first_wrong(one)]
    return any(map(_keeps_apart, wrong)) and not any(map(_residual_apart, wrong))


def _keeps_apart(one: Seen) -> bool:
    return one.differs(one.first(True), np.minimum(one.pair.p[0], one.pair.q[0]))


def _residual_apart(one: Seen) -> bool:
    refused, left = one.first(False), _left(one.pair)
    return bool(left.any()) and one.differs(refused, refused.sum() * left)


def _left(pair: Pair) -> Array:
    """(p - q)+ of the first token, divided by its sum."""
    left = np.maximum(pair.p[0] - pair.q[0], 0)
    return left / left.sum() if left.any() else left


def _noise(seen: Sequence[Seen]) -> bool:
    """Drafts are kept right; refusals shun what the draft law has, and are right where it has none: its noise is used again."""
    ones = _singles(seen)
    wrong = [one for one in ones if _residual_apart(one)]
    return bool(wrong) and not any(map(_keeps_apart, ones)) and all(map(_shuns_drafts, wrong))


def _shuns_drafts(one: Seen) -> bool:
    refused, left = one.first(False), _left(one.pair)
    some = left > 0
    late, more = one.pair.q[0][some] / left[some], (refused - refused.sum() * left)[some]
    return bool(np.ptp(late) > 0 and more[late.argmin()] > 0 > more[late.argmax()])


def _after_refusal(seen: Sequence[Seen]) -> bool:
    """On all laws drafts are kept as by one lossless rule, and yet texts are wrong."""
    rules = range(len(RULES))
    return any(one.biased() for one in seen) and any(not any(_kept_apart(one, n) for one in seen) for n in rules)


def _kept_apart(one: Seen, rule: int) -> bool:
    """Whether kept drafts have another law than those of a rule."""
    right = _kept_by(rule, one.pair.p.shape, one.pair.p.tobytes(), one.pair.q.tobytes())
    own = _kept((tokens, mass) for tokens, mass in one.ends.items())
    shares, masses = (np.array([law.get(kept, 0.0) for kept in {**right, **own}]) for law in (own, right))
    return one.differs(shares, masses)


@lru_cache(maxsize=256)
def _kept_by(rule: int, shape: tuple[int, int], p: bytes, q: bytes) -> dict[Prefix, float]:
    rows, drafts = np.frombuffer(p).reshape(shape), np.frombuffer(q).reshape(-1, shape[1])
    found = outcomes(RULES[rule], by_rows(rows), by_rows(drafts), len(drafts))
    return _kept((outcome.tokens, float(outcome.probability)) for outcome in found)


def _kept(ends: Iterable[tuple[Prefix, float]]) -> dict[Prefix, float]:
    """Probability of each sequence of kept drafts."""
    law: dict[Prefix, float] = {}
    for tokens, mass in ends:
        law[tokens[:-1]] = law.get(tokens[:-1], 0.0) + mass
    return law


RULES: tuple[Verifier, ...] = (from_method(SD)[1], block_verifier(), exact_match)
"""Lossless rules of one path, by what they keep: speculative decoding, block verification, exact match."""


def _residual(seen: Sequence[Seen]) -> bool:
    """With one draft the first token is wrong, though none is kept too often."""
    return any(map(_first_wrong, _with(seen, 1)))


def _kept_too_often(seen: Sequence[Seen]) -> bool:
    """With one draft all is right; of several the first ones are kept more often than the target says them."""
    return any(_prefix_over(one, length) for one in _with(seen, 2) for length in range(1, len(one.pair.p)))


def _prefix_over(one: Seen, length: int) -> bool:
    kept = np.zeros((one.pair.vocab,) * length)
    for tokens, mass in one.ends.items():
        kept[tokens[:length]] += mass if len(tokens) > length else 0
    return one.above(kept, text_law(one.pair.p[:length]))


def _too_short(seen: Sequence[Seen]) -> bool:
    """With one draft all is right; of several the first is kept too seldom."""
    return any(map(_first_wrong, _with(seen, 2)))


QUESTIONS: tuple[tuple[str, Callable[[Sequence[Seen]], bool]], ...] = (
    ("told/drawn", _sure),
    ("coin", _rare),
    ("coin", _order),
    ("bookkeeping", _bonus),
    ("bookkeeping", _untested),
    ("told/drawn", _told),
    ("coin", _noise),
    ("coin", _coin_alone),
    ("residual", _after_refusal),
    ("told/drawn", _another_target),
    ("bookkeeping", _mixed),
    ("coin", _over),
    ("bookkeeping", _several),
    ("residual", _residual),
    ("coin", _kept_too_often),
    ("stopping", _too_short),
)
"""Parts, and what shows that they are wrong, in the order in which they are asked."""
