"""What claims about redistributing drafter kernels share: steps, maps and their acceptance, kernels of Eq. 2, predicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, close, exact, eye, law, mask, matrix, norm1, positive
from simspec.claims.deciding.data import ON_TEXTS, Data
from simspec.laws import restrict
from simspec.laws.unchecked import overlap
from simspec.methods import rdk

if TYPE_CHECKING:
    from simspec.logits.bank import Bank

__all__ = [
    "AT_P",
    "COUNTED_ALIKE",
    "EPSILON",
    "HALF",
    "NON_NEGATIVE",
    "OF_ANSWERS",
    "PRINTED",
    "ROWS",
    "ROWS_SUM",
    "STAY",
    "SWAP",
    "alpha_rdk",
    "alpha_tli",
    "at_least_drift",
    "banks",
    "contraction",
    "described_banks",
    "dominant",
    "drift",
    "factors",
    "model_of",
    "normal_rows",
    "pair_and_mask",
    "priced_step",
    "proposed",
    "some_step",
    "stochastic",
    "two_targets",
    "weights",
]


COUNTED_ALIKE = (
    "Tokens are counted in other documents of the same kind of text: in answers of the target where a bank has counts of such, "
    "as the one that ships has."
)
"""For criteria of drafters that keep frequent tokens."""
OF_ANSWERS = (
    "Statistics are of the target's own answers where a bank has such, as the one that ships has; those of corpus texts stand "
    "beside."
)
"""For criteria that are decided on the statistics of a bank."""


def banks(data: Data) -> dict[str, Bank]:
    """The bank whose statistics decide; beside it its statistics of corpus texts, and those of small models."""
    realistic = data.realistic
    texts = {ON_TEXTS: data.texts[ON_TEXTS]} if realistic.has_answer_statistics and data.texts else {}
    return {"main": realistic, **texts, **data.small}


def described_banks(data: Data) -> dict[str, str]:
    """Words for each bank."""
    return {name: data.describe_statistics(bank) for name, bank in banks(data).items()}


def model_of(data: str) -> str:
    """The model that a bank's description begins with."""
    return data.split(": ")[0]


NON_NEGATIVE = "no entry of M is negative"
ROWS_SUM = "the rows of M sum to one"


def stochastic(M: Array) -> bool:
    """Whether every row is a law (Assumption 4.1).

    >>> stochastic(matrix("2 -1"))
    False
    """
    return bool((M >= 0).all()) and close(M.sum(axis=-1), 1)


def proposed(q: Array, shared: Array, M: Array) -> Array:
    """What RDK drafts from: Mᵀq' by the package's own method, for any matrix M.

    >>> proposed(law(1, 0), mask("11"), matrix("0 1", "1 0")).tolist()
    [Fraction(0, 1), Fraction(1, 1)]
    """
    return rdk(shared, lambda v: v @ M).propose(q)


def weights(draw: Draw, vocab: int) -> Array:
    """Positive symmetric matrix exp(Ω/τ) of a covariance Ω; the matrix M of Eq. 2 is this with its rows normalised.

    Exact: rational, with a diagonal that makes log W strictly diagonally dominant.  Floats: covariance of log-probabilities.
    """
    if not draw.exact:
        logs = np.log(np.maximum(draw.law(vocab), 1e-12))
        centred = logs - logs.mean(axis=0)
        omega = centred.T @ centred / len(logs)
        return np.exp(omega * draw.number(0.1, 4) / omega.max())
    W = eye(vocab, True)
    for i in range(vocab):
        for j in range(i):
            W[i, j] = W[j, i] = F(draw.integer(1, 6), draw.integer(1, 4))
    for i in range(vocab):
        W[i, i] = draw.integer(2, 5) * dominant(W, i)
    return W


def dominant(W: Array, i: int) -> Any:
    """exp(Σ_{j≠i} |log W_ij|): a diagonal entry that is at least this large dominates its row."""
    others = np.array([max(w, 1 / w) for j, w in enumerate(W[i]) if j != i], dtype=object)
    return others.prod() if others.size else F(1)


