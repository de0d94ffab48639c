r"""Cut rows: of each context the likeliest tokens, the rest as one mass, and exact numbers that were computed before the cut.

A whole row of a vocabulary of 49,152 tokens takes 98 KB in 16 bits.  A cut row keeps the K tokens whose largest probability
under the target or any draft is greatest, with their probabilities under all of them, and what is left of each law as one
mass.  Acceptance, entropies, KL and TV of the whole laws stand beside it: they are read, and never computed of cut rows.
What speaks of the shape of logits needs whole rows (`simspec.logits.bank.Bank.target`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.laws import unchecked
from simspec.logits.bank.checked import CheckedFile
from simspec.logits.bank.storage import Contexts, CutPart

__all__ = ["PREFIX", "SETTINGS", "Cut", "CutRows", "cut_part", "cut_rows", "joined", "likeliest"]

PREFIX = "cut_"
"""What the names of the tensors of cut rows begin with."""
SETTINGS = ((0.0, 1.0), (0.6, 1.0), (1.0, 1.0), (0.6, 0.9), (1.0, 0.9))
"""Temperature and top-p of both models at which the acceptance of the whole laws is stored."""
PLAIN = SETTINGS.index((1.0, 1.0))
"""The setting of the models' own laws."""


class Cut(NamedTuple):
    """Cut rows of n contexts, K tokens, a target and D drafts over one vocabulary; the first law is the target's."""

    tokens: NDArray[Any]
    """(n, K), rising: the tokens that are kept"""
    logits: NDArray[np.float16]
    """(n, 1 + D, K): logarithms of their probabilities, the largest of each row shifted to 0"""
    rest: NDArray[np.float64]
    """(n, 1 + D): mass of all other tokens"""
    overlap: NDArray[np.float64]
    """(n, D, settings): sum of the smaller of both masses over the whole vocabulary, at each of `SETTINGS`"""
    tv: NDArray[np.float64]
    """(n, D): total-variation distance of the whole laws"""
    entropy: NDArray[np.float64]
    """(n, 1 + D): of the whole laws, in nats"""
    kl: NDArray[np.float64]
    """(n, D, 2): KL of the target from the draft, and of the draft from the target, in nats"""
    error: NDArray[np.float64]
    """(n, 1 + D): total-variation error that the 16 bits cause, the rest counted as one token"""


