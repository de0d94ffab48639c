"""Adds statistics of the target's own answers to the bank `smollm2`: token counts, mean law and covariance of what it writes.

    python -m simspec.logits.capture.answer_statistics CORPORA BANK OUT

The target answers questions of the corpora, of the kinds that the bank's own prompts are of, and reads its answers once more.
No evaluation context is of these answers.  They stand beside the statistics of texts, so that the text can be told from the
model; of both the leading directions of each covariance are kept that the size of the file allows.  A run that is interrupted
goes on where it was, to the same bytes.  What is not here: the bank itself (`simspec.logits.capture.smollm2_bank`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.files import parse_json
from simspec.logits.bank import Bank, open_bank
from simspec.logits.bank.checked import write_checked
from simspec.logits.bank.statistics import KINDS, OF_ANSWERS, OF_BANK
from simspec.logits.bank.storage import check_out
from simspec.logits.capture.accumulate import needed
from simspec.logits.capture.chat import Prompt, Speech, chat_window, written_answers
from simspec.logits.capture.models import LanguageModel, file_digest, load_model
from simspec.logits.capture.passes import progress_bars, run_statistics
from simspec.logits.capture.smollm2 import NAME, TITLE
from simspec.logits.capture.unfinished import Unfinished, key_of
from simspec.logits.capture.windows import Window

__all__ = [
    "POSITIONS",
    "QUESTIONS",
    "add",
    "add_announced",
    "announced",
    "answered",
    "fewer_directions",
    "load_target",
    "main",
    "questions",
    "unfinished_answers",
]

QUESTIONS = {"arithmetic": "gsm8k/test.jsonl", "chat": "slurp/test.jsonl", "code": "mbpp/mbpp.jsonl"}
"""Files of the corpora whose documents begin with a question, by the kind of prompt that it is."""
SPEECH = Speech(temperature=1.0, length=96, seed=1)
"""Answers longer than the bank's own, as statistics ask for many positions."""
POSITIONS = 60_000
DIRECTIONS = 12
"""Directions of each covariance that stay in the file."""
FIELDS = {"arithmetic": "question", "chat": "sentence", "code": "text"}
"""The question in a line of each file."""
BATCH = 42
"""Answers that are written at once."""


def questions(corpora: Path, seed: int) -> list[Prompt]:
    """Questions of each kind in turn, each kind in random order.

    Raises
    ------
    ValueError
        for a folder without one of the files.
    """
    rng = np.random.default_rng(seed)
    of_kinds = []
    for kind, name in QUESTIONS.items():
        path = Path(corpora) / name
        if not path.is_file():
            raise ValueError(
                f"corpora: {corpora} has no {name}; expected the folder of {', '.join(QUESTIONS.values())}"
            )
        lines = path.read_text(encoding="utf-8").splitlines()
        lines_asked = [parse_json(line)[FIELDS[kind]] for line in lines if line.strip()]
        shuffled = rng.permutation(len(lines_asked)).tolist()
        of_kinds.append([Prompt([{"role": "user", "content": lines_asked[n]}], kind, n + 1) for n in shuffled])
    return [prompt for prompts in zip(*of_kinds, strict=False) for prompt in prompts]


def answered(
    target: LanguageModel,
    prompts: Sequence[Prompt],
    speech: Speech,
    positions: int,
    unfinished: Unfinished,
    advance: Any,
) -> list[Window]:
    """Answers to the first questions, of so many positions together at least; those of an earlier run are read.

    Raises
    ------
    ValueError
        where all questions together have fewer.
    """
    windows: list[Window] = []
    count = 0
    step = advance("answers, positions", positions)
    for number, first in enumerate(range(0, len(prompts), BATCH)):
        batch = prompts[first : first + BATCH]
        tensors = unfinished.tensors(f"answers-{number:06d}")
        if tensors is None:
            # each batch has a seed of its own: what it writes does not depend on those before it
            texts = written_answers(target, batch, replace(speech, seed=speech.seed + number), BATCH)
            tensors = _packed(texts)
            unfinished.keep_tensors(f"answers-{number:06d}", tensors)
        for place, (prompt, (ids, answer)) in enumerate(zip(batch, _unpacked(tensors), strict=True)):
            windows.append(chat_window(target, None, prompt, ids, answer, first + place))
        new_count = sum(len(window.positions) for window in windows)
        step(min(new_count, positions) - min(count, positions))
        count = new_count
        if count >= positions:
            return windows
    raise ValueError(
        f"positions: {positions:,}; the answers to {len(prompts):,} questions have {count:,}: ask for fewer"
    )


