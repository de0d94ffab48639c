"""Capturing a bank of logits from models and texts: `simspec capture`.

The theory, the file format and the choice of contexts are elsewhere (`bank`, `checked`, `windows`, `accumulate`);
here they are put together: load, choose, run, stream, write.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.checks import check_memory
from simspec.logits.bank import Bank, open_bank
from simspec.logits.bank.storage import Contexts, check_out, write_bank
from simspec.logits.capture.align import draft_to_target
from simspec.logits.capture.models import LanguageModel, file_digest, load_model
from simspec.logits.capture.pair import capture_pair
from simspec.logits.capture.passes import progress_bars, run_contexts, run_statistics
from simspec.logits.capture.recorded import capture_recorded
from simspec.logits.capture.windows import Cutter, Pool, Window
from simspec.logits.corpora.documents import Document, read_documents
from simspec.version import __version__

__all__ = ["add_arguments", "capture", "run"]


def capture(
    target: str,
    draft: str | None = None,
    *,
    text: Sequence[str | Path],
    out: str | Path,
    contexts: int = 300,
    statistics_text: Sequence[str | Path] = (),
    statistics: int = 0,
    tuning: int = 0,
    window: int = 128,
    min_position: int = 16,
    per_document: int = 2,
    batch: int = 8,
    seed: int = 0,
    device: str = "auto",
    storage: str = "float16",
    name: str | None = None,
    licence: str = "",
    note: str = "",
    command: str | None = None,
    progress: bool = True,
) -> Bank:
    """Run a target, and a draft, over texts and write a bank of their logits.

    Evaluation contexts are single places in windows of at most `window` tokens, at most `per_document` of a document,
    corpora taking turns.  Statistics and tuning contexts come from documents that no evaluation context comes from: of
    `statistics_text`, or else of `text`, half of which is then kept from evaluation.

    Parameters
    ----------
    target, draft : str
        Hugging Face id or local folder; vocabularies may differ, then contexts are places where both tokenizations
        of the whole document have a boundary, and the bank says how many there are.  That choice looks at the text
        on both sides of the place, so true next tokens there are not a fair sample of all next tokens.
    text, statistics_text : sequences of paths
        ``.txt``, ``.jsonl`` or ``.json`` (:func:`simspec.logits.corpora.documents.read_documents`).
    out : path
        the bank; it appears whole or not at all.
    contexts, statistics, tuning : int
        numbers of contexts; `statistics` is a least number, 0 for none.
    window, min_position : int
        contexts have their last token at positions `min_position` to `window` - 1 of the target's input.
    batch : int
        windows that are run at once.
    seed : int
        of the choice of documents and places.
    storage : {"float16", "float32"}
    licence, note, command : str
        kept in the provenance.

    Returns
    -------
    Bank
        opened from `out`.

    Raises
    ------
    ValueError
        for arguments out of range, too little text, models that cannot be loaded, or logits that are not finite.

    Examples
    --------
    >>> capture("gpt2-medium", "gpt2", text=["articles.txt"], out="mine.safetensors")  # doctest: +SKIP
    """
    for key, value, least in (
        ("contexts", contexts, 1), ("statistics", statistics, 0), ("tuning", tuning, 0), ("batch", batch, 1),
        ("min_position", min_position, 0), ("window", window, min_position + 2), ("per_document", per_document, 1),
    ):  # fmt: skip
        if value < least:
            raise ValueError(f"{key}: {value}; expected at least {least}")
    if seed < 0:
        raise ValueError(f"seed: {seed}; expected an integer that is not negative")
    if storage not in ("float16", "float32"):
        raise ValueError(f"storage: {storage!r}; expected 'float16' or 'float32'")
    check_out(out)
    documents, others, files = _read(text, statistics_text)
    ours = load_model(target, "target", device)
    theirs = None if draft is None else load_model(draft, "draft", device)
    if ours.limit is not None and window > ours.limit:
        raise ValueError(f"window: {window}; {target!r} takes at most {ours.limit} tokens")
    width = (ours.vocab + (theirs.vocab if theirs else 0)) * np.dtype(storage).itemsize
    check_memory("contexts", contexts, (contexts + tuning) * width)
    cut = Cutter(ours, theirs, window, min_position)
    rng = np.random.default_rng(seed)
    pool = Pool(documents, cut, rng)
    share = 0.5 if (statistics or tuning) and not others else 1
    chosen = pool.contexts(contexts, per_document, share, "contexts")
    texts = dict(documents + others)
    used = {texts[w.document].text for w in chosen}
    rest = (Pool(others, cut, rng) if others else pool).without(used)
    tuned = rest.contexts(tuning, per_document, 1, "tuning") if tuning else []
    streamed = rest.windows(statistics) if statistics else []

    table = _table(ours, theirs)
    with progress_bars(progress) as advance:
        rows = run_contexts(ours, theirs, chosen, batch, storage, advance("evaluation", len(chosen)))
        extra = run_contexts(ours, theirs, tuned, batch, storage, advance("tuning", len(tuned))) if tuned else None
        tensors = run_statistics(ours, theirs, table, streamed, batch, advance) if streamed else None
    models = {"target": ours.facts} | ({} if theirs is None else {"draft": theirs.facts})
    provenance = {
        "models": models,
        "texts": files,
        "licence": licence,
        "note": note,
        "date": _today(),
        "command": command or "",
        "seed": seed,
        "device": ours.device,
        "versions": _versions(),
        "places": {"target": cut.places, "shared": cut.shared, "share": cut.shared / max(cut.places, 1)},
        "bytes not spelled by both tokenizers": cut.lost_bytes,
        "documents": {"evaluation": _count(chosen), "tuning": _count(tuned), "statistics": _count(streamed)},
    }
    same = theirs is None or np.array_equal(np.arange(ours.vocab), table if table is not None else [])
    write_bank(
        out,
        name=name or Path(out).name.removesuffix(".safetensors"),
        target=rows[0],
        draft=rows[1],
        contexts=_contexts(chosen),
        tokens=ours.token_bytes(),
        draft_tokens=None if same or theirs is None else theirs.token_bytes(),
        draft_to_target=None if same else table,
        tuning=(*extra, _contexts(tuned)) if extra else None,
        statistics=tensors,
        provenance=provenance,
    )
    return open_bank(Path(out))


Numbered = list[tuple[int, Document]]


def _read(text: Sequence[str | Path], statistics_text: Sequence[str | Path]) -> tuple[Numbered, Numbered, list[Any]]:
    """Numbered documents for evaluation and for statistics, and what the provenance says of their files."""
    if not text:
        raise ValueError("text: no file; expected at least one")
    documents: Numbered = []
    others: Numbered = []
    files = []
    for role, paths, found in (("evaluation", text, documents), ("statistics", statistics_text, others)):
        for path in paths:
            read = read_documents(path)
            found += enumerate(read, len(documents) + len(others))
            facts = {"file": read[0].corpus, "sha256": file_digest(Path(path)), "documents": len(read), "for": role}
            files.append(facts)
    return documents, others, files


def _table(target: LanguageModel, draft: LanguageModel | None) -> NDArray[np.int32] | None:
    if draft is None:
        return None
    if target.strings == draft.strings and np.array_equal(target.special, draft.special):
        return np.arange(target.vocab, dtype=np.int32)
    roles = (target.roles, draft.roles)
    return draft_to_target(target.strings, draft.strings, target.special, draft.special, roles)


def _contexts(windows: list[Window]) -> Contexts:
    return Contexts(
        last=np.array([w.target[-1] for w in windows], dtype=np.int32),
        following=np.array([w.following[0] for w in windows], dtype=np.int32),
        position=np.array([w.positions[0] for w in windows], dtype=np.int32),
        document=np.array([w.document for w in windows], dtype=np.int32),
        corpus=np.array([w.corpus for w in windows]),
    )


def _count(windows: list[Window]) -> dict[str, int]:
    """Documents of each corpus that the windows come from."""
    pairs = {(w.corpus, w.document) for w in windows}
    return {corpus: sum(c == corpus for c, _ in pairs) for corpus in sorted({c for c, _ in pairs})}


def _today() -> str:
    """Date of capture, UTC; SOURCE_DATE_EPOCH is honoured, for files that can be made again bit by bit."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.datetime.fromtimestamp(int(epoch), datetime.UTC) if epoch else datetime.datetime.now(datetime.UTC)
    return moment.date().isoformat()


