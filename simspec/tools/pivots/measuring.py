"""Measures PAD on a pair of models: candidates, their rollouts, a classifier, and answers by rule.

Parts that are done are kept beside the file that is written, so that a run that is interrupted goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array
from simspec.logits.capture import today, versions
from simspec.logits.capture.chat import Prompt, prompt_ids
from simspec.logits.capture.models import LanguageModel
from simspec.studies.pad.answers import Answers, called_pivots
from simspec.studies.pad.classifier import Classifier, fit
from simspec.tools.pivots.keeping import keeping
from simspec.tools.pivots.reading import Reader
from simspec.tools.pivots.rollouts import successes
from simspec.tools.pivots.tasks import KINDS, Task, is_correct, make_tasks
from simspec.tools.pivots.writing import Refused, Rule, pad_rule, random_rule, sd, strict_rule, write

__all__ = ["SIGMAS", "Settings", "measure"]

SIGMAS = (0.3, 0.5, 0.7)
"""Thresholds of the classifier's score."""
_TOGETHER = 40


@dataclass(frozen=True)
class Settings:
    """How much is measured.

    Attributes
    ----------
    tasks : of each kind, for learning and for the test
    candidates : most of a task
    rollouts : before and after each candidate
    many : rollouts of a few candidates, so many that the label errs with at most 5 % (claim ``pad.label-noise``)
    few : of these candidates
    repeats : answers to each task of the test by each rule
    length : longest answer, tokens
    seed : of everything
    """

    tasks: int = 15
    candidates: int = 2
    rollouts: int = 20
    many: int = 1139
    few: int = 6
    repeats: int = 4
    length: int = 24
    seed: int = 0


@dataclass(frozen=True)
class _Asked:
    """Tasks, the token ids of their prompts, and the models."""

    target: LanguageModel
    draft: LanguageModel
    tasks: list[Task]
    prompts: list[list[int]]
    settings: Settings

    @property
    def end(self) -> int:
        """The token that ends an answer."""
        return self.target.roles["eos"]

    def is_right(self, task: int, tokens: Sequence[int]) -> bool:
        """Whether the tokens of an answer are right."""
        text = self.target.tokenizer.decode(list(tokens), skip_special_tokens=True)
        return is_correct(self.tasks[task], text)

    def is_right_after(self, tasks: list[int], texts: list[list[int]], number: int, tokens: list[int]) -> bool:
        """Whether tokens after the beginning of an answer, by its number in a list of them, make it right."""
        return self.is_right(tasks[number], texts[number] + tokens)


@dataclass(frozen=True)
class _Candidates:
    """Refused drafts and the task of each."""

    task: NDArray[np.int64]
    refused: list[Refused]

    @classmethod
    def of(cls, part: dict[str, Any]) -> _Candidates:
        """Candidates as JSON has them."""
        columns = zip(part["before"], part["token"], part["features"], strict=True)
        return cls(
            np.array(part["task"]), [Refused(before, token, np.array(features)) for before, token, features in columns]
        )

    @property
    def features(self) -> Array:
        return np.stack([candidate.features for candidate in self.refused])


def measure(
    target: LanguageModel, draft: LanguageModel, out: Path, settings: Settings, say: Callable[[str], None] = print
) -> Answers:
    """What PAD does on a pair of models, in parts that are kept in the folder ``OUT.parts``."""
    tasks = [task for kind in KINDS for task in make_tasks(kind, 2 * settings.tasks, settings.seed)]
    prompts = [prompt_ids(target, Prompt(task.messages, task.kind, 1)) for task in tasks]
    asked = _Asked(target, draft, tasks, prompts, settings)
    is_test = np.arange(len(tasks)) % 2 == 1
    keep = keeping(out, say)
    found = _Candidates.of(keep("candidates", lambda: _harvest(asked)))
    before, after = np.array(
        keep("rollouts", lambda: _counted(asked, found, settings.rollouts, range(len(found.task)), 1, say))
    )
    label = called_pivots(before, after)
    learning = ~is_test[found.task]
    classifier = fit(found.features[learning], label[learning], found.task[learning], seed=settings.seed)
    mixed = np.random.default_rng([settings.seed, 9]).permutation(label[learning])
    shuffled = fit(found.features[learning], mixed, found.task[learning], seed=settings.seed)
    rules = _rules(classifier, found.features[~learning])
    runs = keep("rules", lambda: _runs(asked, np.flatnonzero(is_test), list(rules.values()), say))
    chosen = np.random.default_rng([settings.seed, 8]).permutation(np.flatnonzero(~learning))[: settings.few]
    many = keep("many", lambda: _counted(asked, found, settings.many, chosen.tolist(), 2, say))
    many_before = np.full(len(label), -1)
    many_after = np.full(len(label), -1)
    many_before[chosen], many_after[chosen] = many
    right, drafted, kept = (np.array(column) for column in zip(*runs, strict=True))
    return Answers(
        task=found.task,
        features=found.features,
        before=before,
        after=after,
        many_before=many_before,
        many_after=many_after,
        score=classifier.score(found.features),
        shuffled=shuffled.score(found.features),
        kind=np.array([KINDS.index(task.kind) for task in tasks]),
        is_test=is_test,
        right=right,
        drafted=drafted,
        kept=kept,
        facts={
            "target": target.facts,
            "draft": draft.facts["name"],
            "kinds": list(KINDS),
            "rules": list(rules),
            "sigmas": list(SIGMAS),
            "rollouts": settings.rollouts,
            "many rollouts": settings.many,
            "length": settings.length,
            "temperature": 1.0,
            "seed": settings.seed,
            "date": today(),
            "versions": versions(),
        },
    )


