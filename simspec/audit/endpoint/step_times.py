"""Times of steps of a running engine by batch size, in the form that ``simspec advise --steps`` reads.

So many equal requests at once are a batch.  llama.cpp states for each how long it wrote, how many tokens, and how many of them
were accepted drafts; its steps are the tokens that were no accepted drafts, less the first, which belongs to the prompt.  The
time of a step holds whatever the engine does in it, its drafts too.

What is not here: engines that state no times of a request (vLLM, SGLang); their times come from a profile, as a CSV file.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.parallel import in_parallel
from simspec.audit.endpoint.prompts import PROMPTS
from simspec.audit.endpoint.protocols.fields import count, field
from simspec.audit.endpoint.records import EndpointError

__all__ = ["RequestTime", "endpoint_steps", "request_time"]

REPETITIONS = 6
"""Batches of each size: the fewest of which a median has a 95 % interval."""


class RequestTime(NamedTuple):
    """What a request states.

    Attributes
    ----------
    steps : int
    milliseconds : float; a step
    drafts : float; a step
    """

    steps: int
    milliseconds: float
    drafts: float


def request_time(record: object) -> RequestTime:
    """Time of a step of one request, from the answer of llama.cpp's server.

    Raises EndpointError for an answer without times, or with too few tokens.

    >>> timings = {"predicted_n": 40, "predicted_ms": 540.0, "draft_n": 78, "draft_n_accepted": 12}
    >>> request_time({"timings": timings})
    RequestTime(steps=27, milliseconds=20.0, drafts=2.888888888888889)
    """
    timings = record.get("timings") if isinstance(record, dict) else None
    if not isinstance(timings, dict) or "predicted_ms" not in timings:
        raise EndpointError(
            "the answer states no times of its request (timings.predicted_ms, as llama.cpp does); expected llama.cpp's "
            "server, or the times of another engine as a CSV file: --steps FILE"
        )
    tokens = count(timings, "predicted_n") or 0
    accepted = count(timings, "draft_n_accepted") or 0
    drafted = count(timings, "draft_n") or 0
    milliseconds = float(field(timings, "predicted_ms", (int, float), "timings"))
    steps = tokens - accepted - 1
    if steps < 1 or not 0 < milliseconds < math.inf or not 0 <= accepted <= drafted:
        raise EndpointError(
            f"timings: {tokens} tokens in {milliseconds:g} ms, {accepted} of {drafted} drafts accepted; expected at least two "
            "tokens that are no accepted drafts, and a time"
        )
    return RequestTime(steps, milliseconds / steps, drafted / steps)


def endpoint_steps(
    exchange: Exchange,
    batches: Sequence[int],
    tokens: int = 48,
    repetitions: int = REPETITIONS,
    progress: Callable[[int, int], None] = lambda done, total: None,
    time_limit: float = math.inf,
    clock: Callable[[], float] = time.monotonic,
) -> list[tuple[int, int, float, None]]:
    """Measure the steps of an engine at batch sizes.

    A round asks one batch of each size, so that what loads the machine meanwhile falls on all sizes alike, and an end by the
    time limit leaves as many batches of each size.

    Parameters
    ----------
    exchange : Exchange with the engine
    batches : numbers of requests at once
    tokens : of each request
    repetitions : rounds that count; one more before them warms up
    progress : called with the batches that are done, and all
    time_limit : float > 0; seconds: no round begins that would end later, to judge by the mean time of the rounds before it
    clock : function that returns seconds, for tests

    Returns
    -------
    Rows (batch, tokens of a sequence in a step, milliseconds, None): drafts have no time of their own.

    Raises EndpointError for an engine that states no times, that decodes fewer requests at once than a batch has, or whose
    drafts a step differ between batches by more than one; and for a limit that leaves no round that counts.
    """
    _check_slots(exchange, max(batches))
    start = clock()
    total = len(batches) * (repetitions + 1)
    rows: list[tuple[int, int, float, None]] = []

    def ask(prompt: str) -> RequestTime:
        body: dict[str, Any] = {"prompt": prompt, "n_predict": tokens, "ignore_eos": True, "cache_prompt": False}
        return request_time(exchange.post("/completion", body))

    for round_number in range(repetitions + 1):
        # the rounds so far, and one more as long as their mean
        if round_number > 0 and (clock() - start) * (round_number + 1) / round_number > time_limit:
            break
        for place, batch in enumerate(batches):
            prompts = [PROMPTS[number % len(PROMPTS)] for number in range(batch)]
            times = in_parallel(ask, prompts, threads=batch)
            if round_number > 0:
                drafts = statistics.median(request.drafts for request in times)
                milliseconds = statistics.median(request.milliseconds for request in times)
                rows.append((batch, 1 + round(drafts), milliseconds, None))
            progress(round_number * len(batches) + place + 1, total)
    if not rows:
        raise EndpointError(
            f"{exchange.url}: one round of batches {', '.join(map(str, batches))} took {clock() - start:.0f} s of the "
            f"{time_limit:.0f} s that it has, and two are needed; expected a larger --within, or fewer and smaller --batches"
        )
    widths = {width for _, width, _, _ in rows}
    if max(widths) - min(widths) > 1:
        raise EndpointError(
            f"steps verify {min(widths)} to {max(widths)} tokens; expected one number of drafts: start llama-server with "
            "--spec-draft-p-min 0, so that it drafts as many tokens in every step"
        )
    widest = max(widths)
    rows.sort(key=lambda row: row[0])
    return [(batch, widest if width > 1 else 1, milliseconds, None) for batch, width, milliseconds, _ in rows]


def _check_slots(exchange: Exchange, batch: int) -> None:
    """Refuse a batch that the engine would split: requests beyond its slots wait, and the time of a request hides that."""
    properties = exchange.get("/props")
    slots = properties.get("total_slots") if isinstance(properties, dict) else None
    if isinstance(slots, int) and 0 < slots < batch:
        raise EndpointError(
            f"--batches: {batch} requests at once, and {exchange.url} decodes {slots}; expected at most {slots}, or a "
            f"llama-server that is started with --parallel {batch}"
        )
