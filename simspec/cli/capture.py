"""`simspec capture`: banks from models and texts, or from logits that are stored already."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import fields
from pathlib import Path

from simspec.interrupts import status_of
from simspec.logits.bank.storage import STORAGE
from simspec.logits.capture import Options, Speech, capture, capture_chat, today
from simspec.logits.capture.pair import capture_pair
from simspec.logits.capture.recorded import capture_recorded
from simspec.logits.capture.unfinished import ENDING

__all__ = ["add_arguments", "run"]

DRAFT = (
    "draft model, named like the target; its vocabulary may differ. Or a way to derive it from the target: quantised:B (B bits, "
    "groups of 32), layers:N (first N layers), pruned:SHARE:frequency, ngram:N (these two count tokens in --statistics-text)"
)
TEXT = (
    "text for the evaluation contexts (.txt, .jsonl, .json); may be repeated. With a draft of another tokenizer, contexts are "
    "the places where both tokenizations have a boundary; --chat has every place"
)
CHAT = (
    "instead of --text: prompts, one JSON object per line with prompt (or messages) and kind; the target answers in its chat "
    "format, and every position of its answers is a context"
)
_EPILOG = """\
examples:
  simspec capture --target gpt2-medium --draft gpt2 --text articles.txt --statistics 20000 --tuning 64 -o mine.safetensors
  simspec capture --target ./target --draft ./draft --text a.txt --text b.jsonl \\
      --statistics 20000 --tuning 64 -o b.safetensors
  simspec capture --target smollm2 --draft quantised:4 --chat prompts.jsonl -o chat.safetensors
      prompts.jsonl: {"prompt": "What is 2 + 3?", "kind": "arithmetic"}, one JSON object per line
  simspec capture --pair pair.npz --vocab target.json --draft-vocab draft.json -o own.safetensors
      pair.npz: np.savez("pair.npz", target=..., draft=...) with logits (contexts, V) and (contexts, Vd), or p= and q=
      with laws; and, where they apply, draft_to_target= (Vd,), shared= (V,), document=, last=, following= (contexts,)
      then: simspec verify --bank own.safetensors, or simspec rates own.safetensors
  simspec capture --logits recorded.npz --vocab encoder.json --records prompts.json -o recorded.safetensors
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `simspec capture`."""
    parser.description = (
        "Record the logits of a target model, and of a draft model, over contexts of your text in a "
        "logit bank. After an interruption, the same command continues from the stored part."
    )
    parser.epilog = _EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    default_note = " (default %(default)s)"

    def many(flag: str, summary: str) -> None:
        add(flag, metavar="FILE", action="append", default=[], help=summary)

    def number(flag: str, summary: str) -> None:
        default = getattr(Options, flag[2:].replace("-", "_"))
        add(
            flag,
            metavar="N",
            type=int,
            default=default,
            help=summary + (default_note if default else " (default: none)"),
        )

    add(
        "--target",
        metavar="MODEL",
        help="target model: Hugging Face id, folder, .gguf file or folder with one, or smollm2",
    )
    add("--draft", metavar="MODEL", help=DRAFT)
    many("--text", TEXT)
    add("--chat", metavar="JSONL", help=CHAT)
    add("--chat-temperature", metavar="T", type=float, default=1.0, help=f"temperature of the answers{default_note}")
    add("--chat-length", metavar="N", type=int, default=64, help=f"longest answer in tokens{default_note}")
    number("--contexts", "number of evaluation contexts")
    many("--statistics-text", "text for statistics (default: other documents of --text)")
    number("--statistics", "number of contexts for streamed statistics; 20000 is plenty")
    number("--tuning", "number of contexts for tuning parameters, from the text for statistics")
    number("--window", "longest input of the target in tokens")
    number("--min-position", "tokens before the first context of a document")
    number("--per-document", "largest number of evaluation contexts (or runs of neighbours) per document")
    number("--neighbours", "number of consecutive contexts at each place; 16 shows how contexts are correlated")
    number("--batch", "number of windows per batch")
    add("--seed", metavar="N", type=int, default=0, help=f"seed of the choice of contexts{default_note}")
    add("--device", choices=["auto", "cpu", "cuda"], default="auto", help=f"device that runs the models{default_note}")
    add("--storage", choices=STORAGE, default="float16", help=f"number format of the stored logits{default_note}")
    add("--name", help="name of the bank (default: name of the file)")
    add("--licence", default="", help="licence of models and text, stored in the bank")
    add("--note", default="", help="note for readers of the bank, stored in it")
    add(
        "--pair",
        metavar="FILE",
        nargs="+",
        help="instead of models: logits or distributions of a target and a draft (.npz or .safetensors), or two .npy files, the "
        "logits of the target and those of the draft (see the examples)",
    )
    add("--logits", metavar="NPZ", help="recorded logits of a target (contexts x vocabulary), instead of models")
    add("--vocab", metavar="JSON", help="with --logits or --pair: JSON object from token strings of the target to ids")
    add("--draft-vocab", metavar="JSON", help="with --pair: the same for the draft; tokens with equal bytes are shared")
    add("--records", metavar="JSON", help="with --logits: JSON list of records with token_ids")
    add("-o", "--out", metavar="BANK", required=True, help="file to write (.safetensors)")


def run(args: argparse.Namespace) -> int:
    """Run `simspec capture`; 0 when the bank is written, 2 (and one line on stderr) for bad input."""
    try:
        about = {"licence": args.licence, "note": args.note, "command": _command(args), "date": today()}
        if args.pair:
            if args.target or args.draft or args.text or args.chat or args.logits or args.records:
                raise ValueError(
                    "--pair: replaces the models; leave --target, --draft, --text, --logits and --records out"
                )
            files = {"vocab": args.vocab, "draft_vocab": args.draft_vocab}
            bank = capture_pair(args.pair, args.out, **files, name=args.name, storage=args.storage, about=about)
        elif args.logits:
            if args.target or args.draft or args.text or not (args.vocab and args.records):
                raise ValueError("--logits: needs --vocab and --records; leave --target, --draft and --text out")
            bank = capture_recorded(args.logits, args.vocab, args.records, args.out, name=args.name, about=about)
        elif not args.target:
            raise ValueError(
                "--target: missing; expected a Hugging Face id or a folder (for stored logits, use --pair or --logits)"
            )
        elif args.chat:
            if args.text:
                raise ValueError("--chat, --text: texts of two kinds; expected one of them, in a bank of its own each")
            keys = [f.name for f in fields(Options) if f.name not in ("command", "contexts", "neighbours")]
            keys += ["target", "draft", "chat", "out", "statistics_text"]
            speech = Speech(args.chat_temperature, args.chat_length, args.seed)
            bank = capture_chat(**{key: getattr(args, key) for key in keys}, speech=speech, command=about["command"])
        else:
            keys = [f.name for f in fields(Options) if f.name != "command"]
            keys += ["target", "draft", "text", "out", "statistics_text"]
            bank = capture(**{key: getattr(args, key) for key in keys}, command=about["command"])
    except (ValueError, OSError) as error:
        print(f"simspec capture: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as error:  # Ctrl-C, SIGTERM or SIGHUP
        print(f"simspec capture: interrupted; {_left(args.out)}", file=sys.stderr)
        return status_of(error)
    print(f"{args.out}\n{bank}")
    return 0


def _left(out: str) -> str:
    """What an interrupted capture has left, and how to go on."""
    folder = Path(f"{out}{ENDING}")
    if not folder.is_dir():
        return "nothing was written"
    return (
        f"the finished part is stored in {folder}: run the same command to continue, or remove the folder "
        "to start again"
    )


def _command(args: argparse.Namespace) -> str:
    """The command that makes the bank, each path cut to its last folder and name."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = ["simspec", "capture"]
    for action in parser._actions:
        value = getattr(args, action.dest, None)
        if action.dest in ("help", "licence", "note") or value == action.default or value is None:
            continue
        for item in value if isinstance(value, list) else [value]:
            word = "/".join(Path(item).parts[-2:]) if os.sep in str(item) and Path(item).exists() else str(item)
            if action.dest in ("target", "draft", "out"):
                word = Path(item).name if Path(item).is_dir() or action.dest == "out" else str(item)
            words += [action.option_strings[-1], word]
    return " ".join(words)
