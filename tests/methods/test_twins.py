"""Each function of certificates, numerics, parallel drafts, keys and choices beside an exact twin, and a planted error.

A twin is written from the definition, in plain loops on fractions or certified balls, or is the formula of a proved claim.  The
planted error is what one could write by mistake: it must differ from the twin on some of the same instances.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from decimal import Decimal, getcontext
from fractions import Fraction as F
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from simspec import certificates, numerics
from simspec.claims.balls import ball, exp, log
from simspec.claims.greedy import trees
from simspec.claims.greedy.any_tv import gap
from simspec.claims.greedy.parts import radius
from simspec.claims.numerics.laws import most, tanh
from simspec.claims.relaxed.parts import divergence, xlogx
from simspec.claims.watermark import fresh_coins as coin_claims
from simspec.claims.watermark.parts import residual
from simspec.laws import exact
from simspec.methods import cascade, coupling, heads, parallel, selection, watermark

SEEDS = range(40)
HERE = Path(__file__).parent
Instance = Callable[[np.random.Generator], tuple[Any, ...]]


class Twin(NamedTuple):
    """A function of floats, its twin on fractions, a planted error, and what draws arguments in fractions."""

    function: Callable[..., Any]
    twin: Callable[..., Any]
    planted: Callable[..., Any]
    instance: Instance


def some_law(rng: np.random.Generator, vocab: int, whole: int = 32) -> np.ndarray:
    """A law of dyadic fractions, exact as floats too, with zeros and ties."""
    cuts = np.sort(rng.integers(0, whole + 1, size=vocab - 1))
    return exact([F(int(high - low), whole) for low, high in pairwise([0, *cuts, whole])])


def law_pair(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    vocab = int(rng.integers(2, 6))
    return some_law(rng, vocab), some_law(rng, vocab)


def law_and_rank(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    vocab = int(rng.integers(3, 6))
    return some_law(rng, vocab), int(rng.integers(1, vocab))


def law_and_rejected(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    p = some_law(rng, int(rng.integers(2, 6)))
    rejected = rng.random(len(p)) < 0.5
    rejected[rng.integers(len(p))] = True
    return p, rejected


def law_rows(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    contexts, vocab = rng.integers(2, 5, size=2)
    return some_law(rng, contexts), np.array([some_law(rng, vocab) for _ in range(contexts)])


def ratio_of_weights(rng: np.random.Generator) -> tuple[F]:
    """ρ = exp(ε) above 1."""
    return (F(int(rng.integers(9, 40)), 8),)


def keys(rng: np.random.Generator) -> tuple[watermark.Keys]:
    vocab = int(rng.integers(2, 5))
    laws = [np.array([some_law(rng, vocab) for _ in range(3)]) for _ in "pq"]
    return (watermark.Keys(some_law(rng, 3), *laws),)


def joint_keys(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    p, q = law_pair(rng)
    return p, q, watermark.quantile_coupling(q, residual(p, q))


def rates(rng: np.random.Generator) -> tuple[np.ndarray]:
    return (exact([[F(int(n), 16) for n in row] for row in rng.integers(0, 17, size=(12, 3))]),)


def hits(rng: np.random.Generator) -> tuple[np.ndarray]:
    return (exact(rng.integers(0, 2, size=(12, 3))),)


def rates_and_choice(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return (*rates(rng), np.array([some_law(rng, 3) for _ in range(12)]))


def below_entropy(p: np.ndarray, epsilon: F, delta: F) -> list[bool]:
    entropy = -sum((xlogx(mass, F(1)) for mass in p), ball(0))
    return [float(mass) < min(float(epsilon), float(ball(delta) * exp(-entropy))) for mass in p]


def looped_overlap(p: np.ndarray, q: np.ndarray) -> F:
    return sum((min(a, b) for a, b in zip(p, q, strict=True)), start=F(0))


def certified(p: np.ndarray, q: np.ndarray) -> list[F]:
    """Shares of rows whose divergence is below the radius, and whose draft is the target's first token."""
    count = [0, 0]
    for row, draft in zip(p, q, strict=True):
        rejected = np.arange(len(row)) != trees.ranked(row)[0]
        is_finite = all(b > 0 for a, b in zip(row, draft, strict=True) if a > 0)
        count[0] += is_finite and float(divergence(row, draft)) < float(radius(row, rejected))
        count[1] += trees.ranked(draft)[0] == trees.ranked(row)[0]
    return [F(n, len(p)) for n in count]


