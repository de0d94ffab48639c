"""Files as a whole: what they import, directly or not, and a hash of what is written in them.

The hash of code is that of its canonical text (`simspec.provenance.syntax`), with imported names by where they come from.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from hashlib import blake2b

from simspec.provenance.syntax import Writer, bindings

__all__ = ["closure", "imports", "text_hash"]

_FROM = re.compile(r"^ *from ([\w.]+) import (\([^)]*\)|[^\n]+)|^ *import ([^\n]+)", re.MULTILINE)


def imports(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Modules that a formatted file imports anywhere, each with the names taken from it; relative ones begin with dots.

    >>> imports("import a.b as c, d\\ndef f():\\n    from ..e import (  # why\\n        g as h,\\n    )")
    [('a.b', ()), ('d', ()), ('..e', ('g',))]
    """
    modules: list[tuple[str, tuple[str, ...]]] = []
    for module, names, plain in _FROM.findall(text):
        listed = [n.split()[0] for n in re.sub(r"[()]|#.*", "", names or plain).split(",") if n.strip()]
        modules += [(module, tuple(listed))] if module else [(name, ()) for name in listed]
    return modules


def closure(start: str, reached_from: Callable[[str], Iterable[str]]) -> frozenset[str]:
    """What is reached from a start in any number of steps, with it.

    >>> sorted(closure("a", {"a": "b", "b": "ac", "c": ""}.__getitem__))
    ['a', 'b', 'c']
    """
    reached: set[str] = set()
    todo = [start]
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo += reached_from(name)
    return frozenset(reached)


def text_hash(source: str, package: str = "") -> str:
    """Hash of a file's canonical text: 24 hexadecimal digits.  What is not Python's counts as it is written.

    >>> text_hash("def f():\\n    a = 1  # why\\n    return a") == text_hash("def f():\\n    b = 1\\n    return b")
    True
    >>> text_hash("from a import b\\nb()") == text_hash("from c import b\\nb()")
    False
    """
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return _digest(source)
    names = bindings(body, package).imports

    def resolve(dotted: Iterable[str], local: object) -> str:
        first, *rest = dotted
        within = {**names, **local} if isinstance(local, dict) else names
        if first not in within:
            return ".".join([first, *rest])
        module, taken = within[first]
        return ".".join([module, *([taken] if taken else []), *rest])

    writer = Writer(resolve, package)
    return _digest("\n".join(writer.text(statement) for statement in body))


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="backslashreplace"), digest_size=12).hexdigest()
