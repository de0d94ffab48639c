"""Compiled loops of `simspec.kernels.ngram`: one search through a text, and the tree of all n-grams of a growing one.

The tree.  Node s of a text's last s tokens is reached from the root by reading them newest first, so the nodes of all
suffixes lie on one path.  A row of `nodes` describes an n-gram; an edge is found by open addressing in `slots`, which
holds numbers of nodes (0 is empty, and the root is nobody's child).  An edge counts as found only when its parent and
token are those asked for, so two n-grams that share a slot cost time and are never mistaken for each other.

State: numbers of tokens and of nodes; then, for s = 0..n_max as far as the text is that long, the node of the last s
tokens, and where that n-gram ended first and last before (-1 for never).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from simspec.kernels.compiled import compiled
from simspec.kernels.threads import split

__all__ = ["COLUMNS", "append", "collect", "draft", "extend", "followers", "propose", "rebuild", "search"]

PARENT, TOKEN, FIRST, LAST, COUNT, BEST, HEAD, NEXT = range(8)
"""A node: the n-gram without its oldest token, that token, where it first and last ended, how often it was seen, the
most frequent n-gram that is one token longer to the right (0: none), the first of those, and the next one that is
longer by one token than the same n-gram."""
COLUMNS = 8
_BLOCK = 128  # tokens compared at once, without a branch


_compiled = partial(compiled, nogil=True)


# ---- one search ----


@_compiled
def _any(newest, older, x, y):
    """Whether at some place both tokens agree; no branch, so that the processor compares many at once."""
    hit = False
    for i in range(newest.size):
        hit |= (newest[i] == x) & (older[i] == y)
    return hit


@_compiled
def _agreeing(text, e, n):
    """How many of the last tokens, at most n, agree with those up to place e."""
    s = 0
    while s < n and s <= e and text[e - s] == text[text.size - 1 - s]:
        s += 1
    return s


@_compiled
def _longest(text, stop, n, n_min, latest):
    """Longest suffix of at most n tokens that ends before stop - 1, and where: the first such place, or the last.

    Beaten is only what agrees in one token more, so a block is looked at closely when that token and the last agree.
    """
    best = n_min - 1
    where = -1
    # places still to be looked at: low..high - 1
    low = best
    high = stop - 1
    while low < high and best < n:
        size = min(_BLOCK, high - low)
        start = high - size if latest else low
        low, high = (low, start) if latest else (start + size, high)
        newest = text[start : start + size]
        older = text[start - best : start - best + size]
        if _any(newest, older, text[text.size - 1], text[text.size - 1 - best]):
            for i in range(size):
                e = start + size - 1 - i if latest else start + i
                s = _agreeing(text, e, n)
                if s > best:
                    best = s
                    where = e
                    if s == n:
                        break
            low = max(low, best)
    return best, where


@_compiled
def _until(tokens, start, stop, ends):
    """The first place of start..stop - 1 that holds one of the tokens `ends`, else stop."""
    for i in range(start, stop):
        for end in ends:
            if tokens[i] == end:
                return i
    return stop


@_compiled
def _search(rows, lengths, n_max, n_min, num, latest, limit, ends, tokens, about, first, last):
    """Prompt lookup in rows first..last - 1; `about` gets order, start and number of tokens; see `prompt_lookup`."""
    for r in range(first, last):
        size = lengths[r]
        order = 0
        start = 0
        stop = 0
        n = min(n_max, size - 1)
        if n >= n_min and limit != size + 1:
            text = rows[r, :size]
            text_limit = min(size, limit)
            match_order, where = _longest(text, text_limit, n, n_min, latest)
            if where >= 0:
                order = match_order
                start = where + 1
                stop = _until(text, start, min(start + num, text_limit), ends)
        for i in range(num):
            tokens[r, i] = rows[r, start + i] if start + i < stop else -1
        about[0, r], about[1, r], about[2, r] = order, start, stop - start


def search(rows, lengths, settings, tokens, about, threads=None):
    """Backend of `reference.search`."""
    task = partial(_search, rows, lengths, *settings, tokens, about)
    split(task, len(rows), rows.size, threads)


# ---- the tree ----


@_compiled
def _slot(nodes, slots, parent, token):
    """The slot of an edge, or the empty one where it belongs."""
    mixed = parent * 0x2545F4914F6CDD1D + token * 0x1B873593CC9E2D51
    mixed ^= mixed >> 29
    mixed *= 0x369DEA0F31A53F85
    at = (mixed ^ (mixed >> 32)) & (slots.size - 1)
    while True:
        node = slots[at]
        if node == 0 or (nodes[node, PARENT] == parent and nodes[node, TOKEN] == token):
            return at
        at = (at + 1) & (slots.size - 1)


@_compiled
def rebuild(nodes, slots, used):
    """Put all nodes into new, empty slots."""
    for node in range(1, used):
        parent = np.int64(nodes[node, PARENT])
        token = np.int64(nodes[node, TOKEN])
        slots[_slot(nodes, slots, parent, token)] = node


@_compiled
def append(text, nodes, slots, state, n_max, token):
    """Append one token, which is known to be one."""
    length = state[0]
    used = state[1]
    text[length] = token
    parent = context = np.int64(0)
    for s in range(1, min(n_max, length + 1) + 1):
        older = np.int64(text[length + 1 - s])
        at = _slot(nodes, slots, parent, older)
        node = np.int64(slots[at])
        if node == 0:
            node = used
            used += 1
            slots[at] = node
            nodes[node, PARENT], nodes[node, TOKEN] = parent, older
            nodes[node, FIRST], nodes[node, LAST] = length, -1
            nodes[node, COUNT], nodes[node, BEST], nodes[node, HEAD] = 0, 0, 0
            nodes[node, NEXT] = nodes[context, HEAD]
            nodes[context, HEAD] = node
        nodes[node, COUNT] += 1
        best = nodes[context, BEST]
        ahead = nodes[node, COUNT] - nodes[best, COUNT]  # the root, which stands for none, counts nothing
        if ahead > 0 or (ahead == 0 and token < text[nodes[best, FIRST]]):
            nodes[context, BEST] = node
        place = 2 + 3 * s
        context = state[place]
        last = nodes[node, LAST]
        state[place], state[place + 1], state[place + 2] = node, nodes[node, FIRST] if last >= 0 else -1, last
        nodes[node, LAST] = length
        parent = node
    state[0], state[1] = length + 1, used


@_compiled
def extend(text, nodes, slots, state, n_max, tokens):
    """Append tokens; -1, or the place of the first that is no token, and then nothing is changed."""
    for i in range(tokens.size):
        if not 0 <= tokens[i] < 2**31:
            return i
    for token in tokens:
        append(text, nodes, slots, state, n_max, token)
    return -1


@_compiled
def propose(state, n_min, num, latest, limit):
    """Start and end of the proposal after the text; see `TextNgrams.propose`."""
    length = state[0]
    if limit != length + 1:
        n_max = state.size // 3 - 1
        for s in range(min(n_max, length - 1), n_min - 1, -1):
            before = state[2 + 3 * s + (2 if latest else 1)]
            if before >= 0:
                return before + 1, min(before + 1 + num, length)
    return 0, 0


@_compiled
def _known(nodes, slots, window, n_min, min_count, context, drafts, number):
    """Order and node of the longest context that a kept n-gram continues, after `number` drafts; order 0 for none."""
    node = best_node = np.int64(0)
    order = 0
    for back in range(min(window, context.size + number) + 1):
        if back:
            token = drafts[number - back] if back <= number else context[context.size + number - back]
            node = np.int64(slots[_slot(nodes, slots, node, token)])
            if node == 0:
                break
        if nodes[nodes[node, BEST], COUNT] < min_count:
            break  # nor after a longer context
        if back + 1 >= n_min:
            order = back + 1
            best_node = node
    return order, best_node


@_compiled
def draft(text, nodes, slots, window, n_min, min_count, context, drafts):
    """Fill `drafts`, each the most frequent token after the longest known context."""
    for i in range(drafts.size):
        _, node = _known(nodes, slots, window, n_min, min_count, context, drafts, i)
        best = nodes[node, BEST]
        drafts[i] = text[nodes[best, FIRST]] if best else 0


@_compiled
def followers(nodes, slots, window, n_min, min_count, context):
    """Order, node and number of kept followers of the longest known context."""
    order, node = _known(nodes, slots, window, n_min, min_count, context, context, np.int64(0))
    number = 0
    if order:
        follower = nodes[node, HEAD]
        while follower:
            number += nodes[follower, COUNT] >= min_count
            follower = nodes[follower, NEXT]
    return order, node, number


@_compiled
def collect(text, nodes, node, min_count, tokens, counts):
    """Followers of a node and their counts, the newest first."""
    i = 0
    follower = nodes[node, HEAD]
    while follower:
        if nodes[follower, COUNT] >= min_count:
            tokens[i] = text[nodes[follower, FIRST]]
            counts[i] = nodes[follower, COUNT]
            i += 1
        follower = nodes[follower, NEXT]