def certified_instance(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose divergences are not at the radius, which rounding would decide."""
    p = np.array([some_law(rng, 3) for _ in range(8)])
    other = np.array([some_law(rng, 3) for _ in range(8)])
    return p, (7 * p + other) / 8


def logits(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    first, second = (exact([[F(int(n), 8) for n in row] for row in rng.integers(-20, 20, (4, 3))]) for _ in "pq")
    return first, second


def greedy_logits(rng: np.random.Generator) -> tuple[np.ndarray, F]:
    return logits(rng)[0], F(int(rng.integers(0, 9)), 16)


def small_margin(rows: np.ndarray, eps: F, *, is_strict: bool = False) -> int:
    for at, row in enumerate(rows):
        second, first = sorted(row)[-2:]
        if first - second < 2 * eps or (not is_strict and first - second == 2 * eps):
            return at
    return len(rows)


def intersections(first: np.ndarray, second: np.ndarray) -> list[list[F]]:
    """Length of the part of [0, 1] in which a uniform number draws each pair of tokens."""
    ends = [[sum(law[:x], start=F(0)) for x in range(len(law) + 1)] for law in (first, second)]
    return [
        [max(F(0), min(ends[0][x + 1], ends[1][y + 1]) - max(ends[0][x], ends[1][y])) for y in range(len(second))]
        for x in range(len(first))
    ]


def drafted_pair(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, int]:
    """Two laws, and a token that the second one drafts."""
    p, q = law_pair(rng)
    return p, q, int(rng.choice(np.flatnonzero(q > 0)))


def law_and_key(rng: np.random.Generator) -> tuple[np.ndarray, F]:
    return law_pair(rng)[0], F(int(rng.integers(0, 64)), 64)


def inverted(law: np.ndarray, u: F) -> int:
    """The first token whose cumulative mass is above u."""
    return next(x for x in range(len(law)) if sum(law[: x + 1], start=F(0)) > u)


def keyed(key_laws: watermark.Keys) -> F:
    return sum((w * looped_overlap(p, q) for w, p, q in zip(*key_laws, strict=True)), start=F(0))


def means_of(key_laws: watermark.Keys) -> tuple[np.ndarray, np.ndarray]:
    weights = key_laws.weights[:, None]
    return (weights * key_laws.target).sum(axis=0), (weights * key_laws.draft).sum(axis=0)


def shared_weights(rows: np.ndarray, sigma: F, *, sees_own_step: bool = False) -> list[list[F]]:
    """Weights 2 to the sums so far, of which a share of all is dealt out anew at each step; at rate log 2 on 0 and 1."""
    count = rows.shape[1]
    now = [F(1, count)] * count
    weights = []
    for row in rows:
        grown = [w * F(2) ** int(a) for w, a in zip(now, row, strict=True)]
        after = [(1 - sigma) * w / sum(grown) + sigma / count for w in grown]
        weights.append(after if sees_own_step else now)
        now = after
    return weights


def first_best(scores: list[Any]) -> int:
    return max(range(len(scores)), key=lambda at: (scores[at], -at))


def led(rows: np.ndarray) -> list[list[int]]:
    sums = [F(0)] * rows.shape[1]
    weights = []
    for row in rows:
        weights.append([int(at == first_best(sums)) for at in range(len(row))])
        sums = [total + rate for total, rate in zip(sums, row, strict=True)]
    return weights


def bandit(rows: np.ndarray, score: Callable[[list[F], int], Any], fixed: int) -> list[list[int]]:
    """A draft in turn for some steps, then the one of the highest score of what was seen of it."""
    count = rows.shape[1]
    own: list[list[F]] = [[] for _ in range(count)]
    weights = []
    for step, row in enumerate(rows):
        at = step % count if step < fixed else first_best([score(seen, step) for seen in own])
        own[at].append(row[at])
        weights.append([int(at == k) for k in range(count)])
    return weights


def upper(seen: list[F], step: int) -> Decimal:
    """Mean and width of `ucb`, to fifty digits."""
    getcontext().prec = 50
    total = sum(seen, start=F(0))
    mean = Decimal(total.numerator) / Decimal(total.denominator) / len(seen)
    return mean + (2 * Decimal(step).ln() / len(seen)).sqrt()


def regret(rows: np.ndarray, weights: np.ndarray, label: np.ndarray) -> F:
    """Best fixed draft of each segment, less what was accepted."""
    best = F(0)
    for name in sorted(set(label)):
        best += max(sum(rows[label == name, k], start=F(0)) for k in range(rows.shape[1]))
    used = sum(
        (a * w for row, choice in zip(rows, weights, strict=True) for a, w in zip(row, choice, strict=True)), F(0)
    )
    return (best - used) / len(rows)


NO_LABEL = np.zeros(12, dtype=int)
THIRDS = np.arange(12) // 4
LN2 = math.log(2)

TWINS: dict[Callable[..., Any], Twin] = {
    certificates.rejects_additive: Twin(
        lambda p: certificates.rejects_additive(p, 0.125),
        lambda p: [mass < max(p) - F(1, 8) for mass in p],
        lambda p: p <= p.max() - 0.125,
        lambda rng: law_pair(rng)[:1],
    ),
    certificates.rejects_multiplicative: Twin(
        lambda p: certificates.rejects_multiplicative(p, 0.5),
        lambda p: [mass < max(p) / 2 for mass in p],
        lambda p: p <= p.max() * 0.5,
        lambda rng: law_pair(rng)[:1],
    ),
    certificates.rejects_beyond_top: Twin(
        certificates.rejects_beyond_top,
        lambda p, m: [x not in trees.ranked(p)[:m] for x in range(len(p))],
        lambda p, m: p < np.sort(p)[-m],  # ties of the last rank are all taken
        lambda rng: (some_law(rng, 4, whole=4), int(rng.integers(1, 4))),
    ),
    certificates.rejects_below_entropy: Twin(
        lambda p: certificates.rejects_below_entropy(p, 0.3, 0.4),
        lambda p: below_entropy(p, F(3, 10), F(2, 5)),
        lambda p: p < np.minimum(0.3, 0.4 * 2.0 ** (p * np.log2(np.where(p > 0, p, 1))).sum() / 2),
        lambda rng: law_pair(rng)[:1],
    ),
    certificates.kl_radius: Twin(
        certificates.kl_radius,
        radius,
        lambda p, rejected: certificates.margin_radius(np.diff(np.sort(p))[-1]),
        law_and_rejected,
    ),
    certificates.tv_radius: Twin(
        certificates.tv_radius, gap, lambda p, rejected: (p.max() - p[rejected].max()) / 2, law_and_rejected
    ),
    certificates.tree_radius: Twin(
        certificates.tree_radius,
        trees.limit,
        lambda p, m: certificates.kl_radius(p, certificates.rejects_beyond_top(p)),
        law_and_rank,
    ),
    certificates.margin_radius: Twin(
        certificates.margin_radius,
        trees.tree_margin,
        lambda delta, m: certificates.margin_radius(delta, m + 1),
        lambda rng: (F(int(rng.integers(0, 9)), 8), int(rng.integers(1, 9))),
    ),
    certificates.kl_divergence: Twin(
        certificates.kl_divergence,
        divergence,
        lambda p, q: certificates.kl_divergence(q, p),
        lambda rng: (lambda p, q: (p, (p + q) / 2))(*law_pair(rng)),
    ),
    certificates.certified_share: Twin(
        lambda p, q: certificates.certified_share(p, q, certificates.rejects_beyond_top),
        certified,
        lambda p, q: certificates.certified_share(q, p, certificates.rejects_beyond_top),
        certified_instance,
    ),
    numerics.tv_bound: Twin(
        lambda rho: numerics.tv_bound(np.log(rho)), tanh, lambda rho: np.tanh(np.log(rho)), ratio_of_weights
    ),
    numerics.kl_bound: Twin(
        lambda rho: numerics.kl_bound(np.log(rho)),
        most,
        lambda rho: numerics.kl_bound_square(np.log(rho)),
        ratio_of_weights,
    ),
    numerics.kl_bound_square: Twin(
        lambda rho: numerics.kl_bound_square(np.log(rho)),
        lambda rho: log(ball(rho)) * log(ball(rho)) / 2,
        lambda rho: numerics.kl_bound_square(np.log(rho)) / 4,  # the range of the differences in place of half of it
        ratio_of_weights,
    ),
    numerics.symmetric_kl_bound: Twin(
        lambda rho: numerics.symmetric_kl_bound(np.log(rho)),
        lambda rho: 2 * log(ball(rho)) * ball(tanh(rho)),
        lambda rho: 2 * numerics.kl_bound(np.log(rho)),
        ratio_of_weights,
    ),
    numerics.greedy_margin: Twin(numerics.greedy_margin, lambda eps: eps + eps, lambda eps: eps, ratio_of_weights),
    numerics.text_tv_bound: Twin(
        lambda rho: numerics.text_tv_bound(np.log(rho), length=3),
        lambda rho: 1 - (1 - tanh(rho)) ** 3,
        lambda rho: 3 * numerics.tv_bound(np.log(rho)),
        ratio_of_weights,
    ),
    numerics.logit_gap: Twin(
        numerics.logit_gap,
        lambda first, second: [(max(a - b) - min(a - b)) / 2 for a, b in zip(first, second, strict=True)],
        lambda first, second: abs(first - second).max(axis=-1),
        logits,
    ),
    numerics.first_small_margin: Twin(
        numerics.first_small_margin,
        small_margin,
        lambda rows, eps: small_margin(rows, eps, is_strict=True),
        greedy_logits,
    ),
    parallel.marginal: Twin(
        parallel.marginal,
        lambda first, rows: [sum((w * mass for w, mass in zip(first, column, strict=True)), F(0)) for column in rows.T],
        lambda first, rows: rows.mean(axis=0),
        law_rows,
    ),
    parallel.product_acceptance: Twin(
        lambda first, rows: parallel.product_acceptance(first, rows, rows[0]),
        lambda first, rows: sum((w * looped_overlap(row, rows[0]) for w, row in zip(first, rows, strict=True)), F(0)),
        lambda first, rows: np.minimum(first @ rows, rows[0]).sum(),
        law_rows,
    ),
    parallel.excess: Twin(
        lambda first, rows: parallel.excess(first, rows, rows[0]),
        lambda first, rows: [
            [
                sum((w for w, row in zip(first, rows, strict=True) if row[y] > rows[0][y]), F(0))
                for y in range(len(rows.T))
            ],
            [
                sum((w for w, row in zip(first, rows, strict=True) if row[y] >= rows[0][y]), F(0))
                for y in range(len(rows.T))
            ],
        ],
        lambda first, rows: parallel.excess(first, rows, rows[0])[::-1],
        law_rows,
    ),
    watermark.quantile_coupling: Twin(
        watermark.quantile_coupling, intersections, lambda first, second: first[:, None] * second, law_pair
    ),
    watermark.keyed_acceptance: Twin(watermark.keyed_acceptance, keyed, lambda k: np.minimum(*means_of(k)).sum(), keys),
    watermark.keyed_deficit: Twin(
        watermark.keyed_deficit,
        lambda k: looped_overlap(*means_of(k)) - keyed(k),
        lambda k: (k.weights[:, None] * abs(k.target - k.draft)).sum() / 2,
        keys,
    ),
    coupling.quantile_masses: Twin(
        coupling.quantile_masses,
        lambda p, q: [row[x] for x, row in enumerate(intersections(q, p))],
        np.minimum,
        law_pair,
    ),
    coupling.quantile_match: Twin(
        coupling.quantile_match,
        lambda p, q: sum((row[x] for x, row in enumerate(intersections(q, p))), F(0)),
        lambda p, q: np.minimum(p, q).sum(),
        law_pair,
    ),
    coupling.given_draft: Twin(
        coupling.given_draft,
        lambda p, q, token: intersections(q, p)[token],
        lambda p, q, token: q[token] * p,
        drafted_pair,
    ),
    coupling.drawn_by_key: Twin(coupling.drawn_by_key, inverted, lambda p, u: (p > u).argmax(), law_and_key),
    watermark.fresh_coin_law: Twin(
        watermark.fresh_coin_law,
        lambda p, q, joint: coin_claims.emitted(p, q, joint)[:-1],
        lambda p, q, joint: p,
        joint_keys,
    ),
    watermark.fresh_coin_agreement: Twin(
        watermark.fresh_coin_agreement,
        lambda p, q: coin_claims.agreement(p, q, q[:, None] * residual(p, q)),
        lambda p, q: (1 + watermark.fresh_coin_agreement(p, q)) / 2,
        law_pair,
    ),
    selection.leader: Twin(selection.leader, led, lambda a: np.eye(3)[a.cumsum(axis=0).argmax(axis=1)], rates),
    selection.hedge: Twin(
        lambda a: selection.hedge(a, LN2),
        lambda a: shared_weights(a, F(0)),
        lambda a: np.array(shared_weights(a, 0.0, sees_own_step=True), dtype=float),
        hits,
    ),
    selection.share: Twin(
        lambda a: selection.share(a, 0.125, LN2),
        lambda a: shared_weights(a, F(1, 8)),
        lambda a: selection.hedge(a, LN2),
        hits,
    ),
    selection.explore: Twin(
        lambda a: selection.explore(a, 2),
        lambda a: bandit(a, lambda seen, step: sum(seen[:2], F(0)), 6),
        selection.leader,
        rates,
    ),
    selection.ucb: Twin(
        selection.ucb,
        lambda a: bandit(a, upper, 3),
        lambda a: bandit(a, lambda seen, step: sum(seen) / len(seen), 3),
        rates,
    ),
    selection.fixed_regret: Twin(
        selection.fixed_regret,
        lambda a, w: regret(a, w, NO_LABEL),
        lambda a, w: (a.max(axis=1) - (a * w).sum(axis=1)).mean(),
        rates_and_choice,
    ),
    selection.segment_regret: Twin(
        lambda a, w: selection.segment_regret(a, w, THIRDS),
        lambda a, w: regret(a, w, THIRDS),
        selection.fixed_regret,
        rates_and_choice,
    ),
}

ELSEWHERE: dict[Callable[..., Any], str] = {
    parallel.best_draft: "test_parallel.py",
    parallel.optimality_gap: "test_parallel.py",
    heads.head_acceptance: "test_heads.py",
    heads.head_survival: "test_heads.py",
    heads.survival_bounds: "test_heads.py",
    heads.draft_bound: "test_heads.py",
    cascade.survival: "test_cascade.py",
    cascade.cascade_tokens: "test_cascade.py",
    cascade.cascade_time: "test_cascade.py",
    cascade.cascade_speed: "test_cascade.py",
    cascade.chain_tokens: "test_cascade.py",
    cascade.verified_tokens: "test_cascade.py",
    watermark.quantile_keys: "test_watermark.py",
    coupling.quantile: "coupling/test_quantile.py",
    coupling.quantile_tokens: "coupling/test_quantile.py",
    coupling.quantile_verifier: "coupling/test_quantile.py",
    coupling.fresh_coin_tokens: "coupling/test_fresh_coins.py",
    coupling.one_key_verifier: "coupling/test_fresh_coins.py",
    coupling.two_keys_verifier: "coupling/test_fresh_coins.py",
}
"""Functions with a file of tests that has exact values and a planted error for them."""
KEYED = (
    *("drawn_by_key", "given_draft", "quantile", "quantile_masses", "quantile_match", "quantile_tokens"),
    *("fresh_coin_tokens", "one_key_verifier", "quantile_verifier", "two_keys_verifier"),
)
"""Functions of keyed sampling among the couplings."""
WITHOUT_NUMBERS = (selection.policy,)
"""Functions that read a name."""


def as_floats(argument: Any) -> Any:
    """The same argument in floats; counts, masks and what is a float already stay."""
    if isinstance(argument, watermark.Keys):
        return watermark.Keys(*map(as_floats, argument))
    if isinstance(argument, np.ndarray):
        return argument.astype(float) if argument.dtype == object else argument
    return float(argument) if isinstance(argument, F) else argument


def numbers(value: Any) -> np.ndarray:
    """A value in floats, whatever it is of: fractions, balls, floats, truths."""
    return np.vectorize(float, otypes=[float])(np.asarray(value, dtype=object))


@pytest.mark.parametrize("function", TWINS, ids=lambda function: function.__name__)
def test_a_function_is_its_twin_and_a_planted_error_is_not(function) -> None:
    twin = TWINS[function]
    is_planted_error_seen = False
    for seed in SEEDS:
        arguments = twin.instance(np.random.default_rng(seed))
        floats = [as_floats(argument) for argument in arguments]
        expected = numbers(twin.twin(*arguments))
        np.testing.assert_allclose(numbers(twin.function(*floats)), expected, rtol=1e-9, atol=1e-12)
        is_planted_error_seen |= not np.allclose(numbers(twin.planted(*floats)), expected, rtol=1e-6, atol=1e-9)
    assert is_planted_error_seen


def test_every_function_has_a_twin() -> None:
    modules = (certificates, numerics, parallel, heads, cascade, watermark, selection)
    functions = {name: getattr(module, name) for module in modules for name in module.__all__}
    functions |= {name: getattr(coupling, name) for name in KEYED}
    without = []
    for name, function in functions.items():
        if not inspect.isfunction(function) or function in WITHOUT_NUMBERS or function in TWINS:
            continue
        if function not in ELSEWHERE:
            without.append(name)
            continue
        text = (HERE / ELSEWHERE[function]).read_text(encoding="utf-8")
        assert name in text and "planted error" in text and "Fraction" in text, name
    assert without == []
