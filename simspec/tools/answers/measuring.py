"""Measures EARS on a model that answers tasks with known answers, beside speculative decoding, with each of several drafts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from simspec.logits.capture import today, versions
from simspec.logits.capture.chat import Prompt, prompt_ids
from simspec.logits.capture.models import LanguageModel
from simspec.studies.ears.answers import ALL, EarsAnswers
from simspec.tools.answers.decoding import UNIFORMS, Setting, decode
from simspec.tools.pivots.keeping import keeping
from simspec.tools.pivots.reading import Reader
from simspec.tools.pivots.tasks import KINDS, Task, is_correct, make_tasks

__all__ = ["GAMMAS", "Settings", "measure"]

_SUMS = ("right", "changed", "tokens", "calls", "drafted", "kept")
GAMMAS = (1, 3, 5, 10)


@dataclass(frozen=True)
class Settings:
    """How much is measured.

    Attributes
    ----------
    tasks : of each kind
    repeats : answers to each task by each rule
    control_repeats : answers to each task where every draft is kept
    length : longest answer, tokens
    temperature : of target and draft; the paper's
    together : tasks that are answered at once
    seed : of everything
    """

    tasks: int = 30
    repeats: int = 8
    control_repeats: int = 2
    length: int = 24
    temperature: float = 0.9
    together: int = 5
    seed: int = 0

    @property
    def rules(self) -> list[Setting]:
        """Speculative decoding and the paper's tolerance by γ, other tolerances, and the control that must fail."""
        by_gamma = [Setting(beta, gamma, self.repeats) for beta in (0.0, 0.1) for gamma in GAMMAS]
        others = [Setting(beta, 5, self.repeats) for beta in (0.05, 0.2)]
        return [*by_gamma, *others, *(Setting(ALL, gamma, self.control_repeats) for gamma in (1, 5, 10))]


def measure(
    target: LanguageModel,
    drafts: Sequence[LanguageModel],
    out: Path,
    settings: Settings,
    say: Callable[[str], None] = print,
) -> EarsAnswers:
    """Accuracy, calls and accepted drafts by each rule of `Settings`, in parts that are kept in the folder ``OUT.parts``."""
    keep = keeping(out, say)
    kinds: list[int] = []
    parts: list[Any] = []
    for at in range(0, settings.tasks, settings.together):
        for number, kind in enumerate(KINDS):
            some = make_tasks(kind, settings.tasks, settings.seed, has_own_examples=False)[at : at + settings.together]
            seed = [settings.seed, 5, number, at]
            by_draft = []
            for draft in drafts:
                name = f"{draft.facts['name']}, {kind} {at}".replace("/", "-")
                by_draft.append(keep(name, partial(_sums, target, draft, some, seed, settings)))
            parts.append(by_draft)
            kinds += [number] * len(some)
    sums = np.concatenate(parts, axis=-1).swapaxes(0, 1)
    return EarsAnswers(
        kind=np.array(kinds),
        **dict(zip(_SUMS, sums, strict=True)),
        facts={
            "target": target.facts,
            "drafts": [draft.facts["name"] for draft in drafts],
            "kinds": list(KINDS),
            "rules": [list(rule) for rule in settings.rules],
            "length": settings.length,
            "temperature": settings.temperature,
            "seed": settings.seed,
            "date": today(),
            "versions": versions(),
        },
    )


def _sums(
    target: LanguageModel, draft: LanguageModel, tasks: list[Task], seed: list[int], settings: Settings
) -> list[Any]:
    """`_SUMS` of some tasks of one kind: (sums, rules, tasks)."""
    prompts = [prompt_ids(target, Prompt(task.messages, task.kind, 1)) for task in tasks]
    uniforms = np.random.default_rng(seed).random((len(tasks), settings.repeats, settings.length, UNIFORMS))
    readers = Reader.of_like(target, prompts), Reader.of_like(draft, prompts)
    rules = settings.rules
    decoded = decode(readers, rules, uniforms, target.roles["eos"], settings.temperature)
    right, changed, tokens = np.zeros((3, len(rules), len(tasks)), dtype=np.int64)
    for number, rule in enumerate(rules):
        for i, task in enumerate(tasks):
            texts = decoded.tokens[number][i][: rule.repeats]
            plain = decoded.tokens[0][i]  # the first rule is speculative decoding
            right[number, i] = sum(_is_right(target, task, text) for text in texts)
            changed[number, i] = sum(text != other for text, other in zip(texts, plain, strict=False))
            tokens[number, i] = sum(map(len, texts))
    counts = [array.sum(axis=2) for array in (decoded.calls, decoded.drafted, decoded.kept)]
    return [array.tolist() for array in (right, changed, tokens, *counts)]


def _is_right(target: LanguageModel, task: Task, tokens: list[int]) -> bool:
    return is_correct(task, target.tokenizer.decode(tokens, skip_special_tokens=True))
