"""``python -m proofs_check.coq.algorithm``: write what the theorems say into statements.json, to be read in the difference."""

from __future__ import annotations

from proofs_check.coq.algorithm.compiled import FOLDER, sources
from proofs_check.coq.algorithm.page import stated
from simspec.claims.deciding.statements import READ, says
from simspec.files import write_json

if __name__ == "__main__":
    texts = sources()
    write_json({theorem.name: says(theorem.name, theorem.file, texts) for theorem in stated()}, FOLDER / READ)
    print(f"written: {FOLDER / READ}")
