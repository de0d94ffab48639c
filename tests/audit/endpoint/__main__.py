"""``python -m tests.audit.endpoint``: audit the in-process engine with each fault, and write docs/cases/engines.md."""

from __future__ import annotations

from simspec.files import write_text
from tests.audit.endpoint.page import PAGE, page

if __name__ == "__main__":
    write_text(page(), PAGE)
    print(f"written: {PAGE}")
