"""Aligning two vocabularies by the bytes that their tokens stand for, and two tokenizations of one text.

Three spellings of a token are understood: GPT-2's byte-level alphabet (`Ġthe`), SentencePiece (`▁the`, byte tokens
`<0x0A>`) and plain text.  Nothing here knows a model or a logit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import repeat
from operator import contains

import numpy as np
from numpy.typing import NDArray

__all__ = ["boundaries", "bytes_to_token", "draft_to_target", "spelling", "token_bytes"]

_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")


@cache
def _alphabet() -> dict[str, int]:
    """GPT-2's alphabet: printable Latin-1 characters stand for themselves, the other bytes for U+0100 onwards."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}


def spelling(tokens: Sequence[str]) -> str:
    """How a vocabulary spells its tokens: ``"byte-level"``, ``"sentencepiece"`` or ``"plain"``.

    The space decides: more tokens that hold `Ġ` than `▁` is byte-level, more `▁` is SentencePiece; a vocabulary with
    neither is SentencePiece if it has byte tokens, else plain.

    Examples
    --------
    >>> spelling(["Ġthe", "a"]), spelling(["▁the", "a"]), spelling(["the", "a"])
    ('byte-level', 'sentencepiece', 'plain')
    """
    byte_level = sum(map(contains, tokens, repeat("Ġ")))
    piece = sum(map(contains, tokens, repeat("▁")))
    if byte_level or piece:
        return "byte-level" if byte_level > piece else "sentencepiece"
    return "sentencepiece" if any(_BYTE_TOKEN.fullmatch(token) for token in tokens) else "plain"


def token_bytes(tokens: Sequence[str], kind: str | None = None) -> list[bytes]:
    """Bytes of the text that each token stands for.

    Parameters
    ----------
    tokens : sequence of str
        token strings, as the tokenizer's vocabulary spells them.
    kind : str, optional
        the spelling; by default :func:`spelling` of the tokens.

    Raises
    ------
    ValueError
        for an unknown `kind`.

    Examples
    --------
    >>> token_bytes(["Ġthe", "Ċ", "Ã©"])
    [b' the', b'\\n', b'\\xc3\\xa9']
    >>> token_bytes(["▁the", "<0x0A>", "é"])
    [b' the', b'\\n', b'\\xc3\\xa9']
    """
    kind = spelling(tokens) if kind is None else kind
    if kind == "byte-level":
        byte_of = _alphabet().__getitem__
        return [_byte_level(token, byte_of) for token in tokens]
    if kind == "sentencepiece":
        return [
            bytes([int(match[1], 16)]) if (match := _BYTE_TOKEN.fullmatch(token)) else token.replace("▁", " ").encode()
            for token in tokens
        ]
    if kind == "plain":
        return [token.encode() for token in tokens]
    raise ValueError(f"kind: {kind!r}; expected 'byte-level', 'sentencepiece' or 'plain'")


def _byte_level(token: str, byte_of: Callable[[str], int]) -> bytes:
    """The bytes that the characters of a token stand for; a token with another character stands for itself."""
    try:
        return bytes(map(byte_of, token))
    except KeyError:
        return token.encode()


def bytes_to_token(tokens: Sequence[str], special: NDArray[np.bool_]) -> dict[bytes, int]:
    """Token of each byte string; where several spell it, one that is not a byte token, then the lowest id.

    Special tokens spell nothing.

    >>> bytes_to_token(["<s>", "▁a", "<0x61>", "a"], np.array([True, False, False, False]))
    {b' a': 1, b'a': 3}
    """
    token_by_bytes: dict[bytes, int] = {}
    byte_strings = token_bytes(tokens)
    for byte_tokens in (False, True):
        for i, (token, text) in enumerate(zip(tokens, byte_strings, strict=True)):
            if text and not special[i] and bool(_BYTE_TOKEN.fullmatch(token)) is byte_tokens:
                token_by_bytes.setdefault(text, i)
    return token_by_bytes


def draft_to_target(
    target: Sequence[str],
    draft: Sequence[str],
    target_special: NDArray[np.bool_] | None = None,
    draft_special: NDArray[np.bool_] | None = None,
    roles: tuple[Mapping[str, int], Mapping[str, int]] | None = None,
) -> NDArray[np.int32]:
    """Target token that stands for the same bytes as each draft token; -1 where there is none.

    Ordinary tokens agree when their bytes do.  Where several tokens of one vocabulary spell the same bytes (``A`` and
    ``<0x41>``) only the ordinary one counts, so no target token is met twice.  Special tokens agree only by role:
    the two begin-of-text tokens, and the two end-of-text tokens, whatever their spelling; others never.

    Parameters
    ----------
    target, draft : sequences of str
        token strings by id, as each tokenizer spells them.
    target_special, draft_special : bool arrays (V,), (Vd,), optional
        which tokens are special (control) tokens; none by default.
    roles : pair of mappings, optional
        ``({"bos": 1, "eos": 2}, {"bos": 0, "eos": 0})``: ids of the special tokens by role, target then draft.  Where
        one token has both roles, end-of-text is the one that counts.

    Returns
    -------
    int32 array (Vd,)

    Examples
    --------
    >>> draft_to_target(["Ġa", "b", "Ċ"], ["▁a", "c", "<0x0A>"]).tolist()
    [0, -1, 2]
    """
    t_special = np.zeros(len(target), bool) if target_special is None else target_special
    d_special = np.zeros(len(draft), bool) if draft_special is None else draft_special
    target_by_bytes = bytes_to_token(target, t_special)
    table = np.full(len(draft), -1, dtype=np.int32)
    for text, i in bytes_to_token(draft, d_special).items():
        table[i] = target_by_bytes.get(text, -1)
    if roles is not None:
        of_target, of_draft = roles
        eos = of_target.get("eos") if "eos" in of_draft else None
        if "bos" in of_target and "bos" in of_draft and of_target["bos"] != eos:
            table[of_draft["bos"]] = of_target["bos"]
        if eos is not None:
            table[of_draft["eos"]] = eos
    return table


def boundaries(text: bytes, pieces: Sequence[bytes]) -> NDArray[np.int64]:
    """Byte of `text` at which each token ends, for the leading tokens that spell the text.

    A space that SentencePiece puts before the text counts as nothing.  The list is shorter than `pieces` where a token
    does not spell the text (an unknown token): nothing after it is aligned.

    Parameters
    ----------
    text : bytes
    pieces : sequence of bytes
        the bytes of each token, from :func:`token_bytes`.

    Returns
    -------
    int64 array (n,), n <= len(pieces)

    Examples
    --------
    >>> boundaries(b"the cat", [b" the", b" c", b"at"]).tolist()
    [3, 5, 7]
    >>> boundaries(b"the cat", [b"the", b"", b"cat"]).tolist()
    [3]
    """
    if pieces and pieces[0].startswith(b" ") and not text.startswith(b" "):
        pieces = [pieces[0][1:], *pieces[1:]]
    ends = []
    at = 0
    for i, piece in enumerate(pieces):
        if (not piece and i) or not text.startswith(piece, at):
            break
        at += len(piece)
        ends.append(at)
    return np.array(ends, dtype=np.int64)
