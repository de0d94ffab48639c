"""`sqs.dropped-mass`: SQS, Lemma 1 and Eq. 19."""

from __future__ import annotations

from simspec.claims.authoring import identity
from simspec.claims.claim import Printed
from simspec.claims.sqs.parts import some_kept
from simspec.laws.unchecked import tv
from simspec.methods.sqs.quantised import dropped_mass, sparsify

DROPPED_MASS = identity(
    name="sqs.dropped-mass",
    statement=r"$\mathrm{TV}(q, \tilde q) = \sum_{x \notin X} q(x)$ for any set $X$ of kept tokens",
    reference="SQS, Lemma 1 and Eq. 19",
    instances=some_kept,
    lhs=lambda q, kept: tv(q, sparsify(q, kept)),
    rhs=lambda q, kept: dropped_mass(q, kept),
    note="q̃ ≥ q on X, so the distance is what q has elsewhere. It takes q(X) > 0, not S ≥ 0 as printed: with q(X) = 0 no "
    "q̃ exists (and any law on X is at distance 1, the mass dropped).",
    printed=Printed(
        place="SQS, Lemma 1",
        text="can be expressed in terms of the total variation (TV) distance between the true distribution … "
        "and the sparsified distribution",
        read="As an identity, for any set of kept tokens.",
        restored="the symbols between the words",
    ),
)
