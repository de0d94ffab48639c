"""Claims about EARS over more than one token: the length of a block and the bias of whole texts.

One step is in `simspec.claims.ears`, what it gains and pays in `simspec.claims.ears_tradeoff`.
"""

from __future__ import annotations

from fractions import Fraction as F
from functools import partial
from typing import Any

import numpy as np

from simspec.claims.balls import enclose
from simspec.claims.claim import Claim, Evidence, Instance, at_least, at_most, equal
from simspec.claims.data import Data
from simspec.claims.draw import Draw, RealDraw
from simspec.claims.ears import BETA, HALF, pardoned, some_step, tolerance
from simspec.claims.ears_measured import long_texts
from simspec.claims.empirical import rows_for
from simspec.claims.rdk_parts import matrix
from simspec.claims.sd import law
from simspec.laws import Array, exact, overlap
from simspec.logits.bank import MissingPart
from simspec.methods import (
    SD,
    Method,
    acceptance_rate,
    block_length,
    block_outcomes,
    ears,
    output_law,
    text_law,
)
from simspec.methods.sequence import agreement, expected_bias, text_tv
from simspec.studies.intervals import documents

__all__ = ["CLAIMS"]

# --- texts ----------------------------------------------------------------------------------------------------------


def _model(table: Array) -> Any:
    """Markov model from a table whose row 0 stands before the text and row x + 1 after token x."""
    return lambda prefix: table[prefix[-1] + 1 if prefix else 0]


def _step_of(table: Array) -> Array:
    return np.tile(np.arange(1, table.shape[-1] + 1), (len(table), 1))


def _markov(draw: Draw, vocab: int) -> tuple[Array, Array]:
    rows = [draw.pair(vocab) for _ in range(vocab + 1)]
    p, q = (np.stack(laws) for laws in zip(*rows, strict=True))
    return p, q


def _some_text(draw: Draw) -> Instance:
    p, q = _markov(draw, 2)
    return {"p": p, "q": q, "beta": draw.number(*BETA), "length": draw.integer(1, 3), "gamma": draw.integer(1, 2)}


def _block_tv(p: Array, q: Array, beta: Any, length: int, gamma: int) -> Any:
    """TV of the laws of the first `length` tokens: EARS in blocks of gamma drafts, and the target alone."""
    emitted = text_law(ears(beta), _model(p), _model(q), length, gamma)
    wanted = text_law(SD, _model(p), _model(p), length, 0)
    return sum(abs(emitted.get(t, 0) - wanted.get(t, 0)) for t in emitted | wanted) / 2


def _distances(p: Array, q: Array, beta: Any, length: int, gamma: int) -> dict[str, Any]:
    o, step = output_law(ears(beta), p, q), _step_of(p)
    return {
        "shorter": text_tv(p, o, step, 0, length - 1),
        "tv": text_tv(p, o, step, 0, length),
        "block": _block_tv(p, q, beta, length, gamma),
        "apart": 1 - agreement(p, o, step, 0, length),
        "summed": expected_bias(p, o, step, 0, length),
        "most": length * tolerance(p, beta).max(),
    }


def _chain(*names: str) -> Any:
    def side(p: Array, q: Array, beta: Any, length: int, gamma: int) -> Array:
        found = _distances(p, q, beta, length, gamma)
        return np.array([found[n] for n in names], dtype=object)

    return side


_LAST_ONLY: dict[str, Any] = {
    **{"p": matrix("1/2 1/2 0", "1/2 1/2 0", "1/2 1/2 0", "1/2 1/2 0"), "beta": F(1)},
    **{"q": matrix("1/4 1/4 1/2", "1/4 1/4 1/2", "1/4 1/4 1/2", "1/4 1/4 1/2"), "length": 2, "gamma": 1},
}

SEQUENCE = Claim(
    name="ears.sequence-bias",
    kind="bound",
    statement=r"The laws of $T$ tokens under EARS and under the target: $\mathrm{TV}_{T-1} \le \mathrm{TV}_T \le 1 - "
    r"Z_T \le \sum_{t \le T} \mathbb{E}_{\text{target}}[G_t] \le T\, \max_s t_s$, with $Z$ from $Z_t(s) = \sum_x "
    r"\min(p, o)(x \mid s)\, Z_{t+1}(s x)$; $\mathrm{TV}_T \le 1 - Z_T$ for blocks of any $\gamma$ as well",
    reference="EARS, open question 2 (own statement)",
    instances=_some_text,
    lhs=_chain("shorter", "tv", "block", "apart", "summed"),
    rhs=_chain("tv", "apart", "apart", "summed", "most"),
    relation=at_most,
    sources=("exact",),
    tight=({**_LAST_ONLY, "length": 1},),
    corrected_by=("ears.sequence-bias-sharp",),
    evidence=long_texts,
    note="Z is the chance that a token-by-token coupling writes one text: Σ min(ΠP, ΠO) ≥ Σ Π min. It breaks with the "
    "first disagreement, hence the sum. After γ kept drafts a block takes a token from p itself, never less than "
    "min(p, o). Enumerated: two tokens whose laws depend on the one before, T ≤ 3, γ ≤ 2. Per token it is the "
    "acceptance gained.",
)


