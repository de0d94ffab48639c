"""`ears.best-tradeoff-kl`: own statement (the frontier of acceptance and Kullback–Leibler divergence)."""

from __future__ import annotations

from simspec.claims.authoring import F, bound, law
from simspec.claims.ears.parts import AS_OFTEN, HALF, accepted_of, as_often, closeness, competitor
from simspec.methods import lenience, levelled, output_law

BEST_KL = bound(
    name="ears.best-tradeoff-kl",
    statement=r"Of all rules on drafts from $q$ that accept at least as often as lenience $\ell$, lenience with the "
    r"levelled residual emits the law closest to $p$: $\mathrm{KL}(\mathrm{clip}(q, a p, p/\ell) \Vert p) \le "
    r"\mathrm{KL}(\text{output} \Vert p)$; EARS at the same acceptance, too, is at least as far",
    reference="own statement (the frontier of acceptance and Kullback–Leibler divergence), known: Tran-Thien 2023",
    instances=competitor,
    assumes={AS_OFTEN: as_often},
    lhs=lambda p, q, o: closeness(output_law(accepted_of(o), p, q), p),
    rhs=lambda p, q, factor: closeness(output_law(levelled(lenience(factor)), p, q), p),
    tight=({"p": HALF, "q": law("3/4", "1/4"), "factor": F(1, 2), "o": law("3/4", "1/4")},),
    outside={AS_OFTEN: {"p": HALF, "q": law("3/4", "1/4"), "factor": F(1, 2), "o": HALF}},
    note="Compared as exp(−KL), 0 where a token with p = 0 is emitted. ears.best-tradeoff.every-divergence with f(x) "
    "= x log x: the projection of p on {o : Σ min(o, q) ≥ α}.",
)
