"""Coq accepts the files whose theorems were read otherwise, and proves 1 = 0 from the scripts that are not written any more."""

from __future__ import annotations

import re
from pathlib import Path

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq.algorithm.compiled import REALS, assumptions, compiled, joined  # noqa: E402
from proofs_check.coq.check import ask, prepared  # noqa: E402
from tests.proofs_check.attacks.fresh.export import ABSURD  # noqa: E402
from tests.proofs_check.attacks.fresh.native import LIBRARIES  # noqa: E402


def test_coq_accepts_what_was_read_otherwise(tmp_path: Path) -> None:
    """Each library is a module of one file: starting Coq costs more than reading them."""
    texts = {name: joined(files) for name, files in LIBRARIES.items()}
    required = sorted({name for text in texts.values() for name in re.match(r"Require (.+)\.", text)[1].split()})
    modules = [f"Module {name}.\n{text.partition(chr(10))[2]}End {name}.\n" for name, text in texts.items()]
    compiled("".join([f"Require {' '.join(required)}.\n", *modules]), tmp_path, "tricks")
    assert assumptions([f"{name}.mine.sd_lossless" for name in texts], tmp_path, "tricks") <= REALS


def test_nonsense_follows_from_the_scripts(compiled_once) -> None:
    head = "From Simspec Require Import prelude.\n"
    scripts = {name: (script(), absurd) for name, (script, absurd) in ABSURD.items()}
    parts = [
        f"Module {name}.\n"
        + text.removeprefix(head).replace("End Derivation.", f"Goal 0 = 1.\n{absurd}.\nQed.\nEnd Derivation.")
        + f"End {name}.\n"
        for name, (text, absurd) in scripts.items()
    ]
    answer = ask(compiled_once("prelude", prepared), "nonsense.v", "".join([head, *parts]))
    assert len(scripts) >= 6 and not answer.error, answer
