"""Verification of drafts from stored logits, against transformers, PyTorch and JAX; and rounds a second of the path kernel.

One step (gamma = 5, a batch, float32 logits in memory): accepted drafts and the next token of each batch element.  Every
peer gets the same drafted tokens and coins, so all must accept the same numbers of drafts, those of the float64 reference;
the next token must be one that has mass there.  Where transformers draws coins it is handed them, which spares it that
time.  It verifies one batch element a call, so it is called once for each; PyTorch is listed twice more, batched as one
writes it from the formula, and by an expert, who takes a log-sum-exp of one row at a time, stops at the first rejection,
forms laws only there and draws by cumulative sums; JAX compiles the expert's formulas, batched.  The yardstick is
memory: a plain sum over all logits.

Acceptance 1: draft logits equal the target's.  Acceptance 0.8: the target's are the draft's (normal, deviation 3) and
normal noise of deviation 0.51, an overlap of 0.80 on average; of 200 sets of coins the one is taken whose mean number
of accepted drafts is closest to 0.8 + ... + 0.8**5, so that luck does not decide how many rows can be skipped.

Paths: replications of speculative decoding in S states, against NumPy vectorised over replications, with its own random
numbers and all cores.  The kernel is compared with its reference integer by integer, the peer by its mean.
"""

from __future__ import annotations

import argparse
import inspect
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from simspec.bench import harness
from simspec.bench.cases import Bench, Done, judged, table, tabulated, timed
from simspec.bench.harness import Peer, Result
from simspec.bench.rounds.paths import GAMMA, KEY, NOISE, OURS, chain, paths_peers
from simspec.kernels import rounds
from simspec.kernels.rounds import reference
from simspec.kernels.rounds import verify as rounds_verify

__all__ = ["BENCH", "CASES", "Step", "draw", "step_peers"]

CASES = ((64, 32_000, 1.0), (64, 32_000, 0.8), (16, 128_256, 1.0), (16, 128_256, 0.8))
"""Batch, vocabulary, acceptance."""
PATHS = ((1, 32_000, 2_000, 100), (1_000, 1_000, 2_000, 100))
"""States, vocabulary, replications, rounds."""
QUICK, QUICK_PATHS = ((4, 2_000, 0.8),), ((3, 3, 200, 20),)
MEMORY = "memory read once"

Array = NDArray[Any]


class Step(NamedTuple):
    """Logits of a batch, its drafts and uniforms (B, gamma + 1, 4), and what must come out."""

    target: Array
    draft: Array
    drafted: Array
    uniforms: Array
    step: int
    accepted: Array
    possible: Array


# ---- one step ----


def _step_case(case: tuple[int, int, float], seed: int, repeats: int) -> Done:
    batch, vocab, acceptance = case
    data = draw(batch, vocab, acceptance, seed)
    title = f"{batch} x ({GAMMA} drafts + 1) x {vocab:,} float32, acceptance {acceptance:g}"
    expected = np.stack([data.accepted, np.ones(batch)])
    results = timed(title, step_peers(), repeats, lambda: (data, expected, 0.0))
    about = {"work": "step", "batch": batch, "vocab": vocab, "gamma": GAMMA, "acceptance": acceptance}
    about["mean_accepted"] = float(data.accepted.mean())
    return judged(about, results, table(title, results, OURS, MEMORY))


def draw(batch: int, vocab: int, acceptance: float, seed: int) -> Step:
    """Logits, drafts drawn from the draft law, and the coins of a step with the stated acceptance (1 or 0.8)."""
    rng = np.random.default_rng([seed, vocab])
    draft = 3 * rng.standard_normal((batch, GAMMA, vocab), dtype=np.float32)
    target = np.empty((batch, GAMMA + 1, vocab), dtype=np.float32)
    target[:, :GAMMA] = draft
    target[:, GAMMA] = 3 * rng.standard_normal((batch, vocab), dtype=np.float32)
    if acceptance < 1:
        target[:, :GAMMA] += np.float32(NOISE) * rng.standard_normal(draft.shape, dtype=np.float32)
    first = reference.uniforms(KEY, range(batch), GAMMA, 0, 0)
    drafted = np.empty((batch, GAMMA), dtype=np.int64)
    ratio, possible = np.empty((batch, GAMMA)), np.empty((batch, GAMMA + 1, vocab), dtype=bool)
    for b in range(batch):
        p, q = (np.exp(z[b].astype(np.float64)) for z in (target, draft))
        p, q = p / p.sum(axis=-1, keepdims=True), q / q.sum(axis=-1, keepdims=True)
        for i in range(GAMMA):
            x = drafted[b, i] = reference.draw(reference.cdf(q[i]), first[b, i, 0])
            ratio[b, i] = p[i, x] / q[i, x]
        possible[b, :GAMMA], possible[b, GAMMA] = p[:GAMMA] > q, True
    goal = sum(acceptance**i for i in range(1, GAMMA + 1))
    lengths = []
    for step in range(200 if acceptance < 1 else 1):
        u = reference.uniforms(KEY, range(batch), GAMMA, step, 0)
        lengths.append(np.cumprod(u[:, :GAMMA, 1] < ratio, axis=1).sum(axis=1))
    best = int(np.argmin([abs(n.mean() - goal) for n in lengths]))
    u, accepted = reference.uniforms(KEY, range(batch), GAMMA, best, 0), lengths[best]
    return Step(target, draft, drafted, u, best, accepted, possible[np.arange(batch), accepted])


