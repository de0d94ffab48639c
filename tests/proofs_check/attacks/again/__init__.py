"""A later campaign, on rules that were added since and on what a proof file may take."""
