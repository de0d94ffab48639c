"""Strings of a server made safe to print: no control, format or bidirectional character reaches a terminal or a page."""

from __future__ import annotations

import unicodedata

__all__ = ["escaped"]

MOST_CHARACTERS = 200


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
    visible = "".join(map(_visible, characters[:limit]))
    return visible + "…" if len(characters) > limit else visible


def _visible(character: str) -> str:
    if character == " " or (unicodedata.category(character)[0] in "LMNPS" and character != "\\"):
        return character
    if character == "\\":
        return "\\\\"
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