def _packed(pairs: Sequence[tuple[list[int], list[int]]]) -> dict[str, NDArray[np.int32]]:
    """Token ids of questions and answers as two arrays: all ids, and how many each text has."""
    texts = [ids for pair in pairs for ids in pair]
    return {
        "tokens": np.concatenate([np.array(ids, dtype=np.int32) for ids in texts]),
        "lengths": np.array([len(ids) for ids in texts], dtype=np.int32),
    }


def _unpacked(tensors: Mapping[str, NDArray[Any]]) -> list[tuple[list[int], list[int]]]:
    ends = np.cumsum(tensors["lengths"])[:-1]
    texts = [ids.tolist() for ids in np.split(tensors["tokens"], ends)]
    return list(zip(texts[::2], texts[1::2], strict=True))


def fewer_directions(tensors: Mapping[str, NDArray[Any]], prefix: str, rank: int) -> dict[str, NDArray[Any]]:
    """The same statistics with the leading directions of each covariance alone; its diagonal stays what it was.

    What a direction adds to the variance of a token, value times squared entry, goes to the diagonal that is kept beside.
    """
    out = dict(tensors)
    for kind in (kind for kind in KINDS if f"{prefix}_{kind}_vectors" in tensors):
        vectors, scales, values = (tensors[f"{prefix}_{kind}_{field}"] for field in ("vectors", "scales", "values"))
        residual_variance = (vectors[:, rank:].astype(np.float64) * scales[rank:]) ** 2 @ values[rank:]
        diagonal = tensors[f"{prefix}_{kind}_diagonal"].astype(np.float64) + residual_variance
        out |= {
            f"{prefix}_{kind}_vectors": vectors[:, :rank],
            f"{prefix}_{kind}_scales": scales[:rank],
            f"{prefix}_{kind}_values": values[:rank],
            f"{prefix}_{kind}_diagonal": diagonal.astype(np.float32),
        }
    return out


def add(
    bank: Bank,
    corpora: Path,
    out: Path,
    *,
    target: LanguageModel,
    positions: int = POSITIONS,
    speech: Speech = SPEECH,
    directions: int = DIRECTIONS,
    batch: int = 8,
    progress: bool = True,
) -> Bank:
    """Write the bank with statistics of answers beside those of texts, and open it.

    Parameters
    ----------
    bank : with statistics of texts
    corpora : folder of the questions
    out : file of the new bank
    target : the bank's target
    positions : of answers, at least
    speech : how the answers are written
    directions : that are kept of each covariance, of answers and of texts
    batch : answers that are read at once

    Raises
    ------
    ValueError
        for another target, a bank without statistics of texts, and too few questions.
    """
    bank_model = bank.provenance["models"]["target"]
    if _digests(target.facts) != _digests(bank_model):
        raise ValueError(
            f"target: {target.facts['name']!r}; expected the bank's own, {bank_model['name']!r}: it has other weights"
        )
    if bank.statistics is None:
        raise ValueError(
            f"bank: {bank.name!r} has no statistics of texts; expected them, which those of answers stand beside"
        )
    check_out(out)
    prompts = questions(corpora, speech.seed)
    files = [
        {"file": name, "sha256": file_digest(Path(corpora) / name), "for": "questions of the statistics of answers"}
        for name in QUESTIONS.values()
    ]
    facts = {"target": target.facts, "speech": asdict(speech), "positions": positions, "files": files, "batch": batch}
    unfinished = Unfinished(unfinished_answers(out), key_of(facts, {}))
    with progress_bars(progress) as advance:
        windows = answered(target, prompts, speech, positions, unfinished, advance)
        measured = run_statistics(target, None, None, windows, batch, advance, unfinished)
    tensors = {name: bank.file.read(name) for name in bank.file.names if not name.startswith(OF_ANSWERS)}
    tensors |= {name.replace(OF_BANK, OF_ANSWERS, 1): tensor for name, tensor in measured.items()}
    for prefix in (OF_BANK, OF_ANSWERS):
        tensors = fewer_directions(tensors, prefix, directions)
    write_checked(out, tensors, _metadata(bank, windows, files, speech))
    unfinished.remove()
    return open_bank(out)


