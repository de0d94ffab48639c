"""The verdict table of a Markdown page, made from the recorded verdicts.

``python -m simspec.claims.table README.md`` rewrites what stands between the markers of a page.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from simspec.claims import registry
from simspec.claims.claim import Claim
from simspec.claims.verify import expected, write_text
from simspec.files import fill

__all__ = ["PART", "main", "table"]

PART = "verdicts"
WORDS = ("proved", "holds", "refuted", "supported", "unsupported", "inconclusive", "error", "not recorded")


def table(claims: Iterable[Claim], verdicts: Mapping[str, str]) -> str:
    """Markdown table of claims and their recorded verdicts, under a line that counts them.

    Parameters
    ----------
    claims : claims, in the order of the rows
    verdicts : {id: verdict}
        a claim without one is shown as "not recorded".

    Examples
    --------
    >>> print(table([Claim("sd.x", "bound", "", "A. Author, Theorem 1", corrected_by=("sd.y",))], {"sd.x": "refuted"}))
    1 claim: 1 refuted.
    <BLANKLINE>
    | claim | kind | source | verdict | corrected or sharpened by |
    |---|---|---|---|---|
    | `sd.x` | bound | A. Author, Theorem 1 | refuted | `sd.y` |
    """
    rows = [(c, verdicts.get(c.name, "not recorded")) for c in claims]
    counts = Counter(word for _, word in rows)
    count = f"{len(rows)} claim{'' if len(rows) == 1 else 's'}"
    lines = [
        f"{count}: {', '.join(f'{counts[word]} {word}' for word in WORDS if counts[word])}.",
        "",
        "| claim | kind | source | verdict | corrected or sharpened by |",
        "|---|---|---|---|---|",
    ]
    for claim, word in rows:
        cells = (
            f"`{claim.name}`",
            claim.kind,
            claim.reference.replace("|", r"\|"),
            word,
            ", ".join(f"`{name}`" for name in claim.corrected_by),
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Rewrite the pages named on the command line (README.md when none is)."""
    for name in (sys.argv[1:] if argv is None else argv) or ["README.md"]:
        path = Path(name)
        page = path.read_text(encoding="utf-8")
        write_text(fill(page, PART, table(registry().values(), expected()["verdicts"])), path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
