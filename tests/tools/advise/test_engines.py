"""What engines are told: rule, number of drafts and speed of the row that is advised, or of the best that an engine has."""

from __future__ import annotations

import json
import re
import shlex

import numpy as np
import pytest

from simspec.cli import main
from simspec.engine.estimates.intervals import Interval
from simspec.tools.advise.engines import ENGINES, Snippet, engine_sentence, engines
from simspec.tools.advise.table import Advice, Row
from tests.requirements import require

RULES = ("sd", "greedy", "block", "prompt-lookup", "tli", "ears:0.1", "rrs:2", "tree-iid")


def row(rule: str, gamma: int, speed: float, temperature: float = 1.0, lossless: bool = True) -> Row:
    one = Interval(1.0, 1.0, 1.0, 0.95)
    tv, fast = one._replace(estimate=0.0 if lossless else 0.1), one._replace(estimate=speed)
    several = (2 * gamma, gamma) if rule in ("rrs:2", "tree-iid") else (None, None)
    return Row(rule, temperature, 0.9, tv, gamma, one, one, 1.0, 1.0, fast, 0.1, None, (), *several)


def command_rule(snippet: Snippet) -> tuple[str, int]:
    """The rule and the number of drafts that a command asks for, read from its options alone."""
    words = shlex.split(snippet.command.splitlines()[-1])
    if snippet.engine == "transformers":
        if looked := re.search(r"prompt_lookup_num_tokens=(\d+)", snippet.command):
            return "prompt-lookup", int(looked[1])
        count = re.search(r"num_assistant_tokens = (\d+)", snippet.command)
        assert count is not None
        return ("tli" if "assistant_tokenizer" in snippet.command else "sd"), int(count[1])
    if snippet.engine == "vLLM":
        options = json.loads(words[words.index("--speculative-config") + 1])
        drawn, judged = options.get("draft_sample_method", "greedy"), options.get("rejection_sample_method", "standard")
        if judged == "block":
            assert "VLLM_USE_V2_MODEL_RUNNER=1" in words and drawn == "probabilistic"
        kinds = {"greedy": "greedy", "probabilistic": "block" if judged == "block" else "sd"}
        rule = "prompt-lookup" if options["method"] == "ngram" else kinds[drawn]
        return rule, options["num_speculative_tokens"]
    if snippet.engine == "llama.cpp":
        rule = "sd" if "--spec-draft-sampling" in words else "greedy"
        return rule, int(words[words.index("--spec-draft-n-max") + 1])
    steps, tokens = (int(words[words.index(f"--speculative-num-{n}") + 1]) for n in ("steps", "draft-tokens"))
    assert tokens == steps + 1 and words[words.index("--speculative-eagle-topk") + 1] == "1"
    return "greedy", steps


@pytest.mark.parametrize("seed", range(200))
def test_commands_ask_for_what_is_advised(seed) -> None:
    """Random advice: of an engine that has the rule the row is the one advised, of others the fastest that it has."""
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(RULES)[: rng.integers(1, len(RULES) + 1)].tolist()
    apart = bool(rng.random() < 0.3)
    rows = [row(r, int(rng.integers(1, 17)), rng.uniform(0.7, 2.5), lossless=r != "ears:0.1") for r in chosen]
    advice = Advice(rows, apart=apart)
    snippets = engines(advice, "big", "small")
    sentence = engine_sentence(advice, snippets)
    if advice.best.speedup.estimate <= 1:
        assert snippets == [] and sentence == "" and advice.sentence().startswith("Do not draft")
        return
    assert [snippet.engine for snippet in snippets] == list(ENGINES)
    has_rule = [snippet.engine for snippet in snippets if snippet.rule == advice.best.rule]
    assert sentence.startswith("No engine here") == (not has_rule) and all(engine in sentence for engine in has_rule)
    assert advice.best.rule in sentence and (not has_rule or f"{advice.best.gamma} draft token" in sentence)
    for snippet in snippets:
        able = [r for r in rows if r.rule in ENGINES[snippet.engine] and r.speedup.estimate > 1]
        able = [r for r in able if r.rule != "tli" and (r.rule == "prompt-lookup" or not apart)]
        if not able:
            assert (snippet.rule, snippet.gamma, snippet.speedup, snippet.command) == (None, None, None, "")
            assert advice.best.rule in snippet.sentence
            continue
        wanted = advice.best if advice.best in able else max(able, key=lambda r: r.speedup.estimate)
        assert (snippet.rule, snippet.gamma, snippet.speedup) == (wanted.rule, wanted.gamma, wanted.speedup.estimate)
        assert command_rule(snippet) == (wanted.rule, wanted.gamma)
        assert ("as recommended" in snippet.sentence) == (wanted is advice.best)
        assert (
            f"{wanted.gamma} draft" in snippet.sentence and f"{wanted.speedup.estimate:.2f} times" in snippet.sentence
        )
        if wanted is not advice.best and (snippet.engine, advice.best.rule) != ("transformers", "tli"):
            assert f"does not implement {advice.best.rule}; its best rule here is {wanted.rule}" in snippet.sentence


