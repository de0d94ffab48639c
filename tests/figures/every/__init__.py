"""Tests of the studies that stand with their figures: all papers."""
