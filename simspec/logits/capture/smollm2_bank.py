"""Makes the bank `smollm2` that ships: SmolLM2-135M-Instruct and two quantised drafts, in chat and on the texts of `wiki`.

    python -m simspec.logits.capture.smollm2_bank CORPORA OUT
    python -m simspec.logits.capture.smollm2_bank CORPORA OUT --whole-rows all

The target answers the prompts of `simspec/logits/data/smollm2-prompts.jsonl`; of each answer, and of each chosen document of
the corpora, a run of consecutive positions is recorded.  All contexts are stored as cut rows, some with their whole rows too.
The statistics come from other documents of the corpora, which are the texts of the bank `wiki`: model and text can be told
apart.  With ``--whole-rows all`` every context keeps its whole rows: the full bank, of which the shipped one is a cut.  Rows
go to the disk as they are made.  Size, memory and time are announced before, and the time that was taken is told at the end.
A run that is interrupted goes on where it was, to the same bytes.  What is not here: the format of cut rows
(`simspec.logits.bank.cut`), and captures of one's own models (`simspec.logits.capture`).
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from simspec.logits.bank import Bank, open_bank
from simspec.logits.bank.cut import Cut, cut_part, cut_rows, joined
from simspec.logits.bank.storage import Contexts, Part, Rows, check_out, draft_tensor, store_rows, write_bank
from simspec.logits.capture import contexts_of, today, versions
from simspec.logits.capture.accumulate import needed
from simspec.logits.capture.answer_statistics import add_announced, load_target, unfinished_answers
from simspec.logits.capture.chat import Prompt, Speech, chat_window, read_prompts, written_answers
from simspec.logits.capture.drafts import make_draft, parse_draft
from simspec.logits.capture.models import LanguageModel, file_digest
from simspec.logits.capture.passes import lasting, progress_bars, run_statistics
from simspec.logits.capture.prepared import Options, Prepared, prepare
from simspec.logits.capture.rows_on_disk import RowsOnDisk
from simspec.logits.capture.smollm2 import NAME
from simspec.logits.capture.unfinished import ENDING, Unfinished, key_of
from simspec.logits.capture.windows import Window

__all__ = ["DRAFTS", "Plan", "Processor", "main", "make", "plan", "runs", "whole_contexts"]

DRAFTS = ("quantised:3", "quantised:4")
"""The first is the one that the bank opens with."""
TEXTS = ("wikitext2/test.txt", "gsm8k/test.jsonl", "mbpp/mbpp.jsonl", "slurp/test.jsonl")
"""Files of the corpora, those of the bank `wiki` in its order, so that a document has the same number in both banks."""
PROMPTS = Path(__file__).parents[1] / "data" / "smollm2-prompts.jsonl"
LICENCE = "SmolLM2 Apache-2.0; prompts Apache-2.0; WikiText-2 CC BY-SA 3.0; gsm8k MIT; mbpp and slurp CC BY 4.0"
NOTE = "answers are written by the target at temperature 1; statistics come from other documents of the four text files"
DOCUMENTS = 28
"""Documents of the texts, and answers of each kind."""
STATISTICS = 60_000
"""Positions of the statistics."""


@dataclass
class Processor:
    """Seconds of the processor, of all of its cores together, that each stage of a capture took: a stopwatch.

    >>> processor = Processor()
    >>> with processor.of("answers"):
    ...     pass
    >>> list(processor.seconds)
    ['answers']
    """

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def of(self, stage: str) -> Iterator[None]:
        """Count what is done inside as a stage."""
        start = time.process_time()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.process_time() - start


@dataclass(frozen=True)
class Plan:
    """What is recorded, of which models.

    Attributes
    ----------
    target, drafts : models that are loaded
    windows : a run of consecutive contexts each, in the order of the bank
    whole : numbers of the contexts, counted over all windows, whose whole rows are stored too, rising
    prepared : of the texts, with the windows of the statistics
    files : digests of prompts and texts
    speech : how the target wrote its answers
    kinds : of prompts
    kept : tokens of a cut row
    batch : windows that are run at once
    """

    target: LanguageModel
    drafts: tuple[LanguageModel, ...]
    windows: list[Window]
    whole: NDArray[np.int64]
    prepared: Prepared
    files: list[Any]
    speech: Speech
    kinds: tuple[str, ...]
    kept: int = 1024
    batch: int = 4


def runs(windows: Sequence[Window], length: int, rng: np.random.Generator) -> list[Window]:
    """Of each window a run of so many consecutive contexts at a random place; all contexts of a shorter one.

    >>> at = np.arange(5)
    >>> window = Window("chat", 0, [7, 8, 9, 10, 11], [], at, np.empty(0, dtype=np.int64), at)
    >>> run = runs([window], 2, np.random.default_rng(0))[0]
    >>> run.positions.tolist(), len(run.target)
    ([3, 4], 5)
    """
    window_runs = []
    for window in windows:
        count = len(window.positions)
        first = int(rng.integers(max(1, count - length + 1)))
        window_runs.append(window.only(first, min(length, count)))
    return window_runs


def whole_contexts(
    windows: Sequence[Window], kinds: Sequence[str], count: int | None, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Contexts of which whole rows are stored: one at random of each of `count` windows of each kind, or of all it has.

    With None for `count`, all contexts of all windows.

    Parameters
    ----------
    windows : runs of contexts
    kinds : of each window
    count : windows of a kind; None for every context

    Returns
    -------
    integer array
        numbers of contexts, counted over all windows, rising
    """
    starts = np.cumsum([0, *[len(window.positions) for window in windows]])
    if count is None:
        return np.arange(starts[-1], dtype=np.int64)
    contexts: list[int] = []
    for kind in sorted(set(kinds)):
        own = [number for number, name in enumerate(kinds) if name == kind]
        windows_of_kind = rng.permutation(own)[:count]
        contexts += [starts[number] + rng.integers(len(windows[number].positions)) for number in windows_of_kind]
    return np.sort(np.array(contexts, dtype=np.int64))