def step_peers() -> list[Peer]:
    """Ours first, then the peers, then the memory yardstick."""
    counts = harness.thread_counts()
    return [
        Peer(OURS, _simspec, counts),
        Peer("transformers", _transformers, counts),
        Peer("PyTorch, batched", _torch, counts),
        Peer("PyTorch, expert", _torch_expert, counts),
        Peer("JAX jit", _jax, counts[-1:]),
        Peer(MEMORY, _memory, counts, checked=False),
    ]


def _judged(data: Step, accepted: Any, token: Any) -> Array:
    """Accepted drafts, and whether each next token has mass."""
    n, x = np.asarray(accepted), np.asarray(token)
    return np.stack([n, data.possible[np.arange(len(x)), x]])


def _simspec(data: Step, threads: int) -> harness.Call:
    def call() -> Array:
        found = rounds_verify.verify_drafts(
            data.target, data.draft, data.drafted, key=KEY, step=data.step, threads=threads
        )
        return _judged(data, *found)

    return call


def _transformers(data: Step, threads: int) -> harness.Call:
    import torch
    from transformers.generation.utils import _speculative_sampling as verify

    more = {"is_done_candidate": False} if "is_done_candidate" in inspect.signature(verify).parameters else {}
    target, draft, drafted = (torch.from_numpy(x) for x in data[:3])
    coins = torch.from_numpy(data.uniforms[:, :GAMMA, 1].astype(np.float32))

    def call() -> Array:
        torch.set_num_threads(threads)
        accepted, token = [], []
        with mock.patch.object(torch, "rand_like", side_effect=list(coins)):
            for b in range(len(drafted)):
                tokens, n = verify(drafted[b : b + 1], draft[b : b + 1], GAMMA, target[b : b + 1], **more)
                accepted.append(int(n))
                token.append(int(tokens[0, -1]))
        return _judged(data, accepted, token)

    return call


def _torch(data: Step, threads: int) -> harness.Call:
    import torch

    target, draft, drafted = (torch.from_numpy(x) for x in data[:3])
    coins, every = torch.from_numpy(data.uniforms[:, :GAMMA, 1].astype(np.float32)), torch.arange(len(drafted))

    def call() -> Array:
        torch.set_num_threads(threads)
        p, q = target.softmax(-1), draft.softmax(-1)
        at = drafted[..., None]
        kept = coins * q.gather(-1, at)[..., 0] < p[:, :GAMMA].gather(-1, at)[..., 0]
        n = kept.long().cumprod(dim=1).sum(dim=1)
        left, ended = p[every, n], n < GAMMA
        left[ended] = (left[ended] - q[ended, n[ended]]).clamp_(min=0)
        return _judged(data, n, left.multinomial(1)[:, 0])

    return call


def _torch_expert(data: Step, threads: int) -> harness.Call:
    import torch

    target, draft, uniforms = (torch.from_numpy(x) for x in (*data[:2], data.uniforms.astype(np.float32)))

    def element(a: Any, b: Any, x: list[int], coins: list[float], u: Any) -> tuple[int, int]:
        for n in range(GAMMA):
            row, other = a[n], b[n]
            zp, zq = row.logsumexp(0), other.logsumexp(0)
            if not coins[n] < float(row[x[n]] - zp - other[x[n]] + zq):
                left = (row - zp).exp_().sub_((other - zq).exp_()).clamp_(min=0)
                break
        else:
            n, left = GAMMA, a[GAMMA].softmax(0)
        sums = left.cumsum(0)
        return n, int(torch.searchsorted(sums, u[n, 2:3] * sums[-1], right=True))

    drafted, coins = data.drafted.tolist(), np.log(data.uniforms[:, :GAMMA, 1]).tolist()

    def call() -> Array:
        torch.set_num_threads(threads)
        found = [element(*given) for given in zip(target, draft, drafted, coins, uniforms, strict=True)]
        return _judged(data, *zip(*found, strict=True))

    return call