def test_block_is_told_to_the_engine_that_has_it() -> None:
    by_engine = {s.engine: s for s in engines(Advice([row("sd", 3, 1.5), row("greedy", 2, 1.2), row("block", 7, 2.0)]))}
    assert (by_engine["vLLM"].rule, by_engine["vLLM"].gamma) == ("block", 7)
    assert by_engine["transformers"].sentence == (
        "transformers does not implement block; its best rule here is sd: 3 draft tokens per target step, "
        "predicted 1.50 times the target's speed"
    )
    assert "--speculative-num-steps 2" in by_engine["SGLang"].command


def test_which_engine_is_said() -> None:
    """By hand: one that has the rule, several, none but another rule, none at all."""

    def sentence(*rows: Row, **facts) -> str:
        advice = Advice(rows, **facts)
        return engine_sentence(advice, engines(advice))

    assert sentence(row("sd", 1, 1.5)).startswith(
        "sd with 1 draft token runs in transformers, vLLM and llama.cpp; their "
    )
    assert sentence(row("static-mixture", 2, 1.5), row("greedy", 3, 1.2)) == (
        "No engine here (transformers, vLLM, llama.cpp, SGLang) implements static-mixture; the fastest that one has is greedy in "
        "vLLM, with 3 draft tokens: 1.20 times the target's speed."
    )
    assert sentence(row("rrs:2", 2, 1.5), row("sd", 3, 0.9)).endswith("and none has another measured rule that pays.")
    assert sentence(row("sd", 2, 0.9)) == ""
    assert sentence(row("sd", 2, 1.5), link=100.0) == (
        "No settings follow: an engine runs both models on one machine; this advice sends drafts over a link."
    )