def _first_of_each(prompts: Sequence[Prompt], count: int) -> list[Prompt]:
    """The first so many prompts of each kind, in their order."""
    count_by_kind: dict[str, int] = {}
    first_prompts = []
    for prompt in prompts:
        count_by_kind[prompt.kind] = count_by_kind.get(prompt.kind, 0) + 1
        if count_by_kind[prompt.kind] <= count:
            first_prompts.append(prompt)
    return first_prompts


def plan(
    corpora: Path,
    *,
    target: str = NAME,
    drafts: Sequence[str] = DRAFTS,
    prompts: Path = PROMPTS,
    texts: Sequence[str] = TEXTS,
    speech: Speech = Speech(temperature=1.0, length=24, seed=0),  # noqa: B008
    run: int = 12,
    documents: int = DOCUMENTS,
    whole: int | None = 13,
    statistics: int = STATISTICS,
    window: int = 128,
    kept: int = 1024,
    progress: bool = True,
    processor: Processor | None = None,
) -> Plan:
    """Load the models, let the target answer, and choose contexts.

    Parameters
    ----------
    corpora : folder of the texts
    target, drafts, prompts, texts, speech : what the bank is of
    run : consecutive contexts of an answer or a document
    documents : of the texts, and the first so many prompts of each kind
    whole : contexts with whole rows, of each kind of prompt and of the texts; None for all contexts
    statistics : positions of other documents
    window : longest input, tokens
    kept : tokens of a cut row
    processor : counts the time of loading the models and of the answers

    Raises
    ------
    ValueError
        for a folder without one of the texts, models that cannot be loaded, prompts that are answered with nothing, and too
        little text.
    """
    missing = [name for name in texts if not (Path(corpora) / name).is_file()]  # before the models, which take minutes
    if missing:
        raise ValueError(f"corpora: {corpora} has no {missing[0]}; expected the folder of {', '.join(texts)}")
    settings = Options(
        contexts=run * documents, neighbours=run, per_document=1, statistics=statistics, window=window, device="cpu"
    )
    stopwatch = processor or Processor()
    with stopwatch.of("models"):
        target_model = load_target(target, settings.device)
        specs = [parse_draft(draft) for draft in drafts]
        draft_models = tuple(make_draft(spec, target_model) for spec in specs if spec is not None)
    rng = np.random.default_rng(settings.seed)
    questions = _first_of_each(read_prompts(prompts), documents)
    with stopwatch.of("answers"):
        answers = written_answers(target_model, questions, speech)
    spoken = [
        chat_window(target_model, draft_models[0], question, ids, answer, number)
        for number, (question, (ids, answer)) in enumerate(zip(questions, answers, strict=True))
    ]
    chat_file = {"file": prompts.name, "sha256": file_digest(prompts), "documents": len(questions), "for": "chat"}
    with progress_bars(progress, transient=True) as advance:
        written = prepare(
            target_model, draft_models[0], text=[corpora / name for name in texts], settings=settings, advance=advance
        )
    answered = runs(spoken, run, rng)
    # documents of the texts keep the numbers that they have in the bank `wiki`; prompts are counted behind them
    first = len(written.documents)
    answered = [window._replace(document=first + window.document) for window in answered]
    windows = [*written.chosen, *answered]
    kinds = ["texts"] * len(written.chosen) + [window.corpus for window in answered]
    return Plan(
        target=target_model,
        drafts=draft_models,
        windows=windows,
        whole=whole_contexts(windows, kinds, whole, rng),
        prepared=written,
        files=[chat_file, *written.files],
        speech=speech,
        kinds=tuple(dict.fromkeys(window.corpus for window in answered)),
        kept=kept,
    )


