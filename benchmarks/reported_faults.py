"""Another held-out list of faulty samplers, each of a kind that stands in public reports or is easily made.

It was written after the diagnosis had been changed for the misses of `benchmarks.fault_list.HELD_OUT`, with the part that is
wrong in each, and committed before an audit named the cause of any.  The samplers are rebuilt from what reports say, not from
their code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.fault_list import Fault
from simspec.audit.adapters.form import drafted, drawn
from simspec.laws import Array, top_k, top_p

__all__ = ["FRESH", "REPORTS", "fault_of_step", "first_refusal", "masses_of", "verified"]

Tokens = NDArray[np.int64]
Generator = np.random.Generator


def masses_of(rows: Array, x: Tokens) -> Array:
    """Masses (n, gamma) of the drafts, row i for draft i."""
    masses: Array = rows[np.arange(x.shape[1]), x]
    return masses


def _divided(a: Array, b: Array) -> Array:
    """a/b; where b is 0, 1 if a is positive, else 0."""
    return np.where(b > 0, a / np.where(b > 0, b, 1), (a > 0) * 1.0)


def _ratio(p: Array, q: Array, x: Tokens) -> Array:
    return _divided(masses_of(p, x), masses_of(q, x))


def _residual(p: Array, q: Array, i: int, x: Tokens) -> Array:
    return np.maximum(p[i] - q[i], 0)


def _last_row(p: Array) -> Array:
    row: Array = p[-1]
    return row


def first_refusal(passes: NDArray[np.bool_]) -> Tokens:
    """How many drafts pass before the first that does not."""
    return np.cumprod(passes, axis=1, dtype=np.int64).sum(axis=1)


def _fallback(weights: Array, row: Array) -> Array:
    """Weights, or a row where nothing is left of them."""
    return weights if weights.sum() > 1e-12 else row


def verified(
    p: Array,
    q: Array,
    n: int,
    rng: Generator,
    *,
    draft: Callable[[Array, int, Generator], Tokens] = drafted,
    chance: Callable[[Array, Array, Tokens], Array] = _ratio,
    count: Callable[[NDArray[np.bool_]], Tokens] = first_refusal,
    recover: Callable[[Array, Array, int, Tokens], Array] = _residual,
    bonus: Callable[[Array], Array] = _last_row,
    finish: Callable[[Tokens, Tokens, NDArray[np.bool_], Tokens, Array, Generator], Tokens] | None = None,
) -> Tokens:
    """Speculative decoding with drafts (n, gamma) at once, of which each step can be exchanged.

    Parameters
    ----------
    draft : (q, n, rng) -> drafts
    chance : (p, q, drafts) -> chances (n, gamma) that they pass; p and q without the last target row
    count : passes (n, gamma) -> how many drafts are accepted
    recover : (p, q, i, drafts) -> weights (V,) of the token after a refusal at place i; p[i] where nothing is left
    bonus : p -> weights (V,) of the token after all drafts
    finish : (tokens, drafts, passes, accepted, p, rng) -> tokens, changed at the end
    """
    gamma = len(q)
    x = draft(q, n, rng)
    passes = rng.random((n, gamma)) < chance(p[:-1], q, x)
    accepted = count(passes)
    tokens = np.full((n, gamma + 1), -1)
    tokens[:, :gamma] = np.where(np.arange(gamma) < accepted[:, None], x, -1)
    for i in range(gamma + 1):
        here = accepted == i
        weights = _fallback(recover(p, q, i, x), p[i]) if i < gamma else bonus(p)
        tokens[here, i] = drawn(weights, rng.random(n))[here]
    return tokens if finish is None else finish(tokens, x, passes, accepted, p, rng)


# --- what drafts come from, and which target is verified ---------------------------------------------------------------


def _from_rounded_logits(q: Array, n: int, rng: Generator) -> Tokens:
    """Logits are even numbers before the softmax."""
    with np.errstate(divide="ignore"):
        weights = np.exp(2 * np.round(np.log(q) / 2))
    return drafted(weights / weights.sum(axis=-1, keepdims=True), n, rng)


def _likelier_of_two(q: Array, n: int, rng: Generator) -> Tokens:
    """Of two candidates the one that the drafter says more often."""
    first = drafted(q, n, rng)
    second = drafted(q, n, rng)
    return np.where(masses_of(q, first) >= masses_of(q, second), first, second)


def _penalised_by_the_one_before(q: Array, n: int, rng: Generator) -> Tokens:
    """A draft is drawn with a third of the mass of the draft before it."""
    x = drafted(q, n, rng)
    for i in range(1, len(q)):
        rows = np.tile(q[i], (n, 1))
        rows[np.arange(n), x[:, i - 1]] /= 3
        x[:, i] = drawn(rows, rng.random(n))
    return x


def _on_other_rows(change: Callable[[Array], Array], **parts: Any) -> Callable[..., Tokens]:
    """The verifier takes changed target rows for the target's."""

    def sampler(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
        rows = change(p)
        return verified(rows / rows.sum(axis=-1, keepdims=True), q, n, rng, **parts)

    return sampler


def _cut_but_the_last(p: Array) -> Array:
    return np.concatenate([top_p(p[:-1], 0.7), p[-1:]]) if len(p) > 1 else p


def _sure_first(p: Array) -> Array:
    return np.concatenate([np.eye(p.shape[1])[[p[0].argmax()]], p[1:]])


def _softmax_over_places(p: Array) -> Array:
    """Each token's masses are divided by their sum over the places, not over the tokens."""
    columns = p.sum(axis=0)
    rows: Array = np.where(columns > 0, p / np.where(columns > 0, columns, 1), 0)
    return rows


def _siblings(p: Array, q: Array, n: int, rng: Generator, *, is_renormalised: bool, is_target_updated: bool) -> Tokens:
    """Two drafts at each place, the second without replacement, by recursive rejection with one of its updates left out."""
    tokens = np.full((n, len(p)), -1)
    for call in range(n):
        for i, row in enumerate(p):
            accepted = -1
            target = row
            weights = q[i].copy() if i < len(q) else np.zeros(len(row))
            for _ in range(2):
                if weights.sum() <= 0:
                    break
                law = weights / weights.sum()
                x = int(drawn(law, rng.random(1))[0])
                reported = law if is_renormalised else q[i]
                if rng.random() * reported[x] < target[x]:
                    accepted = x
                    break
                if is_target_updated:
                    rest = _fallback(np.maximum(target - reported, 0), target)
                    target = rest / rest.sum()
                weights[x] = 0
            if accepted < 0:
                last = np.maximum(row - q[i], 0) if i < len(q) and not is_target_updated else target
                tokens[call, i] = int(drawn(_fallback(last, row), rng.random(1))[0])
                break
            tokens[call, i] = accepted
    return tokens


# --- tests -------------------------------------------------------------------------------------------------------------


def _same_or_ratio(p: Array, q: Array, x: Tokens) -> Array:
    """A draft passes where a token drawn from the target is the same, too."""
    chance: Array = 1 - (1 - masses_of(p, x)) * (1 - np.minimum(_ratio(p, q, x), 1))
    return chance


def _is_likeliest(p: Array, q: Array, x: Tokens) -> Array:
    return (x == p.argmax(axis=1)) * 1.0


def _product_so_far(p: Array, q: Array, x: Tokens) -> Array:
    return np.cumprod(_ratio(p, q, x), axis=1)


def _epsilon(p: Array, q: Array, x: Tokens) -> Array:
    chance: Array = masses_of(p, x) / (masses_of(q, x) + 0.1)
    return chance


def _barker(p: Array, q: Array, x: Tokens) -> Array:
    return _divided(masses_of(p, x), masses_of(p, x) + masses_of(q, x))


def _turned_comparison(p: Array, q: Array, x: Tokens) -> Array:
    return 1 - np.minimum(_ratio(p, q, x), 1)


def _cumulative(p: Array, q: Array, x: Tokens) -> Array:
    return _divided(masses_of(p.cumsum(axis=1), x), masses_of(q, x))


def _capped(p: Array, q: Array, x: Tokens) -> Array:
    return np.minimum(_ratio(p, q, x), 0.8)


# --- tokens after a refusal ----------------------------------------------------------------------------------------------


def _softmax_of_differences(p: Array, q: Array, i: int, x: Tokens) -> Array:
    return np.exp(np.maximum(p[i] - q[i], 0))


def _without_last_token(p: Array, q: Array, i: int, x: Tokens) -> Array:
    weights = _residual(p, q, i, x)
    weights[-1] = 0
    return weights


def _until_one_passes(p: Array, q: Array, i: int, x: Tokens) -> Array:
    return np.minimum(p[i], q[i])


def _of_cut_target(p: Array, q: Array, i: int, x: Tokens) -> Array:
    return np.maximum(top_k(p[i : i + 1], min(2, p.shape[1]))[0] - q[i], 0)


# --- places --------------------------------------------------------------------------------------------------------------


def _draft_row_before(p: Array, q: Array, i: int, x: Tokens) -> Array:
    return np.maximum(p[i] - q[i - 1], 0)


def _next_target_row(p: Array, q: Array, i: int, x: Tokens) -> Array:
    return np.maximum(p[i + 1] - q[i], 0)


def _sorted_drafts(q: Array, n: int, rng: Generator) -> Tokens:
    return np.sort(drafted(q, n, rng), axis=1)


def _mass_of_the_next_draft(p: Array, q: Array, x: Tokens) -> Array:
    return _divided(masses_of(p, x), masses_of(q, np.roll(x, -1, axis=1)))


def _without_end(p: Array) -> Array:
    """Token 0 cannot be drawn."""
    weights = p[-1].copy()
    weights[0] = 0
    return _fallback(weights, p[-1])


def _bonus_after_refusal(
    tokens: Tokens, x: Tokens, passes: NDArray[np.bool_], accepted: Tokens, p: Array, rng: Generator
) -> Tokens:
    is_refused = accepted < x.shape[1]
    tokens[is_refused, accepted[is_refused] + 1] = drawn(p[-1], rng.random(len(tokens)))[is_refused]
    return tokens


def _recovered_is_lost(
    tokens: Tokens, x: Tokens, passes: NDArray[np.bool_], accepted: Tokens, p: Array, rng: Generator
) -> Tokens:
    is_lost = (accepted > 0) & (accepted < x.shape[1])
    tokens[is_lost, accepted[is_lost]] = -1
    return tokens


# --- where it stops --------------------------------------------------------------------------------------------------------


def _one_draft_too_late(
    tokens: Tokens, x: Tokens, passes: NDArray[np.bool_], accepted: Tokens, p: Array, rng: Generator
) -> Tokens:
    """The draft after the refused one is still tested, and emitted where it passes."""
    rows = np.flatnonzero(accepted + 1 < x.shape[1])
    rows = rows[passes[rows, accepted[rows] + 1]]
    tokens[rows, accepted[rows] + 1] = x[rows, accepted[rows] + 1]
    return tokens


def _last_pass(passes: NDArray[np.bool_]) -> Tokens:
    """All drafts up to the last one that passes."""
    return (passes * np.arange(1, passes.shape[1] + 1)).max(axis=1, initial=0)


def fault_of_step(name: str, part: str, words: str, **parts: Any) -> Fault:
    """A fault that is `verified` with some of its steps exchanged."""
    return Fault(name, part, words, partial(verified, **parts))


FRESH: tuple[Fault, ...] = (
    fault_of_step(
        "drafts from rounded logits",
        "reported/sampled",
        "logits are even numbers, reported exactly",
        draft=_from_rounded_logits,
    ),
    fault_of_step(
        "likelier of two drafts", "reported/sampled", "a beam of two, reported as a draw", draft=_likelier_of_two
    ),
    fault_of_step(
        "draft penalised by the draft before",
        "reported/sampled",
        "reported without the penalty",
        draft=_penalised_by_the_one_before,
    ),
    Fault(
        "nucleus of all rows but the last",
        "reported/sampled",
        "top-p on rows of drafts",
        _on_other_rows(_cut_but_the_last),
    ),
    Fault("greedy first row", "reported/sampled", "the first target row is its argmax", _on_other_rows(_sure_first)),
    Fault(
        "softmax over places",
        "reported/sampled",
        "target rows divided over the wrong axis",
        _on_other_rows(_softmax_over_places),
    ),
    Fault(
        "second sibling with the first one's law",
        "reported/sampled",
        "drawn without replacement, reported with it",
        partial(_siblings, is_renormalised=False, is_target_updated=True),
    ),
    fault_of_step(
        "same token or ratio", "uniforms", "passes where the target's own draw is the draft, too", chance=_same_or_ratio
    ),
    fault_of_step(
        "drafts that are the argmax",
        "uniforms",
        "passes where it is the target's likeliest, else p",
        chance=_is_likeliest,
        recover=lambda p, q, i, x: p[i],
    ),
    fault_of_step(
        "product of ratios so far", "uniforms", "draft i passes with prod p/q up to i", chance=_product_so_far
    ),
    fault_of_step("epsilon in the ratio", "uniforms", "passes with p/(q + 0.1)", chance=_epsilon),
    fault_of_step("share of the sum", "uniforms", "passes with p/(p + q)", chance=_barker),
    fault_of_step("comparison turned", "uniforms", "passes where u > p/q", chance=_turned_comparison),
    fault_of_step("cumulative mass", "uniforms", "passes with cdf(x)/q(x)", chance=_cumulative),
    fault_of_step("capped ratio", "uniforms", "passes with min(p/q, 0.8)", chance=_capped),
    fault_of_step("softmax of differences", "residual", "exp((p - q)+)", recover=_softmax_of_differences),
    fault_of_step("padded vocabulary", "residual", "(p - q)+ without the last token", recover=_without_last_token),
    fault_of_step("drafts until one passes", "residual", "min(p, q) in place of (p - q)+", recover=_until_one_passes),
    fault_of_step("recovery from the cut target", "residual", "(top-k(p) - q)+", recover=_of_cut_target),
    Fault(
        "second sibling with the first target",
        "residual",
        "p in place of (p - q)+ at the second test",
        partial(_siblings, is_renormalised=True, is_target_updated=False),
    ),
    fault_of_step("draft row before in the residual", "bookkeeping", "(p_i - q_(i-1))+", recover=_draft_row_before),
    fault_of_step("next target row in the residual", "bookkeeping", "(p_(i+1) - q_i)+", recover=_next_target_row),
    fault_of_step("sorted drafts", "bookkeeping", "drafts by id, rows as they were", draft=_sorted_drafts),
    fault_of_step("mass of the next draft", "bookkeeping", "p(x_i)/q(x_(i+1))", chance=_mass_of_the_next_draft),
    fault_of_step("end masked in one row too many", "bookkeeping", "the bonus is never token 0", bonus=_without_end),
    fault_of_step(
        "bonus after a refusal", "bookkeeping", "drawn after the recovered token too", finish=_bonus_after_refusal
    ),
    fault_of_step("recovered token lost", "bookkeeping", "emitted only where no draft is", finish=_recovered_is_lost),
    fault_of_step(
        "stop one draft too late", "stopping", "the draft after a refused one is tested", finish=_one_draft_too_late
    ),
    fault_of_step("up to the last pass", "stopping", "refused drafts before a pass are emitted", count=_last_pass),
)
"""Written after the changes that the misses of `HELD_OUT` led to."""

REPORTS: dict[str, str] = {
    "drafts from rounded logits": "https://github.com/deepseek-ai/DeepSpec/issues/31",
    "likelier of two drafts": "https://github.com/apple/ml-recurrent-drafter/issues/6",
    "draft penalised by the draft before": "https://github.com/osaurus-ai/vmlx-swift/issues/357",
    "greedy first row": "https://github.com/Luce-Org/lucebox/pull/374",
    "same token or ratio": "https://github.com/alibaba/rtp-llm/pull/1295",
    "drafts that are the argmax": "https://github.com/lablup/mlxcel/pull/992",
    "softmax of differences": "https://github.com/huggingface/transformers/pull/28508",
    "second sibling with the first one's law": "https://github.com/SafeAILab/EAGLE/issues/20",
    "draft row before in the residual": "https://github.com/sgl-project/sglang/pull/12561",
    "next target row in the residual": "https://github.com/huggingface/transformers/pull/28166",
    "end masked in one row too many": "https://github.com/vllm-project/vllm/pull/41768",
    "stop one draft too late": "https://github.com/openvinotoolkit/openvino.genai/issues/4190",
    "up to the last pass": "https://github.com/vllm-project/vllm-ascend/issues/7807",
}
"""Public threads that describe a fault of this kind."""
