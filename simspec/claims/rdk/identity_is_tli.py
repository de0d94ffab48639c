"""`rdk.identity-is-tli`: RDK 4."""

from __future__ import annotations

from simspec.claims.authoring import close, eye, identity, is_exact, law, mask, matrix
from simspec.claims.claim import Printed
from simspec.claims.rdk.parts import proposed, some_step
from simspec.methods import tli

IDENTITY_IS_TLI = identity(
    name="rdk.identity-is-tli",
    statement=r"$M = I$ gives TLI: $I^\top q' = q'$",
    reference="RDK 4",
    instances=lambda draw: {**(step := some_step(draw)), "M": eye(len(step["M"]), draw.exact)},
    assumes={"M is the identity": lambda M: close(M, eye(len(M), is_exact(M)))},
    lhs=proposed,
    rhs=lambda q, shared: tli(shared).propose(q),
    outside={"M is the identity": {"q": law(1, 0), "shared": mask("11"), "M": matrix("0 1", "0 1")}},
    note="Token by token. Where q has no mass on I, Eq. 1 is 0/0; the package then drafts uniformly on I, here and in every "
    "claim about TLI and RDK.",
    printed=Printed(
        place="RDK 4",
        text="if … is the identity matrix, then RDK reduces to TLI",
        read="The two draft laws are equal, entry by entry.",
        restored="the matrix $M$",
    ),
)
