"""The gain of EARS in tokens per target step rises with the number of drafts.

`ears.gamma-scaling`, with its readings and its sharper form.

EARS, next check 2 (“compounds benefits with longer drafts”).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, at_least, bound, broken, law, matrix
from simspec.claims.claim import Evidence, Printed
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import rows_for
from simspec.claims.draw import RealDraw
from simspec.claims.ears.parts import BETA, HALF, markov_tables, pardoned, some_step
from simspec.claims.texts import markov
from simspec.engine.estimates.intervals import documents
from simspec.laws import Scalar, overlap
from simspec.logits.bank import MissingPart
from simspec.methods import SD, Method, acceptance_rate, block_outcomes, ears, mean_acceptance_length


def _mean_tokens(method: Method, p: Array, q: Array, gamma: int, by_position: bool = False) -> Any:
    """Mean tokens of a block: every outcome enumerated; for batches of floats, where one law serves all steps, the sum."""
    if p.ndim == 2 and p.dtype != object:
        return mean_acceptance_length(np.minimum(acceptance_rate(method, p, q), 1), gamma)

    def model(table: Array) -> Any:
        if table.ndim == 1:
            return lambda prefix: table
        return (lambda prefix: table[len(prefix)]) if by_position else markov(table)

    outcomes = block_outcomes(method, model(p), model(q), (), gamma)
    return sum(o.probability * len(o.tokens) for o in outcomes)


def _ratio(extra: int, by_position: bool = False) -> Any:
    """EARS's tokens per call over those of speculative decoding, at γ + extra."""

    def side(p: Array, q: Array, beta: Scalar, gamma: int) -> Any:
        some = [_mean_tokens(m, p, q, gamma + extra, by_position) for m in (ears(beta), SD)]
        return some[0] / some[1]

    return side


def _same_rates(p: Array, q: Array, beta: Scalar) -> bool:
    if p.dtype != object or p.ndim == 1:
        return True
    rates = [acceptance_rate(m, p, q) for m in (SD, ears(beta))]
    return all(bool((r == r[0]).all()) for r in rates)


def _one_law(draw: Draw) -> Instance:
    if not draw.exact:
        return {**some_step(draw), "gamma": draw.integer(0, 20)}
    p, q = draw.pair(draw.integer(2, 3))
    return {"p": p, "q": q, "beta": draw.number(*BETA), "gamma": draw.integer(0, 2)}


_DEAD_END: dict[str, Any] = {
    **{"p": matrix("1/2 1/2 0", "1 0 0", "1 0 0", "1 0 0"), "q": matrix("1/2 0 1/2", "1 0 0", "1 0 0", "0 1 0")},
    **{"beta": F(1), "gamma": 1},
}
"""A pardoned token after which every draft is rejected."""

BETAS = (0.0, 0.05, 0.1, 0.15, 0.2)
GAMMAS = (1, 3, 5, 10, 20)


def _measured_ratios(data: Data) -> list[Evidence]:
    """Tokens per call over those of SD on a bank: acceptance independent at every step, and one context all block long."""
    bank = data.main
    rows = rows_for(data, 24, 64, 100_000)
    draw = RealDraw(bank, data.seed, rows)
    try:
        p, q = draw.pair(bank.vocab)
    except MissingPart:  # a bank without a draft has nothing to measure
        return []
    model = bank.provenance["models"]["target"]["name"]
    document = np.asarray(bank.documents)[draw.rows]
    plain = overlap(p, q)
    evidence = []
    for beta in BETAS:
        rates = np.minimum(plain + pardoned(p, q, beta).sum(axis=-1), 1)
        for gamma in GAMMAS:
            lengths = [mean_acceptance_length(np.minimum(r, 1), gamma).mean() for r in (rates, plain)]
            label = f"{data.describe(bank, draw.rows)}: β = {beta:g}, γ = {gamma}, tokens per call over those of SD"
            control = {"one context for the whole block": float(lengths[0] / lengths[1]), "speculative decoding": 1.0}
            ratio = documents(np.column_stack([rates, plain]), document, statistic=partial(_over_plain, gamma=gamma))
            evidence.append(
                Evidence(label, model, len(p), ratio.estimate, (ratio.low, ratio.high), ratio.level, control)
            )
    return evidence


def _over_plain(rates: Array, gamma: int) -> Array:
    ears_rate, plain = (np.clip(rates[..., i], 0, 1) for i in (0, 1))
    return mean_acceptance_length(ears_rate, gamma) / mean_acceptance_length(plain, gamma)


SAME = "acceptance is the same at every step"

