"""One way from a name to a report, for the command line, the page of audited packages, and tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from simspec.audit.adapters.form import Adapted
from simspec.audit.adapters.ours import adapted_rule
from simspec.audit.adapters.targets import FORMS, TARGETS, targets_of
from simspec.audit.calling import Broken, CallMonitor, called
from simspec.audit.drafting import drafts_named
from simspec.audit.evidence import calls_to_decide
from simspec.audit.forms import CALLED, check_form, form_of
from simspec.audit.over_steps import with_cause_over_steps
from simspec.audit.pairs import MOST_TOKENS, Pair, for_exact, revealing
from simspec.audit.processors import processor_of
from simspec.audit.report import Report, Verdict
from simspec.audit.sequential import AUTO, audit
from simspec.audit.sparse import MOST_IDS, pairs_to_try
from simspec.audit.trial import FIRST
from simspec.audit.uniforms.exact_law import exact
from simspec.checks import nearest
from simspec.loading import installed, load, place_of
from simspec.methods.registry import NEAR, REGISTRY

__all__ = ["Asked", "Subject", "judge", "subjects"]

Tick = Callable[[int, int], None]
TRIED_FOR = 5.0
"""Seconds that a call in another form may take."""
LARGE = 4000
"""Most calls on each pair of a large vocabulary, whose rows take milliseconds each."""
PATIENCE = 600.0
"""Seconds that one launch of a known target may take."""


class Subject(NamedTuple):
    """What is audited: its name, the version of its package if known, its forms, and settings that its speed allows.

    Of a function at a place also the function itself, and the form that it is said to have.
    """

    name: str
    version: str | None
    adapted: Adapted
    known: dict[str, Any]
    function: Callable[..., Any] | None = None
    form: str = ""


class Asked(NamedTuple):
    """What is asked of an audit; None leaves the choice to the subject.

    Attributes
    ----------
    gamma, vocab, edges : size of the revealing laws
    pairs : laws in their place
    exact : whether by the exact law, from uniforms
    uniforms : int; uniforms of a call in exact mode, where the form does not say it
    drafts : str; what is drafted, where it is no path: a name of `simspec.audit.drafting.drafts_named`; of a black box, which
        drafts itself, it serves the price of the repair
    processor : str; what the sampler must do to target rows: what `simspec.audit.processors.processor_of` knows
    calls, tv_limit, error : as in `simspec.audit.audit`
    more : other settings by name, as in `simspec.audit.settings.More`
    """

    gamma: int = 2
    vocab: int = 3
    edges: bool = True
    pairs: list[Pair] | None = None
    exact: bool = False
    uniforms: int | None = None
    calls: int | Literal["auto"] | None = None
    tv_limit: float | None = None
    error: float = 1e-6
    drafts: str | None = None
    processor: str | None = None
    more: dict[str, Any] = {}  # noqa: RUF012 - never changed


def subjects(reference: str, form: str | None = None, by_uniforms: bool = False) -> list[Subject]:
    """What a name stands for: known targets, a rule of this package, or a function at a place, in a form or as `audit` takes it.

    Raises
    ------
    ValueError
        where nothing is found, a package is not installed, or the form is not known.

    >>> [s.name for s in subjects("simspec.audit.reference:speculative")]
    ['simspec.audit.reference:speculative']
    """
    if form is not None and form not in FORMS:
        raise ValueError(f"form: {form!r}{nearest(form, FORMS)}; expected one of {', '.join(FORMS)}")
    if targets := targets_of(reference):
        if form is not None:
            raise ValueError(f"form: {form!r}; leave it out: simspec knows the calling convention of {reference}")
        known_subjects = []
        for t in targets:
            options = {"calls": t.calls, "tv_limit": t.tv_limit, "confirmed": t.confirmed, "call_timeout": PATIENCE}
            known_subjects.append(Subject(t.name, t.version, t.adapted(), options))
        return known_subjects
    if form is None and (rule_adapter := adapted_rule(reference)) is not None:
        return [Subject(reference, None, rule_adapter, {})]
    function = _function_of(reference)
    called_as = form or ("uniforms" if by_uniforms else "sampler")
    check_form(function, called_as)
    if form is not None:
        adapted = FORMS[form](function)
    else:
        adapted = Adapted(function, function if by_uniforms else None, None, least=0)
    return [Subject(reference, None, adapted, {}, function, called_as)]


def _function_of(reference: str) -> Callable[..., Any]:
    """The function at a place, or of an entry point; an error names the known sampler that a mistyped name is most like."""
    entry_points = installed("sampler")
    if place_of(reference) is None and reference not in entry_points:
        raise ValueError(_unknown(reference, _near(reference, entry_points)))
    try:
        return cast("Callable[..., Any]", load(reference, "sampler", cast("type", Callable)))
    except ValueError as error:
        # a name with numbers, such as rrs:2, reads as module:NAME
        is_no_module = f"No module named {reference.partition(':')[0]!r}" in str(error)
        if is_no_module and (near := _near(reference, entry_points)):
            raise ValueError(_unknown(reference, near)) from error
        raise


def _near(reference: str, entry_points: Iterable[str]) -> str:
    """Words that name the known sampler, or the package's, that a mistyped one is most like."""
    samplers = [*REGISTRY, *(target.name for target in TARGETS), *entry_points]
    return nearest(reference.partition(":")[0], samplers, NEAR)


