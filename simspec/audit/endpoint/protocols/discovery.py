"""Which API a server speaks, found by asking it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.protocols.completions import Completions
from simspec.audit.endpoint.protocols.llama import Llama
from simspec.audit.endpoint.protocols.sglang import SGLang
from simspec.audit.endpoint.protocols.tgi import ROUTER, TGI
from simspec.audit.endpoint.records import EndpointError, Engine
from simspec.checks import nearest
from simspec.html.escaping import escaped

__all__ = ["NOT_RUN", "engine_of"]

NOT_RUN = ("vLLM", "SGLang", "TGI", "OpenAI-compatible")
"""Adapters that were written to a documented API and not run against the engine."""


def engine_of(
    exchange: Exchange, model: str | None = None, is_required: bool = True, option: str = "--model"
) -> Engine:
    """The adapter of a server.

    Parameters
    ----------
    exchange : Exchange
    model : str or None; which of the server's models, where it has several
    is_required : bool; False takes its only model where it has none of that name, as a reference may
    option : str; which names the model, for errors

    Raises
    ------
    EndpointError
        where the server serves no completions, or several models and none is named.
    """
    listing = exchange.get("/v1/models")
    models = listing.get("data", []) if isinstance(listing, Mapping) else []
    names = [entry["id"] for entry in models if isinstance(entry, Mapping) and isinstance(entry.get("id"), str)]
    owners = {str(entry.get("owned_by")) for entry in models if isinstance(entry, Mapping)}
    name = _model(exchange, names, model if is_required or model in names else None, option)
    if "llamacpp" in owners:
        return Llama(exchange, name)
    if "sglang" in owners:
        return SGLang(exchange, name)
    if name in owners and _router(exchange) == ROUTER:  # it names the model itself as its owner
        return TGI(exchange, name)
    probe: dict[str, Any] = {"model": name, "prompt": [1], "max_tokens": 1}
    if exchange.has("/v1/completions", probe):
        return Completions(exchange, name, "vLLM" if "vllm" in owners else "OpenAI-compatible")
    exchange.post("/v1/completions", probe)  # its refusal says why: a key, a path that is missing, a body it dislikes
    raise EndpointError(f"{exchange.url}: no completions; expected an engine that serves them")


def _router(exchange: Exchange) -> object:
    facts = exchange.get("/info")
    return facts.get("router") if isinstance(facts, Mapping) else None


def _model(exchange: Exchange, names: list[str], model: str | None, option: str) -> str:
    """The model to ask for."""
    if model is not None:
        if names and model not in names:
            near = escaped(nearest(model, names))
            raise EndpointError(
                f"{option}: {escaped(model)} is not at {exchange.url}{near}; expected one of {escaped(', '.join(names[:8]))}"
            )
        return model
    if len(names) > 1:
        raise EndpointError(
            f"{exchange.url}: it serves {len(names)} models ({escaped(', '.join(names[:8]))}); expected one: name it with "
            f"{option}"
        )
    return names[0] if names else ""