def likeliest(laws: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """The tokens of each context whose largest probability under any of its laws is greatest, in rising order.

    Parameters
    ----------
    laws : (n, L, V)
    count : K >= 1; all tokens where V is smaller.  Of equal ones the lower are taken.

    Returns
    -------
    integer array (n, min(K, V))

    Examples
    --------
    >>> likeliest(np.array([[[0.5, 0.25, 0.125, 0.125], [0.25, 0.25, 0.125, 0.375]]]), 2).tolist()
    [[0, 3]]
    """
    order = np.argsort(-laws.max(axis=1), axis=-1, kind="stable")
    return np.sort(order[:, :count], axis=-1)


def cut_rows(logits: Sequence[NDArray[Any]], count: int) -> Cut:
    r"""Cut the rows of a target and its drafts to K tokens, once everything exact is computed of the whole laws.

    Parameters
    ----------
    logits : of the target and of each draft, (n, V) in nats, over one vocabulary
    count : K

    Raises
    ------
    ValueError
        for K below 1, no draft, rows of unequal shapes, or a logit that is not finite.

    Examples
    --------
    The laws are (1/2, 1/4, 1/8, 1/8) and (1/8, 1/8, 1/4, 1/2); tokens 0 and 3 are kept:

    >>> p, q = np.log([[4.0, 2.0, 1.0, 1.0]]), np.log([[1.0, 1.0, 2.0, 4.0]])
    >>> cut = cut_rows([p, q], 2)
    >>> cut.tokens.tolist(), cut.rest.round(12).tolist()
    ([[0, 3]], [[0.375, 0.375]])
    >>> cut.overlap[0, 0, PLAIN].round(12), cut.tv.round(12).tolist()
    (np.float64(0.5), [[0.5]])
    """
    if count < 1:
        raise ValueError(f"count: {count}; expected at least 1 token")
    if len(logits) < 2:
        raise ValueError(f"logits: of {len(logits)} models; expected a target's and a draft's at least")
    shapes = [rows.shape for rows in logits]
    if len(set(shapes)) > 1 or len(shapes[0]) != 2 or 0 in shapes[0]:
        raise ValueError(f"logits: shapes {shapes}; expected (contexts, vocabulary), the same of each model")
    exact = [np.asarray(rows, dtype=np.float64) for rows in logits]
    for model, rows in enumerate(exact):
        if not np.isfinite(rows).all():
            row, token = np.argwhere(~np.isfinite(rows))[0].tolist()
            raise ValueError(f"logits: model {model}, row {row} holds {rows[row, token]} at token {token}")
    laws = np.stack([unchecked.softmax(rows) for rows in exact], axis=1)
    tokens = likeliest(laws, count)
    masses = np.take_along_axis(laws, tokens[:, None], axis=-1)
    others = laws.copy()
    np.put_along_axis(others, tokens[:, None], 0.0, axis=-1)
    rest = others.sum(axis=-1)  # summed, not 1 less the kept: a small rest keeps its digits
    stored = _stored(masses)
    target = laws[:, 0]
    drafts = [laws[:, 1 + draft] for draft in range(len(exact) - 1)]
    lumped = np.concatenate([masses, rest[..., None]], axis=-1)
    return Cut(
        tokens=tokens.astype(np.uint16 if laws.shape[-1] <= 1 << 16 else np.uint32),
        logits=stored,
        rest=rest,
        overlap=_overlaps(exact),
        tv=np.stack([unchecked.tv(target, law) for law in drafts], axis=-1),
        entropy=unchecked.entropy(laws),
        kl=np.stack([np.stack([unchecked.kl(target, q), unchecked.kl(q, target)], axis=-1) for q in drafts], axis=1),
        error=unchecked.tv(lumped, _restored(stored, rest)),
    )


def _stored(masses: NDArray[np.float64]) -> NDArray[np.float16]:
    """Logarithms of masses in 16 bits, the largest of each row at 0."""
    low = float(np.finfo(np.float16).min)
    with np.errstate(divide="ignore"):
        logs = np.log(masses)
    return np.maximum(logs - logs.max(axis=-1, keepdims=True), low).astype(np.float16)


def _restored(stored: NDArray[np.float16], rest: NDArray[np.float64]) -> NDArray[np.float64]:
    """Laws on the kept tokens and, last, the rest: the kept tokens share what the rest leaves."""
    shares = unchecked.softmax(stored.astype(np.float64)) * (1 - rest[..., None])
    return np.concatenate([shares, rest[..., None]], axis=-1)


def _overlaps(logits: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Accepted mass of each draft at each of `SETTINGS`, (n, D, settings)."""
    overlaps = np.empty((len(logits[0]), len(logits) - 1, len(SETTINGS)))
    # temperatures keep the order of the tokens: a row is sorted once for all its nuclei
    orders = [np.argsort(-rows, axis=-1, kind="stable") for rows in logits]
    for column, (temperature, mass) in enumerate(SETTINGS):
        laws = [unchecked.softmax(rows, temperature) for rows in logits]
        if mass < 1:
            laws = [_nucleus(law, order, mass) for law, order in zip(laws, orders, strict=True)]
        for draft, law in enumerate(laws[1:]):
            overlaps[:, draft, column] = unchecked.overlap(laws[0], law)
    return overlaps.clip(0, 1)


def _nucleus(laws: NDArray[np.float64], order: NDArray[np.intp], mass: float) -> NDArray[np.float64]:
    """`simspec.laws.top_p` of laws whose tokens are in order already, the likeliest first."""
    ranked = np.take_along_axis(laws, order, axis=-1)
    before = np.cumsum(ranked, axis=-1) - ranked
    nucleus = np.zeros_like(laws)
    np.put_along_axis(nucleus, order, np.where(before < mass, ranked, 0), axis=-1)
    return nucleus / nucleus.sum(axis=-1, keepdims=True)


def joined(parts: Sequence[Cut]) -> Cut:
    """Cut rows of several parts, one after the other.

    >>> part = cut_rows([np.zeros((1, 2)), np.zeros((1, 2))], 1)
    >>> joined([part, part]).tokens.tolist()
    [[0], [0]]
    """
    return Cut(*map(np.concatenate, zip(*parts, strict=True)))


def cut_part(cut: Cut, contexts: Contexts, whole: NDArray[np.int32]) -> CutPart:
    """Cut rows as `simspec.logits.bank.storage.write_bank` takes them.

    Parameters
    ----------
    cut : of `cut_rows`
    contexts : what is kept of each context
    whole : (n,) the evaluation context with the whole row of each, -1 for none

    >>> cut = cut_rows([np.zeros((1, 2)), np.zeros((1, 2))], 1)
    >>> nothing = np.array([0])
    >>> contexts = Contexts(nothing, nothing, nothing, nothing, np.array(["a"]))
    >>> sorted(cut_part(cut, contexts, np.array([-1])).tensors)[:3]
    ['cut_entropy', 'cut_error', 'cut_kl']
    """
    tensors = {f"{PREFIX}{name}": values for name, values in cut._asdict().items()}
    tensors["cut_whole"] = np.asarray(whole, dtype=np.int32)
    return CutPart(tensors, contexts, SETTINGS)


@dataclass(frozen=True, repr=False, eq=False)
class CutRows:
    """Cut rows of a bank, for its target and one of its drafts; get them from ``Bank.cut``.

    Their laws have K + 1 entries, the kept tokens and the rest.  Acceptance, entropy, KL and TV are those of the whole laws.
    A context may have its whole row in the bank too: `whole` says which.

    Attributes
    ----------
    file : the bank's
    draft : number of the draft, from 0
    rows : (n,) numbers of the file's cut rows that are read; None for all of them
    whole_rows : numbers of the file's whole rows that the bank reads; None for all of them
    """

    file: CheckedFile
    draft: int = 0
    rows: NDArray[Any] | None = None
    whole_rows: NDArray[Any] | None = None

    def __repr__(self) -> str:
        return f"CutRows({self.contexts:,} contexts, {self.kept:,} tokens and the rest as one mass)"

    def _read(self, name: str, rows: Any = slice(None)) -> NDArray[Any]:
        """Rows of a tensor of cut rows."""
        return self.file.read(f"{PREFIX}{name}", rows if self.rows is None else self.rows[rows])

    @property
    def contexts(self) -> int:
        """Number of contexts n."""
        return self.file.shape("cut_tokens")[0] if self.rows is None else len(self.rows)

    @property
    def kept(self) -> int:
        """Number of tokens K that are kept of each context."""
        return self.file.shape("cut_tokens")[1]

    @cached_property
    def index(self) -> Contexts:
        """Last token, true next token, position, document and corpus of each context."""
        names = np.array(json.loads(self.file.metadata["corpora"]))
        fields = [self._read(field) for field in ("last", "following", "position", "document")]
        return Contexts(fields[0], fields[1], fields[2], fields[3], names[self._read("corpus")])

    @property
    def documents(self) -> NDArray[np.int32]:
        """Document of each context, (n,): the unit for intervals."""
        return self.index.document

    @property
    def corpus(self) -> NDArray[np.str_]:
        """Kind of prompt, or name of the text file, of each context, (n,)."""
        return self.index.corpus

    @cached_property
    def whole(self) -> NDArray[np.int32]:
        """Number of the evaluation context with the whole row of each cut one, -1 where there is none, (n,)."""
        whole = self._read("whole")
        if self.whole_rows is None:
            return whole
        places = np.full(self.file.shape("target")[0] + 1, -1, dtype=whole.dtype)
        places[self.whole_rows] = np.arange(len(self.whole_rows))
        # a cut row without a whole one points at -1, the last place, which stays -1
        return places[whole]

    def tokens(self, rows: Any = slice(None)) -> NDArray[Any]:
        """Tokens that are kept of some contexts, rising, (n, K)."""
        return self._read("tokens", rows)

    def laws(self, rows: Any = slice(None)) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Target and draft laws of some contexts at temperature 1 on the kept tokens and, last, the rest, (n, K + 1).

        The overlap of these laws is at least that of the whole ones, which is `overlap`: the rest counts as one token.
        """
        laws = _restored(self._read("logits", rows), self._read("rest", rows))
        return laws[..., 0, :], laws[..., 1 + self.draft, :]

    @property
    def settings(self) -> tuple[tuple[float, float], ...]:
        """Temperature and top-p of each stored acceptance."""
        return tuple((float(t), float(mass)) for t, mass in json.loads(self.file.metadata["cut_settings"]))

    def accepted(self, temperature: float = 1.0, top_p: float = 1.0) -> NDArray[np.float64]:
        """Accepted mass of speculative decoding on the whole laws, (n,), as it was stored.

        Raises
        ------
        ValueError
            for a temperature and top-p at which nothing is stored: that needs whole rows.
        """
        settings = self.settings
        if (temperature, top_p) not in settings:
            listed = ", ".join(f"({t:g}, {mass:g})" for t, mass in settings)
            raise ValueError(
                f"temperature, top_p: ({temperature:g}, {top_p:g}); cut rows have stored values at {listed}: expected one of "
                "these, or whole rows (bank.target, bank.draft)"
            )
        return self._read("overlap")[:, self.draft, settings.index((temperature, top_p))]

    @property
    def overlap(self) -> NDArray[np.float64]:
        """Overlap of the whole laws at temperature 1, (n,)."""
        return self.accepted()

    @property
    def tv(self) -> NDArray[np.float64]:
        """Total-variation distance of the whole laws, (n,)."""
        return self._read("tv")[:, self.draft]

    @property
    def entropy(self) -> NDArray[np.float64]:
        """Entropy of the whole target laws, nats, (n,)."""
        return self._read("entropy")[:, 0]

    @property
    def draft_entropy(self) -> NDArray[np.float64]:
        """Entropy of the whole draft laws, nats, (n,)."""
        return self._read("entropy")[:, 1 + self.draft]

    @property
    def kl(self) -> NDArray[np.float64]:
        """KL of the target from the draft, whole laws, nats, (n,)."""
        return self._read("kl")[:, self.draft, 0]

    @property
    def reverse_kl(self) -> NDArray[np.float64]:
        """KL of the draft from the target, whole laws, nats, (n,)."""
        return self._read("kl")[:, self.draft, 1]

    @property
    def rest(self) -> NDArray[np.float64]:
        """Mass of the tokens that are not kept, of the target and of the draft, (n, 2)."""
        return self._read("rest")[:, [0, 1 + self.draft]]

    @property
    def error(self) -> float:
        """Largest total-variation error that the 16 bits cause, over target and draft."""
        return float(self._read("error")[:, [0, 1 + self.draft]].max())
