"""Where a pruned drafter puts its mass, scheme by scheme: on kept or on pruned tokens, wanted there or not.

Target logits are Student-t of equal law, the drafter is the pruned target, as in RDK 6.2.  The prior is uniform then, and
every linear-time form of RDK with it; the leaking one takes the step's own target law for the prior and a temperature
near zero, where the normalised form returns what it is given.
"""

from __future__ import annotations

import numpy as np

from simspec.engine.study import Cell, Rows, Study, Values, cross
from simspec.kernels import random as philox
from simspec.laws import Array, softmax
from simspec.logits import synthetic
from simspec.methods import affine, normalised
from simspec.methods.tli import restricted, tli, uniform, unigram_mixture
from simspec.studies.rdk.synthetic_laws import ranks

__all__ = ["PARTS", "SCHEMES", "drafter_mass", "parts"]

SCHEMES = ("none", "tli", "rdk prior", "rdk leaking", "uniform", "mixture")
PARTS = ("kept accepted", "pruned accepted", "kept rejected", "pruned rejected")
"""Mass on the kept and on the pruned tokens, up to what the target wants there and beyond it."""
COLD = 1e-12
"""Temperature of the leaking reading."""
WEIGHT = 0.5
"""Weight of the uniform law on the pruned tokens in the mixture."""


def parts(accepted: Array, draft_law: Array, mask: Array) -> Array:
    """The mass of a drafter in four parts, in the order of `PARTS`; they add to its whole mass.

    Parameters
    ----------
    accepted, drawn : (V,); mass that is kept of each token, and the law that is drawn from
    mask : (V,) bool; tokens of the pruned drafter

    >>> parts(np.array([0.25, 0.25]), np.array([0.75, 0.25]), np.array([True, False])).tolist()
    [0.25, 0.25, 0.5, 0.0]
    """
    beyond = draft_law - accepted
    return np.array([accepted[mask].sum(), accepted[~mask].sum(), beyond[mask].sum(), beyond[~mask].sum()])


def _drafts(p: Array, mask: Array) -> dict[str, tuple[Array, Array]]:
    """Kept mass and drawn law of every scheme."""
    v = tli(mask).propose(p)
    flat = np.full(len(p), 1 / len(p))
    laws = {
        "tli": v,
        "rdk prior": affine(flat, flat, 1.0)(v),
        "rdk leaking": normalised(p, p, COLD)(v),
        "uniform": uniform().propose(p),
        "mixture": unigram_mixture(mask, flat, WEIGHT).propose(p),
    }
    plain = restricted(mask)
    return {"none": (plain.accept(p, p), p)} | {name: (np.minimum(p, d), d) for name, d in laws.items()}


def _simulate(cell: Cell, rows: Rows) -> Values:
    """Return the parts of the drafter's mass and the laws at a few ranks, scheme by scheme, a line for each row."""
    vocab = int(cell["vocab"])
    kept_count = int(cell["kept"])
    places = ranks(int(cell["vocab"])) - 1
    columns: dict[str, list[Array]] = {}
    for row in rows.numbers:
        draws = philox.Draws(rows.key, range(row, row + 1))
        z = synthetic.student_t(draws, vocab, df=float(cell["df"]), scale=float(cell["scale"]))
        # tokens are exchangeable here, so sorting costs nothing: the number of a token is its rank
        p = -np.sort(-softmax(z)[0])
        kept_tokens = np.arange(kept_count)
        if cell["order"] == "random":
            kept_tokens = np.argsort(philox.uniform(rows.key, [row], range(vocab), 4)[0], kind="stable")[:kept_count]
        mask = np.zeros(vocab, dtype=bool)
        mask[kept_tokens] = True
        for name, (k, d) in _drafts(p, mask).items():
            columns.setdefault(name, []).append(parts(k, d, mask))
            columns.setdefault(f"{name} at", []).append(d[places])
        columns.setdefault("target at", []).append(p[places])
    return {name: np.stack(values) for name, values in columns.items()}


def drafter_mass(vocab: int, kept_count: int, df: float, scale: float, rows: int = 20) -> Study:
    """Mass of each scheme, a cell for each order: tokens kept are the target's ``likely`` ones or ``random``.

    Values of a row: for each of `SCHEMES` its four `PARTS`, and, ending in ``at``, its law at the target's `ranks`;
    ``target at`` the target's own.

    >>> [cell["order"] for cell in drafter_mass(100, 10, 5, 1).grid]
    ['likely', 'random']
    """
    return Study(
        name="drafter-mass",
        question="How much probability does a pruned drafter put on kept and on pruned tokens?",
        grid=cross(vocab=(vocab,), kept=(kept_count,), df=(df,), scale=(scale,), order=("likely", "random")),
        simulate=lambda cell, rows, device: _simulate(cell, rows),
        summary="mass on kept and pruned tokens, accepted and rejected",
        rows=rows,
    )
