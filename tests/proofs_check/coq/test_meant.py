"""The files of attacks on theorems by hand are files that Coq accepts: what refuses them is that nobody can read them."""

from __future__ import annotations

from pathlib import Path

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq.algorithm.compiled import REALS, assumptions, compiled, joined  # noqa: E402
from tests.proofs_check.attacks.meant.native import FILES  # noqa: E402


def test_coq_accepts_what_nobody_can_read(tmp_path: Path) -> None:
    compiled(joined(FILES), tmp_path, "tricks")
    assert assumptions([f"{file}.sd_lossless" for file in FILES], tmp_path, "tricks") <= REALS
