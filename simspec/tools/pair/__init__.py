"""A target and a draft from prompts to a page: captured in chat, accepted, advised, timed, and every claim decided on them.

The work is in parts, each of which reads what others have written into a folder and writes one file of its own, whole or not
at all: a run that is killed goes on with the first part that is missing.  `folder` keeps the parts, `acceptance` and
`lengths` are computed of the bank alone, `speed` runs the models, `rules` compares rules for a draft with another tokenizer,
`verdicts` decides claims, `page` shows it all.
"""

from __future__ import annotations

from simspec.tools.pair.folder import PARTS, Folder, Request

__all__ = ["PARTS", "Folder", "Request"]
