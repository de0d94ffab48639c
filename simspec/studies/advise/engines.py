"""How engines are told what is advised; only options that stand in their documentation, by their present names.

What an engine drafts is not always what a rule here drafts, so each part says which row of the table it matches.
"""

from __future__ import annotations

import json

from simspec.studies.advise.advice import Advice, Row

__all__ = ["engines"]

OTHER = "# what it does with a draft of another vocabulary is not measured here"


def engines(advice: Advice, target: str = "TARGET", draft: str = "DRAFT") -> dict[str, str]:
    """Settings for each engine, by its name, at the number of drafts that is best for what it runs.

    Transformers drafts from the draft's law (``sd``, or ``tli`` where vocabularies differ), llama.cpp its most likely
    tokens (``greedy``), vLLM either: it is told the faster.  A rule that was not measured has the best row's number.

    Parameters
    ----------
    advice : Advice
    target, draft : names of the models

    >>> from simspec.engine.estimates.intervals import Interval
    >>> one = Interval(1.0, 1.0, 1.0, 0.95)
    >>> row = Row("sd", 1.0, 1.0, one, 3, one, one, 1.0, 1.0, one, 0.1, None)
    >>> print(engines(Advice([row]))["llama.cpp"])
    # matches: greedy; older builds call the first option --draft-max
    llama-server -m TARGET.gguf -md DRAFT.gguf --spec-draft-n-max 3 --spec-draft-p-min 0
    """
    rows = {row.rule: row for row in advice.first}
    sampled = rows.get("tli" if advice.apart else "sd", advice.best)
    greedy = rows.get("greedy", sampled)
    served = greedy if greedy.speedup.estimate > sampled.speedup.estimate else sampled
    made = {
        "transformers": _transformers(sampled, advice.apart),
        "vLLM": OTHER if advice.apart else _vllm(served, target, draft),
        "llama.cpp": OTHER if advice.apart else _llama(greedy, target, draft),
    }
    looked = rows.get("prompt-lookup")
    return made if looked is None or looked.speedup.estimate <= 1 else made | _looked_up(looked, target)


def _looked_up(row: Row, target: str) -> dict[str, str]:
    """How to draft from the text so far: a draft model is not loaded then."""
    options = {"method": "ngram", "num_speculative_tokens": row.gamma, "prompt_lookup_max": 2}
    said = "# matches: prompt-lookup; without a match it drafts nothing, the row drafts the most frequent token"
    lookup = f"prompt_lookup_num_tokens={row.gamma}, max_matching_ngram_size=2"
    return {
        "transformers, without a draft model": f"{said}\ntarget.generate(**inputs, {_law(row)}, {lookup})",
        "vLLM, without a draft model": f"{said}\nvllm serve {target} --speculative-config '{json.dumps(options)}'",
    }


def _law(row: Row) -> str:
    sampled = row.temperature > 0
    return f"do_sample=True, temperature={row.temperature:g}, top_p={row.top_p:g}" if sampled else "do_sample=False"


def _transformers(row: Row, apart: bool) -> str:
    words = ", tokenizer=target_tokenizer, assistant_tokenizer=draft_tokenizer" if apart else ""
    return "\n".join(
        (
            f"# matches: {'tli' if apart else 'sd'} (a threshold of 0 keeps it from ending a block early)",
            f"draft.generation_config.num_assistant_tokens = {row.gamma}",
            'draft.generation_config.num_assistant_tokens_schedule = "constant"',
            "draft.generation_config.assistant_confidence_threshold = 0",
            f"target.generate(**inputs, assistant_model=draft, {_law(row)}{words})",
        )
    )


def _vllm(row: Row, target: str, draft: str) -> str:
    options: dict[str, object] = {"method": "draft_model", "model": draft, "num_speculative_tokens": row.gamma}
    if row.rule != "greedy":
        options["draft_sample_method"] = "probabilistic"
    said = "greedy, its default" if row.rule == "greedy" else "sd; without draft_sample_method it matches greedy"
    return f"# matches: {said}\nvllm serve {target} --speculative-config '{json.dumps(options)}'"


def _llama(row: Row, target: str, draft: str) -> str:
    return "\n".join(
        (
            "# matches: greedy; older builds call the first option --draft-max",
            f"llama-server -m {target}.gguf -md {draft}.gguf --spec-draft-n-max {row.gamma} --spec-draft-p-min 0",
        )
    )
