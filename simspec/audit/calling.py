"""Calls of somebody's sampler, and what is wrong with what it returns."""

from __future__ import annotations

import contextvars
import math
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial, wraps
from queue import Empty, SimpleQueue
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from simspec.audit.evidence import text_law
from simspec.audit.exits import NAME, exits_raise
from simspec.audit.levels import Laws, along, as_levels, rest
from simspec.audit.settings import Settings
from simspec.checks import short
from simspec.laws import Array

__all__ = [
    "OVER",
    "STUCK",
    "Broken",
    "CallMonitor",
    "Late",
    "Sampler",
    "Stuck",
    "UniformSampler",
    "begun",
    "called",
    "called_with_uniforms",
    "checked_tokens",
    "completed",
    "copied",
    "ended",
    "ends_threads",
    "is_equal",
    "ways_to_end",
]

Given = ParamSpec("Given")
Result = TypeVar("Result")

Sampler = Callable[[Any, Any, int, np.random.Generator], Any]
"""sampler(p, q, n, rng): n calls that draft and verify on target laws p (gamma + 1, V) and draft laws q (gamma, V), with
random numbers from rng.  Returns the emitted tokens, integers (n, gamma + 1), each row filled up with -1; or a dictionary
of these "tokens" and, if it likes, "logprobs" (n, gamma + 1), the target's logarithm of each emitted token, and
"acceptance", the share of these n * gamma drafts that it says it kept.

Where an audit is told `prefixes`, p and q are tuples of arrays: p[i] has the shape (V,) * i + (V,), and p[i][prefix] is the
law of token i + 1 after a prefix of i tokens; q likewise."""

UniformSampler = Callable[[Any, Any, NDArray[np.int64], Array], Any]
"""sampler(p, q, drafts, uniforms): n calls that verify given drafts with given uniforms, all in one launch.

p (gamma + 1, V) and q (gamma, V) are target and draft laws, drafts (n, gamma) integers, uniforms (n, C) float64 in [0, 1).
Of several paths, or of a tree, drafts are (n, K, gamma), padded with -1 (`simspec.audit.drafting`).
Returns what a `Sampler` returns.  Row i may depend on drafts[i] and uniforms[i] only.  Which uniform serves what is up to the
sampler; those it does not need it leaves alone."""


class Broken(Exception):
    """A sampler did not return tokens; the words say what it did."""


STUCK = "has not returned"
OVER = f"{STUCK} when the time of the audit ended"


class Stuck(Broken):
    """A sampler has not returned."""


class Late(Stuck):
    """The time of the whole audit has ended during a call: nothing is said of the sampler."""


class CallMonitor:
    """How a sampler is called, and what is noticed that does not change the verdict.

    Parameters
    ----------
    call_timeout : float; seconds that a call may take.  The sampler then goes on in a thread that cannot be stopped, and is
        not called again
    prefixes : bool; laws are passed as levels of a tree
    deadline : float; when the whole audit ends, on the clock `time.monotonic`
    """

    def __init__(self, call_timeout: float = 60.0, prefixes: bool = False, deadline: float = math.inf) -> None:
        self.call_timeout = call_timeout
        self.prefixes = prefixes
        self.deadline = deadline
        self.notes: dict[str, str] = {}

    @property
    def is_over(self) -> bool:
        """Whether the time of the audit has ended."""
        return time.monotonic() >= self.deadline

    def note(self, kind: str, words: str) -> None:
        """Keep the first note of each kind."""
        self.notes.setdefault(kind, words)


def begun(settings: Settings) -> CallMonitor:
    """How an audit that begins now calls a sampler.

    >>> begun(Settings(time_limit=60.0)).is_over
    False
    """
    return CallMonitor(settings.call_timeout, settings.prefixes, time.monotonic() + settings.time_limit)


