"""For every draft some row-stochastic matrix that keeps shared tokens in place turns it into TLI's draft.

`rdk.tli-is-transport`, with its readings: RDK, B.5.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, exact, eye, identity, law, mask, shifted
from simspec.claims.claim import Printed
from simspec.claims.rdk.parts import pair_and_mask
from simspec.laws import Scalar
from simspec.methods import tli

__all__ = ["transport"]


def transport(q: Array, shared: Array) -> Array:
    """Rows of a map that takes q to TLI's law: a shared token stays, any other moves by that law.

    >>> transport(law("1/2", "1/2"), mask("10")).tolist()
    [[Fraction(1, 1), Fraction(0, 1)], [Fraction(1, 1), Fraction(0, 1)]]
    """
    rows = eye(len(q), True)
    rows[~shared] = tli(shared).propose(q)
    return rows


SENTENCE = Printed(
    place="RDK, B.5",
    text="the TLI transport of … into …",
    read="As a row-stochastic map that takes the draft law to TLI’s: one for each draft law, or one for all.",
    restored="the two laws: $q$ and $r$",
)

SOME = identity(
    name="rdk.tli-is-transport.some",
    statement=r"For every draft law $q$ some row-stochastic $M$ has $M^\top q = q'$: shared tokens stay, all others move by $q'$",
    reference="RDK, B.5",
    instances=pair_and_mask,
    lhs=lambda q, shared: np.stack([q @ transport(q, shared), transport(q, shared).sum(axis=-1)]),
    rhs=lambda q, shared: np.stack([tli(shared).propose(q), exact([1] * len(q))]),
    sources=("exact",),
    note="First row: where the map takes q; second: the sums of its rows. The map depends on q: see the other reading.",
    printed=SENTENCE,
    broken=[shifted(F(1, 100))],
)


def _two_drafts(draw: Draw) -> Instance:
    vocab = draw.vocab()
    return {"q": draw.law(vocab), "q2": draw.law(vocab), "weight": draw.number(0, 1), "shared": draw.mask(vocab)}


def _mixed(q: Array, q2: Array, weight: Scalar) -> Array:
    return weight * q + (1 - weight) * q2


FIXED = identity(
    name="rdk.tli-is-transport.fixed",
    statement=r"One matrix $M$ has $M^\top q = q'$ for all draft laws, as RDK's maps do: then TLI takes mixtures of drafts to "
    "the mixtures of what it makes of them",
    reference="RDK, B.5, with one map for all drafts",
    instances=_two_drafts,
    lhs=lambda q, q2, weight, shared: tli(shared).propose(_mixed(q, q2, weight)),
    rhs=lambda q, q2, weight, shared: _mixed(tli(shared).propose(q), tli(shared).propose(q2), weight),
    sources=("exact",),
    against=({"q": law(1, 0, 0), "q2": law(0, "1/2", "1/2"), "weight": F(1, 2), "shared": mask("110")},),
    within=({"q": law("1/2", "1/4", "1/4"), "q2": law("1/4", "1/4", "1/2"), "weight": F(1, 2), "shared": mask("110")},),
    corrected_by=("rdk.tli-is-transport.some",),
    note="Dividing by q(I) is not linear in q. With one map for all q, Lemma B.1 would bound TLI as it bounds RDK.",
    printed=SENTENCE,
)