def _jax(data: Step, threads: int) -> harness.Call:
    import jax
    import jax.numpy as jnp

    @jax.jit
    def verify(target: Any, draft: Any, drafted: Any, u: Any) -> Any:
        zp, zq, at = jax.nn.logsumexp(target, -1), jax.nn.logsumexp(draft, -1), drafted[..., None]
        a = jnp.take_along_axis(target[:, :GAMMA], at, -1)[..., 0] - zp[:, :GAMMA]
        b = jnp.take_along_axis(draft, at, -1)[..., 0] - zq
        n = jnp.cumprod(jnp.log(u[:, :GAMMA, 1]) < a - b, axis=1).sum(axis=1)
        rows, last = jnp.arange(len(n)), jnp.minimum(n, GAMMA - 1)
        q = jnp.where(n < GAMMA, 1, 0)[:, None] * jnp.exp(draft[rows, last] - zq[rows, last][:, None])
        sums = jnp.cumsum(jnp.maximum(jnp.exp(target[rows, n] - zp[rows, n][:, None]) - q, 0), axis=1)
        return n, (sums <= u[rows, n, 2:3] * sums[:, -1:]).sum(axis=1)

    given = (*data[:2], data.drafted.astype(np.int32), data.uniforms.astype(np.float32))
    placed = [jax.device_put(x, jax.devices("cpu")[0]) for x in given]
    return lambda: _judged(data, *verify(*placed))


def _memory(data: Step, threads: int) -> harness.Call:
    parts = [x for z in (data.target, data.draft) for x in np.array_split(z, threads)]
    pool = ThreadPoolExecutor(threads)
    return lambda: sum(pool.map(np.sum, parts))


# ---- paths ----


def _paths_case(case: tuple[int, int, int, int], seed: int, repeats: int) -> Done:
    states, vocab, rows, number = case
    title = f"{rows:,} x {number} rounds of {GAMMA} drafts, S = {states:,}, V = {vocab:,}"
    laws = chain(states, vocab, seed)
    made = rounds.tables(*laws)
    some = rounds.run_rounds(made, gamma=GAMMA, rounds=number, key=KEY, rows=range(rows), tokens=True)
    few = min(rows, 100)
    same = reference.run(made.laws, GAMMA, number, KEY, np.arange(few, dtype=np.uint64))
    equal = all(np.array_equal(x[:few], y) for x, y in zip(some, same, strict=False) if x is not None)
    mean = some.accepted.mean() if equal else math.nan
    tolerance = 20 / math.sqrt(rows * number)  # seven standard errors of a difference: a round deviates by less than 2
    results = timed(title, paths_peers(rows, number), repeats, lambda: ((laws, made), np.array(mean), tolerance))
    own = harness.medians(results).get(OURS, math.nan)

    def cells(r: Result) -> tuple[str, ...]:
        return str(r.threads), f"{r.median * 1e3:.1f}", f"{rows * number / r.median / 1e6:.2f}", f"{r.median / own:.2f}"

    caption = "medians of interleaved runs; tokens and accepted drafts kept"
    shown = tabulated(title, caption, ("threads", "ms", "million rounds/s", "ratio"), results, cells)
    about = {"work": "paths", "states": states, "vocab": vocab, "gamma": GAMMA, "replications": rows, "rounds": number}
    return judged(about | {"mean_accepted": float(mean)}, results, shown)


def _cases(args: argparse.Namespace, repeats: int) -> list[Callable[[], Done]]:
    works: list[Callable[[], Done]] = []
    works += [partial(_step_case, case, args.seed, repeats) for case in (QUICK if args.quick else CASES)]
    works += [partial(_paths_case, case, args.seed, repeats) for case in (QUICK_PATHS if args.quick else PATHS)]
    return works


BENCH = Bench(
    name="rounds",
    summary="verification of drafts, against transformers, PyTorch and JAX; and rounds of replications",
    repeats=21,
    quick="small cases",
    cases=_cases,
    seed="the logits",
)
