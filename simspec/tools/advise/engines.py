"""How engines are told what is advised; only options that stand in their documentation, by their present names.

Each engine gets the rule, the number of drafts and the speed of one row: the row that is advised where the engine has its
rule, otherwise the fastest row whose rule it has, and the text says so.  Where nothing is to be drafted there is no command
that drafts, nor where the draft is made of the target (`quantised:3`) and no engine can load it: the text says how one is made.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from simspec.tools.advise.table import Advice, Row

if TYPE_CHECKING:
    from simspec.logits.capture.drafts import DraftSpec

__all__ = ["ENGINES", "Snippet", "engine_sentence", "engines"]

ENGINES = {
    "transformers": ("sd", "tli", "prompt-lookup"),
    "vLLM": ("sd", "block", "greedy", "prompt-lookup"),
    "llama.cpp": ("sd", "greedy"),
    "SGLang": ("greedy",),
}
"""Rules of each engine for a separate draft model or for the text so far, by the names of simspec."""
ALIKE_AT_ZERO = frozenset(("sd", "block", "greedy"))
"""Rules that are the same rule at temperature 0, where both models have one token each."""
WITHOUT_SHARED = frozenset(("tli", "prompt-lookup"))
"""Rules that do not need one vocabulary; what an engine does with two, beside these, is not measured here."""

BIASED_WHERE_SAMPLED = {
    ("transformers", "tli"): (
        "transformers has tli, but 5.24.0 does not keep the target's distribution with it at a temperature above 0 (case "
        "f16-permuted-report); simspec audit transformers-universal tests the version that is installed"
    )
}
"""Rules that an engine has and gets wrong, by engine and rule: no command asks for one."""

GGUF_TYPES = {2: "Q2_K", 3: "Q3_K_S", 4: "Q4_1", 5: "Q5_1", 6: "Q6_K", 8: "Q8_0"}
"""Types of llama-quantize by the bits of a weight; 1 and 7 have none that it makes of weights alone."""
WITHOUT_MODEL = "prompt-lookup"
"""The rule of engines that needs no draft model."""


class Snippet(NamedTuple):
    """What one engine is told.

    Attributes
    ----------
    engine : of `ENGINES`
    rule, gamma, speedup : those of one row of the advice, None where the engine has nothing to draft with
    sentence : which row that is, or why there is none
    command : shell commands or Python, "" where nothing is drafted
    """

    engine: str
    rule: str | None
    gamma: int | None
    speedup: float | None
    sentence: str
    command: str

    @property
    def text(self) -> str:
        """The sentence as a comment, then the command."""
        return "\n".join(filter(None, (f"# {self.sentence}", self.command)))


def engines(advice: Advice, target: str = "TARGET", draft: str = "DRAFT") -> list[Snippet]:
    """What each engine is told; nothing where the advice is not to draft.

    Parameters
    ----------
    advice : Advice
    target, draft : names of the models, Hugging Face ids or folders; or how the draft is made of the target, as
        `simspec.logits.capture.drafts.parse_draft` reads it: then a command that needs it is replaced by how a checkpoint is made

    >>> from simspec.engine.estimates.intervals import Interval
    >>> one = Interval(1.0, 1.0, 1.0, 0.95)
    >>> fast, none = one._replace(estimate=1.5), one._replace(estimate=0.0)
    >>> row = Row("greedy", 1.0, 1.0, none, 3, one, one, 1.0, 1.0, fast, 0.1, None)
    >>> snippet = engines(Advice([row]))[-1]
    >>> snippet.engine, snippet.rule, snippet.gamma, snippet.speedup
    ('SGLang', 'greedy', 3, 1.5)
    >>> print(snippet.sentence)
    greedy, as recommended: 3 draft tokens per target step, predicted 1.50 times the target's speed
    """
    if advice.best.speedup.estimate <= 1:
        return []
    return [_snippet(engine, advice, target, draft) for engine in ENGINES]


def engine_sentence(advice: Advice, snippets: Sequence[Snippet], draft: str = "DRAFT") -> str:
    """Which engine to take: those that have the advised rule, or the fastest of the others; "" where nothing is drafted.

    Parameters
    ----------
    advice : Advice
    snippets : those of `engines` for it
    draft : the name that they were made with

    >>> from simspec.engine.estimates.intervals import Interval
    >>> one = Interval(1.0, 1.0, 1.0, 0.95)
    >>> none = one._replace(estimate=0.0)
    >>> names = (("block", 4, 1.5), ("greedy", 3, 1.25))
    >>> rows = [Row(name, 1.0, 1.0, none, g, one, one, 1.0, 1.0, one._replace(estimate=s), 0.1, None) for name, g, s in names]
    >>> engine_sentence(Advice(rows), engines(Advice(rows)))
    'block with 4 draft tokens runs in vLLM; its settings follow.'
    """
    best = advice.best
    if not snippets:
        return ""
    if reason := _not_possible("an engine", advice):
        return f"No settings follow: {reason}."
    able = [snippet.engine for snippet in snippets if snippet.rule == best.rule]
    if able:
        drafts = f"{best.gamma} draft token{'s' if best.gamma != 1 else ''}"
        names = " and ".join(filter(None, (", ".join(able[:-1]), able[-1])))
        if not any(snippet.command for snippet in snippets if snippet.rule == best.rule):
            return f"{best.rule} with {drafts} runs in {names} once there is a checkpoint of {draft}: how one is made follows."
        return f"{best.rule} with {drafts} runs in {names}; {'its' if len(able) == 1 else 'their'} settings follow."
    spec = _spec(draft)
    if spec is not None and spec.needs_texts and best.rule != WITHOUT_MODEL:
        return f"No settings follow for {best.rule}: no engine here ({', '.join(ENGINES)}) has a draft such as {draft}."
    drafting = [snippet for snippet in snippets if snippet.rule is not None and snippet.speedup is not None]
    fastest = max(drafting, key=lambda snippet: snippet.speedup or 0, default=None)
    named = ", ".join(ENGINES)
    is_biased = any(best.rule in _biased(engine, advice) for engine in ENGINES)
    implements = f"implements {best.rule}" + (" and keeps the target's distribution" if is_biased else "")
    if fastest is None:
        return f"No engine here ({named}) {implements}, and none has another measured rule that pays."
    return (
        f"No engine here ({named}) {implements}; the fastest that one has is {fastest.rule} in {fastest.engine}, with "
        f"{fastest.gamma} draft token{'s' if fastest.gamma != 1 else ''}: {fastest.speedup:.2f} times the target's speed."
    )


def _snippet(engine: str, advice: Advice, target: str, draft: str) -> Snippet:
    """Return the command and one sentence for an engine, or only a sentence that says why there is none."""
    best = advice.best
    biased = _biased(engine, advice)
    rules = tuple(rule for rule in _rules(engine, advice) if rule not in biased)
    if reason := _not_possible(engine, advice):
        return Snippet(engine, None, None, None, reason, "")
    spec = _spec(draft)
    if spec is not None and spec.needs_texts:
        fast = {row.rule for row in advice.first if row.speedup.estimate > 1}
        if WITHOUT_MODEL not in fast.intersection(rules):
            return Snippet(engine, None, None, None, _unmade(engine, spec), "")
        rules = (WITHOUT_MODEL,)
    measured = [row for row in advice.first if row.rule in rules and row.lossless and row.drafted is None]
    row = max(measured, key=lambda row: row.speedup.estimate, default=None)  # the best of all, if it is among them
    lacks = biased.get(best.rule, f"{engine} does not implement {best.rule}")
    if spec is not None and spec.needs_texts and best.rule != WITHOUT_MODEL:
        lacks = _unmade(engine, spec)
    without = "".join(f"; {why}" for rule, why in biased.items() if rule != best.rule)
    if row is None:
        named = " or ".join(f"--rule {name}" for name in rules)
        others = (
            f"none of its rules for these models was measured (add {named})"
            if rules
            else "it has no rule for two vocabularies"
        )
        return Snippet(engine, None, None, None, f"{lacks}, and {others}{without}", "")
    # a rule that slows decoding down gets no command
    speed = row.speedup.estimate
    if speed <= 1:
        sentence = (
            f"{lacks}; its best rule here is {row.rule}, which does not pay: {speed:.2f} times the target's speed"
        )
        return Snippet(engine, None, None, None, sentence + without, "")
    described_rule = f"{row.rule}, as recommended" if row is best else f"{lacks}; its best rule here is {row.rule}"
    drafts = f"{row.gamma} draft token{'s' if row.gamma != 1 else ''} per target step"
    sentence = f"{described_rule}: {drafts}, predicted {speed:.2f} times the target's speed{without}"
    if spec is not None and row.rule != WITHOUT_MODEL:
        return Snippet(engine, row.rule, row.gamma, speed, f"{sentence}; {_unmade(engine, spec)}", "")
    return Snippet(engine, row.rule, row.gamma, speed, sentence, _COMMANDS[engine](row, target, draft))


def _spec(draft: str) -> DraftSpec | None:
    """How the draft is made of the target, or None for the name of a model."""
    # imported here: most advice is of a bank, which needs nothing of what reads models
    from simspec.logits.capture.drafts import parse_draft

    return parse_draft(draft)


def _unmade(engine: str, spec: DraftSpec) -> str:
    """That a draft is no checkpoint yet, and how one is made, or that the engine has no such draft."""
    if spec.kind == "pruned":
        return f"{engine} cannot prune the vocabulary of a draft model as {spec.text} does"
    if spec.kind == "ngram":
        return f"{engine} has no draft that counts sequences of tokens in given texts as {spec.text} does"
    if spec.kind == "quantised":
        gguf_type = GGUF_TYPES.get(int(spec.number))
        made = (
            f"llama.cpp's llama-quantize of the target's GGUF file{f' to {gguf_type}' if gguf_type else ''} makes one"
        )
        if engine != "llama.cpp":
            made += ", which is for llama.cpp"
        return f"{spec.text} is no checkpoint yet: {made}"
    layers = f"{spec.number:g} layer{'s' if spec.number != 1 else ''}"
    convert = " and convert_hf_to_gguf.py" if engine == "llama.cpp" else ""
    kept = f"save the target with its first {layers} alone (save_pretrained of transformers{convert})"
    return f"{spec.text} is no checkpoint yet: {kept}, and give its name as the draft"


def _biased(engine: str, advice: Advice) -> dict[str, str]:
    """Measured rules that an engine has and gets wrong at the temperature that is advised, each with the reason."""
    if advice.best.temperature == 0:
        return {}
    measured = {row.rule for row in advice.first}
    return {rule: why for (name, rule), why in BIASED_WHERE_SAMPLED.items() if name == engine and rule in measured}


def _rules(engine: str, advice: Advice) -> tuple[str, ...]:
    """Rules of an engine that apply to a pair."""
    rules = ENGINES[engine]
    if advice.apart:
        return tuple(rule for rule in rules if rule in WITHOUT_SHARED)
    rules = tuple(rule for rule in rules if rule != "tli")
    if advice.best.temperature == 0 and ALIKE_AT_ZERO & {*rules}:
        rules += tuple(sorted(ALIKE_AT_ZERO - {*rules}))
    return rules


def _not_possible(engine: str, advice: Advice) -> str:
    """Why no option of an engine runs what was measured, whatever the rule."""
    if math.isfinite(advice.link):
        return f"{engine} runs both models on one machine; this advice sends drafts over a link"
    if advice.pruned < 1:
        return f"{engine} cannot prune the vocabulary of a draft model as --pruned does"
    return ""


def _transformers(row: Row, target: str, draft: str) -> str:
    """Its drafts are drawn from the draft model's law; a threshold of 0 keeps it from ending a call's drafts early."""
    sampled = f"do_sample=True, temperature={row.temperature:g}, top_p={row.top_p:g}, top_k=0"
    law = sampled if row.temperature > 0 else "do_sample=False"
    lines = [
        "from transformers import AutoModelForCausalLM, AutoTokenizer",
        f"tokenizer = AutoTokenizer.from_pretrained({target!r})",
        f"target = AutoModelForCausalLM.from_pretrained({target!r})",
        'inputs = tokenizer("A text to write on from", return_tensors="pt")',
    ]
    if row.rule == "prompt-lookup":
        lookup = f"prompt_lookup_num_tokens={row.gamma}, max_matching_ngram_size=2"
        return "\n".join([*lines, f"{_LOOKUP}\ntarget.generate(**inputs, {law}, {lookup})"])
    lines += [
        f"draft = AutoModelForCausalLM.from_pretrained({draft!r})",
        f"draft.generation_config.num_assistant_tokens = {row.gamma}",
        'draft.generation_config.num_assistant_tokens_schedule = "constant"',
        "draft.generation_config.assistant_confidence_threshold = 0",
    ]
    options = f"assistant_model=draft, {law}"
    if row.rule == "tli":
        lines.append(f"draft_tokenizer = AutoTokenizer.from_pretrained({draft!r})")
        options += ", tokenizer=tokenizer, assistant_tokenizer=draft_tokenizer"
    return "\n".join([*lines, f"target.generate(**inputs, {options})"])


_LOOKUP = "# without a match this drafts nothing, while the measured rule drafts the most frequent token"


def _vllm(row: Row, target: str, draft: str) -> str:
    """Greedy drafts are its default; block verification is in its model runner V2, and needs the draft's law."""
    lines = []
    runner = ""
    if row.rule == "prompt-lookup":
        options: dict[str, Any] = {"method": "ngram", "num_speculative_tokens": row.gamma, "prompt_lookup_max": 2}
        lines.append(_LOOKUP)
    else:
        options = {"method": "draft_model", "model": draft, "num_speculative_tokens": row.gamma}
        if row.rule != "greedy":
            options["draft_sample_method"] = "probabilistic"
    if row.rule == "block":
        options["rejection_sample_method"] = "block"
        runner = "VLLM_USE_V2_MODEL_RUNNER=1 "
        lines.append("# needs a version that accepts rejection_sample_method: block")
    sampling = {"temperature": row.temperature, "top_p": row.top_p}
    defaults = f"--generation-config vllm --override-generation-config {shlex.quote(json.dumps(sampling))}"
    command = f"{runner}vllm serve {shlex.quote(target)} --speculative-config {shlex.quote(json.dumps(options))}"
    return "\n".join([*lines, f"{command} {defaults}"])


