"""What the words `proved` and `derived` do not promise: the page says it, and each attack that is accepted names its sentence."""

from __future__ import annotations

__all__ = [
    "COUNTED",
    "EVERY_INDEX",
    "FORMULA",
    "LOOKED_UP",
    "NOT_PROMISED",
    "PROGRAM",
    "READ_BY_PEOPLE",
    "RECORDS",
    "WORDS",
]

FORMULA = (
    "A claim of one's own is a program: its formula may say something else at an instance that nobody draws, and a proof is "
    "compared with it where instances are drawn."
)
PROGRAM = "A claim's own file is a program, which is run before its proof is checked; it can do what Python can do."
RECORDS = (
    "Whoever rewrites the package's own records, and their digest, writes what is on record; only a new check, by the rules "
    "and by Coq, tells of it."
)
READ_BY_PEOPLE = (
    "That a theorem in Coq says what a claim says is for people to read: a theorem counts as it stands in the file of what was "
    "read, whoever has written that file."
)
EVERY_INDEX = (
    "In a script for Coq what is given of an index or a counter is given of every whole number of its kind: that it can go on so "
    "beyond the range of an instance nobody asks."
)
LOOKED_UP = (
    "A record is about formulas as their text names what they use: what one looks up when it is run, in the environment, in a "
    "library or in a file that no constant names, and what another module gives a constant of theirs, no hash holds."
)
WORDS = (
    "A record is about a claim's formulas: that its words say what these calculate is for people to read, and so is every change "
    "of them."
)
COUNTED = (
    "How much is given is counted by what statements say of the claim's arguments, as its instances have them: an argument that "
    "its instances compute from others is a variable there, and a bound of it is counted as a range."
)
NOT_PROMISED = {
    FORMULA: (
        "A claim is tried at the ends of what it draws, at ties and zeros, at the numbers that its code names, and at many "
        "tokens where that is cheap. Its word is `proved` only for whoever has read the formula."
    ),
    EVERY_INDEX: (
        "Where two names range over members of one array, it has to hold of what either ranges over; of one number alone it is a "
        "premise about that number. The rules take it in its range."
    ),
    LOOKED_UP: (
        "No formula that ships does so; a claim of one's own is checked again in every process, and one that opens a file of its "
        "folder which no hash holds is refused."
    ),
    PROGRAM: "Read it before you run it, as any code of others.",
    READ_BY_PEOPLE: (
        "The file, [statements.json](../proofs_check/coq/algorithm/statements.json), has each statement, what its sections "
        "suppose, and a hash of all definitions that it mentions."
    ),
    RECORDS: (
        "A record without its digest is refused, and so is a flag that does not follow from the steps that Coq was told. "
        "Without Coq nothing in a file shows that Coq has read it: `make proofs` and `make coq` check all anew."
    ),
    COUNTED: (
        "A proof's page has every given, with its statement, however it is counted, and what it takes as one theorem; no word of "
        "a verdict rests on it."
    ),
    WORDS: "The report has both beside each other, with the conclusion of the proof as a formula.",
}
"""Each sentence, and what is done all the same, or is for the reader to do."""
