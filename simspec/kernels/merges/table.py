"""The table and the heap of n-grams of `simspec.kernels.merges`: compiled, in plain arrays.

An n-gram is a row (key, info) of `table`, found by linear probing.  The key joins the n-gram's last token with what
stands before it: a token, or the row of the n-gram without its last token (which occurs wherever the longer one does).
So keys are exact for any n.  `info` is the count, above it n, above that whether the n-gram is used up; 0: an empty row.

`heap` holds (reward, row) with the best first, then the rows that the merge under way has made.  Counts of n-grams that
do not hold the newest token only fall, so an entry is never too low; it is put right when it comes to the top.  N-grams
of rewards below a floor wait outside until nothing better is left, when the floor falls to an eighth.
"""

from __future__ import annotations

import numpy as np

from simspec.kernels.compiled import inner

__all__ = ["COUNT", "FILL", "FLOOR", "LARGEST", "LONGEST", "MADE", "META", "MOST", "SIZE", "USED"]
__all__ += ["add", "enter", "refill", "room", "sink", "spell"]

META = 4
SIZE, MADE, FILL, FLOOR = range(META)
"""Of `meta`: entries of the heap, rows made by the merge under way, rows in use, lowest reward that enters the heap (0
before the first refill)."""

_COUNT_BITS = 48
_TAG = 1 << 30
COUNT = (1 << _COUNT_BITS) - 1
USED = 1 << 61
MOST = COUNT >> 1
"""Largest count."""
LONGEST = (1 << 12) - 1
"""Largest n."""
LARGEST = _TAG - 1
"""Largest token id, and largest number of cells."""
_LAST = (1 << 32) - 1
_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@inner
def _slot(table, key):
    """Row of a key, or the empty row where it belongs."""
    h = np.uint64(key)
    h = (h ^ (h >> _HALF)) * _MIX
    mask = table.shape[0] - 1
    slot = np.int64((h ^ (h >> _HALF)) & np.uint64(mask))
    while table[slot, 1] != 0 and table[slot, 0] != key:
        slot = (slot + 1) & mask
    return slot


@inner
def add(table, heap, meta, row, length, first, last, n_max, amount):
    """Add to the counts of all n-grams of ``row[:length]`` that hold one of its tokens first .. last."""
    for begin in range(max(0, first - n_max + 1), last + 1):
        prefix = np.int64(row[begin])
        for end in range(begin + 1, min(begin + n_max, length)):
            key = (prefix << 32) | np.int64(row[end])
            slot = _slot(table, key)
            if end >= first:
                if table[slot, 1] == 0:
                    table[slot, 0] = key
                    table[slot, 1] = np.int64(end - begin + 1) << _COUNT_BITS
                    heap[meta[SIZE] + meta[MADE], 1] = slot
                    meta[FILL] += 1
                    meta[MADE] += 1
                table[slot, 1] += amount
            prefix = slot | _TAG


@inner
def _longer(heap, rows):
    """The heap with so many rows; copied one by one, for Numba compiles much text beside a copy of a slice."""
    longer = np.empty((rows, 2), np.int64)
    for i in range(heap.shape[0]):
        longer[i, 0] = heap[i, 0]
        longer[i, 1] = heap[i, 1]
    return longer


@inner
def room(table, heap, meta, rows):
    """The table and the heap, with room for so many rows more."""
    if meta[SIZE] + meta[MADE] + rows > heap.shape[0]:
        heap = _longer(heap, 2 * heap.shape[0] + rows)
    if 4 * (meta[FILL] + rows) > 3 * table.shape[0]:
        table = _rebuilt(table, heap, meta, rows)
    return table, heap


@inner
def _rebuilt(table, heap, meta, rows):
    """A table of the n-grams that still occur, at most half of it in use; rows in the heap are renamed."""
    live = 0
    for slot in range(table.shape[0]):
        live += (table[slot, 1] & COUNT) > 0
    capacity = table.shape[0]
    while 2 * (live + rows) > capacity:
        capacity *= 2
    if capacity > _TAG:
        raise ValueError("tokens: more than 2^29 different n-grams; expected fewer, or a smaller n_max")
    larger = np.zeros((capacity, 2), np.int64)
    new_slots = np.full(table.shape[0], -1, np.int32)
    remaining = live
    while remaining > 0:  # an n-gram moves once the one before its last token has moved: at most n_max - 1 passes
        for slot in range(table.shape[0]):
            if new_slots[slot] >= 0 or (table[slot, 1] & COUNT) == 0:
                continue
            key = table[slot, 0]
            prefix = key >> 32
            if prefix & _TAG:
                parent = np.int64(new_slots[prefix ^ _TAG])
                if parent < 0:
                    continue
                key = ((parent | _TAG) << 32) | (key & _LAST)
            to = _slot(larger, key)
            larger[to, 0] = key
            larger[to, 1] = table[slot, 1]
            new_slots[slot] = to
            remaining -= 1
    meta[FILL] = live
    live_entries = 0
    size = meta[SIZE]
    new_entries = meta[MADE]
    for i in range(size + new_entries):
        to = new_slots[heap[i, 1]]
        if to >= 0:
            heap[live_entries, 0] = heap[i, 0]
            heap[live_entries, 1] = to
            live_entries += 1
        elif i < size:
            meta[SIZE] -= 1
        else:
            meta[MADE] -= 1
    if meta[SIZE] < size:
        _heapify(larger, heap, meta)
    return larger


