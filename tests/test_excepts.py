"""Who catches everything, and why: `except Exception` hides faults, and what signal handlers raise passes through it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BROAD = {"Exception", "BaseException"}
LIBRARY = "the library raises bare exceptions, or classes that are there only where it is"
STRANGER = "code of the user's, which may raise anything and is to blame by name"
AGAIN = "ends its processes and raises again"
ALLOWED = {
    ("proofs_check/checking/processes.py", "in_processes"): AGAIN,
    (
        "simspec/claims/deciding/outside.py",
        "_checked_again",
    ): "the layer above raises its own error; others go on",
    ("proofs_check/checking/edges.py", "_broken"): STRANGER,
    ("proofs_check/checking/outside.py", "recorded_outside"): STRANGER,
    ("proofs_check/coq/outside.py", "_answer"): STRANGER,
    ("simspec/claims/deciding/verify.py", "verify_claim"): "a crashed check is an error verdict, never silence",
    ("simspec/claims/deciding/workers.py", "decide_apart"): AGAIN,
    ("simspec/kernels/cuda/launch.py", "cupy"): LIBRARY,
    ("simspec/audit/calling.py", "_tokens"): STRANGER,
    ("simspec/audit/calling.py", "_numbers"): STRANGER,
    ("simspec/audit/calling.py", "_run"): STRANGER,
    ("simspec/audit/handing.py", "weights_of"): STRANGER,
    ("simspec/audit/endpoint/parallel.py", "work"): "the thread that waits for a call raises what it raises",
    ("simspec/html/formulas.py", "mathml"): LIBRARY,
    ("simspec/logits/capture/models.py", "load_model"): "readers of many formats of weights, told with the reason",
    (
        "simspec/logits/capture/weights.py",
        "_gguf_header",
    ): "a reader that meets damage with whatever its arithmetic raises",
    ("simspec/logits/capture/chat.py", "prompt_ids"): STRANGER,
    ("simspec/provenance/contents.py", "contents"): STRANGER,
    ("simspec/engine/cells.py", "_block"): STRANGER,
    ("simspec/engine/cells.py", "work_together"): STRANGER,
    ("simspec/engine/devices.py", "use"): LIBRARY,
    ("simspec/engine/pools.py", "_fetch"): "what a worker raises or cannot be unpickled; not on the main thread",
    ("simspec/studies/tasc/task_tokens.py", "read_tokenizer"): LIBRARY,
    ("simspec/cli/study/reading.py", "replay"): STRANGER,
}
"""Functions that catch everything, each with its reason."""


def broad(tree: ast.AST, function: str = "") -> Iterator[tuple[str, bool, bool]]:
    """Function, whether it catches BaseException too, and whether it raises again, of each handler of everything."""
    for node in ast.iter_child_nodes(tree):
        inner = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else function
        caught: list[ast.expr] = []
        if isinstance(node, ast.ExceptHandler):
            caught = [node.type] if node.type else [ast.Name("BaseException")]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "suppress":
            caught = node.args
        parts = [part for c in caught for part in (c.elts if isinstance(c, ast.Tuple) else [c])]
        names = {part.id for part in parts if isinstance(part, ast.Name)} & BROAD
        if names:
            last = node.body[-1] if isinstance(node, ast.ExceptHandler) else None
            yield inner, "BaseException" in names, isinstance(last, ast.Raise) and last.exc is None
        yield from broad(node, inner)


@cache
def found() -> dict[tuple[str, str], list[tuple[bool, bool]]]:
    """Every handler of everything in the package, by file and function; a file with neither word has none."""
    out: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
    for path in sorted(p for folder in ("simspec", "proofs_check") for p in (ROOT / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for function, *kind in broad(ast.parse(text)) if "except" in text or "suppress" in text else ():
            out.setdefault((path.relative_to(ROOT).as_posix(), function), []).append((kind[0], kind[1]))
    return out


def test_only_those_with_a_reason_catch_everything() -> None:
    assert set(found()) == set(ALLOWED)


def test_what_signals_raise_passes_unless_it_is_raised_again() -> None:
    assert {place for place, kinds in found().items() if any(base and not again for base, again in kinds)} == set()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("try: x\nexcept ValueError: pass", []),
        ("def f():\n try: x\n except Exception: pass", [("f", False, False)]),
        ("try: x\nexcept: pass", [("", True, False)]),
        ("try: x\nexcept (OSError, BaseException) as e:\n  y\n  raise", [("", True, True)]),
        ("try: x\nexcept BaseException as e: raise ValueError from e", [("", True, False)]),
        ("def f():\n with contextlib.suppress(OSError, Exception): x", [("f", False, False)]),
    ],
)
def test_a_made_up_handler_is_seen(source, expected) -> None:
    assert list(broad(ast.parse(source))) == expected
