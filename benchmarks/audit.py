"""The auditor against SciPy's chi-square, on the same samples at the same false alarm: seconds, calls needed, false alarms.

Three questions side by side.  What does the auditor cost beside the sampler, which is left out: both sides get the same
stored tokens, continue them with the target's law, count the texts and look as often?  How many calls does each need for
the faults of the zoo, with the same looks and the same share of the false alarm at each?  How often does each call the
honest sampler biased, in runs of many looks?  Then how long an exact law takes, and an audit of transformers' function
where it is installed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.cases import Bench, Done, columns, judged, shown, table, timed
from benchmarks.harness import Call, Peer
from simspec.audit.adapters.form import Tokens, drawn, emitted
from simspec.audit.adapters.judging import Asked, judge, subjects
from simspec.audit.calling import CallMonitor, completed, ended
from simspec.audit.evidence import log_wealth, text_law
from simspec.audit.pairs import Pair, revealing
from simspec.audit.reference import speculative
from simspec.audit.trial import FIRST, Plan, Trial
from simspec.audit.uniforms.emitted import CONFIRMED, Emitted
from simspec.audit.uniforms.emitted import emitted as outcomes
from simspec.audit.uniforms.exact_law import exact
from simspec.audit.zoo import MEMBERS, black_box
from simspec.laws import Array

__all__ = ["BENCH", "Data", "Sizes", "candidates", "chi_square", "false_alarms", "looks_needed", "with_uniforms"]

OURS = "simspec"
SCIPY = "SciPy chi-square"
SAMPLER = "the sampler itself"
ERROR = 1e-6
LEVEL = 0.05
"""False alarm of the calls needed, and the one that is measured."""
GAMMA = 3
VOCAB = 4


class Data(NamedTuple):
    """Tokens of many calls on a pair of laws."""

    pair: Pair
    tokens: Tokens


class Sizes(NamedTuple):
    """Calls that are timed, most calls on a fault, runs and looks by which false alarms are measured, and the exact law."""

    calls: int
    most: int
    runs: int
    looks: int
    gamma: int


FULL = Sizes(1_000_000, 10_000, 100_000, 8, GAMMA)
QUICK = Sizes(2000, 1000, 500, 2, 1)


def chi_square(counts: Array, law: Array) -> float:
    """The p-value of Pearson's chi-square of counts of texts; 0 where a text was seen that the law never says.

    >>> round(chi_square(np.array([60, 40]), np.array([0.5, 0.5])), 4), chi_square(np.array([9, 1]), np.array([1.0, 0.0]))
    (0.0455, 0.0)
    """
    from scipy.stats import chisquare

    possible = law > 0
    if counts[~possible].any():
        return 0.0
    if possible.sum() == 1:
        return 1.0
    return float(chisquare(counts[possible], counts.sum() * law[possible]).pvalue)


# --- seconds ---------------------------------------------------------------------------------------------------------


def candidates() -> list[Peer]:
    """The auditor, then SciPy's test in its place; the yardstick is the time that the vectorised sampler takes."""
    return [
        Peer(OURS, _ours, (1,)),
        Peer(SCIPY, _scipy, (1,)),
        Peer(SAMPLER, _sampler, (1,), checked=False),
    ]


def _looks(calls: int) -> list[slice]:
    ends = [0, *(FIRST * 2**k for k in range(64) if FIRST * 2**k < calls), calls]
    return [slice(a, b) for a, b in pairwise(ends)]


