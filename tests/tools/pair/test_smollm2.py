"""The whole way on a pretrained chat model: from its GGUF file to the page, in a few minutes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from simspec import cli
from simspec.laws import normalise, softmax
from simspec.logits.bank import open_bank
from simspec.logits.bank.vocabularies import read_on_target
from simspec.logits.capture.drafts import counted_cost, make_draft, parse_draft
from simspec.logits.capture.models import load_model
from simspec.logits.capture.reread import Reader, leading_tokens
from simspec.logits.capture.smollm2 import model_file
from simspec.tools.advise.decoders import Setting, Translated, decoder_of
from simspec.tools.pair import verdicts
from tests.logits import tiny
from tests.requirements import require

PROMPTS = (
    ("arithmetic", "What is 17 + 25? Answer in one sentence."),
    ("chat", "What is the capital of France?"),
    ("code", "Write a Python function that returns the sum of a list."),
    ("chat", "Why is the sky blue?"),
    ("code", "Write a Python function that reverses a string."),
)
CLAIMS = ("rdk.real-pruning",)


@pytest.fixture(scope="module")
def target():
    require("smollm2")
    return load_model("smollm2", "target", "cpu")


@pytest.fixture(scope="module")
def out(target, tmp_path_factory):
    folder = tmp_path_factory.mktemp("smollm2")
    lines = [json.dumps({"prompt": prompt, "kind": kind}) for kind, prompt in PROMPTS]
    (folder / "prompts.jsonl").write_text("\n".join(lines))
    chat = ["--chat", str(folder / "prompts.jsonl"), "--chat-length", "12", "--measure", "10", "--effort", "quick"]
    some = [choice for choice in verdicts.open_claims() if choice.claim.name in CLAIMS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verdicts, "open_claims", lambda: some)
        # the model that is loaded already serves the command too: loading it takes as long as all the rest
        patch.setattr("simspec.logits.capture.prepared.load_model", lambda name, role, device: target)
        # nothing here looks at times
        patch.setattr("simspec.tools.advise.running.STEPS", 1)
        assert cli.main(["pair", "smollm2", "quantised:3", *chat, "--device", "cpu", "--out", str(folder / "out")]) == 0
    return folder / "out"


def test_the_model_answers_what_everybody_knows(target) -> None:
    """The most likely next word: a model whose weights or whose tokens were read wrongly does not know it."""
    ids = target.encode("The capital of France is")
    (z,) = target.logits([ids], [np.array([len(ids) - 1])])
    assert target.tokenizer.decode([int(z.argmax())]).strip() == "Paris"
    assert target.vocab == 49152 and target.model.config.num_hidden_layers == 30 and 4 < target.bits < 6


def test_the_bank_holds_every_position_of_its_answers(target, out) -> None:
    bank = open_bank(out / "pair.safetensors")
    assert set(bank.corpus.tolist()) == {"arithmetic", "chat", "code"} and len(np.unique(bank.documents)) == 5
    assert bank.vocab == 49152 and bank.contexts > 40
    p = softmax(bank.target().astype(float))
    surprise = -np.log(p[np.arange(bank.contexts), bank.index.following])
    # it wrote these answers itself: what it wrote is far more likely than a token at random, whose surprise is 10.8
    assert surprise.mean() < 4


def test_fewer_bits_are_accepted_and_many_layers_left_out_are_not(target, out) -> None:
    rows = json.loads((out / "acceptance.json").read_text())["rows"]
    rounded = next(
        row["acceptance"][0] for row in rows if (row["temperature"], row["top_p"], row["kind"]) == (1, 1, "all")
    )
    bank = open_bank(out / "pair.safetensors")
    shallow = make_draft(parse_draft("layers:4"), target)
    ids = target.encode("The capital of France is Paris, and the capital of Italy is")
    at = [np.arange(4, len(ids))]
    p, q = (softmax(model.logits([ids], at).astype(float)) for model in (target, shallow))
    assert 0.2 < rounded < 0.95 and np.minimum(p, q).sum(axis=-1).mean() < rounded
    assert counted_cost(shallow, target) < 0.5 and bank.shared.all()


def test_predictions_and_runs_are_on_the_page(out) -> None:
    speed = json.loads((out / "speed.json").read_text())
    for row in speed["settings"]:
        assert row["run"]["steps"] > 0 and 1 <= row["run"]["tokens"]["measured"][0] <= row["run"]["gamma"] + 1
    assert 0.6 < speed["costs"]["counted"] < 1  # 4 bits a weight with the groups' scales, of about 5
    claims = json.loads((out / "verdicts.json").read_text())["claims"]
    assert [claim["id"] for claim in claims] == list(CLAIMS)
    page = (out / "index.html").read_text()
    assert f"{model_file().name}, quantised:3" in page and "arithmetic" in page


def test_a_draft_with_another_tokenizer_drafts_its_tokens(target, tmp_path) -> None:
    """By the first token of a drafted text; the draft reads the target's text, also after half of a character."""
    draft = load_model(tiny.llama(tmp_path / "draft"), "draft", "cpu")
    first = leading_tokens(target, draft)
    pieces = target.token_bytes()
    texts = draft.token_bytes()
    ordinary = np.flatnonzero(~draft.special)
    assert all(texts[i].startswith(pieces[first[i]]) for i in ordinary if first[i] >= 0)
    # bytes that no text in UTF-8 holds are no tokens of this target
    unread = [texts[i] for i in ordinary if first[i] < 0]
    assert unread and all(text[:1] not in pieces for text in unread) and len(unread) < 32
    assert first[draft.roles["eos"]] == target.roles["eos"]
    prompt = tuple(target.encode("The cat"))

    def translate(q):
        return normalise(read_on_target(q, first, target.vocab))

    decoder = decoder_of(Translated(target, draft, translate, {prompt: [1, *draft.encode("The cat")]}), prompt)
    answer = target.encode(" sat ☃")
    for end in range(len(answer) + 1):
        law = decoder.laws([*prompt, *answer[:end]], Setting())
        ids = [1, *draft.encode("The cat"), *Reader(target, draft)(answer[:end])]
        alone = translate(softmax(draft.logits([ids], [np.array([len(ids) - 1])]).astype(float)))
        assert law.shape == (1, 49152) and np.allclose(law, alone, atol=1e-5)
