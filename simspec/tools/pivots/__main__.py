"""Measures PAD on a pair of models and writes what was found.

python -m simspec.tools.pivots smollm2 quantised:3 answers.npz
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from simspec.logits.capture.drafts import named_draft
from simspec.logits.capture.models import load_model
from simspec.studies.pad.answers import save_answers
from simspec.tools.pivots.measuring import Settings, measure

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure TARGET with DRAFT; numbers of tasks and rollouts may be given."""
    parser = argparse.ArgumentParser(prog="python -m simspec.tools.pivots", description=__doc__)
    parser.add_argument("target", help="a model for chat: a name, a folder or a GGUF file")
    parser.add_argument("draft", help="another one with the same tokens, or quantised:3, layers:20, …")
    parser.add_argument("out", type=Path, help="file that is written; parts that are done are kept beside it")
    parser.add_argument("--tasks", type=int, default=Settings.tasks, help="of each kind, to learn from and to test on")
    parser.add_argument("--many", type=int, default=Settings.many, help="rollouts of the few candidates with many")
    parser.add_argument("--few", type=int, default=Settings.few, help="candidates with many rollouts")
    parser.add_argument("--seed", type=int, default=Settings.seed)
    given = parser.parse_args(arguments)
    target = load_model(given.target, "target")
    draft = named_draft(given.draft, target)
    settings = Settings(tasks=given.tasks, many=given.many, few=given.few, seed=given.seed)
    answers = measure(target, draft, given.out, settings, say=lambda line: print(line, file=sys.stderr, flush=True))
    save_answers(answers, given.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
