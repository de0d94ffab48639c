"""`sqs.k-no-significance`: SQS 3."""

from __future__ import annotations

from simspec.claims.authoring import Draw, Instance, identity, law
from simspec.claims.claim import Printed
from simspec.claims.sqs.parts import fine
from simspec.laws import tv
from simspec.methods.sqs.quantised import sqs


def _two_sizes(draw: Draw) -> Instance:
    vocab = draw.vocab(2)
    p, q = draw.pair(vocab)
    return {"p": p, "q": q, "k": draw.integer(1, vocab), "k2": draw.integer(1, vocab), "resolution": fine(draw)}


K_NO_SIGNIFICANCE = identity(
    name="sqs.k-no-significance",
    statement=r"$K$ of K-SQS carries no operational significance for the final performance: at one resolution the "
    r"probability of rejection, $\mathrm{TV}(\hat q, p)$, is the same for every $K$",
    reference="SQS 3",
    instances=_two_sizes,
    lhs=lambda p, q, k, resolution: tv(sqs(k, resolution).propose(q), p),
    rhs=lambda p, q, k2, resolution: tv(sqs(k2, resolution).propose(q), p),
    sources=("exact",),
    against=({"p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "k": 1, "k2": 2, "resolution": 2},),
    within=({"p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "k": 1, "k2": 2, "resolution": 100},),
    corrected_by=("sqs.total-distortion",),
    note="K enters the paper's own bound twice, by the dropped mass and by K/(4ℓ), and the payload by Eq. 5. What can be meant: "
    "K is no bound on a distance, as the target α of C-SQS is.",
    printed=Printed(
        place="SQS 3",
        text="carries no operational significance in terms of the final performance of the algorithm",
        read="The probability of rejection does not depend on K.",
    ),
)
