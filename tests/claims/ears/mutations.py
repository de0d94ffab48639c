"""The formulas of ears.* claims, broken on purpose: each change must refute its claim."""

from fractions import Fraction as F

import numpy as np

from simspec.claims.claim import at_most
from simspec.claims.ears.best_tradeoff import _over
from simspec.claims.ears.cache import _as_printed, _verified
from simspec.claims.ears.gamma_scaling import _any_context, _mean_tokens, _ratio
from simspec.claims.ears.other_uncertainty import (
    _as_said,
    _fresh_signal,
    _gained_tokens,
    _more,
    _rates,
    _signal,
    _two_signals,
)
from simspec.claims.ears.parts import (
    any_rule,
    closeness,
    competitor,
    fresh_ears,
    pardoned,
    rule_of,
    some_step,
    tolerance,
)
from simspec.claims.ears.sequence_bias import _chain, _root_sides, _shared_roots, _some_text, _step_of
from simspec.claims.ears.two_paths import _laws_of_paths, _two_paths, _two_paths_closed
from simspec.claims.ears.two_paths_order import _chain as _pieces
from simspec.laws import normalise, overlap, tv
from simspec.methods import SD, acceptance_rate, ears, gain, lenience, levelled, output_law
from simspec.methods import tv as output_tv
from simspec.methods.ears.texts import agreement, expected_bias
from tests.claims.cases import broken, get, shifted
from tests.claims.ears.cases import _plain_lenience

TRADEOFFS = ("ears.beta-tradeoff.fresh", "ears.beta-tradeoff.residual")


def _against_levelled(draw):
    """The competitor is the levelled law itself, looked at where it is lowest."""
    instance = dict(competitor(draw))
    o = output_law(levelled(lenience(instance["factor"])), instance["p"], instance["q"])
    return {**instance, "o": o, "eta": min(x / y for x, y in zip(o, instance["p"], strict=True) if y)}


def _order(change):
    return lambda p, q, beta: change(*_pieces(p, q, beta))


def _stale(p, q, tokens, coins, beta, cached):
    """A cache that is one position behind."""
    return _verified(p, q, tokens, coins, beta, np.roll(cached, 1))


def _last_step_only(p, q, beta, length, gamma):
    """Distances that count one step."""
    o, step = output_law(ears(beta), p, q), _step_of(p)
    once = expected_bias(p, o, step, 0, 1)
    return np.array([once, once, once, once, once], dtype=object)


