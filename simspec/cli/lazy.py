"""A parser of command lines whose arguments are declared when they are first needed, so that help for all loads little."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["LazyParser"]


class LazyParser(argparse.ArgumentParser):
    """An argparse parser that calls `declare(parser)` before it first parses.

    >>> parser = LazyParser(prog="halve")
    >>> parser.declare = lambda p: p.add_argument("number", type=float)
    >>> parser.parse_args(["3"]).number / 2
    1.5
    """

    declare: Callable[[argparse.ArgumentParser], Any] | None = None

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        """As in argparse."""
        super().__init__(*arguments, **settings)
        self.renamed: dict[str, str] = {}
        """Options of earlier versions, and what is written now: for the error where one is given."""

    def declare_all(self) -> LazyParser:
        """This parser with every argument declared, and those of its commands: for what reads the whole of it."""
        self._declare()
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                for parser in action.choices.values():
                    parser.declare_all()
        return self

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """As in argparse, once all arguments are declared; the name that an option had before is an error with its new one."""
        self._declare()
        known, unknown = super().parse_known_args(args, namespace)
        for word in unknown:
            option = word.partition("=")[0]
            if option in self.renamed:
                self.error(f"{option}: unknown; expected {self.renamed[option]}")
        return known, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """As in argparse, whose newer versions alone name the choice that is spelt most like a wrong one."""
        if action.choices is not None and value not in action.choices:
            # loaded for a message only
            from simspec.checks import nearest

            choices = [str(choice) for choice in action.choices]
            near = nearest(str(value), choices)
            raise argparse.ArgumentError(
                action, f"invalid choice: {value!r}{near}; expected one of {', '.join(choices)}"
            )

    def _declare(self) -> None:
        declare = self.declare
        self.declare = None
        if declare is not None:
            declare(self)
