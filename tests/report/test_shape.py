"""A verdicts.json of any content gives a page, or an error that names the claim and the field."""

import copy
import json
import random

import pytest

from simspec import cli
from simspec.claims.deciding.proved import record
from simspec.report.page import render
from simspec.report.proofs import render_proofs, with_steps
from simspec.report.shape import check_verdicts
from tests.report.sample import claim, sample


def whole():
    """The sample, with a proof as `simspec verify` records it."""
    verdicts = sample()
    there = {c["id"] for c in verdicts["claims"]}
    name, (entry, *_) = next((n, e) for n, e in record()["proofs"].items() if e and n not in there)
    proof = [{"kind": "symbolic", "scope": entry["scope"], "file": entry["file"], "whole": True, "seconds": 0.5}]
    verdicts["claims"].append(claim(name, "bound", "proved", "$a$", proof=proof, corrected_by="sd.acceptance"))
    return verdicts


def pages(verdicts) -> str:
    return render(verdicts) + render_proofs(verdicts, with_steps(record()))


def test_the_sample_passes() -> None:
    check_verdicts(whole())
    assert "sd.acceptance" in pages(whole())


def of_claim(**facts):
    return {"claims": [claim("sd.one", "bound", "holds", "$a$") | facts]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"environment": "Linux"}, "verdicts: environment is 'Linux'; expected a mapping"),
        ({"environment": None}, "verdicts: environment is None; expected a mapping"),
        (
            {"environment": {"cores": [2]}},
            "verdicts: environment .* at 'cores' text or a number or true or false, or null",
        ),
        ({"seed": "0"}, "verdicts: seed is '0'; expected a number"),
        ({"version": None}, "verdicts: version is None; expected text"),
        ({"claims": {}}, "verdicts: claims .*; expected a list"),
        ({"claims": None}, "verdicts: claims is None; expected a list"),
        ({"claims": [3]}, "verdicts: claim 0 is 3; expected a mapping"),
        (of_claim(id=3), "claim 0: id is 3; expected text"),
        (of_claim(verdict=["holds"]), "sd.one: verdict is a list of 1 entries; expected text"),
        (of_claim(evidence={"data": "x"}), "sd.one: evidence .*; expected a list, or null"),
        (of_claim(evidence=["x"]), r"sd.one: evidence .*; expected at \[0\] a mapping \(there: 'x'\), or null"),
        (of_claim(evidence=[{"interval": [1]}]), r"sd.one: evidence .* at 'interval' a list of 2, or null"),
        (of_claim(evidence=[{"interval": "ab"}]), "sd.one: evidence .* at 'interval' a list of 2"),
        (of_claim(evidence=[{"level": "95 %"}]), "sd.one: evidence .* at 'level' a number"),
        (of_claim(evidence=[{"n": 10**400}]), "sd.one: evidence .* at 'n' a number below"),
        (of_claim(proof="symbolic"), "sd.one: proof is 'symbolic'; expected a list, or null"),
        (of_claim(proof=[None]), r"sd.one: proof .* at \[0\] a mapping"),
        (of_claim(proof=[{"seconds": "1"}]), "sd.one: proof .* at 'seconds' a number"),
        (of_claim(proof=[{"versions": [1]}]), "sd.one: proof .* at 'versions' text or a mapping"),
        (of_claim(checks={"exact": 3}), "sd.one: checks .* at 'exact' a mapping"),
        (of_claim(seconds=float("nan")), "sd.one: seconds is nan; expected a finite number, or null"),
        (of_claim(counterexample=[1]), "sd.one: counterexample .* a mapping"),
        (
            of_claim(counterexample={"p": json.loads("[" * 40 + "]" * 40)}),
            "sd.one: counterexample .* at most 12 levels",
        ),
        (of_claim(counterexample={"p": ["1/0"]}), "sd.one: cannot be shown"),
        (of_claim(plot={"series": [{"x": [1]}]}), r"sd.one: plot .* at 'series' at \[0\] a mapping with 'name'"),
        (of_claim(statement="\ud800"), r"sd.one: statement is '\\ud800'; expected text without half characters"),
        (of_claim(note="$" + "{" * 5000 + "}" * 5000 + "$"), "sd.one: cannot be shown"),
    ],
)
def test_each_field_is_checked_by_name(changes, message) -> None:
    with pytest.raises(ValueError, match=message) as error:
        render(sample() | changes)
    assert "\n" not in str(error.value) and len(str(error.value)) < 400


def test_no_mapping_is_no_verdicts() -> None:
    for verdicts in (None, [], "x"):
        with pytest.raises(ValueError, match="expected the content of a verdicts.json"):
            render(verdicts)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot be read"),
        ("[]", "is not a verdicts.json"),
        ("[" * 10**5, "cannot be read: too deeply nested"),
        ('{"claims": []}', "'version' is missing"),
        ('{"environment": null, "claims": []}', "environment is None"),
        ("1" * 10**4, "cannot be read"),
        ("\ufffe", "cannot be read"),
    ],
)
def test_the_command_says_so_in_one_line(tmp_path, capsys, text, message) -> None:
    path = tmp_path / "verdicts.json"
    path.write_text(text, encoding="utf-16" if text == "\ufffe" else "utf-8")
    assert cli.main(["report", str(path)]) == 2
    out, err = capsys.readouterr()
    assert message in err and err.count("\n") == 1 and out == ""
    assert [p.name for p in tmp_path.iterdir()] == ["verdicts.json"]


VALUES = [
    None,
    True,
    -1,
    0,
    10**400,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "1/0",
    "$x",
    "\ud800",
    [],
    [0],
    [[1]],
    {},
    {"a": 1},
]


def _places(value, path=()):
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield (*path, key)
        if len(path) < 7:
            yield from _places(part, (*path, key))


def test_four_hundred_mutated_verdicts_give_pages_or_are_refused_by_name() -> None:
    rng, good, refused = random.Random(0), whole(), 0
    names = [c["id"] for c in good["claims"]]
    for _ in range(400):
        verdicts = copy.deepcopy(good)
        verdicts["claims"] = rng.sample(verdicts["claims"], 3)
        for _ in range(rng.randint(1, 2)):
            places = list(_places(verdicts))
            *way, last = rng.choice([p for p in places if rng.random() < 0.2 or len(p) < 5] or places)
            part = verdicts
            for key in way:
                part = part[key]
            if rng.random() < 0.15:
                del part[last]
            else:
                part[last] = copy.deepcopy(rng.choice(VALUES))
        try:
            assert pages(verdicts).encode()
        except ValueError as error:
            assert "\n" not in str(error) and str(error).startswith(
                ("verdicts: ", "claim ", "$x: ", "1/0: ", *names)
            ), error
            refused += 1
    assert 100 < refused < 400
