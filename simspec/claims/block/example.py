"""`block.example`: Sun et al. 2024 (2403.10444), section 1."""

from __future__ import annotations

from simspec.claims.authoring import F, identity
from simspec.claims.authoring import exact as exact_array
from simspec.claims.block.parts import EXAMPLE, accepted, ended, token_ends
from simspec.methods.block.verification import block_verifier

EXAMPLE_CLAIM = identity(
    name="block.example",
    statement=r"$p = (1/3, 2/3)$, $q = (2/3, 1/3)$ after every text, $\gamma = 2$: $E[\tau]$ is 10/9 token by token and 11/9 "
    r"by the block",
    reference="Sun et al. 2024 (2403.10444), section 1",
    instances=lambda draw: EXAMPLE,
    lhs=lambda p, q, gamma: exact_array(
        [accepted(token_ends(p, q, gamma)), accepted(ended(block_verifier(), p, q, gamma))]
    ),
    rhs=lambda: exact_array([F(10, 9), F(11, 9)]),
    sources=("exact",),
)
