"""A report of what is large: `python -m tests.sizes`, printed by `make check`.

Sizes are questions to ask, not laws: nothing here fails.  What must never land stands in `tests/test_repository.py`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from tests.test_layers import statements
from tests.test_repository import DATA, ROOT, tracked

FILE_LINES = 400
"""Lines of a file above which it is listed."""
FOLDER_FILES = 20
"""Files of Python of a folder above which it is listed; a paper's collection holds a file for each statement."""
FUNCTION_LINES = 60
"""Lines of code of a function above which it is listed: docstrings, comments and blank lines are not counted."""
PARAMETERS = 8
"""Parameters of a function above which it is listed, outside kernels, which know arrays and numbers only."""


def sources() -> dict[Path, str]:
    """Text of every file of Python, by path from the root."""
    return {p.relative_to(ROOT): p.read_text(encoding="utf-8") for p in tracked() if p.suffix == ".py"}


def large_folders(paths: Iterable[Path]) -> list[tuple[int, str]]:
    """Folders with many files of Python, the largest first."""
    counts = Counter(path.parent for path in paths)
    return sorted(((n, f"{folder}/") for folder, n in counts.items() if n > FOLDER_FILES), reverse=True)


def long_files(texts: Mapping[Path, str]) -> list[tuple[int, str]]:
    """Files with many lines, the longest first."""
    lengths = {path: len(text.splitlines()) for path, text in texts.items()}
    return sorted(((n, str(path)) for path, n in lengths.items() if n > FILE_LINES), reverse=True)


def functions(text: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions of a file, with those inside others: statements hold them, and no expression does."""
    return (n for n in statements(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


def code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> int:
    """Lines of a function that are neither docstring nor comment nor blank."""
    docstrings = [
        n.body[0]
        for n in ast.walk(node)
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and ast.get_docstring(n, clean=False) is not None
    ]
    skipped = {n for doc in docstrings for n in range(doc.lineno, (doc.end_lineno or 0) + 1)}
    body = (lines[n - 1].strip() for n in range(node.lineno, (node.end_lineno or 0) + 1) if n not in skipped)
    return sum(1 for line in body if line and not line.startswith("#"))


def long_functions(path: Path, text: str) -> list[tuple[int, str]]:
    """Functions of a file with many lines of code."""
    lines = text.splitlines()
    sizes = ((code_lines(node, lines), f"{path}: {node.name}") for node in functions(text))
    return [(size, place) for size, place in sizes if size > FUNCTION_LINES]


def wide_functions(path: Path, text: str) -> list[tuple[int, str]]:
    """Functions of a file with many parameters, outside compiled loops and launches on a device."""
    if path.stem in {"loops", "core", "device"}:
        return []
    wide = []
    for node in functions(text):
        decorators = {n.id for d in node.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)}
        # pytest and Hypothesis fill in the parameters of a test, which nobody has to remember
        if node.name.startswith("test_") or decorators & {"compiled", "_compiled", "inner", "kernel", "njit"}:
            continue
        parameters = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        count = sum(parameter.arg != "self" for parameter in parameters)
        if count > PARAMETERS:
            wide.append((count, f"{path}: {node.name}"))
    return wide


def generated_lines() -> int:
    """Lines of all text that .gitattributes calls generated."""
    attributes = (ROOT / ".gitattributes").read_text(encoding="utf-8").splitlines()
    patterns = [line.split()[0] for line in attributes if line.endswith(" linguist-generated")]
    paths = [p for p in tracked() if any(fnmatchcase(p.relative_to(ROOT).as_posix(), pattern) for pattern in patterns)]
    return sum(p.read_bytes().count(b"\n") for p in paths if p.suffix not in DATA)


def report() -> Iterator[str]:
    """Lines of the report."""
    texts = sources()
    python: Counter[str] = Counter()
    for path, text in texts.items():
        python[path.parts[0]] += len(text.splitlines())
    yield "lines of Python: " + ", ".join(f"{folder} {n:,}" for folder, n in python.most_common())
    yield f"lines of generated text: {generated_lines():,}"
    data = {p: p.stat().st_size for p in tracked() if p.suffix in DATA}
    yield f"data: {sum(data.values()) / 2**20:.1f} MB in {len(data)} files"
    functions_by_length = [row for path, text in texts.items() for row in long_functions(path, text)]
    functions_by_width = [row for path, text in texts.items() for row in wide_functions(path, text)]
    tables = {
        f"files over {FILE_LINES} lines": long_files(texts),
        f"folders over {FOLDER_FILES} files": large_folders(texts),
        f"functions over {FUNCTION_LINES} lines of code": sorted(functions_by_length, reverse=True),
        f"functions over {PARAMETERS} parameters": sorted(functions_by_width, reverse=True),
    }
    for title, rows in tables.items():
        yield f"{title}: {len(rows) or 'none'}"
        yield from (f"  {count:6,}  {place}" for count, place in rows)


if __name__ == "__main__":
    print("\n".join(report()))