def make(
    bank_plan: Plan, out: str | Path, command: str = "", progress: bool = True, processor: Processor | None = None
) -> Bank:
    """Run the models over what is planned, write the bank, and open it; an interrupted run goes on where it was.

    The statistics take most of the time: the bank is written before them, without, and once more when they are there.  Whole
    rows are in files beside the bank until it is written, and not in memory.  `processor` counts the time of the contexts and
    of the statistics.
    """
    stopwatch = processor or Processor()
    check_out(out)
    models = (bank_plan.target, *bank_plan.drafts)
    facts = {
        "models": [model.facts for model in models],
        "how": [bank_plan.kept, bank_plan.batch, bank_plan.whole.tolist()],
    }
    facts["versions"] = [versions()]
    parts = {"contexts": bank_plan.windows, "statistics": bank_plan.prepared.streamed}
    unfinished = Unfinished(out, key_of(facts, parts))
    with progress_bars(progress) as advance:
        with stopwatch.of("contexts"):
            recorded = _recorded(bank_plan, models, unfinished, advance)
            _write(bank_plan, out, command, recorded, None)
        # of the target alone: a learnt affinity would be of one draft of the two
        streamed = bank_plan.prepared.streamed
        with stopwatch.of("statistics"):
            tensors = run_statistics(bank_plan.target, None, None, streamed, bank_plan.batch, advance, unfinished)
    _write(bank_plan, out, command, recorded, tensors)
    unfinished.remove()
    return open_bank(Path(out))


def _write(
    bank_plan: Plan,
    out: str | Path,
    command: str,
    recorded: tuple[Cut, list[Rows]],
    statistics: dict[str, NDArray[Any]] | None,
) -> None:
    """The bank's file, with where it is from."""
    cut, rows = recorded
    contexts = contexts_of(bank_plan.windows)
    numbers = np.full(len(contexts.last), -1, dtype=np.int32)
    numbers[bank_plan.whole] = np.arange(len(bank_plan.whole))
    whole_index = Contexts._make(values[bank_plan.whole] for values in contexts)
    write_bank(
        out,
        name=Path(out).name.removesuffix(".safetensors"),
        evaluation=Part(rows[0], rows[1], whole_index),
        tokens=bank_plan.target.token_bytes(),
        statistics=statistics,
        provenance=_provenance(bank_plan, command, statistics is not None),
        drafts=[model.facts["name"].rpartition(", ")[2] for model in bank_plan.drafts],
        further=rows[2:],
        cut=cut_part(cut, contexts, numbers),
    )


