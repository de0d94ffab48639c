"""The paper `watermark`: nothing that `simspec new paper` wrote is left to be replaced."""

from pathlib import Path

import simspec.claims

CLAIMS = Path(simspec.claims.__file__).parent
FILES = (*sorted((CLAIMS / "watermark").glob("*.py")), CLAIMS / "references.bib")


def test_every_stub_is_replaced() -> None:
    left = [file.name for file in FILES if "STUB" in file.read_text(encoding="utf-8")]
    assert not left, f"replace what is marked STUB in {', '.join(left)}: CONTRIBUTING.md, Add a paper"