def _ours(data: Data, threads: int) -> Call:
    """The timed call: an audit of the stored calls on one pair of laws."""
    calls = len(data.tokens)

    def call() -> NDArray[np.float64]:
        position = 0

        def stored(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
            nonlocal position
            position += n
            return data.tokens[position - n : position]

        trial = Trial(Plan(stored, CallMonitor(), calls, ERROR, 0.0, 0), data.pair, 1)
        trial.exhaust()
        return _first(trial.counts)

    return call


def _scipy(data: Data, threads: int) -> Call:
    law = text_law(data.pair.p).ravel()

    def call() -> NDArray[np.float64]:
        rng = np.random.default_rng(0)
        counts = np.zeros((VOCAB,) * (GAMMA + 1), dtype=np.int64)
        for calls_of_look in _looks(len(data.tokens)):
            counts += completed(ended(data.tokens[calls_of_look], VOCAB), data.pair.p, rng)
            chi_square(counts.ravel(), law)
        return _first(counts)

    return call


def _first(counts: Array) -> NDArray[np.float64]:
    """How often each first token was seen, which no continuation changes."""
    return counts.sum(axis=tuple(range(1, counts.ndim))).astype(np.float64)


def _sampler(data: Data, threads: int) -> Call:
    return lambda: speculative(data.pair.p, data.pair.q, len(data.tokens), np.random.default_rng(0))


def _seconds(sizes: Sizes, repeats: int) -> Done:
    pair = revealing(GAMMA, VOCAB)[0]

    def prepare() -> tuple[Data, Array, float]:
        tokens = speculative(pair.p, pair.q, sizes.calls, np.random.default_rng(0))
        return Data(pair, tokens), np.bincount(tokens[:, 0], minlength=VOCAB).astype(np.float64), 0.0

    title = f"{sizes.calls:,} calls, V = {VOCAB}, γ = {GAMMA}: the auditor's own cost"
    results = timed(title, candidates(), repeats, prepare)
    note = f"{OURS}: {sizes.calls / results[0].median / 1e6:.2f} million calls a second, without the sampler"
    record = judged(
        {"items": sizes.calls, "vocab": VOCAB, "gamma": GAMMA}, results, table(title, results, OURS, SAMPLER)
    )
    return record._replace(notes=note)


def _exact_seconds(sizes: Sizes, repeats: int) -> Done:
    """Calls a second of exact mode, beside as many calls of the sampler by itself."""
    pair = revealing(sizes.gamma, VOCAB)[0]
    confirmed = 1000

    def law() -> Emitted:
        return outcomes(with_uniforms, pair, sizes.gamma + 1, confirmed=confirmed)

    calls = law().calls
    rng = np.random.default_rng(0)
    drafts = rng.integers(VOCAB, size=(calls, sizes.gamma))
    uniforms = rng.random((calls, sizes.gamma + 1))
    peers = [
        Peer(OURS, lambda data, threads: lambda: np.array([float(law().facts.tv)]), (1,)),
        Peer(
            SAMPLER, lambda data, threads: lambda: with_uniforms(pair.p, pair.q, drafts, uniforms), (1,), checked=False
        ),
    ]
    title = f"exact law of {calls:,} calls, V = {VOCAB}, γ = {sizes.gamma}"
    results = timed(title, peers, repeats, lambda: (None, np.zeros(1), 0.0))
    note = f"{OURS}: {calls / results[0].median / 1e6:.2f} million calls a second in exact mode"
    record = judged(
        {"items": calls, "vocab": VOCAB, "gamma": sizes.gamma}, results, table(title, results, OURS, SAMPLER)
    )
    return record._replace(notes=note)


def _exact_calls(sizes: Sizes, repeats: int) -> Done:
    """Calls of audits in exact mode: of a lossless sampler on every pair of laws, and of a biased one until it is made small.

    Those that find the cells are counted by themselves.  The random calls that confirm them bound the mass e that may have been
    overlooked; no search does with fewer, as cells of mass e stay unseen in n calls with probability (1 - e)^n.
    """
    table = columns("calls of an exact audit", "counted, not timed", ("calls", "pairs", "a pair, for cells"))
    records = []
    right = True
    vocab = 2 if sizes is QUICK else 3
    confirmed = 1000 if sizes is QUICK else CONFIRMED

    def unscaled(p: Array, q: Array, drafts: Tokens, uniforms: Array) -> Tokens:
        return with_uniforms(p, q, drafts, uniforms, is_residual=False)

    cases = (("lossless", with_uniforms, 0), ("biased", unscaled, 1))
    with shown("calls of exact mode", len(cases)) as tick:
        for verdict, sampler, status in cases:
            report = exact(
                sampler,
                vocab=vocab,
                uniforms=lambda gamma: gamma + 1,
                confirmed=confirmed,
                diagnose=False,
            )
            for_cells = sum(finding.calls - confirmed for finding in report.tried) / len(report.tried)
            right = right and report.exit_status == status
            records.append({"verdict": verdict, "calls": report.calls, "pairs": len(report.tried), "cells": for_cells})
            table.add_row(verdict, f"{report.calls:,}", str(len(report.tried)), f"{for_cells:,.0f}")
            tick(verdict)
    return Done({"confirmed": confirmed, "audits": records}, table, right)


# --- calls needed ----------------------------------------------------------------------------------------------------


def looks_needed(tokens: Tokens, pair: Pair, error: float = ERROR) -> tuple[int | None, int | None]:
    """Calls after which the auditor, and the chi-square, first show a bias; None where they do not.

    Both look after 250 calls and after each doubling.  The auditor's wealth must reach 2/error, as half of its stake is
    on something else; look m of the chi-square has the share 1/(m (m + 1)) of the error.
    """
    rng = np.random.default_rng(0)
    counts = np.zeros((pair.vocab,) * len(pair.p), dtype=np.int64)
    law = text_law(pair.p)
    simspec_looks = theirs = None
    for m, calls_of_look in enumerate(_looks(len(tokens)), start=1):
        counts += completed(ended(tokens[calls_of_look], pair.vocab), pair.p, rng)
        if simspec_looks is None and log_wealth(counts, pair.p) >= np.log(2 / error):
            simspec_looks = calls_of_look.stop
        if theirs is None and chi_square(counts.ravel(), law.ravel()) <= error / (m * (m + 1)):
            theirs = calls_of_look.stop
    return simspec_looks, theirs


def _calls(sizes: Sizes, repeats: int) -> Done:
    """Measure how many calls the auditor and the chi-square need for each fault of the zoo, over several seeds."""
    table = columns(
        f"calls needed at false alarm {ERROR:g}, on the laws of each fault", f"median of {repeats} runs", (OURS, SCIPY)
    )
    records = []
    faults = [m for m in MEMBERS.values() if m.kind == "fault" and isinstance(m.laws.p, np.ndarray)]
    with shown("calls needed", len(faults)) as tick:
        for member in faults:
            runs = []
            for seed in range(repeats):
                tokens = black_box(member)(member.laws.p, member.laws.q, sizes.most, np.random.default_rng(seed))
                runs.append([np.inf if n is None else n for n in looks_needed(tokens, member.laws)])
            medians = [float(x) for x in np.median(runs, axis=0)]
            records.append({"fault": member.name, "runs": [[_plain(n) for n in run] for run in runs]})
            table.add_row(member.name, *(f"{n:,.0f}" if np.isfinite(n) else f"> {sizes.most:,}" for n in medians))
            tick(member.name)
    return Done({"error": ERROR, "most": sizes.most, "faults": records}, table, True)


def _plain(n: float) -> int | None:
    return int(n) if np.isfinite(n) else None


# --- false alarms ----------------------------------------------------------------------------------------------------


def false_alarms(runs: int, looks: int, seed: int = 0, level: float = LEVEL) -> tuple[int, int]:
    """Of so many runs of honest samplers, how many the auditor calls biased, and a chi-square at each look at `level`.

    >>> ours, naive = false_alarms(200, 4)
    >>> ours <= 10 < naive
    True
    """
    from scipy.stats import chi2

    pair = revealing(1, 2)[0]
    law = text_law(pair.p)
    rng = np.random.default_rng(seed)
    counts = np.zeros((runs, *law.shape))
    simspec_alarms = theirs = np.zeros(runs, dtype=bool)
    for m in range(looks):
        new_calls = FIRST * 2 ** max(m - 1, 0)
        counts = counts + rng.multinomial(new_calls, law.ravel(), size=runs).reshape(counts.shape)
        simspec_alarms = simspec_alarms | (log_wealth(counts, pair.p) >= np.log(2 / level))
        expected = counts.reshape(runs, -1).sum(axis=1, keepdims=True) * law.ravel()
        statistic = ((counts.reshape(runs, -1) - expected) ** 2 / expected).sum(axis=1)
        theirs = theirs | (chi2.sf(statistic, law.size - 1) <= level)
    return int(simspec_alarms.sum()), int(theirs.sum())


def _alarms(sizes: Sizes, repeats: int) -> Done:
    with shown("false alarms", 1) as tick:
        simspec_alarms, naive = false_alarms(sizes.runs, sizes.looks)
        tick("done")
    title = f"false alarms in {sizes.runs:,} runs of {sizes.looks} looks, at level {LEVEL:g}"
    table = columns(title, "a chi-square at every look, uncorrected, for comparison", ("runs", "share"))
    for name, count in ((OURS, simspec_alarms), (f"{SCIPY}, at every look", naive)):
        table.add_row(name, f"{count:,}", f"{count / sizes.runs:.4f}")
    about = {"level": LEVEL, "runs": sizes.runs, "looks": sizes.looks, "simspec": simspec_alarms, "chi_square": naive}
    return Done(about, table, simspec_alarms <= LEVEL * sizes.runs)


# --- whole audits ----------------------------------------------------------------------------------------------------


def with_uniforms(p: Array, q: Array, drafts: Tokens, uniforms: Array, is_residual: bool = True) -> Tokens:
    """Speculative decoding with its uniforms: one for each draft, the last for what is drawn; or with p for the residual.

    >>> with_uniforms(np.eye(2), np.eye(2)[1:], np.array([[1]]), np.array([[0.5, 0.5]])).tolist()
    [[0, -1]]
    """
    accepted = np.zeros(len(drafts), dtype=int)
    for i, x in enumerate(drafts.T):
        accepted += (accepted == i) & (uniforms[:, i] * q[i, x] < p[i, x])
    residual = np.maximum(p[:-1] - q, 0) if is_residual else p[:-1]
    residual = np.where(residual.sum(axis=1, keepdims=True) > 0, residual, p[:-1])
    return emitted(drafts, accepted, drawn(np.concatenate([residual, p[-1:]])[accepted], uniforms[:, len(q)]))


def _whole(sizes: Sizes, repeats: int) -> Done:
    """Seconds of an exact law, and of an audit of transformers' function."""
    pair = revealing(sizes.gamma, VOCAB)[0]
    table = columns("whole audits", "seconds, one run each", ("seconds", "calls", "TV"))
    records = []
    right = True

    def timed_once(name: str, work: Callable[[], tuple[int, str, bool]]) -> None:
        nonlocal right
        begin = time.perf_counter()
        try:
            calls, tv, fine = work()
        except ValueError as missing:
            table.add_row(name, "", "", str(missing).partition(";")[0])
            return
        seconds = time.perf_counter() - begin
        right = right and fine
        records.append({"name": name, "seconds": seconds, "calls": calls, "tv": tv})
        table.add_row(name, f"{seconds:.2f}", f"{calls:,}", tv)

    def exact_law() -> tuple[int, str, bool]:
        law = outcomes(with_uniforms, pair, sizes.gamma + 1, confirmed=1000)
        return law.calls, str(law.facts.tv), law.facts.tv == 0

    def transformers() -> tuple[int, str, bool]:
        (subject,) = subjects("transformers")
        pairs = revealing(2, 3)[: 1 if sizes is QUICK else None]
        request = Asked(pairs=pairs, calls=250, tv_limit=0.5) if sizes is QUICK else Asked()
        report = judge(subject, request)
        return report.calls, f"at most {report.shown.tv[1]:.3f}", report.exit_status == 0

    with shown("whole audits", 2) as tick:
        timed_once(f"exact law of speculative decoding, V = {VOCAB}, γ = {sizes.gamma}", exact_law)
        tick("transformers")
        timed_once("transformers, as a black box", transformers)
        tick("done")
    return Done({"audits": records}, table, right)


def _cases(args: argparse.Namespace, repeats: int) -> list[Callable[[], Done]]:
    sizes = QUICK if args.quick else FULL
    return [partial(case, sizes, repeats) for case in (_seconds, _exact_seconds, _exact_calls, _calls, _alarms, _whole)]


BENCH = Bench(
    name="audit",
    summary="the audit of samplers, against SciPy's chi-square: seconds, calls needed, false alarms",
    repeats=5,
    quick="few calls and runs",
    cases=_cases,
)
