"""SQL scripts, applied in the order of their names; the n-th brings the schema to version n."""
