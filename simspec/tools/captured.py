"""A bank of a pair of models that lasts as long as a command: for commands that read laws from a bank or a file."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from simspec.logits.capture import Options, Prepared, Speech, lasting, prepare, prepare_chat, record
from simspec.logits.capture.passes import progress_bars

__all__ = ["captured", "prepared_of"]


def prepared_of(models: tuple[str, str], args: Any, folder: Path, options: Options) -> Prepared:
    """The pair's contexts, from the arguments that `simspec.cli.models` declares.

    Raises
    ------
    ValueError
        for texts and prompts together or neither, and as `simspec.logits.capture.capture` does.
    """
    if bool(args.text) == bool(args.chat):
        raise ValueError(
            f"MODEL: {' '.join(models)}; expected TARGET DRAFT, and --text FILE or --chat JSONL, one of the two"
        )
    common: dict[str, Any] = {"statistics_text": args.statistics_text, "settings": options}
    with progress_bars(True, transient=True) as advance:
        if args.chat:
            speech = Speech(1.0, args.chat_length, options.seed)
            return prepare_chat(
                *models, chat=args.chat, answers=folder / "answers", speech=speech, advance=advance, **common
            )
        return prepare(*models, text=args.text, advance=advance, **common)


@contextmanager
def captured(models: tuple[str, str], args: Any, options: Options) -> Iterator[Path]:
    """Path of a bank of two models, which is removed at the end."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepared = prepared_of(models, args, folder, options)
        print(f"simspec: {prepared.takes()}; about {lasting(prepared.seconds())} here", file=sys.stderr, flush=True)
        bank = folder / "pair.safetensors"
        record(prepared, bank)
        yield bank
