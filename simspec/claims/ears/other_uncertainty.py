"""At equal mean bias, some other signal of uncertainty gives more acceptance than one minus the largest probability.

`ears.other-uncertainty`, with its readings, its correction and its sharper form: EARS, open question 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, identity, law, matrix
from simspec.claims.claim import Printed
from simspec.claims.ears.parts import BETA, fresh_ears, some_step, tolerance
from simspec.claims.measured import Data, Evidence, rows_for
from simspec.laws import Scalar, overlap, tv
from simspec.logits.bank import MissingPart
from simspec.methods import Method, acceptance_rate, ears, fresh, mean_acceptance_length, normalised_entropy, variance
from simspec.methods import tv as output_tv
from simspec.studies.ears.real import Signal, uncertainty_table

Rates = Callable[..., Any]


def _signal(u: Array) -> Method:
    """EARS with the tolerance of each context given."""
    return ears(1, lambda p: u)


def _fresh_signal(u: Array) -> Method:
    return replace(_signal(u), residual=fresh)


def _gained(p: Array, q: Array, t: Scalar) -> Any:
    """Acceptance gained in one context at tolerance t."""
    return np.minimum(np.maximum(q - p, 0), t * q).sum()


def _paid(p: Array, q: Array, gained: Scalar, again: bool) -> Any:
    """Bias in one context that gained so much; `again`: after a rejection a fresh draw."""
    overlap_mass = np.minimum(p, q)
    extra = np.maximum(overlap_mass - (overlap_mass.sum() + gained) * p, 0).sum() if again else 0
    return gained + extra


def _invert(f: Callable[[Any], Any], breaks: list[Any], value: Scalar) -> Any:
    """Where a non-decreasing function that is linear between the breaks takes a value."""
    ends = sorted(breaks)
    low = ends[0]
    a = f(ends[0])
    for high in ends[1:]:
        b = f(high)
        if value <= b and b > a:
            return low + (high - low) * (value - a) / (b - a)
        low = high
        a = b
    return low


def _tolerance_for(p: Array, q: Array, paid: Scalar, again: bool) -> Any:
    """The tolerance at which one context has a given bias."""
    overlap_mass = np.minimum(p, q)
    largest_bias = np.maximum(q - p, 0).sum()
    kinks = [m / x - overlap_mass.sum() for m, x in zip(overlap_mass, p, strict=True) if x]
    gained = _invert(
        lambda g: _paid(p, q, g, again), [F(0), largest_bias, *(k for k in kinks if 0 < k < largest_bias)], paid
    )
    caps = [1 - x / y for x, y in zip(p, q, strict=True) if y > x]
    return _invert(lambda t: _gained(p, q, t), [F(0), F(1), *caps], gained)


def _two_signals(again: bool) -> Callable[[Draw], Instance]:
    """Two contexts, EARS, and a signal that moves bias from one to the other and leaves its mean as it is."""

    def instances(draw: Draw) -> Instance:
        """Draw an instance: laws p and q (2, n), the tolerance β, and the other signal u (2,)."""
        n = draw.integer(2, 3)
        p, q = (np.stack([draw.law(n) for _ in range(2)]) for _ in range(2))
        beta = draw.number(F(1, 8), BETA[1])
        share = draw.number(F(1, 4), 1)
        old = [tolerance(x, beta)[0] for x in p]
        paid = [_paid(x, y, _gained(x, y, t), again) for x, y, t in zip(p, q, old, strict=True)]
        least_bias = [_paid(x, y, F(0), again) for x, y in zip(p, q, strict=True)]
        largest_bias = tv(p, q)
        # bias moves between a context's least (tolerance 0) and largest (every draft accepted), the way that allows more
        there = min(paid[0] - least_bias[0], largest_bias[1] - paid[1])
        back = min(paid[1] - least_bias[1], largest_bias[0] - paid[0])
        moved_bias = share * there if there >= back else -share * back
        new = [
            _tolerance_for(x, y, v, again)
            for x, y, v in zip(p, q, (paid[0] - moved_bias, paid[1] + moved_bias), strict=True)
        ]
        return {"p": p, "q": q, "beta": beta, "u": np.array(new, dtype=object)}

    return instances


EQUAL_TV = "both signals have the same mean TV"
OTHER = "the other signal gains something else than 1 − max p in some context"
VARIANCE = "the other signal is the variance, scaled"


def _same_mean(plain: Callable[[Any], Method], other_rule: Callable[[Array], Method]) -> Callable[..., bool]:
    return lambda p, q, beta, u: bool(output_tv(plain(beta), p, q).sum() == output_tv(other_rule(u), p, q).sum())


def _another(p: Array, q: Array, beta: Scalar, u: Array) -> bool:
    return bool((acceptance_rate(ears(beta), p, q) != acceptance_rate(_signal(u), p, q)).any())


def _more(p: Array, q: Array, beta: Scalar, u: Array) -> Any:
    return F(int(acceptance_rate(_signal(u), p, q).sum() > acceptance_rate(ears(beta), p, q).sum()))


def _some_more(p: Array, q: Array, beta: Scalar, u: Array) -> Any:
    """1 if some signal of EARS's mean TV gives more acceptance: u, or one that spends all it can in the first context."""
    total = output_tv(ears(beta), p, q).sum()
    there = min(total, tv(p[0], q[0]))
    first = [_tolerance_for(x, y, v, False) for x, y, v in zip(p, q, (there, total - there), strict=True)]
    return max(_more(p, q, beta, signal) for signal in (u, np.array(first, dtype=object)))


