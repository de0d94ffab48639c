"""The page that says which models each empirical claim was decided on: the paper's, SmolLM2, and the small pairs.

    python -m simspec.report.models docs/models.md

Every empirical claim is decided as `simspec verify` decides it, and those that a bank can move once more on each small pair
alone, as if that were a bank of one's own.  A table parts the model from the text: one model on several kinds of text, and
several models on the same texts.  So are the claims on which they differ (`simspec.report.differences`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from simspec.claims import registry
from simspec.claims.chosen import choose, moved_by_bank
from simspec.claims.claim import Evidence
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import (
    CONTROL_PASSES,
    decided_on,
    deciding_rows,
    is_comparable,
    judge,
    not_comparable_rows,
    tally,
)
from simspec.claims.deciding.verify import verify
from simspec.engine.estimates.intervals import documents
from simspec.files import write_text
from simspec.laws import entropy, softmax
from simspec.logits.bank import TEXTS, Bank, open_bank
from simspec.report.differences import explained, of_files, on_recorded_rows, spread_evenly, write_part
from simspec.studies.ears.uncertainty import kendall_interval
from simspec.studies.pairs import bank_laws

__all__ = [
    "MODELS",
    "SMALL",
    "compared",
    "differing",
    "kind_rows",
    "main",
    "page",
    "paper_model",
    "weakest",
]

SMALL = ("wiki", "stories")
"""The small pairs, each of which decides by itself for the comparison."""
MODELS: dict[str, str] = {
    "rdk.frequent-quarter": "Llama-3-8B's tokenizer",
    "rdk.long-tail": "Llama-3.1-8B's tokenizer",
    "rdk.logit-statistics": "GPT-2",
    "rdk.student-t-logits": "GPT-2",
    "rdk.t-fit": "GPT-2",
    "rdk.probability-fit": "GPT-2",
    "rdk.heavier-than-t": "GPT-2",
    "rdk.affinity-sparsity": "not named",
    "rdk.rank-one": "not named",
    "rdk.seventy-five": "not named",
    "rdk.real-pruning": "Qwen3-0.6B-Base",
    "ears": "Qwen3-32B, its draft not named",
    "pad": "Qwen3-8B, draft Qwen3-0.6B",
    "sqs": "GPT-Neo-1.3B, draft GPT-Neo-125M",
    "csqs": "GPT-Neo-1.3B, draft GPT-Neo-125M",
    "greedy": "Qwen3",
    "tasc.output-entropy": "none: texts of corpora",
    "tasc.typical-set-bigrams": "none: texts of corpora",
    "tasc.length-reduction": "Qwen2.5-0.5B's tokenizer",
    "tasc.entropy-rises": "Qwen2.5-0.5B's tokenizer",
    "tasc.renyi-predicts": "Qwen2.5-0.5B and 3B, fine-tuned",
    "tasc.position-decay": "Asclepius-Llama3-8B and a medical Llama-3-8B",
    "tasc": "Qwen2.5-0.5B, fine-tuned",
    **dict.fromkeys(
        ("tasc.beats-ngrammys", "tasc.table3-orders", "tasc.mixture"),
        "Asclepius-Llama3-8B, a medical Llama-3-8B, Qwen2.5, fine-tuned",
    ),
}
"""What the papers name, by claim or by the first words of its id; own statements have no paper's model."""
_ORDER = ("unsupported", "inconclusive", "supported")


def weakest(record: Mapping[str, Any]) -> Evidence | None:
    """The deciding row that fails, or is open, or holds with the least room; None where none decides."""
    rows = deciding_rows(record)
    return min(rows, key=lambda row: (_ORDER.index(judge(row) or "supported"), _room(row)), default=None)


def _room(row: Evidence) -> float:
    """How far the interval's end lies inside the value that it is compared with."""
    low, high = row.interval or (0.0, 0.0)
    control = row.control or {}
    if "must exceed" in control:
        return low - control["must exceed"]
    return control["must stay below"] - high


