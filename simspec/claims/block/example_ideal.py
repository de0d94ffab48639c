"""In the example of the paper, some lossless verifier accepts 12/9 drafts on average.

`block.example-ideal.one-token` with its correction, and `.any`: Sun et al. 2024 (2403.10444), section 1.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, F, at_least, broken, exact, identity
from simspec.claims.block.parts import EXAMPLE, accepted, emitted, ended, target_law
from simspec.claims.texts import markov
from simspec.methods.block.hierarchical import hierarchical_naive
from simspec.methods.block.optimum import Certificate, checked, program

__all__ = ["CERTIFICATE"]

CERTIFICATE = Certificate(
    primal={
        **{1: F(1, 3), 4: F(1, 27), 5: F(2, 27), 10: F(2, 27), 11: F(4, 27)},
        **{15: F(1, 9), 16: F(1, 27), 17: F(2, 27), 22: F(1, 27), 23: F(2, 27)},
    },
    dual=(F(-1, 3), F(0), F(1), F(2), F(7, 3), F(7, 3), F(2), F(2), F(1), F(1), F(0), F(0)),
)
"""A best verifier that emits one token after the kept prefix, and prices that none can beat; found by the linear program."""


def _best(p: Array, q: Array, gamma: int) -> Any:
    """The largest E[τ] of any lossless verifier of that kind."""
    return checked(program(markov(p), markov(q), gamma), CERTIFICATE)


def _reached(p: Array, q: Array, gamma: int) -> Array:
    """E[τ] of naive HSD there, and how far its law of three tokens is from the target's."""
    outcomes = ended(hierarchical_naive, p, q, gamma)
    return exact([accepted(outcomes), abs(emitted(outcomes, p, 3) - target_law(p, 3)).sum() / 2])


ONE_TOKEN = identity(
    name="block.example-ideal.one-token",
    statement=r"For $p = (1/3, 2/3)$, $q = (2/3, 1/3)$ after every text and $\gamma = 2$ some lossless verifier that emits "
    r"$X^\tau$ and one more token reaches $E[\tau] = 12/9$",
    reference="Sun et al. 2024 (2403.10444), section 1",
    instances=lambda draw: EXAMPLE,
    lhs=_best,
    rhs=lambda: F(12, 9),
    relation=at_least,
    sources=("exact",),
    corrected_by=("block.example-ideal.one-token-corrected",),
    note="12/9 is the sum of the overlaps of the joint laws. A verifier that goes on with the target after one token cannot have "
    "both: what it keeps of a prefix bounds what it can keep of the next.",
)

ONE_TOKEN_CORRECTED = identity(
    name="block.example-ideal.one-token-corrected",
    statement=r"For $p = (1/3, 2/3)$, $q = (2/3, 1/3)$ after every text and $\gamma = 2$ the largest $E[\tau]$ of "
    r"lossless verifiers that emit $X^\tau$ and one more token is 11/9, that of block verification",
    reference="correction of Sun et al. 2024 (2403.10444), section 1",
    instances=lambda draw: EXAMPLE,
    lhs=_best,
    rhs=lambda: F(11, 9),
    sources=("exact",),
    note="A linear program over the joint law of drafts, τ and the last token; its rational primal and dual are compared without "
    "a solver.",
    broken=[broken("12/9", rhs=lambda: F(12, 9))],
)

ANY = identity(
    name="block.example-ideal.any",
    statement=r"For $p = (1/3, 2/3)$, $q = (2/3, 1/3)$ after every text and $\gamma = 2$ some lossless verifier that "
    r"emits $X^\tau$ and further tokens, drawn with target laws at undrafted prefixes, reaches $E[\tau] = "
    r"12/9$",
    reference="Sun et al. 2024 (2403.10444), section 1 (an ideal block-level verifier)",
    instances=lambda draw: EXAMPLE,
    lhs=_reached,
    rhs=lambda: exact([F(12, 9), 0]),
    sources=("exact",),
    note="Naive hierarchical verification does: it keeps each prefix with the overlap of the joint laws, which nothing exceeds.",
    broken=[broken("11/9", rhs=lambda: F(11, 9))],
)
