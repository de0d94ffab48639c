"""Contexts from chat: prompts in the model's own format, and every position of the answers that the target writes.

Texts that the target wrote are what drafts are judged on when a model is served; texts of a corpus are another kind, and the
two are never mixed in one capture.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simspec.files import existing, parse_json, read_json, write_text
from simspec.laws import softmax
from simspec.logits.capture.models import LanguageModel
from simspec.logits.capture.reread import Reader
from simspec.logits.capture.weights import reason_of
from simspec.logits.capture.windows import Window, grouped

__all__ = [
    "Prompt",
    "Speech",
    "Written",
    "answer_all",
    "chat_window",
    "prompt_ids",
    "read_prompts",
    "write_answer",
    "written_answers",
]

EXPECTED = 'one JSON object per line, such as {"prompt": "What is 2 + 3?", "kind": "arithmetic"}, or with "messages"'
LONGEST_KIND = 60
"""Characters of the name of a kind of prompt."""


class Prompt(NamedTuple):
    """What is asked: messages of a chat, the kind of prompt it is, and the line that it stands in."""

    messages: list[dict[str, str]]
    kind: str
    line: int


class Written(NamedTuple):
    """An answer that was just written: the number of its prompt, token ids of both, and how long it took."""

    number: int
    prompt: list[int]
    answer: list[int]
    seconds: float


@dataclass(frozen=True)
class Speech:
    """How the target writes its answers: temperature >= 0 (0: the most likely token), longest answer in tokens, seed.

    Raises
    ------
    ValueError
        for a value out of its range.
    """

    temperature: float = 1.0
    length: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse a temperature, a length or a seed that is out of range."""
        if not 0 <= self.temperature < 100:
            raise ValueError(f"chat temperature: {self.temperature}; expected a number from 0, such as 1")
        if self.length < 1:
            raise ValueError(f"chat length: {self.length}; expected at least 1 token an answer")
        if self.seed < 0:
            raise ValueError(f"seed: {self.seed}; expected an integer that is not negative")