@inner
def _reward(info):
    return (info & COUNT) * (((info >> _COUNT_BITS) & LONGEST) - 1)


@inner
def _better(table, reward, slot, other_reward, rival_slot):
    """Of two n-grams the one of higher reward, of equals the shorter, then the one first in the order of ids."""
    if reward != other_reward:
        return reward > other_reward
    n = (table[slot, 1] >> _COUNT_BITS) & LONGEST
    m = (table[rival_slot, 1] >> _COUNT_BITS) & LONGEST
    if n != m:
        return n < m
    first = False
    while slot != rival_slot:  # from the last token back: the earliest that differs decides
        key = table[slot, 0]
        against = table[rival_slot, 0]
        if key & _LAST != against & _LAST:
            first = (key & _LAST) < (against & _LAST)
        slot = key >> 32
        rival_slot = against >> 32
        if not slot & _TAG:
            return slot < rival_slot if slot != rival_slot else first
        slot ^= _TAG
        rival_slot ^= _TAG
    return first


@inner
def enter(table, heap, meta, slot):
    """Put an n-gram into the heap, unless its reward is below the floor; the heap has room.

    While there is no floor the heap stays empty: the first `refill` takes in all n-grams, these among them.
    """
    reward = _reward(table[slot, 1])
    if meta[FLOOR] == 0 or reward < meta[FLOOR]:
        return
    at = meta[SIZE]
    meta[SIZE] += 1
    while at > 0 and _better(table, reward, slot, heap[(at - 1) // 2, 0], heap[(at - 1) // 2, 1]):
        heap[at, 0], heap[at, 1] = heap[(at - 1) // 2, 0], heap[(at - 1) // 2, 1]
        at = (at - 1) // 2
    heap[at, 0] = reward
    heap[at, 1] = slot


@inner
def sink(table, heap, meta, at):
    """Move an entry down to where it belongs."""
    reward = heap[at, 0]
    slot = heap[at, 1]
    size = meta[SIZE]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _better(table, heap[child + 1, 0], heap[child + 1, 1], heap[child, 0], heap[child, 1]):
            child += 1
        if not _better(table, heap[child, 0], heap[child, 1], reward, slot):
            break
        heap[at, 0], heap[at, 1] = heap[child, 0], heap[child, 1]
        at = child
    heap[at, 0] = reward
    heap[at, 1] = slot


@inner
def _heapify(table, heap, meta):
    for at in range(meta[SIZE] // 2 - 1, -1, -1):
        sink(table, heap, meta, at)


@inner
def refill(table, heap, meta, min_count):
    """Lower the floor and take in the n-grams above it."""
    top = 0
    for slot in range(table.shape[0]):
        if not table[slot, 1] & USED:
            top = max(top, _reward(table[slot, 1]))
    meta[FLOOR] = max(1, (min(top, meta[FLOOR]) if meta[FLOOR] else top) // 8)
    for slot in range(table.shape[0]):
        info = table[slot, 1]
        if not info & USED and info & COUNT >= min_count and _reward(info) >= meta[FLOOR]:
            if meta[SIZE] == heap.shape[0]:
                heap = _longer(heap, 2 * heap.shape[0])
            heap[meta[SIZE], 0] = _reward(info)
            heap[meta[SIZE], 1] = slot
            meta[SIZE] += 1
    _heapify(table, heap, meta)
    return heap


@inner
def spell(table, slot, out):
    """Write an n-gram's tokens; how many."""
    n = (table[slot, 1] >> _COUNT_BITS) & LONGEST
    code = slot | _TAG
    for i in range(n - 1, 0, -1):
        key = table[code ^ _TAG, 0]
        out[i] = key & _LAST
        code = key >> 32
    out[0] = code
    return n