_PAIRS: dict[str, Any] = {"p": matrix("1/2 1/2 0", "1/4 3/4 0"), "q": matrix("0 0 1", "0 0 1"), "beta": F(1)}
_CONTEXTS: dict[str, Any] = {"p": matrix("1/2 1/2 0", "1 0 0"), "q": matrix("1 0 0", "0 1 0"), "beta": F(1)}

_FULL: dict[str, Any] = {"p": matrix("3/4 1/4", "1/2 1/2"), "q": matrix("1/4 3/4", "1/4 3/4"), "beta": F(1, 10)}
_FULL["u"] = law("1/20", "1/40")


@lru_cache(maxsize=4)
def _table(data: Data) -> list[Signal]:
    return uncertainty_table(data.main, beta=0.1, limit=rows_for(data, 12, 24, 10_000))


def _measured(reading: str) -> Callable[[Data], list[Evidence]]:
    """Three signals on a bank at the mean TV of EARS with β = 0.1."""

    def evidence(data: Data) -> list[Evidence]:
        """Return the mean acceptance with each signal; nothing for a bank without a draft."""
        try:
            found = [row for row in _table(data) if row.reading == reading]
        except MissingPart:  # a bank without a draft has nothing to measure
            return []
        rows = np.arange(data.main.contexts)[: rows_for(data, 12, 24, 10_000)]
        label = data.describe(data.main, rows)
        model = data.main.provenance["models"]["target"]["name"]
        # the first row of a reading is the paper's signal, 1 − max p: the others are compared with it
        return [
            Evidence(
                f"{label}: {row.uncertainty} at β = {row.beta:.3g}, mean acceptance",
                model,
                len(rows),
                row.acceptance,
                control={"mean TV": row.tv, "mean KL(output ‖ p)": row.kl, "1 − max p": found[0].acceptance},
            )
            for row in found
        ]

    return evidence


def _any_signal(draw: Draw) -> Instance:
    """Contexts and the tolerances of any other signal: entropy on floats, variance or anything on fractions."""
    if draw.exact:
        n = draw.vocab()
        p, q = (np.stack(laws) for laws in zip(*(draw.pair(n) for _ in range(2)), strict=True))
        scale = draw.number(*BETA)
        free = np.array([draw.number(0, 1) for _ in p], dtype=object)
        return {"p": p, "q": q, "beta": draw.number(*BETA), "u": scale * variance(p) if draw.integer(0, 1) else free}
    step = some_step(draw, rows=16)
    return {**step, "u": draw.number(*BETA) * normalised_entropy(step["p"])}


def _mean(f: Rates, method: Method, p: Array, q: Array) -> Any:
    return f(method, p, q).sum() / len(p)


