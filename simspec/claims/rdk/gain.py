"""`rdk.gain`: own statement: a sufficient condition for the advantage that RDK 4 claims."""

from __future__ import annotations

from simspec.claims.authoring import identity, law, matrix
from simspec.claims.rdk.moves import ALL, SURPLUS, gain_over_tli, moving, received, surplus_only
from simspec.claims.rdk.parts import ROWS, stochastic
from simspec.laws import restrict

GAIN = identity(
    name="rdk.gain",
    statement=r"When $M$ is row-stochastic and moves only surplus, $q'_i (1 - M_{ii}) \le (q'_i - p_i)_+$, then "
    r"$\alpha(p, M^\top q') - \alpha(p, q') = \sum_j \min\{(p_j - q'_j)_+, \sum_{i \ne j} q'_i M_{ij}\}$",
    reference="own statement: a sufficient condition for the advantage that RDK 4 claims",
    instances=moving,
    assumes={ROWS: stochastic, SURPLUS: lambda p, q, shared, M: surplus_only(p, restrict(q, shared), M)},
    lhs=gain_over_tli,
    rhs=lambda p, q, shared, M: received(p, restrict(q, shared), M),
    outside={
        ROWS: {**ALL, "p": law("1/4", "3/4"), "q": law("1/2", "1/2"), "M": matrix("1 0", "-1/2 1")},
        SURPLUS: {**ALL, "p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "M": matrix("0 1", "0 1")},
    },
    note="Where the target exceeds the draft nothing leaves, so the overlap grows by what arrives, up to what is wanted; "
    "elsewhere at least p remains, and the overlap is p before and after. So RDK beats TLI exactly when something that M "
    "moves reaches a token in want. The condition can be checked from M, p and q'.",
)
