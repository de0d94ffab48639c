"""The proofs as a short paper in Markdown: statement, givens, steps, extremal instance, counterexample, correction."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from simspec.claims import PAPERS, registry
from simspec.claims.claim import Claim
from simspec.claims.deciding.in_coq import answered, in_coq, sentence
from simspec.claims.printed import counted
from simspec.files import plain
from simspec.report.proofs import given

__all__ = ["paper"]

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "proofs"
NOTE = "<!-- Written by `python -m proofs_check`; change a proof file, not this page. -->"
INTRODUCTION = "introduction.md"


def paper(record: dict[str, Any]) -> dict[Path, str]:
    """Markdown by file: an overview, and a page of proofs for each paper."""
    claims = registry()
    groups = dict.fromkeys(PAPERS, "")
    for name, entries in record["proofs"].items():
        groups[name.split(".")[0]] += "\n".join(_section(claims[name], entries)) + "\n"
    pages = {
        FOLDER / f"{group}.md": f"# {PAPERS[group]}\n\n{NOTE}\n\n{text.rstrip()}\n"
        for group, text in groups.items()
        if text
    }
    text = resources.files("proofs_check").joinpath(INTRODUCTION).read_text(encoding="utf-8").rstrip()
    text = text.replace("{count}", counted(claims[name] for name in record["proofs"]))
    lines = [text.replace("{versions}", ", ".join(f"{k} {v}" for k, v in record["versions"].items())), ""]
    for group in (g for g, group_proofs in groups.items() if group_proofs):
        lines += [
            f"## {PAPERS[group]}",
            "",
            "| claim | | by | given | what is proved |",
            "| --- | --- | --- | ---: | --- |",
        ]
        lines += [
            row
            for name in record["proofs"]
            if name.split(".")[0] == group
            for row in _rows(name, record["proofs"][name])
        ]
        lines += [""]
    return {FOLDER / "README.md": "\n".join(lines).rstrip() + "\n", **pages}


def _rows(name: str, entries: list[dict[str, Any]]) -> Iterator[str]:
    group = name.split(".")[0]
    anchor = name.replace(".", "")
    for entry in entries:
        word = _word(name, entry)
        kind = entry["kind"]
        scope = entry["scope"].replace("|", "\\|")
        number = "" if "instance" in entry else len(given(entry))
        yield f"| [`{name}`]({group}.md#{anchor}) | {word} | {kind} | {number} | {scope} |"


def _word(name: str, entry: dict[str, Any]) -> str:
    if "instance" in entry:
        return "refuted"
    return ("proved" if in_coq(answered(name, entry)) else "derived") + ("" if entry["whole"] else " in part")


def _section(claim: Claim, entries: list[dict[str, Any]]) -> Iterator[str]:
    yield f"### `{claim.name}`"
    yield ""
    yield f"{claim.statement}. ({claim.reference}; {claim.kind}.)".replace("..", ".")
    yield ""
    for entry in entries:
        yield from _entry(claim.name, entry)
    if claim.tight and claim.kind == "bound":
        yield f"*Equality at* {_instance(claim.tight[0])}."
        yield ""
    if claim.corrected_by:
        yield f"*See* {', '.join(f'`{c}`' for c in claim.corrected_by)}."
        yield ""


def _entry(name: str, entry: dict[str, Any]) -> Iterator[str]:
    """The lines of the page for one recorded proof or refutation."""
    if "instance" in entry:
        yield f"**Refuted**, {entry['scope']}: {_instance(entry['instance'])}."
        yield f"The same search finds nothing once: {'; '.join(entry['repaired'])}."
        yield ""
        return
    head = "**Proof**" if entry["whole"] else "**Proof of a part**"
    yield f"{head} ({entry['kind']}; {entry['scope']}), [{entry['file']}](../../proofs_check/{entry['file']})."
    yield f"{sentence(answered(name, entry))}."
    if names := given(entry):
        yield f"Given ({len(names)}): {'; '.join(_given(n, entry['uses']) for n in names)}."
    if entry["cites"]:
        yield f"Rests on: {'; '.join(entry['cites'])}."
    yield ""
    for n, (text, how, latex) in enumerate(entry["steps"], 1):
        formula = f": $`{latex}`$" if latex else ""
        yield f"{n}. {text[0].upper()}{text[1:]}{formula} ({how})"
    yield ""
    if entry["sharp"]:
        yield f"*Sharpness.* {entry['sharp']}"
        yield ""


def _given(name: str, uses: list[str]) -> str:
    for used in uses:
        name = name.replace(f"(see {used})", f"(see `{used}`)")
    return name


def _instance(values: Any) -> str:
    return ", ".join(f"{k} = {_short(v)}" for k, v in plain(dict(values)).items() if v is not None)


def _short(value: Any) -> str:
    return f"({', '.join(_short(v) for v in value)})" if isinstance(value, list) else str(value)
