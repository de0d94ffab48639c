"""Proposals copied from the text itself, against transformers' prompt-lookup generator.

Generation (the headline): a text of the stated length grows by one token at a time and a proposal is made after each, as
when no draft is ever accepted; the time is that of one token and one proposal.  transformers searches the whole text
anew for each size of n-gram, and returns a copy of the text with the proposal; ours and the dictionaries keep the
n-grams and have read the prompt before, once (the caption says how long that took, and what is kept).  The dictionaries
are what an expert would write in Python: first places by n-gram.  They make a proposal in the time ours does, since both
times are mostly those of a few Python calls: what is gained over transformers is gained by keeping the n-grams; the
compiled loops gain in reading the prompt, and keep the counts as well.  All is warm: no target model runs in between.

Search: one proposal for a text that nothing is known about.  Where nothing is found all must read every token; else
ours may stop at the first place of the largest size, and NumPy after it.  Ours looks for all sizes in one pass, and is
listed twice: one call a text, and one for all the texts.

Counts: TASC's prompt drafter, one token counted and the next one drafted from the longest known context, against counts
in Python's dictionaries with a running best, which draft in about the time ours takes, or less (ours gains in reading the
prompt, and in memory).

All get the same int64 text and settings (the last two tokens, else the last, are looked for, and ten are proposed;
orders to 4 for the counts), and must propose the same; ours is compared with the NumPy reference at every place it is
timed at.  The yardstick is memory: a plain sum over the text for each proposal.  The text: spans of geometric length,
mean 8, half of them copied from an earlier place, half of tokens 1/rank likely, V = 32,000.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness
from benchmarks.cases import Bench, Done, judged, tabulated, timed
from benchmarks.harness import Peer, Result
from benchmarks.ngram.candidates import (
    DICTIONARIES,
    MEMORY,
    N_MAX,
    NUM,
    ORDERS,
    OURS,
    PEERS,
    THREADED,
    UNSEEN,
    Case,
    Counts,
    Dictionaries,
    Maker,
    draw,
)

__all__ = ["BENCH", "peers"]

CONTEXTS = (1_024, 131_072)
QUICK = (200,)

Array = NDArray[Any]


def _made(work: str, context: int, seed: int, repeats: int) -> Case:
    """Calls of 32 to 256 proposals; each timed run has its own text, or goes on with the one long text there is."""
    proposals = min(256, max(32, 2**18 // context))
    calls = 1 if work.startswith("search") else repeats + 1  # a search may be timed on the same texts again
    if calls * context <= 2**17:
        parts = [(draw(context + proposals, seed + call), context) for call in range(calls)]
    else:
        text = draw(context + calls * proposals, seed)
        parts = [(text, context + call * proposals) for call in range(calls)]
    return Case(parts, proposals, unseen=work == UNSEEN)


def _case(work: str, context: int, seed: int, repeats: int) -> Done:
    case = _made(work, context, seed, repeats)
    title = f"{work}, {context:,} tokens"
    expected = _expected(work, case)
    about: dict[str, Any] = {"work": work, "context": context, "proposals": case.proposals, "items": case.proposals}
    about["equal"] = bool(np.array_equal(_ours(work, case), expected))
    data = case, expected[: case.proposals].astype(np.float64), 0.0
    results = timed(title, peers(work), repeats, lambda: data)
    caption = "medians (quartiles) of interleaved runs; ratio above 1: slower than simspec"
    if not work.startswith("search"):
        about["prompt"] = _prompt(work, case.parts[0][0][:context])
        for name, (seconds, size) in about["prompt"].items():
            caption += f"; {name} read the prompt in {seconds * 1e3:.2f} ms and keeps {size / 1e6:.1f} MB"
    return judged(about, results, _table(title, caption, results, case.proposals), about["equal"])


def _prompt(work: str, prompt: Array) -> dict[str, tuple[float, int]]:
    """Seconds to read a prompt, once compiled, and bytes kept of it, for those that keep something."""
    from simspec.kernels.ngram.text import TextNgrams

    keepers: dict[str, Callable[[], Any]] = {OURS: lambda: TextNgrams(ORDERS if work == "counts" else N_MAX, prompt)}
    keepers[DICTIONARIES] = lambda: Counts(prompt) if work == "counts" else Dictionaries(prompt)
    out = {}
    for name, make in keepers.items():
        start = time.perf_counter()
        table_of_text = make()
        out[name] = time.perf_counter() - start, int(table_of_text.nbytes)
    return out


def _expected(work: str, case: Case) -> Array:
    """What the reference proposes at each place, then -1."""
    from simspec.kernels.ngram import reference

    texts = [x for call_number in range(len(case.parts)) for x in case.texts(call_number)]
    if work == "counts":
        counts_of_texts = [reference.after(x, x[-ORDERS + 1 :], ORDERS, 1, 1) for x in texts]
        return np.array([[tokens[counts.argmax()]] for _, tokens, counts in counts_of_texts])
    return _padded([reference.lookup(x, N_MAX, 1, NUM, False, None, ())[2] for x in texts], work)


def _ours(work: str, case: Case) -> Array:
    """What ours proposes at each place."""
    return _padded([step(i) for step in PEERS[work][OURS](case, 1) for i in range(case.proposals)], work)


def _tokens(proposal: Any, size: int) -> Any:
    """A proposal; transformers' comes behind the text of `size` tokens."""
    return proposal[0, size:].tolist() if hasattr(proposal, "dim") else proposal


