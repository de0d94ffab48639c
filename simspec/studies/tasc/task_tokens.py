"""A task's outputs as tokens: a base tokenizer, a training and a held-out part, and both ways of using new tokens.

The base tokenizer is byte-level byte-pair encoding, by default trained on inputs and outputs of the tasks' training parts, so
that it knows the tasks' words: what enrichment saves beyond it lies between words.  It is made by the `tokenizers`
library, as are the encodings with added tokens, so that these are what a user of that library gets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simspec.checks import needs
from simspec.logits.corpora import Corpus, split
from simspec.methods.tasc.encoding import expansions
from simspec.methods.tasc.enrichment import Enrichment, enrich
from simspec.methods.tasc.merging import Texts

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = [
    "Task",
    "added_ids",
    "base_tokenizer",
    "enriched",
    "prepare",
    "read_tokenizer",
    "snapshots",
    "text_lengths",
    "token_ids",
    "with_added",
]

VOCAB = 2000
"""Size of the base vocabulary that is trained when no tokenizer is given."""


@dataclass(frozen=True, eq=False)
class Task:
    """A task whose outputs are tokenised by a base tokenizer.

    Attributes
    ----------
    name, source : str
    tokenizer : Tokenizer, or None where the texts are at hand as tokens alone
    vocab : int; number of base tokens
    train : base tokens of the outputs that enrichment and models are fitted to
    held : base tokens of the outputs held out
    inputs, outputs : strings; inputs and outputs held out
    prompts : tokens that a model has read before each output held out; None where these are the inputs
    sizes : UTF-8 bytes of each output held out, where the texts are not at hand
    held_bits : surprisal of each base token of each output held out under a language model, in bits; None without a model
    """

    name: str
    source: str
    tokenizer: Tokenizer | None
    vocab: int
    train: tuple[tuple[int, ...], ...]
    held: tuple[tuple[int, ...], ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    prompts: tuple[tuple[int, ...], ...] | None = None
    held_bits: tuple[NDArray[np.float64], ...] | None = None
    sizes: NDArray[np.int64] | None = None

    @property
    def bytes(self) -> NDArray[np.int64]:
        """UTF-8 bytes of each held-out output."""
        if self.sizes is not None:
            return self.sizes
        return np.array([len(text.encode()) for text in self.outputs], dtype=np.int64)


def base_tokenizer(texts: Iterable[str], vocab: int = VOCAB) -> Tokenizer:
    """Byte-level byte-pair tokenizer trained on texts; the same for the same texts.

    Parameters
    ----------
    texts : strings
    vocab : int >= 256; tokens wanted, the 256 bytes among them

    Raises ValueError for a vocabulary that does not hold the bytes.

    >>> tokenizer = base_tokenizer(["ab ab"], vocab=257)
    >>> [tokenizer.decode([i]) for i in tokenizer.encode("ab ab").ids]
    ['ab', ' ', 'ab']
    """
    (tok,) = needs("a tokenizer of one's own", "tokenizers")
    if vocab < 256:
        raise ValueError(f"vocab: {vocab}; expected at least 256, one for each byte")
    tokenizer = tok.Tokenizer(tok.models.BPE())
    tokenizer.pre_tokenizer = tok.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tok.decoders.ByteLevel()
    alphabet = tok.pre_tokenizers.ByteLevel.alphabet()
    trainer = tok.trainers.BpeTrainer(vocab_size=vocab, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def read_tokenizer(path: str | Path) -> Tokenizer:
    """Tokenizer of a ``tokenizer.json`` file.

    Raises ValueError for a file that is missing or holds no tokenizer.
    """
    if not Path(path).is_file():
        raise ValueError(f"tokenizer: no file {str(path)!r}; expected a tokenizer.json")
    (tok,) = needs("reading a tokenizer", "tokenizers")
    try:
        return tok.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises a bare Exception
        raise ValueError(f"tokenizer: {path} cannot be read: {error}; expected a tokenizer.json") from None


def token_ids(tokenizer: Tokenizer, texts: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Tokens of texts, without special tokens.

    >>> token_ids(base_tokenizer(["ab"], vocab=257), ["ab", ""])
    ((256,), ())
    """
    encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    return tuple(tuple(encoding.ids) for encoding in encodings)


def with_added(tokenizer: Tokenizer, ngrams: Iterable[Sequence[int]]) -> Tokenizer:
    """The tokenizer with the strings of n-grams of its tokens as added tokens, matched in a text before all else.

    A string that ends within a character cannot be matched in a text and is left out; one that is a token already keeps
    its id, and is matched before all else too.

    >>> base = base_tokenizer(["ab ab"], vocab=257)
    >>> ab, space = token_ids(base, ["ab ab"])[0][:2]
    >>> token_ids(with_added(base, [(ab, space, ab)]), ["ab abb"])[0] == (257, *token_ids(base, ["b"])[0])
    True
    """
    (tok,) = needs("adding tokens", "tokenizers")
    copy = tok.Tokenizer.from_str(tokenizer.to_str())
    strings = tokenizer.decode_batch([list(ngram) for ngram in ngrams], skip_special_tokens=False)
    copy.add_tokens(
        [tok.AddedToken(text, normalized=False) for text in strings if "\N{REPLACEMENT CHARACTER}" not in text]
    )
    return copy