OTHER_UNCERTAINTY = bound(
    name="ears.other-uncertainty",
    statement=r"At equal mean $\mathrm{TV}(\text{output}, p)$ over contexts, some other uncertainty signal (entropy, "
    r"variance, any function of $p$) gives more acceptance than $1 - \max p$ (rejected: the residual)",
    reference="EARS, open question 1",
    instances=_two_signals(False),
    assumes={EQUAL_TV: _same_mean(ears, _signal), OTHER: _another},
    lhs=_some_more,
    rhs=lambda p: F(1),
    relation=at_least,
    sources=("exact",),
    outside={EQUAL_TV: {**_PAIRS, "u": law(0, 0)}, OTHER: {**_PAIRS, "u": law("1/2", "1/4")}},
    within=(_FULL,),
    corrected_by=("ears.other-uncertainty-corrected", "ears.other-uncertainty.throughput"),
    evidence=_measured("residual"),
    note="Left: 1 if some signal gives more: the one shown, or one that spends all it can in the first context. None can: TV is "
    "the acceptance gained, context by context, so equal mean TV is equal mean acceptance "
    "(ears.other-uncertainty-corrected). A signal decides only which contexts and tokens carry the bias, and with it how many "
    "tokens a call has: ears.other-uncertainty.throughput.",
    printed=Printed(
        place="EARS, open question 1",
        text="Can distribution entropy or variance provide a more optimal tolerance signal than the "
        "1-max(P_target) approximation?",
        read="More optimal: more acceptance at the same bias, or more tokens per call.",
    ),
)

_VARIANCE_MORE: dict[str, Any] = {"p": matrix("3/4 1/4", "1/2 1/2"), "q": matrix("1 0", "1 0"), "beta": F(1, 2)}
_VARIANCE_LESS: dict[str, Any] = {"p": matrix("1/2 1/2", "1/4 3/4"), "q": matrix("1 0", "2/3 1/3"), "beta": F(1)}


def _variance_pairs(draw: Draw) -> Instance:
    """Two contexts in which the variance, at the same mean bias, gives more acceptance, or two in which it gives less."""
    gains_more = draw.integer(0, 1) == 1
    contexts, scale = (_VARIANCE_MORE, F(5, 11)) if gains_more else (_VARIANCE_LESS, F(6, 7))
    return {**contexts, "u": scale * variance(contexts["p"]), "more": gains_more}


def _by_variance(p: Array, u: Array) -> bool:
    return bool((u * variance(p)[::-1] == u[::-1] * variance(p)).all())


def _as_said(p: Array, q: Array, beta: Scalar, u: Array, more: bool) -> Any:
    gained = acceptance_rate(_fresh_signal(u), p, q).sum() - acceptance_rate(fresh_ears(beta), p, q).sum()
    return F(int(gained > 0 if more else gained < 0))


OTHER_UNCERTAINTY_CORRECTED = identity(
    name="ears.other-uncertainty-corrected",
    statement=r"For any two signals and any contexts, mean acceptance differs by exactly what mean "
    r"$\mathrm{TV}(\text{output}, p)$ differs: at equal TV every signal gives the same acceptance (rejected: the "
    r"residual)",
    reference="correction of EARS, open question 1",
    instances=_any_signal,
    lhs=lambda p, q, beta, u: _mean(acceptance_rate, _signal(u), p, q) - _mean(acceptance_rate, ears(beta), p, q),
    rhs=lambda p, q, beta, u: _mean(output_tv, _signal(u), p, q) - _mean(output_tv, ears(beta), p, q),
    note="In each context α = α_SD + TV (ears.bias.residual), and α_SD does not depend on the signal.",
    broken=[
        broken("the bias of the other signal only", rhs=lambda p, q, u: output_tv(_signal(u), p, q).sum() / len(p)),
        broken(
            "a fresh draw in place of the residual",
            rhs=lambda p, q, beta, u: (
                (output_tv(_fresh_signal(u), p, q).sum() - output_tv(fresh_ears(beta), p, q).sum()) / len(p)
            ),
        ),
    ],
)


