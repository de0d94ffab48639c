"""What was measured on a task, and tables of tasks on record (`simspec.studies.tasc.task_record`), as rows of strings."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from simspec.engine.estimates.intervals import Interval
from simspec.logits.corpora import Corpus
from simspec.studies.tasc.corpus_statistics import Row
from simspec.studies.tasc.task_gains import Encoded, Saving
from simspec.studies.tasc.task_model import WAYS
from simspec.studies.tasc.task_predict import PREDICTORS
from simspec.tools.texts.load import Request

__all__ = [
    "Measured",
    "Table",
    "bigram_table",
    "drafting_table",
    "entropy_table",
    "origins",
    "prediction_table",
    "sampling_table",
    "tables",
]

Tasks = Mapping[str, Mapping[str, Any]]
CORPUS_TABLES = (
    "corpus: n-grams that occur at least five times in two fifths of the outputs; mixed: together "
    "with those of the prompt, weighted as in TASC"
)
FEW = {"corpus": "corpus", "prompt": "prompt", "mixed": "mixed"}


@dataclass(frozen=True)
class Measured:
    """What was measured on a task.

    Attributes
    ----------
    request : what was to be measured
    corpus, encoded : the task, and the same in tokens
    row : statistics of the bigrams, None where they cannot be counted
    missing : why they cannot, empty where they can
    gains : tokens per target step, by drafter; empty without drafts
    savings : what added tokens save, by their number; empty where none are added
    entry : all of it as plain numbers, as it is stored, with what a model wrote and what entropy predicts where requested
    """

    request: Request
    corpus: Corpus
    encoded: Encoded
    row: Row | None
    missing: str
    gains: dict[str, Interval]
    savings: list[Saving]
    entry: dict[str, Any]


class Table(NamedTuple):
    """A title, names of columns, rows as long as these, and what a reader must know, sentence by sentence."""

    title: str
    columns: tuple[str, ...]
    rows: list[list[str]]
    notes: tuple[str, ...] = ()


def _number(recorded_interval: Mapping[str, Any] | None, digits: int = 2, scale: float = 1) -> str:
    """Estimate and half of its interval.

    >>> _number({"estimate": 1.5, "interval": [1.25, 1.75]})
    '1.50 ±0.25'
    """
    if not recorded_interval or recorded_interval["estimate"] is None:
        return "-"
    low, high = recorded_interval["interval"]
    half = "" if None in (low, high) else f" ±{(high - low) / 2 * scale:,.{digits}f}"
    return f"{recorded_interval['estimate'] * scale:,.{digits}f}{half}"


def _range(recorded_interval: Mapping[str, Any] | None, digits: int = 2) -> str:
    """Estimate and interval, which is not around it."""
    if not recorded_interval or recorded_interval["estimate"] is None:
        return "-"
    low, high = recorded_interval["interval"]
    return f"{recorded_interval['estimate']:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def bigram_table(tasks: Tasks) -> Table:
    """Bigram entropy and coverage, as in TASC's Table 1."""
    rows = []
    for name, task in tasks.items():
        v = task["bigram statistics"]
        if v is None:
            rows.append([name, f"{task['pairs']:,}", *["-"] * 8])
            continue
        rows.append([name, f"{task['pairs']:,}", *(_number(v[f"{side} entropy"]) for side in ("input", "output"))])
        rows[-1] += [_number(v["entropy change"], 1, 100), _number(v["equal entropy change"], 1, 100)]
        rows[-1] += [_number(v[f"{side} cover"], 0) for side in ("input", "output")]
        rows[-1] += [_number(v["cover ratio"]), _number(v["equal cover ratio"])]
    columns = (
        "task",
        "pairs",
        "H in",
        "H out",
        "ΔH %",
        "ΔH %, equal",
        "cover in",
        "cover out",
        "in/out",
        "in/out, equal",
    )
    return Table(
        "word bigrams of inputs and outputs (Table 1 of TASC)",
        columns,
        rows,
        (
            (
                "H: entropy of the distribution of word bigrams, bits; cover: number of different bigrams that "
                "make up 80 % of the occurrences"
            ),
            "equal: the longer side is thinned to as many bigrams as the shorter",
        ),
    )


def entropy_table(tasks: Tasks) -> Table:
    """Normalised token entropy before and after tokens are added, as in TASC's Table 9, and how much shorter outputs get."""
    rows = []
    for name, task in tasks.items():
        for s in task["added tokens"]:
            cells = [name, f"{s['added']:,}"]
            for side in ("input", "output"):
                entropies = s["normalised entropy"].get(side, {})
                cells += [_number(entropies.get(when), 3) for when in ("before", "after")]
            rows.append([*cells, _number(s["held out"]), f"{s['train']:.2f}"])
    columns = ("task", "added", "in, before", "in, after", "out, before", "out, after", "times shorter", "where learnt")
    return Table(
        (
            "entropy of held-out tokens / log V before and after tokens are added (Table 9 of TASC), and "
            "lengths of the outputs"
        ),
        columns,
        rows,
        (_units(tasks, lambda task: task["unit"]),),
    )


