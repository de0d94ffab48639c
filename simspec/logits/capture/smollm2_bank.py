"""Makes the bank `smollm2` that ships: SmolLM2-135M-Instruct and two quantised drafts, in chat and on the texts of `wiki`.

    python -m simspec.logits.capture.smollm2_bank CORPORA OUT

The target answers the prompts of `simspec/logits/data/smollm2-prompts.jsonl`; of each answer, and of each chosen document of
the corpora, a run of consecutive positions is recorded.  All contexts are stored as cut rows, some with their whole rows too.
The statistics come from other documents of the corpora, which are the texts of the bank `wiki`: model and text can be told
apart.  A run that is interrupted goes on where it was, to the same bytes.  What is not here: the format of cut rows
(`simspec.logits.bank.cut`), and captures of one's own models (`simspec.logits.capture`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.logits.bank import Bank, open_bank
from simspec.logits.bank.cut import Cut, cut_part, cut_rows, joined
from simspec.logits.bank.storage import Contexts, Part, Rows, check_out, draft_tensor, store_rows, write_bank
from simspec.logits.capture import contexts_of, today, versions
from simspec.logits.capture.chat import Prompt, Speech, chat_window, prompt_ids, read_prompts
from simspec.logits.capture.drafts import make_draft, parse_draft
from simspec.logits.capture.models import LanguageModel, file_digest, load_model
from simspec.logits.capture.passes import lasting, progress_bars, run_statistics
from simspec.logits.capture.prepared import Options, Prepared, prepare
from simspec.logits.capture.smollm2 import NAME
from simspec.logits.capture.unfinished import Unfinished, key_of
from simspec.logits.capture.windows import Window

__all__ = ["DRAFTS", "Plan", "main", "make", "plan", "runs", "whole_contexts", "written_answers"]

DRAFTS = ("quantised:3", "quantised:4")
"""The first is the one that the bank opens with."""
TEXTS = ("wikitext2/test.txt", "gsm8k/test.jsonl", "mbpp/mbpp.jsonl", "slurp/test.jsonl")
"""Files of the corpora, those of the bank `wiki` in its order, so that a document has the same number in both banks."""
PROMPTS = Path(__file__).parents[1] / "data" / "smollm2-prompts.jsonl"
TITLE = "SmolLM2-135M-Instruct"
"""What the target is called in the bank, in place of its file."""
LICENCE = "SmolLM2 Apache-2.0; prompts Apache-2.0; WikiText-2 CC BY-SA 3.0; gsm8k MIT; mbpp and slurp CC BY 4.0"
NOTE = "answers are written by the target at temperature 1; statistics come from other documents of the four text files"


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
    chosen = []
    for window in windows:
        count = len(window.positions)
        first = int(rng.integers(max(1, count - length + 1)))
        chosen.append(window.only(first, min(length, count)))
    return chosen


def written_answers(
    target: LanguageModel, prompts: Sequence[Prompt], speech: Speech, batch: int = 28
) -> list[tuple[list[int], list[int]]]:
    """Token ids of each prompt in the chat format and of the answer that the target writes, many prompts at once.

    Answers have one token at least, and end with the end of the text where it is reached.  `answer_all` of
    `simspec.logits.capture.chat` writes one after the other, which takes several times as long.
    """
    import torch

    network = target.model
    encoded = [prompt_ids(target, prompt) for prompt in prompts]
    end = target.roles["eos"]
    answers: list[list[int]] = []
    torch.manual_seed(speech.seed)
    for at in range(0, len(encoded), batch):
        some = encoded[at : at + batch]
        longest = max(map(len, some))
        padded = torch.tensor([[end] * (longest - len(ids)) + ids for ids in some], device=target.device)
        mask = torch.tensor([[0] * (longest - len(ids)) + [1] * len(ids) for ids in some], device=target.device)
        with torch.inference_mode():
            texts = network.generate(
                input_ids=padded,
                attention_mask=mask,
                do_sample=True,
                temperature=speech.temperature,
                top_k=0,
                top_p=1.0,
                min_new_tokens=1,
                max_new_tokens=speech.length,
                eos_token_id=end,
                pad_token_id=end,
            )
        for written in texts[:, longest:].tolist():
            stop = written.index(end) + 1 if end in written else len(written)
            answers.append(written[:stop])
    return list(zip(encoded, answers, strict=True))


def whole_contexts(
    windows: Sequence[Window], kinds: Sequence[str], count: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Contexts of which whole rows are stored: one at random of each of `count` windows of each kind, or of all it has.

    Parameters
    ----------
    windows : runs of contexts
    kinds : of each window
    count : windows of a kind

    Returns
    -------
    integer array
        numbers of contexts, counted over all windows, rising
    """
    starts = np.cumsum([0, *[len(window.positions) for window in windows]])
    chosen: list[int] = []
    for kind in sorted(set(kinds)):
        own = [number for number, name in enumerate(kinds) if name == kind]
        windows_of_kind = rng.permutation(own)[:count]
        chosen += [starts[number] + rng.integers(len(windows[number].positions)) for number in windows_of_kind]
    return np.sort(np.array(chosen, dtype=np.int64))


