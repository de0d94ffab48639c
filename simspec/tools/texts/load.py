"""What `simspec texts` is asked to measure, and what that takes: the corpus, in tokens, and a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from simspec.logits.corpora import Corpus, read_corpus, standard_library
from simspec.studies.tasc.task_gains import Encoded, encode, evenly

if TYPE_CHECKING:
    from simspec.logits.capture.models import LanguageModel

__all__ = ["LIBRARY", "Progress", "Request", "Task", "task_of"]

LIBRARY = "library:"
"""What a source begins with that is built from the sources of Python."""
MOST_N = 16
"""Longest n-gram that can be asked for."""

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Request:
    """What is measured, on which corpus; the options of `simspec texts` by their names.

    Attributes
    ----------
    source : path of a file of pairs, or ``library:tagging``, ``library:docstrings``
    input, output : fields of a record that hold input and output; None: chosen by their names
    tokenizer : path of a ``tokenizer.json``; None: every word is a token
    budget : most tokens that are added, also tried with half of them; 0 adds none
    n_max : length of the longest n-gram
    gamma : drafts per target step; 0 drafts none
    mix : weight of the drafter that learns from the corpus, in [0, 1]
    held_out : share of the pairs that are held out for testing, in (0, 1)
    texts : most pairs that are tested on
    resamples : bootstrap samples of the bigram statistics
    seed : of the split
    name : of the task; None: the name of the file
    model : folder of a model that writes and verifies too, or None
    model_pairs : pairs for which the model writes
    pairs : use so many pairs, at equal distances in the file; None: all
    renyi : also whether Rényi entropy predicts lengths as tokens are added

    Raises ValueError, naming the option, for what is out of range or does not fit together.

    >>> Request("turns.jsonl", mix=2)
    Traceback (most recent call last):
    ValueError: --mix: 2; expected a weight between 0 and 1
    """

    source: str
    input: str | None = None
    output: str | None = None
    tokenizer: str | None = None
    budget: int = 1000
    n_max: int = 4
    gamma: int = 8
    mix: float = 0.75
    held_out: float = 0.2
    texts: int = 200
    resamples: int = 100
    seed: int = 0
    name: str | None = None
    model: str | None = None
    model_pairs: int = 20
    pairs: int | None = None
    renyi: bool = False

    def __post_init__(self) -> None:
        """Refuse what is out of range or does not fit together."""
        if not self.source:
            raise ValueError(
                "FILE: missing; expected a file of pairs, library:tagging or library:docstrings, or --recorded"
            )
        for name, value, minimum in (
            ("--budget", self.budget, 0),
            ("--n-max", self.n_max, 2),
            ("--gamma", self.gamma, 0),
            ("--texts", self.texts, 2),
            ("--resamples", self.resamples, 2),
            ("--pairs", self.pairs, 2),
            ("--model-pairs", self.model_pairs, 2),
        ):
            # None is an option that was not given
            if value is not None and value < minimum:
                raise ValueError(f"{name}: {value}; expected {minimum} or more")
        if self.n_max > MOST_N:
            raise ValueError(
                f"--n-max: {self.n_max}; expected at most {MOST_N}, because all n-grams up to this length are "
                "held in memory"
            )
        if not 0 <= self.mix <= 1:
            raise ValueError(f"--mix: {self.mix}; expected a weight between 0 and 1")
        if not 0 < self.held_out < 1:
            raise ValueError(f"--held-out: {self.held_out}; expected a share between 0 and 1, both excluded")
        if self.tokenizer and not Path(self.tokenizer).is_file():
            raise ValueError(f"--tokenizer: no file {self.tokenizer!r}; expected the path of a tokenizer.json")
        if self.model and not self.gamma:
            raise ValueError("--gamma: 0; expected at least one draft token with --model")


@dataclass(frozen=True)
class Task:
    """A request with what was read for it: the corpus, the same in tokens and split, and the model, None without one."""

    request: Request
    corpus: Corpus
    encoded: Encoded
    model: LanguageModel | None


def task_of(request: Request, progress: Progress | None = None) -> Task:
    """Read the model and the corpus, and make tokens of its texts.

    Parameters
    ----------
    request : Request
    progress : as `simspec.tools.texts.texts` takes it

    Raises ValueError for a model, a corpus or a tokenizer that cannot be read, or a corpus that cannot be split.

    >>> task = task_of(Request("library:tagging", pairs=20, name="tags"))
    >>> task.corpus.name, len(task.corpus.inputs), len(task.encoded.train), task.encoded.unit, task.model
    ('tags', 20, 16, 'words', None)
    """
    if progress is not None:
        progress("reading", 0, None)
    model = None
    if request.model is not None:
        from simspec.logits.capture.models import load_model

        model = load_model(request.model, "--model")
    corpus = _corpus(request)
    encoded = encode(corpus, request.held_out, request.seed, request.texts, request.tokenizer)
    return Task(request, corpus, encoded, model)


def _corpus(request: Request) -> Corpus:
    """The corpus of a file or of Python's sources, cut to as many pairs as are requested."""
    if request.source.startswith(LIBRARY):
        if request.input or request.output:
            raise ValueError("--input, --output: a library corpus has no fields; leave both out")
        corpus = standard_library(request.source.removeprefix(LIBRARY))
        corpus = corpus._replace(name=request.name or corpus.name)
    else:
        corpus = read_corpus(request.source, request.input, request.output, request.name)
    return corpus if request.pairs is None else evenly(corpus, request.pairs)
