"""Text of anyone's making that is safe to show: characters that are not seen, or turn the direction of writing, as numbers.

`escaped` is for one line of a terminal or a log, and can be read back.  `visible` is for text on a page, which keeps its line
breaks and backslashes.  Neither escapes HTML: templates do.
"""

from __future__ import annotations

import unicodedata

__all__ = ["escaped", "visible"]

MOST_CHARACTERS = 200
UNSEEN = ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp")
"""Unicode's categories of what is not seen: controls, marks of direction, surrogates, separators of lines."""
UNSEEN_IN_LINE = (*UNSEEN, "Zs")
"""In a line of a message every space but the plain one counts as unseen, too: another one passes for it."""


def escaped(text: object, limit: int = MOST_CHARACTERS) -> str:
    r"""Text with what is not plainly visible written as escapes, cut after `limit` characters.

    Letters, marks, numbers, punctuation, symbols and the plain space stay.  Backslashes are doubled, so that what is shown
    can be read back.

    >>> print(escaped("ok\x1b[31m\u202e\n"))
    ok\x1b[31m\u202e\x0a
    >>> escaped("abcdef", limit=3)
    'abc…'
    """
    characters = str(text)
    escapes = {" ": " ", "\\": "\\\\"}
    line = "".join(escapes.get(c) or _shown(c, UNSEEN_IN_LINE) for c in characters[:limit])
    return line + "…" if len(characters) > limit else line


def visible(text: str) -> str:
    r"""Text in which every character is seen: others but line breaks are written as their number.

    >>> visible("a\x1b[31m\u202eb\n")
    'a\\x1b[31m\\u202eb\n'
    """
    return "".join(c if c == "\n" else _shown(c, UNSEEN) for c in text)


def _shown(character: str, unseen: tuple[str, ...]) -> str:
    """A character, or its number where its category is one of those that are not seen."""
    if unicodedata.category(character) not in unseen:
        return character
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
