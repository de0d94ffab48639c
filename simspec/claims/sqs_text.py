"""Claims about texts drafted by SQS: how many drafts are rejected, and that what is emitted follows the target."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_most, equal
from simspec.claims.draw import Draw
from simspec.claims.sd import law
from simspec.claims.sqs_parts import (
    Text,
    few,
    fixed_or_adaptive,
    rejections,
    scheme,
    sizes,
    table,
    worst_rounding,
)
from simspec.laws import Array, tv
from simspec.methods.block import Model, Prefix, text_law
from simspec.methods.sd import SD
from simspec.methods.sqs import dropped_mass
from simspec.methods.step import acceptance_rate, output_law

__all__ = ["CLAIMS"]

TOLD = "drafts are drawn from the law that is sent"
BLIND = "the rule does not look at the draft it just made"


def _step(draw: Draw) -> Instance:
    n = draw.vocab()
    p, q = (few(x) for x in draw.pair(n))
    return {"p": p, "q": q, **fixed_or_adaptive(draw, n), "drawn": None}


_ELSEWHERE: dict[str, Any] = {"p": law(1, 0), "q": law("3/4", "1/4"), "drawn": law("3/4", "1/4"), "k": 1}
_ELSEWHERE |= {"resolution": 1, "threshold": None, "step_size": None, "dropped_target": None}

REJECTION = Claim(
    name="sqs.rejection",
    kind="identity",
    statement=r"$P(\text{reject at } n) = \mathrm{TV}(\hat q_n, p_n)$ for a draft drawn from $\hat q_n$",
    reference="SQS, Eq. 14",
    instances=_step,
    assumes={TOLD: lambda drawn: drawn is None},
    lhs=lambda p, q, k, resolution, threshold, drawn: (
        1 - acceptance_rate(scheme(k, resolution, threshold), p, q, drawn)
    ),
    rhs=lambda p, q, k, resolution, threshold: tv(scheme(k, resolution, threshold).propose(q), p),
    relation=equal,
    outside={TOLD: _ELSEWHERE},
    note="Σ(q̂ − p)₊ = 1 − Σmin(p, q̂), for K-SQS and for C-SQS alike. A draft drawn from q but told as q̂ is rejected at "
    "another rate: quantise first, then sample.",
)


# --- texts: two or three tokens, laws that depend on the last one ----------------------------------------------------


def _process(draw: Draw, widest: int = 3, longest: int = 3) -> dict[str, Any]:
    vocab = draw.integer(2, widest)
    p, q = (np.stack([draw.law(vocab) for _ in range(vocab + 1)]) for _ in range(2))
    drawn = {"p": p, "q": q, **fixed_or_adaptive(draw, vocab)}
    length = draw.integer(1, longest if vocab == 2 else 2)
    return {**drawn, "gamma": draw.integer(1, 3), "length": length, "budget": None}


def _budgeted(draw: Draw) -> dict[str, Any]:
    """The same, half of the time with a bit budget that may end a batch before its first draft."""
    drawn = _process(draw)
    return {**drawn, "budget": draw.integer(0, 12)} if draw.integer(0, 1) else drawn


def _text(instance: dict[str, Any]) -> Text:
    names = ("p", "q", "k", "resolution", "threshold", "step_size", "dropped_target", "budget")
    return Text(**{name: instance[name] for name in names})


def _rejected(gamma: int, length: int, **instance: Any) -> Any:
    return rejections(_text(instance), length, gamma)


def _everywhere(length: int, **instance: Any) -> Any:
    text = _text(instance)
    return text.mean(length, lambda x: tv(text.sent(x), text.target(x)))


COUNT = Claim(
    name="sqs.rejection-count",
    kind="identity",
    statement=r"$E[N_{\mathrm{rej}}] = \sum_{n \le T} E_{X \sim p}\, \mathrm{TV}(\hat q_n, p_n)$, $T$ counting all verified "
    r"tokens",
    reference="SQS, Eqs. 10–16",
    instances=lambda draw: _process(draw, widest=2, longest=2),
    lhs=_rejected,
    rhs=_everywhere,
    relation=equal,
    sources=("exact",),
    corrected_by=("sqs.rejection-count-corrected", "sqs.rejection-count-sharp"),
    note="A batch whose L drafts are all accepted ends with a token that the target writes alone: no draft stands at that "
    "position, nothing is rejected there, but T and the sum count it. (Eq. 15 prints X ~ q; Eq. 16 has p, which "
    "emitted tokens follow.)",
)


def _tested(gamma: int, length: int, **instance: Any) -> Any:
    """Sum over texts, and over how many drafts of the batch stand before, of the chance to get there, times TV if a
    draft is tested there."""
    text = _text(instance)
    total = F(0)
    states: dict[tuple[Prefix, int], Any] = {((), 0): F(1)}
    for _ in range(length):
        after: dict[tuple[Prefix, int], Any] = {}
        for (prefix, ago), mass in states.items():
            start = len(prefix) - ago
            p = text.target(prefix)
            if ago == gamma or text.stop(prefix[:start], prefix[start:]):
                moves = [(0, p)]
            else:
                d = text.sent(prefix)
                total = total + mass * tv(d, p)
                moves = [(ago + 1, np.minimum(p, d)), (0, np.maximum(p - d, 0))]
            for now, masses in moves:
                for token, part in enumerate(masses.tolist()):
                    if part:
                        key = ((*prefix, token), now)
                        after[key] = after.get(key, F(0)) + mass * part
        states = after
    return total


COUNT_CORRECTED = Claim(
    name="sqs.rejection-count-corrected",
    kind="identity",
    statement=r"$E[N_{\mathrm{rej}}] = \sum_{n \le T} E\big[D_n\, \mathrm{TV}(\hat q_n, p_n)\big]$, $D_n = 1$ where a draft is "
    r"tested at position $n$ and $0$ where the target writes alone, for any length of batches, fixed or by a bit budget",
    reference="correction of SQS Eqs. 10–16",
    instances=_budgeted,
    lhs=_rejected,
    rhs=_tested,
    relation=equal,
    sources=("exact",),
    note="Whether a draft is tested at n is settled by what stands before n; given that, sqs.rejection applies. The mean is "
    "over the run itself: its text follows p (sqs.lossless), but D_n depends on the coins too.",
)

# the draft is right about the first token, wrong about the second, which no draft reaches in a batch of one
_SECOND: dict[str, Any] = {"p": np.stack([law(1, 0)] * 3), "q": np.stack([law(1, 0), law(0, 1), law(0, 1)]), "k": 1}
_SECOND |= {"resolution": 1, "threshold": None, "step_size": None, "dropped_target": None, "length": 2}

COUNT_SHARP = Claim(
    name="sqs.rejection-count-sharp",
    kind="identity",
    statement=r"$E[N_{\mathrm{rej}}] = \sum_{n \le T} E_{X \sim p}\, \mathrm{TV}(\hat q_n, p_n)$ when no batch ends before "
    r"position $T$ with all drafts accepted: $L^t \ge T$",
    reference="own statement: the condition under which SQS Eqs. 10–16 are exact",
    instances=lambda draw: {**(drawn := _process(draw)), "gamma": drawn["length"], "budget": None},
    assumes={
        "every batch may hold T drafts": lambda gamma, length: gamma >= length,
        "no bit budget ends a batch": lambda budget: budget is None,
    },
    lhs=_rejected,
    rhs=_everywhere,
    relation=equal,
    sources=("exact",),
    outside={
        "every batch may hold T drafts": {**_SECOND, "gamma": 1, "budget": None},
        "no bit budget ends a batch": {**_SECOND, "gamma": 2, "budget": 1},
    },
    note="Then D_n = 1 at every position up to T (a rejection opens a new batch that again reaches beyond T).",
)


def _theorem_1(length: int, **instance: Any) -> Any:
    text = _text(instance)

    def term(x: Prefix) -> Any:
        q, kept = text.draft(x), text.kept(x)
        return tv(q, text.target(x)) + dropped_mass(q, kept) + sizes(kept, q) / (4 * text.resolution)

    return text.mean(length, term)


def _sharper(length: int, **instance: Any) -> Any:
    text = _text(instance)

    def term(x: Prefix) -> Any:
        q, kept = text.draft(x), text.kept(x)
        dropped = dropped_mass(q, kept)
        rounding = worst_rounding(sizes(kept, q), text.resolution)
        return tv(q, text.target(x)) + dropped + (1 - dropped) * rounding

    return text.mean(length, term)


_UNSENT: dict[str, Any] = {"p": np.stack([law(1, 0)] * 3), "q": np.stack([law("1/2", "1/2")] * 3), "k": 2}
_UNSENT |= {"resolution": 1, "threshold": None, "step_size": None, "dropped_target": None, "budget": None}
_WRONG = {**_UNSENT, "p": np.stack([law(0, 1)] * 3), "q": np.stack([law(1, 0)] * 3), "k": 1}

BOUND = Claim(
    name="sqs.rejection-bound",
    kind="bound",
    statement=r"$E[N_{\mathrm{rej}}] \le \sum_{n \le T} E_p\, \mathrm{TV}(q_n, p_n) + \sum_{n \le T} \big(\alpha_n + "
    r"K_n/(4\ell_n)\big)$, for batches of any length, fixed or by a bit budget, K-SQS and C-SQS",
    reference="SQS, Theorem 1",
    instances=_budgeted,
    lhs=_rejected,
    rhs=_theorem_1,
    relation=at_most,
    sources=("exact",),
    tight=({**_UNSENT, "gamma": 1, "length": 1},),
    corrected_by=("sqs.rejection-bound-sharp",),
    note="sqs.rejection-count-corrected with D_n ≤ 1, then sqs.total-distortion: the sum counts positions without a draft "
    "too, which only helps. α_n and K_n are means over texts of p.",
)

BOUND_SHARP = Claim(
    name="sqs.rejection-bound-sharp",
    kind="bound",
    statement=r"$E[N_{\mathrm{rej}}] \le \sum_{n \le T} E_p\, \mathrm{TV}(\hat q_n, p_n) \le \sum_{n \le T} E_p "
    r"\Big[\mathrm{TV}(q_n, p_n) + \delta_n + (1 - \delta_n) \frac{m_n (K_n - m_n)}{K_n \ell_n}\Big]$ with $\delta_n$ the "
    r"dropped mass and $m_n = \min(\ell_n, \lfloor K_n/2 \rfloor)$",
    reference="own statement, sharpening SQS Theorem 1",
    instances=_budgeted,
    lhs=lambda **text: np.array([_rejected(**text), _everywhere(**text)]),
    rhs=lambda **text: np.array([_everywhere(**text), _sharper(**text)]),
    relation=at_most,
    sources=("exact",),
    tight=({**_WRONG, "gamma": 3, "length": 3},),
    note="D_n ≤ 1 in sqs.rejection-count-corrected, then sqs.total-distortion-sharp in place of its printed form. It gains most "
    "for K = 1, where nothing is rounded, and for ℓ far below K.",
)


def _emitted(
    p: Array,
    q: Array,
    gamma: int,
    length: int,
    k: int,
    resolution: int,
    threshold: Any,
    step_size: Any,
    dropped_target: Any,
    budget: int | None,
    drawn: Array | None,
    peeks: int | None,
) -> Array:
    method = scheme(k, resolution, threshold)
    if peeks is not None:  # a rule that drops the draft it just made when it is this token, for a fresh draw from p
        d = method.propose(q)
        seen = np.arange(p.shape[-1]) == peeks
        kept = np.where(seen, 0, method.keep(p, d))
        return kept + d[peeks] * p + (1 - d[peeks] - kept.sum()) * method.residual(p, d)
    if length == 0:
        return output_law(method, p, q, drawn)
    text = Text(p, q, k, resolution, threshold, step_size, dropped_target, budget)
    emitted = text_law(SD, text.target, text.sent, length, gamma, text.stop)
    return np.array([emitted.get(t, F(0)) for t in np.ndindex(*[p.shape[-1]] * length)], dtype=object)


def _wanted(p: Array, length: int) -> Array:
    if length == 0:
        return p
    model: Model = table(p)
    out = []
    for text in np.ndindex(*[p.shape[-1]] * length):
        mass = F(1)
        for n, token in enumerate(text):
            mass = mass * model(text[:n])[token]
        out.append(mass)
    return np.array(out, dtype=object)


_ONE = {"gamma": 1, "length": 0, "budget": None, "peeks": None}

LOSSLESS = Claim(
    name="sqs.lossless",
    kind="identity",
    statement=r"The tokens emitted by K-SQS and C-SQS follow $p$, with batches of fixed length or ended by a bit budget",
    reference="SQS §2",
    instances=lambda draw: {**_budgeted(draw), "drawn": None, "peeks": None} if draw.exact else {**_step(draw), **_ONE},
    assumes={TOLD: lambda drawn: drawn is None, BLIND: lambda peeks: peeks is None},
    lhs=_emitted,
    rhs=_wanted,
    relation=equal,
    outside={
        TOLD: {**_ELSEWHERE, "p": law("1/2", "1/2"), **_ONE},
        BLIND: {**_ELSEWHERE, "p": law("1/2", "1/2"), "drawn": None, **_ONE, "peeks": 0, "k": 2, "resolution": 4},
    },
    note="Speculative decoding with the draft law q̂, which the target knows. The bits of a law are known before its token is "
    "drawn, so the budget looks at earlier drafts only. Exact: all texts of up to three tokens, laws that depend on the last "
    "one; floats: one step.",
)

CLAIMS = (REJECTION, COUNT, COUNT_CORRECTED, COUNT_SHARP, BOUND, BOUND_SHARP, LOSSLESS)