GAMMA_SCALING = bound(
    name="ears.gamma-scaling",
    statement=r"With the same acceptance at every step, the ratio of EARS's tokens per target call to those of "
    r"speculative decoding is non-decreasing in $\gamma$",
    reference="EARS, next check 2 (“compounds benefits with longer drafts”)",
    instances=_one_law,
    assumes={SAME: _same_rates},
    lhs=_ratio(1),
    rhs=_ratio(0),
    relation=at_least,
    tight=({"p": HALF, "q": law(1, 0), "beta": F(0), "gamma": 1},),
    outside={SAME: _DEAD_END},
    corrected_by=("ears.gamma-scaling-sharp",),
    evidence=_measured_ratios,
    note="One draft more adds a'^(γ+1) above and a^(γ+1) below: their ratio (a'/a)^(γ+1) is at least each (a'/a)^i "
    "before, so it raises the quotient of the sums. Where a pardoned token leads to contexts with worse drafts the "
    "ratio can fall: contexts differ, and only those with high acceptance reach far into a long block.",
    printed=Printed(
        place="EARS, next check 2",
        text="whether uncertainty-aware mechanism compounds benefits with longer drafts",
        read="The ratio of tokens per target call, at the same acceptance in every step, rises with the "
        "length of drafts.",
    ),
    broken=[
        broken("the two lengths are exchanged", lhs=_ratio(0), rhs=_ratio(1)),
        Broken(
            "contexts outside the assumption", lambda _: {"instances": _any_context, "assumes": {}, "rhs": _ratio(2)}
        ),
    ],
)


def _per_position(draw: Draw) -> Instance:
    vocab = 2
    gamma = draw.integer(0, 2)
    p, q = (np.stack(laws) for laws in zip(*(draw.pair(vocab) for _ in range(gamma + 2)), strict=True))
    return {"p": p, "q": q, "beta": draw.number(*BETA), "gamma": gamma, "tokens_matter": False}


BY_POSITION = "laws depend on the position in the block, not on its tokens"

GAMMA_SCALING_SHARP = bound(
    name="ears.gamma-scaling-sharp",
    statement=r"The ratio is non-decreasing in $\gamma$ as soon as acceptance does not depend on the accepted tokens, "
    r"however it varies with the position",
    reference="own statement, weakening the assumption of ears.gamma-scaling",
    instances=_per_position,
    assumes={BY_POSITION: lambda tokens_matter: not tokens_matter},
    lhs=lambda p, q, beta, gamma, tokens_matter: _ratio(1, not tokens_matter)(p, q, beta, gamma),
    rhs=lambda p, q, beta, gamma, tokens_matter: _ratio(0, not tokens_matter)(p, q, beta, gamma),
    relation=at_least,
    sources=("exact",),
    tight=(
        {
            "p": matrix("1 0", "1 0", "1 0"),
            "q": matrix("1 0", "1 0", "1 0"),
            **{"beta": F(1), "gamma": 1, "tokens_matter": False},
        },
    ),
    outside={BY_POSITION: {**_DEAD_END, "tokens_matter": True}},
    note="The chance that i drafts are kept is Π a'_j against Π a_j, with a quotient that grows with i since a'_j ≥ "
    "a_j.",
    broken=[
        broken(
            "the mean with the bonus token, over γ + 1",
            lhs=lambda p, q, beta, gamma: _mean_tokens(SD, p, q, gamma + 1, True) / (gamma + 1),
        )
    ],
)


def _any_context(draw: Draw) -> Instance:
    p, q = markov_tables(draw, 2)
    return {"p": p, "q": q, "beta": draw.number(*BETA), "gamma": draw.integer(0, 3)}


LONGER = bound(
    name="ears.gamma-scaling.longer",
    statement="However acceptance depends on the accepted tokens, a block of EARS has at least as many tokens in the "
    "mean as one of speculative decoding",
    reference="own statement: what is left of EARS, next check 2, without its assumption",
    instances=_any_context,
    lhs=lambda p, q, beta, gamma: _mean_tokens(ears(beta), p, q, gamma),
    rhs=lambda p, q, gamma: _mean_tokens(SD, p, q, gamma),
    relation=at_least,
    sources=("exact",),
    tight=({**_DEAD_END, "beta": F(0)},),
    note="Each prefix of drafts is kept with the product of its kept masses, and EARS keeps at least min(p, q) of "
    "each token.",
    broken=[
        broken("1/99 token less", lhs=lambda p, q, gamma: _mean_tokens(SD, p, q, gamma) - F(1, 99)),
        broken("one draft too many", rhs=lambda p, q, gamma: _mean_tokens(SD, p, q, gamma + 1)),
    ],
)
