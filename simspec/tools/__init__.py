"""Tools: what a user runs on laws, models, texts and logs of their own.

Each tool is a folder, and each goes the same way: it loads its input into records, computes from them alone, keeps the
result as a table of rows, and shows the table as text, JSON, HTML or a picture.  The commands that read arguments are in
`simspec.cli`; questions on grids of cells are in `simspec.studies`.
"""