def _rules(classifier: Classifier, features: Array) -> dict[str, Rule]:
    """Speculative decoding, PAD and the strict rule at each threshold, and flags at random as frequent as PAD's."""
    rules = {"SD": sd()}
    rules |= {f"PAD, σ = {sigma:g}": pad_rule(classifier, sigma) for sigma in SIGMAS}
    rules |= {f"strict, σ = {sigma:g}": strict_rule(classifier, sigma) for sigma in SIGMAS}
    score = classifier.score(features)
    rules |= {f"random flags, as σ = {sigma:g}": random_rule(float((score > sigma).mean())) for sigma in SIGMAS}
    return rules


def _harvest(asked: _Asked) -> dict[str, list[Any]]:
    """Drafts that speculative decoding refuses in one answer to each task, a few of each at random places."""
    settings = asked.settings
    task: list[int] = []
    refused: list[Refused] = []
    for at in range(0, len(asked.prompts), _TOGETHER):
        rng = np.random.default_rng([settings.seed, 3, at])
        prompts = asked.prompts[at : at + _TOGETHER]
        readers = Reader(asked.target, prompts), Reader(asked.draft, prompts)
        answers = write(readers, prompts, sd(), rng, settings.length, asked.end)
        for number, answer in enumerate(answers, at):
            chosen = rng.permutation(len(answer.refused))[: settings.candidates]
            task += [number] * len(chosen)
            refused += [answer.refused[i] for i in sorted(chosen.tolist())]
    return {
        "task": task,
        "before": [candidate.before for candidate in refused],
        "token": [candidate.token for candidate in refused],
        "features": [candidate.features.tolist() for candidate in refused],
    }


def _counted(
    asked: _Asked, found: _Candidates, times: int, chosen: Sequence[int], purpose: int, say: Callable[[str], None]
) -> list[list[int]]:
    """Right rollouts before and after some candidates."""
    settings = asked.settings
    counts = np.zeros((2, len(chosen)), dtype=np.int64)
    for at in range(0, len(chosen), _TOGETHER):
        some = list(chosen[at : at + _TOGETHER])
        say(f"rollouts of candidates {at + 1} to {at + len(some)} of {len(chosen)}")
        tasks = [int(found.task[i]) for i in some]
        said = [found.refused[i].before[len(asked.prompts[task]) :] for i, task in zip(some, tasks, strict=True)]
        for side in (0, 1):
            texts = [tokens + [found.refused[i].token][:side] for i, tokens in zip(some, said, strict=True)]
            left = [settings.length - len(text) if asked.end not in text else 0 for text in texts]
            counts[side, at : at + len(some)] = successes(
                asked.target,
                [asked.prompts[task] + text for task, text in zip(tasks, texts, strict=True)],
                left,
                partial(asked.is_right_after, tasks, texts),
                times,
                [settings.seed, purpose, side, at],
            )
    return counts.tolist()


def _runs(
    asked: _Asked, tasks: NDArray[np.int64], rules: Sequence[Rule], say: Callable[[str], None]
) -> list[list[list[Any]]]:
    """What `_run` returns of each rule; the prompts are read once."""
    prompts = [asked.prompts[task] for task in tasks]
    readers = Reader(asked.target, prompts), Reader(asked.draft, prompts)
    runs = []
    for number, rule in enumerate(rules):
        say(f"rule {number + 1} of {len(rules)}")
        runs.append(_run(asked, tasks, readers, rule, number))
    return runs


def _run(
    asked: _Asked, tasks: NDArray[np.int64], readers: tuple[Reader, Reader], rule: Rule, number: int
) -> list[list[Any]]:
    """Whether each answer to each task of the test is right, and how many drafts it had and kept; (tests, repeats)."""
    settings = asked.settings
    repeated = tasks.repeat(settings.repeats).tolist()
    rng = np.random.default_rng([settings.seed, 4, number])
    own = readers[0].copied(settings.repeats), readers[1].copied(settings.repeats)
    answers = write(own, [asked.prompts[task] for task in repeated], rule, rng, settings.length, asked.end)
    right = [asked.is_right(task, answer.tokens) for task, answer in zip(repeated, answers, strict=True)]
    drafted = [answer.drafted for answer in answers]
    kept = [answer.kept for answer in answers]
    return [np.array(column).reshape(-1, settings.repeats).tolist() for column in (right, drafted, kept)]
