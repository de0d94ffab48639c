"""Rules by name that need more than numbers: which tokens both models have, laws of other contexts, a mean law.

`simspec.methods.registry.rule` hands them a `Known`.  Names of methods that are no rule for one token of known laws are here
too, with the words that say why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from simspec.laws import Array, unchecked
from simspec.methods.calls import named
from simspec.methods.method import Method
from simspec.methods.rdk.affinity import normalised, rdk
from simspec.methods.rdk.static import static, static_mixture
from simspec.methods.relaxed.reading import slem, slrs_rule
from simspec.methods.sd import SD
from simspec.methods.tli import tli, unigram_mixture

__all__ = ["KNOWING", "REFUSED", "Knowing", "Known", "make", "needed", "unigram"]

WEIGHTS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Masses to choose from: what linear-time RDK leaves to the uniform law, what the mixture puts outside the shared tokens."""


class Known(NamedTuple):
    """What is known of a pair beside the laws themselves; None where it is not.

    Attributes
    ----------
    shared : bool array (V,), or None; tokens that both models have
    tuning : () -> laws (p, q) of other contexts, or None; parameters are chosen on these
    mean : law (V,), or None; mean target law over other documents
    text : tokens before each context, n sequences, or None; drafters of texts read them
    corpus : () -> other texts, as sequences of tokens, or None
    pivots : bool array (V,) or (n, V), or None; tokens that change the answer
    first : integers (V,), or None; the target's token with which the text of each draft token begins
    """

    shared: Array | None = None
    tuning: Callable[[], tuple[Array, Array]] | None = None
    mean: Array | None = None
    text: Sequence[Sequence[int]] | None = None
    corpus: Callable[[], Sequence[Sequence[int]]] | None = None
    pivots: Array | None = None
    first: Array | None = None


class Knowing(NamedTuple):
    """What a rule does, what it needs to know, and the function that makes it."""

    summary: str
    needs: tuple[str, ...]
    make: Callable[[Known], Method]


def _mean(known: Known) -> Array:
    assert known.mean is not None
    return known.mean


def _first(known: Known) -> Array:
    assert known.first is not None
    return known.first


def _shared(known: Known) -> Array:
    assert known.shared is not None
    return known.shared


def _static(known: Known) -> Method:
    assert known.tuning is not None
    return static(_shared(known), static_mixture(*known.tuning(), _shared(known)).extra)


def _best(known: Known, methods: list[Method]) -> Method:
    """The rule of the highest mean acceptance on the tuning contexts; of equals the first."""
    assert known.tuning is not None
    p, q = known.tuning()
    return max(methods, key=lambda m: float(unchecked.overlap(p, m.propose(q)).mean()))


def _rdk(known: Known) -> Method:
    """The normalised linear-time form puts mass w = (s/t) / (V + s/t) on the prior, s the draft's mean of the prior."""
    assert known.tuning is not None
    p, q = known.tuning()
    s, vocab = float((unchecked.restrict(q, _shared(known)) @ _mean(known)).mean()), p.shape[-1]
    tilts = [s * w / ((1 - w) * vocab) for w in WEIGHTS]  # temperatures: w is left to the uniform law
    return _best(known, [rdk(_shared(known), normalised(_mean(known), _mean(known), t)) for t in tilts])


def _mixture(known: Known) -> Method:
    return _best(known, [unigram_mixture(_shared(known), _mean(known), w) for w in (0, *WEIGHTS)])


@named
def unigram(mean: Array) -> Method:
    """Drafts from one law, whatever the draft model says: a control; lossless.

    >>> unigram(np.array([0.25, 0.75])).propose(np.array([0.5, 0.5])).tolist()
    [0.25, 0.75]
    """
    mean = np.asarray(mean)
    return replace(SD, propose=lambda q: np.broadcast_to(mean, q.shape))


KNOWING: dict[str, Knowing] = {
    "tli": Knowing(
        "drafts from q on the shared tokens alone, normalised; lossless", ("shared",), lambda k: tli(_shared(k))
    ),
    "static-mixture": Knowing(
        "TLI and the best fixed masses outside the shared tokens; lossless", ("shared", "tuning"), _static
    ),
    "rdk": Knowing(
        "linear-time RDK, normalised form, the mean target law for its prior; lossless",
        ("shared", "tuning", "mean"),
        _rdk,
    ),
    "unigram-mixture": Knowing(
        "TLI and the mean target law outside the shared tokens: a control", ("shared", "tuning", "mean"), _mixture
    ),
    "unigram": Knowing("drafts from the mean target law: a control", ("mean",), lambda k: unigram(_mean(k))),
    "slem": Knowing(
        "another vocabulary's drafts, read again: exact match with the first token; lossless",
        ("first",),
        lambda k: slem(_first(k)),
    ),
    "slrs": Knowing(
        "the same, speculative decoding of the law of the first token; lossless",
        ("first",),
        lambda k: slrs_rule(_first(k)),
    ),
}
"""Every rule that needs to know something."""

MEANING = {
    "shared": "which tokens both models have (a bank with a draft, or an array `shared` in the .npz)",
    "tuning": "laws of other contexts to choose its parameters on (a bank captured with --tuning)",
    "mean": "the mean target law of other documents (a bank captured with --statistics)",
    "text": "the text before each context (`simspec advise TARGET DRAFT --text FILE`, or a bank captured with "
    "--neighbours 16; `simspec texts FILE` measures drafters of texts without models)",
    "corpus": "other texts (`simspec advise TARGET DRAFT --text FILE`)",
    "pivots": "which tokens change the answer (an array `pivots` in the .npz, for each token or for each row)",
    "first": "which target token the text of each draft token begins with (an array `first` in the .npz)",
}

_JOINTLY = "verifies several drafts jointly, so it is no rule of one step: `simspec rates` "
_BIASED = "is a biased rule, known by its own program alone: `simspec audit` takes it"
REFUSED: dict[str, str] = {
    **dict.fromkeys(("block", "hsd-capped", "token"), _JOINTLY + "and `simspec advise` take it"),
    "hsd-naive": _JOINTLY + "takes it",
    **dict.fromkeys(("tree-top", "tree-iid", "tree-swor"), "is a tree of a size to choose: `simspec advise` takes it"),
    **dict.fromkeys(("block-early", "block-token-residual", "hsd-package", "rrs-skip", "target-only-iid"), _BIASED),
}
"""Methods that are no rule for one token of known laws, and where they are measured."""


def make(name: str, known: Known) -> Method:
    """The rule of that name in `KNOWING`.

    Raises ValueError that says what is not known.

    >>> make("tli", Known(np.array([True, False]))).propose(np.array([0.25, 0.75])).tolist()
    [1.0, 0.0]
    >>> make("tli", Known())
    Traceback (most recent call last):
    ...
    ValueError: rule: 'tli' needs to know which tokens both models have (a bank with a draft, or an array `shared` in
        the .npz), which this source does not say
    """
    needed(name, KNOWING[name].needs, known)
    return KNOWING[name].make(known)


def needed(name: str, needs: Sequence[str], known: Known) -> None:
    """Raise ValueError where a rule needs more than is known.

    >>> needed("tli", ("shared",), Known(np.array([True, False])))
    """
    missing = [MEANING[what] for what in needs if getattr(known, what) is None]
    if missing:
        raise ValueError(f"rule: {name!r} needs to know {' and '.join(missing)}, which this source does not say")
