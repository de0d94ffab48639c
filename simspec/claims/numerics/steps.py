"""Numerical differences in the target's logits are the bias of the output, and no draft makes it larger or smaller.

`numerics.output`, `numerics.draft-noise` and `numerics.text`: own statements.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, identity, law
from simspec.claims.numerics.parts import CLOSE, OWN, is_close, laws_of
from simspec.laws import tv
from simspec.methods import SD, output_law

__all__ = ["agreement", "noisy_output"]


def _with_draft(draw: Draw) -> Instance:
    p, p_hat = draw.pair(draw.vocab())
    return {"p": p, "p_hat": p_hat, "q": draw.law(len(p))}


OUTPUT = identity(
    name="numerics.output",
    statement=r"With $\hat p$ in the test and in the residual the output law is $\hat p$ itself, whatever the "
    r"draft: the bias is "
    r"$\mathrm{TV}(p, \hat p)$",
    reference=OWN,
    instances=_with_draft,
    lhs=lambda p, p_hat, q: np.array([*output_law(SD, p_hat, q), tv(output_law(SD, p_hat, q), p)]),
    rhs=lambda p, p_hat: np.array([*p_hat, tv(p, p_hat)]),
    tight=[{"p": law("1/2", "1/2"), "p_hat": law("1/4", "3/4"), "q": law(1, 0)}],
    sources=("exact",),
    note="It is sd.lossless for p̂: “lossless” is a statement about the law that the verifier's pass computes.",
    broken=[broken("the law that was meant", rhs=lambda p, p_hat: np.array([*p, tv(p, p_hat)]))],
)


def noisy_output(p: Array, q: Array, q_hat: Array) -> Array:
    """Output law where drafts are drawn from q and the test and the residual use q̂.

    >>> [str(m) for m in noisy_output(law("1/2", "1/2"), law(1, 0), law("1/2", "1/2"))]
    ['1', '0']
    """
    chance = np.minimum(1, p / np.where(q_hat > 0, q_hat, 1))
    chance = np.where(q_hat > 0, chance, 1)
    accepted = q * chance
    rest = np.maximum(p - q_hat, 0)
    residual = rest / rest.sum() if rest.sum() else p
    return accepted + (1 - accepted.sum()) * residual


def _noisy(draw: Draw) -> Instance:
    p, q_hat = draw.pair(draw.vocab())
    return {"p": p, "q": draw.law(len(p)), "q_hat": q_hat}


DRAFT_NOISE = bound(
    name="numerics.draft-noise",
    statement=r"With drafts drawn from $q$ and $\hat q$ in the test and the residual, the bias is at most "
    r"$\mathrm{TV}(q, \hat q)$",
    reference=OWN,
    instances=_noisy,
    lhs=lambda p, q, q_hat: tv(noisy_output(p, q, q_hat), p),
    rhs=lambda q, q_hat: tv(q, q_hat),
    tight=[{"p": law("1/2", "1/2"), "q": law(1, 0), "q_hat": law("1/2", "1/2")}],
    sources=("exact",),
    note="Attained wherever p = q̂: every draft is accepted. A token that is drawn and has q̂ = 0 is accepted.",
    broken=[broken("half of it", rhs=lambda q, q_hat: tv(q, q_hat) / 2)],
)


def agreement(p: Array, other: Array, length: int) -> Array:
    """Probability that the texts of two tables agree on 0 … length tokens where each token is coupled as well as possible.

    Rows of a table: before the text, and after each token.
    """
    shared = np.minimum(p, other)
    agreed = np.array([F(1)] * len(p), dtype=object)
    values = [agreed[0]]
    for _ in range(length):
        agreed = np.array([(row * agreed[1:]).sum() for row in shared], dtype=object)
        values.append(agreed[0])
    return np.array(values, dtype=object)


def _tables(draw: Draw) -> Instance:
    vocab = 2
    rho = draw.number(1, 4)
    change = np.array([[1 / rho + (rho - 1 / rho) * draw.number(0, 1) for _ in range(vocab)] for _ in range(vocab + 1)])
    w = np.stack([draw.weights(vocab) for _ in range(vocab + 1)])
    return {"w": w, "change": change, "rho": rho, "length": draw.integer(1, 4)}


def _agreed(w: Array, change: Array, length: int) -> Array:
    return agreement(*laws_of(w, change), length)


TWO = {"w": np.array([[F(1), F(3)]] * 3), "change": np.array([[F(3), F(1, 3)]] * 3), "rho": F(3), "length": 2}

TEXT = bound(
    name="numerics.text",
    statement=r"Texts whose logits differ by at most $\varepsilon$ after equal prefixes, coupled token by token as "
    r"well as possible, agree on "
    r"their first $T$ tokens with probability at least $(1 - \tanh(\varepsilon/(2\tau)))^T$, $\tau$ the "
    r"temperature; so the total variation "
    r"of their laws is at most one minus that, and the first difference comes after no fewer tokens on average than "
    r"that sums to",
    reference=OWN,
    instances=_tables,
    assumes={CLOSE: is_close},
    lhs=_agreed,
    relation=at_least,
    rhs=lambda rho, length: np.array([(F(2) / (rho + 1)) ** n for n in range(length + 1)], dtype=object),
    tight=[TWO],
    outside={CLOSE: {**TWO, "change": np.array([[F(9), F(1, 9)]] * 3)}},
    sources=("exact",),
    note="1 − tanh(ε/(2τ)) = 2/(ρ + 1). With a temperature of its own at each position the power becomes a product. "
    "The total variation of two "
    "laws is at most the chance that a coupling of them disagrees.",
    broken=[
        broken(
            "one token less",
            rhs=lambda rho, length: np.array([(F(2) / (rho + 1)) ** (n - 1) for n in range(length + 1)]),
        )
    ],
)
