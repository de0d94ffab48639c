"""How readable the code is, in five figures a folder: `python -m tests.readability`, printed by `make check`.

A figure is a place to look, not a verdict. `tests/test_readability.py` fails only where a change makes a figure worse than
`tests/readability.json` records. What is not here: sizes (`tests/sizes.py`), and whether a comment or a docstring is any good.

    python -m tests.readability            # the table
    python -m tests.readability --places   # each place that is counted
    python -m tests.readability --record   # record the figures of today
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.sizes import sources
from tests.test_repository import ROOT

FOLDERS = ("simspec", "proofs_check", "benchmarks")
RECORD = ROOT / "tests" / "readability.json"
FUNCTION_LINES = 15
"""Lines of a function, its first line included, above which it needs a docstring."""
POSITIONAL = 8
"""Positional arguments from which a call is counted; `*splat` is one."""

VAGUE = frozenset(
    "found told said made given asked kept drawn left taken shown wanted seen written begun moved done known held met "
    "chosen passed spent placed called put thought meant tried one each part every other both what such which "
    "whole most least room own those this these whose mine ours more less few many".split()
)
"""Words that do not say what a value is."""
SMALL = frozenset(
    "a all an and any are as at be by do far few for from had has have how if in is it its no not of off on or out over "
    "so some than that the them then there to too two under up was were what when where who with".split()
)
"""Words that tell no more beside a vague one."""
HONEST = {
    "left": "of a pair left and right, both bound in the same file",
    "kept": "a key of stored instances (tokens that a quantiser keeps), which functions of a claim take as a parameter or field",
    "other": "the second operand of Python's operators, and a key of stored instances: as a parameter or field",
    "known": "what is known of a pair of laws, the record `Known`: as a parameter or field",
    "part": "the part of a verifier that an audit names, the key `part` of its reports: as a parameter or field",
    "held_out": "data that is held out, as in statistics",
    "at_least": "a bound, or the fact of a proof that states it",
    "at_most": "a bound, or the fact of a proof that states it",
    "at_most_one": "the fact of a proof that a mass is at most 1",
}
"""Honest words of the field, with the reason; each counts as vague where the reason does not hold."""
PARTNERS = {"left": "right"}
"""Honest words that stand beside another one."""
SIGNATURE = frozenset({"kept", "other", "known", "part"})
"""Honest words of interfaces: as local variables they are vague."""

BOOLEAN = ("is_", "has_", "allows_")
"""How names of booleans begin."""

FIGURES = {
    "vague": ("vague names", "%"),
    "packed": ("packed assignments outside kernels", "a thousand lines"),
    "packed in kernels": ("packed assignments in kernels", "a thousand lines"),
    "undocumented": (f"functions over {FUNCTION_LINES} lines without docstring", ""),
    "long calls": (f"calls of {POSITIONAL} or more positional arguments outside kernels", ""),
    "untyped": ("parameters typed Any", "%"),
}
"""What is counted, by key: in words, and the unit."""
TOTALS = {"vague": "names", "packed": "lines", "packed in kernels": "lines in kernels", "untyped": "typed parameters"}
"""What a count is a share of; the others are counts."""


@dataclass(frozen=True)
class Place:
    """A line that is counted.

    Attributes
    ----------
    figure : a key of `FIGURES`
    path, line : where it stands
    text : the name, function or annotation
    """

    figure: str
    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.figure}: {self.text}"


@dataclass(frozen=True)
class Name:
    """A name that a file binds; `in_signature` where it is a parameter, or a field of a class."""

    text: str
    line: int
    in_signature: bool


def is_vague(word: str) -> bool:
    """Whether a name says nothing: a vague word, with underscores or digits around it, or beside small words only.

    A compound with a noun says what it holds, so that `kept_mass` and `other_gamma` are not vague; `found_all`, `made_from`
    and `done_so_far` have no noun.  Single letters are the papers' symbols, so that `other_p` is not vague either; and
    `is_kept` is a question that is answered by yes or no.
    """
    if word.strip("_").startswith(BOOLEAN):
        return False
    words = [re.sub(r"\d+$", "", part_of_name) for part_of_name in word.strip("_").split("_")]
    words = [text for text in words if text]
    return any(text in VAGUE for text in words) and all(text in VAGUE | SMALL for text in words)


def is_honest(name: Name, bound: frozenset[str]) -> bool:
    """Whether a vague name is a word of the field, for the reason that `HONEST` gives."""
    word = name.text.strip("_")
    if word not in HONEST:
        return False
    if word in PARTNERS:
        return PARTNERS[word] in bound
    return name.in_signature or word not in SIGNATURE


def names(nodes: Sequence[ast.AST]) -> Iterator[Name]:
    """Names that a file binds: variables, loop variables, fields and parameters."""
    fields = {
        id(statement.target)
        for node in nodes
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
    }
    for node in nodes:
        if isinstance(node, ast.arg):
            yield Name(node.arg, node.lineno, in_signature=True)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield Name(node.id, node.lineno, in_signature=id(node) in fields)


def is_packed(node: ast.AST) -> bool:
    """Whether an assignment gives several names several values; an exchange, `a, b = b, a`, does not count."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Tuple | ast.List):
        return False
    values = sorted(ast.unparse(value) for value in node.value.elts)
    tuples = [target for target in node.targets if isinstance(target, ast.Tuple | ast.List)]
    return any(sorted(ast.unparse(element) for element in target.elts) != values for target in tuples)


