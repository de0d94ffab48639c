"""Adapters: one file for each engine's API, and `discovery`, which asks a server which of them it speaks."""
