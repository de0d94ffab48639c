"""Claims about standard speculative decoding (Leviathan et al. 2023; RDK §2; PAD §2)."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_least, equal
from simspec.claims.draw import Draw
from simspec.laws import Array, exact, overlap, tv
from simspec.methods import (
    SD,
    Method,
    block_length,
    block_outcomes,
    drafter_kernel,
    output_law,
    speedup,
    text_law,
)
from simspec.methods.block import Prefix

__all__ = ["CLAIMS", "law"]


def law(*masses: int | str | F) -> Array:
    """Exact law written by hand: ``law("1/2", "1/2")``.

    >>> law("1/2", "1/2").tolist()
    [Fraction(1, 2), Fraction(1, 2)]
    """
    return exact(np.array([F(m) for m in masses], dtype=object))


def _pair(draw: Draw) -> Instance:
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


# --- one step -------------------------------------------------------------------------------------------------------

ACCEPTANCE = Claim(
    name="sd.acceptance",
    kind="identity",
    statement=r"$\alpha = \sum_x \min(p_x, q_x) = 1 - \mathrm{TV}(p, q) = 1 - \lVert k \rVert_1$ "
    r"with the drafter kernel $k = (q - p)_+$",
    reference="RDK, Definitions 2.1, 2.2 and Lemma 2.3",
    instances=_pair,
    lhs=lambda p, q: np.stack([SD.keep(p, q).sum(axis=-1)] * 2),
    rhs=lambda p, q: np.stack([1 - tv(p, q), 1 - drafter_kernel(p, q).sum(axis=-1)]),
    relation=equal,
    note="min(a, b) = (a + b − |a − b|)/2 = b − (b − a)₊ term by term; summing uses only Σp = Σq = 1.",
)


def _tables(draw: Draw) -> Instance:
    """Exact: a target and a draft over two tokens whose laws depend on the last two tokens, and how they are run.

    Floats: one step at full vocabulary size (length 1, γ = 1).
    """
    if not draw.exact:
        p, q = draw.pair(draw.vocab())
        return {"p": p, "q": q, "gamma": 1, "length": 1, "halts": None, "peeks": None}
    contexts = 3
    p, q = (np.stack([np.stack([draw.law(2) for _ in range(contexts)]) for _ in range(contexts)]) for _ in range(2))
    halts = np.array([[bool(draw.integer(0, 1)) for _ in range(contexts)] for _ in range(contexts)])
    return {"p": p, "q": q, "gamma": draw.integer(0, 3), "length": draw.integer(1, 3), "halts": halts, "peeks": None}


def _model(table: Array) -> Any:
    """Second-order Markov model from a table indexed by the last two tokens; row 0 stands for 'before the text'."""

    def model(prefix: Prefix) -> Array:
        padded = (-1, -1, *prefix)
        return table[padded[-2] + 1, padded[-1] + 1]

    return model


def _texts(vocab: int, length: int) -> list[Prefix]:
    return [tuple(t) for t in np.ndindex(*[vocab] * length)]


def _emitted(
    p: Array, q: Array, gamma: int, length: int, halts: Array | None, peeks: int | None, method: Method = SD
) -> Array:
    if peeks is not None:
        return _discarding(p, q, peeks)
    if halts is None:
        return output_law(method, p, q)

    def stop(prefix: Prefix, drafts: Prefix) -> bool:
        padded = (-1, -1, *drafts)
        return bool(drafts and halts[padded[-2] + 1, padded[-1] + 1])

    emitted = text_law(method, _model(p), _model(q), length, gamma, stop)
    return np.array([emitted.get(t, F(0)) for t in _texts(p.shape[-1], length)], dtype=object)


def _discarding(p: Array, q: Array, token: int) -> Array:
    """Output law of a rule that looks at the draft it just made: when it is `token`, it is dropped for a fresh draw."""
    seen = np.arange(p.shape[-1]) == token
    kept = np.where(seen, 0, SD.keep(p, q))
    rejected = np.where(seen, 0, q).sum() - kept.sum()
    return kept + q[token] * p + rejected * SD.residual(p, q)


def _wanted(p: Array, length: int, halts: Array | None) -> Array:
    if halts is None:
        return p
    out = []
    for text in _texts(p.shape[-1], length):
        mass = F(1)
        for n, token in enumerate(text):
            mass = mass * _model(p)(text[:n])[token]
        out.append(mass)
    return np.array(out, dtype=object)


LOSSLESS = Claim(
    name="sd.lossless",
    kind="identity",
    statement=r"The emitted token's law is $p$, and the first $T$ tokens of the concatenated output have the target's "
    r"law, for any rule that stops drafting looking only at earlier drafts",
    reference="RDK §2; Leviathan et al. 2023, Appendix A.1",
    instances=_tables,
    assumes={"the rule does not look at the draft it just made": lambda peeks: peeks is None},
    lhs=_emitted,
    rhs=_wanted,
    relation=equal,
    outside={
        "the rule does not look at the draft it just made": {
            **{"p": law("1/2", "1/2"), "q": law("1/4", "3/4"), "peeks": 0},
            **{"gamma": 1, "length": 1, "halts": None},
        }
    },
    note="Exact: every draft and every coin of blocks is enumerated, with laws that depend on the last two tokens, γ ≤ 3, "
    "T ≤ 3, and a stopping rule drawn at random. Floats: one step at full vocabulary sizes. A rule that drops a draft "
    "because of the draft's own value moves its mass and is biased.",
)


def _moved(draw: Draw) -> Instance:
    n = draw.vocab()
    p, q = draw.pair(n)
    share = draw.law(n)  # of each token's kernel, the largest of them any number in [0, 1]
    share = draw.number(0, 1) * share / share.max(axis=-1, keepdims=True)
    return {"p": p, "q": q, "share": share, "onto": draw.law(n)}


def _redistributed(p: Array, q: Array, share: Array, onto: Array) -> Array:
    moved = share * drafter_kernel(p, q)
    return q - moved + moved.sum(axis=-1, keepdims=True) * onto


KERNEL_REDISTRIBUTION = Claim(
    name="sd.kernel-redistribution",
    kind="bound",
    statement=r"Moving mass of the drafter kernel $k = (q - p)_+$ elsewhere, any share $s_x \in [0, 1]$ of each $k_x$, cannot "
    r"decrease $\alpha$",
    reference="RDK §2, after Definition 2.2",
    instances=_moved,
    lhs=lambda p, q, share, onto: overlap(p, _redistributed(p, q, share, onto)),
    rhs=lambda p, q: overlap(p, q),
    relation=at_least,
    tight=tuple(
        {"p": law("1/2", "1/2", 0, 0), "q": law("1/2", 0, "1/2", 0), "share": ones, "onto": law(0, 0, 0, 1)}
        for ones in (law(1, 1, 1, 1), law(0, 0, "1/2", 0))
    ),
    corrected_by=("sd.kernel-redistribution-sharp",),
    note="What is left after the move, q_x − s_x k_x ≥ min(p_x, q_x), already carries the whole overlap. Mass moved from "
    "min(p, q), not only from the kernel, is what redistribution by a matrix M can also do: rdk.never-worse.",
)

KERNEL_REDISTRIBUTION_SHARP = Claim(
    name="sd.kernel-redistribution-sharp",
    kind="identity",
    statement=r"Moving shares $s_x$ of the drafter kernel, $m = \sum_x s_x k_x$ in all, onto a law $o$ raises $\alpha$ by "
    r"exactly $\sum_x \min\{(p_x - q_x)_+,\; m\, o_x\}$",
    reference="own statement, sharpening RDK §2, after Definition 2.2",
    instances=_moved,
    lhs=lambda p, q, share, onto: overlap(p, _redistributed(p, q, share, onto)) - overlap(p, q),
    rhs=lambda p, q, share, onto: np.minimum(
        np.maximum(p - q, 0), (share * drafter_kernel(p, q)).sum(axis=-1, keepdims=True) * onto
    ).sum(axis=-1),
    relation=equal,
    note="Token by token: where the draft exceeds the target it still does after the move; elsewhere it gains what it gets, up "
    "to what it lacks. The gain is the whole of what is missing, ‖k‖₁, when all is moved onto norm((p − q)₊).",
)

INVERSE = Claim(
    name="sd.inverse-proportional",
    kind="identity",
    statement=r"$\alpha$ is inversely proportional to $\lVert k \rVert_1$: the product $\alpha\,\lVert k \rVert_1$ is the "
    r"same for every pair of laws",
    reference="RDK B.1, last line",
    instances=lambda draw: dict(
        zip(("p", "q", "p2", "q2"), (*draw.pair(n := draw.vocab(2)), *draw.pair(n)), strict=True)
    ),
    lhs=lambda p, q: overlap(p, q) * drafter_kernel(p, q).sum(axis=-1),
    rhs=lambda p2, q2: overlap(p2, q2) * drafter_kernel(p2, q2).sum(axis=-1),
    relation=equal,
    corrected_by=("sd.inverse-proportional-corrected",),
    note="α falls as ‖k‖₁ grows, but linearly: α = 1 − ‖k‖₁. The product is α(1 − α), anything between 0 and 1/4.",
)

INVERSE_CORRECTED = Claim(
    name="sd.inverse-proportional-corrected",
    kind="identity",
    statement=r"$\alpha + \lVert k \rVert_1 = 1$: the acceptance rate falls linearly, with slope $-1$, in the kernel's mass",
    reference="correction of RDK B.1, last line",
    instances=_pair,
    lhs=lambda p, q: overlap(p, q) + drafter_kernel(p, q).sum(axis=-1),
    rhs=lambda p, q: overlap(p, q) * 0 + 1,
    relation=equal,
)

# --- blocks ---------------------------------------------------------------------------------------------------------


def _coin_laws(alpha: Any) -> tuple[Array, Array]:
    """A pair of laws whose acceptance rate is alpha at every step: independent acceptance."""
    p, q = [alpha, 1 - alpha], [1, 0]
    return (np.array(p), np.array(q, dtype=float)) if isinstance(alpha, float) else (exact(p), exact(q))


def _mean_tokens(p: Any, q: Any, gamma: int) -> Any:
    return sum(o.probability * len(o.tokens) for o in block_outcomes(SD, p, q, (), gamma))


def _enumerated(alpha: Any, gamma: int, later: Any) -> Any:
    """Mean tokens of a block whose first step accepts with probability alpha and every later one with `later`."""
    first, rest = _coin_laws(alpha), _coin_laws(later)
    return _mean_tokens(lambda x: (rest if x else first)[0], lambda x: (rest if x else first)[1], gamma)


def _independent(draw: Draw, top: Any) -> Instance:
    alpha = draw.number(0, top)
    return {"alpha": alpha, "later": alpha, "gamma": draw.integer(0, 6)}


SAME = "acceptance is the same at every step"

BLOCK_LENGTH = Claim(
    name="sd.block-length",
    kind="identity",
    statement=r"Independent steps of acceptance $\alpha < 1$: expected tokens per target call $= "
    r"\frac{1 - \alpha^{\gamma + 1}}{1 - \alpha}$",
    reference="Leviathan et al. 2023, Eq. 1",
    instances=lambda draw: _independent(draw, F(9999, 10_000) if draw.exact else F(63, 64)),
    assumes={SAME: lambda alpha, later: alpha == later, "α is below one": lambda alpha: alpha < 1},
    lhs=_enumerated,
    rhs=lambda alpha, gamma: (1 - alpha ** (gamma + 1)) / (1 - alpha),
    relation=equal,
    sources=("exact", "float"),
    sums=64,  # dividing by 1 − α ≥ 1/64 magnifies the rounding of the numerator at most 64 times
    outside={SAME: {"alpha": F(1, 2), "later": F(0), "gamma": 2}},
    corrected_by=("sd.block-length-corrected",),
    note="The left side enumerates every outcome of a block. At α = 1 the printed quotient is 0/0, so nothing can be "
    "compared there; the sum has no such gap.",
)

BLOCK_LENGTH_CORRECTED = Claim(
    name="sd.block-length-corrected",
    kind="identity",
    statement=r"Independent steps of any acceptance $0 \le \alpha \le 1$: expected tokens per target call $= "
    r"\sum_{i=0}^{\gamma} \alpha^i$, which is $\gamma + 1$ at $\alpha = 1$",
    reference="Leviathan et al. 2023, Eq. 1, extended to α = 1",
    instances=lambda draw: _independent(draw, 1),
    assumes={SAME: lambda alpha, later: alpha == later},
    lhs=_enumerated,
    rhs=lambda alpha, gamma: block_length(alpha, gamma),
    relation=equal,
    sources=("exact", "float"),
    outside={SAME: {"alpha": F(1, 2), "later": F(0), "gamma": 2}},
)


def _timed(draw: Draw) -> Instance:
    n = 2
    p, q = draw.law(n), draw.law(n)
    return {
        "p": p if draw.exact else p[0],
        "q": q if draw.exact else q[0],
        "gamma": draw.integer(1, 4),
        "t_p": draw.number("1/8", 2) if draw.exact else draw.number(0.125, 2),
        "t_q": draw.number(0, 1),
    }


def _measured_speed(p: Array, q: Array, gamma: int, t_p: Any, t_q: Any) -> Any:
    """Target time saved per unit of block time: mean tokens of a block, each worth t_p, over the time of a block."""
    tokens = _mean_tokens(lambda x: p, lambda x: q, gamma)
    return tokens * t_p / (gamma * t_q + t_p)


def _printed_speed(p: Array, q: Array, gamma: int, t_p: Any, t_q: Any) -> Any:
    mean = sum(o.probability * o.accepted for o in block_outcomes(SD, lambda x: p, lambda x: q, (), gamma))
    return speedup(mean, gamma, t_q / t_p)


SPEEDUP = Claim(
    name="sd.speedup",
    kind="identity",
    statement=r"$S = \frac{(\bar L + 1)\, t_p}{\gamma\, t_q + t_p}$ with $\bar L$ the mean number of accepted drafts in a block",
    reference="PAD §2, restored",
    instances=_timed,
    lhs=_measured_speed,
    rhs=_printed_speed,
    relation=equal,
    sources=("exact", "float"),
    sums=64,
    note="Every block emits its accepted drafts and one token more (the replacement, or the extra one when all are kept); "
    "long-run speed is mean tokens over mean time. S is a ratio of means: for a text of given length the last block overshoots.",
)


def _faster(draw: Draw) -> Instance:
    gamma = draw.integer(0, 6)
    a, b = sorted((draw.number(0, gamma), draw.number(0, gamma)))
    c, d = sorted((draw.number(0, 2), draw.number(0, 2)))
    return {"accepted": a, "more": b, "gamma": gamma, "cost": c, "slower": d}


SPEEDUP_MONOTONE = Claim(
    name="sd.speedup-monotone",
    kind="bound",
    statement=r"At fixed $\gamma$ and cost, $S$ does not fall when $\bar L$ rises, and does not rise when the draft gets slower",
    reference="RDK §2; PAD §2, last sentence",
    instances=_faster,
    lhs=lambda accepted, more, gamma, cost, slower: np.array(
        [speedup(more, gamma, cost), speedup(accepted, gamma, cost)]
    ),
    rhs=lambda accepted, gamma, cost, slower: np.array(
        [speedup(accepted, gamma, cost), speedup(accepted, gamma, slower)]
    ),
    relation=at_least,
    sources=("exact", "float"),
    tight=({"accepted": F(1), "more": F(1), "gamma": 2, "cost": F(1, 4), "slower": F(1, 2)},),
    note="S is (L̄ + 1) times a positive number, and that number falls with the draft's time. γ must be fixed: more drafts "
    "raise L̄ and can lower S.",
)

CLAIMS = (
    ACCEPTANCE,
    LOSSLESS,
    KERNEL_REDISTRIBUTION,
    KERNEL_REDISTRIBUTION_SHARP,
    INVERSE,
    INVERSE_CORRECTED,
    BLOCK_LENGTH,
    BLOCK_LENGTH_CORRECTED,
    SPEEDUP,
    SPEEDUP_MONOTONE,
)