def _pardons_outside(draw: Draw) -> Instance:
    """Targets that never write the last token, and drafts that lose a share of theirs to it."""
    vocab = draw.integer(2, 3)
    rows = [draw.law(vocab - 1) for _ in range(vocab + 1)]
    p = np.stack([np.append(row, exact([0])) for row in rows])
    lost = exact([[draw.number(0, 1)] for _ in rows])
    last = exact((np.arange(vocab) == vocab - 1).astype(int))
    q = (1 - lost) * p + lost * last
    return {"p": p, "q": q, "beta": draw.number(*BETA), "length": draw.integer(1, 3)}


FOREIGN = "only tokens that the target never writes are pardoned"

SEQUENCE_SHARP = Claim(
    name="ears.sequence-bias-sharp",
    kind="identity",
    statement=r"Where only tokens with $p_x = 0$ are pardoned, $\mathrm{TV}_T = 1 - Z_T = 1 - "
    r"\mathbb{E}_{\text{target}} \prod_t \min(1, o/p)$: the bound is the truth for every $T$, and nothing cancels",
    reference="own statement: ears.sequence-bias is sharp",
    instances=_pardons_outside,
    assumes={FOREIGN: lambda p, q, beta: bool((np.where(p > 0, pardoned(p, q, beta), 0) == 0).all())},
    lhs=lambda p, q, beta, length: text_tv(p, output_law(ears(beta), p, q), _step_of(p), 0, length),
    rhs=lambda p, q, beta, length: 1 - agreement(p, output_law(ears(beta), p, q), _step_of(p), 0, length),
    relation=equal,
    sources=("exact",),
    outside={FOREIGN: {"p": matrix(*["1/2 1/2"] * 3), "q": matrix(*["3/4 1/4"] * 3), "beta": F(1), "length": 2}},
    note="Then o ≤ p wherever p > 0, so on every text the target can write the product of the smaller factors is the "
    "smaller product. Elsewhere biases of different tokens partly cancel in a text, and TV grows more slowly than 1 − "
    "Z.",
)


def _shared_roots(p: Array, q: Array, beta: Any) -> tuple[Array, Array]:
    """Emitted laws, and √(p o) as balls."""
    o = output_law(ears(beta), p, q)
    return o, np.sqrt(enclose(p * o))


def _bhattacharyya(roots: Array, length: int) -> Any:
    """Σ √(P O) over all texts from the start, by backward recursion over the states."""
    after = enclose(exact(np.ones(len(roots), dtype=int)))
    for _ in range(length):
        after = (roots * after[_step_of(roots)]).sum(axis=-1)
    return after[0]


def _root_sides(p: Array, q: Array, beta: Any, length: int) -> tuple[list[Any], list[Any]]:
    o, roots = _shared_roots(p, q, beta)
    far, whole = text_tv(p, o, _step_of(p), 0, length), _bhattacharyya(roots, length)
    step = min(roots.sum(axis=-1).tolist(), key=float)
    power = 1 - step ** (2 * length)
    smaller = [1 - whole, enclose(far) ** 2, 1 - whole**2, power]
    return smaller, [enclose(far), 1 - whole**2, power, 2 * length * (1 - step)]


