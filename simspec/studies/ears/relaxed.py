"""Relaxed acceptance rules side by side: what each gains and costs on one token, and its bias over whole texts.

`relaxed_curves` compares rules on synthetic laws, at the same drafts; `sequence_bias` follows the bias of a rule through
texts of up to 64 tokens, beside the exact bounds of `simspec.methods.ears.texts`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.estimates.statistics import Mean, Measure, Share
from simspec.engine.estimates.stopping import HalfWidth
from simspec.engine.study import Cell, Rows, Study, cross
from simspec.kernels import random as philox
from simspec.laws import Array, softmax
from simspec.laws.unchecked import overlap, top_p
from simspec.logits import Draws, synthetic
from simspec.methods.ears.acceptance import UNCERTAINTIES, ears, fresh
from simspec.methods.ears.costs import curve
from simspec.methods.ears.relaxed import lenience, levelled, mixture, typical
from simspec.methods.ears.texts import agreement, bhattacharyya, expected_bias, sampled_tv, text_kl
from simspec.methods.method import Method, output_law
from simspec.methods.sd import SD
from simspec.studies.levels_advice import why_whole_rows
from simspec.studies.pairs import synthetic_logits

__all__ = ["FAMILIES", "LENGTHS", "MOST_KL", "RULES", "Family", "relaxed_curves", "sequence_bias"]

BETAS = (0.05, 0.1, 0.15, 0.2, 0.5)
LENIENCES = (0.9, 0.8, 0.6, 0.4, 0.2)
WEIGHTS = (0.02, 0.05, 0.1, 0.2, 0.5)
MOST_KL = 10.0
"""Nats at which a divergence is cut, so that its mean exists; how often it is infinite is measured beside."""


class Family(NamedTuple):
    """Rules that differ in one number, from the strictest to the most relaxed."""

    strengths: tuple[float, ...]
    make: Callable[[float], Method]


FAMILIES: dict[str, Family] = {
    "SD": Family((0.0,), lambda strength: SD),
    **{
        f"ears {name}": Family(BETAS, lambda strength, signal=signal: ears(strength, signal))  # type: ignore[misc]
        for name, signal in UNCERTAINTIES.items()
    },
    "ears fresh": Family(BETAS, lambda strength: replace(ears(strength), residual=fresh)),
    "lenience": Family(LENIENCES, lenience),
    "lenience levelled": Family(LENIENCES, lambda strength: levelled(lenience(strength))),
    "mixture": Family(WEIGHTS, mixture),
    "typical": Family((0.09,), lambda strength: typical(strength)),
}
"""Rules by family: SD, EARS with each uncertainty (and with a fresh draw after a rejection), the others."""

QUANTITIES = ("acceptance", "tv", "kl", "infinite", "support", "frontier")


def _pairs(cell: Cell, rows: Rows) -> tuple[Array, Array]:
    """Target and draft laws (rows, V) of correlated logits, both cut to the same nucleus mass."""
    p, q = map(softmax, synthetic_logits(cell, rows))
    return (p, q) if cell["nucleus"] == 1 else (top_p(p, cell["nucleus"]), top_p(q, cell["nucleus"]))


def _compare(cell: Cell, rows: Rows, device: str) -> dict[str, Array]:
    p, q = _pairs(cell, rows)
    values: dict[str, Array] = {"alpha": overlap(p, q)}
    for name, family in FAMILIES.items():
        points = curve([(str(s), family.make(s)) for s in family.strengths], p, q)
        columns = {
            "acceptance": [point.acceptance for point in points],
            "tv": [point.tv for point in points],
            "kl": [np.minimum(point.kl, MOST_KL) for point in points],
            "infinite": [np.isinf(point.kl) for point in points],
            "support": [point.support for point in points],
            "frontier": [point.frontier for point in points],
        }
        values |= {f"{quantity} {name}": np.stack(column, axis=-1) for quantity, column in columns.items()}
    return values


def relaxed_curves() -> Study:
    r"""Acceptance, bias and divergence of relaxed rules on the same pairs of laws, exact for each simulated pair.

    Cells: ``family`` (Gaussian or Student-t logits, these with ``df``), ``scale``, correlation ``rho``, ``vocab``, and
    ``nucleus``, the mass that top-p sampling keeps of both laws (1: all of it).  Values, each for the strengths of a
    family of rules (`FAMILIES`, as ``tv lenience[0]``): ``acceptance``; ``tv`` of the output law and the target;
    ``kl``, KL(o‖p) in nats, cut at `MOST_KL`; ``infinite``, whether it is infinite; ``support``, the probability of
    a token that the target excludes; ``frontier``, the best acceptance of any rule with that ``tv``.

    >>> study = relaxed_curves()
    >>> len(study.grid), len(study.measures)
    (48, 55)
    """
    families = ({"family": "gaussian"}, {"family": "student-t", "df": 10})
    rest = cross(scale=(1.0, 2.0), rho=(0.5, 0.9, 0.99), vocab=(1000, 32_000), nucleus=(1.0, 0.9))
    kinds: dict[str, Measure] = {name: Mean() for name in QUANTITIES}
    kinds |= {"kl": Mean(0, MOST_KL), "infinite": Share()}
    measures = {f"{quantity} {name}": kinds[quantity] for name in FAMILIES for quantity in QUANTITIES}
    return Study(
        name="relaxed-curves",
        question="How much acceptance does a relaxed rule gain, and how much does it change the output distribution?",
        grid=tuple({**family, **cell} for family in families for cell in rest),
        simulate=_compare,
        summary="exact acceptance, total variation and divergence of each rule",
        rows=8,
        measures={"alpha": Mean(), **measures},
        stop=HalfWidth("alpha", 0.05),
        advice=why_whole_rows,
    )


LENGTHS = (1, 2, 4, 8, 16, 32, 64)
"""Tokens of the texts whose bias is estimated; the index of a value is a place in this list."""

BOUNDS = ("root low", "root high", "disagreement", "summed bias", "kl bound")
"""Exact bounds beside the estimate: the first from below, the others from above."""

RULES: dict[str, Callable[[float], Method]] = {
    "SD": lambda strength: SD,
    "ears": ears,
    "ears fresh": lambda strength: replace(ears(strength), residual=fresh),
    "lenience": lenience,
    "lenience levelled": lambda strength: levelled(lenience(strength)),
    "mixture": mixture,
    "typical": typical,
}


class _Texts(NamedTuple):
    """A Markov model as text laws, with the exact bounds at each of `LENGTHS`."""

    target: Array
    emitted: Array
    step: Array
    bounds: dict[str, Array]


@lru_cache(maxsize=64)
def _texts(items: tuple[tuple[str, Any], ...]) -> _Texts:
    """Return the models of a cell and the exact bounds at each length; all rows of the cell share them."""
    cell = dict(items)
    # the rule and its strength are not in the key: all rules meet the same laws
    key = philox.make_key(0, "sequence-bias", {name: cell[name] for name in ("model", "rho", "scale", "vocab")})
    vocab = int(cell["vocab"])
    scale = float(cell["scale"])
    draws = Draws(key, range(vocab))
    logits = synthetic.gaussian(draws, vocab, scale=scale)
    noisy = synthetic.correlated(logits, cell["rho"], draws, location=0, scale=scale)
    target = softmax(logits)
    draft = softmax(noisy)
    emitted = output_law(RULES[cell["rule"]](cell["strength"]), target, draft)
    step = np.broadcast_to(np.arange(vocab), target.shape)
    models = (target, emitted, step, 0)
    shared = np.array([bhattacharyya(*models, length) for length in LENGTHS])
    bounds = {
        # TV lies between 1 − B and sqrt(1 − B²), where B is the Bhattacharyya coefficient
        "root low": 1 - shared,
        "root high": np.sqrt(1 - shared**2),
        "disagreement": np.array([1 - agreement(*models, length) for length in LENGTHS]),
        "summed bias": np.array([min(1.0, expected_bias(*models, length)) for length in LENGTHS]),
        "kl bound": np.array([min(1.0, (text_kl(*models, length) / 2) ** 0.5) for length in LENGTHS]),
    }
    return _Texts(target, emitted, step, {name: np.clip(bound, 0, 1) for name, bound in bounds.items()})


def _follow(cell: Cell, rows: Rows, device: str) -> dict[str, Array]:
    texts = _texts(tuple(sorted(cell.items())))
    u = philox.uniform(rows.key, rows.numbers, range(LENGTHS[-1]))
    values = sampled_tv(texts.target, texts.emitted, texts.step, 0, LENGTHS[-1], u)
    bounds = {name: np.tile(bound, (len(u), 1)) for name, bound in texts.bounds.items()}
    return {"tv": np.clip(values[:, np.array(LENGTHS) - 1], 0, 1), **bounds}


def sequence_bias() -> Study:
    r"""Total variation of whole texts under a relaxed rule against the target's, and the exact bounds on it.

    The models are Markov chains with a law for each last token: Gaussian target logits, draft logits of correlation
    ``rho``; ``rule`` and its ``strength`` (`RULES`), ``scale``, ``vocab``, and the number of the ``model``, which is
    the same one for every rule and whatever the seed.  A row is one text of the target.  Values, at each of `LENGTHS`:
    ``tv``, an unbiased estimate of the distance of the text laws (`simspec.methods.ears.texts.sampled_tv`); and the same
    for every row, exact, cut at 1: ``root low`` and ``root high``, between which it lies by the texts' Bhattacharyya
    coefficient; ``disagreement``, 1 − Z; ``summed bias``, the expected bias of a token summed over the text;
    ``kl bound``, Pinsker's bound :math:`\sqrt{\mathrm{KL}/2}` from the exact divergence of the texts.

    >>> study = sequence_bias()
    >>> len(study.grid), sorted(study.measures)
    (36, ['disagreement', 'kl bound', 'root high', 'root low', 'summed bias', 'tv'])
    """
    rules = (
        ("SD", 0.0),
        ("ears", 0.05),
        ("ears", 0.1),
        ("ears", 0.2),
        ("ears fresh", 0.1),
        ("lenience", 0.8),
        ("lenience levelled", 0.8),
        ("mixture", 0.1),
        ("typical", 0.09),
    )
    grid = tuple(
        {"rule": rule, "strength": strength, **cell}
        for rule, strength in rules
        for cell in cross(model=(0, 1), rho=(0.5, 0.9), scale=(2.0,), vocab=(64,))
    )
    return Study(
        name="sequence-bias",
        question="How does the bias of a relaxed rule grow over the tokens of a text?",
        grid=grid,
        simulate=_follow,
        summary="total variation of text laws, estimated along texts of the target, and exact bounds",
        rows=256,
        measures=dict.fromkeys(("tv", *BOUNDS), Mean()),
        stop=HalfWidth(f"tv[{len(LENGTHS) - 1}]", 0.02),
    )
