"""What Coq says of attacks: it accepts the files that nobody can read, and from scripts of derivations 1 = 0 does not follow."""

from __future__ import annotations

from pathlib import Path

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq.algorithm.compiled import REALS, assumptions, compiled, joined  # noqa: E402
from proofs_check.coq.check import ask, prepared  # noqa: E402
from tests.proofs_check.attacks.meant.export import CONTRADICTED, script  # noqa: E402
from tests.proofs_check.attacks.meant.native import FILES  # noqa: E402


def test_coq_accepts_what_nobody_can_read(tmp_path: Path) -> None:
    compiled(joined(FILES), tmp_path, "tricks")
    assert assumptions([f"{file}.sd_lossless" for file in FILES], tmp_path, "tricks") <= REALS


def test_what_followed_from_scripts_does_not(compiled_once) -> None:
    """Each of these tactics proved 1 = 0 when what is given of one number was said of all."""
    tried = {name: (script(prove), absurd) for name, (prove, absurd) in CONTRADICTED.items() if absurd}
    head = "From Simspec Require Import prelude.\n"
    parts = [
        f"Module {name}.\n"
        + text.removeprefix(head).replace("End Derivation.", f"Goal 0 = 1.\nFail ({absurd}).\nAbort.\nEnd Derivation.")
        + f"End {name}.\n"
        for name, (text, absurd) in tried.items()
    ]
    answer = ask(compiled_once("prelude", prepared), "contradicted.v", "".join([head, *parts]))
    assert len(tried) >= 6 and not answer.error and answer.whole, answer