def plan(
    corpora: Path,
    *,
    target: str = NAME,
    drafts: Sequence[str] = DRAFTS,
    prompts: Path = PROMPTS,
    texts: Sequence[str] = TEXTS,
    speech: Speech = Speech(temperature=1.0, length=24, seed=0),  # noqa: B008
    run: int = 12,
    documents: int = 28,
    whole: int = 13,
    statistics: int = 60_000,
    window: int = 128,
    kept: int = 1024,
    progress: bool = True,
) -> Plan:
    """Load the models, let the target answer, and choose contexts.

    Parameters
    ----------
    corpora : folder of the texts
    target, drafts, prompts, texts, speech : what the bank is of
    run : consecutive contexts of an answer or a document
    documents : of the texts
    whole : contexts with whole rows, of each kind of prompt and of the texts
    statistics : positions of other documents
    window : longest input, tokens
    kept : tokens of a cut row

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
    target_model = load_model(target, "target", settings.device)
    if target == NAME:
        target_model = replace(target_model, facts={**target_model.facts, "name": TITLE})
    specs = [parse_draft(draft) for draft in drafts]
    draft_models = tuple(make_draft(spec, target_model) for spec in specs if spec is not None)
    rng = np.random.default_rng(settings.seed)
    questions = read_prompts(prompts)
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
        kept=kept,
    )


def make(chosen: Plan, out: str | Path, command: str = "", progress: bool = True) -> Bank:
    """Run the models over what is chosen, write the bank, and open it; an interrupted run goes on where it was.

    The statistics take most of the time: the bank is written before them, without, and once more when they are there.
    """
    check_out(out)
    models = (chosen.target, *chosen.drafts)
    facts = {"models": [model.facts for model in models], "how": [chosen.kept, chosen.batch, chosen.whole.tolist()]}
    facts["versions"] = [versions()]
    parts = {"contexts": chosen.windows, "statistics": chosen.prepared.streamed}
    unfinished = Unfinished(out, key_of(facts, parts))
    with progress_bars(progress) as advance:
        recorded = _recorded(chosen, models, unfinished, advance)
        _write(chosen, out, command, recorded, None)
        # of the target alone: a learnt affinity would be of one draft of the two
        tensors = run_statistics(chosen.target, None, None, chosen.prepared.streamed, chosen.batch, advance, unfinished)
    _write(chosen, out, command, recorded, tensors)
    unfinished.remove()
    return open_bank(Path(out))


def _write(
    chosen: Plan,
    out: str | Path,
    command: str,
    recorded: tuple[Cut, list[Rows]],
    statistics: dict[str, NDArray[Any]] | None,
) -> None:
    """The bank's file, with where it is from."""
    cut, rows = recorded
    contexts = contexts_of(chosen.windows)
    numbers = np.full(len(contexts.last), -1, dtype=np.int32)
    numbers[chosen.whole] = np.arange(len(chosen.whole))
    whole_index = Contexts._make(values[chosen.whole] for values in contexts)
    write_bank(
        out,
        name=Path(out).name.removesuffix(".safetensors"),
        evaluation=Part(rows[0], rows[1], whole_index),
        tokens=chosen.target.token_bytes(),
        statistics=statistics,
        provenance=_provenance(chosen, command, statistics is not None),
        drafts=[model.facts["name"].rpartition(", ")[2] for model in chosen.drafts],
        further=rows[2:],
        cut=cut_part(cut, contexts, numbers),
    )


