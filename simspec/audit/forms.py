"""Which form a function has that somebody wants to audit, from the names of what it takes.

A function of another form than it is called in would raise, or return nonsense, and be called broken or biased.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["CALLED", "check_form", "form_of"]

CALLED = {
    "sampler": "(p, q, n, rng)",
    "uniforms": "(p, q, drafts, uniforms)",
    "numpy": "(p, q, drafts, rng)",
    "one": "(p, q, drafts, rng)",
    "torch": "(p, q, drafts, generator)",
    "step": "(p, q, uniforms)",
    "state": "(n, rng)",
    "state-uniforms": "(n, uniforms)",
}
"""What a function of each form is called with; engines' functions are called by name."""
GIVEN_DRAFTS = ("numpy", "one", "torch")
"""Forms that names do not tell apart."""
CURES = {
    "sampler": "leave out --form and --exact; in Python simspec.audit.audit(f)",
    "uniforms": "add --exact, or --form uniforms for a black box; in Python simspec.audit.exact(f)",
    "numpy": (
        "add --form numpy if it takes n calls at once, --form one if it takes one; in Python "
        'FORMS["numpy"](f).sampler of simspec.audit.adapters'
    ),
    "torch": (
        "add --form torch if it takes tensors, --form numpy if it takes arrays; in Python "
        'FORMS["torch"](f).sampler of simspec.audit.adapters'
    ),
    "step": 'add --form step; in Python FORMS["step"](f).sampler of simspec.audit.adapters',
    "state": 'add --form state; in Python FORMS["state"](f).sampler of simspec.audit.adapters',
    "state-uniforms": 'add --form state-uniforms; in Python FORMS["state-uniforms"](f).sampler of simspec.audit.adapters',
    "swapped": "swap them: p is the distribution of the target and comes first",
}
ENGINES = {
    "candidate_input_ids": "transformers",
    "num_draft_tokens": "vllm",
    "draft_token_ids": "flashspec",
    "retrive_index": "sglang-tree",
    "uniform_samples": "sglang",
    "draft_model": "seqspecdecod",
}
"""A name among what a function takes, and the form that has it; looked for in this order."""
CALLS = frozenset({"n", "calls", "n_calls", "num", "size", "batch", "batch_size", "num_samples", "n_samples"})


def form_of(function: Callable[..., Any]) -> str | None:
    """The form of a function, one of `CALLED`, `ENGINES` or "swapped", as far as names tell it; None where they do not.

    >>> def verify(p, q, drafts, uniforms): ...
    >>> form_of(verify), form_of(lambda p, q, n, rng: 0), form_of(lambda a, b, c, d: 0)
    ('uniforms', 'sampler', None)
    """
    names = _names(function)
    for name, form in ENGINES.items():
        if name in names:
            return form
    if len(names) < 4:
        return _short_form(names)
    first, second, third, fourth = (name.lower() for name in names[:4])
    if (first, second) == ("q", "p"):
        return "swapped"
    if third in CALLS:
        return "sampler"
    if "draft" not in third or third.startswith("n"):  # a number of drafts
        return None
    if "coin" in fourth or "uniform" in fourth:
        return "uniforms"
    if fourth.startswith("gen"):
        return "torch"
    return "numpy" if "rng" in fourth or "random" in fourth else None


def _short_form(names: list[str]) -> str | None:
    """The form of a function of two or three arguments: one that begins texts, or a whole step.

    >>> _short_form(["n", "rng"]), _short_form(["p", "q", "uniforms"]), _short_form(["a", "b"])
    ('state', 'step', None)
    """
    last = names[-1].lower() if names else ""
    are_uniforms = "coin" in last or "uniform" in last
    if len(names) == 3:
        return "step" if are_uniforms else None
    if len(names) != 2 or names[0].lower() not in CALLS:
        return None
    if are_uniforms:
        return "state-uniforms"
    return "state" if "rng" in last or "random" in last or last.startswith("gen") else None


def check_form(function: Callable[..., Any], form_name: str) -> None:
    """Raise ValueError where a function's own names say that it has another form than the one it is to be called in.

    Parameters
    ----------
    form_name : one of `CALLED`; of other forms nothing is checked

    >>> def verify(p, q, drafts, uniforms): ...
    >>> check_form(verify, "uniforms")
    >>> check_form(verify, "sampler")
    Traceback (most recent call last):
    ...
    ValueError: sampler: verify takes (p, q, drafts, uniforms); expected (p, q, n, rng). To audit it: add --exact, \
or --form uniforms for a black box; in Python simspec.audit.exact(f)
    """
    if form_name not in CALLED:
        return  # engines' functions are bound by name, which says what is missing
    form = form_of(function)
    if form == form_name or (form in GIVEN_DRAFTS and form_name in GIVEN_DRAFTS):
        return
    if form is None and _takes(function, CALLED[form_name].count(",") + 1):
        return
    cure = "see `simspec audit --list` for the calling conventions that can be audited"
    if form is not None:
        cure = CURES.get(form, f"add --form {form}")
    who = getattr(function, "__name__", repr(function))
    raise ValueError(
        f"sampler: {who} takes ({', '.join(_names(function))}); expected {CALLED[form_name]}. To audit it: {cure}"
    )


def _names(function: Callable[..., Any]) -> list[str]:
    """Names of what a function takes, without those that gather others; none where they are not known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def _takes(function: Callable[..., Any], number: int) -> bool:
    """Whether a function can be called with so many arguments, as far as is known."""
    try:
        inspect.signature(function).bind(*range(number))
    except TypeError:
        return False
    except ValueError:
        return True
    return True
