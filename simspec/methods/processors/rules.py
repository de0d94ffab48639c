r"""Verifiers that apply a logits processor F before, after or beside the acceptance test: one that is right, three that are not.

A call begins after a text.  `prefix` applies F with the drafted tokens at every position and is lossless for the processed
target.  `stale` lets F see the text before the call only, `bonus` leaves the token after the last draft unprocessed, and
`residual_only` tests drafts against the raw target and applies F to the residual law.  With one draft a call, what `stale` and
`bonus` cost is `after_draft_tv`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from simspec.laws import Array
from simspec.laws.unchecked import overlap, tv
from simspec.methods.block import Prefix
from simspec.methods.processors.filters import Processor
from simspec.methods.sd import SD
from simspec.methods.verifier import Chance, Verifier, by_program

__all__ = ["after_draft_tv", "bonus", "prefix", "residual_only", "stale"]

At = Callable[[Prefix, Array], Array]
"""(drafts accepted so far in this call, a law) -> the law used there."""


def _raw(drafts: Prefix, law: Array) -> Array:
    return law


def _verifier(tested: At, redrawn: At, last: At) -> Verifier:
    """Speculative decoding with laws changed at three places: before the test, in the residual, after the last draft."""

    def program(p: Sequence[Array], q: Sequence[Array], drafts: Prefix, chance: Chance) -> tuple[Prefix, int]:
        for i, token in enumerate(drafts):
            accepted = drafts[:i]
            law = tested(accepted, p[i])
            if not chance.keep(law[token], q[i][token]):
                residual = redrawn(accepted, SD.residual(law, q[i]))
                return (*accepted, chance.draw(residual)), i
        return (*drafts, chance.draw(last(drafts, p[-1]))), len(drafts)

    return by_program(program)


def prefix(processor: Processor, text: Prefix = ()) -> Verifier:
    """The processor sees the text and the drafted tokens at every position: lossless for the processed target.

    Parameters
    ----------
    processor : (tokens so far, law) -> law
    text : tokens before the call

    >>> import numpy as np
    >>> from simspec.methods.processors.filters import frequency_penalty
    >>> half = np.array([0.5, 0.5])
    >>> verifier = prefix(frequency_penalty(0.0))
    >>> [(float(o.probability), o.tokens) for o in verifier(lambda x: half, lambda x: half, (0,))]
    [(1.0, (0, 1))]
    """

    def seen(drafts: Prefix, law: Array) -> Array:
        return processor((*text, *drafts), law)

    return _verifier(seen, _raw, seen)


def stale(processor: Processor, text: Prefix = ()) -> Verifier:
    """The processor sees the text before the call and none of its drafts, as where penalties are counted once a call: lossy.

    Parameters as in `prefix`.

    >>> import numpy as np
    >>> from simspec.methods.processors.filters import frequency_penalty
    >>> half = np.array([0.5, 0.5])
    >>> verifier = stale(frequency_penalty(0.0))
    >>> [(float(o.probability), o.tokens) for o in verifier(lambda x: half, lambda x: half, (0,))]
    [(0.5, (0, 0)), (0.5, (0, 1))]
    """

    def unseen(drafts: Prefix, law: Array) -> Array:
        return processor(text, law)

    return _verifier(unseen, _raw, unseen)


def bonus(processor: Processor, text: Prefix = ()) -> Verifier:
    """As `prefix`, but the token after the last accepted draft is drawn from the raw target: lossy.

    Parameters as in `prefix`.

    >>> import numpy as np
    >>> from simspec.methods.processors.filters import frequency_penalty
    >>> half = np.array([0.5, 0.5])
    >>> verifier = bonus(frequency_penalty(0.0))
    >>> [(float(o.probability), o.tokens) for o in verifier(lambda x: half, lambda x: half, (0,))]
    [(0.5, (0, 0)), (0.5, (0, 1))]
    """

    def seen(drafts: Prefix, law: Array) -> Array:
        return processor((*text, *drafts), law)

    return _verifier(seen, _raw, _raw)


def residual_only(processor: Processor, text: Prefix = ()) -> Verifier:
    """Drafts are tested against the raw target, and the processor changes the residual and the last law: lossy.

    Parameters as in `prefix`.

    >>> import numpy as np
    >>> from simspec.laws import top_k
    >>> half = np.array([0.5, 0.5])
    >>> verifier = residual_only(lambda text, law: top_k(law, 1))
    >>> [(float(o.probability), o.tokens) for o in verifier(lambda x: half, lambda x: half, (1,))]
    [(1.0, (1, 0))]
    """

    def seen(drafts: Prefix, law: Array) -> Array:
        return processor((*text, *drafts), law)

    return _verifier(_raw, seen, seen)


def after_draft_tv(p: Array, q: Array, used: Array, right: Array) -> Any:
    r"""Total variation of the next two tokens where the law after an accepted draft is another one than it should be.

    .. math:: \sum_x \min(p(x), q(x))\,\mathrm{TV}(u(\cdot|x), f(\cdot|x))

    Parameters
    ----------
    p, q : laws (V,); processed target and draft at the first position
    used, right : laws (V, V); row x follows the accepted draft x

    Claims ``process.stale-corrected`` and ``process.bonus-corrected``.

    >>> import numpy as np
    >>> half = np.array([0.5, 0.5])
    >>> float(after_draft_tv(half, half, np.array([half, half]), np.array([[0.0, 1.0], [1.0, 0.0]])))
    0.5
    """
    rows = tv(used, right)
    return sum(overlap(p[[x]], q[[x]]) * rows[x] for x in range(len(p)))
