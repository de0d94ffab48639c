"""Learning merges from text: the compiled loops against the byte-pair trainer of `tokenizers` (Rust).

Both get the same lines of text and learn pairs of characters, all occurrences counted, in two ways.  Within words: the
lines are split at white space, and counts never cross a word; both sides then work on the different words and their
frequencies.  Across words: a line is one text, spaces are characters, and counts cross words but not lines.  The trainer
breaks ties as `simspec.kernels.merges` does (the pair first in the order of ids, ids of characters by code point), so it
must make the same merges: each of its merges, made in its order, must have the reward that ours reports for that step.
Beside it, n-grams of up to four characters, which the trainer does not know.  Times are from lines of text to merges; the
yardstick is one pass over the characters.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness
from benchmarks.cases import Bench, Done, judged, table, timed
from benchmarks.harness import Peer
from simspec.kernels import merges
from simspec.kernels.merges import reference as merges_reference

__all__ = ["BENCH", "Data", "Learned", "Merges", "candidates", "draw"]

CHARACTERS = 17_000_000
MERGES = 1000
QUICK = (60_000, 60)
CASES = {"within words": True, "across words, within lines": False}
OURS = "simspec"
FOUR = "simspec, up to 4"
RUST = "tokenizers BpeTrainer"
MEMORY = "characters read once"
COUNTING = merges_reference.COUNTINGS[1]
_WORDS = 200_000
_PER_LINE = 16
_BATCH = 1000
_LETTERS = "etaoinshrdlcumwfgypbvkjxqz"


class Merges(NamedTuple):
    """Merges in order, and the reward of each when it was chosen; merge i makes the token vocab + i."""

    ngrams: tuple[tuple[int, ...], ...]
    rewards: tuple[int, ...]


class Data(NamedTuple):
    """Lines of text, whether counts stay within words, how many merges are wanted."""

    lines: Sequence[str]
    words: bool
    budget: int
    known: Merges | None = None
    """What we make of them: merges that are the same pairs have the same rewards, and need not be replayed."""


class Learned(NamedTuple):
    """Merges as pairs of ids, and the data they are from; as an array: the reward of each at its step."""

    data: Data
    pairs: NDArray[np.int64]

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        known_merges = self.data.known
        same = known_merges is not None and known_merges.ngrams == tuple(map(tuple, self.pairs.tolist()))
        return np.array(known_merges.rewards if known_merges and same else _rewards(self.data, self.pairs), dtype=dtype)


def draw(characters: int, seed: int) -> list[str]:
    """Lines of 16 words until there are so many characters: word k of up to 200,000 has a probability like 1 / (k + 2.7)."""
    rng = np.random.default_rng(seed)
    count = max(100, min(_WORDS, characters // 8))
    share = 1 / (np.arange(len(_LETTERS)) + 3)
    letters = rng.choice(list(_LETTERS), size=(count, 16), p=share / share.sum())
    sizes = np.clip(rng.poisson(np.linspace(2, 8, count) ** 0.9), 1, 16)
    words = np.array(["".join(row[:n]) for row, n in zip(letters.tolist(), sizes.tolist(), strict=True)], dtype=object)
    ends = np.cumsum(1 / (np.arange(count) + 2.7))
    lines: list[str] = []
    while characters > 0:
        at = np.searchsorted(ends, ends[-1] * rng.random((_BATCH, _PER_LINE)), side="right")
        for row in words[np.minimum(at, count - 1)]:
            if characters > 0:
                lines.append(" ".join(row))
                characters -= len(lines[-1])
    return lines


def _read(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").replace("\x1f", " ").splitlines()  # white space to Python, not to Rust
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"--texts {path}: cannot be read ({error}); expected a text file in UTF-8") from None
    if not any(line.strip() for line in lines):
        raise ValueError(f"--texts {path}: empty; expected lines of text")
    return lines


def _case(name: str, data: Data, repeats: int) -> Done:
    right = _as_defined(data)
    known_merges = _made(data, 2)
    inputs = data._replace(known=known_merges), np.array(known_merges.rewards, dtype=np.float64), 0
    characters = sum(map(len, data.lines))
    title = f"{characters:,} characters, {data.budget:,} merges, counts {name}"
    results = timed(title, candidates(), repeats, lambda: inputs)
    right &= not next(r.status for r in results if r.name == RUST).startswith("wrong")
    about = {"counts": name, "characters": characters, "merges": data.budget, "lines": len(data.lines)}
    return judged(about, results, table(title, results, OURS, MEMORY), right)


def _as_defined(data: Data) -> bool:
    """Whether the compiled loops and the reference agree on the first lines, for n-grams of up to two and four."""
    tokens, lengths, weights, vocab = _tokens(data._replace(lines=data.lines[:20]))
    for n_max in (2, 4):
        pair = merges.Loops(tokens, lengths, vocab, weights), merges_reference.Corpus(tokens, lengths, vocab, weights)
        for texts in pair:
            texts.begin(n_max, COUNTING, 1)
        for new in range(vocab, vocab + 10):
            best_found, defined = (texts.best() for texts in pair)
            if best_found != defined:
                return False
            if not best_found[0]:
                break
            for texts in pair:
                texts.merge(best_found[0], new)
    return True


def candidates() -> list[Peer]:
    """Ours first, then the trainer, which takes one thread or all, then the memory yardstick."""
    counts = harness.thread_counts()
    return [
        Peer(OURS, _simspec, (1,)),
        Peer(RUST, _rust, tuple(sorted({counts[0], counts[-1]}))),
        Peer(FOUR, lambda data, n: lambda: _made(data, 4), (1,), checked=False),
        Peer(MEMORY, lambda data, n: harness.read_once(n, _codes("".join(data.lines))), (1,), checked=False),
    ]


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _tokens(data: Data) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None, int]:
    """Tokens (characters in the order of their code points), lengths and weights of the texts, and the vocabulary."""
    texts: Sequence[str] = data.lines
    weights = None
    if data.words:
        words = Counter(chain.from_iterable(map(str.split, data.lines)))
        texts = list(words)
        weights = np.fromiter(words.values(), dtype=np.int64, count=len(words))
    codes = _codes("".join(texts))
    there = np.bincount(codes) > 0
    ids = np.cumsum(there, dtype=np.int32) - 1
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    return ids[codes], lengths, weights, int(there.sum())


def _made(data: Data, n_max: int) -> Merges:
    tokens, lengths, weights, vocab = _tokens(data)
    texts = merges.corpus(tokens, lengths, vocab, weights)
    texts.begin(n_max, COUNTING, 1)
    ngrams = []
    rewards = []
    for new in range(vocab, vocab + data.budget):
        ngram, reward = texts.best()
        if not ngram:
            break
        texts.merge(ngram, new)
        ngrams.append(ngram)
        rewards.append(reward)
    return Merges(tuple(ngrams), tuple(rewards))


def _rewards(data: Data, pairs: NDArray[np.int64]) -> list[int]:
    """How often each pair occurs when its turn comes."""
    tokens, lengths, weights, vocab = _tokens(data)
    texts = merges.corpus(tokens, lengths, vocab, weights)
    ends = np.cumsum(lengths)
    rewards = []
    for new, pair in enumerate(pairs.tolist(), vocab):
        places = texts.find(pair, overlapping=True)
        times = 1 if weights is None else weights[np.searchsorted(ends, places, side="right")]
        rewards.append(int(np.broadcast_to(times, len(places)).sum()))
        texts.merge(pair, new)
    return rewards


def _simspec(data: Data, threads: int) -> harness.Call:
    return lambda: Learned(data, np.array(_made(data, 2).ngrams, dtype=np.int64).reshape(-1, 2))


def _rust(data: Data, threads: int) -> harness.Call:
    """The call that trains `tokenizers` on the lines and returns its merges."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    alphabet = sorted(c for c in set(chain.from_iterable(data.lines)) if not (data.words and c.isspace()))

    def batches() -> Iterator[list[str]]:
        for i in range(0, len(data.lines), _BATCH):
            yield list(data.lines[i : i + _BATCH])

    def call() -> Learned:
        os.environ["TOKENIZERS_PARALLELISM"] = "true" if threads > 1 else "false"
        tokenizer = Tokenizer(models.BPE())
        if data.words:
            tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        size = len(alphabet) + data.budget
        tokenizer.train_from_iterator(batches(), trainers.BpeTrainer(vocab_size=size, show_progress=False))
        return Learned(data, _pairs(tokenizer, alphabet))

    return call


