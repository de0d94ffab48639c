"""Rounds of blocks, several drafts a position, and trees: ours beside NumPy, token rounds, and the memory read once.

NumPy has the same tables in the order of q/p and is vectorised over replications, with its own random numbers and all cores.
It is compared by its mean, ours with the reference integer by integer.  Token rounds are the control: the same laws, drafts
and threads.  Three rows are limits: as many tokens drawn and looked up, and nothing decided (`lookups`); the same, and the masses
and last tokens that have to be searched for (`searches`); our tables and tokens read once, which no implementation avoids.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness
from benchmarks.cases import Done, judged, tabulated, timed
from benchmarks.harness import Peer, Result
from benchmarks.rounds.sampler import Noted, Sampler, beyond, last_token
from simspec.kernels import rounds
from simspec.kernels.random import Draws
from simspec.kernels.rounds.block import block_tables, run_block_rounds
from simspec.kernels.rounds.block import reference as block_reference
from simspec.kernels.rounds.block.reference import BlockLaws
from simspec.kernels.rounds.several import reference as several_reference
from simspec.kernels.rounds.several import run_several_rounds, several_tables
from simspec.kernels.rounds.tree import reference as tree_reference
from simspec.kernels.rounds.tree import run_tree_rounds, tree_tables
from simspec.methods import SD
from simspec.methods.multi import kseq_rho
from simspec.methods.tree import Shape, chain

__all__ = ["GAMMA", "RULES", "SIZES", "Rule", "bushy", "case", "made", "noted", "peers", "sorted_tables"]

RULES = ("block", "rrs:2", "rrs:8", "rrsw:2", "rrsw:8", "kseq:8", "tree:2", "treew:2")
"""Block verification; recursive rejection with and without replacement, and K-SEQ, with their drafts a position; traversal
verification of `bushy` trees of independent children, or of children without replacement."""
SIZES = ((128_256, 2_000, 100),)
"""Vocabulary, replications, rounds."""
GAMMA = 5
OURS = "simspec"
CONTROL = "token rounds"
KEY = 1
DRAWS = "draws and lookups alone (limit)"
SEARCHES = "draws, lookups and searches alone (limit)"
MEMORY = "memory read once"

Array = NDArray[Any]


Path = Callable[[int, Sampler], Array]
"""Replications and their draws -> drafts accepted in one round of each."""


class Rule(NamedTuple):
    """A rule on one pair of laws: what runs it, on what, its reference, and one round of it in NumPy."""

    run: Callable[..., rounds.Rounds]
    tables: Any
    reference: Callable[..., Any]
    plain: Path


def bushy(k: int) -> Shape:
    """A tree of `GAMMA` levels: k children at each node of the first two, then one.

    >>> bushy(1) == chain(GAMMA)
    True
    """
    return ((chain(GAMMA - 2),) * k,) * k


def made(name: str, p: Array, q: Array, xp: Any = np) -> Rule:
    """A rule by name on laws (V,), which runs where `xp` keeps its arrays."""
    there = xp.asarray(p[None]), xp.asarray(q[None])
    laws = block_reference.block_laws(p[None], q[None], np.zeros(len(p), dtype=np.int64))
    kind, _, number = name.partition(":")
    if kind == "block":
        return Rule(run_block_rounds, block_tables(*there), block_reference.run, _block(laws))
    k = int(number)
    replace = kind not in ("rrsw", "treew")
    if kind in ("tree", "treew"):
        trees = tree_tables(*there, bushy(k), replace=replace)
        return Rule(_of_levels(run_tree_rounds), trees, tree_reference.run, _tree(laws, trees.laws.ends, replace))
    rho = float(kseq_rho(p, q, k)[1]) if kind == "kseq" else None
    tables = several_tables(*there, k, replace=replace, rho=rho)
    plain = _independent(tables.laws) if replace else _distinct(laws, k)
    return Rule(run_several_rounds, tables, several_reference.run, plain)


def _of_levels(run: Callable[..., rounds.Rounds]) -> Callable[..., rounds.Rounds]:
    """Rounds of a tree, whose levels its tables know, called as the others."""
    return lambda tables, draws, gamma, **options: run(tables, draws, **options)


def _block(laws: BlockLaws) -> Path:
    """The function that runs one round of block verification in NumPy, vectorised over replications."""

    def path(rows: int, by: Sampler) -> Array:
        """Return how many drafts each replication accepts in one round of block verification."""
        x = by.token(laws.draft[0], (GAMMA, rows))
        r = np.ones((GAMMA + 1, rows))
        for i in range(GAMMA):
            r[i + 1] = np.minimum(1, r[i] * laws.ratio[0, x[i]])
        accepted = np.zeros(rows, dtype=np.int64)
        for i in range(1, GAMMA + 1):
            mass = beyond(laws, r[i])[1]
            rest = mass + 1 - r[i]
            h = r[i] if i == GAMMA else np.divide(mass, rest, out=np.ones(rows), where=rest > 0)
            accepted[by.random(rows) < h] = i
        some = accepted < GAMMA
        for i in range(1, GAMMA):  # the test of i drafts is made where no longer one passes
            by.tested(laws, r[i], accepted <= i)
        last_token(laws, r[accepted[some], np.flatnonzero(some)], by)
        by.token(laws.target[0], rows - some.sum())
        return accepted

    return path


def _independent(laws: several_reference.SeveralLaws) -> Path:
    """The function that runs one round in NumPy with several independent drafts a position."""

    def path(rows: int, by: Sampler) -> Array:
        """Return how many drafts each replication accepts in one round of independent drafts."""
        accepted = np.zeros(rows, dtype=np.int64)
        going = np.arange(rows)
        for _ in range(GAMMA):
            is_accepted = np.zeros(going.size, dtype=bool)
            trying = np.arange(going.size)
            for shift, scale in zip(laws.shift[0], laws.scale[0], strict=True):
                x = by.token(laws.draft[0], trying.size)
                passes = by.random(trying.size) * scale < laws.ratio[0, x] - shift
                is_accepted[trying[passes]] = True
                trying = trying[~passes]
            by.token(laws.residual[0], trying.size)
            going = going[is_accepted]
            accepted[going] += 1
        by.token(laws.target[0], going.size)
        return accepted

    return path


def _distinct(laws: BlockLaws, k: int) -> Path:
    """The function that runs one round in NumPy with k drafts a position, drawn without replacement."""
    q = np.diff(laws.draft[0], prepend=0)

    def path(rows: int, by: Sampler) -> Array:
        """Return how many drafts each replication accepts in one round without replacement."""
        accepted = np.zeros(rows, dtype=np.int64)
        going = np.arange(rows)
        for _ in range(GAMMA):
            is_accepted = np.zeros(going.size, dtype=bool)
            trying = np.arange(going.size)
            u = np.zeros(going.size)
            remaining = np.ones(going.size)
            rest = np.ones(going.size)
            tried_tokens = np.full((going.size, k), -1)
            for j in range(k):
                x = by.outside(laws.draft[0], tried_tokens[:, :j])
                passes = by.random(trying.size) * remaining < (laws.ratio[0, x] - u) * rest
                is_accepted[trying[passes]] = True
                tried_tokens[:, j] = x
                trying, u, remaining, rest, tried_tokens, x = (
                    a[~passes] for a in (trying, u, remaining, rest, tried_tokens, x)
                )
                u = u + remaining / rest
                rest = rest - q[x]
                remaining = u * beyond(laws, 1 / u)[1]
                by.missed(1 / u, j < k - 1)
            last_token(laws, 1 / u, by, tries=2)
            going = going[is_accepted]
            accepted[going] += 1
        by.token(laws.target[0], going.size)
        return accepted

    return path


class _Judged:
    """Traversal verification of one round of many rows at once, node by node."""

    def __init__(self, laws: BlockLaws, ends: Array, replace: bool, rows: int, by: Sampler) -> None:
        self.laws, self.ends, self.replace, self.by = laws, ends, replace, by
        self.q = np.diff(laws.draft[0], prepend=0)
        self.kept = np.zeros(rows, dtype=np.int64)

    def below(self, node: int, level: int, who: Array, a: Array) -> Array:
        """Whether a node is deleted, for each of some rows in which nothing is accepted yet."""
        deleted = np.zeros(len(who), dtype=bool)
        at = np.arange(len(who))
        u: Array = np.zeros(len(who))
        d: Array = np.ones(len(who))
        rest: Array = np.ones(len(who))
        tried_tokens = np.full((len(who), 0), -1)
        child = node + 1
        while child < self.ends[node]:
            x = self.by.outside(self.laws.draft[0], tried_tokens)
            self.by.drawn -= int((a <= 0).sum())  # nothing below such a node can be accepted
            b = np.minimum(1, a * np.maximum(self.laws.ratio[0, x] - u, 0) * rest / d)
            gone = self.below(child, level + 1, who[at], b)
            at = at[gone]
            x = x[gone]
            tried_tokens = tried_tokens[gone]
            a = a[gone]
            u = u[gone]
            d = d[gone]
            rest = rest[gone]
            first = u == 0
            u = u + d / np.maximum(a * rest, 1e-300)
            self._note(a, 1 / u, first, node > 0 and int(self.ends[child]) == self.ends[node])
            before = d
            d = u * beyond(self.laws, 1 / u)[1]
            z = a * d / before
            a = np.divide(z, z + 1 - a, out=np.ones_like(a), where=z + 1 - a > 0)
            d = np.where(d > 0, d, 1)
            if not self.replace:  # else none is excluded
                tried_tokens = np.column_stack([tried_tokens, x])
                rest = rest - self.q[x]
            child = int(self.ends[child])
        ends = self.by.random(len(at)) >= a if node else np.zeros(len(at), dtype=bool)
        self.kept[who[at[~ends]]] = level
        some = ~ends & (u > 0)
        last_token(self.laws, 1 / u[some], self.by)
        self.by.token(self.laws.target[0], (~ends & (u == 0)).sum())
        deleted[at[ends]] = True
        return deleted

    def _note(self, a: Array, r: Array, first: Array, last: bool) -> None:
        """Masses that deletions have to know: not where a node's last child is deleted and its own coin fails for sure."""
        for some, share in ((first & (a > 0), None), (~first & (a > 0), a)):
            if last:
                self.by.tested(
                    self.laws, r[some], np.ones(int(some.sum()), bool), None if share is None else share[some]
                )
            else:
                self.by.missed(r[some])


