"""A processor that sees the drafted tokens at every position leaves the text to the processed target.

`process.prefix`: practice; what engines promise of penalties beside speculative decoding.
"""

from __future__ import annotations

from simspec.claims.authoring import Array, broken, procedure
from simspec.claims.process.parts import drafter, models, target, written_by
from simspec.claims.texts import markov, written
from simspec.laws import Scalar
from simspec.methods.processors.filters import frequency_penalty
from simspec.methods.processors.rules import prefix, stale


def _emitted(p: Array, q: Array, factor: Scalar, gamma: int, length: int, same: int) -> Array:
    penalty = frequency_penalty(factor)
    return written_by(markov(p), drafter(q, factor, same), lambda text: prefix(penalty, text), gamma, length)


def _once_a_call(p: Array, q: Array, factor: Scalar, gamma: int, length: int, same: int) -> Array:
    penalty = frequency_penalty(factor)
    return written_by(markov(p), drafter(q, factor, same), lambda text: stale(penalty, text), gamma, length)


PREFIX = procedure(
    name="process.prefix",
    statement=r"A processor $F(\mathrm{prefix}, p)$ that sees the text with the drafted tokens at every position leaves the "
    r"text to the processed target, whatever is done to the draft",
    reference="practice, on Leviathan et al. 2023",
    instances=models,
    lhs=_emitted,
    rhs=lambda p, factor, length: written(target(p, factor), p.shape[-1], length),
    sources=("exact",),
    note="The processed target is a model like any other, so it is sd.lossless; how the draft is processed decides only how "
    "often it is accepted.",
    broken=[broken("penalties see only the text before the call", lhs=_once_a_call)],
)
