"""The studies that ship, and how a study is found by name: one of these, a file's object, or a module's.

`acceptance` measures exact rates; `blocks` follows paths, because how long a block gets depends on what its positions
share; `pruning` cuts the drafter's vocabulary; the others are described in files of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from simspec.checks import nearest
from simspec.engine.devices import arrays
from simspec.engine.estimates import stopping
from simspec.engine.estimates.estimators import Conditional
from simspec.engine.estimates.statistics import Counts, Mean, Share
from simspec.engine.estimates.stopping import HalfWidth
from simspec.engine.results import Results
from simspec.engine.run import run as run_study
from simspec.engine.study import Cell, Rows, Study, cross
from simspec.kernels import random as philox
from simspec.laws import Array, softmax
from simspec.laws.unchecked import cdf, overlap
from simspec.loading import installed, load, place_of
from simspec.studies.csqs.threshold_paths import threshold_paths
from simspec.studies.ears.relaxed import relaxed_curves, sequence_bias
from simspec.studies.joint.budgets import drafted_tokens
from simspec.studies.joint.rounds import joint_rounds
from simspec.studies.joint.shapes import drafted_chains, drafted_siblings
from simspec.studies.levels import by_levels
from simspec.studies.levels_advice import why_whole_rows
from simspec.studies.pad.labels import labelling
from simspec.studies.pad.pipeline import pipeline
from simspec.studies.pad.pivots import unnecessary
from simspec.studies.pairs import synthetic_acceptance, synthetic_acceptances, synthetic_logits
from simspec.studies.rare import rare_texts
from simspec.studies.rdk.pruning import synthetic_pruning
from simspec.studies.sd.rounds import rounds_against_formula
from simspec.studies.sd.wide import heavy_tails, wide_vocabulary
from simspec.studies.sqs.edge_cloud import edge_cloud

__all__ = ["GAMMAS", "acceptance", "blocks", "catalogue", "find", "pruning", "run"]

GAMMAS = (1, 2, 4, 8)
"""Drafts per target call in the study `blocks`."""
_LONGEST = max(GAMMAS)
_TOKEN = 2
_ACCEPT = 3
"""Purposes of the draws of a path; target and draft logits take 0 and 1."""


def _rates(cell: Cell, rows: Rows, device: str) -> dict[str, Array]:
    return {"alpha": synthetic_acceptance(cell, rows, xp=arrays(device))}


def _rates_together(requests: Sequence[tuple[Cell, Rows]], device: str) -> list[dict[str, Array]]:
    return [{"alpha": alpha} for alpha in synthetic_acceptances(requests, xp=arrays(device))]


def acceptance() -> Study:
    r"""Acceptance :math:`\sum_i \min(p_i, q_i)` of speculative decoding, exact for each simulated pair of laws.

    Cells: ``family`` (Gaussian or Student-t logits, these with ``df``), ``scale`` of the logits, correlation ``rho`` of
    draft and target logits, ``vocab``.  Value: ``alpha``, one number for each pair, without a uniform and without storing
    its logits.  For a half-width that whole rows take long to reach, rows are levels (`simspec.studies.levels.by_levels`).

    >>> len(acceptance().grid)
    36
    """
    families = ({"family": "gaussian"}, {"family": "student-t", "df": 10}, {"family": "student-t", "df": 30})
    rest = cross(scale=(1.0, 2.0), rho=(0.5, 0.9, 0.99), vocab=(1000, 32_000))
    return Study(
        name="acceptance",
        question="How does the acceptance rate depend on how closely the draft's logits follow the target's?",
        grid=tuple({**family, **cell} for family in families for cell in rest),
        simulate=_rates,
        summary="alpha: the overlap of target and draft law",
        rows=16,
        measures={"alpha": Conditional()},
        stop=HalfWidth("alpha", 0.01),
        devices=("cpu", "gpu"),
        steadier=by_levels,
        advice=why_whole_rows,
        together=_rates_together,
    )


def _paths(cell: Cell, rows: Rows, device: str) -> dict[str, Array]:
    """Draft, test, stop at the first rejection: γ positions of every row at once."""
    gamma = int(cell["gamma"])
    count = len(rows.numbers)
    shared = cell["laws"] == "one a block"
    if shared:
        p, q = (softmax(z)[:, None] for z in synthetic_logits(cell, rows))
    else:  # position i of row n has its pair of laws under number n * _LONGEST + i
        places = range(rows.numbers.start * _LONGEST, rows.numbers.stop * _LONGEST)
        logits = synthetic_logits(cell, Rows(rows.key, places))
        p, q = (softmax(z).reshape(count, _LONGEST, -1)[:, :gamma] for z in logits)
    u = philox.uniform(rows.key, rows.numbers, range(gamma), _TOKEN)
    uniform = philox.uniform(rows.key, rows.numbers, range(gamma), _ACCEPT)
    token = np.minimum((cdf(q) < u[..., None]).sum(axis=-1), p.shape[-1] - 1)[..., None]
    mass = np.take_along_axis(np.broadcast_to(q, (count, gamma, q.shape[-1])), token, axis=-1)[..., 0]
    target = np.take_along_axis(np.broadcast_to(p, (count, gamma, p.shape[-1])), token, axis=-1)[..., 0]
    is_accepted = np.logical_and.accumulate(uniform * mass < np.minimum(target, mass), axis=1)
    rates = np.broadcast_to(overlap(p, q).clip(0, 1), (count, gamma))
    return {
        "alpha": rates[:, 0],
        "kept": is_accepted,
        "accepted": np.cumprod(rates, axis=1).sum(axis=1),
        "accepted on a path": is_accepted.sum(axis=1),
        "length": 1 + is_accepted.sum(axis=1),
    }


def blocks() -> Study:
    r"""How many of γ drafts are accepted, path by path, to be held against :math:`(1-\alpha^{\gamma+1})/(1-\alpha)`.

    Cells: ``laws``, whether each position of a block has a pair of laws of its own, independent of the others (the
    assumption of the formula), or all positions share one; ``gamma``; ``rho``; ``scale``; ``vocab``.  Values:
    ``alpha``, the first position's acceptance rate; ``kept[i]``, whether drafts 0 to i were all accepted; ``accepted on a
    path``, their number; ``accepted``, what that number is on average given the laws of the positions,
    :math:`\sum_{k \le \gamma} \alpha_1 \cdots \alpha_k`, which varies less; ``length``, tokens that the block emits, as a
    histogram.  With the mean of alpha, the formula less 1 is the mean of accepted where positions are independent, and too
    small where they share their laws (Jensen).

    >>> len(blocks().grid)
    16
    """
    return Study(
        name="blocks",
        question="Does the formula for independent steps predict the mean length of a block?",
        grid=cross(laws=("one a position", "one a block"), gamma=GAMMAS, rho=(0.5, 0.9), scale=(2.0,), vocab=(64,)),
        simulate=_paths,
        summary="accepted drafts of a block, on average given its laws, and on a path with single draws",
        rows=512,
        measures={
            "alpha": Conditional(),
            "kept": Share(),
            "accepted": Conditional(0, _LONGEST, of="accepted on a path"),
            "accepted on a path": Mean(0, _LONGEST),
            "length": Counts(tuple(i + 0.5 for i in range(1, _LONGEST + 1))),
        },
        stop=HalfWidth("accepted", 0.1, 0, _LONGEST),
    )


def pruning() -> Study:
    """Acceptance against pruning (`synthetic_pruning`), with its values measured as means.

    >>> study = pruning()
    >>> study.name, sorted(study.measures)[:3]
    ('synthetic-pruning', ['affine', 'mixture', 'none'])
    """
    names = ("none", "tli", "rdk prior", "rdk leaking", "affine", "mixture", "uniform", "unigram", "top")
    study = synthetic_pruning()
    return replace(study, rows=4, measures=dict.fromkeys(names, Conditional()), stop=stopping.Rows(20))


@cache
def catalogue() -> Mapping[str, Study]:
    """The studies that ship, by the name that the command line takes.

    >>> list(catalogue())[:3]
    ['acceptance', 'blocks', 'pruning']
    """
    studies = (
        wide_vocabulary(),
        heavy_tails(),
        drafted_tokens(),
        drafted_chains(),
        drafted_siblings(),
        joint_rounds(),
        rounds_against_formula(),
        threshold_paths(),
        relaxed_curves(),
        sequence_bias(),
        unnecessary(),
        labelling(),
        pipeline(),
        edge_cloud(),
        rare_texts(),
    )
    return {"acceptance": acceptance(), "blocks": blocks(), "pruning": pruning()} | {s.name: s for s in studies}


def find(reference: str) -> Study:
    """A study that ships, by its name; or ``FILE.py:OBJECT``, or ``module:OBJECT``: a `Study`, or a function that makes one.

    A package registers studies of its own as entry points of the group ``simspec.studies``; they are found by name.  A
    file's study travels to workers by value, a module's by name: there the module must be installed on them.

    Raises ValueError where there is no such study; the message lists those that there are, and names the nearest.

    >>> find("simspec.studies.catalogue:acceptance").name
    'acceptance'
    """
    if reference in catalogue():
        return catalogue()[reference]
    registered = installed("study")
    if place_of(reference) is None and reference not in registered:
        hint = f"{reference}:OBJECT" if reference.endswith(".py") else "FILE.py:OBJECT or module:OBJECT"
        names = [*catalogue(), *registered]
        raise ValueError(
            f"study: {reference!r} is not known{nearest(reference, names)}; expected one of {', '.join(names)}, or {hint}"
        )
    return load(reference, "study", Study, arguments=())


def run(study: Study | str, *args: Any, **options: Any) -> Results:
    """Run a study, or the one of a name that `find` knows: `simspec.engine.run.run`, which says what else may be given.

    >>> run("simspec.studies.catalogue:acceptance", max_rows=64)[0].rows
    64
    """
    if not isinstance(study, (Study, str)):
        raise ValueError(
            f"study: a {type(study).__name__}; expected a Study, or the name of a study such as 'acceptance'"
        )
    return run_study(find(study) if isinstance(study, str) else study, *args, **options)