def _tree(laws: BlockLaws, ends: Array, replace: bool) -> Path:
    def path(rows: int, by: Sampler) -> Array:
        judged = _Judged(laws, ends, replace, rows, by)
        judged.below(0, 0, np.arange(rows), np.ones(rows))
        return judged.kept

    return path


def _arrays(laws: Any) -> list[Array]:
    """The arrays of tables and of tables within them, each once."""
    parts = [x for y in laws for x in (y if isinstance(y, tuple) else (y,))]
    return list({id(x): x for x in parts if isinstance(x, np.ndarray) and x.size}.values())


def peers(rule: Rule, token: rounds.Tables, rows: int, number: int, noted: Noted) -> list[Peer]:
    """Ours, NumPy, token rounds and the limits; the first two return the mean number of accepted drafts."""
    from benchmarks.rounds.lookups import (
        lookups,
        searches,
    )  # with its kernels, which the command's help does without

    counts = harness.thread_counts()

    def kernel(run: Callable[..., rounds.Rounds], tables: Any, threads: int) -> harness.Call:
        options = {"gamma": GAMMA, "rounds": number, "tokens": True, "threads": threads}
        return lambda: run(tables, Draws(KEY, range(rows)), **options).accepted.mean()

    def plain(data: Any, threads: int) -> harness.Call:
        parts = [len(x) for x in np.array_split(np.empty(rows), threads)]
        pool = ThreadPoolExecutor(threads)

        def work(size: int, rng: np.random.Generator) -> Array:
            return np.stack([rule.plain(size, Sampler(rng)) for _ in range(number)], axis=1)

        return lambda: np.concatenate(list(pool.map(work, parts, np.random.default_rng(KEY).spawn(threads)))).mean()

    read = np.empty(rows * number * (GAMMA + 1), dtype=np.int32)
    tables = _arrays(rule.tables.laws)
    searched = len(noted.masses) + noted.places.shape[1] > 0
    sums = sorted_tables(rule.tables.packed)
    return [
        Peer(OURS, lambda data, threads: kernel(rule.run, rule.tables, threads), counts),
        Peer("NumPy", plain, counts),
        Peer(CONTROL, lambda data, threads: kernel(rounds.run_rounds, token, threads), counts, checked=False),
        Peer(DRAWS, lookups(token, rows, number * noted.drawn), counts, checked=False),
        *[Peer(SEARCHES, searches(token, sums, rows, number, noted), counts, checked=False)] * searched,
        Peer(
            MEMORY, lambda data, threads: harness.read_once(threads, *(x.ravel() for x in tables), read), counts, False
        ),
    ]