def read_prompts(path: str | Path) -> list[Prompt]:
    """Prompts of a ``.jsonl`` file.

    An object a line: ``prompt``, a text, or ``messages``, a list of objects with ``role`` and ``content``; and ``kind``, a
    name under which answers are compared (by default that of the file).

    Raises
    ------
    ValueError
        naming the line that is no such object; for a file that is missing, empty or not UTF-8.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "p.jsonl").write_text('{"prompt": "What is 2 + 3?", "kind": "arithmetic"}')
    ...     read_prompts(Path(folder, "p.jsonl"))
    [Prompt(messages=[{'role': 'user', 'content': 'What is 2 + 3?'}], kind='arithmetic', line=1)]
    """
    path = existing(path, "chat", "a .jsonl file of prompts")
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"chat: {str(path)!r} is not UTF-8 ({error.reason} at byte {error.start})") from None
    prompts = [_prompt(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not prompts:
        raise ValueError(f"chat: {str(path)!r} holds no prompt; expected {EXPECTED}")
    return prompts


def _prompt(path: Path, number: int, line: str) -> Prompt:
    """The prompt of a line, or an error that names the line."""
    place = f"chat: {path.name}, line {number}"
    try:
        record = parse_json(line)
    except ValueError as error:
        raise ValueError(f"{place} is no JSON ({error}); expected {EXPECTED}") from None
    if not isinstance(record, dict):
        raise ValueError(f"{place} holds a {type(record).__name__}; expected {EXPECTED}")
    kind = record.get("kind", path.stem)
    if not isinstance(kind, str) or not 0 < len(kind.strip()) <= LONGEST_KIND:
        raise ValueError(f"{place}: kind {str(kind)[:80]!r}; expected a name of up to {LONGEST_KIND} characters")
    if ("prompt" in record) == ("messages" in record):
        raise ValueError(f"{place} has {', '.join(map(repr, record)) or 'nothing'}; expected {EXPECTED}")
    if "prompt" in record:
        text = record["prompt"]
        if not isinstance(text, str) or not text.strip():
            problem = "empty" if isinstance(text, str) else type(text).__name__
            raise ValueError(f"{place}: prompt: {problem}; expected a text")
        messages = [{"role": "user", "content": text}]
    else:
        messages = record["messages"]
    is_chat = isinstance(messages, list) and messages and all(map(_is_message, messages))
    if not is_chat:
        raise ValueError(f"{place}: a message is not of a role and a text that is not empty; expected {EXPECTED}")
    plain = [{"role": message["role"], "content": message["content"]} for message in messages]
    return Prompt(plain, kind.strip(), number)


def _is_message(message: Any) -> bool:
    return (
        isinstance(message, dict)
        and isinstance(message.get("role"), str)
        and isinstance(message.get("content"), str)
        and bool(message["content"].strip())
    )


def prompt_ids(model: LanguageModel, prompt: Prompt, role: str = "target") -> list[int]:
    """Token ids of a prompt in the model's chat format, ready for the answer; its special tokens are read as such.

    Raises
    ------
    ValueError
        where the tokenizer has no chat template, or the template refuses the messages.
    """
    name = model.facts["name"]
    if not getattr(model.tokenizer, "chat_template", None):
        raise ValueError(
            f"{role}: {name!r} has no chat template; expected a model for chat (its name often ends in -Instruct), or "
            "--text FILE in place of --chat, with which simspec capture, advise and rates read a pair"
        )
    try:
        encoded = model.tokenizer.apply_chat_template(
            prompt.messages, add_generation_prompt=True, tokenize=True, return_dict=True
        )
    except Exception as error:  # templates are programs of whoever made the model
        raise ValueError(
            f"chat: the template of {name!r} refuses line {prompt.line} ({reason_of(error)}); expected messages that it takes"
        ) from None
    return [int(i) for i in encoded["input_ids"]]


def _ends(model: LanguageModel) -> set[int]:
    """Tokens that end an answer: the end-of-text token, and those of the model's own settings for writing."""
    settings = getattr(model.model, "generation_config", None)
    listed = getattr(settings, "eos_token_id", None)
    ends = {model.roles[role] for role in ("eos",) if role in model.roles}
    return ends | set(listed if isinstance(listed, list) else [] if listed is None else [listed])


def write_answer(target: LanguageModel, prompt: Sequence[int], speech: Speech, number: int) -> list[int]:
    """Tokens that the target writes after a prompt, the end of the text included where it is reached.

    The random numbers are those of the seed and of the prompt's number: an answer does not depend on the prompts beside it.
    """
    import torch

    rng = np.random.default_rng([speech.seed, number])
    ends = _ends(target)
    answer: list[int] = []
    unread = list(prompt)
    cache = None
    with torch.inference_mode():
        while len(answer) < speech.length:
            logits, cache = target.read_on(torch.tensor([unread], device=target.device), cache)
            z = logits[0, -1].double().cpu().numpy()
            if speech.temperature == 0:
                token = int(z.argmax())
            else:
                cumulative = np.cumsum(softmax(z, speech.temperature))
                token_place = np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")
                token = int(min(token_place, len(z) - 1))
            answer.append(token)
            unread = [token]
            if token in ends:
                break
    return answer


def answer_all(
    target: LanguageModel,
    prompts: Sequence[Prompt],
    speech: Speech,
    folder: Path,
    step: Callable[[int], None],
    note: Callable[[Written], None] = lambda answer: None,
) -> list[tuple[list[int], list[int]]]:
    """Token ids of each prompt and of its answer; answers that are in a folder already are taken from it.

    Parameters
    ----------
    target, prompts, speech : what is written, and how
    folder : in which each answer is kept as soon as it is written
    step : is given 1 after each answer
    note : is given each answer that was written now, and not taken from the folder

    Raises
    ------
    ValueError
        for prompts and answers that are longer than the model's input, and for empty answers.
    """
    encoded = [prompt_ids(target, prompt) for prompt in prompts]
    for prompt, ids in zip(prompts, encoded, strict=True):
        if target.limit is not None and len(ids) + speech.length > target.limit:
            raise ValueError(
                f"chat: line {prompt.line} has {len(ids)} tokens, with an answer {len(ids) + speech.length}; the target takes "
                f"{target.limit}: expected a shorter prompt or --chat-length"
            )
    folder.mkdir(parents=True, exist_ok=True)
    answers = []
    for number, (prompt, ids) in enumerate(zip(prompts, encoded, strict=True)):
        facts = [target.facts, ids, asdict(speech), number]
        key = blake2b(json.dumps(facts).encode(), digest_size=16).hexdigest()
        path = folder / f"{number:06d}.json"
        answer = _stored_answer(path, key)
        seconds = None
        if answer is None:
            start = time.perf_counter()
            answer = write_answer(target, ids, speech, number)
            seconds = time.perf_counter() - start
            write_text(json.dumps({"key": key, "answer": answer}), path)
        if set(answer[:1]) & _ends(target):
            raise ValueError(
                f"chat: line {prompt.line} is answered with nothing, the end of the text at once; expected an answer: change "
                "or remove the prompt, or take another --seed"
            )
        answers.append((ids, answer))
        if seconds is not None:
            note(Written(number, ids, answer, seconds))
        step(1)
    return answers


def written_answers(
    target: LanguageModel, prompts: Sequence[Prompt], speech: Speech, batch: int = 28
) -> list[tuple[list[int], list[int]]]:
    """Token ids of each prompt in the chat format and of the answer that the target writes, many prompts at once.

    Answers have one token at least, and end with the end of the text where it is reached.  `answer_all` writes
    one after the other, which takes several times as long.
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


def _stored_answer(path: Path, key: str) -> list[int] | None:
    """An answer that an earlier run has kept under this key; None for none, and for what cannot be read."""
    try:
        record = read_json(path, "answer", "an answer")
    except ValueError:
        return None
    return record["answer"] if isinstance(record, dict) and record.get("key") == key else None


def chat_window(
    target: LanguageModel,
    draft: LanguageModel | None,
    prompt: Prompt,
    ids: list[int],
    answer: list[int],
    number: int,
) -> Window:
    """The window of an answer: a context at each of its tokens.

    A draft with another tokenizer reads the prompt in its own chat format, or as plain text where it has none, and the answer
    so far in its own tokens (:mod:`simspec.logits.capture.reread`).

    Raises
    ------
    ValueError
        for a draft whose input is too short for it.
    """
    text = [*ids, *answer]
    at = np.arange(len(ids) - 1, len(text) - 1)
    following = np.asarray(text)[at + 1]
    if draft is None:
        return Window(prompt.kind, number, text[:-1], [], at, np.empty(0, dtype=np.int64), following)
    if draft.strings == target.strings:
        window = Window(prompt.kind, number, text[:-1], text[:-1], at, at, following)
    else:
        window = _reread(target, draft, prompt, ids, answer, number)
    longest = max(len(reading.tokens) for reading in window.drafted)
    if draft.limit is not None and longest > draft.limit:
        raise ValueError(
            f"chat: line {prompt.line} and its answer have {longest} tokens of the draft, which takes {draft.limit}; "
            "expected a shorter prompt or --chat-length"
        )
    return window


def _reread(
    target: LanguageModel, draft: LanguageModel, prompt: Prompt, ids: list[int], answer: list[int], number: int
) -> Window:
    """The window of two tokenizers: at each position of the answer the draft reads its text so far in its own tokens."""
    if getattr(draft.tokenizer, "chat_template", None):
        before = prompt_ids(draft, prompt, "draft")
    else:
        before = [*draft.prefix, *draft.encode("\n".join(message["content"] for message in prompt.messages) + "\n")]
    if not before:
        raise ValueError(
            f"chat: line {prompt.line} has no character that the draft {draft.facts['name']!r} can spell; expected another "
            "prompt or draft"
        )
    reader = Reader(target, draft)
    inputs = [[*before, *reader(answer[:n])] for n in range(len(answer))]
    empty = np.empty(0, dtype=np.int64)
    at = np.arange(len(ids) - 1, len(ids) + len(answer) - 1)
    following = np.array(answer)
    return Window(
        corpus=prompt.kind,
        document=number,
        target=[*ids, *answer[:-1]],
        draft=[],
        positions=at,
        draft_positions=empty,
        following=following,
        readings=grouped(inputs),
    )
