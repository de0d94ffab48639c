"""A larger target of the dropped probability makes it possible to keep fewer tokens.

`csqs.alpha-reduces-k` is what SQS 3 prints.  That the adaptive threshold always does keep fewer, along every path or on average,
is printed nowhere: these are own statements, which fail.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_most, bound, identity, law, shifted
from simspec.claims.claim import Printed
from simspec.claims.csqs.parts import both, number, steps
from simspec.laws import Scalar
from simspec.methods.csqs.conformal import draft_thresholds, update
from simspec.methods.sqs.quantised import dropped_mass, threshold_mask, top_mask

__all__ = ["fewest"]


def _two_targets(draw: Draw) -> Instance:
    instance = dict(steps(draw))
    larger_target = instance["dropped_target"] + number(draw, 0, "1/8")
    return {**instance, "larger_target": larger_target}


def _sizes(q: Array, start: Scalar, step_size: Scalar, target: Scalar) -> Array:
    """Tokens kept at each position, in both readings of an empty set."""
    return both(lambda top: draft_thresholds(q, start, step_size, target, top).masks.sum(axis=-1))


def _second(q: Array, start: Scalar, step_size: Scalar, target: Scalar) -> Array:
    return both(lambda top: draft_thresholds(q, start, step_size, target, top).thresholds[1])


_BETWEEN = F(1, 4) + F(3, 4) / 10**6
"""A mass between the thresholds that two targets lead to from 1/4 in one step."""

LARGER = "the second target is at least the first"

SENTENCE = Printed(
    place="SQS 3",
    text="which in turn makes it possible to reduce the second term",
    read="The second term is K/(4ℓ): a larger target allows as few tokens or fewer, of any text.",
)


def _short(draw: Draw) -> Instance:
    vocab = draw.integer(1, 3)
    q = np.stack([draw.law(vocab) for _ in range(draw.integer(1, 3))])
    low = draw.number(0, 1)
    return {"q": q, "dropped_target": low, "larger_target": low + draw.number(0, 1 - low)}


def fewest(q: Array, target: Scalar) -> Array:
    """The fewest kept tokens of each law, over all sets of them that drop at most the target on average.

    >>> fewest(np.stack([law("1/2", "1/2")] * 2), F(1, 4)).tolist()
    [1, 2]
    """
    vocab = q.shape[-1]
    length = len(q)
    lost = [[1 - row[top_mask(row, k)].sum() if k else F(1) for k in range(vocab + 1)] for row in q]
    fits = (
        sizes
        for sizes in product(range(vocab + 1), repeat=length)
        if sum(row[k] for row, k in zip(lost, sizes, strict=True)) <= target * length
    )
    return np.array(min(fits, key=lambda sizes: (sum(sizes), sizes)))


POSSIBLE = bound(
    name="csqs.alpha-reduces-k",
    statement=r"A larger target $\alpha$ makes it possible to reduce $K$: the fewest tokens that can be kept of any text "
    r"while at "
    r"most $\alpha$ is dropped on average do not rise with $\alpha$",
    reference="SQS 3",
    instances=_short,
    assumes={LARGER: lambda dropped_target, larger_target: larger_target >= dropped_target},
    lhs=lambda q, larger_target: int(fewest(q, larger_target).sum()),
    rhs=lambda q, dropped_target: int(fewest(q, dropped_target).sum()),
    sources=("exact",),
    tight=({"q": np.stack([law(1)]), "dropped_target": F(0), "larger_target": F(1, 2)},),
    outside={LARGER: {"q": np.stack([law(1)]), "dropped_target": F(1), "larger_target": F(0)}},
    note="That is what a larger target makes possible; whether the rule of Eq. 8 does it depends on its steps. One "
    "threshold for "
    "the whole text comes near the fewest (csqs.best-fixed-threshold).",
    printed=SENTENCE,
    broken=[shifted(1)],
)


PATH = bound(
    name="csqs.alpha-reduces-k.path",
    statement=r"A larger target $\alpha$ reduces $K$ along every text: the adaptive threshold keeps no more tokens at any "
    "position, whatever the step size",
    reference="own statement, on SQS 3: along every path",
    instances=_two_targets,
    assumes={LARGER: lambda dropped_target, larger_target: larger_target >= dropped_target},
    lhs=lambda q, start, step_size, larger_target: _sizes(q, start, step_size, larger_target),
    rhs=lambda q, start, step_size, dropped_target: _sizes(q, start, step_size, dropped_target),
    relation=at_most,
    sources=("exact",),
    outside={
        LARGER: {
            "q": np.stack([law("1/2", "1/2")] * 2),
            "start": F(0),
            "step_size": F(1),
            "dropped_target": F(3, 4),
            "larger_target": F(1, 4),
        }
    },
    within=(
        {
            "q": np.stack([law("1/2", "1/2"), law(_BETWEEN, 1 - _BETWEEN), law("1/4", "3/4")]),
            **{"start": F(1, 4), "step_size": F(1, 1000), "dropped_target": F(1, 2000), "larger_target": F(1, 1000)},
        },
    ),
    corrected_by=("csqs.alpha-reduces-k.path-corrected",),
    note="A higher threshold drops more, and what it drops lowers the next threshold by η times that: where a token lies "
    "between "
    "the two thresholds, the order of the paths can turn round.",
)

PATH_CORRECTED = identity(
    name="csqs.alpha-reduces-k.path-corrected",
    statement=r"The first update keeps the order of two targets: of the one that is larger by $\Delta\alpha$ the threshold "
    r"$\beta_2$ is larger by $\eta\,\Delta\alpha$",
    reference="own statement, in place of csqs.alpha-reduces-k.path",
    instances=_two_targets,
    lhs=lambda q, start, step_size, dropped_target, larger_target: (
        _second(q, start, step_size, larger_target) - _second(q, start, step_size, dropped_target)
    ),
    rhs=lambda step_size, dropped_target, larger_target: step_size * (larger_target - dropped_target),
    sources=("exact",),
    broken=[shifted(F(1, 100))],
)


def _eighths(draw: Draw, vocab: int) -> Array:
    """A law whose masses are multiples of 1/8, so that thresholds of eighths come round."""
    cuts = sorted(draw.integer(0, 8) for _ in range(vocab - 1))
    return np.array([F(b - a, 8) for a, b in zip([0, *cuts], [*cuts, 8], strict=True)], dtype=object)


def _stationary(draw: Draw) -> Instance:
    """One or two laws that repeat for ever, a step size in quarters, targets in eighths."""
    vocab = draw.integer(2, 5)
    q = np.stack([_eighths(draw, vocab) for _ in range(draw.integer(1, 2))])
    low = draw.integer(1, 7)
    targets = {"dropped_target": F(low, 8), "larger_target": F(draw.integer(low, 7), 8)}
    return {"q": q, "start": F(draw.integer(0, 4), 4), "step_size": F(draw.integer(1, 12), 4), **targets}


def _long_run(q: Array, start: Scalar, step_size: Scalar, target: Scalar) -> F:
    """Tokens kept on average for ever: the laws repeat from each of them as the first, thresholds come round.

    Read literally, so that thresholds stay in a range (csqs.threshold-range) and, in steps of one size, repeat.
    """
    total = F(0)
    for first in range(len(q)):
        at = first
        beta = start
        path = list[int]()
        first_visit: dict[tuple[int, Any], int] = {}
        while (at, beta) not in first_visit:
            first_visit[at, beta] = len(path)
            mask = threshold_mask(q[at], beta, keep_top=False)
            path.append(int(mask.sum()))
            beta = update(beta, dropped_mass(q[at], mask), step_size, target)
            at = (at + 1) % len(q)
        cycle = path[first_visit[at, beta] :]
        total += F(sum(cycle), len(cycle))
    return total / len(q)


_LIKELY: dict[str, Any] = {"q": np.stack([law("7/8", "1/8")]), "start": F(0), "step_size": F(2)}

AVERAGE = bound(
    name="csqs.alpha-reduces-k.average",
    statement=r"A larger target $\alpha$ reduces $K$ on average: over a stationary source (laws that repeat, "
    "from a random one of them on), read literally, no more tokens are kept in the long run",
    reference="own statement, on SQS 3: on average",
    instances=_stationary,
    assumes={LARGER: lambda dropped_target, larger_target: larger_target >= dropped_target},
    lhs=lambda q, start, step_size, larger_target: _long_run(q, start, step_size, larger_target),
    rhs=lambda q, start, step_size, dropped_target: _long_run(q, start, step_size, dropped_target),
    sources=("exact",),
    outside={LARGER: {**_LIKELY, "dropped_target": F(7, 8), "larger_target": F(1, 8)}},
    against=({**_LIKELY, "dropped_target": F(1, 8), "larger_target": F(1, 4)},),
    within="none is given: at η = 0.001 and α = 0.0005 a threshold rises by 5 · 10⁻⁷ a token, and jumps only over "
    "masses as near to each other",
    corrected_by=("csqs.alpha-reduces-k",),
    note="The average dropped mass does rise to the larger α, but what a token of dropped mass costs differs: a "
    "threshold that "
    "jumps over small tokens drops a large one with them, and pays with few tokens for much mass.",
)
