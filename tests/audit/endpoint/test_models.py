"""Servers with several models, as those with LoRA adapters and gateways are: each side has its own option to name one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from simspec import cli
from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.records import EndpointError
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

SMALL = Plan(tokens=40, texts=1, option_answers=0, tv_limit=0.9)


def two_models(path, status, record, headers):
    """What a server with the models a and b lists."""
    if path == "/v1/models":
        record = {"data": [{"id": name, "owned_by": "vllm"} for name in "ab"]}
    return status, record, headers


@pytest.fixture(scope="module")
def urls() -> Iterator[tuple[str, str]]:
    """Of an engine with a model of its own, and of a server with two."""
    with served(name="mine") as (url, _), served(mangle=two_models) as (several, _):
        yield url, several


def test_a_model_of_the_reference_is_named(urls) -> None:
    url, several = urls
    report = audit_url(url, several, SMALL, reference_model="b", draft=several, draft_model="a")
    assert report.reference == f"vLLM b at {several}" and report.exit_status == 0
    assert audit_url(several, several, SMALL, model="a").reference == f"vLLM a at {several}"
    assert audit_url(several, several, SMALL, model="a", reference_model="b").reference == f"vLLM b at {several}"
    assert cli.main(
        ["audit", url, "--reference", several, "--reference-model", "a", *"--tokens 40 --texts 1".split()]
    ) in (0, 3)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ({}, "expected one: name it with --reference-model"),
        ({"model": "mine"}, "expected one: name it with --reference-model"),
        ({"reference_model": "c"}, "--reference-model: c is not at"),
        ({"reference_model": "b", "draft": True}, "expected one: name it with --draft-model"),
        ({"reference_model": "b", "draft": True, "draft_model": "c"}, "--draft-model: c is not at"),
        ({"reference": "self", "reference_model": "b"}, "--reference-model: given without the URL of a server"),
        ({"reference": "self", "draft_model": "b"}, "--draft-model: given without the URL of a server"),
    ],
)
def test_a_model_that_is_not_named_or_not_there_is_said_by_its_option(named, words, urls) -> None:
    url, several = urls
    settings = {**named, **({"draft": several} if "draft" in named else {})}
    with pytest.raises(EndpointError, match=words):
        audit_url(url, settings.pop("reference", several), SMALL, **settings)