def _recorded(
    bank_plan: Plan, models: Sequence[LanguageModel], unfinished: Unfinished, advance: Any
) -> tuple[Cut, list[Rows]]:
    """Cut rows of all contexts, and of each model the whole rows of some; what an earlier run has recorded is read.

    Whole rows go from the files of a batch, which are there from the first thing kept, to one file a model.
    """
    step = advance("contexts", len(bank_plan.windows))
    starts = np.cumsum([0, *[len(window.positions) for window in bank_plan.windows]])
    parts = []
    rows_on_disk: RowsOnDisk | None = None
    for at in range(0, len(bank_plan.windows), bank_plan.batch):
        some = bank_plan.windows[at : at + bank_plan.batch]
        first = starts[at]
        last = starts[at + len(some)]
        of_batch = bank_plan.whole[(bank_plan.whole >= first) & (bank_plan.whole < last)] - first
        name = f"contexts-{at:06d}"
        tensors = unfinished.tensors(name)
        if tensors is None:
            tensors = _batch(models, some, of_batch, bank_plan.kept)
            unfinished.keep_tensors(name, tensors)
        parts.append(Cut(*(tensors[field] for field in Cut._fields)))
        rows = [_rows_of(tensors, model) for model in range(len(models))]
        if rows_on_disk is None:  # now that the folder is there, and is this capture's
            rows_on_disk = RowsOnDisk(unfinished.folder, len(models), len(bank_plan.whole), rows[0].stored.shape[1])
        rows_on_disk.add(rows)
        step(len(some))
    assert rows_on_disk is not None  # a plan has windows
    return joined(parts), rows_on_disk.all()


def _batch(
    models: Sequence[LanguageModel], windows: Sequence[Window], own: NDArray[np.int64], kept: int
) -> dict[str, NDArray[Any]]:
    """Tensors of some windows: the cut rows, and the whole rows of the contexts `own`, counted in these windows."""
    inputs = [window.target for window in windows]
    positions = [window.positions for window in windows]
    logits = [model.logits(inputs, positions) for model in models]
    cuts = [cut_rows([z[at : at + ROWS] for z in logits], kept) for at in range(0, len(logits[0]), ROWS)]
    tensors: dict[str, NDArray[Any]] = dict(joined(cuts)._asdict())
    for model, z in enumerate(logits):
        whole = store_rows(z[own])
        tensors |= {f"{model} {field}": getattr(whole, field) for field in Rows._fields}
    return tensors


ROWS = 12
"""Contexts that are cut at a time: each takes a few megabytes in 64 bits."""


def _rows_of(tensors: Any, model: int) -> Rows:
    return Rows(*(tensors[f"{model} {field}"] for field in Rows._fields))


def _provenance(bank_plan: Plan, command: str, has_statistics: bool) -> dict[str, Any]:
    """Where the bank is from."""
    models = {"target": bank_plan.target.facts}
    models |= {draft_tensor(number): model.facts for number, model in enumerate(bank_plan.drafts)}
    statistics = {(window.corpus, window.document) for window in bank_plan.prepared.streamed}
    corpora = sorted({corpus for corpus, _ in statistics}) if has_statistics else []
    return {
        "models": models,
        "texts": bank_plan.files,
        "licence": LICENCE,
        "note": NOTE,
        "date": today(),
        "command": command,
        "seed": bank_plan.prepared.asked.seed,
        "device": bank_plan.target.device,
        "versions": versions(),
        "chat": {**asdict(bank_plan.speech), "text": "written by the target in its chat format"},
        "documents": {"statistics": {name: sum(corpus == name for corpus, _ in statistics) for name in corpora}},
    }