def is_undocumented(node: ast.AST) -> bool:
    """Whether a long function has no docstring."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    length = (node.end_lineno or node.lineno) - node.lineno + 1
    return length > FUNCTION_LINES and ast.get_docstring(node) is None


class Aliases:
    """Names of `typing.Any` by module: `Any` itself, `import Any as X`, `X = Any`, and what imports these.

    Parameters
    ----------
    files : nodes of each file, by path from the root
    """

    def __init__(self, files: Mapping[Path, Sequence[ast.AST]]) -> None:
        self._sources = {_module(path): dict(_origins(nodes)) for path, nodes in files.items()}

    def is_any(self, annotation: ast.expr, path: Path) -> bool:
        """Whether an annotation is Any, an alias of it, or a union with it, which is as wide."""
        match annotation:
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self.is_any(left, path) or self.is_any(right, path)
            case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
                return self.is_any(inner, path)
            case ast.Attribute(value=ast.Name(id="typing"), attr="Any"):
                return True
            case ast.Constant(value=str(text)):
                return self.is_any(ast.parse(text, mode="eval").body, path)
            case ast.Name(id=name):
                return self._is_alias(_module(path), name, frozenset())
        return False

    def _is_alias(self, module: str, name: str, visited: frozenset[tuple[str, str]]) -> bool:
        """Whether a name of a module stands for Any; `visited` are the names on the way, which may form a circle."""
        origin = self._sources.get(module, {}).get(name)
        if origin is None or (module, name) in visited:
            return False
        origin_module, origin_name = origin
        if origin == ("typing", "Any"):
            return True
        return self._is_alias(origin_module or module, origin_name, visited | {(module, name)})


def _module(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _origins(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Names that may stand for Any, with the module ("" is the same one) and the name that they are taken from."""
    for node in nodes:
        if not isinstance(node, ast.ImportFrom | ast.Assign | ast.AnnAssign):
            continue
        match node:
            case ast.ImportFrom(module=str(module), names=imports, level=0):
                yield from ((alias.asname or alias.name, (module, alias.name)) for alias in imports)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=source)):
                yield name, ("", source)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Name(id=source)):
                yield name, ("", source)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(value=ast.Name(id="typing"), attr="Any")):
                yield name, ("typing", "Any")


def measure(path: Path, nodes: Sequence[ast.AST], aliases: Aliases) -> tuple[list[Place], Counter[str]]:
    """Places of a file that are counted, and the totals that they are a share of."""
    bound = list(names(nodes))
    words = frozenset(name.text.strip("_") for name in bound)
    totals = Counter({"names": len(bound)})
    in_kernels = "kernels" in path.parts
    places = [
        Place("vague", path, name.line, name.text)
        for name in bound
        if is_vague(name.text) and not is_honest(name, words)
    ]
    for node in nodes:
        if is_packed(node):
            assert isinstance(node, ast.Assign)
            figure = "packed in kernels" if in_kernels else "packed"
            places.append(Place(figure, path, node.lineno, ast.unparse(node)))
        elif is_undocumented(node):
            assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            places.append(Place("undocumented", path, node.lineno, node.name))
        elif isinstance(node, ast.Call) and len(node.args) >= POSITIONAL and not in_kernels:
            places.append(Place("long calls", path, node.lineno, ast.unparse(node.func)))
        elif isinstance(node, ast.arg) and node.annotation is not None:
            totals["typed parameters"] += 1
            if aliases.is_any(node.annotation, path):
                places.append(Place("untyped", path, node.lineno, f"{node.arg}: {ast.unparse(node.annotation)}"))
    return places, totals