def _unknown(reference: str, near: str) -> str:
    return f"sampler: {reference!r}{near}; expected FILE.py:NAME, module:NAME or a name from `simspec audit --list`"


def judge(subject: Subject, request: Asked, tick: Tick = lambda calls_made, of: None) -> Report:
    """Audit a subject as asked; `tick` is told calls, or pairs in exact mode, done and to do at most.

    Raises
    ------
    ValueError
        where exact mode is asked for and its uniforms cannot be passed, no pair of laws suits it, or the function never
        returned tokens in its form, and does in another.
    """
    report = _judged(subject, request, tick)
    unclear = subject.function is not None and form_of(subject.function) != subject.form
    if subject.function is not None and unclear and report.verdict is Verdict.BROKEN and not report.calls:
        _tell_the_form(subject.function, subject.form, report.shown.fault)
    return report


def _tell_the_form(function: Callable[..., Any], form: str, fault: str) -> None:
    """Raise ValueError where a function returns tokens in another form."""
    pair = revealing(1, 2)[0]
    for other_form, expected in CALLED.items():
        if other_form == form or (other_form == "torch" and "torch" not in sys.modules):
            continue
        sampler = function if other_form == "sampler" else FORMS[other_form](function).sampler
        try:
            called(sampler, pair.p, pair.q, 3, np.random.default_rng(0), CallMonitor(TRIED_FOR))
        except Broken:
            continue
        who = getattr(function, "__name__", repr(function))
        cure = "leave out --form and --exact" if other_form == "sampler" else f"add --form {other_form}"
        raise ValueError(
            f"sampler: {who} {fault} when it is called with {CALLED.get(form, f'the form {form}')}. It "
            f"returns tokens when it is called with {expected}: {cure}"
        )


def _judged(subject: Subject, request: Asked, tick: Tick) -> Report:
    """Choose the pairs of laws and the settings of a request, run the audit and return its report."""
    adapted = subject.adapted
    if request.exact and adapted.with_uniforms is None:
        raise ValueError(
            f"--exact: uniforms cannot be passed to {subject.name}; expected a calling convention that takes "
            "them (see --list)"
        )
    if request.pairs is None and request.vocab > MOST_IDS:
        raise ValueError(f"--vocab: {request.vocab}; expected at most {MOST_IDS} tokens")
    # a form without a limit of its own takes rows of any vocabulary
    is_limited = request.exact and adapted.widest < 64
    widest = adapted.widest if is_limited else MOST_IDS
    vocab = min(request.vocab, widest)
    small = for_exact if request.exact else revealing
    processor_text = request.processor or adapted.processor
    processor = processor_of(processor_text) if processor_text else None
    black_box = adapted.sampler
    if processor_text and adapted.with_options is not None:
        black_box = adapted.with_options(processor_text)
    # laws that the user passed take the place of the built-in ones
    candidates = (
        pairs_to_try(min(request.gamma, adapted.most), vocab, request.edges, request.more.get("prefixes", False), small)
        if request.pairs is None
        else request.pairs
    )
    pairs = [pair for pair in candidates if adapted.least <= pair.gamma <= adapted.most and pair.size <= widest]
    if not pairs:
        between = f"{adapted.least} to {adapted.most}" if adapted.most < 64 else f"at least {adapted.least}"
        raise ValueError(
            f"--gamma: {request.gamma}; {subject.name} takes {between} draft tokens and at most {widest} tokens"
        )
    settings = {
        key: value for key, value in subject.known.items() if key in ("confirmed", "call_timeout")
    } | request.more
    if not adapted.is_one_step:
        settings["diagnose"] = False
    is_large = request.pairs is None and vocab > MOST_TOKENS
    if is_large and processor is not None:
        raise ValueError(
            f"--vocab: {vocab} together with a processor, which takes whole rows; expected at most {MOST_TOKENS}, or laws of "
            "your own (--pair, --bank)"
        )
    usual_tv_limit = adapted.tv_limit or (0.1 if is_large else 0.05)
    tv_limit = request.tv_limit if request.tv_limit is not None else subject.known.get("tv_limit", usual_tv_limit)
    if request.exact:
        passes = 1 + bool(request.more.get("ragged"))  # rows of a batch that are shorter come after all pairs
        with_uniforms = _by_pairs(adapted.with_uniforms, passes * len(pairs), tick)
        of_request = {"pairs": pairs, "tv_limit": tv_limit, "processor": processor}
        return _exactly(adapted, with_uniforms, request, of_request | settings)
    usual_calls = adapted.calls or (LARGE if is_large else 50_000)
    calls = request.calls if request.calls is not None else subject.known.get("calls", usual_calls)
    # `expected` only scales the progress display; `audit` itself takes `calls`
    expected = (
        _expected(pairs, max(tv_limit, request.more.get("max_tv", 0.0)), request.error) if calls == "auto" else calls
    )
    sampler = _by_calls(black_box, expected * len(pairs), tick)
    drawn = adapted.drawn if request.drafts is None else drafts_named(request.drafts)
    report = audit(
        sampler,
        pairs=pairs,
        calls=calls,
        tv_limit=tv_limit,
        error=request.error,
        drawn=drawn,
        processor=processor,
        **settings,
    )
    if adapted.start is None or not request.more.get("diagnose", True):
        return report
    return with_cause_over_steps(report, adapted.start, pairs, processor)


