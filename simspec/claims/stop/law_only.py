"""`stop.law-only`: AdaEDL; llama.cpp `p_min` on max q."""

from __future__ import annotations

from simspec.claims.authoring import Array, identity
from simspec.claims.stop.parts import after, by_text, models
from simspec.claims.texts import markov, written
from simspec.methods.joint.verifier import Drafting
from simspec.methods.stop import told_verifier, unseen


def _emitted(p: Array, q: Array, gamma: int, length: int, ends: Array) -> Array:
    """Before each draft the rule sees how many there are, and what the draft's law is made from: the text's last token."""

    def drafting(text: tuple[int, ...]) -> Drafting:
        return unseen(lambda law, path: bool(after(ends[len(path)], text + path)))

    return by_text(markov(p), markov(q), drafting, told_verifier(), gamma, length)


LAW_ONLY = identity(
    name="stop.law-only",
    statement=r"Any rule that sees the draft's law at a position and not the token drafted there is lossless, also when the "
    r"position at which it stops is emitted from $p$",
    reference="Agrawal et al. 2024 (AdaEDL); llama.cpp #22506 (the form on max q)",
    instances=models,
    lhs=_emitted,
    rhs=lambda p, length: written(markov(p), p.shape[-1], length),
    sources=("exact",),
    note="Whether the token is not drafted, or drafted and thrown away unseen, is the same to the law of what is emitted.",
)
