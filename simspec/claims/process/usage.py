"""Usage counters that count rejected drafts charge a text for more tokens than it has.

`process.usage`, with its correction: practice.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, broken, exact, identity
from simspec.claims.metrics.parts import run
from simspec.methods.counters import acceptance_length

__all__ = ["charged", "emitted"]


def charged(drafted: Array) -> Any:
    """Tokens that a counter of drafts counts: all drafts, and one of the target for each verify step.

    >>> print(charged(exact([2, 1])))
    5
    """
    return (drafted + 1).sum()


def emitted(accepted: Array) -> Any:
    """Tokens of the text.

    >>> print(emitted(exact([2, 0])))
    4
    """
    return (accepted + 1).sum()


USAGE = identity(
    name="process.usage",
    statement=r"A usage counter that counts every drafted token, and one of the target for each verify step, counts the tokens "
    r"of the text",
    reference="practice, on Leviathan et al. 2023",
    instances=run,
    lhs=lambda drafted: charged(drafted),
    rhs=lambda accepted: emitted(accepted),
    sources=("exact",),
    corrected_by=("process.usage-corrected",),
    within=({"drafted": exact([2, 2]), "accepted": exact([2, 1])},),
    note="It counts rejected drafts, and is right only in a run without any.",
)

USAGE_CORRECTED = identity(
    name="process.usage-corrected",
    statement=r"Such a counter counts $(\bar g + 1)/AL$ times the tokens of the text, $\bar g$ the drafts of a verify step and "
    r"$AL$ the acceptance length: $\sum_s (g_s - a_s)$ too many",
    reference="correction of practice, on Leviathan et al. 2023",
    instances=run,
    lhs=lambda drafted, accepted: charged(drafted) / emitted(accepted),
    rhs=lambda drafted, accepted: (drafted.sum() / len(drafted) + 1) / acceptance_length(accepted),
    sources=("exact",),
    note="The same text costs more with a worse draft, or with more drafts a step.",
    broken=[
        broken(
            "no token of the target",
            rhs=lambda drafted, accepted: drafted.sum() / len(drafted) / acceptance_length(accepted),
        )
    ],
)
