"""A campaign by a referee who had written none of the rules, the exporter and the attacks before it."""
