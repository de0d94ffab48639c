"""rdk.linear-is-mixture: collecting terms in Eq. 3 leaves the uniform law and the prior, weighed by one number of the draft."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, V, eq, ge, j, total
from simspec.claims.rdk.linear_is_mixture import LINEAR_IS_MIXTURE
from simspec.laws import restrict


def prove(d: Derivation, sign: int = 1, constant: int = 1, normalised: bool = True) -> None:
    """Every vocabulary, prior, draft and temperature, all factors that are not negative."""
    prior, draft, c = (d.weights(name) for name in ("prior", "draft", "c"))
    tau = d.number("tau", positive=True)
    t = sp.Symbol("t", nonnegative=True)
    term = d.derive("a term of s", ge(draft[j] * c[j] / tau, 0))
    tilt = total(draft[j] * c[j], j) / tau
    t_is = d.define("the tilt s/τ of the draft", t, tilt, d.sum("over the vocabulary", term, j))

    w = sp.Symbol("w", real=True)
    w_is = d.define("the weight of the prior, affine form", w, constant * tilt / V)
    affine = (1 + tilt * (prior[j] - sign / V)) / V
    affine_terms = d.derive("terms collected, affine form", eq(affine, (1 - w) / V + w * prior[j]), w_is)
    u = sp.Symbol("u", real=True)
    u_is = d.define("the weight of the prior, normalised form", u, t / (V + t))
    form = (1 + t * prior[j]) / (V + t if normalised else V)
    two = d.derive("terms collected, normalised form", eq(form, (1 - u) / V + u * prior[j]), u_is)
    form = form.subs(t, tilt)
    two = d.derive("with s written out", eq(form, (1 - u) / V + u * prior[j]), two, t_is)
    d.qed(affine_terms, two)


PROOF = Proof(
    LINEAR_IS_MIXTURE,
    prove,
    drop={"normalised": False},
    bind=lambda prior, q, shared, c, tau: {
        **{"prior": prior, "draft": restrict(q, shared), "c": c, "tau": tau, "V": len(prior)}
    },
)
