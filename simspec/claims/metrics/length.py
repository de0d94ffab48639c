"""The acceptance length is the number of completion tokens over verification steps.

`metrics.length` in two readings, with a correction: vLLM #17908; SGLang #3152.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, Instance, broken, exact, identity
from simspec.claims.metrics.parts import run
from simspec.methods.counters import acceptance_length


def _request(draw: Draw) -> Instance:
    instance = run(draw)
    return {**instance, "cut": draw.integer(0, int(instance["accepted"][-1]))}


def _per_step(accepted: Array, cut: int) -> Any:
    """Completion tokens of a request over its verify steps: one token from the prefill, the last step cut by the limit."""
    return (1 + (accepted + 1).sum() - cut) / len(accepted)


INTERIOR = identity(
    name="metrics.length.interior",
    statement=r"$AL = $ completion tokens / verify steps, counting only tokens of complete verify steps",
    reference="vLLM #17908; SGLang #3152",
    instances=run,
    lhs=lambda accepted: acceptance_length(accepted),
    rhs=lambda accepted: (accepted + 1).sum() / len(accepted),
    sources=("exact",),
    note="A step emits its accepted drafts and one token more.",
    broken=[broken("the mean without the bonus token", lhs=lambda accepted: accepted.sum() / len(accepted))],
)

REQUEST = identity(
    name="metrics.length.request",
    statement=r"$AL = $ completion tokens / verify steps, for a request whose first token comes from the prefill and whose last "
    r"step may be cut by the limit on its length",
    reference="vLLM #17908; SGLang #3152",
    instances=_request,
    lhs=lambda accepted: acceptance_length(accepted),
    rhs=_per_step,
    sources=("exact",),
    against=({"drafted": exact([1]), "accepted": exact([0]), "cut": 0},),
    corrected_by=("metrics.length.request-corrected",),
    note="The token of the prefill is counted and no verify step made it; what the limit cuts was accepted and is not counted.",
)

REQUEST_CORRECTED = identity(
    name="metrics.length.request-corrected",
    statement=r"Completion tokens / verify steps $= AL + (1 - \mathrm{cut})/N$: too large by the token of the prefill, too "
    r"small by what the limit cut, both over the number of steps",
    reference="correction of vLLM #17908 and SGLang #3152",
    instances=_request,
    lhs=_per_step,
    rhs=lambda accepted, cut: acceptance_length(accepted) + (1 - accepted[:1].sum() * 0 - cut) / len(accepted),
    sources=("exact",),
    note="For a request of N steps the error is at most 1/N above and (γ − 1)/N below; it matters for short requests.",
    broken=[
        broken("the acceptance length without the cut", rhs=lambda accepted: acceptance_length(accepted)),
        broken("one minus the cut is added", rhs=lambda accepted, cut: acceptance_length(accepted) + 1 - cut),
    ],
)