def prepare(
    corpora: Sequence[Corpus],
    share: float = 0.4,
    seed: int = 0,
    token_limit: int = 40_000,
    tokenizer: Tokenizer | None = None,
    outputs: bool = True,
) -> tuple[Task, ...]:
    """Tasks under one base tokenizer, each split by whole pairs.

    Parameters
    ----------
    corpora : corpora
    share : number in (0, 1), of the pairs to be held out
    seed : int, of the split
    token_limit : int; tokens to train on, at most about; of a longer training part evenly spaced pairs are taken
    tokenizer : Tokenizer, optional; by default one trained on the training parts
    outputs : bool; whether that one sees the outputs besides the inputs; without them it does not know the tasks' words

    >>> pairs = Corpus("greeting", ("1", "2", "3", "4"), ("hello", "hello", "hello", "hello"), "by hand")
    >>> task = prepare([pairs], share=0.25)[0]
    >>> len(task.train), len(task.held), task.held[0] == task.train[0]
    (3, 1, True)
    """
    if token_limit < 1:
        raise ValueError(f"token_limit: {token_limit}; expected at least one token")
    parts = [split(corpus, share, seed) for corpus in corpora]
    if tokenizer is None:
        training_sides = (
            texts for train, _ in parts for texts in (train.inputs, *([train.outputs] if outputs else []))
        )
        tokenizer = base_tokenizer(text for texts in training_sides for text in texts)
    tasks = []
    for corpus, (train, held_out) in zip(corpora, parts, strict=True):
        ids = token_ids(tokenizer, train.outputs)
        used_share = min(1.0, token_limit / max(sum(map(len, ids)), 1))
        some = tuple(row for i, row in enumerate(ids) if int((i + 1) * used_share) > int(i * used_share))
        encoded = token_ids(tokenizer, held_out.outputs)
        size = tokenizer.get_vocab_size()
        tasks.append(
            Task(
                name=corpus.name,
                source=corpus.source,
                tokenizer=tokenizer,
                vocab=size,
                train=some,
                held=encoded,
                inputs=held_out.inputs,
                outputs=held_out.outputs,
            )
        )
    return tuple(tasks)


@lru_cache(maxsize=16)
def enriched(task: Task, budget: int, n_max: int) -> Enrichment:
    """Enrichment of a task's training outputs, without a collision limit; kept, for several studies ask for it.

    >>> pairs = Corpus("greeting", ("1", "2", "3"), ("hello you", "hello you", "hello you"), "by hand")
    >>> enriched(prepare([pairs])[0], 1, 2).lengths
    (4, 2)
    """
    return enrich(task.train, budget, task.vocab, n_max)


def snapshots(
    texts: Sequence[Sequence[int]], enrichment: Enrichment, budgets: Iterable[int]
) -> Iterator[tuple[int, Texts]]:
    """Texts as the merge table encodes them, after each of some numbers of merges (ascending).

    It is one object that goes on changing: read its tokens (``lists()``) or `text_lengths` before the next is asked for.

    >>> from simspec.methods.tasc.enrichment import enrich
    >>> done = enrich([[0, 1, 2, 0, 1]], budget=1, vocab=3)
    >>> [(budget, now.lists()) for budget, now in snapshots([[1, 0, 1, 2]], done, [0, 1])]
    [(0, [[1, 0, 1, 2]]), (1, [[1, 3, 2]])]
    """
    now = Texts(texts, enrichment.vocab)
    merges_applied = 0
    for budget in sorted(set(budgets)):
        upto = min(budget, len(enrichment.ids))
        for ngram, new in zip(enrichment.ngrams[merges_applied:upto], enrichment.ids[merges_applied:upto], strict=True):
            now.merge(ngram, new)
        merges_applied = upto
        yield budget, now


def text_lengths(now: Texts, sizes: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Tokens of each text as it is now, from how many it had at first.

    >>> texts = Texts([[0, 1], [0]], vocab=2)
    >>> _ = texts.merge((0, 1), 2)
    >>> text_lengths(texts, [2, 1]).tolist()
    [1, 1]
    """
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return np.bincount(owner[now.token[: now.size] >= 0], minlength=len(sizes))


def added_ids(task: Task, enrichment: Enrichment, budget: int) -> tuple[tuple[int, ...], ...]:
    """Held-out outputs with the first `budget` new tokens as added tokens, in ids of that tokenizer.

    Raises ValueError for a task without a tokenizer.
    """
    if task.tokenizer is None:
        raise ValueError(f"task: {task.name!r} has no tokenizer; expected one, to which tokens can be added")
    return token_ids(with_added(task.tokenizer, expansions(enrichment)[:budget]), task.outputs)
