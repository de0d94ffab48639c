"""Tools that judge drafts read the answers of a bank with both kinds of text, say so, and read the other kind when asked."""

from __future__ import annotations

import json

import numpy as np
import pytest

from simspec.cli import main
from simspec.cli.options import KINDS
from simspec.logits.bank import Bank, open_bank
from simspec.tools.advise import Plan, advise
from simspec.tools.advise.show import markdown, page
from simspec.tools.cascades import CascadePlan, cascade_advice
from simspec.tools.drafters import draft_rates, load_drafts
from simspec.tools.drafters.show import drafts_html
from simspec.tools.kinds import CHOICES
from simspec.tools.rates import rates
from simspec.tools.rates.show import rates_html
from simspec.tools.reading import load
from simspec.tools.trees import trees
from simspec.tools.trees.show import trees_html
from tests.kinds_bank import COUNT, write_kinds_bank

ANSWERS = "Drafts are judged on the target's own answers"
TEXTS = "Drafts are judged on corpus texts"
TOGETHER = "Drafts are judged on the target's own answers and corpus texts together"
SENTENCES = {"answers": ANSWERS, "texts": TEXTS, "all": TOGETHER}
CHAIN = ["--rule", "sd", "--gamma", "2", "--temperature", "1", "--top-p", "1"]


@pytest.fixture(scope="module")
def both(tmp_path_factory) -> str:
    return write_kinds_bank(tmp_path_factory.mktemp("kinds") / "both.safetensors")


@pytest.fixture(scope="module")
def one_kind(tmp_path_factory) -> str:
    return write_kinds_bank(tmp_path_factory.mktemp("kinds") / "one.safetensors", says_so=False)


def test_the_answers_are_read_unless_another_kind_is_asked_for(both) -> None:
    bank = open_bank(both)
    default = load(both)
    assert default.kind == "answers" and default.source == "both, contexts of the target's own answers"
    for kind in ("answers", "texts"):
        pairs = load(both, kind=kind)
        assert pairs.kind == pairs.in_order().kind == kind and len(pairs.p) == COUNT
        assert np.array_equal(pairs.document, bank.of_kind(kind).documents)
    assert np.array_equal(default.p, load(both, kind="answers").p)
    everything = load(both, kind="all")
    assert everything.kind == "all" and np.array_equal(everything.document, bank.documents)


def test_a_bank_of_one_kind_is_read_whole_and_says_nothing(one_kind, capsys) -> None:
    assert load(one_kind).kind is None and load(one_kind).source == "both" and len(load(one_kind).p) == 2 * COUNT
    assert len(load(one_kind, kind="texts").p) == len(load(one_kind, kind="all").p) == 2 * COUNT
    with pytest.raises(ValueError, match="kind: 'answers'; bank 'both' has whole rows of corpus texts only"):
        load(one_kind, kind="answers")
    for words in (["rates", one_kind], ["trees", one_kind], ["advise", one_kind, *CHAIN]):
        assert main(words) == 0
        assert "Drafts are judged on" not in capsys.readouterr().out
    assert "kind" not in json.loads(_printed(["advise", one_kind, *CHAIN, "--json", "-"], capsys))


def test_whole_rows_of_one_kind_are_read_though_cut_rows_are_of_both(monkeypatch) -> None:
    """There is no other kind to ask for, and nothing is said."""
    monkeypatch.setattr(Bank, "kinds", ("answers", "texts"))
    pairs = load("stories")
    assert pairs.kind is None and len(pairs.p) == open_bank("stories").contexts


def test_the_shipped_bank_is_judged_on_its_answers() -> None:
    pairs = load("smollm2")
    assert (len(pairs.p), pairs.kind) == (39, "answers")
    assert pairs.source == "smollm2, whole rows of the target's own answers"


@pytest.mark.parametrize("kind", [None, "answers", "texts", "all"])
@pytest.mark.parametrize("command", ["rates", "trees", "advise"])
def test_commands_say_what_they_read(command, kind, both, capsys) -> None:
    words = [command, both, *(CHAIN if command == "advise" else []), *([] if kind is None else ["--kind", kind])]
    said = [line for line in _printed(words, capsys).splitlines() if "Drafts are judged on" in line]
    assert len(said) == 1 and said[0].strip().startswith(f"{SENTENCES[kind or 'answers']}") and "--kind" in said[0]
    json_words = ["--json", "-"] if command == "advise" else ["--json"]
    parsed = json.loads(_printed([*words, *json_words], capsys))
    for facts in parsed if command == "rates" else [parsed]:
        assert facts["kind"] == (kind or "answers") and facts["kind_sentence"] in said[0]


