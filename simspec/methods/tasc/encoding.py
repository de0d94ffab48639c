r"""Text under an enriched tokenizer, in its two ways: through the merge table, and with added tokens matched first.

The merge table applies the new n-grams, in the order in which they were made, to what the base tokenizer gives; that is how
the enrichment saw its corpus.  Tokenizer libraries store added tokens elsewhere: they are searched in the raw text before the
base tokenizer sees the rest (TASC, Appendix A), and may so cut a piece that the base tokenizer would have kept whole.
The two differ, also in length; `toy_bpe` is a base tokenizer small enough to see it by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from simspec.methods.tasc.enrichment import COUNTINGS, Enrichment, merge_text
from simspec.methods.tasc.merging import Ngram, Texts, checked_texts

__all__ = [
    "Replay",
    "added_encode",
    "expansions",
    "merge_encode",
    "replay",
    "toy_bpe",
    "train_bpe",
]


class Replay(NamedTuple):
    """Texts after an enrichment made on others; `lengths` as in `Enrichment`."""

    texts: tuple[tuple[int, ...], ...]
    lengths: tuple[int, ...]
    merged: tuple[int, ...]


def merge_encode(text: Sequence[int], enrichment: Enrichment) -> list[int]:
    """Base tokens of one text after the merges of an enrichment, in order.

    Parameters
    ----------
    text : base token ids
    enrichment : Enrichment

    >>> from simspec.methods.tasc.enrichment import enrich
    >>> merge_encode([1, 0, 1, 2], enrich([[0, 1, 2, 0, 1]], budget=1, vocab=3))
    [1, 3, 2]
    """
    (now,) = checked_texts([text], enrichment.vocab)
    for ngram, new in zip(enrichment.ngrams, enrichment.ids, strict=True):
        if ngram[0] in now:
            now = merge_text(now, ngram, new)
    return now


def replay(texts: Iterable[Sequence[int]], enrichment: Enrichment) -> Replay:
    """`merge_encode` of many texts at once, with their total length after each merge: for texts held out.

    >>> from simspec.methods.tasc.enrichment import enrich
    >>> replay([[1, 0, 1, 2], [0, 1]], enrich([[0, 1, 2, 0, 1]], budget=1, vocab=3))
    Replay(texts=((1, 3, 2), (3,)), lengths=(6, 4), merged=(2,))
    """
    now = Texts(texts, enrichment.vocab)
    lengths = [now.total]
    merged = []
    for ngram, new in zip(enrichment.ngrams, enrichment.ids, strict=True):
        merged.append(now.merge(ngram, new))
        lengths.append(now.total)
    return Replay(tuple(map(tuple, now.lists())), tuple(lengths), tuple(merged))


def expansions(enrichment: Enrichment) -> tuple[Ngram, ...]:
    """Base tokens that each new token stands for.

    >>> from simspec.methods.tasc.enrichment import enrich
    >>> expansions(enrich([[0, 1, 2, 0, 1, 2]], budget=2, vocab=3))
    ((0, 1), (0, 1, 2))
    """
    expanded: dict[int, Ngram] = {}
    for ngram, new in zip(enrichment.ngrams, enrichment.ids, strict=True):
        expanded[new] = tuple(base for t in ngram for base in expanded.get(t, (t,)))
    return tuple(expanded.values())


def added_encode(
    text: str, added: Sequence[str], base_encode: Callable[[str], Sequence[Any]], ids: Sequence[Any] | None = None
) -> list[Any]:
    """Tokens of a text when added tokens are matched in it before the base tokenizer sees the rest.

    The leftmost match is taken, of several that begin there the longest, as the `tokenizers` library does (for plain
    added tokens and a tokenizer without a normaliser).

    Parameters
    ----------
    text : str
    added : strings; added tokens; of equal ones the first counts
    base_encode : callable; tokens of a piece of text (without special tokens)
    ids : sequence, optional; what stands for each added token in the result; the string itself when left out

    Raises ValueError for an empty added token, or a number of ids that differs.

    The base tokenizer keeps ``abcd`` whole; the added token cuts it into three.

    >>> base = toy_bpe([("a", "b"), ("c", "d"), ("ab", "cd")])
    >>> base("abcd"), added_encode("abcd", ["bc"], base)
    (['abcd'], ['a', 'bc', 'd'])
    """
    labels = added if ids is None else ids
    if "" in added or len(labels) != len(added):
        raise ValueError(f"added: {len(added)} tokens, {len(labels)} ids; expected as many, and no empty string")
    table = dict(reversed(list(zip(added, labels, strict=True))))
    sizes: dict[str, list[int]] = {}  # by first character, the longest first
    for start, group in groupby(sorted(table, key=lambda s: (s[0], -len(s))), key=lambda s: s[0]):
        sizes[start] = sorted({len(s) for s in group}, reverse=True)
    out: list[Any] = []
    i = free = 0  # the text from `free` on waits for the base tokenizer
    while i < len(text):
        size = next((n for n in sizes.get(text[i], ()) if text[i : i + n] in table), 0)
        if size:
            out += [*(base_encode(text[free:i]) if free < i else ()), table[text[i : i + size]]]
            free = i + size
        i += size or 1
    return [*out, *(base_encode(text[free:]) if free < len(text) else ())]


def toy_bpe(merges: Sequence[tuple[str, str]]) -> Callable[[str], list[str]]:
    """A byte-pair tokenizer on characters: while one is there, the earliest pair of the table is merged, from the left.

    Parameters
    ----------
    merges : pairs of strings; the merge table, first the merge that comes first

    Returns
    -------
    callable
        text to a list of strings, which joined are the text.

    >>> toy_bpe([("a", "b"), ("ab", "a")])("abab")
    ['ab', 'ab']
    """
    rank = {pair: i for i, pair in reversed(list(enumerate(merges)))}

    def encode(text: str) -> list[str]:
        """Merge the adjacent pair of lowest rank, all its places at once, until no pair has a rank."""
        now = list(text)
        while True:
            pairs = [pair for pair in pairwise(now) if pair in rank]
            if not pairs:
                return now
            left, right = min(pairs, key=rank.__getitem__)
            merged: list[str] = []
            waiting = iter(range(len(now)))
            for i in waiting:
                if now[i : i + 2] == [left, right]:
                    merged.append(left + right)
                    next(waiting)
                else:
                    merged.append(now[i])
            now = merged

    return encode


def train_bpe(texts: Iterable[Sequence[int]], merges: int, vocab: int, counting: str = "occurrences") -> list[Ngram]:
    """Merges of byte-pair encoding: at each step the most frequent pair, of equals the first in the order of ids.

    ``"occurrences"`` counts every pair of neighbours; ``"non-overlapping"`` counts a run of L equal tokens as L // 2 pairs.

    >>> train_bpe([[0, 1, 2, 0, 1, 2]], merges=2, vocab=3)
    [(0, 1), (3, 2)]
    """
    if counting not in COUNTINGS:
        raise ValueError(f"counting: {counting!r}; expected one of {', '.join(COUNTINGS)}")
    now = checked_texts(texts, vocab)
    merged_pairs: list[Ngram] = []
    while len(merged_pairs) < merges:
        counts: Counter[Ngram] = Counter()
        for text in now:
            runs = [(t, len(list(run))) for t, run in groupby(text)]
            counts.update((a, b) for (a, _), (b, _) in pairwise(runs))
            for t, n in runs:
                counts[t, t] += n - 1 if counting == "occurrences" else n // 2
        top = max(counts.values(), default=0)
        if top == 0:
            break
        pair = min(g for g, n in counts.items() if n == top)
        new = vocab + len(merged_pairs)
        merged_pairs.append(pair)
        for text in now:
            i = 0
            while i < len(text) - 1:
                if (text[i], text[i + 1]) == pair:
                    text[i : i + 2] = [new]
                i += 1
    return merged_pairs