def _root_without_a_factor(p, q, beta, length, place):
    """The bound by the worst state with T/2 in place of 2 T, and that by 1 - b with T in place of 2 T."""
    larger = _root_sides(p, q, beta, length)[1]
    step = min(_shared_roots(p, q, beta)[1].sum(axis=-1).tolist(), key=float)
    larger[place] = 1 - step ** (length // 2) if place == 2 else length * (1 - step)
    return np.array(larger, dtype=object)


def _one_short(p, q, beta, length, gamma):
    o, step = output_law(ears(beta), p, q), _step_of(p)
    return np.array([1 - agreement(p, o, step, 0, length - 1)] * 5, dtype=object)


def _sum_of_gains(p, q, beta, length):
    return expected_bias(p, output_law(ears(beta), p, q), _step_of(p), 0, length)


def _truth(flag) -> F:
    return F(int(bool(flag)))


def _unclipped(p, q, beta):
    """The pardoned law without the limit (q − p)₊."""
    standard, _ = _laws_of_paths(p, q, beta)
    wrong = normalise(np.where(q > p, tolerance(p, beta) * q, 0), otherwise=p)
    return np.array([*standard, *wrong, *_two_paths(p, q, beta)[-2:]], dtype=object)


def _turned(p, q, beta):
    """Closeness of the two paths exchanged."""
    *laws, near, far = _two_paths_closed(p, q, beta)
    return np.array([*laws, far, near], dtype=object)


def _exchanged(name, one, other):
    """The instances of a claim with two values exchanged."""
    instances = get(name).instances
    return {"instances": lambda draw: {**(i := instances(draw)), one: i[other], other: i[one]}, "assumes": {}}


def _gains_more(p, q, more):
    return np.stack([overlap(p, q), gain(ears(more), p, q) + F(1, 64)])


def _gained(p, q, beta, u):
    """Tokens per call gained by a signal that moves acceptance either way."""
    return _rates(_signal(u), p, q, 2) - _rates(ears(beta), p, q, 2)


MUTATIONS = [
    shifted("ears.beta-optimal-corrected", F(1, 8)),
    shifted("ears.drop-unit-corrected", F(1, 100)),
    shifted("ears.threshold-proportional-corrected", F(1, 100)),
    broken("ears.temperature", **_exchanged("ears.temperature", "a", "b")),
    *(broken(name, **_exchanged(name, "beta", "more")) for name in TRADEOFFS),
    *(broken(name, rhs=_gains_more) for name in TRADEOFFS),
    broken(
        "ears.fidelity.repairable", rhs=lambda p, q, k: np.stack([np.maximum(k - p, 0).sum() * F(9, 8), p.max() * 0])
    ),
    broken("ears.fidelity.repairable", rhs=lambda p, q, k, r: np.stack([p.max() * 0, output_tv(rule_of(k, r), p, q)])),
    broken("ears.best-tradeoff-kl", rhs=lambda p, q, factor: closeness(q, p)),
    broken("ears.best-tradeoff-kl", instances=lambda draw: {**(i := competitor(draw)), "o": i["p"]}, assumes={}),
    broken("ears.best-tradeoff", rhs=lambda p, q, k, r: overlap(p, q) + output_tv(rule_of(k, r), p, q) * F(7, 8)),
    broken("ears.best-tradeoff", rhs=lambda p, q, k, r: overlap(p, q) * F(7, 8) + output_tv(rule_of(k, r), p, q)),
    broken("ears.best-tradeoff.attained", instances=any_rule, assumes={}),
    broken("ears.best-tradeoff.attained", rhs=lambda p, q, k: np.maximum(k - p, 0).sum() / 2),
    broken(
        "ears.best-tradeoff.every-divergence",
        lhs=lambda p, q, factor, eta: _over(_plain_lenience(p, q, factor), p, eta),
        instances=lambda draw: _against_levelled(draw),
    ),
    broken(
        "ears.best-tradeoff.every-divergence",
        instances=lambda draw: {**(i := competitor(draw)), "o": i["p"], "eta": F(1)},
        assumes={},
    ),
    broken("ears.bias.residual", lhs=lambda p, q, beta: np.stack([output_tv(fresh_ears(beta), p, q)] * 2)),
    broken("ears.bias.residual", rhs=lambda p, q, beta: np.stack([(tolerance(p, beta) * q).sum(axis=-1)] * 2)),
    broken("ears.bias.fresh", rhs=lambda p, q, beta: pardoned(p, q, beta).sum(axis=-1)),
    broken("ears.bias.fresh", lhs=lambda p, q, beta: output_tv(ears(beta), p, q)),
    broken("ears.bias-bound.residual", rhs=lambda p, beta: tolerance(p, beta)[..., 0] * F(7, 8)),
    broken("ears.bias-bound.residual", rhs=lambda p, beta: beta * (1 - p.max()) ** 2),
    broken(
        "ears.bias-bound.residual-sharp", rhs=lambda p, q, beta: tolerance(p, beta)[0] * np.where(q > p, q - p, 0).sum()
    ),
    broken("ears.bias-bound.residual-sharp", rhs=lambda p, q, beta: tv(p, q) * F(7, 8)),
    broken(
        "ears.bias-bound.fresh-corrected", rhs=lambda p, q, beta: np.stack([gain(ears(beta), p, q), p.max() * 0 + 9])
    ),
    broken(
        "ears.bias-bound.fresh-corrected", rhs=lambda p, q, beta: np.stack([overlap(p, q) * tv(p, q), p.max() * 0 + 9])
    ),
    broken("ears.bias-bound.fresh-corrected", rhs=lambda p, q: np.stack([p.max() * 0 + 9, overlap(p, q) * tv(p, q)])),
    broken("ears.gamma-scaling", lhs=_ratio(0), rhs=_ratio(1)),
    broken("ears.gamma-scaling", instances=_any_context, assumes={}, rhs=_ratio(2)),
    broken(
        "ears.gamma-scaling-sharp", lhs=lambda p, q, beta, gamma: _mean_tokens(SD, p, q, gamma + 1, True) / (gamma + 1)
    ),
    broken("ears.gamma-scaling.longer", lhs=lambda p, q, gamma: _mean_tokens(SD, p, q, gamma) - F(1, 99)),
    broken("ears.gamma-scaling.longer", rhs=lambda p, q, gamma: _mean_tokens(SD, p, q, gamma + 1)),
    broken("ears.other-uncertainty-corrected", rhs=lambda p, q, u: output_tv(_signal(u), p, q).sum() / len(p)),
    broken(
        "ears.other-uncertainty-corrected",
        rhs=lambda p, q, beta, u: (
            (output_tv(_fresh_signal(u), p, q).sum() - output_tv(fresh_ears(beta), p, q).sum()) / len(p)
        ),
    ),
    broken("ears.other-uncertainty.fresh-sharp", rhs=lambda p, q: (overlap(p, q) * tv(p, q)).sum() / len(p) / 16),
    broken("ears.other-uncertainty.fresh-sharp", rhs=lambda p: F(0)),
    broken("ears.other-uncertainty.fresh", lhs=lambda p, q, beta, u, more: _as_said(p, q, beta, u, not more)),
    broken("ears.other-uncertainty.fresh", assumes={}, lhs=lambda p, q, beta, u: _more(p, q, beta, u)),
    broken("ears.other-uncertainty.throughput", rhs=lambda p, q, beta, u: 2 * _gained_tokens(p, q, beta, u)),
    broken(
        "ears.other-uncertainty.throughput", assumes={}, instances=_two_signals(False), rhs=lambda: F(0), lhs=_gained
    ),
    broken("ears.two-paths-order", lhs=_order(lambda a, b: b), rhs=_order(lambda a, b: a)),
    broken("ears.two-paths-order", rhs=_order(lambda a, b: b[[0, 1, 0, 3, 4]])),
    broken("ears.two-paths-order", rhs=_order(lambda a, b: b[[0, 1, 2, 3, 3]])),
    broken("ears.cache", lhs=lambda p, q, tokens, coins, beta, cached: _stale(p, q, tokens, coins, beta, cached)),
    broken("ears.cache", rhs=lambda p, q, tokens, coins, beta: _as_printed(p, q, tokens, coins, 2 * beta)),
    broken("ears.sequence-bias", rhs=_last_step_only),
    broken("ears.sequence-bias", rhs=_one_short),
    broken("ears.sequence-bias", rhs=_chain("tv", "shorter", "apart", "summed", "most")),
    broken("ears.sequence-bias", rhs=_chain("tv", "tv", "tv", "tv", "most")),
    broken("ears.sequence-bias-sharp", rhs=_sum_of_gains),
    broken("ears.sequence-bias-sharp", instances=_some_text, assumes={}),
    broken(
        "ears.sequence-bias.root", rhs=lambda p, q, beta, length: np.array(_root_sides(p, q, beta, 1)[1], dtype=object)
    ),
    broken("ears.sequence-bias.root", rhs=lambda p, q, beta, length: _root_without_a_factor(p, q, beta, length, 2)),
    broken("ears.sequence-bias.root", rhs=lambda p, q, beta, length: _root_without_a_factor(p, q, beta, length, 3)),
    broken("ears.single-threshold", rhs=lambda p, q: np.where(q > 0, np.minimum(1, p / np.where(q > 0, q, 1)), 0)),
    broken(
        "ears.single-threshold",
        rhs=lambda p, q, beta: np.where(q > 0, np.minimum(1, p / np.where(q > 0, q, 1) * (1 + tolerance(p, beta))), 0),
    ),
    broken("ears.beta-zero.residual", lhs=lambda p, q: output_law(ears(F(1, 8)), p, q)),
    broken("ears.beta-zero.fresh-corrected", rhs=lambda p, q: _truth((p == q).all())),
    broken("ears.beta-zero.fresh-corrected", lhs=lambda p, q: _truth(output_tv(ears(0), p, q) == 0)),
    broken("ears.fidelity.fresh-corrected", rhs=lambda p, q: _truth((p == q).all())),
    broken(
        "ears.fidelity.fresh-corrected", rhs=lambda p, q, beta: _truth((p == q).all() or tolerance(p, beta)[0] == 0)
    ),
    broken("ears.fidelity.residual-corrected", rhs=lambda p, q: _truth((p == q).all())),
    broken("ears.fidelity.residual-corrected", rhs=lambda p, beta: _truth(tolerance(p, beta)[0] == 0)),
    broken("ears.fidelity.residual-corrected", rhs=lambda p, q, beta: _truth((p == q).all() or beta == 0)),
    broken("ears.temperature", relation=at_most),
    broken("ears.temperature", rhs=lambda u, b, beta: tolerance(normalise(u**b), beta)[..., 0] * F(9, 8)),
    broken("ears.certain-target", instances=some_step, assumes={}),
    broken("ears.certain-target", rhs=lambda p, q: np.maximum(p, q)),
    broken("ears.support-corrected", rhs=lambda p, q, beta: np.where((p > 0) | (q == 0), 0, np.minimum(1, beta))),
    broken(
        "ears.support-lenience",
        rhs=lambda p, q, factor: np.stack([0 * p.max(), np.minimum(np.maximum(q - p, 0), p / factor).sum(axis=-1)]),
    ),
    broken(
        "ears.support-lenience",
        lhs=lambda p, q, beta: np.stack([np.where(p > 0, 0, ears(beta).accept(p, q)).sum(), 0 * p.max()]),
        rhs=lambda p: np.stack([0 * p.max()] * 2),
    ),
    broken("ears.fidelity.any-residual", rhs=lambda p, q, beta: gain(ears(beta), p, q) * F(9, 8)),
    broken("ears.fidelity.any-residual", rhs=lambda p, q, beta: acceptance_rate(ears(beta), p, q) / 2),
    broken("ears.two-paths", rhs=_unclipped),
    broken("ears.two-paths", rhs=_turned),
]
