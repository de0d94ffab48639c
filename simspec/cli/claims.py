"""`simspec claims`: list the claims, show some in full with where they are written and proved, or begin a new one."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simspec.claims.chosen import Chosen
    from simspec.claims.claim import Claim

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help=(
            "ids, prefixes or FILE.py:NAME of claims to show (default: list all claims); `new ID` writes the "
            "files of a new claim"
        ),
    )
    parser.add_argument(
        "--source", metavar="TEXT", help="only claims whose source contains this text, such as 'Theorem 5.1'"
    )
    parser.add_argument("--json", action="store_true", help="write JSON instead of text")


def run(args: argparse.Namespace) -> int:
    """The command itself; returns its exit status."""
    if args.ids[:1] == ["new"]:
        return _new(args)
    from simspec.claims.chosen import choose, narrowed
    from simspec.claims.deciding.recorded import expected

    choices = narrowed(choose(args.ids), source=args.source)
    are_shown = args.json or args.ids or args.source is not None
    recorded = expected()["verdicts"]
    decided_on = expected()["decided on"]
    rows: list[dict[str, Any]] = [
        {
            "id": c.claim.name,
            "kind": c.claim.kind,
            "verdict": recorded.get(c.claim.name),
            "decided_on": decided_on.get(c.claim.name),
            "source": c.claim.reference,
            "statement": c.claim.statement,
            "assumes": list(c.claim.assumes),
            **_related(c.claim, recorded.get(c.claim.name)),
            "proof_steps": [_step(name, recorded) for name in c.claim.proof_steps],
            "note": c.claim.note,
            "within": _within(c),
            "printed": _printed(c),
            **(_places(c) if are_shown else {}),
        }
        for c in choices
    ]
    if args.json:
        print(json.dumps(rows, indent=1, ensure_ascii=False))
    elif args.ids or args.source is not None:
        for name in args.ids:
            _say_elsewhere(name)
        for row in rows:
            _show(row)
    else:
        for row in rows:
            print(f"{row['verdict'] or 'not recorded':<14}{row['kind']:<13}{row['id']}")
    return 0


def _say_elsewhere(name: str) -> None:
    """A line on a statement that claims of other papers decide."""
    from simspec.claims.elsewhere import ELSEWHERE

    claims = ELSEWHERE.get(name.lower())
    if claims:
        print(f"{name} is decided by {' and '.join(claims)}:\n")


def _related(claim: Claim, verdict: str | None) -> dict[str, list[str]]:
    """Claims that correct one that fails, and those that sharpen one that holds."""
    from simspec.claims.claim import relation_word

    related = list(claim.corrected_by)
    sharpens = relation_word(verdict) == "sharpened by"
    return {"corrected_by": [] if sharpens else related, "sharpened_by": related if sharpens else []}


def _step(name: str, recorded: dict[str, str]) -> dict[str, str | None]:
    """A claim about a formula in the printed proof of another one."""
    from simspec.claims import registry

    step = registry()[name]
    return {
        "id": name,
        "verdict": recorded.get(name),
        "source": step.reference,
        "statement": step.statement,
    }


def _printed(choice: Chosen) -> dict[str, str] | None:
    """The paper's sentence, of a claim that ships and that reads one."""
    from simspec.claims.printed import printed

    sentence = None if choice.outside else printed(choice.claim.name)
    return sentence._asdict() if sentence else None


def _within(choice: Chosen) -> list[str]:
    """Counterexamples inside the paper's own range, or why there is none."""
    from simspec.claims.showing import instance_text

    within = choice.claim.within
    return [within] if isinstance(within, str) else [instance_text(instance) for instance in within]


def _places(choice: Chosen) -> dict[str, Any]:
    """Where a claim is written and proved."""
    from simspec.claims import file_of
    from simspec.claims.deciding.in_coq import sentence, sentence_of
    from simspec.claims.deciding.outside import entries
    from simspec.claims.deciding.proved import files_of

    name = choice.claim.name
    if choice.outside:
        proofs = entries(choice.claim)
        said = "; ".join(map(sentence, proofs))
        return {"written": choice.reference, "proved": [e["file"] for e in proofs], "coq": said}
    return {"written": file_of(name), "proved": files_of(name), "coq": sentence_of(choice.claim)}


def _new(args: argparse.Namespace) -> int:
    from simspec.cli.new import clone

    if len(args.ids) != 2 or args.json or args.source is not None:
        raise ValueError(f"new: {' '.join(args.ids[1:])!r}; expected one id such as rdk.my-claim, and no option")
    print(*clone.write_stubs(args.ids[1], clone.ROOT), sep="\n")
    return 0


LISTS = (
    ("assumes", "assumes"),
    ("corrected_by", "corrected by"),
    ("sharpened_by", "sharpened by"),
    ("within", "refuted within the paper's own range"),
)
"""What of a claim is a list, and how it is called."""
PROVED = {
    "proved": "proved in",
    "derived": "derived in",
    "holds": "a part of it proved in",
    "refuted": "refuted in",
}
"""What the recorded proofs of a claim show, by its verdict."""


def _show(row: dict[str, Any]) -> None:
    """Print one claim in full: its statement, verdict, source, proof steps and lists; empty fields are left out."""
    from simspec.html.terminal import to_text

    print(f"{row['id']}  ({row['kind']}, {row['source']})")
    print(f"  {to_text(row['statement'])}")
    if row["printed"]:
        # the row holds plain fields; the record turns them into words
        from simspec.claims.claim import Printed

        print(f"  as printed: {Printed(**row['printed'])}")
    for name, word in (
        ("verdict", "recorded verdict"),
        ("decided_on", "decided on"),
        ("note", "why"),
        ("written", "written in"),
        ("coq", "what Coq says"),
    ):
        if row[name]:
            print(f"  {word}: {to_text(row[name])}")
    for step in row["proof_steps"]:
        print(
            f"  step of the printed proof, {step['verdict']}: {step['id']} ({step['source']}): {to_text(step['statement'])}"
        )
    for name, word in (("proved", PROVED.get(row["verdict"], "proof in")), *LISTS):
        if row[name]:
            print(f"  {word}: {to_text('; '.join(row[name]))}")
    print()