OTHER_UNCERTAINTY_FRESH = bound(
    name="ears.other-uncertainty.fresh",
    statement=r"In the other reading (rejected: a fresh draw), at equal mean $\mathrm{TV}(\text{output}, p)$ over "
    r"contexts another uncertainty signal can give more acceptance than $1 - \max p$: the variance gives more in some "
    r"contexts, and less in others",
    reference="EARS, open question 1, with step 6 read as a fresh draw",
    instances=_variance_pairs,
    assumes={EQUAL_TV: _same_mean(fresh_ears, _fresh_signal), VARIANCE: _by_variance},
    lhs=_as_said,
    rhs=lambda p: F(1),
    relation=at_least,
    sources=("exact",),
    tight=(
        {**_VARIANCE_MORE, "u": F(5, 11) * variance(_VARIANCE_MORE["p"]), "more": True},
        {**_VARIANCE_LESS, "u": F(6, 7) * variance(_VARIANCE_LESS["p"]), "more": False},
    ),
    outside={
        EQUAL_TV: {**_VARIANCE_MORE, "u": F(1, 11) * variance(_VARIANCE_MORE["p"]), "more": True},
        VARIANCE: {**_VARIANCE_MORE, "u": law("1/8", "1/4"), "more": True},
    },
    corrected_by=("ears.other-uncertainty.fresh-sharp",),
    evidence=_measured("fresh"),
    note="Left: 1 if it gives more (or less), for two exact pairs of contexts, one of each kind. Bias is cheapest in "
    "contexts where keeping more also spares fresh draws, and a signal that spends it there gains acceptance; which "
    "contexts those are depends on the drafts, so no signal is the best everywhere.",
    broken=[
        broken("the two orders are exchanged", lhs=lambda p, q, beta, u, more: _as_said(p, q, beta, u, not more)),
        broken("the gain alone, without the comparison", assumes={}, lhs=lambda p, q, beta, u: _more(p, q, beta, u)),
    ],
)

OTHER_UNCERTAINTY_FRESH_SHARP = bound(
    name="ears.other-uncertainty.fresh-sharp",
    statement=r"At equal mean $\mathrm{TV}(\text{output}, p)$ over contexts, the mean acceptance of two signals "
    r"differs by at most the mean of $\alpha_{\mathrm{SD}}(1 - \alpha_{\mathrm{SD}})$, at most $\frac14$ (rejected: a "
    r"fresh draw)",
    reference="own statement: how much more, beside ears.other-uncertainty.fresh",
    instances=_two_signals(True),
    assumes={EQUAL_TV: _same_mean(fresh_ears, _fresh_signal)},
    lhs=lambda p, q, beta, u: abs(_mean(acceptance_rate, _signal(u), p, q) - _mean(acceptance_rate, ears(beta), p, q)),
    rhs=lambda p, q: (overlap(p, q) * tv(p, q)).sum() / len(p),
    sources=("exact",),
    tight=({**_CONTEXTS, "u": law(0, "1/4")},),
    outside={EQUAL_TV: {**_PAIRS, "u": law(0, 0)}},
    note="In each context TV = G + W with 0 ≤ W = Σ(min(p, q) − κp)₊ ≤ α_SD(1 − α_SD) (ears.bias.fresh): equal mean "
    "TV leaves mean G the room of mean W. It is used up where one context turns rejections into acceptance and the "
    "other has no overlap.",
    broken=[
        broken("a sixteenth of overlap times TV", rhs=lambda p, q: (overlap(p, q) * tv(p, q)).sum() / len(p) / 16),
        broken("zero", rhs=lambda p: F(0)),
    ],
)


def _rates(method: Method, p: Array, q: Array, gamma: int) -> Any:
    """Mean tokens per call when a context's law serves a whole block."""
    return sum(mean_acceptance_length(a, gamma) for a in acceptance_rate(method, p, q)) / len(p)


def _to_the_better(draw: Draw) -> Instance:
    """Two contexts, the one with more acceptance under EARS first, and a signal that moves bias to that one."""
    n = draw.integer(2, 3)
    beta = draw.number(F(1, 8), BETA[1])
    share = draw.number(F(1, 4), 1)
    pairs = sorted(((draw.law(n), draw.law(n)) for _ in range(2)), key=lambda pair: -acceptance_rate(ears(beta), *pair))
    p, q = (np.stack(laws) for laws in zip(*pairs, strict=True))
    paid = output_tv(ears(beta), p, q)
    largest_bias = tv(p, q)
    moved_bias = share * min(largest_bias[0] - paid[0], paid[1])
    u = [
        _tolerance_for(x, y, v, False)
        for x, y, v in zip(p, q, (paid[0] + moved_bias, paid[1] - moved_bias), strict=True)
    ]
    return {"p": p, "q": q, "beta": beta, "u": np.array(u, dtype=object), "gamma": draw.integer(2, 4)}


def _first_is_better(p: Array, q: Array, beta: Scalar) -> bool:
    rates = acceptance_rate(ears(beta), p, q)
    return bool(rates[0] >= rates[1])