def normal_rows(W: Array) -> Array:
    """M of Eq. 2 from W = exp(Ω/τ).

    >>> normal_rows(matrix("3 1", "1 1")).tolist()[0]
    [Fraction(3, 4), Fraction(1, 4)]
    """
    return W / W.sum(axis=-1, keepdims=True)


def contraction(M: Array) -> Any:
    r"""Dobrushin's coefficient :math:`\max_{i,k} \mathrm{TV}(M_i, M_k)`: 0 for equal rows, 1 for two disjoint ones.

    >>> contraction(matrix("1 0", "1/2 1/2"))
    Fraction(1, 2)
    """
    return max(norm1(M - row).max() for row in M) / 2


def factors(draw: Draw, vocab: int) -> Array:
    """The factors c_i of Ω_ij = c_i p_j: not negative, of the order of V."""
    if draw.exact:
        return exact([draw.integer(0, 4) for _ in range(vocab)])
    return draw.number(0, 4) * vocab * draw.law(vocab)[0]


def pair_and_mask(draw: Draw) -> Instance:
    """A target, a draft and a shared vocabulary."""
    n = draw.vocab()
    p, q = draw.pair(n)
    return {"p": p, "q": q, "shared": draw.mask(n)}


ROWS = "M is row-stochastic"
EPSILON = "ε is at least the ℓ1 distance between Mᵀp and p"


def drift(M: Array, p: Array) -> Any:
    """‖Mᵀp − p‖₁: how far p is from stationary.

    >>> drift(matrix("0 1", "1 0"), law(1, 0))
    Fraction(2, 1)
    """
    return norm1(p @ M - p)


def at_least_drift(M: Array, p: Array, epsilon: Any) -> bool:
    """Whether ε is at least ‖Mᵀp − p‖₁."""
    return bool((epsilon >= drift(M, p)).all() if np.ndim(epsilon) else epsilon >= drift(M, p))


def some_step(draw: Draw) -> dict[str, Any]:
    """A target, a draft, a shared vocabulary and a row-stochastic matrix."""
    n = draw.vocab(matrix=True)
    p, q = draw.pair(n)
    return {"p": p, "q": q, "shared": draw.mask(n), "M": draw.matrix(n)}


def priced_step(draw: Draw) -> dict[str, Any]:
    """A step and an ε that is at least its drift."""
    step = some_step(draw)
    return {**step, "epsilon": drift(step["M"], step["p"]) + draw.integer(0, 1) * draw.number(0, 1)}


HALF = law("1/2", "1/2")
SWAP = matrix("0 1", "1 0")
STAY = matrix("1 0", "0 1")
AT_P: dict[str, Any] = {"p": law(1, 0), "q": law(1, 0), "shared": mask("11")}


def alpha_rdk(p: Array, q: Array, shared: Array, M: Array) -> Any:
    """Acceptance of RDK with the matrix M."""
    return overlap(p, proposed(q, shared, M))


def alpha_tli(p: Array, q: Array, shared: Array) -> Any:
    """Acceptance of TLI."""
    return overlap(p, restrict(q, shared))


def two_targets(draw: Draw) -> dict[str, Any]:
    """One draft before two targets, a fixed prior, factors c and a form of the linear-time drafter."""
    n = draw.vocab(2, matrix=True)
    p, q = draw.pair(n)
    # floats: the target of another context, and the mean target as the fixed prior
    other_target, prior = (draw.law(n), draw.law(n)) if draw.exact else (p[::-1], p.mean(axis=0))
    shared = draw.mask(n)
    c = factors(draw, n)
    shared[q.argmax(axis=-1)] = True  # the draft has mass on I
    lowest = np.max((restrict(q, shared) * c).sum(axis=-1)) / n  # and s/τ ≤ V: r̂ is a law
    return {
        **{"p": p, "p2": other_target, "prior": prior, "q": q, "shared": shared},
        **{"c": c, "tau": lowest + positive(draw), "form": draw.integer(0, 2)},
    }


PRINTED = F(9946, 10_000)
