"""``python -m proofs_check.attacks``: run every attack, and write docs/soundness.md."""

from __future__ import annotations

from proofs_check.attacks.page import PAGE, page
from simspec.files import write_text

if __name__ == "__main__":
    write_text(page(), PAGE)
    print(f"written: {PAGE}")
