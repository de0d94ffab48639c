"""A campaign on what `proved` means: files that Coq reads otherwise, scripts that suppose too much, claims that changed."""
