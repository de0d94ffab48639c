r"""Decoding for real: a target and a draft write on from prompts, with a rule and without, and calls and seconds are counted.

Both models extend a cache of keys and values, as engines do; laws, drafts and coins are those of `simspec.methods`.  It is
a check of what is advised, not a fast decoder: one sequence at a time, laws in 64 bits on the host.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.estimates.clusters import ratio, statistic, too_few
from simspec.engine.estimates.intervals import Interval
from simspec.laws import Array
from simspec.logits.capture.models import LanguageModel
from simspec.tools.advise.decoders import Decoder, Drafter, RereadingDecoder, Setting, decoder_of
from simspec.tools.advise.table import Row

__all__ = ["Checked", "Counts", "Run", "agree", "check_one_vocabulary", "decode", "run"]

STEPS = 4
"""Steps of each kind that are timed after each prompt."""


class Counts(NamedTuple):
    """What one text took: tokens written, target calls, drafts tested and accepted, and seconds."""

    tokens: int
    calls: int
    tested: int
    accepted: int
    seconds: float


class Run(NamedTuple):
    """What was counted over all prompts; intervals are over prompts.

    Attributes
    ----------
    tokens : tokens a target call
    speedup : seconds a token of the target alone / with drafts
    acceptance : drafts accepted / drafts tested
    prompts, calls : int
    alone, drafted : milliseconds a token, without drafts and with them
    call : time of a call with all its drafts over the target's time for one token, timed beside this run
    cost, verify : of that a draft, and the target on one more drafted token, with the laws, draws and tests that this run
        makes, which an engine makes faster; the rest of a call is what both models lose by taking turns.  `verify` is a
        difference of two times: where it is smaller than their noise, its estimate may be negative
    """

    tokens: Interval
    speedup: Interval
    acceptance: Interval
    prompts: int
    calls: int
    alone: float
    drafted: float
    call: Interval
    cost: Interval
    verify: Interval

    def predicted(self, tokens: Interval) -> Interval:
        """Speed-up that tokens a call promise at what a call costs here; errors of both, which are independent.

        >>> one, two = Interval(1.0, 1.0, 1.0, 0.95), Interval(2.0, 1.5, 2.5, 0.95)
        >>> Run(one, one, one, 3, 10, 1.0, 1.0, two, one, one).predicted(Interval(4.0, 4.0, 4.0, 0.95))[:3]
        (2.0, 1.5, 2.5)
        """
        at = tokens.estimate / self.call.estimate
        below = np.hypot(1 - tokens.low / tokens.estimate, self.call.high / self.call.estimate - 1)
        above = np.hypot(tokens.high / tokens.estimate - 1, 1 - self.call.low / self.call.estimate)
        return Interval(at, float(at * (1 - below)), float(at * (1 + above)), tokens.level)


def agree(first: Interval, second: Interval) -> bool | None:
    """Whether two independent estimates differ by no more than the interval of their difference; None without intervals.

    >>> agree(Interval(2.0, 1.5, 2.5, 0.95), Interval(2.5, 2.25, 2.75, 0.95))
    True
    """
    low, high = sorted((first, second))
    if np.isnan([*low[:3], *high[:3]]).any():
        return None
    return high.estimate - low.estimate <= float(np.hypot(low.high - low.estimate, high.estimate - high.low))


VERDICTS = {True: "they agree", False: "THEY DIFFER", None: "no intervals, so the two cannot be compared"}


class Checked(NamedTuple):
    """A row of an advice beside a run of its rule."""

    row: Row
    run: Run

    def plain(self) -> dict[str, Any]:
        """Estimates and intervals, predicted and counted, and whether they agree, for JSON."""
        row = self.row
        run = self.run
        sides = {
            "tokens": (row.tokens, run.tokens),
            "speedup": (run.predicted(row.tokens), run.speedup),
            "acceptance": (row.acceptance, run.acceptance),
        }
        fields: dict[str, Any] = {"rule": row.rule, "gamma": row.gamma, "prompts": run.prompts, "calls": run.calls}
        for name, (predicted, counted) in sides.items():
            fields[name] = {
                "predicted": _ends(predicted),
                "counted": _ends(counted),
                "agree": agree(predicted, counted),
            }
        fields |= {"call": _ends(run.call), "cost": _ends(run.cost), "verify": _ends(run.verify)}
        return fields | {"ms": {"alone": run.alone, "drafted": run.drafted}}

    def words(self) -> str:
        """The same in lines."""
        row = self.row
        run = self.run
        facts = self.plain()
        drafts = f"{row.gamma} draft token{'s' if row.gamma != 1 else ''}"
        took = f"{run.alone:.3g} ms per token without drafts, {run.drafted:.3g} ms with drafts"
        lines = [
            (f"Run: {row.rule}, {drafts} per target step, {run.prompts} prompts, {run.calls:,} target steps; {took}")
        ]
        units = {
            "tokens": "tokens per target step",
            "speedup": "times the target's speed",
            "acceptance": "of the drafts accepted",
        }
        for name, unit in units.items():
            comparison = facts[name]
            counted, predicted = (_words(comparison[side]) for side in ("counted", "predicted"))
            lines.append(f"  {counted} {unit}; predicted {predicted}: {VERDICTS[comparison['agree']]}")
        if sentence := too_few(run.prompts, "prompt", run.tokens.level):
            lines.append(f"  {sentence}")
        costs = (
            f"one step with drafts takes {_words(_ends(run.call))} target steps; a draft token takes "
            f"{_time_words(run.cost)}, verifying it {_time_words(run.verify)}"
        )
        lines.append(f"  the predicted speed uses costs timed in this run, which include sampling and tests: {costs}")
        return "\n".join(lines)


def _ends(interval: Interval) -> list[float | None]:
    """Estimate, low and high end; None for what is not known."""
    return [x if math.isfinite(x) else None for x in interval[:3]]


def _words(ends: Sequence[float | None]) -> str:
    estimate, low, high = ends
    return f"{estimate:.2f}" if low is None or high is None else f"{estimate:.2f} ({low:.2f} to {high:.2f})"


def _time_words(time: Interval) -> str:
    """A time in target steps; one that noise hides is no number, for its estimate may be negative.

    >>> _time_words(Interval(0.25, 0.125, 0.375, 0.95)), _time_words(Interval(-0.01, -0.04, 0.02, 0.95))
    ('0.25 (0.125 to 0.375)', 'less than can be timed here (at most 0.02)')
    """
    estimate, low, high = _ends(time)
    if low is None or high is None:
        return "less than can be timed here" if time.estimate <= 0 else f"{time.estimate:.3g}"
    if low > 0:
        return f"{estimate:.3g} ({low:.3g} to {high:.3g})"
    return "less than can be timed here" + (f" (at most {high:.3g})" if high > 0 else "")


def check_one_vocabulary(target: LanguageModel, draft: LanguageModel, name: str) -> None:
    """Raise ValueError where a draft has another tokenizer than the target, with what takes such a pair.

    Parameters
    ----------
    target, draft : models
    name : of what needs one vocabulary
    """
    if target.strings != draft.strings:
        raise ValueError(
            f"{name}: the draft {draft.facts['name']!r} has another tokenizer than the target {target.facts['name']!r} "
            f"({draft.vocab} and {target.vocab} tokens); expected a draft with the target's tokenizer, such as quantised:4, or "
            "`simspec pair TARGET DRAFT --chat FILE`, which reads the text again for the draft"
        )


def _draw(law: Array, rng: np.random.Generator) -> int:
    """A token: the first whose cumulative mass is above a uniform number times the total."""
    cumulative = np.cumsum(law)
    return int(min(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"), len(law) - 1))


def decode(
    target: LanguageModel,
    draft: Drafter | None,
    prompt: Sequence[int],
    length: int,
    setting: Setting,
    rng: np.random.Generator,
) -> tuple[list[int], Counts]:
    """Write on from a prompt until `length` tokens or the end of the text; without a draft the target alone.

    Returns
    -------
    tokens written, and what they took.  The last call may go beyond `length`; reading the prompt is not counted.
    """
    target_decoder = Decoder(target)
    theirs = None if draft is None else decoder_of(draft, prompt)
    text = list(prompt)
    for decoder in (target_decoder, theirs):
        if decoder is not None:
            decoder.prefill(prompt)
    calls = tested = accepted = 0
    end = target.roles.get("eos")
    start = time.perf_counter()
    while len(text) - len(prompt) < length:
        emitted, newly_tested = _call(target_decoder, theirs, text, setting, rng)
        calls = calls + 1
        accepted = accepted + len(emitted) - 1
        tested = tested + newly_tested
        before = len(text)
        target_decoder.forget(before + len(emitted) - 1)
        if theirs is not None:
            theirs.forget(before + len(emitted) - 1)
        if end in emitted:
            text += emitted[: emitted.index(end) + 1]
            break
        text += emitted
    return text[len(prompt) :], Counts(len(text) - len(prompt), calls, tested, accepted, time.perf_counter() - start)


def _call(
    target_decoder: Decoder,
    theirs: Decoder | RereadingDecoder | None,
    text: list[int],
    setting: Setting,
    rng: np.random.Generator,
) -> tuple[list[int], int]:
    """One target call: what is emitted, and how many drafts were tested."""
    propose, accept, residual = setting.method.maps
    drafts: list[int] = []
    draft_laws: list[Array] = []
    for _ in range(0 if theirs is None else setting.gamma):
        assert theirs is not None
        draft_laws.append(propose(theirs.laws([*text, *drafts], setting)[0]))
        drafts.append(_draw(draft_laws[-1], rng))
    p = target_decoder.laws([*text, *drafts], setting, len(drafts) + 1)
    for i, (token, d) in enumerate(zip(drafts, draft_laws, strict=True)):
        if not rng.random() * d[token] < accept(p[i], d)[token]:
            return [*drafts[:i], _draw(residual(p[i], d), rng)], i + 1
    return [*drafts, _draw(p[-1], rng)], len(drafts)


def run(
    models: tuple[LanguageModel, Drafter],
    prompts: Sequence[Sequence[int]],
    length: int,
    setting: Setting,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    level: float = 0.95,
) -> Run:
    """Write on from each prompt with drafts and without, in turn, and compare.

    Parameters
    ----------
    models : target and draft, over one vocabulary or with a draft that is translated
    prompts : at least two, of at least one token each
    length : tokens to write after each, at least 1
    setting : Setting

    Raises ValueError for vocabularies that differ, and texts that are too long for one of the models.
    """
    target, draft = models
    if isinstance(draft, LanguageModel):
        check_one_vocabulary(target, draft, "--run")
    # a draft that is translated reads the end of a text that is too long for it
    read_whole = [model for model in models if isinstance(model, LanguageModel)]
    limit = min(model.limit or length + 10**9 for model in read_whole)
    longest = max(map(len, prompts)) + length + setting.gamma + 1
    if longest > limit:
        raise ValueError(f"run: prompt, text and drafts together have {longest} tokens; a model takes at most {limit}")
    rng = np.random.default_rng(seed)
    decode(target, draft, prompts[0], 2, setting, rng)  # the first calls are slow, and not counted
    rows = []
    for number, prompt in enumerate(prompts):
        _, with_drafts = decode(target, draft, prompt, length, setting, rng)
        _, alone = decode(target, None, prompt, length, setting, rng)
        rows.append([*with_drafts, *alone, *_steps(models, prompt, setting, rng)])
        if progress is not None:
            progress(number + 1, len(prompts))
    return _run(np.array(rows, dtype=np.float64), setting, level)


def _run(x: Array, setting: Setting, level: float) -> Run:
    """Ratios of sums over the prompts, with intervals over these.

    The columns of x are the counts with drafts (tokens, calls, tested, accepted, seconds), those of the target alone, and the
    seconds of a draft, of a target step, of the target on the drafts, and of a call.
    """
    tokens, calls, tested, accepted, seconds, alone_tokens, _, _, _, alone_seconds, draft, step, verified, call = x.T
    limit = setting.gamma + 1
    times = (alone_seconds, alone_tokens, seconds, tokens)

    def speed(alone_seconds: Any, alone_tokens: Any, seconds: Any, tokens: Any) -> Any:
        return (alone_seconds / alone_tokens) / (seconds / tokens)

    def quotient(above: Any, below: Any) -> Any:
        return above / below

    def more_per_draft(verified: Any, step: Any) -> Any:
        return (verified - step) / setting.gamma / step

    prompts = np.ones(len(x))
    return Run(
        # a further prompt of as many tokens may take a call for each of them
        tokens=ratio(tokens, calls, level, 1, limit, size=float(tokens.mean())),
        speedup=statistic(times, speed, tokens, level),
        acceptance=ratio(accepted, tested, level),
        prompts=len(x),
        calls=int(calls.sum()),
        alone=float(1000 * alone_seconds.sum() / alone_tokens.sum()),
        drafted=float(1000 * seconds.sum() / tokens.sum()),
        call=statistic((call, step), quotient, prompts, level),
        cost=statistic((draft, step), quotient, prompts, level),
        verify=statistic((verified, step), more_per_draft, prompts, level),
    )


def _steps(
    models: tuple[LanguageModel, Drafter], prompt: Sequence[int], setting: Setting, rng: np.random.Generator
) -> tuple[float, float, float, float]:
    """Mean seconds of a draft, of a target step, of the target on gamma drafts and their tests, and of a call, after a prompt."""
    propose, accept, residual = setting.method.maps
    took = []
    for model, drafts in ((models[1], 0), (models[0], 0), (models[0], setting.gamma)):
        decoder = decoder_of(model, prompt)
        text = [*prompt, *([prompt[0]] * (drafts + STEPS))]
        decoder.prefill(prompt)
        q = propose(np.full(model.vocab, 1 / model.vocab))
        start = time.perf_counter()
        for step in range(STEPS):
            length = len(prompt) + (0 if drafts else step)
            p = decoder.laws(text[: length + drafts], setting, drafts + 1)
            for law in p[:drafts]:
                accept(law, q)
            _draw(residual(p[-1], q) if drafts else propose(p[-1]), rng)
            decoder.forget(len(prompt) - 1 if drafts else length)
        took.append((time.perf_counter() - start) / STEPS)
    return took[0], took[1], took[2], _calls(models, prompt, setting, rng)


def _calls(
    models: tuple[LanguageModel, Drafter], prompt: Sequence[int], setting: Setting, rng: np.random.Generator
) -> float:
    """Mean seconds of a call after a prompt: both models in turn, each with its cache, as in a text."""
    target_decoder = Decoder(models[0])
    theirs = decoder_of(models[1], prompt)
    for decoder in (target_decoder, theirs):
        decoder.prefill(prompt)
    start = time.perf_counter()
    for _ in range(STEPS):
        _call(target_decoder, theirs, list(prompt), setting, rng)
        target_decoder.forget(len(prompt) - 1)
        theirs.forget(len(prompt) - 1)
    return (time.perf_counter() - start) / STEPS