def test_do_not_draft_has_no_command(tmp_path, capsys) -> None:
    """Half of the drafts are kept, and one costs 0.6 of a target step."""
    assert engines(Advice([row("sd", 3, 1.0), row("ears:0.1", 4, 1.3, lossless=False)])) == []
    laws = tmp_path / "laws.npz"
    np.savez(laws, p=[[0.5, 0.5, 0.0]] * 4, q=[[0.25, 0.25, 0.5]] * 4)
    assert main(["advise", "--bank", str(laws), "--cost", "0.6", "--rule", "sd", "--rule", "greedy"]) == 0
    out = capsys.readouterr().out
    assert "Do not draft" in out
    for word in (*ENGINES, "speculative", "assistant_model", "draft-n-max", "stand for your models"):
        assert word not in out
    assert main(["advise", "--bank", str(laws), "--cost", "0.6", "--rule", "sd", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["engines"] == []


def test_a_bank_names_no_file_that_is_not_made(tmp_path, capsys) -> None:
    """Each file that a command reads is written by one before it, and what stands for models is said to."""
    laws = tmp_path / "laws.npz"
    np.savez(laws, p=[[0.5, 0.5, 0.0]] * 4, q=[[0.25, 0.25, 0.5]] * 4)
    assert main(["advise", "--bank", str(laws), "--cost", "0.05"]) == 0
    out = capsys.readouterr().out
    assert "TARGET and DRAFT stand for your models: Hugging Face ids or folders." in out
    assert (
        set(re.findall(r"(\S+\.gguf)", out))
        == set(re.findall(r"--outfile (\S+)", out))
        == {"target.gguf", "draft.gguf"}
    )
    assert main(["advise", "--bank", str(laws), "--cost", "0.05", "--json", "-"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [snippet["engine"] for snippet in record["engines"]] == list(ENGINES)
    best = max((r for r in record["rows"] if r["lossless"]), key=lambda r: r["speedup"])
    for snippet in record["engines"]:
        if snippet["rule"] == best["rule"]:
            assert (snippet["gamma"], snippet["speedup"]) == (best["gamma"], best["speedup"])


def test_folders_are_converted_from_the_disk_and_ids_from_the_hub(tmp_path) -> None:
    folder = tmp_path / "a model's folder"
    folder.mkdir()
    (llama,) = (s for s in engines(Advice([row("sd", 3, 1.5)]), str(folder), "org/small") if s.engine == "llama.cpp")
    words = [shlex.split(line, comments=True) for line in llama.command.splitlines()]
    assert words[0] == ["python", "convert_hf_to_gguf.py", str(folder), "--outfile", "target.gguf"]
    assert words[1] == ["python", "convert_hf_to_gguf.py", "--remote", "org/small", "--outfile", "draft.gguf"]


def test_at_temperature_0_rules_with_one_token_are_alike() -> None:
    by_engine = {s.engine: s for s in engines(Advice([row("sd", 5, 1.5, 0.0)]))}
    assert {s.rule for s in by_engine.values()} == {"sd"} and "as recommended" in by_engine["SGLang"].sentence
    assert "do_sample=False" in by_engine["transformers"].command and "--temp 0 " in by_engine["llama.cpp"].command


def test_the_setting_that_was_measured_is_told() -> None:
    by_engine = {s.engine: s.command for s in engines(Advice([row("sd", 3, 1.5, 0.7), row("greedy", 2, 1.2, 0.7)]))}
    assert (
        "temperature=0.7, top_p=0.9" in by_engine["transformers"] and "--temp 0.7 --top-p 0.9" in by_engine["llama.cpp"]
    )
    assert (
        '{"temperature": 0.7, "top_p": 0.9}' in by_engine["vLLM"]
        and "temperature 0.7 and top_p 0.9" in by_engine["SGLang"]
    )


def test_a_rule_that_an_engine_gets_wrong_has_no_command() -> None:
    """Universal assisted generation of transformers 5.24.0 is biased where it samples; greedy decoding by it is not."""
    sampled = Advice([row("static-mixture", 2, 1.6), row("tli", 2, 1.5)], apart=True)
    snippet = engines(sampled)[0]
    assert (snippet.rule, snippet.command) == (None, "") and "simspec audit transformers-universal" in snippet.sentence
    advised = Advice([row("tli", 2, 1.5), row("prompt-lookup", 2, 1.2)], apart=True)
    snippet = engines(advised)[0]
    assert snippet.rule == "prompt-lookup" and snippet.sentence.startswith("transformers has tli, but")
    assert engine_sentence(advised, engines(advised)).startswith(
        "No engine here (transformers, vLLM, llama.cpp, SGLang) implements tli and keeps the target's distribution; "
    )
    greedy = Advice([row("tli", 2, 1.5, 0.0)], apart=True)
    assert engines(greedy)[0].rule == "tli" and "assistant_tokenizer" in engines(greedy)[0].command


def test_what_no_engine_runs_has_no_command() -> None:
    for facts, word in (({"pruned": 0.05, "apart": True}, "prune"), ({"link": 1000.0}, "link")):
        snippets = engines(Advice([row("sd", 3, 1.5), row("tli", 3, 1.5)], **facts))
        assert len(snippets) == len(ENGINES)
        assert all(word in s.sentence and s.command == "" and s.rule is None for s in snippets)
    unmeasured = engines(Advice([row("rrs:2", 3, 1.5)]))[-1]
    assert (
        unmeasured.sentence
        == "SGLang does not implement rrs:2, and none of its rules for these models was measured (add --rule greedy)"
    )


@pytest.mark.parametrize("rule", ["sd", "prompt-lookup", "tli"])
def test_python_for_transformers_runs_as_printed(rule, tmp_path) -> None:
    require("torch")
    pytest.importorskip("transformers")
    from tests.logits import tiny

    tiny.gpt2(tmp_path / "target", scale=1.0)
    draft = tiny.llama if rule == "tli" else tiny.gpt2
    draft(tmp_path / "draft", seed=1)
    temperature = 0.0 if rule == "tli" else 1.0
    advice = Advice([row(rule, 2, 1.5, temperature)], apart=rule == "tli")
    snippet = engines(advice, str(tmp_path / "target"), str(tmp_path / "draft"))[0]
    assert (snippet.engine, snippet.rule) == ("transformers", rule)
    names: dict = {}
    exec(snippet.command.replace("target.generate(", "text = target.generate(max_new_tokens=8, "), names)
    assert names["text"].shape[-1] > names["inputs"]["input_ids"].shape[-1]


def test_the_text_of_a_snippet_is_a_comment_and_the_command() -> None:
    """Each line of it can be pasted: the sentence is a comment, and where nothing is drafted it stands alone."""
    snippet = Snippet("vLLM", "sd", 2, 1.5, "sd, as recommended", "vllm serve big\n  --more")
    assert snippet.text == "# sd, as recommended\nvllm serve big\n  --more"
    assert snippet._replace(command="").text == "# sd, as recommended"


@pytest.mark.parametrize("draft", ["quantised:3", "quantised:1", "layers:1"])
def test_a_draft_that_is_no_checkpoint_has_no_command_and_how_one_is_made(draft) -> None:
    advice = Advice([row("sd", 3, 1.5), row("greedy", 2, 1.2), row("prompt-lookup", 2, 1.1)])
    snippets = engines(advice, "big", draft)
    assert [(s.rule, s.command) for s in snippets] == [("sd", ""), ("sd", ""), ("sd", ""), ("greedy", "")]
    maker = (
        "llama-quantize of the target's GGUF" if draft.startswith("quantised") else "save_pretrained of transformers"
    )
    assert all(f"{draft} is no checkpoint yet" in s.sentence and maker in s.sentence for s in snippets)
    assert engine_sentence(advice, snippets, draft) == (
        f"sd with 3 draft tokens runs in transformers, vLLM and llama.cpp once there is a checkpoint of {draft}: how one is made "
        "follows."
    )


@pytest.mark.parametrize("draft", ["pruned:0.25:frequency", "ngram:2"])
def test_a_draft_that_no_engine_has_leaves_the_rule_without_a_model(draft) -> None:
    advice = Advice([row("sd", 3, 1.5), row("greedy", 2, 1.2)])
    snippets = engines(advice, "big", draft)
    assert all((s.rule, s.command) == (None, "") and s.sentence.endswith(f"as {draft} does") for s in snippets)
    assert engine_sentence(advice, snippets, draft).startswith("No settings follow for sd: no engine here")
    looked_up = engines(Advice([row("sd", 3, 1.5), row("prompt-lookup", 2, 1.2)]), "big", draft)
    assert [s.rule for s in looked_up] == ["prompt-lookup", "prompt-lookup", None, None]
    assert draft not in "".join(s.command for s in looked_up)
    assert "does not implement sd" not in "".join(s.sentence for s in looked_up)


def test_prompt_lookup_needs_no_checkpoint() -> None:
    by_engine = {s.engine: s for s in engines(Advice([row("prompt-lookup", 2, 1.2)]), "big", "quantised:3")}
    assert "prompt_lookup_num_tokens=2" in by_engine["transformers"].command
