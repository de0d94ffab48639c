"""Predicted tokens of a target step beside counted ones, in simspec's own loop and in transformers' assisted generation.

    python -m benchmarks.checked [--target smollm2] [--tokens 2000] [DRAFT ...]

For each draft and temperature the target writes an answer to each prompt; the laws of both models along the answers predict the
tokens of a step (`simspec advise`).  Then both loops write answers with drafts until they have emitted as many tokens as asked,
and the tokens of a step are counted.  Intervals are over prompts and hold together for all rows.  The command records the rows
as soon as each is there, goes on where an earlier run has stopped, and rewrites the table in ``docs/benchmarks``.  No time is
measured.  What is not here: the loops themselves (`simspec.tools.advise.running`, transformers).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import environment, write
from simspec.engine.estimates.clusters import ratio
from simspec.engine.estimates.intervals import Interval, bonferroni
from simspec.files import fill, read_json, write_file
from simspec.laws import overlap, softmax
from simspec.logits.capture.chat import prompt_ids, read_prompts
from simspec.logits.capture.drafts import named_draft
from simspec.logits.capture.models import LanguageModel, load_model
from simspec.methods.sd import SD
from simspec.tools.advise.decoders import Setting
from simspec.tools.advise.running import agree, decode
from simspec.tools.pair.lengths import tokens_of

__all__ = ["DRAFTS", "LOOPS", "RECORD", "TEMPERATURES", "counted", "main", "predicted", "rows_of", "table"]

RECORD = Path("docs", "benchmarks", "checked.json")
PAGE = Path("docs", "benchmarks", "README.md")
PART = "checked"
PROMPTS = Path(__file__).parents[1] / "simspec" / "logits" / "data" / "smollm2-prompts.jsonl"
DRAFTS = ("quantised:3", "quantised:4", "quantised:6", "layers:28")
TEMPERATURES = (0.5, 1.0)
GAMMA = 4
LENGTH = 28
"""Tokens of an answer at most: one answer to each prompt is about 2,000 tokens."""
LEVEL = 0.95

Lengths = list[int]
"""How many tokens each step of an answer emitted."""
Loop = Callable[[LanguageModel, LanguageModel, Sequence[int], float, int, np.random.Generator], tuple[int, int]]
"""(target, draft, prompt, temperature, length, random numbers) -> tokens and steps of an answer."""


def own_loop(
    target: LanguageModel,
    draft: LanguageModel,
    prompt: Sequence[int],
    heat: float,
    length: int,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Tokens and steps of an answer by `simspec.tools.advise.running.decode`."""
    _, counts = decode(target, draft, prompt, length, Setting(SD, GAMMA, heat), rng)
    return counts.tokens, counts.calls


