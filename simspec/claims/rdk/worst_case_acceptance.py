"""`rdk.worst-case-acceptance`, with its sharper form: RDK 5.1, “by Lemma 2.3”."""

from __future__ import annotations

from simspec.claims.authoring import F, at_least, bound, law, mask, matrix
from simspec.claims.claim import Printed
from simspec.claims.rdk.parts import (
    AT_P,
    EPSILON,
    HALF,
    ROWS,
    SWAP,
    alpha_rdk,
    alpha_tli,
    at_least_drift,
    contraction,
    drift,
    priced_step,
    some_step,
    stochastic,
)

WORST_CASE_ACCEPTANCE = bound(
    name="rdk.worst-case-acceptance",
    statement=r"$\alpha_{\mathrm{RDK}} \ge \alpha_{\mathrm{TLI}} - \varepsilon/2$ whenever $\varepsilon \ge \lVert "
    r"M^\top p - p\rVert_1$, $M$ row-stochastic",
    reference="RDK 5.1, “by Lemma 2.3”",
    instances=priced_step,
    assumes={ROWS: stochastic, EPSILON: at_least_drift},
    lhs=alpha_rdk,
    rhs=lambda p, q, shared, epsilon: alpha_tli(p, q, shared) - epsilon / 2,
    relation=at_least,
    tight=({**AT_P, "p": law("1/2", "1/2"), "q": HALF, "M": matrix("1 0", "1 0"), "epsilon": F(1)},),
    outside={
        ROWS: {"p": HALF, "q": law(1, 0), "shared": mask("10"), "M": matrix("2 -1", "-1 2"), "epsilon": F(0)},
        EPSILON: {**AT_P, "M": SWAP, "epsilon": F(0)},
    },
    corrected_by=("rdk.worst-case-acceptance-sharp",),
    note="rdk.worst-case halved, as α = 1 − ½‖p − d‖₁.",
    printed=Printed(
        place="RDK 5.1",
        text="By Lemma 2.3, this small distance of RDK drafters is equivalent to a larger acceptance rate.",
        read="Theorem 5.1 in terms of acceptance: half of its constant is lost at most.",
    ),
)

WORST_CASE_ACCEPTANCE_SHARP = bound(
    name="rdk.worst-case-acceptance-sharp",
    statement=r"$1 - \alpha_{\mathrm{RDK}} \le c(M)\,(1 - \alpha_{\mathrm{TLI}}) + \tfrac12 \lVert M^\top p - p\rVert_1$",
    reference="own statement, sharpening RDK 5.1",
    instances=some_step,
    lhs=lambda p, q, shared, M: 1 - alpha_rdk(p, q, shared, M),
    rhs=lambda p, q, shared, M: contraction(M) * (1 - alpha_tli(p, q, shared)) + drift(M, p) / 2,
    tight=({**AT_P, "M": SWAP}, {**AT_P, "q": law(0, 1), "M": matrix("1 0", "1/2 1/2")}),
    note="rdk.worst-case-sharp halved.",
)
