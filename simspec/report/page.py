"""One self-contained HTML page from the content of ``verdicts.json``.

A pure function of the verdicts: no clock, no network, no other input.  The layout is in ``page.html.j2``; this file
checks the input and prepares what the template shows.  It decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simspec.claims import PAPERS
from simspec.claims.claim import Printed
from simspec.claims.deciding.evidence import tally
from simspec.claims.deciding.in_coq import RULES, in_coq, sentence
from simspec.claims.printed import counted, printed
from simspec.figures.gallery import links
from simspec.files import write_text
from simspec.html import number
from simspec.html.formulas import to_html
from simspec.report.plots import chart, describe_slacks, histogram
from simspec.report.shape import check_verdicts
from simspec.report.values import instance

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["KINDS", "SCOPES", "VERDICTS", "checked_now", "render", "template", "write"]

VERDICTS = {
    "proved": ("■", "True as stated: Coq accepts a proof of the whole statement, and no trial contradicts it."),
    "derived": (
        "□",
        ("True as stated by simspec's own rules, which Coq has not confirmed in every step; no trial contradicts it."),
    ),
    "holds": (
        "○",
        (
            "The random and adversarial trials recorded below found no counterexample. There is no proof of "
            "the whole statement."
        ),
    ),
    "refuted": ("✕", "False as stated: the exact counterexample below meets every assumption and violates the claim."),
    "supported": (
        "▲",
        (
            "Measured: the data meet a criterion that was fixed before the run. The verdict is about these "
            "data and models."
        ),
    ),
    "unsupported": (
        "▽",
        (
            "Measured: the data miss a criterion that was fixed before the run. The verdict is about these "
            "data and models."
        ),
    ),
    "inconclusive": (
        "≈",
        (
            "The data do not decide the claim: the interval contains the decision value, the required data are missing or too "
            "few, or all that decides was measured on families made up here, which say nothing of a paper."
        ),
    ),
    "error": ("!", "The check reached no verdict. This is a fault of the check, not a result about the claim."),
}
"""Glyph and one-sentence meaning of each verdict word."""

KINDS = {
    "identity": "two sides are equal",
    "bound": "one side is never larger than the other",
    "probability": "a bound on a certified probability",
    "rate": "an asymptotic order with an explicit constant",
    "procedure": "an algorithm has the stated property",
    "empirical": "decided by measurement, with a criterion fixed before the run",
}

SCOPES = {
    "rdk": (
        "The printed figures on named models (Qwen3, Llama) are out of scope; these claims are decided "
        "on the data named with each."
    ),
    "ears": (
        "The printed throughput (+18.12 %) and the accuracies on GSM8K come from runs of a named large "
        "model and are out of scope; tokens per target step and the arithmetic of the printed figures "
        "are tested."
    ),
    "pad": (
        "The accuracies and speeds come from Qwen3 models, named GPUs and an LLM judge and are out of "
        "scope; the rule, the lemma and the arithmetic of the printed table are tested."
    ),
    "sqs": (
        "The printed latencies come from GPT-Neo models and their hardware and are out of scope; bits "
        "are counted, and latency follows from a stated model."
    ),
    "csqs": "The printed latencies come from GPT-Neo models and their hardware and are out of scope.",
    "tasc": (
        "Quality after fine-tuning, LLM-judge and BERTScore figures and run times on a named GPU are out "
        "of scope; of the printed tables, only what follows from their own numbers is tested."
    ),
    "block": "Timings and averages over named models are out of scope.",
    "multi": "Timings and averages over named models are out of scope.",
    "tree": "Timings and averages over named models are out of scope.",
    "coupling": "Timings are out of scope.",
    "stop": "Timings and learned classifiers are out of scope.",
    "relaxed": "Quality of answers and learned classifiers are out of scope.",
    "metrics": "Timings are out of scope.",
    "cost": "Model: independent steps with one acceptance rate and one draft cost.",
    "greedy": "The paper's own models (Qwen3) are out of scope; shares are measured on the shipped pair.",
    "numerics": "How large ε is on a device is out of scope.",
    "loss": "Training runs are out of scope.",
    "folk": "The text of a thread is interpreted as the statement that is decided; timings are out of scope.",
}
"""What of a paper is out of scope, by the first part of its claims' ids."""
CHECKS = {"exact": "exact", "float": "floating point", "real": "real models"}


Pictures = Mapping[str, Sequence[tuple[str, str]]]
"""Names and addresses of the figures that illustrate each claim."""


