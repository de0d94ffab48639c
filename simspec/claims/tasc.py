"""Claims about the entropy of tasks (TASC §3); with those of `tasc_typical` (typical sets) and `tasc_drafts` (§5).

Everything here is about the law of T^n, whatever its n-grams are: outcomes are n-grams, rows are tasks.  Exact instances are
rational laws whose entropies are enclosed in balls; in floating point the tasks are the contexts of a source.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.balls import enclose, log
from simspec.claims.claim import Claim, Instance, at_most, equal
from simspec.claims.draw import Draw
from simspec.claims.rdk_parts import matrix
from simspec.claims.sd import law
from simspec.claims.tasc_drafts import CLAIMS as DRAFTS
from simspec.claims.tasc_typical import CLAIMS as TYPICAL
from simspec.claims.tasc_typical import shannon
from simspec.laws import Array, is_exact, tv

__all__ = ["CLAIMS"]


# --- several tasks --------------------------------------------------------------------------------------------------


TASKS = 32
"""Contexts of a source that stand for tasks."""


def _tasks(draw: Draw) -> Instance:
    """One law of n-grams for each task."""
    vocab = draw.vocab()
    if not draw.exact:
        return {"laws": draw.law(vocab)[:TASKS]}
    return {"laws": np.stack([draw.law(vocab) for _ in range(draw.integer(1, 3))])}


def _prior(draw: Draw) -> Instance:
    tasks = dict(_tasks(draw))
    count = len(tasks["laws"])
    prior = draw.law(count)
    return {**tasks, "prior": prior if draw.exact else prior[0]}


def _uniform(laws: Array) -> Array:
    weight = F(1, len(laws)) if is_exact(laws) else 1 / len(laws)
    return np.array([weight] * len(laws))


def _average(laws: Array, prior: Array | None = None) -> Any:
    """Mean over tasks of H(T^n | τ)."""
    prior = _uniform(laws) if prior is None else prior
    return sum(enclose(w) * h for w, h in zip(prior.tolist(), shannon(laws).tolist(), strict=True))


def _mixture(laws: Array, prior: Array | None = None) -> Array:
    """Law of T^n with the task summed out."""
    return (_uniform(laws) if prior is None else prior) @ laws


def _information(laws: Array, prior: Array) -> Any:
    """I(T^n; task) = Σ w_τ p_τ(x) log(p_τ(x) / p(x)) from the joint law."""
    joint, mixed = prior[:, None] * laws, _mixture(laws, prior)
    drawn = joint > 0
    odds = np.where(drawn, laws, 1) / np.where(drawn, mixed, 1)
    return (enclose(joint) * log(odds)).sum()


TASK_ENTROPY = Claim(
    name="tasc.task-entropy",
    kind="identity",
    statement=r"$|\mathcal T|^{-1}\sum_\tau H(T^n \mid \tau)$ is the entropy of $T^n$ not conditioned on the task, under "
    r"a uniform prior over tasks",
    reference="TASC, footnote 2",
    instances=_tasks,
    lhs=_average,
    rhs=lambda laws: shannon(_mixture(laws)),
    relation=equal,
    corrected_by=("tasc.task-entropy-corrected", "tasc.task-entropy-sharp"),
    note="The mean is the conditional entropy H(Tⁿ | task). Unconditioned, Tⁿ has the mixture of the tasks' laws, whose "
    "entropy is larger by the information that Tⁿ holds about the task: two tasks with one output each have entropies 0 "
    "and 0, and the mixture log 2.",
)

TASK_ENTROPY_CORRECTED = Claim(
    name="tasc.task-entropy-corrected",
    kind="identity",
    statement=r"For every prior $w$, $H(T^n) = \sum_\tau w_\tau H(T^n \mid \tau) + I(T^n; \mathsf T)$ with $I = "
    r"\sum_\tau w_\tau \mathrm{KL}(p_\tau \,\Vert\, \sum_\sigma w_\sigma p_\sigma)$",
    reference="correction of TASC, footnote 2",
    instances=_prior,
    lhs=lambda laws, prior: shannon(_mixture(laws, prior)),
    rhs=lambda laws, prior: _average(laws, prior) + _information(laws, prior),
    relation=equal,
    sums=16,
    corrected_by=("tasc.task-entropy-sharp",),
    note="The chain rule of entropy; I is the generalised Jensen–Shannon divergence of the tasks' laws.",
)


def _gap(laws: Array) -> Any:
    return shannon(_mixture(laws)) - _average(laws)


TASK_ENTROPY_SHARP = Claim(
    name="tasc.task-entropy-sharp",
    kind="bound",
    statement=r"Under a uniform prior the entropy of $T^n$ exceeds footnote 2's by at least $0$ and at most $\log "
    r"|\mathcal T|$, both attained",
    reference="own statement, beside TASC, footnote 2",
    instances=_tasks,
    lhs=lambda laws: np.array([-1, 1]) * _gap(laws),
    rhs=lambda laws: np.array([0, log(F(len(laws))) if is_exact(laws) else np.log(len(laws))]),
    relation=at_most,
    sums=16,
    tight=({"laws": matrix("1 0", "0 1")}, {"laws": matrix("1/3 2/3", "1/3 2/3")}),
    note="0 ≤ I(Tⁿ; task) ≤ H(task). The lower end is attained by equal laws, the upper one by laws without common "
    "outcomes.",
)

CONDITIONING = Claim(
    name="tasc.conditioning",
    kind="bound",
    statement=r"$H(T^n \mid \tau) < H(T^n)$ for every task $\tau$, for footnote 2's $H(T^n)$ (the mean over tasks; first "
    r"row) and for the entropy of the mixture (second row)",
    reference="TASC, Eq. 1",
    instances=_tasks,
    lhs=lambda laws: np.stack([shannon(laws)] * 2),
    rhs=lambda laws: np.array([[_average(laws)] * len(laws), [shannon(_mixture(laws))] * len(laws)]),
    relation=at_most,
    corrected_by=("tasc.conditioning-corrected",),
    note="Tested with ≤, so that equality would pass. No mean is above all that it is the mean of: the first reading "
    "fails whenever two entropies differ. The second fails too: a task of two equally likely outputs, mixed with one "
    "that always gives the first, has more entropy (log 2) than the mixture.",
)


def _distance(laws: Array, prior: Array) -> Any:
    """Mean squared total variation between a task's law and the mixture."""
    return (prior * tv(laws, _mixture(laws, prior)) ** 2).sum()


CONDITIONING_CORRECTED = Claim(
    name="tasc.conditioning-corrected",
    kind="bound",
    statement=r"On average over tasks, for every prior $w$, $\sum_\tau w_\tau H(T^n \mid \tau) \le H(T^n) - 2 \sum_\tau "
    r"w_\tau \mathrm{TV}(p_\tau, p)^2$ with $p$ the mixture: strictly below $H(T^n)$ unless all tasks of positive weight "
    r"have one law",
    reference="correction of TASC, Eq. 1",
    instances=_prior,
    lhs=_average,
    rhs=lambda laws, prior: shannon(_mixture(laws, prior)) - enclose(2 * _distance(laws, prior)),
    relation=at_most,
    sums=16,
    tight=({"laws": matrix("1/3 2/3", "1/3 2/3"), "prior": law("1/2", "1/2")},),
    note="Pinsker's inequality on each term of I(Tⁿ; task). So some task is below the mixture's entropy; which ones are "
    "is not decided by their being tasks.",
)

CLAIMS = (
    TASK_ENTROPY,
    TASK_ENTROPY_CORRECTED,
    TASK_ENTROPY_SHARP,
    CONDITIONING,
    CONDITIONING_CORRECTED,
    *TYPICAL,
    *DRAFTS,
)