def called(
    sampler: Sampler, p: Laws, q: Laws, n: int, rng: np.random.Generator, monitor: CallMonitor | None = None
) -> NDArray[np.int64]:
    """Tokens (n, gamma + 1) that n calls emit, padded with -1; raises Broken where they are none.

    >>> called(lambda p, q, n, rng: np.full((n, 1), 5), np.array([[0.5, 0.5]]), np.zeros((0, 2)), 2, np.random.default_rng())
    Traceback (most recent call last):
    ...
    simspec.audit.calling.Broken: emits token 5; the vocabulary has 2 tokens
    """
    arguments = {"p": p, "q": q}
    return _tokens(
        lambda copies: sampler(copies["p"], copies["q"], n, rng),
        "(p, q, n, rng)",
        arguments,
        n,
        monitor or CallMonitor(),
    )


def called_with_uniforms(
    sampler: UniformSampler,
    p: Laws,
    q: Laws,
    drafts: NDArray[np.int64],
    uniforms: Array,
    monitor: CallMonitor | None = None,
) -> NDArray[np.int64]:
    """Tokens (n, gamma + 1) that a sampler emits on given drafts and uniforms; raises Broken where they are none.

    >>> p = np.array([[0.25, 0.75]])
    >>> def plain(p, q, drafts, uniforms):
    ...     return (uniforms[:, :1] >= p[0, 0]).astype(int)
    >>> called_with_uniforms(plain, p, p[:0], np.zeros((2, 0), dtype=int), np.array([[0.2], [0.3]])).tolist()
    [[0], [1]]
    """
    arguments = {"p": p, "q": q, "drafts": drafts, "uniforms": uniforms}
    return _tokens(
        lambda copies: sampler(copies["p"], copies["q"], copies["drafts"], copies["uniforms"]),
        "(p, q, drafts, uniforms)",
        arguments,
        len(uniforms),
        monitor or CallMonitor(),
    )


def _tokens(
    call: Callable[[dict[str, Any]], Any], form: str, arguments: dict[str, Any], n: int, monitor: CallMonitor
) -> NDArray[np.int64]:
    """What a call on copies of its inputs returns, checked: n calls, gamma + 1 tokens, from a vocabulary."""
    copies = {name: copied(value, monitor.prefixes and name in "pq") for name, value in arguments.items()}
    references = {name: copied(value, isinstance(value, tuple)) for name, value in copies.items()}
    try:
        result = _in_time(lambda: call(copies), monitor)
    except Broken as error:
        if isinstance(error.__cause__, TypeError):  # often a sampler of another form
            raise Broken(f"{error}; it was called with {form}") from error.__cause__
        raise
    for name, value in references.items():
        if not is_equal(copies[name], value):
            raise Broken(f"changes its input {name}")
    p = arguments["p"]
    answer = result if isinstance(result, Mapping) else {"tokens": result}
    if "tokens" not in answer:
        raise Broken(f"returns a dictionary of {short(str(sorted(answer)))}; expected one with tokens")
    try:
        tokens = np.asarray(answer["tokens"])
    except Exception as error:
        raise Broken(f"returns {type(answer['tokens']).__name__}; expected an array") from error
    tokens = checked_tokens(tokens, n, len(p), int(p[0].shape[-1]))
    _compare(answer, tokens, p, monitor)
    return tokens


def copied(value: Any, tree: bool) -> Any:
    """A copy of laws for a sampler: an array as an array, levels as levels, or rows as levels of a `tree`.

    >>> [level.tolist() for level in copied(np.array([[0.25, 0.75]]), True)]
    [[0.25, 0.75]]
    """
    if tree:
        return tuple(level.copy() for level in as_levels(value))
    return value.copy() if isinstance(value, np.ndarray) else tuple(level.copy() for level in value)


def is_equal(a: Any, b: Any) -> bool:
    """Whether a copy, an array or levels, still is what it was made of; NaN is equal to itself.

    >>> is_equal(np.array([1.0, np.nan]), np.array([1.0, np.nan])), is_equal((np.array([1.0]),), (np.array([2.0]),))
    (True, False)
    """
    if isinstance(b, tuple):
        return len(a) == len(b) and all(map(is_equal, a, b))
    return np.array_equal(a, b, equal_nan=b.dtype.kind == "f")


