"""Measurements of `simspec texts` in a file, with what it takes to measure them again; of paths the names alone."""

from __future__ import annotations

import shlex
from dataclasses import fields
from pathlib import Path

from simspec.logits.capture.models import file_digest
from simspec.studies.tasc.task_record import add_task, read_tasks, versions
from simspec.tools.texts.load import LIBRARY, Request
from simspec.tools.texts.table import Measured
from simspec.version import __version__

__all__ = ["check_place", "command_of", "save"]


def check_place(path: Path) -> None:
    """Refuse, before anything is measured, a file that measurements cannot be written to.

    >>> check_place(Path("no folder", "tasks.json"))
    Traceback (most recent call last):
    ValueError: --save: no folder 'no folder'; expected a file in an existing folder
    """
    if not path.parent.is_dir():
        raise ValueError(f"--save: no folder {str(path.parent)!r}; expected a file in an existing folder")
    if path.exists():
        read_tasks(path)


def save(measured: Measured, path: Path, origin: str | None = None, licence: str | None = None) -> None:
    """Write the measurements under the name of the task, beside those that are there.

    Parameters
    ----------
    measured : Measured
    path : of a file that is new, or that was written by this
    origin, licence : of the corpus, in words

    Raises ValueError for a file that is there and holds something else.

    >>> import tempfile
    >>> from simspec.tools.texts import texts
    >>> measured = texts(Request("library:tagging", pairs=20, budget=0, gamma=0, resamples=2, name="tags"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(measured, Path(folder, "tasks.json"), licence="PSF")
    ...     task = read_tasks(Path(folder, "tasks.json"))["tags"]
    >>> task["licence"], task["command"]
    ('PSF', 'simspec texts library:tagging --budget 0 --gamma 0 --resamples 2 --name tags --pairs 20')
    """
    request = measured.request
    file = None
    if not request.source.startswith(LIBRARY):
        file = {"name": Path(request.source).name, "sha256": file_digest(Path(request.source))}
    packages = ["numpy", "scipy", "tokenizers", *(["torch", "transformers"] if request.model else [])]
    provenance = {
        "file": file,
        "origin": origin,
        "licence": licence,
        "command": command_of(request),
        "versions": {"simspec": __version__, **versions(*packages)},
    }
    add_task(path, measured.entry | provenance)


def command_of(request: Request) -> str:
    """The command that measures it again: what is not the default; of paths the names alone.

    >>> command_of(Request("here/turns.jsonl", mix=0.5, name="my turns", renyi=True))
    "simspec texts turns.jsonl --mix 0.5 --name 'my turns' --renyi"
    """
    words = ["simspec", "texts", request.source if request.source.startswith(LIBRARY) else Path(request.source).name]
    for field in fields(Request):
        value = getattr(request, field.name)
        if field.name == "source" or value == field.default:
            continue
        words.append("--" + field.name.replace("_", "-"))
        if value is not True:
            words.append(shlex.quote(_local_name(field.name, str(value))))
    return " ".join(words)


def _local_name(option: str, value: str) -> str:
    """The end of a path that is here: of a tokenizer with its folder, of which there is one a model; else what was given."""
    if option not in ("tokenizer", "model") or not Path(value).exists():
        return value
    count = 2 if option == "tokenizer" else 1
    return "/".join(Path(value).resolve().parts[-count:])
