"""`stop.kept`: DISCO; vLLM #35301."""

from __future__ import annotations

from simspec.claims.authoring import Array, identity
from simspec.claims.stop.parts import after, by_text, models
from simspec.claims.texts import markov, written
from simspec.methods.stop import ending, told_verifier


def _emitted(p: Array, q: Array, gamma: int, length: int, ends: Array) -> Array:
    rule = ending(lambda law, path: bool(after(ends[len(path)], path)))
    return by_text(markov(p), markov(q), lambda text: rule, told_verifier(), gamma, length)


KEPT = identity(
    name="stop.kept",
    statement=r"Under token verification any rule that may end the draft after each token, seeing all tokens drafted so far, is "
    r"lossless if every drafted token is verified",
    reference="Mamou et al. 2024 (DISCO); vLLM #35301",
    instances=models,
    lhs=_emitted,
    rhs=lambda p, length: written(markov(p), p.shape[-1], length),
    sources=("exact",),
    note="The rule decides whether there is a next draft, and of that one it has seen nothing.",
)