class _Caller:
    """A thread that makes calls, one after the other; to start one for each call would cost more than many a call."""

    def __init__(self) -> None:
        self.calls: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self.found: SimpleQueue[tuple[bool, Any]] = SimpleQueue()
        self.thread = threading.Thread(target=self._run, name=NAME, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while (call := self.calls.get()) is not None:
            outcome: tuple[bool, Any] = False, Broken("ends its thread")
            try:
                outcome = True, call()
            except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit) as error:  # which must not end the audit
                outcome = False, error
            finally:
                self.found.put(outcome)
            del call, outcome


_idle: list[_Caller] = []
"""Callers that wait; in a process that was forked they are no more."""


def _caller() -> _Caller:
    """One that waits, whichever thread asks, or a new one."""
    with suppress(IndexError):
        while not (caller := _idle.pop()).thread.is_alive():
            pass
        return caller
    return _Caller()


def _end_idle_threads() -> None:
    """End every thread that waits for a call; one whose call has not returned goes on, and ends after it."""
    while _idle:
        with suppress(IndexError):  # another audit has taken the last one
            caller = _idle.pop()
            caller.calls.put(None)
            caller.thread.join()


def ends_threads(audit: Callable[Given, Result]) -> Callable[Given, Result]:
    """An audit that leaves no thread behind, and in which no sampler ends the process (`exits_raise`).

    From Python 3.12 on a fork warns of every thread that is there.

    >>> @ends_threads
    ... def work():
    ...     _in_time(lambda: 0, CallMonitor())
    ...     return [thread.name for thread in threading.enumerate() if thread.name == NAME]
    >>> work(), [thread.name for thread in threading.enumerate() if thread.name == NAME]
    (['audited sampler'], [])
    """

    @wraps(audit)
    def ended_after(*positional: Given.args, **named: Given.kwargs) -> Result:
        try:
            with exits_raise():
                return audit(*positional, **named)
        finally:
            _end_idle_threads()

    return ended_after


def _in_time(call: Callable[[], Any], monitor: CallMonitor) -> Any:
    """What a call returns; Broken where it raises, Stuck where it has not returned, Late where the audit's time has ended."""
    left = monitor.deadline - time.monotonic()
    if left <= 0:
        raise Late(OVER)
    caller = _caller()
    caller.calls.put(partial(contextvars.copy_context().run, call))
    waits = False
    try:
        good, result = caller.found.get(timeout=min(monitor.call_timeout, left, threading.TIMEOUT_MAX))
        waits = not isinstance(result, Broken)
    except Empty:
        if left < monitor.call_timeout:
            raise Late(OVER) from None
        raise Stuck(f"{STUCK} after {monitor.call_timeout:g} seconds") from None
    finally:
        if waits:
            _idle.append(caller)
        else:  # it may return yet, and then ends: also where somebody has interrupted the audit
            caller.calls.put(None)
    if not waits:
        raise result
    if not good:
        ends = ", which would end the process" if isinstance(result, SystemExit) else ""
        raise Broken(f"raises {type(result).__name__}: {short(str(result))}{ends}") from result
    return result


def checked_tokens(tokens: Array, n: int, length: int, vocab: int) -> NDArray[np.int64]:
    """Tokens (n, length) of n calls as integers; raises Broken where they are none, or none come after the last.

    >>> checked_tokens(np.array([[1, -1]]), 1, 2, 2).tolist()
    [[1, -1]]
    """
    if tokens.shape != (n, length):
        raise Broken(f"returns shape {tokens.shape}; expected {(n, length)}: n calls, gamma + 1 tokens")
    if tokens.dtype.kind not in "iu":
        nan = tokens.dtype.kind == "f" and np.isnan(tokens).any()
        raise Broken(f"returns {'NaN, in ' if nan else ''}an array of {tokens.dtype}; expected integers")
    if tokens.min(initial=0) < -1 or tokens.max(initial=0) >= vocab:
        wrong = (tokens < -1) | (tokens >= vocab)
        raise Broken(f"emits token {tokens[wrong][0]}; the vocabulary has {vocab} tokens")
    tokens = tokens.astype(np.int64, copy=False)
    if tokens[:, 0].min(initial=0) < 0:
        raise Broken(f"emits no token in call {int(np.argmin(tokens[:, 0]))}; expected 1 to {length} tokens")
    if any(((tokens[:, i] >= 0) & (tokens[:, i - 1] < 0)).any() for i in range(1, length)):
        raise Broken("emits a token after -1; expected -1 only after the last token")
    return tokens