def _pairs(tokenizer: Any, alphabet: Sequence[str]) -> NDArray[np.int64]:
    """Merges of a trained tokenizer as pairs of ids: characters in order, then merges."""
    merge_list = json.loads(tokenizer.to_str())["model"]["merges"]
    ids = {c: i for i, c in enumerate(alphabet)}
    pairs = []
    for first_part, right in merge_list:
        pairs.append((ids[first_part], ids[right]))
        ids[first_part + right] = len(alphabet) + len(pairs) - 1
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _more(parser: argparse.ArgumentParser) -> None:
    texts_help = "a text file of your own (UTF-8), its lines the texts"
    parser.add_argument("--texts", type=Path, metavar="PATH", help=texts_help)


def _cases(args: argparse.Namespace, repeats: int) -> list[Callable[[], Done]]:
    size, budget = QUICK if args.quick else (CHARACTERS, MERGES)
    lines = draw(size, args.seed) if args.texts is None else _read(args.texts)
    return [partial(_case, name, Data(lines, words, budget), repeats) for name, words in CASES.items()]


BENCH = Bench(
    name="merges",
    summary="learning the merges of a tokenizer, against the trainer of the tokenizers library",
    repeats=3,
    quick="few characters and merges",
    cases=_cases,
    seed="the text",
    more=_more,
)