def assisted_generation(
    target: LanguageModel,
    draft: LanguageModel,
    prompt: Sequence[int],
    heat: float,
    length: int,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Tokens and steps of an answer by transformers' ``generate(assistant_model=...)``, always with as many drafts."""
    import torch

    ends = [len(prompt)]

    def note(ids: Any, scores: Any, **_: Any) -> Any:
        ends.append(int(ids.shape[1]))
        is_over = ends[-1] - len(prompt) >= length
        return torch.full((ids.shape[0],), is_over, dtype=torch.bool, device=ids.device)

    chosen = {
        "num_assistant_tokens": GAMMA,
        "num_assistant_tokens_schedule": "constant",
        "assistant_confidence_threshold": 0.0,
    }
    for name, value in chosen.items():
        setattr(draft.model.generation_config, name, value)
    torch.manual_seed(int(rng.integers(2**31)))
    target.model.generate(
        torch.tensor([list(prompt)], device=target.device),
        attention_mask=torch.ones((1, len(prompt)), dtype=torch.int64, device=target.device),
        assistant_model=draft.model,
        do_sample=True,
        temperature=heat,
        top_k=0,
        top_p=1.0,
        max_new_tokens=length + GAMMA + 1,  # no step is cut short by the limit
        eos_token_id=target.roles.get("eos"),
        pad_token_id=0,
        stopping_criteria=[note],
    )
    return ends[-1] - len(prompt), len(ends) - 1


LOOPS: dict[str, Loop] = {"own loop": own_loop, "assisted generation": assisted_generation}


def answered(
    target: LanguageModel, prompts: Sequence[Sequence[int]], heat: float, rng: np.random.Generator
) -> list[list[int]]:
    """Each prompt with an answer of the target alone."""
    return [[*prompt, *decode(target, None, prompt, LENGTH, Setting(SD, 0, heat), rng)[0]] for prompt in prompts]


def predicted(
    target: LanguageModel,
    draft: LanguageModel,
    prompts: Sequence[Sequence[int]],
    texts: Sequence[Sequence[int]],
    heat: float,
    level: float,
) -> Interval:
    """Tokens of a step from the laws along the target's answers, with an interval over prompts."""
    accepted: list[float] = []
    document: list[int] = []
    for number, (prompt, text) in enumerate(zip(prompts, texts, strict=True)):
        at = np.arange(len(prompt) - 1, len(text) - 1)
        p, q = (softmax(model.logits([list(text)], [at]).astype(np.float64), heat) for model in (target, draft))
        accepted += overlap(p, q).tolist()
        document += [number] * len(at)
    return tokens_of(accepted, document, GAMMA, level)


def counted(
    loop: Loop,
    models: tuple[LanguageModel, LanguageModel],
    prompts: Sequence[Sequence[int]],
    heat: float,
    tokens: int,
    level: float,
    rng: np.random.Generator,
) -> tuple[Interval, int]:
    """Tokens of a step as a loop writes answers, with an interval over prompts; and how many it emitted.

    All prompts are answered once, and again until so many tokens are emitted.
    """
    sums = np.zeros((len(prompts), 2))
    while sums[:, 0].sum() < tokens:
        for number, prompt in enumerate(prompts):
            sums[number] += loop(*models, prompt, heat, LENGTH, rng)
    emitted, steps = sums.T
    return ratio(emitted, steps, level, 1, GAMMA + 1, size=float(emitted.mean())), int(emitted.sum())


def rows_of(
    target: LanguageModel,
    drafts: Sequence[tuple[str, LanguageModel]],
    prompts: Sequence[Sequence[int]],
    tokens: int,
    seed: int = 0,
    done: Sequence[dict[str, Any]] = (),
) -> Iterator[dict[str, Any]]:
    """A row for each draft, temperature and loop; those that are done are left out.

    The answers that predict are written once for all drafts.
    """
    level = bonferroni(LEVEL, len(drafts) * len(TEMPERATURES) * len(LOOPS))
    there = {(row["draft"], row["temperature"]) for row in done}

    @cache
    def texts_at(at: int) -> list[list[int]]:
        return answered(target, prompts, TEMPERATURES[at], np.random.default_rng([seed, at]))

    for number, (name, draft) in enumerate(drafts):
        for at, heat in enumerate(TEMPERATURES):
            if (name, heat) in there:
                continue
            rng = np.random.default_rng([seed, number, at])
            promise = predicted(target, draft, prompts, texts_at(at), heat, level)
            for words, loop in LOOPS.items():
                count, emitted = counted(loop, (target, draft), prompts, heat, tokens, level, rng)
                facts = {"draft": name, "temperature": heat, "loop": words, "tokens": emitted, "prompts": len(prompts)}
                yield {**facts, "predicted": promise, "counted": count, "agree": agree(promise, count)}


def table(document: dict[str, Any]) -> str:
    """The record as a table in Markdown, with the rows that do not agree marked; nothing where there is no record.

    >>> row = {"draft": "d", "temperature": 1.0, "loop": "own loop", "tokens": 2010, "prompts": 84}
    >>> row |= {"predicted": [2.0, 1.5, 2.5, 0.99], "counted": [3.0, 2.9, 3.1, 0.99], "agree": False}
    >>> print(table({"target": "T", "rows": [row]}))  # doctest: +ELLIPSIS
    | draft | temperature | loop | tokens | predicted | counted | agree |
    |---|---:|---|---:|---:|---:|---|
    | d | 1 | own loop | 2,010 | 2.00 (1.50 to 2.50) | 3.00 (2.90 to 3.10) | NO |
    <BLANKLINE>
    Tokens of a target step ... Target: T. 0 of 1 rows agree; 15 are not there yet.
    """
    if not document:
        return ""
    lines = [
        "| draft | temperature | loop | tokens | predicted | counted | agree |",
        "|---|---:|---|---:|---:|---:|---|",
    ]
    rows = document["rows"]
    for row in rows:
        promise, count = ("{:.2f} ({:.2f} to {:.2f})".format(*row[name][:3]) for name in ("predicted", "counted"))
        facts = f"{row['draft']} | {row['temperature']:g} | {row['loop']} | {row['tokens']:,}"
        lines.append(f"| {facts} | {promise} | {count} | {'yes' if row['agree'] else 'NO'} |")
    missing = len(DRAFTS) * len(TEMPERATURES) * len(LOOPS) - len(rows)
    meaning = (
        f"Tokens of a target step with {GAMMA} drafts. Intervals are over prompts and hold together for all rows at {LEVEL:.0%}; "
        "a row agrees where predicted and counted differ by no more than the interval of their difference. "
        f"Target: {document['target']}. {sum(bool(row['agree']) for row in rows)} of {len(rows)} rows agree"
        + (f"; {missing} are not there yet." if missing > 0 else ".")
    )
    return "\n".join([*lines, "", meaning])


def main(argv: Sequence[str] | None = None) -> int:
    """Record the rows that are missing and rewrite the table, from the root of a clone."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.checked", description=__doc__)
    parser.add_argument(
        "drafts", nargs="*", default=list(DRAFTS), help=f"ways to make drafts (default {', '.join(DRAFTS)})"
    )
    parser.add_argument("--target", default="smollm2", help="a model for chat (default %(default)s)")
    parser.add_argument("--tokens", type=int, default=2000, help="emitted at each row at least (default %(default)s)")
    given = parser.parse_args(argv)
    target = load_model(given.target, "target")
    drafts = [(name, named_draft(name, target)) for name in given.drafts]
    prompts = [prompt_ids(target, prompt) for prompt in read_prompts(PROMPTS)]
    earlier = read_json(RECORD, "record", "what python -m benchmarks.checked writes") if RECORD.is_file() else {}
    rows = [row for row in earlier.get("rows", []) if row["draft"] in given.drafts and row["tokens"] >= given.tokens]
    # a draft at a temperature is done where both loops are
    pairs = [(row["draft"], row["temperature"]) for row in rows]
    rows = [row for row, pair in zip(rows, pairs, strict=True) if pairs.count(pair) == len(LOOPS)]
    document = {
        "benchmark": PART,
        "environment": environment(("torch", "transformers")),
        "target": target.facts["name"],
    }
    for row in rows_of(target, drafts, prompts, given.tokens, done=list(rows)):
        rows.append(row)
        write(RECORD, {**document, "rows": rows})
        write_table({**document, "rows": rows})
        print(
            f"{row['draft']}, temperature {row['temperature']:g}, {row['loop']}: agree {row['agree']}", file=sys.stderr
        )
    write_table({**document, "rows": rows})
    return 0


def write_table(document: dict[str, Any]) -> None:
    """Put the rows that are there into the page."""
    write_file(PAGE, fill(PAGE.read_text(encoding="utf-8"), PART, table(document)).encode())


if __name__ == "__main__":
    raise SystemExit(main())