SEQUENCE_ROOT = Claim(
    name="ears.sequence-bias.root",
    kind="bound",
    statement=r"$1 - B_T \le \mathrm{TV}_T \le \sqrt{1 - B_T^2} \le \sqrt{1 - b^{2T}} \le \sqrt{2 T (1 - b)}$, with "
    r"$B_T$ the sum of $\sqrt{P O}$ over texts and $b$ the least $\sum_x \sqrt{p_x o_x}$ of any state: the bias of a "
    r"text grows at most like $\sqrt T$",
    reference="own statement, beside ears.sequence-bias",
    instances=_some_text,
    lhs=lambda p, q, beta, length: np.array(_root_sides(p, q, beta, length)[0], dtype=object),
    rhs=lambda p, q, beta, length: np.array(_root_sides(p, q, beta, length)[1], dtype=object),
    relation=at_most,
    sources=("exact",),
    tight=({**_LAST_ONLY, "beta": F(0)},),
    note="Le Cam's inequalities for the two text laws; their root overlap is a product along the text, so B_T ≥ b^T. "
    "Where o/p is bounded 1 − b is of the order of G², and √T growth is far below T G: biases of different tokens "
    "partly cancel in a text. Where tokens with p = 0 are pardoned it is of the order of G, and 1 − Z is the better "
    "bound (ears.sequence-bias-sharp). In ball arithmetic; all but the first part squared.",
)

# --- the length of a block ------------------------------------------------------------------------------------------


def _mean_tokens(method: Method, p: Array, q: Array, gamma: int, by_position: bool = False) -> Any:
    """Mean tokens of a block: every outcome enumerated; for batches of floats, where one law serves all steps, the sum."""
    if p.ndim == 2 and p.dtype != object:
        return block_length(np.minimum(acceptance_rate(method, p, q), 1), gamma)

    def model(table: Array) -> Any:
        if table.ndim == 1:
            return lambda prefix: table
        return (lambda prefix: table[len(prefix)]) if by_position else _model(table)

    outcomes = block_outcomes(method, model(p), model(q), (), gamma)
    return sum(o.probability * len(o.tokens) for o in outcomes)


def _ratio(extra: int, by_position: bool = False) -> Any:
    """EARS's tokens per call over those of speculative decoding, at γ + extra."""

    def side(p: Array, q: Array, beta: Any, gamma: int) -> Any:
        some = [_mean_tokens(m, p, q, gamma + extra, by_position) for m in (ears(beta), SD)]
        return some[0] / some[1]

    return side


def _same_rates(p: Array, q: Array, beta: Any) -> bool:
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
    bank, rows = data.main, rows_for(data, 24, 64, 100_000)
    draw = RealDraw(bank, data.seed, rows)
    try:
        p, q = draw.pair(bank.vocab)
    except MissingPart:  # a bank without a draft has nothing to measure
        return []
    model, document = bank.provenance["models"]["target"]["name"], np.asarray(bank.documents)[draw.rows]
    plain, found = overlap(p, q), []
    for beta in BETAS:
        rates = np.minimum(plain + pardoned(p, q, beta).sum(axis=-1), 1)
        for gamma in GAMMAS:
            lengths = [block_length(np.minimum(r, 1), gamma).mean() for r in (rates, plain)]
            label = f"{data.describe(bank, draw.rows)}: β = {beta:g}, γ = {gamma}, tokens per call over those of SD"
            control = {"one context for the whole block": float(lengths[0] / lengths[1]), "speculative decoding": 1.0}
            ratio = documents(np.column_stack([rates, plain]), document, statistic=partial(_over_plain, gamma=gamma))
            found.append(Evidence(label, model, len(p), ratio.estimate, (ratio.low, ratio.high), ratio.level, control))
    return found


def _over_plain(rates: Array, gamma: int) -> Array:
    ears_rate, plain = (np.clip(rates[..., i], 0, 1) for i in (0, 1))
    return block_length(ears_rate, gamma) / block_length(plain, gamma)


SAME = "acceptance is the same at every step"

GAMMA_SCALING = Claim(
    name="ears.gamma-scaling",
    kind="bound",
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
)


def _per_position(draw: Draw) -> Instance:
    vocab, gamma = 2, draw.integer(0, 2)
    p, q = (np.stack(laws) for laws in zip(*(draw.pair(vocab) for _ in range(gamma + 2)), strict=True))
    return {"p": p, "q": q, "beta": draw.number(*BETA), "gamma": gamma, "tokens_matter": False}


BY_POSITION = "laws depend on the position in the block, not on its tokens"

GAMMA_SCALING_SHARP = Claim(
    name="ears.gamma-scaling-sharp",
    kind="bound",
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
)


def _any_context(draw: Draw) -> Instance:
    p, q = _markov(draw, 2)
    return {"p": p, "q": q, "beta": draw.number(*BETA), "gamma": draw.integer(0, 3)}


LONGER = Claim(
    name="ears.gamma-scaling.longer",
    kind="bound",
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
)

CLAIMS = (SEQUENCE, SEQUENCE_SHARP, SEQUENCE_ROOT, GAMMA_SCALING, GAMMA_SCALING_SHARP, LONGER)
