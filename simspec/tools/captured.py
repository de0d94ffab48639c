"""A bank of a pair of models that lasts as long as a command: for commands that read laws from a bank or a file."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from simspec.logits.capture import Options, Prepared, Speech, lasting, prepare, prepare_chat, record
from simspec.logits.capture.models import LanguageModel
from simspec.logits.capture.passes import progress_bars

__all__ = ["captured", "prepared_of", "recorded"]


def prepared_of(models: Sequence[str | LanguageModel], args: Any, folder: Path, options: Options) -> Prepared:
    """The pair's contexts, from the arguments that `simspec.cli.models` declares.

    Raises
    ------
    ValueError
        for models that are no pair, for texts and prompts together or neither, and as `simspec.logits.capture.capture` does.
    """
    if len(models) != 2 or bool(args.text) == bool(args.chat):
        raise ValueError(
            f"MODEL: {' '.join(map(str, models))}; expected TARGET DRAFT together with either --text FILE or --chat JSONL"
        )
    target, draft = models
    common: dict[str, Any] = {"statistics_text": args.statistics_text, "settings": options}
    with progress_bars(True, transient=True) as advance:
        if args.chat:
            speech = Speech(1.0, args.chat_length, options.seed)
            return prepare_chat(
                target,
                draft,
                chat=args.chat,
                answers=folder / "answers",
                speech=speech,
                advance=advance,
                announce=lambda line: print(f"simspec: {line}", file=sys.stderr, flush=True),
                **common,
            )
        return prepare(target, draft, text=args.text, advance=advance, **common)


def recorded(prepared: Prepared, bank: Path) -> Path:
    """Path of a bank of what was prepared; what writing it takes is printed first."""
    print(f"simspec: {prepared.takes()}; about {lasting(prepared.seconds())} here", file=sys.stderr, flush=True)
    record(prepared, bank)
    return bank


@contextmanager
def captured(models: Sequence[str], args: Any, options: Options) -> Iterator[Path]:
    """Path of a bank of two models, which is removed at the end."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield recorded(prepared_of(models, args, folder, options), folder / "pair.safetensors")