def noted(path: Path, rows: int = 20_000) -> Noted:
    """What a round cannot do without, on a sample of rows."""
    by = Sampler(np.random.default_rng(KEY), noting=True)
    path(rows, by)
    return by.noted(rows)


def sorted_tables(packed: Any) -> Any:
    """The tables in the order of q/p of a rule that has them."""
    return getattr(packed, "sums", None) or getattr(packed, "sorted", None) or packed


def case(name: str, laws: tuple[Array, Array], rows: int, number: int, repeats: int) -> Done:
    """One rule on laws p and q (V,): checked against its reference, then timed."""
    p, q = laws
    rule = made(name, p, q)
    token = rounds.tables(*(x[None] for x in (q, SD.accept(p, q), SD.residual(p, q), p)))
    title = f"{name}: {rows:,} x {number} rounds of {GAMMA} positions, V = {len(p):,}"
    some = rule.run(rule.tables, Draws(KEY, range(rows)), gamma=GAMMA, rounds=number, tokens=True)
    checked_rows = min(rows, 20)
    same = rule.reference(rule.tables.laws, GAMMA, number, KEY, np.arange(checked_rows, dtype=np.uint64))
    equal = all(np.array_equal(x[:checked_rows], y) for x, y in zip(some, same, strict=False) if x is not None)
    mean = some.accepted.mean() if equal else math.nan
    tolerance = 20 / math.sqrt(rows * number)  # seven standard errors of a difference: a round deviates by at most 2.5
    notes = noted(rule.plain)
    fewer = noted(made("rrs:1", p, q).plain).drawn
    drawn_tokens = notes.drawn
    candidates = peers(rule, token, rows, number, notes)
    results = timed(title, candidates, repeats, lambda: (None, np.array(mean), tolerance))
    control = harness.medians(results).get(CONTROL, math.nan)

    def cells(r: Result) -> tuple[str, ...]:
        return (
            str(r.threads),
            f"{r.median * 1e3:.1f}",
            f"{rows * number / r.median / 1e6:.2f}",
            f"{r.median / control:.2f}",
            "" if r.name in (CONTROL, DRAWS, SEARCHES, MEMORY) else f"{r.median / control * fewer / drawn_tokens:.2f}",
        )

    caption = f"medians of interleaved runs; ratio to token rounds: {drawn_tokens:.1f} tokens drawn a round, there {fewer:.1f}"
    result_table = tabulated(title, caption, ("threads", "ms", "million rounds/s", "ratio", "a token"), results, cells)
    about = {"work": "paths", "rule": name, "vocab": len(p), "gamma": GAMMA, "replications": rows, "rounds": number}
    figures = {"mean_accepted": float(mean), "drawn": drawn_tokens, "drawn_by_tokens": fewer} | notes.searched()
    return judged(about | figures, results, result_table)
