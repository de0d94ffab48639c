"""What is asked of a pair, and the folder in which the parts of the answer are kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from simspec.files import digested, read_json, undigested, write_json
from simspec.logits.capture.chat import Speech
from simspec.logits.capture.models import file_digest
from simspec.logits.capture.unfinished import ENDING
from simspec.logits.capture.weights import weights_of

__all__ = ["NEEDS", "PARTS", "Folder", "Request"]

PARTS = ("capture", "acceptance", "lengths", "speed", "rules", "verdicts", "page")
"""In the order in which they are made."""
NEEDS: dict[str, tuple[str, ...]] = {
    "capture": (),
    "acceptance": ("capture",),
    "lengths": ("capture", "acceptance"),
    "speed": ("capture", "acceptance"),
    "rules": ("capture", "speed"),
    "verdicts": ("capture",),
    "page": PARTS[:-1],
}
"""What must be there before each is made."""
OWN = {"speed": ("measure",), "rules": ("measure",), "verdicts": ("effort",)}
"""What a part depends on beside the models and the prompts: when it changes, that part alone is made anew."""


@dataclass(frozen=True)
class Request:
    """A pair of models and what is measured on it.

    Attributes
    ----------
    target, draft : as `simspec capture` takes them
    chat : ``.jsonl`` file of prompts
    speech : how the target writes its answers
    statistics_text : other texts, for statistics and for drafts that count
    statistics, tuning : numbers of contexts of these
    measure : tokens that are decoded for real at each setting
    effort : of the claims
    device, batch : as in `simspec.logits.capture.Options`
    """

    target: str
    draft: str
    chat: str
    speech: Speech
    statistics_text: tuple[str, ...] = ()
    statistics: int = 0
    tuning: int = 0
    measure: int = 200
    effort: str = "default"
    device: str = "auto"
    batch: int = 8

    def __post_init__(self) -> None:
        """Refuse what cannot be measured."""
        if self.measure < 1:
            raise ValueError(f"--measure: {self.measure}; expected at least 1 token a setting")

    def facts(self) -> dict[str, Any]:
        """What the folder's parts rest on: names, digests of prompts and texts, sizes of model files; no paths."""
        texts = [file_digest(Path(path)) for path in self.statistics_text]
        return {
            "target": _model_facts(self.target, "target"),
            "draft": _model_facts(self.draft, "draft"),
            "chat": file_digest(Path(self.chat)),
            "statistics text": texts,
            "speech": asdict(self.speech),
            "counts": [self.statistics, self.tuning, self.batch],
        }


def _model_facts(name: str, role: str) -> list[Any]:
    """Last part of a model's name, and the size and time of its GGUF file where it is one."""
    is_made = ":" in name and not Path(name).exists()
    file = None if is_made else weights_of(name, role).file
    stat = None if file is None else file.stat()
    return [Path(name).name, None if stat is None else [stat.st_size, stat.st_mtime_ns]]


class Folder:
    """The folder of a pair: its bank, a file for each part that is done, and the page.

    Parameters
    ----------
    path : made where it is missing
    request : what is asked

    Raises
    ------
    ValueError
        where the folder holds the parts of another pair, or of other prompts.
    """

    def __init__(self, path: Path, request: Request) -> None:
        """Open the folder, or begin it with what is asked."""
        if path.exists() and not path.is_dir():
            raise ValueError(f"--out: {str(path)!r} is a file; expected a folder, or a name that is free")
        facts = request.facts()
        self.path = path
        self.request = request
        path.mkdir(parents=True, exist_ok=True)
        place = path / "pair.json"
        # answers alone bind to nothing: each is kept under what it was written with
        is_begun = any(self._is_begun(part_name) for part_name in PARTS)
        if place.is_file() and is_begun:
            before = undigested(read_json(place, "--out", "what simspec pair has written"), needed=True)
            changed = [name for name, value in facts.items() if before.get(name) != value]
            if changed:
                raise ValueError(
                    f"--out: {str(path)!r} holds a pair with another {', '.join(changed)}; expected the same arguments, which go "
                    "on with it, or another --out"
                )
        else:
            write_json(digested(facts), place)

    def _is_begun(self, part_name: str) -> bool:
        """Whether anything of a part is there."""
        if part_name == "capture":
            return self.bank.is_file() or self.bank.with_name(f"{self.bank.name}{ENDING}").is_dir()
        return self._place(part_name).is_file()

    @property
    def bank(self) -> Path:
        """Where the bank is."""
        return self.path / "pair.safetensors"

    @property
    def answers(self) -> Path:
        """Folder of the answers that the target wrote."""
        return self.path / "answers"

    @property
    def page(self) -> Path:
        """Where the page is."""
        return self.path / "index.html"

    def has(self, part_name: str) -> bool:
        """Whether a part is done."""
        if part_name == "capture":
            return self.bank.is_file()
        if part_name == "page":
            stamp = self.read("page")
            return self.page.is_file() and stamp is not None and stamp["parts"] == self.stamp()
        values = self.read(part_name)
        return values is not None and bool(values.get("complete", True))

    def read(self, part_name: str) -> dict[str, Any] | None:
        """What a part has written, complete or not; None for nothing, for damage, and where it was asked for otherwise."""
        try:
            values = undigested(
                read_json(self._place(part_name), part_name, "what simspec pair has written"), needed=True
            )
        except ValueError:
            return None
        return values if values.pop("asked", None) == self._own(part_name) else None

    def needed(self, part_name: str) -> dict[str, Any]:
        """What a part has written.

        Raises
        ------
        ValueError
            where it is not done, with the option that does it.
        """
        values = self.read(part_name)
        if values is None:
            raise ValueError(
                f"--only: {part_name} is not done in {str(self.path)!r}; run it first, with --only {part_name}"
            )
        return values

    def write(self, part_name: str, values: dict[str, Any]) -> None:
        """Write what a part has come to, whole or not at all."""
        write_json(digested({**values, "asked": self._own(part_name)}), self._place(part_name))

    def forget(self, part_name: str) -> None:
        """Remove what a part has written, once it is complete: it is to be made anew."""
        if part_name not in ("capture", "page") and self.has(part_name):
            self._place(part_name).unlink()

    def stamp(self) -> dict[str, str]:
        """Digests of the parts that the page shows."""
        return {
            part_name: file_digest(self._place(part_name))
            for part_name in PARTS[1:-1]
            if self._place(part_name).is_file()
        }

    def _own(self, part_name: str) -> list[Any]:
        return [getattr(self.request, name) for name in OWN.get(part_name, ())]

    def _place(self, part_name: str) -> Path:
        return self.path / f"{part_name}.json"
