"""Several draft models of one target model: the target runs once over the texts, and each draft once.

The first draft is captured with the target in a bank that is removed at the end; every further draft runs alone on the same
contexts.  What is not here: capturing (`simspec.logits.capture`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from simspec.html.escaping import escaped
from simspec.laws import normalise, softmax, uniform
from simspec.logits.bank.vocabularies import on_target, shared_tokens
from simspec.logits.capture import Options, Prepared, draft_rows
from simspec.logits.capture.drafts import check_names
from simspec.logits.capture.models import load_model
from simspec.logits.capture.passes import progress_bars
from simspec.tools.captured import prepared_of, recorded
from simspec.tools.reading import Pairs, load

__all__ = ["drafts_of_models"]


def drafts_of_models(
    target: str, drafts: Mapping[str, str], args: Any, options: Options, temperature: float = 1
) -> dict[str, Pairs]:
    """Pairs of the target's laws and each draft's on the target's vocabulary, by the draft's name.

    Parameters
    ----------
    target : model
    drafts : models, or how they are made of the target, by name; two or more
    args : arguments that `simspec.cli.models` declares
    options : which contexts are taken
    temperature : number >= 0, of all models

    Raises
    ------
    ValueError
        for fewer than two drafts, a draft whose tokenizer allows other contexts than the first one's, and as
        `simspec.logits.capture.capture` does.
    """
    if len(drafts) < 2:
        raise ValueError(
            f"drafts: only {', '.join(map(escaped, drafts)) or 'none'}; expected two or more to compare "
            "(`simspec rates TARGET DRAFT --text FILE` measures one)"
        )
    pairs: dict[str, Pairs] = {}
    for draft in drafts.values():
        check_names(target, draft)
    with progress_bars(is_visible=True, transient=True) as advance:
        step = advance("loading the target", 1)
        target_model = load_model(target, "target", options.device)
        step(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first: Prepared | None = None
        for draft_name, draft in drafts.items():
            prepared = prepared_of((target_model, draft), args, folder, options)
            if first is None:
                first = prepared
                base = load(recorded(prepared, folder / "pair.safetensors"), temperature)._replace(source=target)
                pairs[draft_name] = base
                continue
            _check_contexts(draft_name, first, prepared)
            pairs[draft_name] = _with_draft(base, prepared, temperature)
    return pairs


def _check_contexts(draft_name: str, first: Prepared, prepared: Prepared) -> None:
    """An error where a draft's tokenizer has led to other contexts than the first draft's."""
    contexts = [
        [(window.document, window.target, window.positions.tolist()) for window in some.chosen]
        for some in (first, prepared)
    ]
    if contexts[0] != contexts[1]:
        raise ValueError(
            f"draft {escaped(draft_name)!r}: its tokenizer allows other contexts than that of the first draft; expected drafts "
            "with one tokenizer, or banks of each pair and --drafts with laws on contexts that all of them have"
        )


def _with_draft(base: Pairs, prepared: Prepared, temperature: float) -> Pairs:
    """The target's rows with another draft: tokens that the target lacks are dropped, the rest normalised, as in a bank."""
    logits, table = draft_rows(prepared)
    vocab = base.p.shape[1]
    mass = on_target(softmax(logits, temperature).astype(np.float64), table, vocab)
    shared = shared_tokens(table, vocab)
    q = normalise(mass, otherwise=uniform(shared, like=mass))
    return base._replace(q=q, known=base.known._replace(shared=shared, tuning=None))
