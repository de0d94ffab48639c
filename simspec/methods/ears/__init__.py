"""EARS: relaxed acceptance, its rivals, and what they gain and cost."""
