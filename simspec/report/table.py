"""The verdict tables of a Markdown page, one for each paper, made from the recorded verdicts.

``python -m simspec.report.table docs/verdicts.md`` rewrites what stands between the markers of a page.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from simspec.claims import PAPERS, file_of, registry
from simspec.claims.claim import Claim
from simspec.claims.deciding.proved import files_of
from simspec.claims.deciding.verify import expected
from simspec.claims.elsewhere import ELSEWHERE
from simspec.claims.printed import anchor, counted
from simspec.figures.gallery import of_claim
from simspec.files import fill, write_text

__all__ = ["PART", "contents", "main", "table"]

PART = "verdicts"
WORDS = ("proved", "derived", "holds", "refuted", "supported", "unsupported", "inconclusive", "error", "not recorded")
SOURCE = "Each source links to the sentence [as printed](printed.md) and our reading of it."
HEAD = """
| source | claim | kind | verdict | written in | proved in | figure | corrected or sharpened by |
|---|---|---|---|---|---|---|---|"""


def table(claims: Iterable[Claim], verdicts: Mapping[str, str]) -> str:
    """Markdown tables of registered claims and their recorded verdicts, one for each paper, under a line that counts them.

    A source leads to the printed sentence, where there is one.

    Parameters
    ----------
    claims : claims, in the order of the rows
    verdicts : {id: verdict}
        a claim without one is shown as "not recorded".

    Examples
    --------
    >>> from simspec.claims import find
    >>> print(table(find(["sd.speedup"])[:1], {"sd.speedup": "proved"}))  # doctest: +ELLIPSIS
    1 claim (1 printed by the five papers): 1 proved. Each source links to the sentence ...
    <BLANKLINE>
    ### Standard speculative decoding
    <BLANKLINE>
    | source | claim | kind | verdict | written in | proved in | figure | corrected or sharpened by |
    |---|---|---|---|---|---|---|---|
    | [PAD 2, restored](printed.md#sdspeedup) | `sd.speedup` | identity | proved | ...
    """
    rows = [(c, verdicts.get(c.name, "not recorded")) for c in claims]
    counts = Counter(word for _, word in rows)
    count = counted(claim for claim, _ in rows)
    lines = [f"{count}: {', '.join(f'{counts[word]} {word}' for word in WORDS if counts[word])}. {SOURCE}"]
    by_paper = {paper: [row for row in rows if row[0].name.split(".")[0] == paper] for paper in PAPERS}
    by_paper = {paper: paper_rows for paper, paper_rows in by_paper.items() if paper_rows}
    if len(by_paper) > 1:
        sections = {PAPERS[paper]: counted(claim for claim, _ in paper_rows) for paper, paper_rows in by_paper.items()}
        lines += ["", *contents(sections)]
    for paper, paper_rows in by_paper.items():
        lines += ["", f"### {PAPERS[paper]}", HEAD, *(_row(claim, word) for claim, word in paper_rows)]
        lines += _elsewhere(paper) if len(by_paper) > 1 else []
    return "\n".join(lines)


def contents(sections: Mapping[str, str]) -> list[str]:
    """Lines of a table of contents: headings of a Markdown page, each with what follows its link.

    >>> contents({"RDK: redistributing drafter kernels": "3 claims"})
    ['- [RDK: redistributing drafter kernels](#rdk-redistributing-drafter-kernels): 3 claims']
    """
    return [f"- [{title}](#{_anchor(title)}): {words}" for title, words in sections.items()]


def _anchor(title: str) -> str:
    """The name that Markdown gives a heading."""
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def _row(claim: Claim, word: str) -> str:
    cells = (
        _source(claim),
        f"`{claim.name}`",
        claim.kind,
        word,
        _link(file_of(claim.name)),
        ", ".join(map(_link, files_of(claim.name))),
        ", ".join(f"[{figure.name}](../figures/{figure.file}.png)" for figure in of_claim(claim.name)),
        ", ".join(f"`{name}`" for name in claim.corrected_by),
    )
    return "| " + " | ".join(cells) + " |"


def _elsewhere(paper: str) -> list[str]:
    """A sentence on the statements of a paper that claims of other papers decide, after an empty line; nothing without any."""
    decided = [
        f"`{name}` by {' and '.join(f'`{claim}`' for claim in claims)}"
        for name, claims in ELSEWHERE.items()
        if name.split(".")[0] == paper
    ]
    return ["", f"Decided elsewhere: {'; '.join(decided)}."] if decided else []


def _source(claim: Claim) -> str:
    words = claim.reference.replace("|", r"\|")
    place = anchor(claim.name)
    return words if place is None else f"[{words}](printed.md#{place})"


def _link(file: str) -> str:
    return f"[{Path(file).name}](../{file})"


def main(argv: Sequence[str] | None = None) -> int:
    """Rewrite the pages named on the command line (docs/verdicts.md when none is)."""
    for name in (sys.argv[1:] if argv is None else argv) or ["docs/verdicts.md"]:
        path = Path(name)
        page = path.read_text(encoding="utf-8")
        content = table(registry().values(), expected()["verdicts"])
        write_text(fill(page, PART, content), path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
