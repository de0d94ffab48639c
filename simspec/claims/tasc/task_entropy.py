"""The mean over tasks of conditional entropies is the entropy without knowing the task.

`tasc.task-entropy`, with its correction, its sharper form and where that is attained: TASC, footnote 2.

Everything here is about the law of T^n, whatever its n-grams are: outcomes are n-grams, rows are tasks.  Exact instances
are rational laws whose entropies are enclosed in balls; in floating point the tasks are the contexts of a source.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, bound, broken, identity, is_exact, law, matrix
from simspec.claims.balls import ball, enclose, log
from simspec.claims.claim import Printed
from simspec.claims.tasc.parts import average_entropy, mixture_of, shannon, some_tasks, tasks_with_prior
from simspec.laws.arrays import as_fractions


def _information(laws: Array, prior: Array) -> Any:
    """I(T^n; task) = Σ w_τ p_τ(x) log(p_τ(x) / p(x)) from the joint law."""
    joint = prior[:, None] * laws
    mixed = mixture_of(laws, prior)
    possible = joint > 0
    odds = as_fractions(np.where(possible, laws, 1)) / as_fractions(np.where(possible, mixed, 1))
    return (enclose(joint) * log(odds)).sum()


TASK_ENTROPY = identity(
    name="tasc.task-entropy",
    statement=r"$|\mathcal T|^{-1}\sum_\tau H(T^n \mid \tau)$ is the entropy of $T^n$ not conditioned on the task, under "
    r"a uniform prior over tasks",
    reference="TASC, footnote 2",
    instances=some_tasks,
    lhs=average_entropy,
    rhs=lambda laws: shannon(mixture_of(laws)),
    within=({"laws": matrix("1/2 1/2", "9/10 1/10")},),
    corrected_by=("tasc.task-entropy-corrected", "tasc.task-entropy-sharp"),
    note="The mean is the conditional entropy H(Tⁿ | task). Unconditioned, Tⁿ has the mixture of the tasks' laws, whose "
    "entropy is larger by the information that Tⁿ holds about the task: two tasks with one output each have entropies 0 "
    "and 0, and the mixture log 2.",
    printed=Printed(
        place="TASC, footnote 2",
        text="Formally, we can take a uniform prior over possible tasks and define …",
        read="The definition gives the entropy that is not conditioned on the task.",
    ),
)

TASK_ENTROPY_CORRECTED = identity(
    name="tasc.task-entropy-corrected",
    statement=r"For every prior $w$, $H(T^n) = \sum_\tau w_\tau H(T^n \mid \tau) + I(T^n; \mathsf T)$ with $I = "
    r"\sum_\tau w_\tau \mathrm{KL}(p_\tau \,\Vert\, \sum_\sigma w_\sigma p_\sigma)$",
    reference="correction of TASC, footnote 2",
    instances=tasks_with_prior,
    lhs=lambda laws, prior: shannon(mixture_of(laws, prior)),
    rhs=lambda laws, prior: average_entropy(laws, prior) + _information(laws, prior),
    sums=16,
    corrected_by=("tasc.task-entropy-sharp",),
    note="The chain rule of entropy; I is the generalised Jensen–Shannon divergence of the tasks' laws.",
    broken=[
        broken(
            "the mean entropy without the information of the task",
            rhs=lambda laws, prior: sum(enclose(w) * h for w, h in zip(prior, shannon(laws), strict=True)),
        )
    ],
)


def _gap(laws: Array) -> Any:
    return shannon(mixture_of(laws)) - average_entropy(laws)


TASK_ENTROPY_SHARP = bound(
    name="tasc.task-entropy-sharp",
    statement=r"Under a uniform prior the entropy of $T^n$ exceeds footnote 2's by at least $0$ and at most $\log "
    r"|\mathcal T|$",
    reference="own statement, beside TASC, footnote 2",
    instances=some_tasks,
    lhs=lambda laws: np.array([-1, 1]) * _gap(laws),
    rhs=lambda laws: np.array([0, log(F(len(laws))) if is_exact(laws) else np.log(len(laws))]),
    sums=16,
    tight=({"laws": matrix("1 0", "0 1")}, {"laws": matrix("1/3 2/3", "1/3 2/3")}),
    note="0 ≤ I(Tⁿ; task) ≤ H(task). Both ends are attained: tasc.task-entropy-sharp.attained.",
    broken=[
        broken(
            "half of the entropy of a fair coin",
            rhs=lambda laws: np.array([0 * shannon(laws[0]), shannon(law("1/2", "1/2")) / 2]),
        ),
        broken(
            "the entropy of the mean is taken off",
            lhs=lambda laws: np.stack([shannon(laws).max() - shannon(laws.mean(axis=0))] * 2),
        ),
    ],
)


def _equal(laws: Array) -> Array:
    """As many tasks, all with the law of the first."""
    return np.stack([laws[0]] * len(laws))


def _disjoint(laws: Array) -> Array:
    """The same laws, every task with outcomes of its own."""
    tasks, outcomes = laws.shape
    apart = np.zeros((tasks, tasks, outcomes), dtype=laws.dtype) + 0 * laws[0]
    apart[range(tasks), range(tasks)] = laws
    return apart.reshape(tasks, tasks * outcomes)


TASK_ENTROPY_ATTAINED = identity(
    name="tasc.task-entropy-sharp.attained",
    statement=r"Under a uniform prior the entropy of $T^n$ exceeds footnote 2's by $0$ where all tasks have one law, whatever "
    r"it is, and by $\log |\mathcal T|$ where no two tasks have an outcome in common, whatever their laws are",
    reference="own statement, the extremal cases of tasc.task-entropy-sharp",
    instances=some_tasks,
    lhs=lambda laws: np.array([_gap(_equal(laws)), _gap(_disjoint(laws))], dtype=object),
    rhs=lambda laws: np.array([0, log(F(len(laws)))], dtype=object),
    sources=("exact",),
    tight=({"laws": matrix("1 0", "1/2 1/2")},),
    broken=[
        broken(
            "one bit for each distribution but one", rhs=lambda laws: np.array([0, ball(len(laws) - 1)], dtype=object)
        ),
        broken(
            "one bit in place of the logarithm", rhs=lambda laws: np.array([ball(1), log(F(len(laws)))], dtype=object)
        ),
    ],
)
