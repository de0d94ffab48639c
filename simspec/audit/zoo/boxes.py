"""Every member of the zoo as a sampler under its own name, for `simspec audit simspec.audit.zoo.boxes:zero_coin`."""

from __future__ import annotations

from simspec.audit.zoo import MEMBERS, black_box

globals().update({name: black_box(member) for name, member in MEMBERS.items()})
