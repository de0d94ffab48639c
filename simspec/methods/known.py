"""What is known of a pair of models beside the laws of a context, and the rules that are made from it.

`simspec.methods.registry` holds these rules by name: which tokens both models have, laws of other contexts, a mean law.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from simspec.laws import Array, unchecked
from simspec.methods.calls import Call, Map
from simspec.methods.method import Method
from simspec.methods.rdk.affinity import normalised, rdk
from simspec.methods.rdk.static import static, static_mixture
from simspec.methods.relaxed.reading import match, slem, slrs_rule
from simspec.methods.sd import SD
from simspec.methods.tli import tli, unigram_mixture

__all__ = [
    "Known",
    "On",
    "check_known",
    "mixture_of",
    "rdk_of",
    "slem_of",
    "slrs_of",
    "static_of",
    "tli_of",
    "unigram",
    "unigram_of",
]

On = Callable[[slice, Array], tuple[Method, Array]]
"""(rows, draft laws there) -> the method, and the laws that it is given for the draft's."""
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
    read : rows -> laws (n, V) of the target's token with which a drafted text begins, or None; of a draft with a vocabulary
        of its own, whose tokens `first` cannot number
    """

    shared: Array | None = None
    tuning: Callable[[], tuple[Array, Array]] | None = None
    mean: Array | None = None
    text: Sequence[Sequence[int]] | None = None
    corpus: Callable[[], Sequence[Sequence[int]]] | None = None
    pivots: Array | None = None
    first: Array | None = None
    read: Callable[[slice | Array], Array] | None = None


def _mean(knowledge: Known) -> Array:
    assert knowledge.mean is not None
    return knowledge.mean


def _first(knowledge: Known) -> Array:
    assert knowledge.first is not None
    return knowledge.first


def _shared(knowledge: Known) -> Array:
    assert knowledge.shared is not None
    return knowledge.shared


def static_of(known: Known) -> Method:
    """The static mixture that is best on the tuning contexts."""
    assert known.tuning is not None
    return static(_shared(known), static_mixture(*known.tuning(), _shared(known)).extra)


def _best(knowledge: Known, methods: list[Method]) -> Method:
    """The rule of the highest mean acceptance on the tuning contexts; of equals the first."""
    assert knowledge.tuning is not None
    p, q = knowledge.tuning()
    return max(methods, key=lambda m: float(unchecked.overlap(p, m.propose(q)).mean()))


def rdk_of(known: Known) -> Method:
    """Linear-time RDK, tuned.

    The normalised linear-time form puts mass w = (s/t) / (V + s/t) on the prior, s the draft's mean of the
    prior.
    """
    assert known.tuning is not None
    p, q = known.tuning()
    s = float((unchecked.restrict(q, _shared(known)) @ _mean(known)).mean())
    vocab = p.shape[-1]
    tilts = [s * w / ((1 - w) * vocab) for w in WEIGHTS]  # temperatures: w is left to the uniform law
    return _best(known, [rdk(_shared(known), normalised(_mean(known), _mean(known), t)) for t in tilts])


def mixture_of(known: Known) -> Method:
    """TLI and the mean target law outside the shared tokens, with the best weight on the tuning contexts."""
    return _best(known, [unigram_mixture(_shared(known), _mean(known), w) for w in (0, *WEIGHTS)])


def unigram(mean: Array) -> Method:
    """Drafts from one law, whatever the draft model says: a control; lossless.

    >>> unigram(np.array([0.25, 0.75])).propose(np.array([0.5, 0.5])).tolist()
    [0.25, 0.75]
    """
    mean = np.asarray(mean)
    return replace(SD, propose=lambda q: np.broadcast_to(mean, q.shape)).made_by(unigram, mean)


def tli_of(known: Known) -> Method:
    """TLI on the tokens that both models have.

    >>> tli_of(Known(np.array([True, False]))).propose(np.array([0.25, 0.75])).tolist()
    [1.0, 0.0]
    """
    return tli(_shared(known))


def unigram_of(known: Known) -> Method:
    """Drafts from the mean target law.

    >>> unigram_of(Known(mean=np.array([0.25, 0.75])))
    unigram([0.25, 0.75])
    """
    return unigram(_mean(known))


def _on_read_laws(known: Known, method: Method, made_by: Call) -> On:
    """A method of each context, whose drafts are from the laws of the token with which a drafted text begins."""

    def on(rows: slice, q: Array) -> tuple[Method, Array]:
        assert known.read is not None
        return method, known.read(rows)

    return Map(on, made_by)


def slem_of(known: Known) -> Method | On:
    """SLEM with the tokens that drafted texts begin with, or with their laws where these are known.

    >>> slem_of(Known(first=np.array([0, 0])))
    slem([0, 0])
    >>> known = Known(read=lambda rows: np.array([[1.0, 0.0]])[rows])
    >>> method, law = slem_of(known)(slice(0, 1), np.array([[0.5, 0.25, 0.25]]))
    >>> method, law.tolist()
    (match(), [[1.0, 0.0]])
    """
    if known.read is not None:
        return _on_read_laws(known, match(), Call(slem_of, known))
    return slem(_first(known))


def slrs_of(known: Known) -> Method | On:
    """SLRS with the tokens that drafted texts begin with, or with their laws where these are known.

    >>> slrs_of(Known(first=np.array([0, 0])))
    slrs_rule([0, 0])
    """
    if known.read is not None:
        return _on_read_laws(known, SD, Call(slrs_of, known))
    return slrs_rule(_first(known))


MEANING = {
    "shared": "which tokens both models have (a bank with a draft, or an array `shared` in the .npz)",
    "tuning": "laws of other contexts to choose its parameters on (a bank captured with --tuning)",
    "mean": "the mean target law of other documents (a bank captured with --statistics)",
    "text": "the text before each context (`simspec advise TARGET DRAFT --text FILE`, or a bank captured with "
    "--neighbours 16; `simspec texts FILE` measures drafters of texts without models)",
    "corpus": "other texts (`simspec advise TARGET DRAFT --text FILE`)",
    "pivots": "which tokens change the answer (an array `pivots` in the .npz, for each token or for each row)",
    "first": "which target token the text of each draft token begins with (an array `first` in the .npz, or a bank captured "
    "with a draft of another tokenizer)",
}


def _is_known(known: Known, what: str) -> bool:
    """Whether this is known, or what can stand in its place."""
    return getattr(known, what) is not None or (what == "first" and known.read is not None)


def check_known(name: str, needs: Sequence[str], known: Known) -> None:
    """Raise ValueError where a rule needs more than is known.

    >>> check_known("tli", ("shared",), Known(np.array([True, False])))
    """
    missing = [MEANING[what] for what in needs if not _is_known(known, what)]
    if missing:
        raise ValueError(f"rule: {name!r} needs to know {' and '.join(missing)}; this source does not contain that")
