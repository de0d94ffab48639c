"""From URLs to a report: open the engine and its reference, audit, close both."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from pathlib import Path

from simspec.audit.endpoint.auditing import audit_endpoint
from simspec.audit.endpoint.exchange import Exchange, Patience, is_url
from simspec.audit.endpoint.keys import DRAFT_KEY_VARIABLE, KEY_VARIABLE, REFERENCE_KEY_VARIABLE
from simspec.audit.endpoint.local import LocalModel
from simspec.audit.endpoint.plan import Plan, checked_plan
from simspec.audit.endpoint.prompts import PROMPTS, checked_prompts
from simspec.audit.endpoint.protocols.completions import PROCESSED, Completions
from simspec.audit.endpoint.protocols.discovery import engine_of
from simspec.audit.endpoint.records import EndpointError, Engine
from simspec.audit.endpoint.verdict import EndpointReport

__all__ = ["OFF", "SELF", "audit_url"]

OFF = "off"
"""A reference that is the engine itself with drafts switched off, request by request."""
SELF = "self"
"""A reference that is the engine's own score of each text."""
SHORTEST = 10.0
"""Seconds that a request may take whatever the time limit of the audit is: one round of questions is always asked."""


def audit_url(
    url: str,
    reference: str,
    plan: Plan | None = None,
    *,
    model: str | None = None,
    prompts: Sequence[str] | str | Path = PROMPTS,
    journal: Path | str | None = None,
    seconds: float = 60.0,
    patience: float = 120.0,
    key_variable: str = KEY_VARIABLE,
    reference_key_variable: str = REFERENCE_KEY_VARIABLE,
    progress: Callable[[str, int, int], None] = lambda stage, number, total: None,
    notice: Callable[[str], None] = lambda line: None,
    time_limit: float = inf,
    log: Path | str | None = None,
    draft: str | None = None,
    reference_model: str | None = None,
    draft_model: str | None = None,
    processed_logprobs: bool = False,
) -> EndpointReport:
    """Audit the engine at a URL against a reference.

    Parameters
    ----------
    url : str; of the engine, such as http://127.0.0.1:8000
    reference : str; the URL of an engine that does not speculate, the path of a model on this machine, "self" for the engine's
        own score of each text, or "off" for the same with drafts switched off, where the engine's API allows it
    plan : Plan; settings
    model : str or None; which of the engine's models, where it has several; the reference's too, where it has one of that name
    prompts : texts, or the path of a file with one a line
    journal : Path, str or None; where rounds are kept, to go on after a kill
    seconds, patience : time limit of a request; and how long a busy server is waited for
    key_variable, reference_key_variable : str; variables of the environment with the keys of the engine and of the reference:
        no server gets the key of the other
    progress : called with a stage, how much of it has been asked, and how much there is
    notice : called with a line where a busy server is waited for
    time_limit : float > 0; seconds after which no further round begins
    log : Path, str or None; the engine's log, if it is on this machine
    draft : str or None; the URL or the path of the model that drafts for the engine; its key stands in `DRAFT_KEY_VARIABLE`
    reference_model, draft_model : str or None; which of the models of these servers, where they have several
    processed_logprobs : bool; whether the reference, a server with OpenAI's completions, states log-probabilities after the
        options of a request, as vLLM does with `--logprobs-mode processed_logprobs`; llama.cpp and local models need no word

    Returns
    -------
    EndpointReport

    Raises
    ------
    EndpointError
        for what keeps an audit from being made; it is never a verdict.

    Examples
    --------
    >>> audit_url("http://user:key@host", "self")
    Traceback (most recent call last):
    ...
    simspec.audit.endpoint.records.EndpointError: URL: it holds a user's name or key, which is not repeated here; \
expected it without, and the key in SIMSPEC_API_KEY
    """
    settings = checked_plan(plan or Plan())
    prompts = checked_prompts(prompts)
    _check_seconds(seconds, patience, time_limit)
    _check_journal(journal)
    if log is not None and not settings.books:
        raise EndpointError(
            "--log: given with --no-books (books=False); expected one of them: a log is compared as books are"
        )
    if processed_logprobs and not settings.pure:
        raise EndpointError(
            "--processed-logprobs: given with --server-defaults, under which no options are asked for; expected one of them"
        )
    _check_model_of("--reference", reference, reference_model)
    _check_model_of("--draft", draft, draft_model)
    # one request, or one wait for a busy server, shall not take much longer than the whole audit may
    seconds = min(seconds, max(time_limit, SHORTEST))
    waiting = Patience(patience, time.monotonic() + time_limit, f"--within {time_limit:g}")
    open_exchange = partial(Exchange, seconds=seconds, patience=waiting, notice=notice)
    exchanges = [open_exchange(url, key_variable=key_variable)]
    try:
        engine = engine_of(exchanges[0], model)
        other_side: Engine
        if reference == SELF:
            other_side = engine
        elif reference == OFF:
            other_side = engine.without_drafts(engine.tokens_of(prompts[0]))
        elif is_url(reference):
            exchanges.append(open_exchange(reference, key_variable=reference_key_variable))
            other_side = engine_of(
                exchanges[1],
                reference_model or model,
                is_required=reference_model is not None,
                option="--reference-model",
            )
        else:
            other_side = LocalModel(Path(reference))
        if processed_logprobs:
            if not isinstance(other_side, Completions):
                raise EndpointError(
                    f"--processed-logprobs: the reference is {other_side.name}; expected vLLM: leave the option out"
                )
            other_side.processes = PROCESSED
        drafting: Engine | None = None
        if draft is not None and is_url(draft):
            exchanges.append(open_exchange(draft, key_variable=DRAFT_KEY_VARIABLE))
            drafting = engine_of(exchanges[-1], draft_model, option="--draft-model")
        elif draft is not None:
            drafting = LocalModel(Path(draft), "--draft")
        return audit_endpoint(
            engine,
            other_side,
            settings,
            prompts=prompts,
            journal=journal,
            progress=progress,
            time_limit=time_limit,
            log=None if log is None else Path(log),
            draft=drafting,
        )
    finally:
        for exchange in exchanges:
            exchange.close()


def _check_seconds(seconds: float, patience: float, time_limit: float) -> None:
    """Refuse a time limit in which nothing can be asked, and a wait of less than nothing."""
    if not seconds > 0:
        raise EndpointError(f"--timeout: {seconds}; expected a time limit that is positive")
    if not patience >= 0:
        raise EndpointError(f"--patience: {patience}; expected a number of seconds, 0 for no wait")
    if not time_limit > 0:
        raise EndpointError(f"--within: {time_limit}; expected a positive number of seconds")


def _check_model_of(option: str, place: str | None, model: str | None) -> None:
    """Refuse the name of a model where the option that names the server names none."""
    if model is not None and not is_url(place or ""):
        raise EndpointError(
            f"{option}-model: given without the URL of a server in {option}; expected one: leave {option}-model out"
        )


def _check_journal(journal: Path | str | None) -> None:
    """Refuse a place where no file can be begun or gone on with."""
    if journal is None:
        return
    path = Path(journal)
    if path.is_dir():
        raise EndpointError(f"--resume: {str(path)!r} is a folder; expected the path of a file: name one in it")
    if not path.parent.is_dir():
        raise EndpointError(
            f"--resume: {str(path)!r}: the folder does not exist; expected a path in one that does: mkdir -p it, or take another"
        )
