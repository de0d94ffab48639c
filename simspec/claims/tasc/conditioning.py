"""`tasc.conditioning`, for every task and for some, with its correction: TASC, Eq. 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, bound, identity, law, matrix
from simspec.claims.balls import enclose, log
from simspec.claims.claim import Printed
from simspec.claims.tasc.parts import average_entropy, mixture_of, shannon, some_tasks, tasks_with_prior
from simspec.laws import tv

CONDITIONING = bound(
    name="tasc.conditioning",
    statement=r"$H(T^n \mid \tau) < H(T^n)$ for every task $\tau$, for footnote 2's $H(T^n)$ (the mean over tasks; first "
    r"row) and for the entropy of the mixture (second row)",
    reference="TASC, Eq. 1",
    instances=some_tasks,
    lhs=lambda laws: np.stack([shannon(laws)] * 2),
    rhs=lambda laws: np.array([[average_entropy(laws)] * len(laws), [shannon(mixture_of(laws))] * len(laws)]),
    within=({"laws": matrix("1/2 1/2", "9/10 1/10")},),
    corrected_by=("tasc.conditioning-corrected", "tasc.conditioning.some"),
    note="Tested with ≤, so that equality would pass. No mean is above all that it is the mean of: the first reading "
    "fails whenever two entropies differ. The second fails too: a task of two equally likely outputs, mixed with one "
    "that always gives the first, has more entropy (log 2) than the mixture.",
    printed=Printed(
        place="TASC 3.1, Eq. 1",
        text="Formally, the skewed n-gram distribution exhibits reduced entropy …",
        read="For every task, strictly; unconditioned as footnote 2 says, or as the mixture.",
    ),
)


def _distance(laws: Array, prior: Array) -> Any:
    """Mean squared total variation between a task's law and the mixture."""
    return (prior * tv(laws, mixture_of(laws, prior)) ** 2).sum()


CONDITIONING_CORRECTED = bound(
    name="tasc.conditioning-corrected",
    statement=r"On average over tasks, for every prior $w$, $\sum_\tau w_\tau H(T^n \mid \tau) \le H(T^n) - 2 \sum_\tau "
    r"w_\tau \mathrm{TV}(p_\tau, p)^2$ with $p$ the mixture: strictly below $H(T^n)$ unless all tasks of positive weight "
    r"have one law",
    reference="correction of TASC, Eq. 1",
    instances=tasks_with_prior,
    lhs=average_entropy,
    rhs=lambda laws, prior: shannon(mixture_of(laws, prior)) - enclose(2 * _distance(laws, prior)),
    sums=16,
    tight=({"laws": matrix("1/3 2/3", "1/3 2/3"), "prior": law("1/2", "1/2")},),
    note="Pinsker's inequality on each term of I(Tⁿ; task). So some task is below the mixture's entropy; which ones are "
    "is not decided by their being tasks.",
)


def _apart(draw: Draw) -> Instance:
    """Up to three tasks, each with outputs of its own."""
    sizes = [draw.integer(1, 3) for _ in range(draw.integer(1, 3))]
    laws = np.full((len(sizes), sum(sizes)), F(0), dtype=object)
    for row, (size, end) in enumerate(zip(sizes, np.cumsum(sizes).tolist(), strict=True)):
        laws[row, end - size : end] = draw.law(size)
    return {"laws": laws}


NONE_SHARED = "no two tasks share an output"

CONDITIONING_SOME = identity(
    name="tasc.conditioning.some",
    statement=r"For $m$ equally likely tasks no two of which share an output, $H(T^n) = \frac1m \sum_\tau H(T^n \mid \tau) + "
    r"\log m$: every task is below the mixture where none exceeds their mean by $\log m$, and far below it where there are many "
    r"(one output each: $0$ against $\log m$)",
    reference="TASC, Eq. 1, read as: for some tasks",
    instances=_apart,
    assumes={NONE_SHARED: lambda laws: bool(((laws > 0).sum(axis=0) <= 1).all())},
    lhs=lambda laws: shannon(mixture_of(laws)),
    rhs=lambda laws: average_entropy(laws) + log(F(len(laws))),
    sources=("exact",),
    outside={NONE_SHARED: {"laws": matrix("1", "1")}},
    note="“≪” has no number; the ratio has no lower bound. Shared outputs lower the gap, to nothing for equal laws: log m is "
    "its largest (tasc.task-entropy-sharp).",
)
