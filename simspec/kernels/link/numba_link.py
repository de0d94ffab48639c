"""The compiled loop of `simspec.kernels.link`: batches of drafts over a budgeted link, one row at a time.

A row owns its contexts (draft laws sorted downwards, target laws in the same order), its threshold and its random
numbers, so rows can be run in any order and number.
"""

from __future__ import annotations

import numpy as np

from simspec.kernels.compiled import kernel

__all__ = ["OUTPUTS", "accepted_mass", "run"]

OUTPUTS = 7
"""Numbers kept of each batch: emitted, drafted, rejected, discarded, bits, sum of kept tokens, threshold after it."""


@kernel
def accepted_mass(q, p, total, k, resolution):
    """Sum of min(p, b / resolution) with b the nearest lattice point to the law of the first k of a sorted draft.

    Below half a step q rounds to zero with errors that grow along the row, so only as many of those tokens as steps
    are missing can still get one: the errors of at most three times `resolution` tokens are sorted, whatever k is.
    Steps are counted in float64, exactly below 2^53, so that no mass, however wrong, leads outside the arrays.
    """
    scale = resolution / total
    head = 0
    steps = 0.0
    while head < k and q[head] * scale >= 0.5:
        steps += np.floor(q[head] * scale + 0.5)
        head += 1
    excess = steps - resolution
    if excess < 0:
        head = min(k, head + int(min(-excess, float(k))))
    scaled = q[:head] * scale
    counts = np.floor(scaled + 0.5)
    if excess > 0:
        order = np.argsort(scaled - counts, kind="mergesort")
        for i in range(int(min(excess, float(head)))):
            counts[order[i]] -= 1
    elif excess < 0:
        order = np.argsort(counts - scaled, kind="mergesort")
        for i in range(int(min(-excess, float(head)))):
            counts[order[i]] += 1
    mass = 0.0
    for i in range(head):
        mass += min(p[i], counts[i] / resolution)
    return mass


@kernel
def _kept(q, threshold):
    """How many entries of a law sorted downwards are at least the threshold."""
    low = 0
    high = q.shape[0]
    while low < high:
        middle = (low + high) // 2
        if q[middle] >= threshold:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def run(
    q,
    p,
    cumulative,
    memo,
    price,
    fixed,
    threshold,
    step,
    target,
    printed,
    resolution,
    budget,
    picks,
    accept_uniforms,
    out,
):
    """All batches of some rows; see `simspec.kernels.link.run_links` for the meaning of the arguments."""
    contexts = q.shape[1]
    vocab = q.shape[2]
    longest = picks.shape[2] - 1
    thresholds = np.empty(longest + 2)
    dropped = np.empty(longest + 1)
    for row in range(q.shape[0]):
        beta = threshold
        for batch in range(out.shape[1]):
            thresholds[0] = beta
            bits = 0.0
            sizes = 0
            drafted = 0
            accepted = 0
            going = True
            while True:
                at = min(int(picks[row, batch, drafted] * contexts), contexts - 1)
                k = fixed if fixed > 0 else max(1, _kept(q[row, at], thresholds[drafted]))
                dropped[drafted] = cumulative[row, at, vocab] - cumulative[row, at, k]
                thresholds[drafted + 1] = thresholds[drafted] - step * (dropped[drafted] - target)
                if drafted == longest or bits + price[k] > budget:
                    break
                bits += price[k]
                sizes += k
                if going:
                    mass = memo[row, at, k] if k < memo.shape[2] else -1.0
                    if mass < 0:
                        total = cumulative[row, at, k]
                        mass = accepted_mass(q[row, at], p[row, at], total, k, resolution)
                        if k < memo.shape[2]:
                            memo[row, at, k] = mass
                    if accept_uniforms[row, batch, drafted] < mass:
                        accepted += 1
                    else:
                        going = False
                drafted += 1
            if printed:  # line 12 counts the last accepted token, and leaves out the new one
                beta = thresholds[accepted]
            else:
                beta = thresholds[accepted + 1]
            out[row, batch, 0] = accepted + 1
            out[row, batch, 1] = drafted
            out[row, batch, 2] = 0 if going else 1
            out[row, batch, 3] = drafted - accepted
            out[row, batch, 4] = bits
            out[row, batch, 5] = sizes
            out[row, batch, 6] = beta
