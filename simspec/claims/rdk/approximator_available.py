"""The linear-time approximator can be computed before the target's forward pass.

`rdk.approximator-available`, with its readings.

RDK 1 (“without incurring additional forward latency”) and Eq. 3.
"""

from __future__ import annotations

from simspec.claims.authoring import Array, Draw, F, Instance, broken, law, mask, other_claim, procedure
from simspec.claims.balls import enclose
from simspec.claims.claim import Printed
from simspec.claims.rdk.parts import two_targets
from simspec.laws import Scalar
from simspec.methods import affine, exponential, normalised, rdk

FORMS = (affine, normalised, exponential)
KNOWN_BEFORE = "what stands for p is fixed before the target's forward pass"


def _approximation(form: int, p: Array, prior: Array | None, q: Array, shared: Array, c: Array, tau: Scalar) -> Array:
    """One of the three linear-time laws of a step with target p; without a prior the step's own p stands in Eq. 3."""
    prior_law = p if prior is None else prior
    if FORMS[form] is exponential:
        prior_law = enclose(prior_law)
        c = enclose(c)
        tau = enclose(tau)
        return rdk(shared, lambda v: exponential(prior_law, c, tau)(enclose(v))).propose(q)
    return rdk(shared, FORMS[form](prior_law, c, tau)).propose(q)


SENTENCE = Printed(
    place="RDK 1",
    text="thereby increasing the yield of valid proposals without incurring additional forward latency",
    read="The approximator of Eq. 3 must be known before the target’s forward pass: with the step’s $p$ "
    "in it, or with a prior.",
    restored="Eq. 3, up to its normalisation (three forms)",
)

AVAILABLE_TARGET = procedure(
    name="rdk.approximator-available.target",
    statement=r"$\hat r$ of Eq. 3, with the step's own $p$ in it, can be computed before the target's forward pass: two steps "
    r"that differ only in $p$ draft from the same $\hat r$ (affine, normalised or exponential)",
    reference="RDK 1 (“without incurring additional forward latency”) and Eq. 3",
    instances=lambda draw: {**two_targets(draw), "prior": None},
    lhs=_approximation,
    rhs=lambda form, p2, prior, q, shared, c, tau: _approximation(form, p2, prior, q, shared, c, tau),
    within=(
        {
            "p": law("3/4", "1/4"),
            "p2": law("1/4", "3/4"),
            "prior": None,
            "q": law("1/2", "1/2"),
            "shared": mask("10"),
            "c": law(1, 1),
            "tau": F(1),
            "form": 0,
        },
    ),
    corrected_by=("rdk.approximator-available.prior",),
    note="What can be computed before the pass cannot depend on its outcome; Eq. 3 does. With p at hand no drafter is "
    "needed: drafting from p itself is always accepted.",
    printed=SENTENCE,
)


def _no_prior(draw: Draw) -> Instance:
    return {**other_claim("rdk.approximator-available.prior").instances(draw), "prior": None}


AVAILABLE_PRIOR = procedure(
    name="rdk.approximator-available.prior",
    statement=r"$\hat r$ of Eq. 3, with a fixed prior $\pi$ in place of $p$, can be computed before the target's forward pass",
    reference="RDK 1 and Eq. 3, with a prior for p",
    instances=two_targets,
    assumes={KNOWN_BEFORE: lambda prior: prior is not None},
    lhs=AVAILABLE_TARGET.lhs,
    rhs=AVAILABLE_TARGET.rhs,
    outside={
        KNOWN_BEFORE: {
            **{"p": law(1, 0), "p2": law(0, 1), "prior": None, "q": law(1, 0), "shared": mask("11")},
            **{"c": law(1, 1), "tau": F(1), "form": 0},
        }
    },
    note="Then p enters only the verification. The price is in rdk.linear-is-mixture: little of the draft is left in r̂.",
    printed=SENTENCE,
    broken=[broken("no prior", instances=_no_prior, assumes={})],
)