def _row_text(row: Evidence) -> str:
    """A deciding row in words: what was measured, its interval and the value it is compared with."""
    control = row.control or {}
    side, limit = next((name, control[name]) for name in ("must exceed", "must stay below") if name in control)
    low, high = row.interval or (row.estimate, row.estimate)
    interval = f"{row.estimate:.4g} [{low:.4g}, {high:.4g}]"
    text = f"{row.data}: {interval} at {row.level:.4g}, n = {row.n:,}; {side} {limit:g}"
    if CONTROL_PASSES not in control:
        return text
    passing = control[CONTROL_PASSES]
    outcome = "so that the test tells nothing" if passing >= limit else "and so fails"
    others = [f"{name} {value:.4g}" for name, value in control.items() if name not in (side, CONTROL_PASSES)]
    return f"{text}; beside: {', '.join([*others, f'{CONTROL_PASSES} {passing:.4g}'])}, {outcome}"


def paper_model(name: str) -> str:
    """The model that a claim's paper names.

    >>> paper_model("ears.calibration"), paper_model("coupling.zero-bits.accepts")
    ('Qwen3-32B, its draft not named', 'none: own statement')
    """
    if registry()[name].reference.startswith("own statement"):
        return "none: own statement"
    parts = name.split(".")
    prefixes = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((MODELS[prefix] for prefix in prefixes if prefix in MODELS), "named in the claim")


def compared() -> list[str]:
    """Ids of the empirical claims that a bank can move."""
    return [choice.claim.name for choice in choose(()) if choice.claim.finding is not None and moved_by_bank(choice)]


