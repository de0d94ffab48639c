"""Prompts that ship: short texts of different lengths, so that a batch of them is ragged; and long ones, made of these."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from simspec.audit.endpoint.records import EndpointError, Engine

__all__ = ["PROMPTS", "checked_prompts", "long_prompts", "prompts_of"]

PROMPTS = (
    "The sea is",
    "Once upon a time there was a small engine that",
    "To make bread you need",
    "The three largest cities of the country are, in this order, the capital, the harbour and",
    "def mean(values):",
    "She opened the letter, read it twice, and then",
    "In 1905",
    "The difference between rain and snow is that rain",
)
MOST_CHARACTERS = 4000
"""Of a prompt: longer ones make every request slow, since each text is scored by the reference too."""


def prompts_of(path: Path | None) -> tuple[str, ...]:
    """Prompts of a file, one a line; those that ship where there is none.

    Raises EndpointError for fewer than two, and for one that is too long.

    >>> len(prompts_of(None))
    8
    """
    if path is None:
        return PROMPTS
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise EndpointError(f"--prompts: {str(path)!r}: {reason}; expected a file of text, a prompt a line") from None
    except ValueError as error:  # bytes that are no text, or a path that no system has
        raise EndpointError(f"--prompts: {str(path)!r}: {error}; expected a file of text, a prompt a line") from None
    lines = tuple(line.strip() for line in text.splitlines() if line.strip())
    if len(lines) < 2:
        raise EndpointError(
            f"--prompts: {str(path)!r} has {len(lines)} lines with text; expected a prompt a line, two at least"
        )
    longest = max(map(len, lines))
    if longest > MOST_CHARACTERS:
        raise EndpointError(f"--prompts: a line of {longest} characters; expected at most {MOST_CHARACTERS}")
    return lines


def checked_prompts(prompts: Sequence[str] | str | Path) -> tuple[str, ...]:
    """Texts, or those of a file that is named by a string or a path: the letters of a string are no prompts.

    Raises EndpointError where there is none, and for what is no text.

    >>> checked_prompts(["The sea is"])
    ('The sea is',)
    >>> checked_prompts([b"The sea is"])
    Traceback (most recent call last):
    ...
    simspec.audit.endpoint.records.EndpointError: prompts: b'The sea is'; expected texts, one at least, or the path of a file
    """
    if isinstance(prompts, str | Path):
        return prompts_of(Path(prompts))
    texts = tuple(prompts)
    wrong = next((text for text in texts if not isinstance(text, str)), None)
    if wrong is not None or not texts:
        value = prompts if wrong is None else wrong
        raise EndpointError(f"prompts: {value!r}; expected texts, one at least, or the path of a file")
    return texts


def long_prompts(
    engine: Engine, texts: Sequence[str], prompts: Sequence[tuple[int, ...]], context: int
) -> list[tuple[int, ...]]:
    """A prompt of some tokens or a few more for each text: that text and those after it, as often as it takes.

    Parameters
    ----------
    engine : Engine; tokenizes the long texts
    texts, prompts : short texts, and their token ids
    context : int; tokens that a long prompt has at least; no prompt is long where it is 0

    Raises
    ------
    EndpointError
        where the engine has no further tokens for a longer text.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> engine = SimpleNamespace(url="", tokens_of=lambda text: (0, *map(len, text.split())))
    >>> long_prompts(engine, ["a bc", "def"], [(0, 1, 2), (0, 3)], 6)
    [(0, 1, 2, 3, 1, 2), (0, 3, 1, 2, 3, 1, 2)]
    """
    long: list[tuple[int, ...]] = []
    for first in range(len(texts) if context else 0):
        tokens: tuple[int, ...] = ()
        words: list[str] = []
        while len(tokens) < context:
            # joined texts may have fewer tokens than they have alone: each alone begins with special ones
            missing = context - len(tokens)
            while missing > 0:
                place = (first + len(words)) % len(texts)
                words.append(texts[place])
                missing -= len(prompts[place])
            longer = engine.tokens_of(" ".join(words))
            if len(longer) <= len(tokens):
                raise EndpointError(
                    f"--context: {context}; a text of {len(words)} prompts has {len(longer)} tokens at {engine.url}; expected "
                    "more: --context 0 leaves long prompts out"
                )
            tokens = longer
        long.append(tokens)
    return long
