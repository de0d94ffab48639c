"""Diagnosis beside a verdict, which does not depend on it: the likely cause, the price, what known faults would have needed."""
