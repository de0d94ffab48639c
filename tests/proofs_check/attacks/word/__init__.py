"""A campaign on the words `proved` and `derived` by one who had written neither rules nor exporter."""
