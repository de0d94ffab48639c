"""``python -m simspec.report.explore docs/explore.html`` writes the explorable page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from simspec.files import write_text
from simspec.report.explore import render

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Write the page to the paths named on the command line (docs/explore.html when none is)."""
    for name in (sys.argv[1:] if argv is None else argv) or ["docs/explore.html"]:
        write_text(render(), Path(name))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
