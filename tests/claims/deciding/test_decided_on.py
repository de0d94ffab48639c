"""Every empirical claim says on which model, or on which data, it was decided; what is on record is what a run decides on."""

from __future__ import annotations

import json

import pytest

from simspec.claims import registry
from simspec.claims.deciding.evidence import decided_on
from simspec.claims.deciding.recorded import expected
from simspec.claims.deciding.verify import verify
from simspec.cli import main

EMPIRICAL = [name for name, claim in registry().items() if claim.finding is not None]
CHEAP = (
    "rdk.real-pruning",
    "rdk.long-tail",
    "pad.classifier",
    "ears.calibration",
    "numerics.bf16",
    "tasc.judge-scores",
)
"""Claims that take a second, of as many kinds of data as there are."""


def test_the_command_says_it_of_each(capsys) -> None:
    assert main(["claims", "--json", *EMPIRICAL]) == 0
    rows = {row["id"]: row["decided_on"] for row in json.loads(capsys.readouterr().out)}
    for name in EMPIRICAL:
        text = rows[name]
        assert text and "None" not in text, name
        # a claim on which nothing decides names what is shown; one that is proved by other means needs no model
        assert text != "nothing" or expected()["verdicts"][name] in ("proved", "derived"), name
    assert main(["claims", "ears.calibration"]) == 0
    assert f"  decided on: {rows['ears.calibration']}\n" in capsys.readouterr().out
    assert "SmolLM2" in rows["ears.calibration"]


def test_a_claim_without_evidence_says_nothing(capsys) -> None:
    assert main(["claims", "sd.acceptance"]) == 0
    assert "decided on" not in capsys.readouterr().out
    assert set(expected()["decided on"]) == set(EMPIRICAL)


@pytest.mark.parametrize("name", CHEAP)
def test_the_record_is_what_a_run_decides_on(name) -> None:
    (record,) = [claim for claim in verify(name)["claims"] if claim["id"] == name]
    assert decided_on(record) == expected()["decided on"][name]