def measured(
    texts: Mapping[Path, str], folders: Iterable[str] = FOLDERS
) -> tuple[list[Place], dict[str, Counter[str]]]:
    """Places of all files that are counted, and by top-level folder each count and each total."""
    by_path = {path: text for path, text in texts.items() if path.parts[0] in folders}
    files = {path: list(ast.walk(ast.parse(text))) for path, text in by_path.items()}
    aliases = Aliases(files)
    places: list[Place] = []
    counts = {folder: Counter(dict.fromkeys(FIGURES, 0)) for folder in folders}
    for path, nodes in files.items():
        file_places, totals = measure(path, nodes, aliases)
        places += file_places
        count = counts[path.parts[0]]
        count.update(totals)
        count.update(place.figure for place in file_places)
        count["lines in kernels" if "kernels" in path.parts else "lines"] += len(by_path[path].splitlines())
    return places, counts


def value(count: Mapping[str, int], figure: str) -> float:
    """A figure: a share in its unit, or a count.

    >>> value({"vague": 1, "names": 8}, "vague"), value({"packed": 1, "lines": 500}, "packed"), value({}, "long calls")
    (12.5, 2.0, 0)
    """
    number = count.get(figure, 0)
    if figure not in TOTALS:
        return number
    scale = 100 if FIGURES[figure][1] == "%" else 1000
    return scale * number / max(count.get(TOTALS[figure], 0), 1)


def worse(counts: Mapping[str, Mapping[str, int]], recorded: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Figures that are worse than recorded, a line each: the count is larger and, of a share, the share is larger too.

    So neither good code that is deleted nor code as good as the rest makes a figure worse.
    """
    lines = []
    for folder, count in counts.items():
        before = recorded.get(folder, {})
        for figure, (words, _) in FIGURES.items():
            is_worse = value(count, figure) > value(before, figure)
            if is_worse and count.get(figure, 0) > before.get(figure, 0):
                lines.append(f"{folder}: {words}: {_shown(count, figure)}; recorded {_shown(before, figure)}")
    return lines


def _shown(count: Mapping[str, int], figure: str) -> str:
    """A share in its unit with its count, or a count alone."""
    number = count.get(figure, 0)
    return f"{value(count, figure):.2f} {FIGURES[figure][1]} ({number})" if figure in TOTALS else str(number)


def table(counts: Mapping[str, Mapping[str, int]], recorded: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Lines of the report: a figure a line, a folder a column, and the recorded figure where it is another one."""
    yield f"{'readability':<60}" + "".join(f"{folder:>22}" for folder in counts)
    for figure, (words, unit) in FIGURES.items():
        cells = []
        for folder, count in counts.items():
            digits = 2 if figure in TOTALS else 0
            now = f"{value(count, figure):.{digits}f}"
            before = f"{value(recorded.get(folder, {}), figure):.{digits}f}"
            cells.append(now if now == before else f"{now} (was {before})")
        yield f"  {words + (f', {unit}' if unit else ''):<58}" + "".join(f"{cell:>22}" for cell in cells)


def read_record() -> dict[str, dict[str, int]]:
    """The recorded counts by folder."""
    record: dict[str, dict[str, int]] = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    return record


def main(arguments: list[str]) -> int:
    """Print the table, or the places; record the figures where that is asked for."""
    if unknown := set(arguments) - {"--places", "--record"}:
        print(f"readability: {' '.join(sorted(unknown))}; expected --places, --record or nothing", file=sys.stderr)
        return 2
    places, counts = measured(sources())
    if "--places" in arguments:
        print("\n".join(map(str, sorted(places, key=lambda place: (place.figure, place.path, place.line)))))
        return 0
    print("\n".join(table(counts, read_record())))
    if "--record" in arguments:
        record = {folder: dict(sorted(count.items())) for folder, count in counts.items()}
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
