"""Speculative decoding of a group of requests in lock step, and the faults that it can be told to have.

`FAULTS` names each fault and what it does; a request without one is decoded losslessly.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests.audit.endpoint.net import Cache, Net, softmax

FAULTS = {
    "greedy drafts": "drafts are the draft's argmax, and its softmax row is reported",
    "one coin": "all requests of a batch share their uniforms",
    "shared seed": "every request has the seed 0",
    "stale row": "a draft is verified with the row of the draft before it",
    "bonus unprocessed": "the bonus token is drawn without temperature, penalties and truncation",
    "late penalties": "penalties know the text at the beginning of the step only",
    "min-p on drafts only": "the target's rows are verified without min-p",
    "kept cache": "the entry of a rejected draft stays in the cache",
    "ragged positions": "the shorter texts of a batch have position ids that are one too large",
    "relaxed acceptance": "a draft is accepted with probability min(1, 2 p/q)",
    "unverified end": "drafts that reach max_tokens are emitted unverified",
    "wrong usage": "accepted drafts are counted twice",
    "zero log-probabilities": "accepted drafts are stated with log-probability 0 and without alternatives",
    "residual of the target": "after a rejection the token is drawn from the target's row",
    "min-p always": "min-p 0.1 whatever a request says",
    "argmax bonus": "the bonus token is the argmax",
    "stop ignored": "a text goes on after a stop string",
    "stop early": "a text ends where the first letter of its stop string is written",
    "lost at the end": "tokens of the step that reaches max_tokens are not sent, but for its first",
    "stop at the end of a step": "stop strings are looked for when a step ends: the text is cut, tokens after it are sent",
    "copies share a seed": "the answers to one request have one seed",
    "clipped drafts": "the last step drafts what max_tokens leaves, and draws the token after it from the row before",
    "long context lost": "of a text longer than 100 tokens the target sees the last 50 only",
}
WRONG_COUNTS = {
    "wrong log": "llama.cpp's line counts one more accepted draft than the response",
    "wrong metrics": "the metrics page counts accepted drafts twice",
}
"""Faults of what is counted beside the responses; only an engine whose responses state drafts shows them."""
UNDER_STOPS = {"unverified under stop strings": "a request with a stop string emits its drafts unverified"}
"""Faults of requests with stop strings only, which are few: an audit of usual size finds them where it knows the draft."""
UNDER_OPTIONS = {"one token more": "top-k leaves one token more than it is asked for"}
"""Faults of requests with an option only, of which each option has a few."""
GAMMA = 3


@dataclass
class Sampling:
    """What a request wants."""

    prompt: list[int]
    seed: int = 0
    max_tokens: int = 16
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    stop: tuple[str, ...] = ()
    top: int = 0
    fault: str = ""
    gamma: int = GAMMA
    penalises_prompt: bool = False  # as llama.cpp does
    narrow_top_p: bool = False  # whether top-p drops the token that reaches it, as no engine documents
    clips: bool = False  # whether a step drafts no more than max_tokens leaves


@dataclass
class Running:
    """A text that is being written."""

    sampling: Sampling
    rng: np.random.Generator
    cache: Cache = field(default_factory=Cache)
    draft_cache: Cache = field(default_factory=Cache)
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    alternatives: list[dict[int, float]] = field(default_factory=list)
    drafted: int = 0
    accepted: int = 0
    steps: int = 0
    finish: str = ""
    shift: int = 0  # of position ids
    extra: int = 0  # entries of rejected drafts in the cache

    @property
    def text(self) -> list[int]:
        return self.sampling.prompt + self.tokens


def processed(logits: np.ndarray, emitted: list[int], sampling: Sampling) -> np.ndarray:
    """The law that a request wants: penalties, temperature, top-k, top-p, min-p, in this order."""
    logits = logits.copy()
    emitted = [*sampling.prompt, *emitted] if sampling.penalises_prompt else emitted
    if emitted and (sampling.presence_penalty or sampling.frequency_penalty):
        counts = np.bincount(emitted, minlength=len(logits))
        logits -= sampling.presence_penalty * (counts > 0) + sampling.frequency_penalty * counts
    if sampling.temperature == 0:
        return np.eye(len(logits))[int(logits.argmax())]
    law = softmax(logits / sampling.temperature)
    order = np.argsort(-law, kind="stable") if sampling.top_k > 0 or sampling.top_p < 1 else np.array([], dtype=int)
    if sampling.top_k > 0:
        law[order[sampling.top_k :]] = 0
    if sampling.top_p < 1:
        before = np.cumsum(law[order]) - law[order]
        through = before + law[order] if sampling.narrow_top_p else before
        is_dropped = through >= sampling.top_p
        is_dropped[0] = False
        law[order[is_dropped]] = 0
    law[law < sampling.min_p * law.max()] = 0
    return law / law.sum()


def drawn(law: np.ndarray, uniform: float) -> int:
    """The token of a uniform."""
    return int(min(np.searchsorted(np.cumsum(law), uniform * law.sum(), side="right"), np.flatnonzero(law)[-1]))


def begin(sampling: Sampling) -> Running:
    """A text before its first step."""
    if sampling.fault == "min-p always":
        sampling.min_p = max(sampling.min_p, 0.1)
    if sampling.fault == "one token more" and sampling.top_k:
        sampling.top_k += 1
    seed = 0 if sampling.fault == "shared seed" else sampling.seed
    return Running(sampling, np.random.default_rng(seed))


def decode(target: Net, draft: Net, group: list[Running]) -> None:
    """Write all texts of a group, a step of each in turn."""
    longest = max(len(running.sampling.prompt) for running in group)
    for running in group:
        if running.sampling.fault == "ragged positions" and len(running.sampling.prompt) < longest:
            running.shift = 1
    shared = np.random.default_rng([running.sampling.seed for running in group])
    while open_texts := [running for running in group if not running.finish]:
        coins = shared.random(3 * GAMMA + 2)
        for running in open_texts:
            is_shared = running.sampling.fault == "one coin"
            step(target, draft, running, coins if is_shared else running.rng.random(3 * GAMMA + 2))


def step(target: Net, draft: Net, running: Running, coins: np.ndarray) -> None:
    """Draft, verify, emit."""
    sampling = running.sampling
    fault = sampling.fault
    draft_cache, cache = running.draft_cache, running.cache
    gamma = sampling.gamma
    if sampling.clips or fault == "clipped drafts":
        gamma = min(gamma, sampling.max_tokens - len(running.tokens) - 1)
    drafts: list[int] = []
    reported: list[np.ndarray] = []
    text = running.text
    # the draft's cache may lag behind by what the last step accepted
    pending = text[draft_cache.length :]
    for place in range(gamma):
        logits = draft.rows(pending, draft_cache, draft_cache.length)[-1]
        law = processed(logits, running.tokens + drafts, sampling)
        reported.append(law)
        token = int(law.argmax()) if fault == "greedy drafts" else drawn(law, coins[place])
        drafts.append(token)
        pending = [token]
    start = len(text) - 1 if running.steps else 0
    block = (text[-1:] if running.steps else text) + drafts
    if fault == "long context lost" and len(text) > 100:
        block, cache, start = text[-50:] + drafts, Cache(), len(text) - 50
    rows = target.rows(block, cache, start + running.shift)[-gamma - 1 :]
    running.steps += 1
    running.drafted += gamma
    verified = Verifying(running, rows, drafts, reported, coins)
    accepted, tokens, accepted_places = verified.outcome()
    before = len(running.tokens)
    emit(running, tokens, rows, accepted_places)
    running.accepted += min(accepted, len(running.tokens) - before)
    keep = len(text) + accepted
    running.extra += fault == "kept cache" and accepted < gamma
    cache.length = keep + running.extra
    draft_cache.length = min(draft_cache.length, keep)


@dataclass
class Verifying:
    """One step's verification."""

    running: Running
    rows: np.ndarray
    drafts: list[int]
    reported: list[np.ndarray]
    coins: np.ndarray

    def law(self, place: int, is_bonus: bool = False, is_test: bool = False) -> np.ndarray:
        """The target's law at a place."""
        running = self.running
        sampling = running.sampling
        fault = sampling.fault
        if is_bonus and fault == "bonus unprocessed":
            return softmax(self.rows[place])
        emitted = running.tokens + ([] if fault == "late penalties" else self.drafts[:place])
        if is_test and fault == "min-p on drafts only":
            sampling = Sampling(**{**vars(sampling), "min_p": 0.0})
        return processed(self.rows[place], emitted, sampling)

    def outcome(self) -> tuple[int, list[int], int]:
        """Accepted drafts, emitted tokens, and how many of these are drafts."""
        sampling = self.running.sampling
        gamma = len(self.drafts)
        remaining = sampling.max_tokens - len(self.running.tokens)
        if sampling.fault == "unverified end" and remaining <= gamma:
            return gamma, self.drafts, gamma
        if sampling.fault == "unverified under stop strings" and sampling.stop:
            return gamma, [*self.drafts, drawn(self.law(gamma), self.coins[-1])], gamma
        for place, token in enumerate(self.drafts):
            p = self.law(place, is_test=True)
            q = self.reported[max(place - 1, 0) if sampling.fault == "stale row" else place]
            factor = 2.0 if sampling.fault == "relaxed acceptance" else 1.0
            if self.coins[gamma + place] * q[token] < factor * p[token]:
                continue
            rest = p if sampling.fault == "residual of the target" else np.maximum(p - q, 0)
            rest = rest if rest.sum() > 1e-12 else p
            return place, [*self.drafts[:place], drawn(rest, self.coins[-2])], place
        is_clipped = sampling.fault == "clipped drafts" and 0 < gamma < sampling.gamma
        bonus = self.law(gamma - 1 if is_clipped else gamma, is_bonus=True)
        token = int(bonus.argmax()) if sampling.fault == "argmax bonus" else drawn(bonus, self.coins[-1])
        return gamma, [*self.drafts, token], gamma