def _expected(pairs: Sequence[Pair], limit: float, error: float) -> int:
    """Calls on each pair after which all is likely decided, on average over the pairs."""
    needed = [
        calls_to_decide(pair.p, limit, error / (number * (number + 1)), FIRST) or AUTO
        for number, pair in enumerate(pairs, start=1)
    ]
    return min(sum(needed) // len(needed), AUTO)


def _exactly(adapted: Adapted, with_uniforms: Any, request: Asked, settings: dict[str, Any]) -> Report:
    """The exact law; a bias that rounding alone may cost is none, unless it was declared."""
    if request.uniforms is not None:
        settings["uniforms"] = request.uniforms
    elif adapted.uniforms is not None:
        settings["uniforms"] = adapted.uniforms
    drawn = adapted.drawn if request.drafts is None else drafts_named(request.drafts)
    if drawn is not None:
        settings["drawn"] = drawn
    declared = settings.get("max_tv", 0.0)
    report = exact(with_uniforms, **settings | {"max_tv": max(declared, adapted.resolution)})
    if adapted.start is not None and request.more.get("diagnose", True):
        return with_cause_over_steps(report, adapted.start, settings["pairs"], settings["processor"])
    if report.verdict is not Verdict.LOSSY or declared >= adapted.resolution:
        return report
    # a fault here is at an end of [0, 1): no matter of rounding
    if wrong := [finding.pair for finding in report.tried if finding.fault]:
        return exact(with_uniforms, **settings | {"pairs": wrong})
    price = report.price if report.price is None else report.price._replace(repaired=None, mended="")
    return replace(report, verdict=Verdict.LOSSLESS, diagnosis=None, price=price)  # nothing to explain, nothing to mend


def _by_calls(sampler: Any, limit: int, tick: Tick) -> Any:
    calls_made = 0

    def counted(p: Any, q: Any, n: int, rng: Any) -> Any:
        nonlocal calls_made
        tick(calls_made, max(limit, calls_made))
        calls_made += n
        return sampler(p, q, n, rng)

    return counted


def _by_pairs(sampler: Any, limit: int, tick: Tick) -> Any:
    """A sampler that tells how many pairs it was given; the same pair with shorter rows is another."""
    judged_pairs: set[tuple[bytes, bool]] = set()

    def counted(p: Any, q: Any, drafts: Any, uniforms: Any) -> Any:
        is_ragged = bool(drafts.shape[-1] and (drafts[..., -1] < 0).any())
        judged_pairs.add((b"".join(level.tobytes() for level in (*p, *q)), is_ragged))
        tick(len(judged_pairs) - 1, max(limit, len(judged_pairs)))
        return sampler(p, q, drafts, uniforms)

    return counted
