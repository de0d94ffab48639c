"""Options that a command has and a part of it does not: refused by name, since an option that is ignored misleads."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

__all__ = [
    "add_kind_argument",
    "given_options",
    "named_as_option",
    "only_temperature",
    "refuse_other_options",
    "whole_range",
    "wrapped",
]


KINDS = ("answers", "texts", "all")
"""As in `simspec.tools.kinds`, which help need not load."""


def add_kind_argument(parser: argparse.ArgumentParser) -> None:
    """The option that says which kind of text is read of a bank with both, for commands that judge drafts.

    >>> parser = argparse.ArgumentParser()
    >>> add_kind_argument(parser)
    >>> parser.parse_args(["--kind", "texts"]).kind
    'texts'
    """
    parser.add_argument(
        "--kind",
        choices=KINDS,
        help=(
            "contexts of a logit bank to read: the target's own answers, corpus texts, or all (default: the answers, if the bank "
            "has both kinds)"
        ),
    )


def refuse_other_options(
    args: argparse.Namespace,
    declare: Callable[[argparse.ArgumentParser], None],
    taken: Collection[str],
    subject: str,
) -> None:
    """Refuse every option that is not at its default and does nothing here.

    Parameters
    ----------
    args : parsed arguments of a command
    declare : declares the arguments of the command
    taken : names in `args` of the arguments that this part of it takes
    subject : what takes no other option, in words

    Raises ValueError for the first such option.

    >>> def declare(parser):
    ...     parser.add_argument("--seed", type=int, default=0)
    >>> refuse_other_options(argparse.Namespace(seed=1), declare, (), "a file with heads")
    Traceback (most recent call last):
    ...
    ValueError: --seed: does nothing with a file with heads; leave it out
    """
    parser = argparse.ArgumentParser(add_help=False)
    declare(parser)
    for action in parser._actions:
        if action.dest in taken or getattr(args, action.dest) == action.default:
            continue
        name = action.option_strings[0] if action.option_strings else action.metavar
        raise ValueError(f"{name}: does nothing with {subject}; leave it out")


@contextmanager
def named_as_option(name: str) -> Iterator[None]:
    """What a function says of an argument, said of the option of this name.

    >>> with named_as_option("policy"):
    ...     raise ValueError("policy: 'x'; expected heuristic")
    Traceback (most recent call last):
    ...
    ValueError: --policy: 'x'; expected heuristic
    """
    try:
        yield
    except ValueError as error:
        words = str(error)
        if not words.startswith(f"{name}: "):
            raise
        raise ValueError(f"--{words}") from error


def given_options(declare: Callable[[argparse.ArgumentParser], None], words: Sequence[str], group: str) -> list[str]:
    """Options of a group that stand on a command line, under their full names, in the order in which they are declared.

    Parameters
    ----------
    declare : declares the arguments of the command
    words : what stands after the command's name; the command has parsed it
    group : title of the group

    argparse itself says what was given: an abbreviation counts, and so does a value that is the default.

    >>> def declare(parser):
    ...     group = parser.add_argument_group("functions")
    ...     group.add_argument("--gamma", type=int, default=2)
    ...     group.add_argument("--vocab", type=int, default=3)
    ...     parser.add_argument("--seed", type=int)
    >>> given_options(declare, ["--seed", "1", "--g=2"], "functions")
    ['--gamma']
    """
    parser = argparse.ArgumentParser(add_help=False)
    declare(parser)
    for action in parser._actions:
        action.default = argparse.SUPPRESS  # so that only what is given gets a name
    given = vars(parser.parse_args(words))
    return [
        action.option_strings[0]
        for argument_group in parser._action_groups
        if argument_group.title == group
        for action in argument_group._group_actions
        if action.dest in given
    ]


def only_temperature(temperatures: Sequence[float] | None, subject: str) -> float:
    """The temperature that was given, or 1.

    Parameters
    ----------
    temperatures : of an option that may be repeated
    subject : what takes only one of them, in words

    Raises ValueError for several.

    >>> only_temperature(None, "--middle"), only_temperature([0.5], "--middle")
    (1.0, 0.5)
    """
    if temperatures is not None and len(temperatures) > 1:
        given = ", ".join(f"{temperature:g}" for temperature in temperatures)
        raise ValueError(f"--temperature: {given}; expected one of them with {subject}")
    return temperatures[0] if temperatures else 1.0


def whole_range(text: str, option: str, noun: str, example: str) -> tuple[int, ...]:
    """Whole numbers from 1 on, of one number or a range.

    Parameters
    ----------
    text : such as ``4`` or ``1-16``
    option, noun, example : what it is given by, what the numbers are, and a range, for the error

    Raises ValueError for other text, and for numbers above 256.

    >>> whole_range("2-4", "--gamma", "draft tokens", "1-16")
    (2, 3, 4)
    """
    low, dash, high = text.partition("-")
    if not low.isdecimal() or (dash and not high.isdecimal()):
        raise ValueError(f"{option}: {text!r}; expected a number of {noun}, or a range such as {example}")
    first = int(low)
    last = int(high or low)
    if not 1 <= first <= last <= 256:
        raise ValueError(f"{option}: {text!r}; expected numbers from 1 to 256, smaller number first")
    return tuple(range(first, last + 1))


def wrapped(text: str) -> str:
    """A paragraph in lines of 76 characters: what stands above a group of options, which argparse prints as it is.

    >>> max(map(len, wrapped("word " * 40).splitlines()))
    74
    """
    return textwrap.fill(text, 76)
