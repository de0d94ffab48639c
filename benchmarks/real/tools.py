"""`rates`, `advise` and `trees` on banks with vocabularies of real models: time over reading the bank once, and memory.

A case is a tool on a bank of synthetic logits in 16 bits, as many contexts as fit a run of minutes: time is in proportion to the
contexts, so the factor over reading the bank holds for 10,000 of them.  Memory is not in proportion: a bank beyond
`simspec.tools.reading.LARGE` entries is read a part at a time.  Each case therefore is timed in both ways, and says how much
laws of 10,000 contexts would take if they were made at once.

The limit is reading both models' logits once, checksums and conversion to 32 bits included.  Two rows say where the rest goes:
making the laws once, reading included, and the passes of the rules over laws that are there.  Each tool opens the bank, makes
laws and measures with its default rules, on one thread.  It is checked against the acceptance that NumPy computes from the
logits.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import harness
from benchmarks.cases import Done, judged, shown, table
from benchmarks.harness import Peer
from benchmarks.rdk import peak_memory
from simspec.tools.reading import Pairs

__all__ = ["CASES", "QUICK", "ROOF", "TOLERANCE", "Case", "bank_file", "candidates", "expected", "measure", "read_once"]

TOOLS = ("rates", "advise", "trees")
FULL = 10_000
"""Contexts that the memory of laws is stated for."""
OURS = "simspec"
AT_ONCE = "laws made at once"
LAWS = "laws made once"
RULES = "passes over laws alone"
ROOF = "bank read once"
TOLERANCE = 1e-9


class Case(NamedTuple):
    """A tool, contexts and tokens."""

    tool: str
    contexts: int
    vocab: int


CASES = tuple(Case(tool, contexts, vocab) for contexts, vocab in ((48, 49_152), (16, 151_936)) for tool in TOOLS)
QUICK = tuple(Case(tool, 8, 500) for tool in TOOLS)


@contextmanager
def bank_file(contexts: int, vocab: int, seed: int) -> Iterator[Path]:
    """Path of a bank that lasts as long as the context; the draft is the target with noise, 8 contexts are a document."""
    from simspec.logits.bank.storage import Contexts, Part, store_rows, write_bank

    rng = np.random.default_rng(seed)
    logits = 2 * rng.standard_normal((contexts, vocab), dtype=np.float32) - np.log(
        np.arange(1, vocab + 1, dtype=np.float32)
    )
    draft = logits + 0.7 * rng.standard_normal((contexts, vocab), dtype=np.float32)
    last, following = rng.integers(vocab, size=(2, contexts), dtype=np.int32)
    places = np.arange(contexts, dtype=np.int32)
    index = Contexts(last, following, places % 8, places // 8, np.array(["synthetic"] * contexts))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "real.safetensors"
        write_bank(
            path,
            name="real",
            evaluation=Part(store_rows(logits), store_rows(draft), index),
            tokens=[f"t{i}".encode() for i in range(vocab)],
            provenance={"models": {"target": {"name": "synthetic"}, "draft": {"name": "synthetic"}}, "documents": {}},
        )
        yield path


def expected(path: Path | str, tool: str) -> float:
    """What a tool must say of speculative decoding, or `trees` of one draft, the most likely token: by NumPy, row by row."""
    from simspec.logits.bank import open_bank

    bank = open_bank(str(path))
    accepted = []
    for row in range(bank.contexts):
        p, q = (np.exp(z.astype(np.float64)) for z in (bank.target(row), bank.draft(row)))
        p /= p.sum()
        q /= q.sum()
        accepted.append(p[q.argmax()] if tool == "trees" else np.minimum(p, q).sum())
    return float(np.mean(accepted))


def candidates(tool: str) -> list[Peer]:
    """Laws made as they are measured first, then laws made at once, what both consist of, and the limit."""
    return [
        Peer(OURS, partial(_bound, tool, 0), (1,)),
        Peer(AT_ONCE, partial(_bound, tool, 2**62), (1,)),
        Peer(LAWS, lambda path, threads: partial(_make_laws, path), (1,), checked=False),
        Peer(RULES, partial(_measure_alone, tool), (1,)),
        Peer(ROOF, lambda path, threads: partial(read_once, path), (1,), checked=False),
    ]


def _bound(tool: str, large: int, path: Path, threads: int) -> harness.Call:
    measure = _MEASURES[tool]

    return lambda: np.array([measure(_loaded(path, large))])


def _measure_alone(tool: str, path: Path, threads: int) -> harness.Call:
    """The tool on laws that are there: neither reading nor a softmax is timed."""
    measure = _MEASURES[tool]
    pairs = _loaded(path, 2**62)
    return lambda: np.array([measure(pairs)])


def _loaded(path: Path, large: int) -> Pairs:
    """Pairs of a bank whose laws are made as they are asked for where it has more than so many entries."""
    from simspec.tools import reading

    usual = reading.LARGE
    reading.LARGE = large
    try:
        return reading.load(path)
    finally:
        reading.LARGE = usual


def _make_laws(path: Path) -> None:
    """Both laws of each context, once, a part at a time."""
    pairs = _loaded(path, 0)
    for rows in pairs.parts():
        _ = pairs.p[rows], pairs.q[rows]


def _rates(pairs: Pairs) -> float:
    from simspec.tools.rates import rates

    acceptance = rates(pairs)[0].values["acceptance"]
    assert acceptance is not None
    return float(acceptance.estimate)


def _advise(pairs: Pairs) -> float:
    from simspec.tools.advise import advise

    return float(next(row for row in advise(pairs) if row.rule == "sd").acceptance.estimate)


def _trees(pairs: Pairs) -> float:
    from simspec.tools.trees import trees

    return float(trees(pairs)[0].best)


_MEASURES: dict[str, Callable[[Any], float]] = {"rates": _rates, "advise": _advise, "trees": _trees}


def read_once(path: Path | str) -> float:
    """Both models' logits, once, in parts that stay in the cache."""
    from simspec.logits.bank import open_bank
    from simspec.tools.reading import PART

    bank = open_bank(str(path))
    step = max(1, PART // bank.vocab)
    rows = [slice(start, start + step) for start in range(0, bank.contexts, step)]
    return float(sum(bank.target(some).sum() + bank.draft(some).sum() for some in rows))


def measure(case: Case, seed: int, repeats: int) -> Done:
    """Check and time a tool in both ways beside the limit, and record the peak memory of each."""
    peers = candidates(case.tool)
    title = f"{case.tool}, {case.contexts} contexts, V = {case.vocab:,}, float16"
    total = harness.steps(peers, repeats) + len(peers) + 1
    with shown(title, total) as tick, bank_file(case.contexts, case.vocab, seed) as path:
        right = expected(path, case.tool)
        tick("reference")
        results = harness.compare(peers, path, np.array([right]), TOLERANCE, repeats, tick)
        memory = {}
        for peer in peers:
            memory[peer.name] = peak_memory(peer.bind(path, 1))
            tick(f"{peer.name}, memory")
    result_table = table(title, results, OURS, ROOF)
    result_table.columns[-1].header = "to reading"
    sizes = ", ".join(f"{name} {size / 2**20:.0f} MiB" for name, size in memory.items())
    laws = FULL * case.vocab * 8 * 2 / 2**30
    result_table.caption += f"\npeak memory: {sizes}; laws of {FULL:,} contexts at once {laws:.1f} GiB, without copies"
    return judged(case._asdict() | {"memory": memory, "laws at once, GiB": laws}, results, result_table)