def _llama(row: Row, target: str, draft: str) -> str:
    """It reads GGUF files, which its own script makes; a smallest probability of 0 keeps it from drafting fewer tokens."""
    files = {"target.gguf": target, "draft.gguf": draft}
    lines = [
        f"python convert_hf_to_gguf.py {'' if Path(name).is_dir() else '--remote '}{shlex.quote(name)} --outfile {file}"
        for file, name in files.items()
    ]
    drafts = f"--spec-type draft-simple --spec-draft-n-max {row.gamma} --spec-draft-p-min 0"
    if row.rule != "greedy":
        lines.append("# needs a build with --spec-draft-sampling (b11413 or later); older builds draft greedily")
        drafts += " --spec-draft-sampling probabilistic"
    sampling = f"--temp {row.temperature:g} --top-p {row.top_p:g} --top-k 0 --min-p 0"
    return "\n".join([*lines, f"llama-server -m target.gguf -md draft.gguf {drafts} {sampling}"])


def _sglang(row: Row, target: str, draft: str) -> str:
    """Of a separate draft model it verifies the most likely tokens; its own count of draft tokens holds one more."""
    drafts = (
        f"--speculative-num-steps {row.gamma} --speculative-eagle-topk 1 --speculative-num-draft-tokens {row.gamma + 1}"
    )
    models = f"--model-path {shlex.quote(target)} --speculative-draft-model-path {shlex.quote(draft)}"
    return (
        f"# for requests that set temperature {row.temperature:g} and top_p {row.top_p:g}\npython -m "
        f"sglang.launch_server {models} --speculative-algorithm STANDALONE {drafts}"
    )


_COMMANDS = {"transformers": _transformers, "vLLM": _vllm, "llama.cpp": _llama, "SGLang": _sglang}
