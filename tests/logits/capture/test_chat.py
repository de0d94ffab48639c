"""Prompts in the chat format, answers that the target writes, and a context at every position of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from simspec import cli
from simspec.laws import softmax
from simspec.logits.capture import Speech, capture_chat, lasting, prepare_chat
from simspec.logits.capture import chat as chat_module
from simspec.logits.capture.chat import chat_window, prompt_ids, read_prompts, write_answer
from simspec.logits.capture.models import load_model
from simspec.logits.capture.reread import Reader
from tests.logits import tiny
from tests.requirements import require

PROMPTS = [
    {"prompt": "the cat sat on", "kind": "cats"},
    {"messages": [{"role": "user", "content": "a dog ran <|im_end|>"}], "kind": "dogs"},
    {"prompt": "naïve café", "kind": "cats"},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    require("torch")
    folder = tmp_path_factory.mktemp("chat")
    tiny.chat(folder / "target")
    tiny.chat(folder / "plain", template=None)
    tiny.chat(folder / "draft", seed=1)
    tiny.llama(folder / "llama")
    (folder / "prompts.jsonl").write_text("\n".join(json.dumps(prompt) for prompt in PROMPTS) + "\n\n")
    return folder


@pytest.fixture(scope="module")
def target(folder):
    return load_model(str(folder / "target"), "target", "cpu")


@pytest.fixture(scope="module")
def bank(folder):
    out = folder / "bank.safetensors"
    speech = Speech(1.0, 12, 3)
    return capture_chat(
        str(folder / "target"),
        str(folder / "draft"),
        chat=folder / "prompts.jsonl",
        out=out,
        speech=speech,
        progress=False,
        storage="float32",
    )


def test_special_tokens_of_the_template_are_read_as_such(folder, target) -> None:
    prompts = read_prompts(folder / "prompts.jsonl")
    ids = prompt_ids(target, prompts[0])
    assert ids[0] == 1 and ids.count(1) == 2 and ids.count(2) == 1  # two turns begin, one ends
    assert target.tokenizer.decode(ids).endswith("<|im_start|>assistant\n")


def test_every_position_of_an_answer_is_recorded_for_both_models(folder, target, bank) -> None:
    draft = load_model(str(folder / "draft"), "draft", "cpu")
    prompts = read_prompts(folder / "prompts.jsonl")
    for number, prompt in enumerate(prompts):
        ids = prompt_ids(target, prompt)
        answer = write_answer(target, ids, Speech(1.0, 12, 3), number)
        rows = np.flatnonzero(bank.documents == number)
        assert bank.index.following[rows].tolist() == answer and set(bank.corpus[rows]) == {prompt.kind}
        assert bank.index.position[rows].tolist() == list(range(len(ids) - 1, len(ids) + len(answer) - 1))
        text = [*ids, *answer][:-1]
        for model, logits in ((target, bank.target(rows, raw=True)), (draft, bank.draft(rows, raw=True))):
            alone = model.logits([text], [np.arange(len(ids) - 1, len(text))])
            assert np.allclose(logits, alone, atol=1e-4)
    assert bank.provenance["chat"] == {
        "temperature": 1.0,
        "length": 12,
        "seed": 3,
        "text": "written by the target in its chat format",
    }
    assert not list(folder.glob("bank.safetensors.*"))


def test_answers_are_drawn_from_the_targets_law(target) -> None:
    """First tokens of 400 answers: total variation from the law; a false alarm in less than one of 10^6 runs.

    The control, the law at another temperature, must be refused.
    """
    ids = [1, 40, 41, 42]
    drawn = [write_answer(target, ids, Speech(1.0, 1, 0), number)[0] for number in range(400)]
    z = target.logits([ids], [np.array([3])])[0].astype(float)
    top = np.argsort(-z)[:5]

    def distance(temperature: float) -> float:
        p = softmax(z, temperature)
        return max(abs(np.isin(drawn, top[:n]).mean() - p[top[:n]].sum()) for n in range(1, 6))

    bound = np.sqrt(np.log(2 * 5 / 1e-6) / (2 * 400))  # Hoeffding, five events
    assert distance(1.0) < bound < distance(0.05)


def test_at_temperature_zero_the_most_likely_tokens_are_written(target) -> None:
    ids = [1, 40, 41]
    answer = write_answer(target, ids, Speech(0.0, 4, 0), 0)
    text = [*ids, *answer]
    z = target.logits([text], [np.arange(2, 2 + len(answer))])
    assert z.argmax(axis=-1).tolist() == answer
    assert answer == write_answer(target, ids, Speech(0.0, 4, 9), 7)


def test_an_interrupted_capture_does_not_write_answers_again(folder, bank, tmp_path, monkeypatch) -> None:
    written: list[int] = []
    original = chat_module.write_answer

    def stopping(target, ids, speech, number):
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(number)
        return original(target, ids, speech, number)

    monkeypatch.setattr(chat_module, "write_answer", stopping)
    arguments = {"chat": folder / "prompts.jsonl", "speech": Speech(1.0, 12, 3), "progress": False}
    arguments |= {"storage": "float32"}
    with pytest.raises(KeyboardInterrupt):
        capture_chat(str(folder / "target"), str(folder / "draft"), out=tmp_path / "b.safetensors", **arguments)
    written.clear()
    resumed = capture_chat(str(folder / "target"), str(folder / "draft"), out=tmp_path / "b.safetensors", **arguments)
    assert written == [2]
    assert np.array_equal(resumed.target(), bank.target()) and np.array_equal(resumed.draft(), bank.draft())


def test_what_answers_take_is_announced_after_the_first_of_them(folder, target, tmp_path, monkeypatch) -> None:
    """Every measured time is 10 s: of writing the first answer, and of reading it with both models."""
    clock = iter(range(0, 10**6, 10))
    events: list[str] = []
    monkeypatch.setattr("simspec.logits.capture.chat.time.perf_counter", lambda: float(next(clock)))
    arguments = {"chat": folder / "prompts.jsonl", "answers": tmp_path / "answers", "speech": Speech(1.0, 12, 3)}
    arguments |= {
        "announce": lambda line: events.append(line),
        "advance": lambda title, total: lambda n: events.append(f"{title} {n}"),
    }
    draft = load_model(str(folder / "draft"), "draft", "cpu")
    prepare_chat(target, draft, **arguments)
    ids = prompt_ids(target, read_prompts(folder / "prompts.jsonl")[0])
    answer = write_answer(target, ids, Speech(1.0, 12, 3), 0)
    writing = 10 / len(answer) * 12 * 2
    reading = 10 * (len(ids) + 12) / (len(ids) + len(answer)) * 3
    size = 3 * 12 * (target.vocab + draft.vocab) * 2
    assert [event for event in events if event.startswith("answering")] == ["answering 1"] * 3
    assert events.index("answering 1") == 1 + events.index(
        f"3 answers of at most 12 tokens, by the first one: at most about {lasting(writing)} here to write the others and "
        f"{lasting(reading)} to read all with both models; a file of at most {size / 1e9:.2g} GB, {size / 1e9:.2g} GB of memory "
        "beside the models"
    )
    events.clear()
    prepare_chat(target, draft, **arguments)
    assert all(event.startswith(("answering", "loading")) for event in events)  # nothing was left to write


@pytest.mark.parametrize("text", ["the cat at a car", "☃ naïve — ☃", ""])
def test_a_draft_with_another_tokenizer_reads_the_same_text(folder, target, text) -> None:
    """At every position of the answer, also within a character and within a token of its own."""
    draft = load_model(str(folder / "llama"), "draft", "cpu")
    prompt = read_prompts(folder / "prompts.jsonl")[0]
    ids = prompt_ids(target, prompt)
    answer = [*target.encode(text), 2]
    window = chat_window(target, draft, prompt, ids, answer, 0)
    pieces, theirs = target.token_bytes(), draft.token_bytes()
    before = [*draft.prefix, *draft.encode("the cat sat on\n")]
    assert window.following.tolist() == answer and window.target == [*ids, *answer[:-1]]
    assert window.positions.tolist() == list(range(len(ids) - 1, len(window.target)))
    assert sorted(np.concatenate([reading.contexts for reading in window.readings])) == list(range(len(answer)))
    for reading in window.readings:
        assert reading.tokens[: len(before)] == before
        for at, context in zip(reading.positions, reading.contexts, strict=True):
            read = b"".join(pieces[i] for i in answer[:context])
            also = b"".join(theirs[i] for i in reading.tokens[len(before) : at + 1])
            assert also in (read, b" " + read)
    assert len(window.readings) < max(2, len(answer))
    assert window.draft_tokens == sum(len(reading.tokens) for reading in window.readings)


def test_every_position_is_recorded_for_a_draft_with_another_tokenizer(folder, target, tmp_path) -> None:
    draft = load_model(str(folder / "llama"), "draft", "cpu")
    made = capture_chat(
        str(folder / "target"),
        str(folder / "llama"),
        chat=folder / "prompts.jsonl",
        out=tmp_path / "mixed.safetensors",
        speech=Speech(1.0, 12, 3),
        progress=False,
        storage="float32",
        batch=2,
    )
    prompts = read_prompts(folder / "prompts.jsonl")
    reader = Reader(target, draft)
    for number, prompt in enumerate(prompts):
        ids = prompt_ids(target, prompt)
        answer = write_answer(target, ids, Speech(1.0, 12, 3), number)
        rows = np.flatnonzero(made.documents == number)
        assert made.index.following[rows].tolist() == answer
        plain = [*draft.prefix, *draft.encode(prompt.messages[0]["content"] + "\n")]
        for n, row in enumerate(rows):
            text = [*plain, *reader(answer[:n])]
            alone = draft.logits([text], [np.array([len(text) - 1])])
            assert np.allclose(made.draft(row, raw=True), alone[0], atol=1e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no prompt"),
        ("{", "line 1 is no JSON"),
        ('{"prompt": "a"}\n\n[1]', "line 3 holds a list"),
        ("{}", "line 1 has nothing; expected one JSON object per line"),
        ('{"text": "a"}', "line 1 has 'text'"),
        ('{"prompt": "a", "messages": []}', "line 1 has 'prompt', 'messages'"),
        ('{"prompt": ""}', "line 1: prompt: empty; expected a text"),
        ('{"prompt": " "}', "line 1: prompt: empty; expected a text"),
        ('{"prompt": 3}', "line 1: prompt: int; expected a text"),
        ('{"messages": []}', "a message is not"),
        ('{"messages": [{"role": "user"}]}', "a message is not"),
        ('{"prompt": "a", "kind": ""}', "kind ''; expected a name"),
        ('{"prompt": "a", "kind": 4}', "kind '4'; expected a name"),
        ("[" * 10**5, "line 1 is no JSON (too deeply nested)"),
    ],
)
def test_malformed_prompts_are_refused_by_their_line(text, message, tmp_path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(text)
    with pytest.raises(ValueError) as error:
        read_prompts(path)
    assert message in str(error.value) and str(error.value).startswith("chat: ")


def test_bytes_that_are_no_text_are_refused(tmp_path) -> None:
    (tmp_path / "p.jsonl").write_bytes(b'{"prompt": "\xff"}')
    with pytest.raises(ValueError, match="is not UTF-8"):
        read_prompts(tmp_path / "p.jsonl")


def refusal(capsys, *arguments: object) -> str:
    assert cli.main(["capture", *map(str, arguments)]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert lines[-1].startswith("simspec capture: ")
    return lines[-1]


def test_refusals_on_the_command_line(folder, tmp_path, monkeypatch, capsys) -> None:
    chat = ["--chat", folder / "prompts.jsonl", "-o", tmp_path / "b.safetensors"]
    assert "'plain' has no chat template; expected a model for chat" in refusal(
        capsys, "--target", folder / "plain", *chat
    )
    model = ["--target", folder / "target"]
    assert "--chat, --text: texts of two kinds" in refusal(capsys, *model, *chat, "--text", "a.txt")
    assert "chat temperature: -1.0" in refusal(capsys, *model, *chat, "--chat-temperature", -1)
    assert "chat length: 0; expected at least 1" in refusal(capsys, *model, *chat, "--chat-length", 0)
    assert "the target takes 256: expected a shorter prompt" in refusal(capsys, *model, *chat, "--chat-length", 250)
    assert "expected --statistics-text FILE" in refusal(capsys, *model, *chat, "--statistics", 5)
    assert "has 3 layers: expected 1 to 2" in refusal(capsys, *model, *chat, "--draft", "layers:99")
    monkeypatch.setattr(chat_module, "write_answer", lambda *_: [2])
    assert "line 1 is answered with nothing" in refusal(capsys, *model, *chat)
    assert not (tmp_path / "b.safetensors").exists()