def _versions() -> dict[str, str]:
    import torch
    import transformers

    versions = {"simspec": __version__, "numpy": np.__version__, "torch": str(torch.__version__)}
    return versions | {"transformers": transformers.__version__}


_EPILOG = """\
examples:
  simspec capture --target gpt2-medium --draft gpt2 --text articles.txt --statistics 20000 --tuning 64 -o mine.safetensors
  simspec capture --target ./target --draft ./draft --text a.txt --text b.jsonl \\
      --statistics 20000 --tuning 64 -o b.safetensors
  simspec capture --pair pair.npz --vocab target.json --draft-vocab draft.json -o own.safetensors
      pair.npz: np.savez("pair.npz", target=..., draft=...) with logits (contexts, V) and (contexts, Vd), or p= and q=
      with laws; and, where they apply, draft_to_target= (Vd,), shared= (V,), document=, last=, following= (contexts,)
      then: simspec verify --bank own.safetensors, or simspec rates own.safetensors
  simspec capture --logits recorded.npz --vocab encoder.json --prompts prompts.json -o recorded.safetensors
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `simspec capture`."""
    parser.description = "Write a bank: logits of a target model, and of a draft, over contexts of your text."
    parser.epilog = _EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--target", metavar="MODEL", help="Hugging Face id or local folder")
    add("--draft", metavar="MODEL", help="the same; its vocabulary may differ")
    add(
        "--text",
        metavar="FILE",
        action="append",
        default=[],
        help="text for evaluation contexts: .txt, .jsonl, .json; may be repeated",
    )
    add("--contexts", metavar="N", type=int, default=300, help="evaluation contexts (default %(default)s)")
    add(
        "--statistics-text",
        metavar="FILE",
        action="append",
        default=[],
        help="text for statistics (default: other documents of --text)",
    )
    add(
        "--statistics",
        metavar="N",
        type=int,
        default=0,
        help="contexts for streamed statistics; 20000 is plenty (default none)",
    )
    add(
        "--tuning",
        metavar="N",
        type=int,
        default=0,
        help="contexts for tuning parameters, from the statistics' text (default none)",
    )
    add("--window", metavar="N", type=int, default=128, help="longest target input, tokens (default %(default)s)")
    add("--min-position", metavar="N", type=int, default=16, help="shortest context less one (default %(default)s)")
    add(
        "--per-document",
        metavar="N",
        type=int,
        default=2,
        help="most evaluation contexts of one document (default %(default)s)",
    )
    add("--batch", metavar="N", type=int, default=8, help="windows run at once (default %(default)s)")
    add("--seed", metavar="N", type=int, default=0, help="of the choice of contexts (default %(default)s)")
    add("--device", choices=["auto", "cpu", "cuda"], default="auto", help="where the models run (default %(default)s)")
    add(
        "--storage", choices=["float16", "float32"], default="float16", help="how logits are kept (default %(default)s)"
    )
    add("--name", help="name of the bank (default: that of the file)")
    add("--licence", default="", help="licence of models and text, kept in the bank")
    add("--note", default="", help="anything a reader of the bank should know")
    add("--pair", metavar="NPZ", help="stored logits or laws of a target and a draft instead of models (example below)")
    add("--logits", metavar="NPZ", help="recorded logits (contexts x vocabulary) of a target instead of models")
    add("--vocab", metavar="JSON", help="with --logits or --pair: the target's token strings to ids")
    add("--draft-vocab", metavar="JSON", help="with --pair: the draft's; tokens of the same bytes are shared")
    add("--prompts", metavar="JSON", help="with --logits: list of records with token_ids")
    add("-o", "--out", metavar="BANK", required=True, help="file to write, .safetensors")