def render(
    verdicts: Mapping[str, Any], pictures: Pictures | None = None, sentences: Mapping[str, Printed] | None = None
) -> str:
    """HTML of the report.

    Parameters
    ----------
    verdicts : mapping
        the content of ``verdicts.json``, as `simspec.verify` returns it.
    pictures : {id: [(name, address)]}, optional
        figures of the gallery to link to; without them the page refers to nothing outside itself.
    sentences : {id: sentence}, optional
        what the papers print.

    Returns
    -------
    str
        a complete page.

    Raises
    ------
    ValueError
        for a missing field, an unknown verdict or kind, two claims of one id, or a formula that cannot be translated;
        the message names the claim.

    Examples
    --------
    >>> claim = {"id": "sd.acceptance", "kind": "identity", "verdict": "proved", "statement": "$a < b$"}
    >>> page = render({"version": "0.1.0", "seed": 0, "effort": "quick", "environment": {}, "claims": [claim]})
    >>> page[:15], "http://" in page
    ('<!DOCTYPE html>', False)
    """
    check_verdicts(verdicts)
    for name in ("version", "seed", "effort", "environment", "claims"):
        if name not in verdicts:
            raise ValueError(f"verdicts: {name!r} is missing; expected the content of a verdicts.json")
    claims = verdicts["claims"]
    _check(claims)
    return template("page.html.j2").render(
        run=verdicts,
        date=verdicts.get("date") or verdicts["environment"].get("date"),
        verdicts={v: m for v, m in VERDICTS.items() if any(c["verdict"] == v for c in claims)},
        kinds={k: m for k, m in KINDS.items() if any(c["kind"] == k for c in claims)},
        counts=_counts(claims),
        groups=_groups(claims),
        count=counted(claims),
        sentences={name: _sentence(sentence) for name, sentence in (sentences or {}).items()},
        pictures=pictures or {},
        seconds=sum(c.get("seconds") or 0 for c in claims),
        glyph={v: g for v, (g, _) in VERDICTS.items()},
        number=number,
    )


def write(verdicts: Mapping[str, Any], path: str | Path) -> None:
    """Write the report, under a temporary name first, so that an interruption leaves the old page or the new one."""
    check_verdicts(verdicts)
    identifiers = [claim.get("id", "") for claim in verdicts.get("claims", ()) if "place" not in claim]
    sentences = {name: sentence for name in identifiers if (sentence := printed(name)) is not None}
    write_text(render(verdicts, links(Path(path).parent), sentences), Path(path))


@cache
def template(name: str) -> Template:
    """A page's layout."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("simspec.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)


def _check(claims: Sequence[Mapping[str, Any]]) -> None:
    identifiers: set[str] = set()
    for n, claim in enumerate(claims):
        for name in ("id", "kind", "verdict"):
            if name not in claim:
                raise ValueError(f"verdicts: claim {n} ({claim.get('id', 'without an id')}) lacks {name!r}")
        for name, allowed in (("verdict", VERDICTS), ("kind", KINDS)):
            if claim[name] not in allowed:
                raise ValueError(f"{claim['id']}: {name} {claim[name]!r}; expected one of {', '.join(allowed)}")
        if claim["id"] in identifiers:
            raise ValueError(f"verdicts: two claims are called {claim['id']}")
        identifiers.add(claim["id"])


def _counts(claims: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], int]:
    """How many claims have each (field, word), and each (paper, verdict)."""
    counts: dict[tuple[str, str], int] = {}
    for c in claims:
        for key in (("verdict", c["verdict"]), ("kind", c["kind"]), (_paper(c), c["verdict"])):
            counts[key] = counts.get(key, 0) + 1
    return counts


def _sentence(sentence: Printed) -> dict[str, Any]:
    """A printed sentence as the template shows it."""
    from markupsafe import Markup

    return {
        **sentence._asdict(),
        "read": Markup(to_html(sentence.read)),
        "restored": Markup(to_html(sentence.restored)) if sentence.restored else None,
    }


def _paper(claim: Mapping[str, Any]) -> str:
    return str(claim["id"]).split(".")[0]


def _groups(claims: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    by_id = {claim["id"]: claim for claim in claims}
    for claim in claims:
        groups.setdefault(_paper(claim), []).append(_view(claim, by_id))
    return [
        {
            "name": name,
            "title": PAPERS.get(name, name),
            "scope": SCOPES.get(name, ""),
            "claims": views,
        }
        for name, views in groups.items()
    ]


def _meaning(claim: Mapping[str, Any]) -> str:
    """What a verdict means; where it rests on trials alone, up to which sizes they went."""
    words = VERDICTS[claim["verdict"]][1]
    exact = (claim.get("checks") or {}).get("exact") or {}
    if claim["verdict"] != "holds" or not exact:
        return words
    sizes = f", {exact['data']}" if exact.get("data") else ""
    return f"{words} Exact trials: {number(exact.get('instances'))}{sizes}."


def _view(claim: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What the template shows of one claim; HTML is marked as such, everything else is escaped there."""
    from markupsafe import Markup

    ids = set(by_id)

    def rich(text: str | None) -> Markup | None:
        return Markup(_link(to_html(text), ids - {claim["id"]})) if text else None

    try:
        slacks = claim.get("slacks") or []
        tightness = claim.get("tightness")
        plot = claim.get("plot")
        description = describe_slacks(slacks)
        counterexample = claim.get("counterexample")
        corrected = claim.get("corrected_by") or []
        return {
            "id": claim["id"],
            "kind": claim["kind"],
            "verdict": claim["verdict"],
            "meaning": _meaning(claim),
            "statement": rich(claim.get("statement")),
            "source": rich(claim.get("source")),
            "note": rich(claim.get("note")),
            "criterion": rich(claim.get("criterion")),
            "message": claim.get("message"),
            "assumes": [(rich(name), needed) for name, needed in (claim.get("assumes") or {}).items()],
            "checks": [(CHECKS[k], c) for k in CHECKS if (c := (claim.get("checks") or {}).get(k))],
            "told": description,
            "histogram": Markup(histogram(slacks)) if slacks and description is None else None,
            "plot": Markup(chart(plot)) if plot else None,
            "tightness": _tightness(tightness.get("ratio")) if tightness else None,
            "tight": Markup(instance(tightness["instance"])) if tightness and tightness.get("instance") else None,
            "counterexample": Markup(instance(counterexample)) if counterexample else None,
            "corrected_by": [(c, c in ids) for c in ([corrected] if isinstance(corrected, str) else corrected)],
            "proof_steps": [_step(name, by_id.get(name)) for name in claim.get("proof_steps") or []],
            "proof": [_proof(p) for p in claim.get("proof") or []],
            "evidence": claim.get("evidence") or [],
            "tally": tally(claim.get("evidence") or []),
            "seconds": claim.get("seconds"),
            "reproduce": claim.get("reproduce"),
        }
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        reason = str(error) or type(error).__name__
        raise ValueError(f"{claim['id']}: cannot be shown: {reason[:300]}") from error


