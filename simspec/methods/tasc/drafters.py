r"""TASC-spec: n-gram drafters, their mixtures, and what they draft.

A drafter is made by `train` (a corpus), `PromptNgrams` (the text so far), `mixed` (both; TASC-spec) or `ngrammys` (the
baseline: the target's own conditional laws).  Verification is speculative decoding, so the target's law is kept
whatever is proposed (claim ``tasc.spec-lossless``); how much a target accepts is in `simspec.methods.tasc.acceptance`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile
from numbers import Integral
from typing import Any

import numpy as np

from simspec import laws
from simspec.checks import check_memory
from simspec.laws import Array, Scalar, check_law, unchecked
from simspec.methods.block import Prefix, check_gamma
from simspec.methods.parameters import check_number
from simspec.methods.tasc.corpus_table import Memory, Ngrams, memory, train
from simspec.methods.tasc.drafter import Drafter, Match, Part, PromptNgrams, combine, law, tail

ROUNDING = 1e-12
"""More than the relative rounding of a mixture of two laws in float64."""

__all__ = [
    "Bigrams",
    "Drafter",
    "Match",
    "Memory",
    "Mixture",
    "Ngrams",
    "Part",
    "PromptNgrams",
    "accepted_greedy",
    "as_model",
    "best",
    "check_gamma",
    "draft",
    "law",
    "memory",
    "mixed",
    "ngrammys",
    "train",
]


@dataclass(frozen=True, eq=False)
class Mixture:
    """Two drafters, of which the first proposes with probability `mix`; made by `mixed`."""

    corpus: Drafter
    prompt: Drafter
    mix: Any

    @property
    def vocab(self) -> int:
        """Number of tokens V."""
        return self.corpus.vocab

    @property
    def window(self) -> int:
        """Longest context read by either."""
        return max(self.corpus.window, self.prompt.window)

    def parts(self, context: Sequence[int]) -> list[Part]:
        """The parts of both, weighted; a drafter with weight 0 is not asked."""
        weighted_drafters = ((self.mix, self.corpus), (1 - self.mix, self.prompt))
        return [
            Part(share * weight, tokens, counts)
            for share, drafter in weighted_drafters
            if share
            for weight, tokens, counts in drafter.parts(context)
        ]

    def begin(self, prompt: Sequence[int]) -> Mixture:
        """Both at the end of a new prompt."""
        return Mixture(self.corpus.begin(prompt), self.prompt.begin(prompt), self.mix)

    def append(self, token: int) -> None:
        """Let both see the next token of the text."""
        self.corpus.append(token)
        self.prompt.append(token)


def mixed(corpus: Drafter, prompt: Drafter, mix: Scalar) -> Mixture:
    r"""TASC-spec's drafter, :math:`\lambda\,p_{\mathrm{corp}} + (1-\lambda)\,p_{\mathrm{prompt}}`.

    Parameters
    ----------
    corpus, prompt : Drafter; over one vocabulary; usually an `Ngrams` and a `PromptNgrams`
    mix : number in [0, 1]; weight :math:`\lambda` of the corpus

    Raises ValueError for another weight, or drafters over different vocabularies.

    TASC 5.2; claims ``tasc.mixture`` and ``tasc.mixture-average``.

    >>> corpus, prompt = train([[0, 1]], n_max=2, vocab=3), train([[0, 2]], n_max=2, vocab=3)
    >>> law(mixed(corpus, prompt, 0.75), [0]).tolist()
    [0.0, 0.75, 0.25]
    """
    mix = check_number("mix", mix, lambda value: 0 <= value <= 1, "a weight between 0 and 1")
    for name, drafter in (("corpus", corpus), ("prompt", prompt)):
        if not (hasattr(drafter, "vocab") and hasattr(drafter, "parts")):
            raise ValueError(f"{name}: {drafter!r}; expected a drafter (train, PromptNgrams, ngrammys)")
    if corpus.vocab != prompt.vocab:
        raise ValueError(f"prompt: {prompt.vocab} tokens where corpus has {corpus.vocab}; expected one vocabulary")
    return Mixture(corpus, prompt, mix)


@dataclass(frozen=True, eq=False, repr=False)
class Bigrams:
    """A law for each last token, and one for the empty context; made by `ngrammys`."""

    conditional: Callable[[int], Array]
    start: Any  # a law, or None for the uniform one
    top: int | None
    vocab: int
    window: int = 1

    def __repr__(self) -> str:
        return f"Bigrams(vocab={self.vocab}, top={self.top})"

    def parts(self, context: Sequence[int]) -> list[Part]:
        """The law given the last token."""
        last = tail(context, 1, self.vocab)
        if not last and self.start is None:  # of a uniform law no token is likelier: nothing to cut
            return [Part(1, np.arange(self.vocab), np.full(self.vocab, 1 / self.vocab))]
        row = check_law(self.conditional(last[0]), "conditional") if last else self.start
        if row.shape != (self.vocab,):
            raise ValueError(
                f"conditional: shape {row.shape} after token {last}; expected one law of {self.vocab} tokens"
            )
        return [Part(1, np.arange(self.vocab), row if self.top is None else unchecked.top_k(row, self.top))]

    def begin(self, prompt: Sequence[int]) -> Bigrams:
        """Itself: the laws do not depend on the prompt."""
        return self

    def append(self, token: int) -> None:
        """Nothing: the laws do not depend on the text."""


def ngrammys(
    conditional: Array | Callable[[int], Array],
    vocab: int | None = None,
    top: int | None = None,
    start: Array | None = None,
) -> Bigrams:
    r"""N-Grammys' drafter: the target's own law given one token, :math:`p(\cdot \mid x_{-1})`.

    Mixed with the prompt it is ``mixed(ngrammys(…), PromptNgrams(…), mix)``.

    Parameters
    ----------
    conditional : laws (V, V), or token -> law (V,)
        row i: the target's law after the one-token text i.  A function is called anew each time it is needed.
    vocab : int; number of tokens; needed for a function
    top : int, optional; keep the `top` most likely tokens of each law; 1 is the most likely next token alone
    start : law (V,), optional
        for the empty context, cut to its `top` like the others; by default uniform, of which nothing is cut.

    Raises ValueError for rows that are not laws, a shape other than (V, V), or a function without `vocab`.

    Stewart et al. 2024, "The N-Grammys"; TASC 6.2.

    >>> table = ngrammys(np.array([[0.25, 0.75], [1, 0]]))
    >>> law(table, [1, 0]).tolist(), draft(table, [0], 3)
    ([0.25, 0.75], [1, 0, 1])
    """
    rows: Callable[[int], Array]
    if callable(conditional):
        if not isinstance(vocab, Integral) or not vocab >= 1:
            raise ValueError(f"vocab: {vocab!r}; expected the number of tokens beside a function")
        rows = conditional
        size = int(vocab)
    else:
        matrix = check_law(conditional, "conditional")
        size = matrix.shape[-1]
        if matrix.shape != (size, size) or vocab not in (None, size):
            raise ValueError(f"conditional: shape {matrix.shape}; expected one law after each token, (V, V)")
        rows = matrix.__getitem__
    check_memory("vocab", size, 8 * size)  # one law
    if top is not None and not (isinstance(top, Integral) and 1 <= top <= size):
        raise ValueError(f"top: {top}; expected 1 <= top <= {size}, the vocabulary size")
    first = None if start is None else check_law(start, "start")
    if first is not None and first.shape != (size,):
        raise ValueError(f"start: shape {first.shape}; expected one law of {size} tokens")
    return Bigrams(rows, first, top, size)


def best(drafter: Drafter, context: Sequence[int]) -> int:
    """Most likely token of a drafter's law; of equally likely tokens the lowest.

    Exact, ties included: where tokens of a mixture are within rounding of the largest, fractions decide.

    >>> best(train([[0, 2, 0, 1]], n_max=2), [0])
    1
    """
    parts = drafter.parts(context)
    if len(parts) == 1:
        return int(parts[0].tokens[np.argmax(parts[0].counts)])
    rough = combine(parts, drafter.vocab)
    near = np.flatnonzero(rough >= rough.max() * (1 - ROUNDING))
    return int(near[0] if len(near) == 1 else max(near.tolist(), key=_share(parts)))


def _share(parts: Sequence[Part]) -> Callable[[int], Fraction]:
    """Token -> its exact share of the law that parts add up to."""
    scales = [Fraction(weight) / sum(map(Fraction, counts.tolist())) for weight, _, counts in parts]

    def share(token: int) -> Fraction:
        token_counts = (counts[tokens == token].tolist() for _, tokens, counts in parts)  # one count, or none
        return sum(
            (scale * Fraction(x) for scale, some in zip(scales, token_counts, strict=True) for x in some), Fraction(0)
        )

    return share


def draft(drafter: Drafter, context: Sequence[int], gamma: int) -> list[int]:
    """`gamma` tokens after a context, each the most likely after those before it.

    Drafts are context for later drafts, but a prompt table does not count them.

    >>> draft(train([[0, 1, 2, 0]], n_max=3), [0, 1], 4)
    [2, 0, 1, 2]
    """
    check_gamma(gamma)
    text = tail(context, drafter.window, drafter.vocab)
    drafts = []
    for _ in range(gamma):
        drafts.append(best(drafter, text))
        text.append(drafts[-1])
    return drafts


def accepted_greedy(drafts: Sequence[int], reference: Sequence[int]) -> int:
    """Number of drafts accepted by a greedy target that writes `reference`: the longest common prefix.

    >>> accepted_greedy([3, 1, 4, 1], [3, 1, 5, 1])
    2
    """
    pairs = zip(drafts, reference, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def as_model(
    drafter: Drafter, prompt: Sequence[int] = (), greedy: bool = False, exact: bool = False
) -> Callable[[Prefix], Array]:
    """A drafter as a function from prefix to law, for `block_outcomes`, `text_law` and `survival`.

    The drafter begins anew with prompt and prefix at each call, so the function is pure; drafts are part of the prefix
    and are counted by a prompt table.

    Parameters
    ----------
    prompt : tokens; before the prefix
    greedy : bool; all mass on the most likely token instead of the drafter's law
    exact : bool; fractions instead of float64

    >>> as_model(train([[0, 1, 0, 1, 0, 0]], n_max=2), greedy=True)((1, 0)).tolist()
    [0.0, 1.0]
    """

    def model(prefix: Prefix) -> Array:
        text = [*prompt, *prefix]
        state = drafter.begin(text)
        if not greedy:
            return law(state, text, exact)
        choice = np.arange(drafter.vocab) == best(state, text)
        return laws.exact(choice.astype(int)) if exact else choice.astype(np.float64)

    return model
