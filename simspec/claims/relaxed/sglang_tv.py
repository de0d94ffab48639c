"""SGLang's threshold biases the output by at most one minus the threshold.

`relaxed.sglang-tv`: own statement.
"""

from __future__ import annotations

from simspec.claims.authoring import Array, F, bound, broken, exact, law
from simspec.claims.relaxed.sglang_acceptance import ends, node
from simspec.laws import Scalar, tv

__all__ = ["emitted"]


def emitted(p: Array, candidates: tuple[int, ...], t_acc: Scalar) -> Array:
    """Output law of a node."""
    out = exact([0] * len(p))
    for o in ends(p, candidates, t_acc):
        out[o.tokens[0]] += o.probability
    return out


SGLANG_TV = bound(
    name="relaxed.sglang-tv",
    statement=r"With $t_{\mathrm{single}} = 1$: $\mathrm{TV}(\text{output}, p) \le 1 - t_{\mathrm{acc}}$, whatever the "
    r"candidates",
    reference="own statement, on SGLang and FlashInfer 2026 (code)",
    instances=node,
    lhs=lambda p, candidates, t_acc: tv(emitted(p, candidates, t_acc), p),
    rhs=lambda t_acc: 1 - t_acc,
    tight=({"p": law("1/2", "1/2"), "candidates": (0,), "t_acc": F(1, 2)},),
    sources=("exact",),
    note="No token is emitted more often than p/t_acc. It is attained as soon as p(S) is at least t_acc.",
    broken=[broken("half of the bound", rhs=lambda t_acc: (1 - t_acc) / 2)],
)
