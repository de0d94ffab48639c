"""Logits to study: synthetic generators (`synthetic`), banks of real-model logits (`bank`), and how to make one (`capture`)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["Bank", "Draws", "correlated", "gaussian", "open_bank", "pair_bank", "student_t", "student_t_pair"]

if TYPE_CHECKING:
    from simspec.logits.bank import Bank, open_bank
    from simspec.logits.capture.pair import pair_bank
    from simspec.logits.synthetic import Draws, correlated, gaussian, student_t, student_t_pair

_HOME = {
    "Bank": "bank",
    "open_bank": "bank",
    "pair_bank": "capture.pair",
    "Draws": "synthetic",
    "gaussian": "synthetic",
    "correlated": "synthetic",
    "student_t": "synthetic",
    "student_t_pair": "synthetic",
}


def __getattr__(name: str) -> Any:
    if name in ("bank", "capture", "synthetic"):
        return import_module(f"simspec.logits.{name}")
    if name in _HOME:
        return getattr(import_module(f"simspec.logits.{_HOME[name]}"), name)
    raise AttributeError(f"module 'simspec.logits' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
