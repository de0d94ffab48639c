"""What TASC could gain on a task of one's own: n-gram drafts and added tokens, made on one part and tried on the other.

Both are measured on the outputs that the corpus holds.  Drafts are counted as accepted while they equal that output: it
is what a target model would accept that wrote these very outputs, not what a given model accepts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.estimates.intervals import Interval, documents
from simspec.kernels import random as philox
from simspec.laws import Scalar
from simspec.logits.corpora import Corpus, split, words
from simspec.methods.tasc.acceptance import target_calls
from simspec.methods.tasc.drafters import Drafter, PromptNgrams, mixed, train
from simspec.methods.tasc.encoding import replay
from simspec.methods.tasc.enrichment import enrich
from simspec.studies.tasc.corpus_statistics import resampled
from simspec.studies.tasc.enrichment import law_entropies, pair_weights
from simspec.studies.tasc.task_tokens import read_tokenizer

__all__ = ["DRAFTERS", "Encoded", "Saving", "draft_gains", "encode", "evenly", "ratio", "savings"]

DRAFTERS = ("corpus", "prompt", "mixed")
RESAMPLES = 2000
ENTROPY_RESAMPLES = 100

Progress = Callable[[int, int], None]
Ids = tuple[tuple[int, ...], ...]


class Encoded(NamedTuple):
    """A corpus in tokens: outputs that teach, and inputs and outputs that are held out.

    Attributes
    ----------
    train, inputs, outputs : token ids, text by text
    vocab : int; number of tokens; the last, ``vocab - 1``, stands before and after an output, and in no text
    unit : str; what a token is
    """

    train: Ids
    inputs: Ids
    outputs: Ids
    vocab: int
    unit: str


def evenly(corpus: Corpus, pairs: int) -> Corpus:
    """A corpus cut to so many of its pairs, at equal distances, which its source then tells.

    >>> one = Corpus("one", tuple("abcd"), tuple("wxyz"), "by hand")
    >>> evenly(one, 2)
    Corpus(name='one', inputs=('a', 'c'), outputs=('w', 'y'), source='by hand, 2 of 4 pairs')
    """
    pair_count = len(corpus.inputs)
    if pairs < 1:
        raise ValueError(f"pairs: {pairs}; expected at least one")
    if pairs >= pair_count:
        return corpus
    numbers = [i * pair_count // pairs for i in range(pairs)]
    inputs, outputs = (tuple(side[n] for n in numbers) for side in (corpus.inputs, corpus.outputs))
    return Corpus(corpus.name, inputs, outputs, f"{corpus.source}, {pairs:,} of {pair_count:,} pairs")


def _numbered(number: dict[str, int]) -> Callable[[str], list[int]]:
    """Words as numbers, in the order in which they are met."""
    return lambda text: [number.setdefault(word, len(number)) for word in words(text)]


def _tokenizer(path: str | Path) -> tuple[Callable[[str], list[int]], int, str]:
    tokenizer = read_tokenizer(path)
    name = "/".join(Path(path).resolve().parts[-2:])
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids, tokenizer.get_vocab_size(), name


def encode(
    corpus: Corpus, share: float = 0.2, seed: int = 0, texts: int | None = None, tokenizer: str | Path | None = None
) -> Encoded:
    """A corpus in tokens, split by whole pairs.

    Parameters
    ----------
    corpus : Corpus
    share, seed : as in `simspec.logits.corpora.split`
    texts : int, optional; most held-out pairs that are used, at equal distances in the file
    tokenizer : path, optional
        a ``tokenizer.json`` of the tokenizers library; by default a token is a word (`simspec.logits.corpora.words`).

    Raises ValueError for a corpus that cannot be split, or a file that is no tokenizer.

    The tokens are x, y, the input that is held out, and the mark around outputs.

    >>> one = encode(Corpus("one", ("a", "b"), ("x y", "y"), "by hand"), share=0.5)
    >>> sorted(map(len, one.train + one.outputs)), one.vocab, one.unit
    ([1, 2], 4, 'words')
    """
    if texts is not None and not texts >= 1:
        raise ValueError(f"texts: {texts}; expected at least one held-out text")
    taught, held_out = split(corpus, share, seed)
    count = len(held_out.inputs) if texts is None else min(texts, len(held_out.inputs))
    numbers = [i * len(held_out.inputs) // count for i in range(count)]
    inputs, outputs = ([side[n] for n in numbers] for side in (held_out.inputs, held_out.outputs))
    number: dict[str, int] = {}
    if tokenizer is None:
        ids = _numbered(number)
        size = 0
        unit = "words"
    else:
        ids, size, name = _tokenizer(tokenizer)
        unit = f"tokens of {name}"
    parts = [tuple(tuple(ids(text)) for text in side) for side in (taught.outputs, inputs, outputs)]
    largest = max((max(text) for side in parts for text in side if text), default=-1)
    return Encoded(parts[0], parts[1], parts[2], max(size, len(number), largest + 1) + 1, unit)


def _drafters(encoded: Encoded, n_max: int, min_count: int, mix: Scalar) -> dict[str, Drafter]:
    end = encoded.vocab - 1
    corpus = train([[end, *text, end] for text in encoded.train], n_max, min_count, encoded.vocab)
    prompt = PromptNgrams(n_max, encoded.vocab)
    return dict(zip(DRAFTERS, (corpus, prompt, mixed(corpus, prompt, mix)), strict=True))


def draft_gains(
    encoded: Encoded,
    n_max: int = 4,
    gamma: int = 8,
    min_count: int = 1,
    mix: Scalar = 0.75,
    level: float = 0.95,
    progress: Progress | None = None,
) -> dict[str, Interval]:
    """Tokens per target call of n-gram drafters, by greedy match with held-out outputs and their ends (1 without drafts).

    Parameters
    ----------
    encoded : Encoded
    n_max, min_count : as in `simspec.methods.tasc.drafters.train`
    gamma : int; drafts a call
    mix : number in [0, 1]; weight of the corpus in the mixed drafter
    level : in (0, 1), of the bootstrap intervals over texts
    progress : (texts done, texts in all) -> None, optional

    Returns
    -------
    {"corpus", "prompt", "mixed": interval}

    Raises ValueError for no output to learn from, or fewer than two held-out outputs that are not empty.

    Every output is the same three words and their end: the first call drafts it all.

    >>> same = encode(Corpus("same", tuple("abcd"), ("x y z",) * 4, "by hand"), share=0.5)
    >>> draft_gains(same)["corpus"].estimate
    4.0
    """
    _check(encoded)
    drafters = _drafters(encoded, n_max, min_count, mix)
    total = len(drafters) * len(encoded.outputs)
    end = encoded.vocab - 1
    gains: dict[str, Interval] = {}
    for i, (name, drafter) in enumerate(drafters.items()):
        rows = []
        for j, (prompt, output) in enumerate(zip(encoded.inputs, encoded.outputs, strict=True), 1):
            calls = target_calls(drafter, [*output, end], gamma, [*prompt, end])
            rows.append((len(output) + 1, calls))
            if progress is not None:
                progress(i * len(encoded.outputs) + j, total)
        gains[name] = ratio(rows, level)
    return gains


class Saving(NamedTuple):
    """What added tokens save: how many, on the outputs they were made of, and on held-out ones.

    Attributes
    ----------
    added : int; tokens added
    train, held_out : float, Interval; tokens before / tokens after; 2 means half as many decoding steps
    entropy : {"input", "output": (before, after)}
        of the tokens of the held-out side, divided by the log of the vocabulary's size before and after (TASC,
        Table 9); a side with fewer than two texts that are not empty is left out.
    """

    added: int
    train: float
    held_out: Interval
    entropy: Mapping[str, tuple[Interval, Interval]]


def savings(
    encoded: Encoded,
    budgets: Sequence[int] = (500, 1000),
    n_max: int = 4,
    level: float = 0.95,
    progress: Progress | None = None,
) -> list[Saving]:
    """How much shorter outputs become with tokens that the merge reward chooses (TASC-ft, Algorithm 1).

    Parameters
    ----------
    encoded : Encoded
    budgets : numbers of added tokens, ascending; fewer are added where no n-gram occurs twice
    n_max : int; longest n-gram
    level : in (0, 1), of the bootstrap intervals over held-out texts
    progress : (tokens made, tokens wanted) -> None, optional

    Raises ValueError for budgets that are not positive and ascending, no output to learn from, or fewer than two
    held-out outputs that are not empty.

    >>> same = encode(Corpus("same", tuple("abcd"), ("x y z",) * 4, "by hand"), share=0.5)
    >>> [(s.added, s.train, s.held_out.estimate) for s in savings(same, budgets=(1,))]
    [(1, 3.0, 3.0)]
    """
    _check(encoded)
    if not budgets or sorted({b for b in budgets if b > 0}) != list(budgets):
        raise ValueError(f"budgets: {tuple(budgets)}; expected positive numbers of added tokens, ascending")
    base = encoded.vocab - 1
    notify = None if progress is None else (lambda merges_so_far, length: progress(merges_so_far, budgets[-1]))
    merge_table = enrich(encoded.train, budgets[-1], base, n_max, min_count=2, notify=notify)
    outputs = [text for text in encoded.outputs if text]
    before = [len(text) for text in outputs]
    sides = {"input": [text for text in encoded.inputs if text], "output": outputs}
    sides = {side: texts for side, texts in sides.items() if len(texts) > 1 and base > 1}
    first = {side: _normalised(texts, base, level) for side, texts in sides.items()}
    budget_savings = []
    for budget in sorted({min(b, len(merge_table.ids)) for b in budgets}):
        first_merges = merge_table._replace(
            **{name: getattr(merge_table, name)[:budget] for name in ("ngrams", "ids", "rewards", "merged")}
        )
        after = [len(text) for text in replay(outputs, first_merges).texts]
        held_out_ratio = ratio(list(zip(before, after, strict=True)), level)
        entropy = {
            side: (first[side], _normalised(replay(texts, first_merges).texts, base + budget, level))
            for side, texts in sides.items()
        }
        budget_savings.append(
            Saving(budget, merge_table.lengths[0] / merge_table.lengths[budget], held_out_ratio, entropy)
        )
    return budget_savings


def _normalised(texts: Sequence[Sequence[int]], vocab: int, level: float) -> Interval:
    """Entropy of the tokens over the log of the vocabulary's size, with its bootstrap interval over texts."""
    flat = np.array([token for text in texts for token in text], dtype=np.int64)
    owner = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    key = philox.make_key(0, "normalised-entropy", len(texts))
    weights = pair_weights(key, range(1 + ENTROPY_RESAMPLES), len(texts))
    values = [law_entropies(np.bincount(flat, w[owner], minlength=vocab), vocab)["normalised"] for w in weights]
    return resampled(values, level)


def _check(encoded: Encoded) -> None:
    taught, held_out_count = (sum(map(bool, texts)) for texts in (encoded.train, encoded.outputs))
    if not taught or held_out_count < 2:
        raise ValueError(
            f"corpus: {taught} outputs to learn from and {held_out_count} held out, empty ones aside; expected one or more, and "
            "two or more"
        )


def ratio(rows: Any, level: float) -> Interval:
    """Ratio of the sums of two columns, with its bootstrap interval over texts (rows)."""
    values = np.array(rows, dtype=np.float64)
    bootstrap_options: Mapping[str, Any] = {
        "resamples": RESAMPLES,
        "statistic": lambda means: means[..., 0] / means[..., 1],
    }
    return documents(values, np.arange(len(values)), level, **bootstrap_options)