LOGPROB = 1e-3
RATE = 1e-6
"""How far logprobs and a rate that a sampler returns may be off before it is noted: single precision passes."""


def _compare(answer: Mapping[str, Any], tokens: NDArray[np.int64], p: Laws, monitor: CallMonitor) -> None:
    """Note where the law or the rate that a sampler returns with its tokens is not that of the tokens."""
    emitted = tokens >= 0
    logprobs = _numbers(answer, "logprobs", monitor)
    if logprobs is not None and logprobs.shape != tokens.shape:
        monitor.note("logprobs", f"returns logprobs of shape {logprobs.shape}; expected {tokens.shape}")
    elif logprobs is not None:
        masses = np.take_along_axis(along(p, tokens), np.maximum(tokens, 0)[..., None], axis=2)[..., 0]
        with np.errstate(divide="ignore"):
            right = np.log(masses)
        off = emitted & ~(np.isclose(logprobs, right, rtol=0, atol=LOGPROB) | (logprobs == right))
        if off.any():
            call, i = (int(x[0]) for x in np.nonzero(off))
            monitor.note(
                "logprobs",
                f"returns logprob {logprobs[call, i]:.4g} for token {tokens[call, i]} at position {i}; "
                f"the target's is {right[call, i]:.4g}",
            )
    drafts = len(tokens) * (tokens.shape[1] - 1)
    rates = _numbers(answer, "acceptance", monitor)
    if rates is not None and drafts:
        accepted_rate = float(emitted[:, 1:].sum() / drafts)
        rate = float(rates.mean()) if rates.size else math.nan
        if not abs(rate - accepted_rate) <= RATE:
            monitor.note(
                "acceptance",
                f"returns the acceptance rate {rate:.4g}, but {accepted_rate:.4g} of its drafts were accepted",
            )


def _numbers(answer: Mapping[str, Any], name: str, monitor: CallMonitor) -> Array | None:
    """What is told under a name as floats; None, and a note, where it is none."""
    if answer.get(name) is None:
        return None
    try:
        return np.asarray(answer[name], dtype=np.float64)
    except Exception:  # whatever somebody's object raises
        monitor.note(name, f"returns {name} that are not numbers: {short(repr(answer[name]))}")
        return None


def ended(tokens: NDArray[np.int64], vocab: int) -> NDArray[np.int64]:
    """How often each ending occurs: an axis for each token, of length V + 1, at 0 where there is none.

    >>> ended(np.array([[1, -1], [0, 1], [1, -1]]), 2).tolist()
    [[0, 0, 0], [0, 0, 1], [2, 0, 0]]
    """
    shape = (vocab + 1,) * tokens.shape[1]
    codes = np.ravel_multi_index(tuple((tokens + 1).T), shape)
    return np.bincount(codes, minlength=math.prod(shape)).reshape(shape)


def ways_to_end(ends: Array) -> dict[tuple[int, ...], Any]:
    """Tokens emitted, and how often, from what `ended` counted.

    >>> ways_to_end(np.array([[0, 0, 0], [0, 0, 1], [2, 0, 0]]))
    {(0, 1): 1, (1,): 2}
    """
    places = np.argwhere(ends).tolist()
    return {tuple(token - 1 for token in place if token): ends[tuple(place)].item() for place in places}


def completed(ends: Array, p: Laws, rng: np.random.Generator) -> NDArray[np.int64]:
    """Counts of texts of gamma + 1 tokens: what was emitted, continued with draws from the target's laws.

    >>> ends = ended(np.array([[1, -1], [1, -1]]), 2)
    >>> completed(ends, np.array([[0.5, 0.5], [0.0, 1.0]]), np.random.default_rng(0)).tolist()
    [[0, 0], [0, 2]]
    """
    counts = np.zeros((p[0].shape[-1],) * len(p), dtype=np.int64)
    for tokens, calls in ways_to_end(ends).items():
        law = text_law(rest(p, tokens))
        counts[tokens] += rng.multinomial(calls, law.ravel() / law.sum()).reshape(law.shape)
    return counts