def emit(running: Running, tokens: list[int], rows: np.ndarray, accepted_places: int) -> None:
    """Append tokens until the text ends."""
    sampling = running.sampling
    for place, token in enumerate(tokens):
        logprobs = np.log(softmax(rows[place]))
        is_zeroed = sampling.fault == "zero log-probabilities" and place < accepted_places
        running.tokens.append(token)
        running.logprobs.append(0.0 if is_zeroed else float(logprobs[token]))
        best = np.argsort(-logprobs, kind="stable")[: sampling.top]
        running.alternatives.append({} if is_zeroed else {int(t): float(logprobs[t]) for t in best})
        written = words(running.tokens)
        stops = [stop[:1] if sampling.fault == "stop early" else stop for stop in sampling.stop]
        is_late = sampling.fault == "stop at the end of a step" and place < len(tokens) - 1
        if sampling.fault != "stop ignored" and any(stop in written for stop in stops) and not is_late:
            running.finish = "stop"
            return
        is_lost = (
            sampling.fault == "lost at the end" and len(running.tokens) + len(tokens) - place > sampling.max_tokens
        )
        if len(running.tokens) >= sampling.max_tokens or is_lost:
            running.finish = "length"
            return


def words(tokens: list[int]) -> str:
    """Text of tokens."""
    return "".join(f" w{token}" for token in tokens)
