"""The compiled loops of `simspec.kernels.merges`: texts in one array, in which n-grams are found, counted and merged.

Texts lie in `cells`, with the cell ``-1`` before the first, between two and after the last.  A token made of L cells has
its id in the first of them and ``-L`` in the second and in the last, so that both neighbours of a token are one look
away; every cell that begins no token is negative.  Counts and order of the n-grams: `merges_table`.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from simspec.kernels.compiled import compiled, inner
from simspec.kernels.merges.table import COUNT, FLOOR, MADE, SIZE, USED, add, enter, refill, room, sink, spell

__all__ = ["best", "count", "find", "lay", "merge"]


_compiled = partial(compiled, nogil=True)


@_compiled
def lay(tokens, lengths, vocab):
    """Cells of texts that lie one after another, and the places of each token: (cells, places, start, size)."""
    cells = np.full(tokens.shape[0] + lengths.shape[0] + 1, -1, np.int32)
    size = np.zeros(vocab, np.int32)
    at = 0
    for text in range(lengths.shape[0]):
        for _ in range(lengths[text]):
            cells[at + text + 1] = tokens[at]
            size[tokens[at]] += 1
            at += 1
    start = np.zeros(vocab, np.int64)
    for token in range(1, vocab):
        start[token] = start[token - 1] + size[token - 1]
    places = np.empty(tokens.shape[0], np.int32)
    for place in range(cells.shape[0]):
        token = cells[place]
        if token >= 0:
            places[start[token]] = place
            start[token] += 1
    start -= size  # from one after the last place back to the first
    return cells, places, start, size


@inner
def _next(cells, place):
    """Place of the next token, or of the cell after the text."""
    step = cells[place + 1]
    return place - step if step < 0 else place + 1


@inner
def _before(cells, place):
    """Place of the token before, or of the cell before the text."""
    step = cells[place - 1]
    return place + step if step < 0 else place - 1


@_compiled
def find(cells, places, start, size, ngram, apart):
    """First places of an n-gram in order: all, or those that a pass from the left merges (`apart`).

    Reads the places of its rarest token, and forgets those where it no longer stands.
    """
    k = 0
    for i in range(1, ngram.shape[0]):
        if size[ngram[i]] < size[ngram[k]]:
            k = i
    rarest = ngram[k]
    first = start[rarest]
    out = np.empty(np.int64(size[rarest]), np.int32)
    live_count = 0
    match_count = 0
    free = np.int64(0)
    for i in range(first, first + size[rarest]):
        head = np.int64(places[i])
        if cells[head] != rarest:
            continue
        places[first + live_count] = head
        live_count += 1
        for _ in range(k):
            if cells[head] >= 0:
                head = _before(cells, head)
        at = head
        fits = True
        for token in ngram:
            if cells[at] != token:
                fits = False
                break
            at = _next(cells, at)
        if fits and (head >= free or not apart):
            out[match_count] = head
            match_count += 1
            free = at
    size[rarest] = live_count
    return out[:match_count]


@_compiled
def count(cells, weight, n_max, first, last, table, heap, meta):
    """Add the n-grams of 2 to `n_max` tokens that begin in cells `first` to `last` - 1; the heap stays empty."""
    row = np.empty(n_max, np.int64)
    for place in range(first, last):
        if cells[place] < 0:
            continue
        at = place
        length = 0
        while length < n_max and cells[at] >= 0:
            row[length] = cells[at]
            length += 1
            at = _next(cells, at)
        table, heap = room(table, heap, meta, n_max)
        add(table, heap, meta, row, length, 0, 0, n_max, weight[place] if weight.shape[0] else 1)
        meta[MADE] = 0
    return table, heap


@_compiled
def merge(cells, weight, heads, n, new, n_max, table, heap, meta):
    """Make one token of the `n` tokens from each of the places `heads`; (weight of what was merged, table, heap).

    Counts follow for n-grams of 2 to `n_max` tokens (for ``n_max = 1`` there are none).
    """
    row = np.empty(2 * n_max + n, np.int64)
    ngram_bound = n_max * (n_max + 1) // 2
    merged = 0
    for i in range(heads.shape[0]):
        head = np.int64(heads[i])
        amount = weight[head] if weight.shape[0] else 1
        merged += amount
        begin = head
        before = 0
        while before < n_max - 1 and cells[_before(cells, begin)] >= 0:
            begin = _before(cells, begin)
            before += 1
        at = begin
        length = 0
        after = head
        while length < before + n + n_max - 1 and cells[at] >= 0:
            row[length] = cells[at]
            length += 1
            at = _next(cells, at)
            if length == before + n:
                after = at
        if n_max > 1:
            table, heap = room(table, heap, meta, ngram_bound)
            add(table, heap, meta, row, length, before, before + n - 1, n_max, -amount)
        at = head
        while at < after:
            here = at
            at = _next(cells, at)
            cells[here] = head - after
        cells[head] = new
        cells[head + 1] = cells[after - 1] = head - after
        if n_max > 1:
            row[before] = new
            for i in range(before + n, length):
                row[i - n + 1] = row[i]
            add(table, heap, meta, row, length - n + 1, before, before, n_max, amount)
    if n_max > 1:
        new_ngrams = meta[MADE]
        meta[MADE] = 0
        base = meta[SIZE]
        for i in range(base, base + new_ngrams):
            enter(table, heap, meta, heap[i, 1])
    return merged, table, heap


@inner
def _borders(ngram):
    """Whether two occurrences can overlap: some start of the n-gram is also an end of it."""
    n = ngram.shape[0]
    for k in range(1, n):
        same = True
        for i in range(k):
            same &= ngram[i] == ngram[n - k + i]
        if same:
            return True
    return False


@_compiled
def best(cells, weight, places, start, size, table, heap, meta, n_max, min_count, apart):
    """The n-gram of highest reward, which is then used up: (its tokens, none when none is left; reward; heap)."""
    ngram = np.empty(n_max, np.int64)
    while True:
        while meta[SIZE] > 0:
            reward = heap[0, 0]
            slot = heap[0, 1]
            n = spell(table, slot, ngram)
            counted = table[slot, 1] & COUNT
            if apart and counted > 1 and _borders(ngram[:n]):
                heads = find(cells, places, start, size, ngram[:n], apart)
                counted = heads.shape[0]
                if weight.shape[0]:
                    counted = 0
                    for head in heads:
                        counted += weight[head]
            now = counted * (n - 1)
            is_best = now == reward and counted >= min_count
            if not is_best and counted >= min_count and now >= meta[FLOOR]:
                heap[0, 0] = now
            else:
                meta[SIZE] -= 1
                heap[0, 0], heap[0, 1] = heap[meta[SIZE], 0], heap[meta[SIZE], 1]
            if meta[SIZE] > 0:
                sink(table, heap, meta, np.int64(0))
            if is_best:
                table[slot, 1] |= USED
                return ngram[:n].copy(), reward, heap
        if meta[FLOOR] == 1:
            return ngram[:0].copy(), 0, heap
        heap = refill(table, heap, meta, min_count)