SHARED = 1e7
"""Bytes of a bank beside its rows: statistics, tokens, what is kept of each context."""


def _size(bank_plan: Plan) -> tuple[float, float]:
    """Bytes of the bank's file, and of the disk that is needed while it is made."""
    models = 1 + len(bank_plan.drafts)
    contexts = sum(len(window.positions) for window in bank_plan.windows)
    whole = 2 * models * len(bank_plan.whole) * bank_plan.target.vocab  # 16 bits a logit
    cut = 2 * contexts * bank_plan.kept * (1 + models)
    bank = whole + cut + SHARED
    # the rows of each batch and those of each model, the bank without statistics, and the one that takes its place
    return bank, 2 * whole + cut + 2 * bank


def _takes(bank_plan: Plan) -> str:
    """What the capture will take, in words; the time is that of a first batch, which is run and thrown away."""
    contexts = sum(len(window.positions) for window in bank_plan.windows)
    positions = sum(len(window.positions) for window in bank_plan.prepared.streamed)
    streamed = sum(len(window.target) for window in bank_plan.prepared.streamed)
    # the target reads the texts of the statistics in two passes
    tokens = (1 + len(bank_plan.drafts)) * sum(len(window.target) for window in bank_plan.windows) + 2 * streamed
    duration = lasting(bank_plan.prepared.seconds() * tokens / bank_plan.prepared.tokens)
    bank, disk = (size / 1e9 for size in _size(bank_plan))
    longest = max(len(window.target) for window in [*bank_plan.windows, *bank_plan.prepared.streamed])
    # the sums of the statistics, and the logits of a batch of windows, in 32 bits, of each model
    batch = 4 * bank_plan.batch * longest * bank_plan.target.vocab * (1 + len(bank_plan.drafts))
    memory = (needed(bank_plan.target.vocab) + batch) / 1e9
    counts = (
        f"{contexts:,} contexts, {len(bank_plan.whole):,} of them whole, and {positions:,} positions for statistics"
    )
    sizes = (
        f"a file of {bank:.2g} GB, {disk:.2g} GB of disk while it is made, {memory:.2g} GB of memory beside the models"
    )
    return f"{counts}; {sizes}: the models read {tokens:,} tokens, about {duration} here"


def _took(seconds: Mapping[str, float], bank_plan: Plan, is_full: bool) -> str:
    """What the processor did, and how long the bank of `DOCUMENTS` documents and `STATISTICS` positions takes at this pace.

    Two idle cores take at least half of the processor's time, and at most all of it.
    """
    answers = sum(window.corpus in bank_plan.kinds for window in bank_plan.windows)
    positions = sum(len(window.positions) for window in bank_plan.prepared.streamed)
    kinds = 1 + len(bank_plan.kinds)
    share = {
        "models": 1.0,
        "answers": DOCUMENTS * len(bank_plan.kinds) / answers,
        "contexts": DOCUMENTS * kinds / len(bank_plan.windows),
        "statistics": STATISTICS / positions,
    }
    counts = {"answers": answers, "contexts": len(bank_plan.windows), "statistics": positions}
    units = {"answers": "answers", "contexts": "documents", "statistics": "positions"}
    of_stages = [
        f"{stage} {seconds.get(stage, 0.0):.0f} s" + (f" ({counts[stage]:,} {units[stage]})" if stage in counts else "")
        for stage in share
    ]
    total = sum(share[stage] * seconds.get(stage, 0.0) for stage in share)
    rows = "all of its rows whole" if is_full else "rows cut like these"
    return (
        f"processor time: {', '.join(of_stages)}. At this pace the bank of {DOCUMENTS * kinds} documents and {STATISTICS:,} "
        f"positions, {rows}, takes {lasting(total / 2)} to {lasting(total)} on two idle cores (measured on "
        f"{len(bank_plan.windows)} documents)"
    )