def _step(name: str, claim: Mapping[str, Any] | None) -> dict[str, Any]:
    """A claim about a formula in the printed proof of another; only its id where the run did not decide it."""
    from markupsafe import Markup

    if claim is None:
        return {"id": name, "known": False}
    statement = claim.get("statement")
    return {
        "id": name,
        "known": True,
        "verdict": claim["verdict"],
        "source": claim.get("source"),
        "statement": Markup(to_html(statement)) if statement else None,
    }


def _tightness(ratio: float | None) -> str:
    """How close the two sides come, in words."""
    if ratio == 1:
        return "The bound is reached: the two sides are equal on this instance."
    if ratio is not None and ratio > 1:
        return f"On the worst instance the ratio of the two sides is {number(ratio, 6)}; the claim fails above 1."
    return f"On the closest instance the ratio of the two sides is {number(ratio, 6)}; 1 means equality."


def _link(html: str, ids: set[str]) -> str:
    """Ids of other claims, where a text names them, become links; tags and formulas are left alone."""

    def replace(match: re.Match[str]) -> str:
        name = match.group().rstrip(".")
        return f'<a href="#{name}">{name}</a>{match.group()[len(name) :]}' if name in ids else match.group()

    parts = re.split(r"(<math>.*?</math>)", html)
    return "".join(p if n % 2 else re.sub(r"\b[a-z]+\.[a-z0-9.-]*[a-z0-9]\.?", replace, p) for n, p in enumerate(parts))


def checked_now(entry: Mapping[str, Any]) -> str:
    """Who checked a proof in this run: the rules, Coq too, or the rules while Coq's answer is that on record; empty for nobody.

    >>> checked_now({"checked_now": True, "coq": None}), checked_now({"checked_now": False})
    ('checked now', '')
    >>> checked_now({"checked_now": True, "coq": {"coq": "8.16.1", "whole": True, "asked_now": True}})
    'checked now, also by Coq'
    >>> checked_now({"checked_now": True, "coq": {"coq": "8.16.1", "whole": True}})
    "checked now by simspec's own rules; Coq's answer is on record"
    """
    if not entry.get("checked_now"):
        return ""
    said = entry.get("coq")
    if not said:
        return "checked now"
    return "checked now, also by Coq" if said.get("asked_now") else f"checked now by {RULES}; Coq's answer is on record"


def _proof(entry: Mapping[str, Any]) -> dict[str, Any]:
    versions = entry.get("versions")
    if isinstance(versions, Mapping):
        versions = ", ".join(f"{k} {v}" for k, v in versions.items())
    state = checked_now(entry) or "recorded" + (f", versions {versions}" if versions else "")
    if entry.get("kind") == "counterexample":
        word = "refuted"
    else:
        word = ("proved" if in_coq(entry) else "derived") + ("" if entry.get("whole", True) else " in part")
    facts = {"kind": entry.get("kind"), "scope": entry.get("scope"), "seconds": entry.get("seconds")}
    coq = "" if word == "refuted" else sentence(entry)
    return {"word": word, "state": state, "read": entry.get("file") is not None, "coq": coq, **facts}
