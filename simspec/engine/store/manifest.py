"""The manifest of a study's results: what was asked, with which seed and block size, by which code.

It can be rebuilt from the segments: each one states study, question, seed, block size and code, and the first that a
process writes states the whole grid.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from simspec.engine.store.segment import canonical
from simspec.files import digested, parse_json, undigested, write_file
from simspec.provenance.walk import Code

__all__ = [
    "FILE",
    "FORMAT",
    "Manifest",
    "agree",
    "from_metadata",
    "join",
    "read_manifest",
    "unrecorded",
    "write_manifest",
]

FILE = "manifest.json"
_REBUILD = "rebuild it with `simspec study rebuild`"
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
    codes : tuple of Code
        fingerprints of the code that made the rows, and of what was accepted as the same (`simspec.provenance`);
        none in results of versions that did not record it.

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
    codes: tuple[Code, ...] = ()

    def __post_init__(self) -> None:
        for name, kind in {"study": str, "question": str, "seed": int, "block_size": int, "created": str}.items():
            value = getattr(self, name)
            if not isinstance(value, kind) or isinstance(value, bool):
                raise ValueError(f"{name}: {value!r}; expected {kind.__name__}")
        if self.block_size < 1:
            raise ValueError(f"block_size: {self.block_size}; expected at least one row")
        for name in ("grid", "statistics", "code_versions", "codes"):
            if isinstance(getattr(self, name), str):
                raise ValueError(f"{name}: {getattr(self, name)!r}; expected a sequence")
            object.__setattr__(self, name, tuple(getattr(self, name)))
        canonical(self.grid)

    def design(self, cell: Any) -> str:
        """Hash of (format, study, cell, seed, block size): 32 hexadecimal digits, the same on every machine."""
        text = canonical([FORMAT, self.study, cell, self.seed, self.block_size])
        return blake2b(text.encode(), digest_size=16).hexdigest()

    def metadata(self, grid: bool = True) -> dict[str, Any]:
        """Plain values that `Manifest` takes back; grid and codes, which are long, can be left out."""
        long = {"grid": list(self.grid) if grid else [], "codes": list(self.codes) if grid else []}
        return {**vars(self), **long, "format": FORMAT}


def _distinct(items: Iterable[Any]) -> tuple[Any, ...]:
    """Items without repetition, in order of first appearance; compared as JSON."""
    return tuple({canonical(item): item for item in items}.values())


def _parse(values: Any, where: Path) -> Manifest:
    try:
        version = values["format"]
        if version != FORMAT:
            raise ValueError(f"{where}: format {version}; expected {FORMAT}, the one this version of simspec reads")
        manifest = Manifest(**{name: value for name, value in values.items() if name != "format"})
        return replace(
            manifest, codes=tuple({"fingerprint": c["fingerprint"], "parts": c["parts"]} for c in manifest.codes)
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{where}: not a manifest ({error}); {_REBUILD}") from None


def _prints(codes: Iterable[Code]) -> list[str]:
    return [code["fingerprint"] for code in codes]


def _codes(first_manifest: Manifest, two: Manifest, accept_code: bool) -> tuple[Code, ...]:
    """Codes of both, where they have one in common, or one of them states none."""
    here = _prints(first_manifest.codes)
    there = _prints(two.codes)
    if here and there and not {*here} & {*there} and not accept_code:
        a = first_manifest.codes[-1]["parts"]
        b = two.codes[-1]["parts"]
        names = sorted(name for name in {*a, *b} if a.get(name) != b.get(name))
        raise ValueError(
            f"code: the stored rows and the new ones come from different code: {there[-1]} is the fingerprint "
            f"of simulate and of what it calls; the other results have {here[-1]}{_differing(names)}. Use "
            "another directory, or, if both make the same rows, --accept-code (accept_code=True), which is "
            "recorded"
        )
    return tuple({code["fingerprint"]: code for code in (*first_manifest.codes, *two.codes)}.values())


def _differing(names: Sequence[str], limit: int = 5) -> str:
    if not names:
        return ""
    remainder = f" and {len(names) - limit} more" if len(names) > limit else ""
    return f" (what differs: {', '.join(names[:limit])}{remainder})"


def unrecorded(manifest: Manifest | None) -> str | None:
    """A note on results that do not say which code made them, or None.

    >>> unrecorded(Manifest("s", "?", 1, 10))[:44]
    'the code of its rows is not recorded (an ear'
    """
    if manifest is None or manifest.codes:
        return None
    return (
        "the code of its rows is not recorded (an earlier version made them), so simspec cannot check "
        "whether it has changed"
    )


def join(manifests: Iterable[Manifest], accept_code: bool = False) -> Manifest:
    """One manifest for all: grids, statistics, code versions and codes are united, the earliest date is kept.

    Raises
    ------
    ValueError
        where study, seed or block size differ; or the code, unless it is accepted.

    >>> a = Manifest("s", "?", 1, 10, ({"x": 1},), created="2024-01-01")
    >>> join([a, Manifest("s", "?", 1, 10, ({"x": 2}, {"x": 1}), created="2025-01-01")]).grid
    ({'x': 1}, {'x': 2})
    """
    first, *others = manifests
    for name in ("study", "seed", "block_size"):
        for later_manifest in others:
            if getattr(later_manifest, name) != getattr(first, name):
                raise ValueError(
                    f"{name}: {getattr(later_manifest, name)!r}; expected {getattr(first, name)!r} as in the other "
                    "results; use another directory for these results"
                )
    all_manifests = (first, *others)
    for later_manifest in others:
        first = replace(first, codes=_codes(first, later_manifest, accept_code))
    return replace(
        first,
        grid=_distinct(cell for m in all_manifests for cell in m.grid),
        statistics=tuple(sorted({name for m in all_manifests for name in m.statistics})),
        code_versions=tuple(sorted({version for m in all_manifests for version in m.code_versions})),
        created=min(m.created for m in all_manifests),
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
        values = parse_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(f"{path}: not JSON ({error}); {_REBUILD}") from None
    try:
        values = undigested(values, needed="codes" in values) if isinstance(values, dict) else values
        return _parse(values, path)
    except ValueError as error:
        raise error if str(path) in str(error) else ValueError(f"{path}: {error}; {_REBUILD}") from None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write a directory's manifest, whole or not at all."""
    values = digested(manifest.metadata())
    write_file(folder / FILE, (json.dumps(values, indent=1, sort_keys=True) + "\n").encode())


