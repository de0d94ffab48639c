"""Arguments that commands share which take a pair of models in place of a bank."""

from __future__ import annotations

import argparse

__all__ = ["add_model_arguments"]


def add_model_arguments(parser: argparse._ActionsContainer, subject: str) -> None:
    """Declare texts or prompts to run a pair of models on, and texts in which drafts count tokens.

    Parameters
    ----------
    parser : of a command, or a group of its arguments
    subject : what names the models, in its help
    """
    add = parser.add_argument
    add("--text", action="append", metavar="FILE", help=f"with {subject}: .txt, .jsonl or .json; may be repeated")
    add("--chat", metavar="JSONL", help=f"with {subject}: prompts that the target answers, in place of --text")
    add("--chat-length", type=int, default=64, metavar="N", help="with --chat: longest answer, tokens (default 64)")
    option_help = "with models: other texts, for statistics and for drafts that count tokens; may be repeated"
    add("--statistics-text", action="append", default=[], metavar="FILE", help=option_help)