def unfinished_answers(out: Path) -> Path:
    """What the folder is named after in which an interrupted run keeps its answers: not the bank, whose maker has its own."""
    return out.with_name(f"{out.name}.answers")


def announced(positions: int, vocab: int) -> str:
    """What statistics of answers take, before they begin; how long is told once answers are written.

    >>> announced(60_000, 49_152)
    'statistics of 60,000 positions of answers: 0.51 GB of memory beside the model; the time that is left is told as it goes'
    """
    memory = needed(vocab) / 1e9
    return (
        f"statistics of {positions:,} positions of answers: {memory:.2g} GB of memory beside the model; the time that is left is "
        "told as it goes"
    )


def add_announced(bank: Bank, corpora: Path, out: Path, target: LanguageModel, positions: int) -> Bank:
    """The same as `add`, which tells first what it takes."""
    print(announced(positions, target.vocab), file=sys.stderr, flush=True)
    return add(bank, corpora, out, target=target, positions=positions)


def load_target(target: str, device: str) -> LanguageModel:
    """The target of a bank, which SmolLM2 is by its title and not by the name of its file."""
    model = load_model(target, "target", device)
    return replace(model, facts={**model.facts, "name": TITLE}) if target == NAME else model


def _digests(facts: Mapping[str, Any]) -> set[Any]:
    """The digests of a model's files, whatever these are called."""
    return {value for name, value in facts.items() if name.startswith("sha256")}


def _metadata(
    bank: Bank, windows: Sequence[Window], files: Sequence[Mapping[str, str]], speech: Speech
) -> dict[str, str]:
    """The bank's own, with where the statistics of answers are from."""
    seals = ("checksums", "header_checksum")
    metadata = {key: value for key, value in bank.file.metadata.items() if key not in seals}
    provenance = json.loads(metadata["provenance"])
    count_by_kind = {kind: sum(window.corpus == kind for window in windows) for kind in QUESTIONS}
    purpose = files[0]["for"]
    provenance["texts"] = [file for file in provenance["texts"] if file.get("for") != purpose] + list(files)
    provenance["documents"] = {**provenance["documents"], "statistics of answers": count_by_kind}
    provenance["note"] = f"{provenance['note']}, and from answers of the target to other questions"
    provenance["command"] = (
        f"{provenance['command']}; python -m simspec.logits.capture.answer_statistics CORPORA BANK OUT"
    )
    provenance["statistics of answers"] = {**asdict(speech), "text": "written by the target in its chat format"}
    return {**metadata, "provenance": json.dumps(provenance, ensure_ascii=False)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Add the statistics to a bank; 2 and a line on stderr for bad input."""
    parser = argparse.ArgumentParser(
        prog="python -m simspec.logits.capture.answer_statistics", description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument("corpora", type=Path, help=f"folder of {', '.join(QUESTIONS.values())}")
    parser.add_argument("bank", help="a bank of SmolLM2: a file, or smollm2")
    parser.add_argument("out", type=Path, help="file of the new bank")
    parser.add_argument("--positions", type=int, default=POSITIONS, help=f"at least (default {POSITIONS:,})")
    options = parser.parse_args(arguments)
    try:
        bank = open_bank(options.bank)
        target = load_target(NAME, "cpu")
        new_bank = add_announced(bank, options.corpora, options.out, target, options.positions)
    except (ValueError, OSError) as error:
        print(f"simspec: error: {error}", file=sys.stderr)
        return 2
    print(f"{options.out}\n{new_bank}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
