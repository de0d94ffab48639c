"""`simspec study list`: the studies that there are."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from simspec.cli.study.reading import print_json

if TYPE_CHECKING:
    from simspec.engine.study import Study

__all__ = ["listed"]


def listed(args: argparse.Namespace) -> int:
    """`simspec study list`: the studies that ship, then those of installed packages."""
    from simspec.engine.estimates.wording import stop_in_words
    from simspec.studies.catalogue import catalogue

    brought, failed = _installed()
    listed_studies = {**catalogue(), **brought}
    if args.json:
        entries: list[dict[str, Any]] = [
            {
                "name": n,
                "cells": len(s.grid),
                "question": s.question,
                "measures": list(s.measures),
                "stop": stop_in_words(s.stop),
            }
            for n, s in listed_studies.items()
        ]
        print_json(entries + [{"name": name, "error": error} for name, error in failed.items()])
        return 0
    for name, study in listed_studies.items():
        print(f"{name:<22} {len(study.grid):>4} cells  {study.question}")
        print(f"{'':<35}measures {_few(study.measures)}")
        print(f"{'':<35}{stop_in_words(study.stop)}")
    for name, error in failed.items():
        print(f"{name:<22} cannot be loaded: {error}")
    return 0


def _installed() -> tuple[dict[str, Study], dict[str, str]]:
    """Studies that installed packages register, by name, and why others of theirs cannot be loaded."""
    from simspec.loading import installed
    from simspec.studies.catalogue import catalogue, find

    loaded = {}
    failed = {}
    for name in installed("study").keys() - catalogue().keys():
        try:
            loaded[name] = find(name)
        except ValueError as error:
            failed[name] = str(error)
    return dict(sorted(loaded.items())), dict(sorted(failed.items()))


def _few(names: Iterable[str], limit: int = 8) -> str:
    """The first names, and how many more there are."""
    all_names = list(names)
    return ", ".join(all_names[:limit]) + (f" and {len(all_names) - limit} more" if len(all_names) > limit else "")
