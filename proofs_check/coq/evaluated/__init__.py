"""Conclusions of derivations, as Coq reads them, computed by Coq on instances that their claims draw, and compared with Python.

`conclusions` takes the text of both sides and the values of an instance; `readings` has Coq compute them, over fractions or, of
what is no fraction, over enclosures; `record` keeps what came of it in ``evaluated.json``.
"""
