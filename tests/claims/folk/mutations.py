"""Broken on purpose."""

MUTATIONS: list = []
