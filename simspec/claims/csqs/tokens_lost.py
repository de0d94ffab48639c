"""Whoever meets the target of dropped probability at each time keeps more tokens than the best fixed threshold.

`csqs.tokens-lost`: tokens kept beyond the best fixed threshold, by whoever meets the target at each time (own).
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, exact, mask, shifted
from simspec.claims.csqs.parts import KEEPS, OWN, keeps_a_token
from simspec.claims.sqs.parts import flat
from simspec.methods.csqs.conformal import draft_thresholds
from simspec.methods.csqs.threshold_rules import best_fixed_threshold
from simspec.methods.csqs.thresholds import ranked

__all__ = ["flat_first"]

SO_FAR = "the flat laws lose at most αm + c"
LATER = "with the certain laws one threshold meets the target"


def flat_first(vocab: int, first: int, tokens: int) -> Array:
    """A text whose first tokens have the flat law, all others a certain one.

    >>> [[str(m) for m in row] for row in flat_first(2, 1, 2)]
    [['1/2', '1/2'], ['1', '0']]
    """
    certain = exact(np.eye(vocab, dtype=int)[0])
    return np.stack([flat(vocab) if n < first else certain for n in range(tokens)])


def _long_enough(vocab: int, first: int, tokens: int, dropped_target: F) -> bool:
    return first * (vocab - 1) <= dropped_target * vocab * tokens


def _spent(first: int, kept: Array, dropped_target: F, excess: F) -> bool:
    vocab = kept.shape[1]
    return bool(F(int((~kept[:first]).sum()), vocab) <= dropped_target * first + excess)


def _any_rule(draw: Draw) -> Instance:
    vocab = draw.integer(2, 4)
    first = draw.integer(1, 3)
    target = F(draw.integer(1, 7), 8)
    tokens = max(first, -int(-first * (vocab - 1) / (target * vocab) // 1))
    masks = np.stack([draw.mask(vocab) for _ in range(tokens)])
    masks[:, 0] |= ~masks.any(axis=1)
    dropped = F(int((~masks[:first]).sum()), vocab)
    excess = max(F(0), dropped - target * first) + draw.integer(0, 1) * draw.number(0, 1)
    return {"first": first, "kept": masks, "dropped_target": target, "excess": excess}


def _beyond_best(first: int, kept: Array, dropped_target: F) -> F:
    q = flat_first(kept.shape[1], first, len(kept))
    return F(int(kept.sum() - best_fixed_threshold(ranked(q), dropped_target, True).kept.sum()))


TOKENS_LOST = bound(
    name="csqs.tokens-lost",
    statement=r"A text of $m$ flat laws over $V$ tokens, then certain ones, long enough for the threshold that keeps one token "
    r"of each law to meet the target, $\frac{V-1}{V} m \le \alpha T$. Whatever sets $Y_n$ with a token each lose at most "
    r"$\alpha m + c$ of the first $m$ laws: $\sum_n |Y_n| \ge \sum_n |X_n(\beta^*)| + (V(1 - \alpha) - 1) m - Vc$",
    reference=f"{OWN}: what no rule that meets the target at every time can regain",
    instances=_any_rule,
    assumes={
        KEEPS: lambda kept: keeps_a_token(kept),
        SO_FAR: _spent,
        LATER: lambda first, kept, dropped_target: _long_enough(kept.shape[1], first, len(kept), dropped_target),
    },
    lhs=_beyond_best,
    rhs=lambda first, kept, dropped_target, excess: (
        (kept.shape[1] * (1 - dropped_target) - 1) * first - kept.shape[1] * excess
    ),
    relation=at_least,
    tight=(
        {
            **{"first": 1, "kept": np.stack([mask("1110"), mask("1000"), mask("1000")])},
            **{"dropped_target": F(1, 4), "excess": F(0)},
        },
    ),
    outside={
        KEEPS: {
            **{"first": 1, "kept": np.stack([mask("110"), mask("000"), mask("000")])},
            **{"dropped_target": F(1, 3), "excess": F(0)},
        },
        SO_FAR: {
            **{"first": 1, "kept": np.stack([mask("100"), mask("100"), mask("100")])},
            **{"dropped_target": F(1, 4), "excess": F(0)},
        },
        LATER: {"first": 1, "kept": np.stack([mask("1110")]), "dropped_target": F(1, 4), "excess": F(0)},
    },
    sources=("exact",),
    note="C-SQS meets the target at every time, with c = (β₁ + η(1 − α))₊/η in the keep-top reading "
    "(csqs.average-dropped-sharp), and so does csqs.budget-rule with c = b. With m = αVT/(V − 1) and V(1 − α) > 1 what is lost "
    "grows as T, whatever the step size: no o(T) tokens bound the regret against the best fixed threshold. Who need meet the "
    "target at the end only can do as that threshold does, if told it beforehand.",
    broken=[
        shifted(-F(1, 8)),
        broken("the first step's mass, times the number of tokens", rhs=lambda first, kept: F(kept.shape[1] * first)),
    ],
)


def _adaptive(draw: Draw) -> Instance:
    vocab = draw.integer(2, 4)
    first = draw.integer(1, 6)
    target = F(draw.integer(1, 7), 8)
    tokens = max(first, -int(-first * (vocab - 1) / (target * vocab) // 1))
    step = draw.integer(1, 12) * draw.number(F(1, 4), 1)
    return {"q": flat_first(vocab, first, tokens), "start": F(0), "step_size": step, "dropped_target": target}


def _lost(q: Array, start: F, step_size: F, dropped_target: F) -> F:
    path_tokens = draft_thresholds(q, start, step_size, dropped_target, True).masks.sum()
    return F(int(path_tokens - best_fixed_threshold(ranked(q), dropped_target, True).kept.sum()))


SIX: Instance = {"q": flat_first(3, 3, 6), "start": F(0), "step_size": F(8), "dropped_target": F(1, 3)}

CONSTANT = bound(
    name="csqs.tokens-lost.constant",
    statement=r"C-SQS with keep-top, from $\beta_1 = 0$, keeps at most $V (1 + \eta)/\eta$ tokens more than the best fixed "
    r"threshold does, over any text: what csqs.two-sided allows in mass, at the price $V$ of a flat law",
    reference=f"{OWN}: the other side of csqs.adaptive-against-fixed",
    instances=_adaptive,
    lhs=_lost,
    rhs=lambda q, step_size: q.shape[1] * (1 + step_size) / step_size,
    against=(SIX,),
    within="with the paper's step sizes, 0.001 and 0.0001, the texts are thousands of tokens long",
    sources=("exact",),
    corrected_by=("csqs.tokens-lost", "csqs.descent"),
    note="Mass that is not dropped of flat laws is dropped later of certain ones, or not at all, and wins no token there. The "
    "best fixed threshold knows what is to come. Six tokens, of which three have the flat law over three, lose four tokens.",
)
