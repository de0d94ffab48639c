"""`simspec pair`: a target and a draft from prompts to one page."""

from __future__ import annotations

import argparse
import errno
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simspec.tools.pair import Request

__all__ = ["add_arguments", "run"]

PARTS = ("capture", "acceptance", "lengths", "speed", "rules", "verdicts", "page")
"""Those of `simspec.tools.pair`, which help need not load; a test compares them."""
NO_STATISTICS = (
    "no --statistics: claims about counts and covariances of tokens in other texts stay inconclusive; --statistics 20000 "
    "--statistics-text FILE records them, in another --out than a pair's that has none"
)


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add = p.add_argument
    add("target", metavar="TARGET", help="Hugging Face id, folder or .gguf file of a chat model; smollm2")
    option_help = (
        "draft model, named like TARGET; or a way to derive it from TARGET: quantised:B, layers:N, "
        "pruned:SHARE:frequency, ngram:N"
    )
    add("draft", metavar="DRAFT", help=option_help)
    option_help = 'prompts, one JSON object per line: {"prompt": "What is 2 + 3?", "kind": "arithmetic"}'
    add("--chat", metavar="JSONL", required=True, help=option_help)
    add("--out", metavar="DIR", type=Path, required=True, help="folder for the logit bank, the results and index.html")
    add(
        "--only",
        metavar="PART",
        action="append",
        default=[],
        help=f"compute only this part, again: {', '.join(PARTS)}; may be repeated",
    )
    option_help = "temperature of the target's answers (default 1)"
    add("--chat-temperature", metavar="T", type=float, default=1.0, help=option_help)
    add("--chat-length", metavar="N", type=int, default=64, help="longest answer in tokens (default 64)")
    option_help = "number of tokens to decode at each temperature, to measure the speed (default 200)"
    add("--measure", metavar="N", type=int, default=200, help=option_help)
    option_help = "other texts, for --statistics, --tuning and drafts that count tokens; may be repeated"
    add("--statistics-text", metavar="FILE", action="append", default=[], help=option_help)
    for name, use in (("statistics", "priors and covariances"), ("tuning", "tuned parameters")):
        option_help = f"number of contexts of these texts from which {use} are estimated (default 0)"
        add(f"--{name}", metavar="N", type=int, default=0, help=option_help)
    add(
        "--effort",
        choices=["quick", "default", "deep"],
        default="default",
        help="how many instances of each claim to try (default: default)",
    )
    add("--seed", metavar="N", type=int, default=0, help="seed of the answers, runs and claims (default 0)")
    add("--device", choices=["auto", "cpu", "cuda"], default="auto", help="device that runs the models (default auto)")
    add("--batch", metavar="N", type=int, default=8, help="number of answers to process at once (default 8)")


def run(args: argparse.Namespace) -> int:
    """Make the parts that are missing; the same command goes on after an interruption."""
    from simspec.checks import check_extra
    from simspec.html.escaping import visible
    from simspec.logits.capture import Speech
    from simspec.logits.capture.passes import progress_bars
    from simspec.tools.pair import Folder, Request
    from simspec.tools.pair.work import Work

    check_extra("simspec pair", "verify", "texts", "measure")
    names = ("target", "draft", "chat", "statistics", "tuning", "measure", "effort", "device", "batch")
    request = Request(
        **{name: getattr(args, name) for name in names},
        speech=Speech(args.chat_temperature, args.chat_length, args.seed),
        statistics_text=tuple(args.statistics_text),
    )
    _check(request)
    if not request.statistics and (not args.only or "verdicts" in args.only):
        print(NO_STATISTICS, file=sys.stderr, flush=True)
    try:
        folder = Folder(args.out, request)
        with progress_bars(True) as advance:
            made_parts = Work(folder, advance).run(args.only)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise ValueError(
            f"--out: no space left for {str(error.filename or args.out)!r}; free some space and run the same command again, "
            "which goes on with what is done"
        ) from None
    speed = folder.read("speed")
    if speed is not None:
        print(visible(speed["sentence"]))
    place = folder.page if folder.page.is_file() else folder.path
    print(f"{', '.join(made_parts) or 'nothing was missing'}: {visible(str(place))}")
    return 0


def _check(request: Request) -> None:
    """Refuse prompts and drafts that are malformed before anything is loaded."""
    from simspec.logits.capture.chat import read_prompts
    from simspec.logits.capture.drafts import parse_draft

    read_prompts(request.chat)
    spec = parse_draft(request.draft)
    counts_texts = spec is not None and spec.needs_texts
    if (counts_texts or request.statistics or request.tuning) and not request.statistics_text:
        raise ValueError(
            "--statistics-text: missing; expected FILE with other texts for --statistics, --tuning or this draft"
        )
