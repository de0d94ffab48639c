"""`simspec rates FILE --drafts …` as a user types it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from simspec import cli
from tests.logits import tiny
from tests.requirements import require


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A target alone, a pair, and two drafts, six rows each."""
    half, near, sure = (np.array([law] * 6) for law in ([0.5, 0.5], [0.75, 0.25], [1.0, 0.0]))
    np.savez(tmp_path / "target.npz", p=half)
    np.savez(tmp_path / "pair.npz", p=half, q=near)
    np.savez(tmp_path / "near.npz", q=near)
    np.savez(tmp_path / "sure.npz", q=sure)
    monkeypatch.chdir(tmp_path)


def test_tables_of_drafts_differences_and_policies(home, capsys) -> None:
    assert cli.main(["rates", "target.npz", "--drafts", "near.npz", "sure.npz", "--policy", "all"]) == 0
    out = capsys.readouterr().out
    for words in (
        "target.npz: 2 drafts on 6 contexts over 2 tokens, rule sd",
        "paired differences of acceptance, intervals that hold together at 95%",
        "near − sure",
        "+0.2500",
        "near is accepted most often: the intervals put it above every other draft up to a level of ",
        "leader   all drafts",
        "ucb      its own draft",
        "over 100 orders of 6 rows (seed 0)",
    ):
        assert words in out, words


def test_the_draft_of_a_pair_is_compared_too_and_drafts_have_names(home, capsys) -> None:
    assert cli.main(["rates", "pair.npz", "--drafts", "other=sure.npz", "--rule", "ears:0.1", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [draft["draft"] for draft in facts["drafts"]] == ["pair", "other"] and facts["rule"] == "ears:0.1"
    assert "policies" not in facts and facts["best"] == "pair"


def test_one_policy_with_its_options(home, capsys) -> None:
    options = ["--policy", "explore:1", "--orders", "3", "--seed", "2", "--json"]
    assert cli.main(["rates", "target.npz", "--drafts", "near.npz", "--drafts", "sure.npz", *options]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [row["policy"] for row in facts["policies"]] == ["explore:1"]
    assert (facts["orders"], facts["seed"]) == (3, 2)
    assert facts["policies"][0]["fixed"]["estimate"] == pytest.approx(0.25 / 6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["target.npz", "--drafts", "near.npz"], "drafts: only 'near'; expected two or more to compare"),
        (["target.npz", "--drafts", "near.npz", "near.npz"], "drafts: 'near.npz' is listed twice"),
        (["target.npz", "--drafts", "near.npz", "gone.npz"], "gone.npz"),
        (["target.npz"], "target.npz: holds p; expected p and q, or target and draft"),
        (["pair.npz", "--policy", "ucb"], "--policy: chooses among several drafts; expected --drafts DRAFT DRAFT too"),
        (["pair.npz", "--drafts", "sure.npz", "--policy", "ubc"], "policy: 'ubc', the nearest is ucb; expected one of"),
        (
            ["pair.npz", "--drafts", "sure.npz", "--rule", "sd", "--rule", "ears:1"],
            "--rule: sd, ears:1; expected one rule",
        ),
        (["pair.npz", "--drafts", "sure.npz", "--rule", "block"], "rule: 'block' judges the drafts of a step together"),
        (["pair.npz", "--drafts", "sure.npz", "--plot", "a.svg"], "--plot: draws rules, not drafts"),
        (["pair.npz", "--drafts", "sure.npz", "--policy", "ucb", "--orders", "1"], "orders: 1"),
    ],
)
def test_bad_input_exits_2_with_one_line(home, arguments, message, capsys) -> None:
    assert cli.main(["rates", *arguments]) == 2
    out, err = capsys.readouterr()
    line = next(line for line in err.splitlines() if message in line)
    assert line.startswith("simspec") and out == ""


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    require("gguf")
    folder = tmp_path_factory.mktemp("models")
    tiny.chat(folder / "target")
    tiny.llama(folder / "foreign")
    (folder / "texts.json").write_text(json.dumps(tiny.text(12, 60)))
    (folder / "prompts.jsonl").write_text("\n".join(json.dumps({"prompt": text}) for text in tiny.text(6, 5)))
    return folder


@pytest.mark.parametrize("kind", ["text", "chat"])
def test_draft_models_run_on_one_set_of_passes_of_the_target(models, kind, capsys, monkeypatch) -> None:
    """Each draft has the rates that it has alone with the target, and the target runs as often as for one draft."""
    from simspec.logits.capture.models import LanguageModel

    texts = {"text": ["--text", str(models / "texts.json")], "chat": ["--chat", str(models / "prompts.jsonl")]}[kind]
    options = [*texts, "--contexts", "8", "--chat-length", "4", "--json"]
    target = str(models / "target")
    counts = []
    original = LanguageModel.logits

    def counted(self, *arguments):
        calls.append(self.facts["name"])
        return original(self, *arguments)

    monkeypatch.setattr(LanguageModel, "logits", counted)
    alone = {}
    for draft in ("quantised:2", "quantised:4"):
        calls: list[str] = []
        assert cli.main(["rates", target, draft, *options, "--rule", "sd"]) == 0
        alone[draft] = json.loads(capsys.readouterr().out)[0]["acceptance"]["estimate"]
        counts.append(calls.count("target"))
    calls = []
    assert cli.main(["rates", target, "--drafts", *alone, *options]) == 0
    facts = json.loads(capsys.readouterr().out)
    rates = {row["draft"]: row["acceptance"]["estimate"] for row in facts["drafts"]}
    assert (
        rates == pytest.approx(alone, abs=1e-12) and rates["quantised:2"] < rates["quantised:4"] == rates[facts["best"]]
    )
    assert calls.count("target") == counts[0] == counts[1] > 0
    assert cli.main(["rates", target, "quantised:2", "--drafts", "b=quantised:4", *options]) == 0
    assert [row["draft"] for row in json.loads(capsys.readouterr().out)["drafts"]] == ["quantised:2", "b"]


@pytest.mark.parametrize(
    ("drafts", "message"),
    [
        (["quantised:2"], "drafts: only quantised:2; expected two or more to compare (`simspec rates TARGET DRAFT"),
        (["quantised:2", "FOREIGN"], "its tokenizer allows other contexts than that of the first draft"),
    ],
)
def test_draft_models_are_refused_with_the_cure(models, drafts, message, capsys) -> None:
    named = [str(models / "foreign") if draft == "FOREIGN" else draft for draft in drafts]
    words = ["rates", str(models / "target"), "--drafts", *named, "--text", str(models / "texts.json")]
    assert cli.main([*words, "--contexts", "8"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["a", "b", "--drafts", "c"],
            "--drafts: 'b' is a second model; expected --text FILE or --chat JSONL with models",
        ),
        (["a", "--drafts", "b", "c", "--text", "t", "--chat", "u"], "--text, --chat: got both; expected one of them"),
        (["--drafts", "b", "c", "--text", "t"], "--text, --chat: work only with models"),
    ],
)
def test_models_and_texts_belong_together(words, message, capsys) -> None:
    assert cli.main(["rates", *words]) == 2
    assert message in capsys.readouterr().err