class _Parser(argparse.ArgumentParser):
    """Raises what is wrong in place of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message}; expected {USAGE}")


USAGE = (
    "python -m simspec.logits.capture.smollm2_bank CORPORA OUT [--whole-rows N|all] [--documents N] [--statistics N] "
    "[--answers N]"
)


def _whole_rows(text: str) -> int | None:
    """The number of contexts of each kind with whole rows, None for "all"."""
    if text == "all":
        return None
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r}; expected a number of contexts of each kind, or all")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a number, 1 or more")
    return int(text)


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    """The arguments; ValueError for what is wrong with them."""
    parser = _Parser(
        prog="python -m simspec.logits.capture.smollm2_bank", description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument("places", nargs="*", metavar="CORPORA OUT", help="folder of the texts, and file of the bank")
    parser.add_argument(
        "--whole-rows",
        type=_whole_rows,
        default=13,
        metavar="N|all",
        help="contexts of each kind that keep their whole rows of 49,152 logits beside the cut ones, or all of them",
    )
    parser.add_argument(
        "--documents",
        type=_positive,
        default=DOCUMENTS,
        metavar="N",
        help="documents of the texts, and prompts of each kind",
    )
    parser.add_argument(
        "--statistics", type=_positive, default=STATISTICS, metavar="N", help="positions of other documents, at least"
    )
    parser.add_argument(
        "--answers",
        type=_positive,
        metavar="N",
        help="add statistics of so many positions of the target's answers to other questions, at least; 60000 in the bank that "
        "ships",
    )
    arguments = parser.parse_args(words)
    if len(arguments.places) != 2:
        raise ValueError(f"{len(arguments.places)} arguments; expected two: {USAGE}")
    return arguments


def _check_disk(out: Path, bank_plan: Plan) -> None:
    """Refuse a disk that is too small for what is made, before it is."""
    size = _size(bank_plan)[1]
    free = shutil.disk_usage(out.resolve().parent).free
    if free < size:
        raise ValueError(
            f"out: the disk of {str(out)!r} has {free / 1e9:.2g} GB left; expected {size / 1e9:.2g} GB while the bank is made"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the bank of the folder of the corpora and the file's path; 2 and a line on stderr for bad input."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    processor = Processor()
    try:
        options = _arguments(words)
        corpora, out = map(Path, options.places)
        check_out(out)
        if options.answers and out.is_file() and Path(f"{unfinished_answers(out)}{ENDING}").is_dir():
            # cut off in its last stage
            bank = add_announced(open_bank(out), corpora, out, load_target(NAME, "cpu"), options.answers)
            print(f"{out}\n{bank}")
            return 0
        bank_plan = plan(
            corpora,
            documents=options.documents,
            whole=options.whole_rows,
            statistics=options.statistics,
            processor=processor,
        )
        print(_takes(bank_plan), file=sys.stderr, flush=True)
        _check_disk(out, bank_plan)
        # of the command that the bank keeps no folder of this machine is part
        settings = [word for word in words if word not in options.places]
        command = " ".join(["python -m simspec.logits.capture.smollm2_bank CORPORA", out.name, *settings])
        is_resumed = Path(f"{out}{ENDING}").is_dir()
        bank = make(bank_plan, out, command=command, processor=processor)
        if options.answers:
            bank = add_announced(bank, corpora, out, bank_plan.target, options.answers)
    except (ValueError, OSError) as error:
        print(f"simspec: error: {error}", file=sys.stderr)
        return 2
    if is_resumed:
        print("went on with what an earlier run had done: the time of the whole is not known", file=sys.stderr)
    else:
        print(_took(processor.seconds, bank_plan, options.whole_rows is None), file=sys.stderr)
    print(f"{out}\n{bank}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
