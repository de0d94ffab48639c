"""``python -m tests.proofs_check.attacks``: run every attack, and write docs/soundness.md."""

from __future__ import annotations

from simspec.files import write_text
from tests.proofs_check.attacks.page import PAGE, page

if __name__ == "__main__":
    write_text(page(), PAGE)
    print(f"written: {PAGE}")
