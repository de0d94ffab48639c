"""The total variation of Cactus from the target is the acceptance that it gains.

`relaxed.cactus-tv`: own statement.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, broken, identity, is_exact
from simspec.claims.balls import enclose
from simspec.claims.relaxed.cactus_acceptance import accepted
from simspec.claims.relaxed.parts import cactus_law, with_delta
from simspec.laws import Scalar, overlap, tv
from simspec.methods import tv as output_tv
from simspec.methods.relaxed import cactus


def _apart(p: Array, q: Array, delta: Scalar) -> Any:
    """Total variation between the output law and p."""
    if not is_exact(p):
        return output_tv(cactus(delta), p, q)
    return abs(cactus_law(p, q, delta) - enclose(p)).sum() / 2


CACTUS_TV = identity(
    name="relaxed.cactus-tv",
    statement=r"$\mathrm{TV}(\text{output}, p)$ of Cactus is the acceptance that it gains over speculative decoding: it "
    r"is on the frontier of acceptance and total variation, although its residual is another for each refused "
    r"token",
    reference="own statement, on Hao and Mou 2026 (Cactus)",
    instances=with_delta,
    lhs=_apart,
    rhs=lambda p, q, delta: accepted(p, q, delta) - enclose(overlap(p, q)),
    sources=("exact", "float"),
    note="After the refusal of x the mass above q is at least all refused mass, whatever x; so the residuals together bring "
    "no token above p that q has less of.",
    broken=[broken("the total variation", rhs=lambda p, q: enclose(tv(p, q)))],
)