def test_numbers_are_those_of_the_kind(both, capsys) -> None:
    """The bank is made so that both kinds differ; the numbers of each are those of the arrays of its contexts alone."""
    bank = open_bank(both)
    for kind in ("answers", "texts"):
        part = bank.of_kind(kind)
        alone = {"target": part.target(), "draft": part.draft(), "document": part.documents}
        (row,) = json.loads(_printed(["rates", both, "--rule", "sd", "--kind", kind, "--json"], capsys))
        assert row["acceptance"]["estimate"] == rates(load(alone), "sd")[0].values["acceptance"].estimate
        tree = json.loads(_printed(["trees", both, "--nodes", "2", "--kind", kind, "--json"], capsys))
        assert tree["rates"] == trees(load(alone), [2]).rates.tolist()
        advice = json.loads(_printed(["advise", both, *CHAIN, "--kind", kind, "--json", "-"], capsys))
        assert advice["rows"][0]["acceptance"] == row["acceptance"]["estimate"] and advice["contexts"] == COUNT


def test_pages_and_notebooks_say_it_too(both) -> None:
    advice = advise(both, Plan(rules=("sd",), gammas=(1, 2)))
    escaped = ANSWERS.replace("'", "&#39;")
    drafts = draft_rates(both, {"again": both})
    for shown in (page(advice), rates_html(rates(both)), trees_html(trees(both, [1])), drafts_html(drafts)):
        assert ANSWERS in str(shown) or escaped in str(shown)
    assert [row.name for row in drafts] == ["both", "again"]
    assert ANSWERS in markdown(advice) and advice.at_cost(0.1).kind == "answers"


def test_several_drafts_and_a_middle_model_are_read_like_the_source(both, capsys) -> None:
    drafts = load_drafts(both, {"again": both}, kind="texts")
    assert [len(pairs.p) for pairs in drafts.values()] == [COUNT, COUNT]
    assert np.array_equal(drafts["again"].p, load(both, kind="texts").p)
    printed = _printed(["rates", both, "--drafts", f"again={both}", "--kind", "all", "--json"], capsys)
    assert json.loads(printed)["kind"] == "all"
    assert TEXTS in _printed(["rates", both, "--drafts", f"again={both}", "--kind", "texts"], capsys)
    middle = ["advise", both, "--middle", both, "--middle-cost", "0.3", "--gamma", "1-2", "--rounds", "1"]
    assert TEXTS in _printed([*middle, "--kind", "texts"], capsys)
    assert json.loads(_printed([*middle, "--json", "-"], capsys))["kind"] == "answers"
    plan = CascadePlan(gammas=(1,), rounds=(1,))
    assert cascade_advice(both, both, plan, kind="all").pairs.kind == "all"


def test_a_kind_where_there_are_no_texts_is_refused(both, tmp_path, capsys) -> None:
    arrays = {"p": np.array([[0.5, 0.5]]), "q": np.array([[0.5, 0.5]])}
    path = tmp_path / "laws.npz"
    np.savez(path, **arrays)
    only_banks = "kind: 'texts'; only a logit bank records the kind of its texts; leave it out"
    for source in (arrays, (arrays["p"], arrays["q"]), path):
        with pytest.raises(ValueError, match=only_banks):
            load(source, kind="texts")
        with pytest.raises(ValueError, match=only_banks):
            load_drafts(source, {"a": arrays, "b": arrays}, kind="texts")
    with pytest.raises(ValueError, match="kind: 'chat'; expected answers, texts, all"):
        load(both, kind="chat")
    share = tmp_path / "rates.json"
    share.write_text("[0.5]")
    models = ["target", "draft", "--text", "book.txt", "--kind", "texts"]
    for words, message in (
        (["rates", str(path), "--kind", "texts"], only_banks),
        (["rates", "--p", "1/2,1/2", "--q", "1/2,1/2", "--kind", "texts"], only_banks),
        (["advise", str(path), "--kind", "texts"], only_banks),
        (["trees", "--rates", str(share), "--kind", "all"], "--kind: acceptance rates have no texts; leave it out"),
        (["rates", *models], "--kind: --text and --chat say which texts models are recorded on; leave it out"),
        (["advise", *models], "--kind: --text and --chat say which texts models are recorded on; leave it out"),
    ):
        assert main(words) == 2
        assert message in capsys.readouterr().err


def _printed(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What a command that succeeds writes to standard output."""
    assert main(words) == 0
    return capsys.readouterr().out


def test_the_option_has_the_kinds_that_are_read() -> None:
    """The command line names them without loading what reads banks."""
    assert KINDS == CHOICES