def _padded(proposals: list[Any], work: str) -> Array:
    out = np.full((len(proposals), 1 if work == "counts" else NUM), -1, dtype=np.int64)
    for row, tokens in zip(out, proposals, strict=True):
        row[: len(tokens)] = tokens
    return out


def peers(work: str) -> list[Peer]:
    """Ours first, then the peers, then the memory yardstick."""
    all_threads = harness.thread_counts()
    return [
        Peer(name, partial(_bound, work, maker), all_threads if name in THREADED else (1,), checked=name != MEMORY)
        for name, maker in PEERS[work].items()
    ]


def _bound(work: str, maker: Maker, case: Case, threads: int) -> harness.Call:
    """The first call gives what is compared; the next ones are timed."""
    steps = cycle(maker(case, threads))

    def first() -> Array:
        step = next(steps)
        size = case.parts[0][1] + 1
        return _padded([_tokens(step(i), size + i) for i in range(case.proposals)], work)

    def call() -> None:
        step = next(steps)
        for i in range(case.proposals):
            step(i)

    calls = iter([first])
    return lambda: next(calls, call)()


def _table(title: str, caption: str, results: list[Result], proposals: int) -> Any:
    """Microseconds a proposal, and the ratios to ours and to memory."""
    our_time, floor = (harness.medians(results).get(name, float("nan")) for name in (OURS, MEMORY))

    def cells(r: Result) -> tuple[str, ...]:
        low, middle, high = np.quantile(r.seconds, [0.25, 0.5, 0.75]) * 1e6 / proposals
        spread = f"{middle:.2f} ({low:.2f}, {high:.2f})"
        return str(r.threads), spread, f"{r.median / our_time:.2f}", f"{r.median / floor:.3f}"

    return tabulated(title, caption, ("threads", "µs a proposal", "ratio", "to memory"), results, cells)


def _cases(args: argparse.Namespace, repeats: int) -> list[Callable[[], Done]]:
    sizes = QUICK if args.quick else CONTEXTS
    return [partial(_case, work, size, args.seed, repeats) for work in PEERS for size in sizes]


BENCH = Bench(
    name="ngram",
    summary="proposals copied from the text, against transformers' prompt lookup, NumPy and dictionaries",
    repeats=21,
    quick="one short context",
    cases=_cases,
    seed="the text",
)
