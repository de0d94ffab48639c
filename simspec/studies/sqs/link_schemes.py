"""What runs on a thin wire: sparsifying schemes, the times of a link, their prices in bits, and one link's sums.

A scheme is a plain dictionary made by `top_k`, `threshold` or `dense`; its lattice resolution and bit budget belong to it.
`simulate_link` runs one on laws of your own; `simspec.studies.sqs.edge_cloud` runs many on synthetic laws or a bank.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from simspec.checks import whole_number
from simspec.engine.study import Cell, Values
from simspec.kernels import random as philox
from simspec.kernels.link import Batches, Contexts, Rule, run_links, sort_contexts
from simspec.laws import Array, check_law
from simspec.methods.sqs.payload import adaptive_subset_bits, check_resolution, dense_bits, lattice_bits, subset_bits

__all__ = [
    "BATCHES",
    "FIRST",
    "SCHEMES",
    "SIZES",
    "STEPS",
    "STEP_SIZES",
    "TIMES",
    "Times",
    "check_scheme",
    "check_times",
    "dense",
    "draws",
    "price_table",
    "run_scheme",
    "simulate_link",
    "summarise",
    "threshold",
    "top_k",
]

BATCHES = 200
"""Batches of a link."""
_PICK = 8
_ACCEPT = 9
"""Purposes of the draws of a link; target and draft logits take 0 and 1."""


class Times(NamedTuple):
    """Seconds of one pass of the draft model, bits per second of the uplink, seconds to verify one batch."""

    draft: float
    rate: float
    verify: float


TIMES = {"slow uplink": Times(0.01, 1e5, 0.05), "fast uplink": Times(0.01, 1e6, 0.05)}
"""Two settings: at 5,000 bits a batch the slow uplink takes as long as the verification, the fast one a tenth of it."""


def check_times(times: Mapping[str, Times]) -> None:
    """Refuse settings that are no times: a rate must be positive, seconds must not be negative.

    >>> check_times({"none": Times(0.01, 0, 0.05)})
    Traceback (most recent call last):
    ...
    ValueError: times: 'none' has rate 0; expected a positive number of bits per second
    """
    if not times:
        raise ValueError("times: {}; expected one setting or more, as {'slow uplink': Times(0.01, 1e5, 0.05)}")
    for name, time in times.items():
        if not time.rate > 0:
            raise ValueError(f"times: {name!r} has rate {time.rate}; expected a positive number of bits per second")
        for phase, seconds in (("draft", time.draft), ("verify", time.verify)):
            if not 0 <= seconds < math.inf:
                raise ValueError(f"times: {name!r} has {phase} {seconds}; expected seconds, 0 or more")


# ---- schemes ----


def _scheme(kind: str, resolution: int, budget: float, **settings: Any) -> Cell:
    """A scheme with the resolution and budget that all have."""
    check_resolution(resolution)
    if not 0 <= budget < math.inf:
        raise ValueError(f"budget: {budget}; expected bits of a batch, 0 or more")
    return {"scheme": kind, **settings, "resolution": resolution, "budget": budget}


def top_k(k: int, resolution: int = 100, budget: float = 5000) -> Cell:
    """K-SQS; lattice and bits of a batch are those of SQS 4 unless given.

    >>> top_k(8)["k"]
    8
    """
    return _scheme("top-k", resolution, budget, k=k)


def threshold(
    first: float,
    step_size: float = 1e-3,
    dropped_target: float = 5e-4,
    resolution: int = 100,
    budget: float = 5000,
) -> Cell:
    """C-SQS from the threshold `first`; a step size of 0 holds it.

    >>> threshold(0.01)["step_size"]
    0.001
    """
    if first != first:
        raise ValueError(f"first: {first}; expected a threshold, any number")
    if not 0 <= step_size < math.inf:
        raise ValueError(f"step_size: {step_size}; expected a positive number, or 0 to hold the threshold")
    if not 0 <= dropped_target <= 1:
        raise ValueError(f"dropped_target: {dropped_target}; expected a mass between 0 and 1")
    moving = {"threshold": first, "step_size": step_size, "dropped_target": dropped_target}
    return _scheme("threshold", resolution, budget, **moving)


def dense(resolution: int = 100, budget: float = 5000) -> Cell:
    """The quantised law of all tokens.

    >>> dense()["scheme"]
    'dense'
    """
    return _scheme("dense", resolution, budget)


def check_scheme(scheme: Mapping[str, Any]) -> None:
    """Refuse what `top_k`, `threshold` or `dense` cannot have made: another name, a part that is missing or no number.

    >>> check_scheme({"k": 8})
    Traceback (most recent call last):
    ...
    ValueError: scheme: None; expected 'top-k', 'threshold' or 'dense', as top_k, threshold and dense make them
    """
    kind = scheme.get("scheme") if isinstance(scheme, Mapping) else scheme
    if not isinstance(kind, str) or kind not in _PARTS or not isinstance(scheme, Mapping):
        raise ValueError(
            f"scheme: {kind!r}; expected 'top-k', 'threshold' or 'dense', as top_k, threshold and dense make them"
        )
    for setting in (*_PARTS[kind], "resolution", "budget"):
        value = scheme.get(setting)
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
            raise ValueError(
                f"scheme: {kind!r} has {setting} {value!r}; expected a number, as {_MAKERS[kind]} gives it"
            )
    if kind == "threshold":
        threshold(scheme["threshold"], scheme["step_size"], scheme["dropped_target"])
    _scheme(kind, scheme["resolution"], scheme["budget"])


_PARTS = {"top-k": ("k",), "threshold": ("threshold", "step_size", "dropped_target"), "dense": ()}
_MAKERS = {"top-k": "top_k", "threshold": "threshold", "dense": "dense"}

SIZES = (8, 32, 128)
FIRST = (0.1, 0.01, 0.001)
STEP_SIZES = (1e-4, 1e-2, 1e-1)
SCHEMES: dict[str, Cell] = {
    "dense": dense(),
    **{f"K = {k}": top_k(k) for k in SIZES},
    **{f"C-SQS from {first:g}": threshold(first) for first in FIRST},
    **{f"threshold {first:g}": threshold(first, step_size=0.0) for first in FIRST},
}
"""K-SQS by K, C-SQS by its first threshold at the step size of SQS 4, and the same thresholds held (η = 0)."""
STEPS: dict[str, Cell] = {f"C-SQS from 0.01, step {eta:g}": threshold(0.01, step_size=eta) for eta in STEP_SIZES}
"""C-SQS by its step size, beside 0.001 and 0 of `SCHEMES`."""


@lru_cache(maxsize=16)
def price_table(scheme: str, vocab: int, resolution: int, budget: float) -> Array:
    """Bits of one draft law by the number of tokens kept, (V + 1,): whole bits, infinite above the budget.

    ``top-k``: subset and lattice point; ``threshold``: and the number of kept tokens; ``dense``: the lattice over all.

    >>> price_table("top-k", 4, 2, 100.0).tolist()
    [inf, 2.0, 5.0, 5.0, 4.0]
    """
    table = np.full(vocab + 1, np.inf)
    if scheme == "dense":
        table[vocab] = dense_bits(vocab, resolution)
        return table
    subset = {"top-k": subset_bits, "threshold": adaptive_subset_bits}[scheme]
    for sizes in (range(1, vocab + 1), range(vocab, 0, -1)):  # the subset's price falls again after V/2
        for k in sizes:
            bits = subset(vocab, k) + lattice_bits(k, resolution)
            if bits > budget:
                break
            table[k] = bits
    return table


# ---- links ----


def draws(key: int, numbers: range, batches: int, longest: int) -> tuple[Array, Array]:
    """Uniforms (R, batches, longest + 1) that pick contexts and decide acceptances, the same for every scheme.

    Position i of batch b of link n is token b × (longest + 1) + i of row n.

    >>> draws(0, range(2), batches=3, longest=4)[0].shape
    (2, 3, 5)
    """
    width = longest + 1
    picks, accept_uniforms = (
        philox.uniform(key, numbers, range(batches * width), purpose).reshape(-1, batches, width)
        for purpose in (_PICK, _ACCEPT)
    )
    return picks, accept_uniforms


def run_scheme(
    scheme: Cell, contexts: Contexts, picks: Array, accept_uniforms: Array, times: Mapping[str, Times] = TIMES
) -> Values:
    """Sums of each link (`summarise`) under one scheme.

    >>> half = np.array([[[0.5, 0.5]]])
    >>> values = run_scheme(dense(budget=10), sort_contexts(half, half), *draws(0, range(1), 2, 4))
    >>> values["drafts"].tolist(), values["tokens"].tolist()  # 7 bits a draft: one in a batch, always accepted
    ([1.0], [2.0])
    """
    check_scheme(scheme)
    vocab = contexts.q.shape[-1]
    longest = picks.shape[-1] - 1
    adaptive = scheme["scheme"] == "threshold"
    step_size = float(scheme.get("step_size", 0))
    printed = bool(scheme.get("printed", False))
    batches = run_links(
        contexts,
        price_table(scheme["scheme"], vocab, scheme["resolution"], scheme["budget"]),
        float(scheme["budget"]),
        int(scheme["resolution"]),
        picks,
        accept_uniforms,
        Rule(
            k=_size(scheme, vocab),
            threshold=float(scheme.get("threshold", 0)),
            step_size=step_size,
            dropped_target=float(scheme.get("dropped_target", 0)),
            printed=printed,
        ),
    )
    # the law that no longer fits is computed to learn so; the new token's law after all drafts is computed for Eq. 8
    unsent = (batches.drafted < longest) | ((batches.rejected == 0) & (step_size > 0) & (not printed))
    return summarise(batches, times, (adaptive & unsent).sum(axis=1))


def _size(scheme: Cell, vocab: int) -> int:
    if scheme["scheme"] == "dense":
        return vocab
    if scheme["scheme"] == "threshold":
        return 0
    return whole_number("k", scheme["k"], 1, vocab, f"a number of tokens between 1 and {vocab}")


def summarise(batches: Batches, times: Mapping[str, Times] = TIMES, unsent: Any = 0) -> Values:
    r"""What each link took and gave, sums over its batches.

    Parameters
    ----------
    batches : Batches
    times : {name: Times}
    unsent : int array (R,)
        passes of the draft model whose law was not sent: C-SQS must compute a law to learn that it no longer fits, and
        the law of the new token when all drafts were accepted.  They take draft time.

    Returns
    -------
    dict of arrays (R,)
        ``NAME latency`` (seconds per token) and ``NAME batch latency`` for each setting of the times: draft time ×
        (drafts + unsent) + bits / rate + verification; ``resampling`` (resampled tokens / batches), ``per draft``
        (resampled tokens / drafts), ``discarded`` (drafts not used / drafts), ``bits per token`` emitted, ``bits per
        draft``, ``kept_tokens`` (tokens kept of a draft law), ``drafts`` of a batch, ``idle`` (share of batches without a
        draft), ``tokens`` of a batch, ``threshold`` at the end.
    """
    count = batches.emitted.shape[1]
    emitted, drafted, rejected, discarded, bits, kept_tokens = (x.sum(axis=1) for x in batches[:6])
    some = np.maximum(drafted, 1)
    values = {
        "resampling": rejected / count,
        "per draft": rejected / some,
        "discarded": discarded / some,
        "bits per token": bits / emitted,
        "bits per draft": bits / some,
        "kept": kept_tokens / some,
        "drafts": drafted / count,
        "idle": (batches.drafted == 0).mean(axis=1),
        "tokens": emitted / count,
        "threshold": batches.threshold[:, -1],
    }
    for name, time in times.items():
        seconds = (drafted + unsent) * time.draft + bits / time.rate + count * time.verify
        values[f"{name} latency"] = seconds / emitted
        values[f"{name} batch latency"] = seconds / count
    return values


def simulate_link(
    p: Array,
    q: Array,
    scheme: Cell,
    times: Mapping[str, Times] = TIMES,
    *,
    batches: int = BATCHES,
    longest: int = 64,
    seed: int = 0,
) -> dict[str, float]:
    """One link on target and draft laws of your own, each position one of the contexts, drawn independently.

    Parameters
    ----------
    p, q : laws (M, V), of M contexts, in floating point; for logits use `simspec.laws.softmax`, with a temperature
    scheme : made by `top_k`, `threshold` or `dense`
    times : {name: Times}
    batches, longest : int; batches of the link, and most drafts of one
    seed : int

    Returns
    -------
    {quantity: number}, see `summarise`

    Raises ValueError for laws of different shapes or that are none, K > V, times that are none.

    >>> law = np.array([[0.5, 0.25, 0.25]])
    >>> values = simulate_link(law, law, top_k(3, resolution=4, budget=12), {"link": Times(1.0, 8.0, 2.0)})
    >>> values["drafts"], values["tokens"]  # 4 bits a draft, all accepted
    (3.0, 4.0)
    >>> values["link latency"]  # (3 × 1 + 12 / 8 + 2) / 4
    1.625
    """
    check_times(times)
    p = check_law(p, "p")
    q = check_law(q, "q")
    if p.shape != q.shape or p.ndim != 2:
        raise ValueError(f"p: shape {p.shape}, q: {q.shape}; expected both (contexts, vocabulary)")
    for name, number in (("batches", batches), ("longest", longest)):
        whole_number(name, number, 1, None, "a whole number >= 1")
    key = philox.make_key(seed, "link", {"batches": batches, "longest": longest})
    batch_draws = draws(key, range(1), batches, longest)
    values = run_scheme(scheme, sort_contexts(p[None], q[None]), *batch_draws, times)
    return {name: float(x[0]) for name, x in values.items()}
