"""Results on disk: immutable segments, manifests, and what unites and replays them."""