def from_metadata(values: Mapping[str, Any], where: Path) -> Manifest | None:
    """The manifest that a segment's metadata state, or None."""
    return _parse(values["manifest"], where) if values.get("manifest") else None


def agree(manifest: Manifest | None, segments: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse segments (what each says of itself, by its path) that were written for something else.

    A segment that does not say what it was written for, or by which code, is taken.

    Raises
    ------
    ValueError
        naming what differs and the segment.

    >>> agree(Manifest("s", "?", 1, 10), {"segment-a": {"manifest": Manifest("s", "?", 2, 10).metadata()}})
    Traceback (most recent call last):
    ValueError: seed: 2 in segment-a; expected 1, as the manifest says. Remove the segment, which belongs to other results, \
or rebuild the manifest with `simspec study rebuild`
    """
    known_codes = {*_prints(manifest.codes)} if manifest else set()
    for path, values in segments.items():
        stated = from_metadata(values, Path(path))
        if manifest is None or stated is None:
            continue
        pairs = [(name, getattr(stated, name), getattr(manifest, name)) for name in ("study", "seed", "block_size")]
        pairs += [
            ("code", code, " or ".join(sorted(known_codes)) or "none")
            for code in values.get("codes", ())
            if code not in known_codes
        ]
        for name, stated_value, expected in pairs:
            if stated_value != expected:
                raise ValueError(
                    f"{name}: {stated_value!r} in {path}; expected {expected!r}, as the manifest says. Remove the segment, which "
                    "belongs to other results, or rebuild the manifest with `simspec study rebuild`"
                )