def _to_the_first(p: Array, q: Array, beta: Scalar, u: Array) -> bool:
    return bool(acceptance_rate(_signal(u), p, q)[0] >= acceptance_rate(ears(beta), p, q)[0])


def _gained_tokens(p: Array, q: Array, beta: Scalar, u: Array) -> Any:
    """ε (a − b + ε): what two drafts a block gain when ε of acceptance moves from rate b to rate a."""
    a, b = acceptance_rate(ears(beta), p, q)
    moved_acceptance = acceptance_rate(_signal(u), p, q)[0] - a
    return moved_acceptance * (a - b + moved_acceptance)


SAME_TV = "both signals have the same mean TV, which is the same mean acceptance"
FIRST = "the first context has at least as much acceptance"
THERE = "the other signal moves acceptance to the first context"
_BETTER = ("1/2 1/2 0", "1/2 0 1/2")
_WORSE = ("3/4 1/4 0", "0 0 1")


def _uneven(*pairs: tuple[str, str], u: tuple[str, str], gamma: int = 2) -> dict[str, Any]:
    """Two contexts by hand, their tolerances under the other signal, β = 1: EARS accepts 3/4 and 1/4."""
    p, q = (matrix(*rows) for rows in zip(*pairs, strict=True))
    return {"p": p, "q": q, "beta": F(1), "u": law(*u), "gamma": gamma}


def _gained_either_way(p: Array, q: Array, beta: Scalar, u: Array) -> Any:
    """Tokens per call gained by a signal that moves acceptance either way."""
    return _rates(_signal(u), p, q, 2) - _rates(ears(beta), p, q, 2)


THROUGHPUT = bound(
    name="ears.other-uncertainty.throughput",
    statement=r"At equal mean TV and equal mean acceptance some signal gives more tokens per call than $1 - \max p$: moving "
    r"$\varepsilon$ of acceptance to the one of two contexts that has more of it, $a \ge b$, adds at least $\varepsilon (a - b + "
    r"\varepsilon)$ to the mean tokens per call, $\gamma \ge 2$ (rejected: the residual; a context's law serves a whole block)",
    reference="EARS, open question 1, read for throughput",
    instances=_to_the_better,
    assumes={SAME_TV: _same_mean(ears, _signal), FIRST: _first_is_better, THERE: _to_the_first},
    lhs=lambda p, q, beta, u, gamma: _rates(_signal(u), p, q, gamma) - _rates(ears(beta), p, q, gamma),
    rhs=_gained_tokens,
    relation=at_least,
    sources=("exact",),
    tight=(_uneven(_BETTER, _WORSE, u=("3/4", "1/8")),),
    outside={
        SAME_TV: _uneven(_BETTER, _WORSE, u=("3/4", "0")),
        FIRST: _uneven(_WORSE, _BETTER, u=("3/8", "1/4"), gamma=3),
        THERE: _uneven(_BETTER, _WORSE, u=("1/4", "3/8"), gamma=3),
    },
    note="Tokens per call are a convex function of the acceptance of a context, so it pays to gain where most is "
    "accepted already. "
    "1 − max p does the reverse where drafts are worst. With two drafts a block it is exactly that, with more of them more.",
    broken=[
        broken("twice the gain", rhs=lambda p, q, beta, u: 2 * _gained_tokens(p, q, beta, u)),
        broken(
            "signals that move acceptance either way",
            assumes={},
            instances=_two_signals(False),
            rhs=lambda: F(0),
            lhs=_gained_either_way,
        ),
    ],
)

TOKENS = identity(
    name="ears.other-uncertainty.same-tokens",
    statement="At equal mean TV and equal mean acceptance tokens per call are equal (rejected: the residual; a "
    "context's law serves a "
    "whole block)",
    reference="EARS, open question 1, read for throughput",
    instances=_to_the_better,
    assumes={SAME_TV: _same_mean(ears, _signal)},
    lhs=lambda p, q, u, gamma: _rates(_signal(u), p, q, gamma),
    rhs=lambda p, q, beta, gamma: _rates(ears(beta), p, q, gamma),
    sources=("exact",),
    outside={SAME_TV: _uneven(_BETTER, _WORSE, u=("0", "0"))},
    within=({**_FULL, "gamma": 5},),
    corrected_by=("ears.other-uncertainty.throughput",),
    note="Equal for one draft a block only. Which contexts carry the bias decides it.",
)