def _units(tasks: Tasks, unit: Callable[[Mapping[str, Any]], str]) -> str:
    by: dict[str, list[str]] = {}
    for name, task in tasks.items():
        by.setdefault(unit(task), []).append(name)
    if len(by) <= 1:
        return f"a token: {next(iter(by), '-')}"
    return "a token: " + "; ".join(f"{unit_name} ({', '.join(names)})" for unit_name, names in by.items())


def drafting_table(tasks: Tasks) -> Table:
    """Tokens per target call by greedy match with held-out outputs."""
    rows = [
        [name, f"{task['held out']:,}", f"{100 * task['held out, learnt too']:.0f} %"]
        + [_number(task["tokens per call"].get(drafter)) for drafter in FEW]
        for name, task in tasks.items()
    ]
    return Table(
        "n-gram drafts: tokens per target step, greedy match with the outputs of the task",
        ("task", "held out", "learnt too", *FEW.values()),
        rows,
        (
            _units(tasks, lambda task: task["unit"]),
            "learnt too: share of the held-out outputs that occur in the training outputs",
        ),
    )


def sampling_table(tasks: Tasks) -> Table:
    """Tokens per target call with a model as the target, on its own texts and on the tasks' outputs."""
    some = {name: task["sampling"] for name, task in tasks.items() if task.get("sampling")}
    drafters = list(dict.fromkeys(drafter for s in some.values() for way in WAYS for drafter in s[way]))
    rows = [
        [name if way == next(iter(WAYS)) else "", way, str(s["pairs"]), *(_number(s[way].get(d)) for d in drafters)]
        for name, s in some.items()
        for way in WAYS
    ]
    models = sorted({str(s["model"]["name"]) for s in some.values()})
    prompt_lengths = sorted({int(s["longest"]) for s in some.values()})
    note = (
        f"prompts: the last {', '.join(map(str, prompt_lengths))} tokens; texts of the model are at most twice as long"
    )
    return Table(
        f"n-gram drafts verified by a model, in its tokens: tokens per target step ({', '.join(models)})",
        ("task", "verified", "pairs", *drafters),
        rows,
        (*(f"{way}: {meaning}" for way, meaning in WAYS.items()), note, CORPUS_TABLES),
    )


def prediction_table(tasks: Tasks) -> Table:
    """How well Rényi entropy, Shannon entropy and the budget tell the length of held-out outputs."""
    rows = []
    for name, task in tasks.items():
        for number, setting in enumerate((task.get("prediction") or {"settings": ()})["settings"]):
            cells = [
                "" if number else name,
                str(setting["n_max"]),
                f"{setting['last budget']:,}{'' if setting['repeated n-grams only'] else ' *'}",
            ]
            cells += [_number(setting["tau"][p]) for p in PREDICTORS]
            cells += [_range(setting["direction"][p]) for p in PREDICTORS]
            rows.append([*cells, f"{_range(setting['shorter after a rise'])} of {setting['rises']}"])
    columns = (
        "task",
        "n_max",
        "up to",
        *(f"tau {p}" for p in PREDICTORS),
        *(f"direction {p}" for p in PREDICTORS),
        "shorter if H2 rises",
    )
    meaning = "; ".join(f"{p}: {description}" for p, description in PREDICTORS.items())
    return Table(
        "what predicts the length of held-out outputs, over numbers of new tokens (Appendix E of TASC)",
        columns,
        rows,
        (
            f"{meaning}, of the tokens of the training outputs",
            "tau: Kendall's tau, over evenly spaced numbers of new tokens up to the number shown",
            ("*: new tokens also come from n-grams that occur once; the row below ends before the first of these"),
            (
                "direction: share of the steps in which predictor and length move in opposite directions, with "
                "its Wilson interval"
            ),
            (
                "shorter if H2 rises: share of the steps that raise H2 after which outputs are shorter, and the "
                "number of such steps"
            ),
            _units({n: t for n, t in tasks.items() if t.get("prediction")}, lambda task: task["prediction"]["unit"]),
        ),
    )


def origins(tasks: Tasks) -> Iterator[str]:
    """Where each corpus comes from, whose licence it has, and the command that measured it."""
    for name, task in tasks.items():
        file = task.get("file") or {}
        note = task.get("origin") or "origin not recorded"
        digest = f", sha256 {file['sha256'][:16]}…" if file.get("sha256") else ""
        yield f"{name}: {task['source']}{digest}; {note}; licence: {task.get('licence') or 'not recorded'}"
        if task.get("command"):
            yield textwrap.indent(str(task["command"]), "  ")


def tables(tasks: Tasks) -> Sequence[Table]:
    """All tables that have rows."""
    makers = (bigram_table, entropy_table, drafting_table, sampling_table, prediction_table)
    return [table for table in (make(tasks) for make in makers) if table.rows]
