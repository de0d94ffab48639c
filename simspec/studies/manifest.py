"""The manifest of a study's results: what was asked, with which seed and block size, by which code.

It can be rebuilt from the segments: each one states study, question, seed, block size and code, and the first that a
process writes states the whole grid.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from simspec.files import write_file
from simspec.studies.segment import canonical

__all__ = ["FILE", "FORMAT", "Manifest", "from_metadata", "join", "read_manifest", "write_manifest"]

FILE = "manifest.json"
FORMAT = 1
"""Version of the directory's layout and of the design hash."""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class Manifest:
    """What one directory of results holds.

    Attributes
    ----------
    study, question : str
    seed : int
    block_size : int
        replications in a block (the last block of a cell may hold fewer).
    grid : tuple of cells
    statistics : tuple of str
        their names.
    code_versions : tuple of str
        of the programs that wrote rows.
    created : str
        ISO 8601, UTC.

    Examples
    --------
    >>> plan = Manifest("squares", "How large?", seed=1, block_size=100, grid=({"power": 2},))
    >>> plan.design({"power": 2}) == plan.design({"power": 3}), len(plan.design({"power": 2}))
    (False, 32)
    """

    study: str
    question: str
    seed: int
    block_size: int
    grid: tuple[Mapping[str, Any], ...] = ()
    statistics: tuple[str, ...] = ()
    code_versions: tuple[str, ...] = ()
    created: str = field(default_factory=_now)

    def __post_init__(self) -> None:
        for name, kind in {"study": str, "question": str, "seed": int, "block_size": int, "created": str}.items():
            value = getattr(self, name)
            if not isinstance(value, kind) or isinstance(value, bool):
                raise ValueError(f"{name}: {value!r}; expected {kind.__name__}")
        if self.block_size < 1:
            raise ValueError(f"block_size: {self.block_size}; expected at least one row")
        for name in ("grid", "statistics", "code_versions"):
            if isinstance(getattr(self, name), str):
                raise ValueError(f"{name}: {getattr(self, name)!r}; expected a sequence")
            object.__setattr__(self, name, tuple(getattr(self, name)))
        canonical(self.grid)

    def design(self, cell: Any) -> str:
        """Hash of (format, study, cell, seed, block size): 32 hexadecimal digits, the same on every machine."""
        text = canonical([FORMAT, self.study, cell, self.seed, self.block_size])
        return blake2b(text.encode(), digest_size=16).hexdigest()

    def metadata(self, grid: bool = True) -> dict[str, Any]:
        """Plain values that `Manifest` takes back; the grid can be left out."""
        return {**vars(self), "grid": list(self.grid) if grid else [], "format": FORMAT}


def _distinct(items: Iterable[Any]) -> tuple[Any, ...]:
    """Items without repetition, in order of first appearance; compared as JSON."""
    return tuple({canonical(item): item for item in items}.values())


def _parse(values: Any, where: Path) -> Manifest:
    try:
        version = values["format"]
        if version != FORMAT:
            raise ValueError(f"{where}: format {version}; expected {FORMAT}, the one this version of simspec reads")
        return Manifest(**{name: value for name, value in values.items() if name != "format"})
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{where}: not a manifest ({error}); rebuild it with rebuild_manifest") from None


def join(manifests: Iterable[Manifest]) -> Manifest:
    """One manifest for all: grids, statistics and code versions are united, the earliest date is kept.

    Raises
    ------
    ValueError
        where study, seed or block size differ.

    >>> a = Manifest("s", "?", 1, 10, ({"x": 1},), created="2024-01-01")
    >>> join([a, Manifest("s", "?", 1, 10, ({"x": 2}, {"x": 1}), created="2025-01-01")]).grid
    ({'x': 1}, {'x': 2})
    """
    first, *others = manifests
    for name in ("study", "seed", "block_size"):
        for other in others:
            if getattr(other, name) != getattr(first, name):
                raise ValueError(
                    f"{name}: {getattr(other, name)!r}; expected {getattr(first, name)!r} as in the other results; "
                    "keep them in another directory"
                )
    every = (first, *others)
    return replace(
        first,
        grid=_distinct(cell for m in every for cell in m.grid),
        statistics=tuple(sorted({name for m in every for name in m.statistics})),
        code_versions=tuple(sorted({version for m in every for version in m.code_versions})),
        created=min(m.created for m in every),
    )


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a directory, or None where there is none.

    Raises
    ------
    ValueError
        naming the file, where it is damaged or of another format.
    """
    path = folder / FILE
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(f"{path}: not JSON ({error}); rebuild it with rebuild_manifest") from None
    return _parse(values, path)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write a directory's manifest, whole or not at all."""
    write_file(folder / FILE, (json.dumps(manifest.metadata(), indent=1, sort_keys=True) + "\n").encode())


def from_metadata(values: Mapping[str, Any], where: Path) -> Manifest | None:
    """The manifest that a segment's metadata state, or None."""
    return _parse(values["manifest"], where) if values.get("manifest") else None
