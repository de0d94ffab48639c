"""The SMT certificates in one archive, the same bytes for the same texts."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from simspec.files import write_file

__all__ = ["read", "write"]

ENDING = ".smt2"


def read(path: Path) -> dict[str, str]:
    """Certificates by claim id; none where there is no archive.

    >>> read(Path("nowhere.zip"))
    {}
    """
    if not path.is_file():
        return {}
    with zipfile.ZipFile(path) as archive:
        return {name.removesuffix(ENDING): archive.read(name).decode() for name in archive.namelist()}


def write(texts: Mapping[str, str], path: Path) -> None:
    """Give an archive these certificates, in the order of their names and without a date.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write({"b": "(check-sat)", "a": ""}, Path(folder, "some.zip"))
    ...     list(read(Path(folder, "some.zip")).items())
    [('a', ''), ('b', '(check-sat)')]
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(texts):
            member = zipfile.ZipInfo(name + ENDING)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system, member.external_attr = 3, 0o644 << 16
            archive.writestr(member, texts[name].encode(), compresslevel=9)
    write_file(path, buffer.getvalue())