def _recorded(
    chosen: Plan, models: Sequence[LanguageModel], unfinished: Unfinished, advance: Any
) -> tuple[Cut, list[Rows]]:
    """Cut rows of all contexts, and of each model the whole rows of some; what an earlier run has recorded is read."""
    step = advance("contexts", len(chosen.windows))
    starts = np.cumsum([0, *[len(window.positions) for window in chosen.windows]])
    parts = []
    rows: list[list[Rows]] = []
    for at in range(0, len(chosen.windows), chosen.batch):
        some = chosen.windows[at : at + chosen.batch]
        first = starts[at]
        last = starts[at + len(some)]
        own = chosen.whole[(chosen.whole >= first) & (chosen.whole < last)] - first
        name = f"contexts-{at:06d}"
        tensors = unfinished.tensors(name)
        if tensors is None:
            tensors = _batch(models, some, own, chosen.kept)
            unfinished.keep_tensors(name, tensors)
        parts.append(Cut(*(tensors[field] for field in Cut._fields)))
        rows.append([_rows_of(tensors, model) for model in range(len(models))])
        step(len(some))
    whole = [Rows(*map(np.concatenate, zip(*of_model, strict=True))) for of_model in zip(*rows, strict=True)]
    return joined(parts), whole


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


def _provenance(chosen: Plan, command: str, has_statistics: bool) -> dict[str, Any]:
    """Where the bank is from."""
    models = {"target": chosen.target.facts}
    models |= {draft_tensor(number): model.facts for number, model in enumerate(chosen.drafts)}
    statistics = {(window.corpus, window.document) for window in chosen.prepared.streamed}
    corpora = sorted({corpus for corpus, _ in statistics}) if has_statistics else []
    return {
        "models": models,
        "texts": chosen.files,
        "licence": LICENCE,
        "note": NOTE,
        "date": today(),
        "command": command,
        "seed": chosen.prepared.asked.seed,
        "device": chosen.target.device,
        "versions": versions(),
        "chat": {**asdict(chosen.speech), "text": "written by the target in its chat format"},
        "documents": {"statistics": {name: sum(corpus == name for corpus, _ in statistics) for name in corpora}},
    }


def _takes(chosen: Plan) -> str:
    """What the capture will take, in words; the time is that of a first batch, which is run and thrown away."""
    contexts = sum(len(window.positions) for window in chosen.windows)
    positions = sum(len(window.positions) for window in chosen.prepared.streamed)
    streamed = sum(len(window.target) for window in chosen.prepared.streamed)
    # the target reads the texts of the statistics in two passes
    tokens = (1 + len(chosen.drafts)) * sum(len(window.target) for window in chosen.windows) + 2 * streamed
    duration = lasting(chosen.prepared.seconds() * tokens / chosen.prepared.tokens)
    counts = f"{contexts:,} contexts and {positions:,} positions for statistics"
    return f"{counts}: the models read {tokens:,} tokens, about {duration} here"


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the bank of the folder of the corpora and the file's path; 2 and a line on stderr for bad input."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    usage = "python -m simspec.logits.capture.smollm2_bank CORPORA OUT"
    if len(words) != 2:
        print(f"simspec: error: {len(words)} arguments; expected two: {usage}", file=sys.stderr)
        return 2
    corpora, out = map(Path, words)
    try:
        check_out(out)
        chosen = plan(corpora)
        print(_takes(chosen), file=sys.stderr, flush=True)
        bank = make(chosen, out, command=f"python -m simspec.logits.capture.smollm2_bank CORPORA {out.name}")
    except (ValueError, OSError) as error:
        print(f"simspec: error: {error}", file=sys.stderr)
        return 2
    print(f"{out}\n{bank}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
