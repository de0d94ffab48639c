"""What a proof file holds: a `Proof` of a claim that holds, a `Refutation` of one that does not."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simspec.claims.claim import Claim, Instance

__all__ = ["Proof", "Refutation"]

Search = Callable[[], Iterable[Instance]]
EVERYTHING = "Every vocabulary size, all laws and parameters of the claim"


@dataclass(frozen=True)
class Proof:
    """A machine-checked proof of a claim, or of a stated part of it.

    Attributes
    ----------
    claim : the claim, imported from where it is listed
    prove : (Derivation, **mutation) -> None
        runs the proof and ends with `qed`; raises `Unproved` where a step does not follow.
    drop : the name of a given to leave out, or arguments of `prove` that do so; with it the proof must fail
    flip : arguments of `prove` that flip a sign; with them the proof must fail
    change : arguments of `prove` that change a constant; with them the proof must fail
    bind : instance values, by name -> {symbol name: value}
        what the symbols of givens and conclusions stand for in an instance of the claim; arrays count tokens from 1.
        A free variable that is no token needs its range under ``"ranges"``: ``{"n": range(3)}``.
    scope : what exactly is proved, in words; the first paragraph of the docstring of `prove`, where it has one
    whole : whether that is the whole statement of the claim
    sharp : for a bound: its sharp constant, or the best proven values on both sides, and where they are attained; the second
        paragraph of that docstring
    deep : checked only under ``--effort deep``
    """

    claim: Claim
    prove: Callable[..., None]
    drop: str | Mapping[str, Any]
    bind: Callable[..., Mapping[str, Any]] | None
    scope: str = ""
    whole: bool = True
    sharp: str = ""
    deep: bool = False
    flip: Mapping[str, Any] = field(default_factory=lambda: {"sign": -1})
    change: Mapping[str, Any] = field(default_factory=lambda: {"constant": 2})

    def __post_init__(self) -> None:
        """Take the words from the docstring of `prove` where they are not given."""
        docstring = inspect.getdoc(self.prove) if inspect.isfunction(self.prove) else None
        scope, _, sharp = (" ".join(paragraph.split()) for paragraph in (docstring or EVERYTHING).partition("\n\n"))
        object.__setattr__(self, "scope", self.scope or scope[0].lower() + scope[1:].removesuffix("."))
        object.__setattr__(self, "sharp", self.sharp or sharp)

    @property
    def mutations(self) -> dict[str, str | Mapping[str, Any]]:
        """The three by name."""
        return {"drop an assumption": self.drop, "flip a sign": self.flip, "change a constant": self.change}


@dataclass(frozen=True)
class Refutation:
    """An exact counterexample to a claim as printed, found anew and confirmed on the claim's own formulas.

    Attributes
    ----------
    claim : the claim
    among : () -> instances
        in order of size; the first that contradicts the claim is the counterexample.
    scope : how it was found, and in what sense it is smallest
    repaired : {what is added or changed: the corrected claim, () -> other instances, or both}
        the search that must then find nothing; at least one.
    deep : checked only under ``--effort deep``
    """

    claim: Claim
    among: Search
    scope: str
    repaired: Mapping[str, Claim | Search | tuple[Claim, Search]] = field(default_factory=dict)
    deep: bool = False
