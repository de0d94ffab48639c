"""Where the weights of a model are: a Hugging Face id, a folder, a GGUF file, or a folder that holds one.

Nothing is loaded here; a name that cannot be loaded is refused with the reason, before PyTorch is.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

from simspec.checks import check_memory, needs
from simspec.files import parse_json

__all__ = ["Weights", "check_folder", "check_gguf", "layers_stated", "reason_of", "weights_of"]

ENDING = ".gguf"
MAGIC = b"GGUF"
"""First bytes of every GGUF file."""
FLOAT_BYTES = 4
"""Bytes of a weight as models are run here, in float32."""
EXPECTED = "a Hugging Face id, a model folder, a .gguf file or a folder with one"


class Weights(NamedTuple):
    """What transformers is given: an id or a folder, and the name of the GGUF file in it, where it is one."""

    place: str
    gguf: str | None = None

    @property
    def file(self) -> Path | None:
        """Path of the GGUF file; None where there is none."""
        return None if self.gguf is None else Path(self.place, self.gguf)

    @property
    def arguments(self) -> dict[str, str]:
        """Further arguments of transformers' `from_pretrained`.

        >>> Weights("models", "a.gguf").arguments, Weights("gpt2").arguments
        ({'gguf_file': 'a.gguf'}, {})
        """
        return {} if self.gguf is None else {"gguf_file": self.gguf}


def weights_of(name: str, role: str) -> Weights:
    """Where a model's weights are.

    Parameters
    ----------
    name : a Hugging Face id, a model folder, a ``.gguf`` file, or a folder without ``config.json`` that holds a single one;
        or ``smollm2``, once ``make smollm2`` has fetched it
    role : "target" or "draft", for messages

    Raises
    ------
    ValueError
        for a file that is missing, empty or no GGUF file, a folder with no model or with several GGUF files, and the path of a
        folder that does not exist: one that begins with ``.``, ``/`` or ``~``, or has two slashes, which no id has.

    Examples
    --------
    >>> weights_of("gpt2", "target")
    Weights(place='gpt2', gguf=None)
    >>> weights_of("nowhere/a.gguf", "target")
    Traceback (most recent call last):
    ...
    ValueError: target: no file 'nowhere/a.gguf'; expected a Hugging Face id, a model folder, a .gguf file or a folder with one
    """
    # imported here, so that `python -m` finds the module not loaded yet
    from simspec.logits.capture.smollm2 import NAME, is_there, model_file

    if name == NAME and not Path(name).exists():
        if not is_there():
            how = "make smollm2 (or python -m simspec.logits.capture.smollm2), which fetches it"
            raise ValueError(f"{role}: {name!r} is not at {str(model_file())!r}; run {how}")
        return _of_file(model_file(), role)
    path = Path(name)
    if path.suffix.lower() == ENDING or path.is_file():
        return _of_file(path, role)
    if not path.is_dir():
        if name.startswith((".", "/", "~")) or name.count("/") > 1:
            raise ValueError(f"{role}: {name!r}: no such file or folder; expected {EXPECTED}")
        return Weights(name)
    files = sorted(file.name for file in path.iterdir() if file.suffix.lower() == ENDING)
    if (path / "config.json").is_file():
        return Weights(name)
    if len(files) > 1:
        names = ", ".join(files[:4])
        raise ValueError(
            f"{role}: {name!r} holds {len(files)} GGUF files ({names}); expected one: give its path, {path / files[0]}"
        )
    if not files:
        raise ValueError(f"{role}: {name!r} holds neither config.json nor a .gguf file; expected {EXPECTED}")
    return _of_file(path / files[0], role)


def _of_file(path: Path, role: str) -> Weights:
    """A GGUF file by its path; whether it is one is known from its first bytes."""
    if not path.is_file():
        problem = f"{str(path)!r} is a folder" if path.is_dir() else f"no file {str(path)!r}"
        raise ValueError(f"{role}: {problem}; expected {EXPECTED}")
    with path.open("rb") as file:
        first = file.read(len(MAGIC))
    if first != MAGIC:
        begins = f"begins with {first!r}" if first else "is empty"
        raise ValueError(f"{role}: {str(path)!r} {begins}, a GGUF file with {MAGIC!r}; expected {EXPECTED}")
    return Weights(str(path.parent), path.name)


def check_gguf(path: Path, role: str) -> float:
    """Bits of a weight in a GGUF file, once its header can be read and its weights fit in memory in float32.

    Raises
    ------
    ValueError
        for a damaged or truncated file, and for a model that is too large for this machine.
    MissingExtra
        without the packages `gguf` and `accelerate`, which transformers needs for such files.
    """
    sizes = _gguf_header(path, role).sizes
    weights = sum(elements for elements, _ in sizes)
    if not weights:
        raise ValueError(f"{role}: {str(path)!r} holds no weights; expected the GGUF file of a model")
    check_memory(role, str(path), FLOAT_BYTES * weights)
    return 8 * sum(stored for _, stored in sizes) / weights


class _Header(NamedTuple):
    """Of a GGUF file: elements and bytes of each tensor, and the number of layers, None where it is not stated."""

    sizes: list[tuple[int, int]]
    layers: int | None


def _gguf_header(path: Path, role: str) -> _Header:
    """What stands in front of the weights; errors are those of `check_gguf`."""
    gguf, _ = needs(f"{role}: reading a GGUF file", "gguf", "accelerate")
    try:
        reader = gguf.GGUFReader(path)
        sizes = [(int(t.n_elements), int(t.n_bytes)) for t in reader.tensors]
        architecture = reader.fields.get("general.architecture")
        name = "" if architecture is None else f"{architecture.contents()}.block_count"
        layers = int(reader.fields[name].contents()) if name in reader.fields else None
    except Exception as error:  # the reader meets damage with whatever its arithmetic raises
        reason = reason_of(error)
        raise ValueError(
            f"{role}: {str(path)!r} is damaged or truncated ({reason}); expected a whole GGUF file: get it again"
        ) from None
    return _Header(sizes, layers)


def layers_stated(weights: Weights) -> int | None:
    """Number of layers that the ``config.json`` of a target's folder or the header of its GGUF file states; None where none does.

    Raises
    ------
    ValueError, MissingExtra
        for a GGUF file that cannot be read, as `check_gguf` does.

    Examples
    --------
    >>> layers_stated(Weights("gpt2")) is None
    True
    """
    if weights.file is not None:
        return _gguf_header(weights.file, "target").layers
    try:
        config = parse_json(Path(weights.place, "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(config, dict):
        return None
    numbers = [config.get(key) for key in ("num_hidden_layers", "n_layer")]
    return next((number for number in numbers if isinstance(number, int)), None)


def check_folder(path: Path, role: str) -> None:
    """Refuse a model folder whose weights do not fit in memory in float32; their number is in the header of each file.

    Files that are not safetensors, and headers that cannot be read, say nothing: loading them does.

    Raises
    ------
    ValueError
        for a model that is too large for this machine.
    """
    weights = sum(_weights_in(file) for file in path.glob("*.safetensors"))
    check_memory(role, str(path), FLOAT_BYTES * weights)


def _weights_in(file: Path) -> int:
    """Weights that the header of a safetensors file announces; 0 where it cannot be read."""
    try:
        with file.open("rb") as handle:
            header = parse_json(handle.read(int.from_bytes(handle.read(8), "little")).decode())
        return sum(math.prod(entry["shape"]) for name, entry in header.items() if name != "__metadata__")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, MemoryError):
        return 0


def reason_of(error: BaseException) -> str:
    """Why something failed, in a line that is never empty: the first words of the error or of what caused it, and its type.

    >>> reason_of(ValueError("no such architecture"))
    'no such architecture'
    >>> reason_of(AssertionError())
    'AssertionError'
    """
    step: Any = error
    while step is not None:
        words = [line.strip() for line in str(step).splitlines() if line.strip()]
        if words:
            is_plain = isinstance(step, (ValueError, OSError))
            return words[0][:300] if is_plain else f"{type(step).__name__}: {words[0][:300]}"
        step = step.__cause__ or step.__context__
    return type(error).__name__
