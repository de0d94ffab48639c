"""What the papers print, by statement, and the page of all their sentences.

Each claim holds its own sentence (`Claim.printed`).  ``python -m simspec.claims.printed docs/printed.md`` writes the page.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from simspec.claims import PAPERS, registry, statement_of
from simspec.claims.claim import Claim, Printed
from simspec.files import write_text

__all__ = ["ORIGINS", "anchor", "counted", "origin", "origins", "page", "printed", "sentences"]


@cache
def sentences() -> dict[str, Printed]:
    """Every printed sentence, by the statement that reads it, in the papers' order.

    >>> sentences()["rdk.percentage"].text
    'pruning to 0.00025% of the vocabulary (500 tokens from an original 200k)'
    """
    return {statement_of(name): claim.printed for name, claim in registry().items() if claim.printed is not None}


ORIGINS = ("printed by the five papers", "by other works", "own", "of your own", "of unknown source")
"""Where a statement is from, in the order in which they are counted."""

_FIVE_PAPERS = ("RDK", "EARS", "PAD", "SQS", "C-SQS", "TASC")
_OWN = ("own", "correction", "not printed")


def origin(claim: Claim | Mapping[str, Any]) -> str:
    """Where a statement is from: one of the five papers, another work, simspec (corrections and sharper forms too), or a user.

    Parameters
    ----------
    claim : a claim that ships, or a record of a claim in ``verdicts.json``
        a record with a place is of a user's own claim; one without a source does not say where it is from.

    >>> from simspec.claims import find
    >>> [origin(claim) for claim in find(["sd.lossless", "rdk.any-drafter-corrected", "block.lossless"])]
    ['printed by the five papers', 'own', 'by other works']
    """
    if isinstance(claim, Claim):
        return _origin_of(claim.name, claim.reference)
    if "place" in claim:
        return "of your own"
    return _origin_of(claim["id"], claim["source"]) if claim.get("source") else "of unknown source"


def _origin_of(name: str, reference: str) -> str:
    is_form = any(ending in name for ending in ("-corrected", "-sharp"))
    if is_form or reference.startswith(_OWN) or "own statement" in reference:
        return "own"
    return "printed by the five papers" if reference.startswith(_FIVE_PAPERS) else "by other works"


def origins(claims: Iterable[Claim | Mapping[str, Any]]) -> str:
    """How many claims, or records of claims, are from where, as text.

    >>> from simspec.claims import find
    >>> origins(find(["sd.speedup"])[:1])
    '1 printed by the five papers'
    """
    counts = Counter(map(origin, claims))
    return ", ".join(f"{counts[name]} {name}" for name in ORIGINS if counts[name])


def counted(claims: Iterable[Claim | Mapping[str, Any]]) -> str:
    """The number of claims, or of records of claims, and where they are from, as a page and the last line of a command say it.

    >>> counted([{"id": "sd.lossless", "source": "PAD 2"}, {"id": "own.mine", "source": "", "place": "mine.py:MINE"}])
    '2 claims (1 printed by the five papers, 1 of your own)'
    >>> counted([])
    '0 claims'
    """
    members = list(claims)
    total = f"{len(members)} claim{'' if len(members) == 1 else 's'}"
    return f"{total} ({origins(members)})" if members else total


def printed(name: str) -> Printed | None:
    """The sentence behind a claim, its correction or its sharper form; None for a statement that no paper prints.

    An own statement has none, even beside one that a paper prints, unless it reads the sentence itself; nor have its forms.

    >>> printed("rdk.percentage-corrected").place, printed("rdk.gain")
    ('RDK 6.2', None)
    """
    base = name.partition("-corrected")[0].partition("-sharp")[0]
    claim = registry().get(base)
    if claim is not None and claim.printed is None and "own statement" in claim.reference:
        return None
    return sentences().get(statement_of(name))


def anchor(name: str) -> str | None:
    """Where the page of sentences shows the one behind a claim, as Markdown names its headings; None where none is printed.

    >>> anchor("rdk.percentage-corrected"), anchor("rdk.gain")
    ('rdkpercentage', None)
    """
    statement = statement_of(name)
    return "".join(c for c in statement if c.isalnum() or c in "-_") if statement in sentences() else None


def page() -> str:
    """The sentences as a Markdown page, by paper.

    >>> page().splitlines()[0]
    '# As the papers print it'
    """
    from simspec.claims.deciding.recorded import expected

    verdicts = expected()["verdicts"]
    papers = {name.split(".")[0] for name in sentences()}
    claims = {name: claim for name, claim in registry().items() if name.split(".")[0] in papers}
    number_printed = sum(printed(name) is not None for name in claims)
    lines = [
        "# As the papers print it",
        "",
        (
            "This page quotes the sentence behind each statement, with its place in the paper, our reading, "
            "and what was restored where"
        ),
        f"the text at hand had lost a formula. Of the {counted(claims.values())},",
        f"{number_printed} are based on these {len(sentences())} sentences: the statements, their corrections and sharper forms.",
        "The others are own statements, or formulas of other works. EARS is quoted from a summary of the paper.",
        "",
        (
            "Trials of a statement include the values that its paper prints: β of EARS, η and α of C-SQS. "
            "The printed parameters of RDK"
        ),
        (
            "and PAD are sizes of models and corpora, which do not enter any distribution. The page of a "
            "refuted statement"
        ),
        "says where it fails within the paper's own range, or why no such place is shown.",
    ]
    for paper in (d for d in PAPERS if d in papers):
        lines += ["", f"## {PAPERS[paper]}"]
        for name, sentence in sentences().items():
            if name.split(".")[0] == paper:
                decided_claims = ", ".join(f"`{n}` {verdicts[n]}" for n in claims if printed(n) is sentence)
                restored = [f"- restored: {sentence.restored}"] if sentence.restored else []
                lines += ["", f"### `{name}`", "", f"> “{sentence.text}” ({sentence.place})", ""]
                lines += [f"- read as: {sentence.read}", *restored, f"- decided: {decided_claims}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for target in sys.argv[1:]:
        write_text(page(), Path(target))