def differing(runs: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[str]:
    """Ids whose verdict on SmolLM2 is another than on a small pair.

    Parameters
    ----------
    runs : {"shipped" or a small pair: {id: record}}
    """
    shipped = runs["shipped"]
    return [
        name for name in _moved(runs) if any(runs[pair][name]["verdict"] != shipped[name]["verdict"] for pair in SMALL)
    ]


def _moved(runs: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[str]:
    """Ids that are decided on SmolLM2, and on a small pair where that is the bank."""
    shipped = runs["shipped"]
    small = runs[SMALL[0]]
    on_smollm2 = [name for name in shipped if name in small and "SmolLM2" in decided_on(shipped[name])]
    return [name for name in on_smollm2 if "SmolLM2" not in decided_on(small[name])]


def page(runs: Mapping[str, Mapping[str, Mapping[str, Any]]], kinds: Iterable[Sequence[str]]) -> str:
    """The page in Markdown.

    Parameters
    ----------
    runs : {"shipped" or a small pair: {id: record}}, and of the claims that differ "files": SmolLM2 on wiki's texts, and
        "fewer": wiki on as many contexts
    kinds : rows of the table that parts model and text, as `kind_rows` gives them
    """
    shipped = runs["shipped"]
    on_smollm2 = _moved(runs)
    others = [name for name in shipped if name not in on_smollm2]
    lines = [
        "# Which models decide",
        "",
        "Find out on which model an empirical claim was decided, and what other models say of it. A claim about models is",
        "decided on SmolLM2-135M-Instruct with each of its two drafts where it is about a pair, and on the answers that this",
        "model wrote: on these a draft is judged when the model is served. What is counted beforehand (how often tokens occur,",
        "how they vary together) comes from its answers to other questions. The same model on texts of a corpus, those of wiki,",
        "with what is counted there, and two pairs of small models, stand beside as controls.",
        "`simspec verify ID --bank FILE` decides a claim on a bank of your own. `make readme` writes this page.",
        "",
        f"## SmolLM2 beside the small pairs ({len(on_smollm2)} claims)",
        "",
        "wiki: GPT-2 shape, 7.4 M parameters, V = 16,384. stories: Llama, 0.66 M parameters, V = 2,048, a draft with another",
        "vocabulary. What decides is in the details below.",
        "",
        "| claim | the paper's model | SmolLM2 | wiki | stories |",
        "|---|---|---|---|---|",
    ]
    for name in on_smollm2:
        words = [_word(shipped[name]), *(_word(runs[pair][name]) for pair in SMALL)]
        lines.append(f"| [`{name}`](#{name.replace('.', '')}) | {paper_model(name)} | {' | '.join(words)} |")
    lines += ["", "## Model and text", "", *_kinds_table(kinds), "", "## Claim by claim"]
    differ = differing(runs)
    for name in on_smollm2:
        lines += ["", f"### `{name}`", "", f"{registry()[name].statement}.", ""]
        lines += [_decision("SmolLM2", shipped[name]), *(_decision(pair, runs[pair][name]) for pair in SMALL)]
        if name in differ:
            parts = {run: records[name] for run, records in runs.items()}
            lines += ["", "Why they differ:", "", *explained(parts, SMALL)]
    lines += [
        "",
        f"## Decided on other data ({len(others)} claims)",
        "",
        "Synthetic laws, counted corpora, recorded tasks, the vectors of the paper's own model, and what was measured on a model",
        "without a bank: SmolLM2's answers to tasks, and its rounding.",
        "",
        "| claim | the paper's model | verdict | decided on |",
        "|---|---|---|---|",
        *(f"| `{n}` | {paper_model(n)} | {shipped[n]['verdict']} | {decided_on(shipped[n])} |" for n in others),
    ]
    return "\n".join(lines) + "\n"


def _shown(row: Evidence) -> str:
    """A row that decides nothing, in words."""
    low, high = row.interval or (row.estimate, row.estimate)
    return f"{row.data}: {row.estimate:.4g} [{low:.4g}, {high:.4g}], n = {row.n:,}"


def _word(record: Mapping[str, Any]) -> str:
    """The verdict, or that the statement cannot be about what a pair has."""
    return record["verdict"] if is_comparable(record) else "not comparable"


def _decision(pair: str, record: Mapping[str, Any]) -> str:
    """What one pair says of a claim: the verdict, how many cells hold, and the weakest of them."""
    row = weakest(record)
    if not is_comparable(record):
        return f"- {pair}: {'; '.join(map(_shown, not_comparable_rows(record)))}"
    if row is None:
        return f"- {pair}: {record['verdict']}; {record['message'] or 'nothing was measured'}"
    return f"- {pair}: {record['verdict']}; {tally(record['evidence'])}. Weakest: {_row_text(row)}"


_KINDS_HEAD = """\
The same texts read by two targets differ by the model; texts and answers read by one target differ by the text. Intervals
hold singly at 95 %, resampled by document. Acceptance is that of speculative decoding at temperature 1; tau is Kendall's,
of 1 - max p and entropy; entropies are in nats.

| target | text | contexts | documents | entropy | acceptance by draft | tau |
|---|---|---|---|---|---|---|"""


def _kinds_table(rows: Iterable[Sequence[str]]) -> list[str]:
    return [_KINDS_HEAD, *(f"| {' | '.join(row)} |" for row in rows)]


def kind_rows(bank: Bank, small: Bank) -> list[list[str]]:
    """Rows of the table that parts model and text: SmolLM2 by kind of text, the small pair on the same texts.

    Parameters
    ----------
    bank : with cut rows; its corpora that are files are those of `small`
    small : with whole rows
    """
    rows = []
    cut = bank.cut
    files = np.char.find(cut.corpus, "/") >= 0
    likeliest = cut.laws()[0][:, :-1].max(axis=-1)
    texts = sorted(set(cut.corpus[files].tolist()))
    kinds = {"chat answers": "chat", "code answers": "code", "arithmetic answers": "arithmetic"}
    masks = {label: cut.corpus == kind for label, kind in kinds.items()}
    masks |= {"all answers": ~files, "texts of wiki": files} | {text: cut.corpus == text for text in texts}
    for label, mask in masks.items():
        accepted = {name: bank.with_draft(name).cut.overlap[mask] for name in bank.drafts}
        rows.append(_kind_row("SmolLM2", label, cut.entropy[mask], likeliest[mask], accepted, cut.documents[mask]))
    p, q = bank_laws(small)
    of_small = {"draft": np.minimum(p, q).sum(axis=-1)}
    uncertain = entropy(softmax(small.target().astype(np.float64)))
    masks = {"texts of wiki": np.ones(len(p), dtype=bool)} | {text: small.corpus == text for text in texts}
    for label, mask in masks.items():
        accepted = {name: values[mask] for name, values in of_small.items()}
        rows.append(
            _kind_row("wiki-target", label, uncertain[mask], p.max(axis=-1)[mask], accepted, small.documents[mask])
        )
    return rows


def _kind_row(
    target: str, label: str, uncertain: Any, likeliest: Any, accepted: Mapping[str, Any], document: Any
) -> list[str]:
    tau = kendall_interval(1 - likeliest, uncertain, document, resamples=2000)
    means = {name: documents(values, document) for name, values in accepted.items()}
    mean = documents(uncertain, document)
    return [
        target,
        label,
        f"{len(document):,}",
        str(len(np.unique(document))),
        f"{mean.estimate:.2f} [{mean.low:.2f}, {mean.high:.2f}]",
        "; ".join(f"{name} {m.estimate:.3f} [{m.low:.3f}, {m.high:.3f}]" for name, m in means.items()),
        f"{tau.estimate:.3f} [{tau.low:.3f}, {tau.high:.3f}]",
    ]


RECORDED = ("rdk.real-pruning", "rdk.real-controls")
"""Claims that are decided on rows that ship, from which those of a part of the contexts are taken."""
WIKI = {"wiki": ""}
"""The small pair with one vocabulary, by its name in these rows; it has one draft."""


def _run(names: Sequence[str], bank: str | None = None) -> dict[str, dict[str, Any]]:
    return {record["id"]: record for record in verify(*names, bank=bank)["claims"]}


def _parts(names: Sequence[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """Claims decided on SmolLM2 on wiki's texts, and on as many contexts of wiki."""
    bank = open_bank("smollm2")
    wiki = open_bank("wiki")
    texts = bank.of_kind(TEXTS)
    drafts = {name: of_draft.drafts[of_draft.draft_number] for name, of_draft in Data().texts.items()}
    fewer = spread_evenly(texts.contexts)
    runs = {}
    with TemporaryDirectory() as folder:
        for label, of_bank, is_kept in (("files", bank, of_files), ("fewer", wiki, fewer)):
            path = Path(folder, f"{label}.safetensors")
            write_part(of_bank, is_kept, path)
            runs[label] = _run([name for name in names if not name.startswith(RECORDED)], str(path))
            recorded = (texts, drafts) if of_bank is bank else (wiki, WIKI)
            for name in filter(lambda name: name.startswith(RECORDED), names):
                runs[label][name] = on_recorded_rows(name, *recorded, is_kept)
    return runs


def main(argv: Sequence[str] | None = None) -> int:
    """Decide the claims and write the page to the file named on the command line (docs/models.md when none is)."""
    names = [name for name, claim in registry().items() if claim.finding is not None]
    movable = compared()
    runs = {"shipped": _run(names)}
    for pair in SMALL:
        runs[pair] = _run([name for name in movable if not name.startswith(RECORDED)], str(open_bank(pair).file.path))
    wiki = open_bank("wiki")
    recorded = [name for name in movable if name.startswith(RECORDED)]
    runs["wiki"] |= {name: on_recorded_rows(name, wiki, WIKI, of_files) for name in recorded}
    runs["stories"] |= _run(recorded, str(open_bank("stories").file.path))
    runs |= _parts(differing(runs))
    text = page(runs, kind_rows(open_bank("smollm2"), wiki))
    for name in (sys.argv[1:] if argv is None else argv) or ["docs/models.md"]:
        write_text(text, Path(name))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
