"""What was measured on tasks, as plain numbers: one file, one entry a task, with what it takes to measure it again.

`simspec/studies/tasc/data/tasks.json` holds what was measured on corpora that do not ship with the package.  The corpora are
told by name, origin, licence and hash; no text of them is in it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import Any

from simspec.engine.estimates.intervals import Interval
from simspec.files import read_json, write_file
from simspec.logits.corpora import Corpus
from simspec.studies.tasc.corpus_statistics import Row
from simspec.studies.tasc.task_gains import Encoded, Saving
from simspec.studies.tasc.task_model import ModelGains
from simspec.studies.tasc.task_predict import Prediction

__all__ = ["SHIPPED", "add_task", "interval", "measured", "predicted", "read_tasks", "repeated", "sampled", "versions"]

SHIPPED = Path(__file__).with_name("data") / "tasks.json"
"""What was recorded on corpora that do not ship."""
FORMAT = "1"
DIGITS = 6
KEYS = ("corpus", "source", "pairs", "bigram statistics", "unit", "tokens per call", "added tokens", "versions")
"""What every entry holds."""


# --- measurements as plain numbers ------------------------------------------------------------------------------------


def interval(i: Interval) -> dict[str, Any]:
    """An interval as JSON, with null for what is not finite.

    >>> interval(Interval(1.5, 1.0, float("inf"), 0.95))
    {'estimate': 1.5, 'interval': [1.0, None], 'level': 0.95}
    """
    estimate, low, high = (x if math.isfinite(x) else None for x in (i.estimate, i.low, i.high))
    return {"estimate": estimate, "interval": [low, high], "level": i.level}


def _each(intervals: Mapping[str, Interval]) -> dict[str, Any]:
    return {name: interval(i) for name, i in intervals.items()}


def repeated(encoded: Encoded) -> float:
    """Share of the held-out outputs that occur whole among those that were learnt from.

    >>> repeated(Encoded(((0,),), ((), ()), ((0,), (1,)), 3, "words"))
    0.5
    """
    training_outputs = set(encoded.train)
    return sum(text in training_outputs for text in encoded.outputs) / len(encoded.outputs)


def measured(
    corpus: Corpus, row: Row | None, encoded: Encoded, gains: Mapping[str, Interval], saved: list[Saving]
) -> dict[str, Any]:
    """Bigram statistics, tokens per call and added tokens of a task; `row` is None where bigrams cannot be counted."""
    return {
        "corpus": corpus.name,
        "source": corpus.source,
        "pairs": len(corpus.inputs),
        "bigrams": dict(row.bigrams) if row else None,
        "bigram statistics": _each(row.values) if row else None,
        "unit": encoded.unit,
        "learnt from": len(encoded.train),
        "held out": len(encoded.outputs),
        "held out, learnt too": repeated(encoded),
        "tokens per call": _each(gains),
        "added tokens": [
            {
                "added": s.added,
                "train": s.train,
                "held out": interval(s.held_out),
                "normalised entropy": {
                    side: {"before": interval(before), "after": interval(after)}
                    for side, (before, after) in s.entropy.items()
                },
            }
            for s in saved
        ],
    }


def sampled(gains: ModelGains, model: Mapping[str, str], gamma: int) -> dict[str, Any]:
    """Tokens per call with a model as the target, and what the model is."""
    calls = {way: _each(by_drafter) for way, by_drafter in gains.calls.items()}
    return {"model": dict(model), "pairs": gains.pairs, "longest": gains.longest, "gamma": gamma, **calls}


def predicted(predictions: list[Prediction], unit: str) -> dict[str, Any]:
    """Predictions of the held-out length, and what a token was."""
    settings = [
        {
            "n_max": prediction.n_max,
            "repeated n-grams only": prediction.repeated,
            "budgets": prediction.budgets,
            "last budget": prediction.last,
            "tau": _each(prediction.tau),
            "direction": _each(prediction.direction),
            "rises": prediction.rises,
            "shorter after a rise": interval(prediction.shorter) if prediction.shorter else None,
        }
        for prediction in predictions
    ]
    return {"unit": unit, "settings": settings}


def versions(*packages: str) -> dict[str, str]:
    """Versions of Python and of packages, those that are installed.

    >>> sorted(versions("numpy", "no such package"))
    ['numpy', 'python']
    """
    version_by_package = {"python": python_version()}
    for package in packages:
        try:
            version_by_package[package] = version(package)
        except PackageNotFoundError:
            continue
    return version_by_package


# --- the file ---------------------------------------------------------------------------------------------------------


def read_tasks(path: str | Path = SHIPPED) -> dict[str, dict[str, Any]]:
    """Entries of a file that `simspec texts --save` wrote, by name of the task; by default those that ship.

    Raises ValueError for a file that is missing or is no such file.

    >>> "gsm8k" in read_tasks()
    True
    """
    path = Path(path)
    file_record = read_json(path, "tasks", "a file that simspec texts --save wrote")
    tasks = (
        file_record.get("tasks")
        if isinstance(file_record, dict) and file_record.get("simspec_tasks") == FORMAT
        else None
    )
    if not isinstance(tasks, dict):
        raise ValueError(f"tasks: {path.name} is no record of tasks of format {FORMAT}; expected what --save wrote")
    for name, entry in tasks.items():
        missing = [key for key in KEYS if not isinstance(entry, dict) or key not in entry]
        if missing:
            raise ValueError(
                f"tasks: {path.name}, task {name!r} lacks {', '.join(missing)}; expected what --save wrote"
            )
    return tasks


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, Mapping):
        return {key: _rounded(v) for key, v in value.items()}
    return [_rounded(v) for v in value] if isinstance(value, (list, tuple)) else value


def add_task(path: str | Path, entry: Mapping[str, Any]) -> None:
    """Write an entry into a file under its corpus' name, beside those that are there; numbers to six digits.

    Raises ValueError for a file that is there and holds something else.

    >>> import tempfile
    >>> entry = dict.fromkeys(KEYS) | {"corpus": "one", "pairs": 2 / 3}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     add_task(Path(folder, "tasks.json"), entry)
    ...     read_tasks(Path(folder, "tasks.json"))["one"]["pairs"]
    0.666667
    """
    path = Path(path)
    tasks = read_tasks(path) if path.exists() else {}
    tasks = dict(sorted((tasks | {entry["corpus"]: _rounded(entry)}).items()))
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(task, ensure_ascii=False)}" for name, task in tasks.items())
    text = f'{{"simspec_tasks": "{FORMAT}", "tasks": {{\n{lines}\n}}}}\n'
    write_file(path, text.encode())