def run(args: argparse.Namespace) -> int:
    """Run `simspec capture`; 0 when the bank is written, 2 (and one line on stderr) for bad input."""
    try:
        about = {"licence": args.licence, "note": args.note, "command": _command(args), "date": _today()}
        if args.pair:
            if args.target or args.draft or args.text or args.logits or args.prompts:
                raise ValueError(
                    "--pair: stands for itself; expected no --target, --draft, --text, --logits, --prompts"
                )
            files = {"vocab": args.vocab, "draft_vocab": args.draft_vocab}
            bank = capture_pair(args.pair, args.out, **files, name=args.name, storage=args.storage, about=about)
        elif args.logits:
            if args.target or args.draft or args.text or not (args.vocab and args.prompts):
                raise ValueError("--logits: goes with --vocab and --prompts, and without --target, --draft and --text")
            bank = capture_recorded(args.logits, args.vocab, args.prompts, args.out, name=args.name, about=about)
        elif not args.target:
            raise ValueError(
                "--target: missing; expected a Hugging Face id or a folder (or --pair, --logits for what is stored)"
            )
        else:
            keys = set(vars(args)) & set(capture.__kwdefaults__ or ()) | {"target", "draft", "text", "out"}
            bank = capture(**{key: getattr(args, key) for key in sorted(keys - {"command"})}, command=_command(args))
    except (ValueError, OSError) as error:
        print(f"simspec capture: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("simspec capture: interrupted; nothing was written", file=sys.stderr)
        return 130
    print(f"{args.out}\n{bank}")
    return 0


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
            shown = "/".join(Path(item).parts[-2:]) if os.sep in str(item) and Path(item).exists() else str(item)
            if action.dest in ("target", "draft", "out"):
                shown = Path(item).name if Path(item).is_dir() or action.dest == "out" else str(item)
            words += [action.option_strings[-1], shown]
    return " ".join(words)
