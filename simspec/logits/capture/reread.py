"""One text in two tokenizers: what a draft reads of the target's tokens, and what the target reads of a draft token.

Texts are bytes.  Bytes that are no UTF-8, such as half of a character at the end of a text, are spelled by the tokens of
single bytes, and left out where a vocabulary has no such token: every sequence of bytes can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from simspec.logits.capture.align import bytes_to_token, draft_to_target
from simspec.logits.capture.models import LanguageModel

__all__ = ["Reader", "leading_tokens", "longest_prefix", "read_bytes"]


def read_bytes(text: bytes, encode: Callable[[str], list[int]], byte_tokens: Mapping[bytes, int]) -> list[int]:
    """Token ids of bytes: text as the tokenizer encodes it, and bytes that are no UTF-8 one by one.

    Parameters
    ----------
    text : bytes
    encode : text -> token ids
    byte_tokens : token of each byte string; only those of single bytes are used

    Returns
    -------
    Token ids; nothing for a byte that is no UTF-8 and has no token.

    Examples
    --------
    >>> encode = lambda text: [ord(c) for c in text]
    >>> read_bytes(b"ab\\xe2\\x98c", encode, {b"\\xe2": 1, b"\\x98": 2})
    [97, 98, 1, 2, 99]
    >>> read_bytes(b"ab\\xe2", encode, {})
    [97, 98]
    """
    ids: list[int] = []
    rest = text
    while rest:
        try:
            return [*ids, *encode(rest.decode())]
        except UnicodeDecodeError as error:
            if error.start:
                ids += encode(rest[: error.start].decode())
            wrong_bytes = (rest[at : at + 1] for at in range(error.start, error.end))
            ids += [byte_tokens[byte] for byte in wrong_bytes if byte in byte_tokens]
            rest = rest[error.end :]
    return ids


def longest_prefix(text: bytes, tokens: Mapping[bytes, int]) -> int:
    """The longest token with whose bytes a text begins; -1 for none.

    >>> longest_prefix(b"abc", {b"a": 0, b"ab": 1, b"bc": 2}), longest_prefix(b"xyz", {b"a": 0})
    (1, -1)
    """
    return next((tokens[text[:end]] for end in range(len(text), 0, -1) if text[:end] in tokens), -1)


def leading_tokens(target: LanguageModel, draft: LanguageModel) -> NDArray[np.int32]:
    r"""The target's token with which the text of each draft token begins; -1 for none.

    It is the first token of that text, alone, as the target's tokenizer encodes it.  Where this one does not spell the
    beginning of the text (its tokenizer puts a space before every text) or the token is part of a character, bytes that
    are no UTF-8, it is the longest token of the target with whose bytes the draft token begins.  Special tokens are read by
    their role: the end of a text as the target's end, others as nothing.

    Returns
    -------
    int32 array (Vd,); f of SLEM and SLRS (:func:`simspec.methods.relaxed.reading.first_law`)
    """
    roles = (target.roles, draft.roles)
    shared = draft_to_target(target.strings, draft.strings, target.special, draft.special, roles)
    tokens = bytes_to_token(target.strings, target.special)
    pieces = target.token_bytes()
    first = np.full(draft.vocab, -1, dtype=np.int32)
    for i, text in enumerate(draft.token_bytes()):
        if draft.special[i]:
            first[i] = shared[i]
            continue
        ids = target.encode(text.decode()) if _is_text(text) else []
        begins_so = bool(ids) and bool(pieces[ids[0]]) and text.startswith(pieces[ids[0]])
        first[i] = ids[0] if begins_so else longest_prefix(text, tokens)
    return first


def _is_text(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


class Reader:
    """A draft that reads what a target with another tokenizer has written.

    Parameters
    ----------
    target : whose tokens are given
    draft : whose tokens are returned
    """

    def __init__(self, target: LanguageModel, draft: LanguageModel) -> None:
        pieces = zip(target.token_bytes(), target.special.tolist(), strict=True)
        # control tokens are no part of a text
        self._pieces = [b"" if is_special else piece for piece, is_special in pieces]
        self._draft = draft
        self._byte_tokens = bytes_to_token(draft.strings, draft.special)

    def __call__(self, tokens: Sequence[int]) -> list[int]:
        """The draft's token ids of the text that these tokens of the target stand for."""
        return read_bytes(b"".join(self._pieces[i] for i in tokens), self._draft.encode, self._byte_tokens)
